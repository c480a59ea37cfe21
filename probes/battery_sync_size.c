/* battery_sync_size.c - durable writes of growing size at depth 1: what a flush costs at least, and
 * what a write below the drive's internal page costs on top (some drives pay 15 times at 512 B).
 *
 * The smallest size is the first that a 512-byte-sector drive takes; the largest is where bandwidth
 * rather than the flush decides. Direct I/O, so that sizes below the page do reach the drive.
 */
#include "probes/battery.h"

#define COMMON                                                                                     \
	.on = ROW_ON_ANY, .engine = "sync", .direct = true, .rw = RW_WRITE, .iodepth = 1,          \
	.runtime_s = 10
#define DSYNC(size_key, bytes)                                                                     \
	{ COMMON, .key = "dsync-" size_key, .label = "O_DSYNC write, " size_key, .bs = (bytes),    \
	  .sync = SYNC_DSYNC }
#define FDATASYNC(size_key, bytes)                                                                 \
	{ COMMON, .key = "fdatasync-" size_key, .label = "Write + fdatasync, " size_key,           \
	  .bs = (bytes), .fdatasync = 1 }

static const struct battery_row rows[] = {
	DSYNC("512", 512),
	DSYNC("1k", 1024),
	DSYNC("2k", 2048),
	DSYNC("4k", 4096),
	DSYNC("8k", 8192),
	DSYNC("16k", 16384),
	DSYNC("32k", 32768),
	DSYNC("64k", 65536),
	DSYNC("128k", 131072),
	FDATASYNC("512", 512),
	FDATASYNC("1k", 1024),
	FDATASYNC("2k", 2048),
	FDATASYNC("4k", 4096),
	FDATASYNC("8k", 8192),
	FDATASYNC("16k", 16384),
	FDATASYNC("32k", 32768),
	FDATASYNC("64k", 65536),
	FDATASYNC("128k", 131072),
};

extern const struct battery battery_sync_size;
const struct battery battery_sync_size = {
	.name = "sync-size",
	.summary = "O_DSYNC and fdatasync from 512 B to 128 KiB: the fixed cost of a flush",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};
