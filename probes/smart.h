/* smart.h - read a drive's health: SMART of ATA, log 02h and OCP C0h of NVMe, log pages of SCSI.
 *
 * Read-only commands, over the machine or a capture (devio.h). What a drive does not answer is
 * unknown in data/smart.h's struct; only a drive of which nothing at all can be read is an error,
 * whose message says why ("unknown, because").
 */
#ifndef SSDQUAL_PROBES_SMART_H
#define SSDQUAL_PROBES_SMART_H

#include "data/smart.h"
#include "probes/devio.h"
#include "probes/sysfs.h"

/* smart_read - of the drive below @sysname ("sda", "nvme0n1p2"). @ret is untouched on failure.
 * -EOPNOTSUPP, ERR_UNSUPPORTED: no drive that answers commands, SMART absent or off, a RAID
 * controller's virtual disk; -ENODATA, ERR_UNSUPPORTED: it answered, with nothing in it (all zeros,
 * all ones, a wrong checksum), or a capture has nothing of it; else as devio_open(). */
int smart_read(const struct sysroot *root, const char *sysname, struct smart_health *ret,
	struct err *reterr);
/* smart_ask - the same of the drive at @io. @transport: as drive_transport(), or NULL: whether ATA
 * commands may be sent through it. @raid: a controller's virtual disk, which is asked nothing. */
int smart_ask(struct devio *io, const char *transport, bool raid, struct smart_health *ret,
	struct err *reterr);

/* -- the languages: as smart_ask(); each in its file ------------------------------------------ */

int smart_ask_ata(struct devio *io, struct smart_health *ret, struct err *reterr);
int smart_ask_nvme(struct devio *io, struct smart_health *ret, struct err *reterr);
int smart_ask_scsi(struct devio *io, struct smart_health *ret, struct err *reterr);

/* -- decoders, pure ---------------------------------------------------------------------------
 * They add to @h what the bytes say; 0 or -EBADMSG, ERR_DEVICE (cut, wrong checksum) or -ENODATA,
 * ERR_UNSUPPORTED (no data in it), with @h untouched. */

/* NVMe log 02h, 512 bytes. */
int smart_decode_log_02(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr);
/* OCP SMART / Health extended log C0h, 512 bytes. -ENODATA also where its GUID is not OCP's:
 * page C0h is any vendor's. */
int smart_decode_log_c0(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr);

/* ATA, through libatasmart: IDENTIFY DEVICE (NULL: not at hand), SMART READ DATA and READ
 * THRESHOLDS (may be NULL), of 512 bytes each. Attributes only: what they mean depends on the model
 * (data/smart_table.h). */
int smart_decode_attributes(const uint8_t *identify, const uint8_t *data,
	const uint8_t *thresholds, struct smart_health *h, struct err *reterr);
/* One page of the ATA device statistics log 04h (1: general, 5: temperature, 7: solid state). */
int smart_decode_statistics(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr);

/* One SCSI log page as LOG SENSE gives it. -ENODATA: a page that is not looked at. */
int smart_decode_scsi_page(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr);

#endif
