/* sig.h - signatures of file systems, members and partition tables on a device (libblkid).
 *
 * Low-level probing of a descriptor: no cache, no udev, nothing is written by sig_probe(). All
 * signatures are found, not only the first. BlueStore's label is also looked for directly.
 */
#ifndef SSDQUAL_PROBES_SIG_H
#define SSDQUAL_PROBES_SIG_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sig {
	char type[48];  /* "ext4", "zfs_member", "LVM2_member", "gpt", ... */
	char label[80]; /* of a file system or pool; "" where there is none */
	bool table;     /* a partition table */
	uint64_t offset; /* of the magic, bytes from the start of the span */
};

/* sig_probe - signatures in @size bytes from @offset of @fd (open for reading, without O_DIRECT).
 * @ret: heap array, the caller frees it; NULL when *@ret_count is 0. 0, or -errno with @reterr. */
int sig_probe(int fd, uint64_t offset, uint64_t size, struct sig **ret, size_t *ret_count,
	struct err *reterr);

/* sig_wipe - erase every signature in the span, and prove it by probing again. @fd is open for
 * writing; O_DIRECT is lifted for the time. 0; -EIO when a signature is still found. */
int sig_wipe(int fd, uint64_t offset, uint64_t size, struct err *reterr);

#endif
