/* noise.h - what else the machine did while a row ran: other I/O on the drive, stolen CPU time.
 *
 * Two snapshots of /sys/dev/block/M:N/stat (of the whole disk, also for a partition: its neighbours
 * disturb as much) and of /proc/stat; the measurement's own I/O is taken off. What cannot be read
 * is null. So is what cannot be told from our own: reading where ours is buffered (blocks written
 * in part are read first), writing behind a file system (its journal).
 * Source: kernel Documentation/block/stat.rst, Documentation/filesystems/proc.rst (1.7).
 */
#ifndef SSDQUAL_PROBES_NOISE_H
#define SSDQUAL_PROBES_NOISE_H

#include "data/result.h"

#include <stdbool.h>
#include <sys/types.h>

struct noise_snapshot {
	bool disk_known, cpu_known;
	uint64_t read_bytes, write_bytes; /* of the whole disk, since boot */
	uint64_t steal, total;            /* CPU ticks, all processors */
};

/* noise_take - @dev: number of the block device, or of the file system's. Never fails: what
 * cannot be read is marked unknown. @root: "" or a tree with sys/ and proc/ of its own (tests). */
void noise_take(const char *root, dev_t dev, struct noise_snapshot *ret);

/* noise_between - the "noise" object of a measurement that read @own_read and wrote @own_write
 * bytes between the two: {"device_read_bytes", "device_write_bytes", "other_read_bytes",
 * "other_write_bytes", "cpu_steal_ratio"}. NULL: no memory. */
struct json *noise_between(const struct noise_snapshot *before, const struct noise_snapshot *after,
	uint64_t own_read, uint64_t own_write, bool direct, bool through_fs);

#endif
