/* battery_quick.c - about a minute in all, with at least one row behind every verdict.
 *
 * Keys are those of the long batteries, so that whatever reads results need not know the
 * difference; what is lost is samples (p99.9 of a slow drive rests on a few) and the time in which
 * a drive's own write cache fills. Device: WAL/DB and PLP from journal-sync, journal-fsync against
 * write-4k; OSD data from t1q1-fsync, random-nosync and linear-write; reads and rotation from
 * randread-1; PWL from write-4k, write-12k, overwrite-4k and read-4k. Folder: etcd and mon from the
 * log rows besides.
 */
#include "probes/battery.h"

#define DIRECT .engine = "libaio", .direct = true

static const struct battery_row rows[] = {
	{ DIRECT, .key = "journal-sync", .label = "Journal IOPS (sync=1)", .on = ROW_ON_ANY,
	  .rw = RW_WRITE, .bs = 4096, .iodepth = 1, .sync = SYNC_SYNC, .runtime_s = 6 },
	{ DIRECT, .key = "journal-fsync", .label = "Journal IOPS (fsync=1)", .on = ROW_ON_ANY,
	  .rw = RW_WRITE, .bs = 4096, .iodepth = 1, .fsync = 1, .runtime_s = 6 },
	{ DIRECT, .key = "write-4k", .label = "Log append, 4k", .on = ROW_ON_ANY,
	  .rw = RW_WRITE, .bs = 4096, .iodepth = 1, .runtime_s = 4 },
	{ DIRECT, .key = "write-12k", .label = "Log append, 12k", .on = ROW_ON_ANY,
	  .rw = RW_WRITE, .bs = 12288, .iodepth = 1, .runtime_s = 4 },
	{ DIRECT, .key = "overwrite-4k", .label = "Log root, one 4k block", .on = ROW_ON_ANY,
	  .rw = RW_WRITE, .bs = 4096, .iodepth = 1, .size = 4096, .runtime_s = 4 },
	{ DIRECT, .key = "read-4k", .label = "Log read-back, 4k", .on = ROW_ON_ANY,
	  .rw = RW_RANDREAD, .bs = 4096, .iodepth = 1, .runtime_s = 4 },
	{ DIRECT, .key = "randread-1", .label = "Random read, depth 1", .on = ROW_ON_BLOCK,
	  .rw = RW_RANDREAD, .bs = 4096, .iodepth = 1, .runtime_s = 6 },
	{ DIRECT, .key = "t1q1-fsync", .label = "Durable random, depth 1", .on = ROW_ON_ANY,
	  .rw = RW_RANDWRITE, .bs = 4096, .iodepth = 1, .fsync = 1, .runtime_s = 8 },
	{ DIRECT, .key = "random-nosync", .label = "Non-txn random", .on = ROW_ON_BLOCK,
	  .rw = RW_RANDWRITE, .bs = 4096, .iodepth = 128, .runtime_s = 9 },
	{ DIRECT, .key = "linear-write", .label = "Linear write", .on = ROW_ON_BLOCK,
	  .rw = RW_WRITE, .bs = 4 << 20, .iodepth = 32, .runtime_s = 9 },
	{ .key = "etcd-2300", .label = "etcd log, 2300 B", .kind = ROW_SEGMENTS, .on = ROW_ON_DIR,
	  .engine = "sync", .rw = RW_WRITE, .bs = 2300, .iodepth = 1, .fdatasync = 1,
	  .runtime_s = 12 },
	{ .key = "etcd-8000", .label = "etcd log, 8000 B", .kind = ROW_SEGMENTS, .on = ROW_ON_DIR,
	  .engine = "sync", .rw = RW_WRITE, .bs = 8000, .iodepth = 1, .fdatasync = 1,
	  .runtime_s = 12 },
};

extern const struct battery battery_quick;
const struct battery battery_quick = {
	.name = "quick",
	.summary = "about one minute, with a row behind every verdict",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
	.shares_time = true, /* a minute it stays */
};
