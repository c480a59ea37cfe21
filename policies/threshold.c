/* threshold.c - the table of thresholds. */
#include "policies/threshold.h"

const struct threshold threshold_table[THRESHOLD_COUNT] = {
	[THRESHOLD_GAIN] = {
		.name = "gain",
		.text = "a setting that meets its SLO is changed for a gain above this share only",
		.source = "chosen: repetitions of one cell differ by up to 20 % on a small cluster",
		.value = 0.20,
	},
	[THRESHOLD_SAME] = {
		.name = "same",
		.text = "predictions this close count as equal; the smaller cache is taken",
		.source = "chosen: below the resolution of the closed forms",
		.value = 0.05,
	},
	[THRESHOLD_PERTURB] = {
		.name = "perturb",
		.text = "backend, refresh, pause and size are moved by this share, up and down",
		.source = "chosen: the spread of medians between runs, and some more",
		.value = 0.30,
	},
	[THRESHOLD_STALL_S] = {
		.name = "stall",
		.text = "seconds without any completion that break a latency SLO of any percentile",
		.source = "chosen: an etcd election timeout is 1 s by default",
		.value = 1,
	},
	[THRESHOLD_PWL_MIN_BYTES] = {
		.name = "pwl-min",
		.text = "bytes of the smallest persistent log",
		.source = "ceph src/librbd/cache/pwl/Types.h: MIN_POOL_SIZE",
		.value = 1073741824.0,
	},
	[THRESHOLD_ETCD_SYNC_NS] = {
		.name = "etcd-sync",
		.text = "ns below which 99 % of the log's fdatasync calls must stay",
		.source = "etcd documentation, hardware and FAQ: 99th percentile of the WAL fsync "
			  "below 10 ms",
		.value = 10e6,
	},
	[THRESHOLD_TAIL_SAMPLES] = {
		.name = "tail-samples",
		.text = "syncs that a 99th percentile needs at least",
		.source = "nearest rank: below 100 samples p99 is the maximum",
		.value = 100,
	},
};

double threshold(enum threshold_id id)
{
	return threshold_table[id].value;
}
