/* battery_rotation.c - random reads over a growing span: does the drive seek?
 *
 * Heads move further as the span grows: a disk's median goes from a turn or less within a few
 * tracks (or from its own cache, which holds the smallest spans) to a third of the stroke and half
 * a turn over all of it. Flash takes the same time everywhere. Depth 1, so that nothing is
 * reordered. Blocks that were never written may be answered without the medium: --fill writes them
 * first. Spans larger than the target are left out; span-all is the whole of it.
 */
#include "probes/battery.h"

#define COMMON .on = ROW_ON_BLOCK, .engine = "libaio", .direct = true, .rw = RW_RANDREAD, \
	.bs = 4096, .iodepth = 1, .runtime_s = 5

#define MIB ((uint64_t)1 << 20)

static const struct battery_row rows[] = {
	{ COMMON, .key = "span-16m", .label = "Random read in 16 MiB", .size = 16 * MIB },
	{ COMMON, .key = "span-256m", .label = "Random read in 256 MiB", .size = 256 * MIB },
	{ COMMON, .key = "span-4g", .label = "Random read in 4 GiB", .size = 4096 * MIB },
	{ COMMON, .key = "span-64g", .label = "Random read in 64 GiB", .size = 65536 * MIB },
	{ COMMON, .key = "span-all", .label = "Random read everywhere" },
};

extern const struct battery battery_rotation;
const struct battery battery_rotation = {
	.name = "rotation",
	.summary = "random reads over a growing span: the signature of seeks",
	.rows = rows,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};
