/* battery_pwl.c - what librbd's persistent write log does to its drive.
 *
 * The log is appended with O_DIRECT and without any cache flush, at depth 1: 4 KiB of control block
 * plus the data, so 8 KiB for a 4 KiB write, 12 for an 8000-byte one; its root, one 4 KiB block, is
 * rewritten in place; entries are read back 4 KiB at a time when they are written to the image.
 * Source: ceph, src/librbd/cache/pwl/ssd/WriteLog.cc (append_log_entries,
 * update_root_scheduled_ops).
 */
#include "probes/battery.h"

#define COMMON                                                                                     \
	.on = ROW_ON_ANY, .engine = "libaio", .direct = true, .iodepth = 1, .runtime_s = 30

static const struct battery_row rows[] = {
	{ COMMON, .key = "write-4k", .label = "Log append, 4k", .rw = RW_WRITE, .bs = 4096 },
	{ COMMON, .key = "write-8k", .label = "Log append, 8k", .rw = RW_WRITE, .bs = 8192 },
	{ COMMON, .key = "write-12k", .label = "Log append, 12k", .rw = RW_WRITE, .bs = 12288 },
	{ COMMON, .key = "write-64k", .label = "Log append, 64k", .rw = RW_WRITE, .bs = 65536 },
	{ COMMON, .key = "overwrite-4k", .label = "Log root, one 4k block",
	  .rw = RW_WRITE, .bs = 4096, .size = 4096 },
	{ COMMON, .key = "read-4k", .label = "Log read-back, 4k", .rw = RW_RANDREAD, .bs = 4096 },
};

extern const struct battery battery_pwl;
const struct battery battery_pwl = {
	.name = "pwl",
	.summary = "direct appends without flush, root overwrite and reads of a persistent log",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};
