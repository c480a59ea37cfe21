/* answers.h - ask a drive who it is, over the machine or a capture.
 *
 * sysfs keeps most of it, but not for every drive (bridges, old kernels), and what sysfs keeps was
 * read when the drive was found: only the drive says who it is now.
 */
#ifndef SSDQUAL_PROBES_ANSWERS_H
#define SSDQUAL_PROBES_ANSWERS_H

#include "probes/devio.h"
#include "probes/sysfs.h"

/* Who a drive is; "" for what it does not tell. Strings are cleaned. */
struct drive_names {
	char model[64];
	char serial[SCSI_SERIAL_MAX];
	char wwn[304]; /* as sysfs' wwid: "naa.5000c500...", "eui.0025..." */
};

/* answers_open - the whole disk behind @sysname, opened read-only, or its captured answers.
 * -EOPNOTSUPP, ERR_UNSUPPORTED: no drive that answers commands (loop, virtio, dm, ...); -ENODATA,
 * ERR_UNSUPPORTED: a capture without answers of it; else as devio_open(). @ret is zeroed then. */
int answers_open(const struct sysroot *root, const char *sysname, struct devio *ret,
	struct err *reterr);
/* answers_open_fd - the block device that is open as @fd, and no other that took its name. */
int answers_open_fd(int fd, const char *sysname, struct devio *ret, struct err *reterr);

/* answers_names - what the drive says of itself. -EIO and other -errno only where it could not be
 * asked at all; an answer without a name is none. */
int answers_names(struct devio *io, struct drive_names *ret, struct err *reterr);

/* names_of_disk - from sysfs, and where that has no serial number or world wide name, from the
 * drive. Never fails: what nobody tells is "". */
void names_of_disk(const struct sysroot *root, const char *disk, struct drive_names *ret);

/* names_tell_wwn - is @wwn one that tells drives apart? Some give zeros, or zeros behind a leading
 * digit. */
bool names_tell_wwn(const char *wwn);

enum same_drive { SAME_NO, SAME_PERHAPS, SAME_YES };
/* names_compare - are these two paths to one drive? By the world wide name. Where one has none that
 * tells, the same model and serial number (and capacity, if @same_size) make it possible. */
enum same_drive names_compare(const struct drive_names *a, const struct drive_names *b,
	bool same_size);

#endif
