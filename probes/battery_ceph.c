/* battery_ceph.c - the rows that Ceph operators compare drives by.
 *
 * Source of the rows: the table that has been shared on the ceph-users list since 2020 (Micron
 * 5200, write cache on and off) and the options of Vitastor's documentation, "Understanding
 * performance". The depths of the parallel rows follow from IOPS times latency in that table: 32,
 * 128 and 32.
 */
#include "probes/battery.h"

#define COMMON .on = ROW_ON_ANY, .engine = "libaio", .direct = true, .runtime_s = 60

static const struct battery_row rows[] = {
	{ COMMON, .key = "journal-sync", .label = "Journal IOPS (sync=1)",
	  .rw = RW_WRITE, .bs = 4096, .iodepth = 1, .sync = SYNC_SYNC },
	{ COMMON, .key = "journal-fsync", .label = "Journal IOPS (fsync=1)",
	  .rw = RW_WRITE, .bs = 4096, .iodepth = 1, .fsync = 1 },
	{ COMMON, .key = "parallel-sync", .label = "Parallel random (sync)",
	  .rw = RW_RANDWRITE, .bs = 4096, .iodepth = 32, .sync = SYNC_SYNC },
	{ COMMON, .key = "parallel-fsync", .label = "Parallel random (fsync)",
	  .rw = RW_RANDWRITE, .bs = 4096, .iodepth = 32, .fsync = 1 },
	{ COMMON, .key = "random-nosync", .label = "Non-txn random",
	  .rw = RW_RANDWRITE, .bs = 4096, .iodepth = 128 },
	{ COMMON, .key = "linear-write", .label = "Linear write",
	  .rw = RW_WRITE, .bs = 4 << 20, .iodepth = 32 },
	{ COMMON, .key = "randread-1", .label = "Random read, depth 1",
	  .rw = RW_RANDREAD, .bs = 4096, .iodepth = 1 },
	{ COMMON, .key = "randread-32", .label = "Random read, depth 32",
	  .rw = RW_RANDREAD, .bs = 4096, .iodepth = 32 },
	{ COMMON, .key = "t1q1-fsync", .label = "Durable random, depth 1",
	  .rw = RW_RANDWRITE, .bs = 4096, .iodepth = 1, .fsync = 1 },
};

extern const struct battery battery_ceph;
const struct battery battery_ceph = {
	.name = "ceph",
	.summary = "the journal, parallel, linear and read rows that Ceph operators share",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};
