/* battery_etcd.c - what etcd's write-ahead log does to a folder, and what the usual fio recipe
 * does.
 *
 * etcd appends records to a 64 MiB file that it has allocated before, calls fdatasync after each
 * batch, and goes on to the next file when one is full: it never overwrites. fio's recipe goes
 * round one 100 MiB file, so all laps but the first overwrite, which spares the file system's
 * journal commits and can be several times faster. The laps are kept apart, since their mix is
 * neither.
 * Source: etcd, server/storage/wal (SegmentSizeBytes, Preallocate with extension, cut); the fio
 * recipes of etcd's operators (2300 and 8000 bytes, fdatasync=1).
 */
#include "probes/battery.h"

#define COMMON                                                                                     \
	.on = ROW_ON_DIR, .engine = "sync", .rw = RW_WRITE, .iodepth = 1, .fdatasync = 1,          \
	.runtime_s = 60

static const struct battery_row rows[] = {
	{ COMMON, .key = "etcd-2300", .label = "etcd log, 2300 B",
	  .kind = ROW_SEGMENTS, .bs = 2300 },
	{ COMMON, .key = "etcd-8000", .label = "etcd log, 8000 B",
	  .kind = ROW_SEGMENTS, .bs = 8000 },
	{ COMMON, .key = "fio-8000-first-lap", .label = "fio 8000 B, first lap",
	  .kind = ROW_FIRST_LAP, .bs = 8000, .size = 100 << 20 },
	{ COMMON, .key = "fio-8000-overwrite", .label = "fio 8000 B, overwrite",
	  .kind = ROW_OVERWRITE, .bs = 8000, .size = 100 << 20 },
};

extern const struct battery battery_etcd;
const struct battery battery_etcd = {
	.name = "etcd",
	.summary = "buffered appends with fdatasync, as etcd's log and as fio's recipe do them",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};
