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
		.source = "chosen: below the resolution of the models",
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
	[THRESHOLD_CACHE_SAME] = {
		.name = "write-cache-same",
		.text = "a row that differs less between cache on and off is no difference where "
			"it was measured once in each state; a row that loses more speaks for "
			"keeping the cache on",
		.source = "chosen: rows of 60 s on an idle drive repeat within a few percent",
		.value = 0.05,
	},
	[THRESHOLD_CACHE_LEAST] = {
		.name = "write-cache-least",
		.text = "a gain below this is not told from drift, however well the repetitions "
			"agree",
		.source = "chosen: two repetitions in each state underestimate the spread",
		.value = 0.02,
	},
	[THRESHOLD_COMMIT_LOW_NS] = {
		.name = "commit-low",
		.text = "ns of a fast replicated write, beside which a saving is shown",
		.source = "chosen: replicated 4 KiB writes of flash clusters take 1 to 2 ms",
		.value = 1e6,
	},
	[THRESHOLD_COMMIT_HIGH_NS] = {
		.name = "commit-high",
		.text = "ns of a usual replicated write, beside which a saving is shown",
		.source = "chosen: replicated 4 KiB writes of flash clusters take 1 to 2 ms",
		.value = 2e6,
	},
	[THRESHOLD_SYNC_FLOOR_NS] = {
		.name = "sync-floor",
		.text = "ns below which no drive makes 4 KiB durable without a protected buffer or "
			"a medium faster than flash",
		.source = "inferred: programming a NAND page alone takes longer in every mode",
		.value = 20e3,
	},
	[THRESHOLD_FLUSH_FLOOR_NS] = {
		.name = "flush-floor",
		.text = "ns below which a FLUSH cannot have been a command that the drive answered",
		.source = "inferred: one command over PCIe with its interrupt takes about as long",
		.value = 5e3,
	},
	[THRESHOLD_PLP_RATIO_YES] = {
		.name = "plp-ratio-yes",
		.text = "a durable write of at most so many unsynced ones speaks for protection",
		.source = "published figures: 1 to 2 on drives with capacitors (data/drives)",
		.value = 2,
	},
	[THRESHOLD_PLP_RATIO_NO] = {
		.name = "plp-ratio-no",
		.text = "a durable write of at least so many unsynced ones speaks against "
			"protection",
		.source = "published figures: 10 to 100 and more on client drives (data/drives)",
		.value = 10,
	},
	[THRESHOLD_FUA_RATIO_NO] = {
		.name = "fua-ratio-no",
		.text = "FLUSH slower than FUA by this: there is a cache to empty",
		.source = "inferred: FUA waits for one block, FLUSH for all of the cache",
		.value = 5,
	},
	[THRESHOLD_ROTATION_SEEK_NS] = {
		.name = "rotation-seek",
		.text = "ns of a median random read over the whole device that flash does not need",
		.source = "a turn of a 15000 rpm disk takes 4 ms: half of it is waited for on "
			"average",
		.value = 2e6,
	},
	[THRESHOLD_ROTATION_FLAT_NS] = {
		.name = "rotation-flat",
		.text = "ns of a median random read over the whole device that no disk reaches",
		.source = "half a turn of a 15000 rpm disk is 2 ms",
		.value = 1e6,
	},
	[THRESHOLD_ROTATION_GROWTH] = {
		.name = "rotation-growth",
		.text = "growth of the median from the smallest to the largest span that "
			"heads make",
		.source = "chosen: seeks over a whole disk take several times those within a few "
			"tracks",
		.value = 1.5,
	},
	[THRESHOLD_ROTATION_SPAN_BYTES] = {
		.name = "rotation-span",
		.text = "bytes of the largest span below which a cache can hold it all",
		.source = "chosen: no drive or controller of today has more memory for data",
		.value = 4294967296.0,
	},
	[THRESHOLD_FLAT] = {
		.name = "flat",
		.text = "change within the last third of a row up to which it was at rest",
		.source = "probes/session.h, SESSION_FLAT_CHANGE: the same figure",
		.value = 0.05,
	},
	[THRESHOLD_WINDOWS] = {
		.name = "windows",
		.text = "share by which the first and the last window of a row may differ",
		.source = "SNIA SSS Performance Test Specification: a steady state stays within 20 % "
			"of its average",
		.value = 0.20,
	},
	[THRESHOLD_CLASS_S] = {
		.name = "class-s",
		.text = "durable 4 KiB writes a second at depth 1: NVMe with protection, Optane",
		.source = "data/drives: where published figures of each kind of drive lie",
		.value = 20000,
	},
	[THRESHOLD_CLASS_A] = {
		.name = "class-a",
		.text = "durable 4 KiB writes a second at depth 1: SATA and SAS with protection",
		.source = "data/drives: where published figures of each kind of drive lie",
		.value = 5000,
	},
	[THRESHOLD_CLASS_B] = {
		.name = "class-b",
		.text = "durable 4 KiB writes a second at depth 1: protected and held back, or an "
			"unusual client drive",
		.source = "data/drives: where published figures of each kind of drive lie",
		.value = 2000,
	},
	[THRESHOLD_CLASS_C] = {
		.name = "class-c",
		.text = "durable 4 KiB writes a second at depth 1: client drives",
		.source = "data/drives: where published figures of each kind of drive lie",
		.value = 500,
	},
	[THRESHOLD_CLASS_D] = {
		.name = "class-d",
		.text = "durable 4 KiB writes a second at depth 1: slow client drives; "
			"below, disks",
		.source = "data/drives; a note that Ceph operators share: below 100 (10 ms) is bad",
		.value = 100,
	},
	[THRESHOLD_PWL_WRITE_NS] = {
		.name = "pwl-write",
		.text = "ns that 99 % of 4 KiB writes of a log device must stay below",
		.source = "chosen: the log must be faster than a replicated write, 1 to 2 ms",
		.value = 1e6,
	},
	[THRESHOLD_MON_SYNC_NS] = {
		.name = "mon-sync",
		.text = "ns below which 99 % of a monitor's commits must stay",
		.source = "chosen as for etcd: both commit small records by majority; Ceph "
			"publishes no figure",
		.value = 10e6,
	},
	[THRESHOLD_MCLOCK_LOW] = {
		.name = "mclock-low",
		.text = "IOPS below which Ceph does not believe a capacity of flash",
		.source = "ceph: osd_mclock_iops_capacity_low_threshold_ssd",
		.value = 1000,
	},
	[THRESHOLD_MCLOCK_HIGH] = {
		.name = "mclock-high",
		.text = "IOPS above which Ceph does not believe a capacity of flash",
		.source = "ceph: osd_mclock_iops_capacity_threshold_ssd",
		.value = 80000,
	},
	[THRESHOLD_WORN_OUT] = {
		.name = "worn-out",
		.text = "percent of the rated life at which a drive is to be replaced",
		.source = "chosen: what the makers rate ends at 0, and normalised attributes stop at 1",
		.value = 5,
	},
	[THRESHOLD_WEAR_HIGH] = {
		.name = "wear-high",
		.text = "percent of the rated life left at which a replacement is to be planned",
		.source = "chosen: at the writes so far a quarter of the time in service remains",
		.value = 20,
	},
	[THRESHOLD_PERF_NOTIFY] = {
		.name = "perf-notify",
		.text = "header notifies a write from which on the image is refreshed all the time",
		.source = "measured: 0.00 where the log never turns clean, 1.98 and 2.01 where it "
			  "always does",
		.value = 0.5,
	},
	[THRESHOLD_PERF_DEFERRED] = {
		.name = "perf-deferred",
		.text = "share of the writes that found no room in the log",
		.source = "chosen: none is deferred while there is room",
		.value = 0.01,
	},
	[THRESHOLD_PERF_BACKEND_NS] = {
		.name = "perf-backend",
		.text = "ns of a mean request, to the OSDs or to the log, that is called slow",
		.source = "chosen: more than twice a usual replicated write of flash, half of what "
			  "etcd bears",
		.value = 5e6,
	},
	[THRESHOLD_VERIFY_MEDIAN] = {
		.name = "verify-median",
		.text = "factor that a predicted median or rate may be off the measured one",
		.source = "chosen: repetitions of one measured cell differ by up to 20 %",
		.value = 1.3,
	},
	[THRESHOLD_VERIFY_TAIL] = {
		.name = "verify-tail",
		.text = "factor that a predicted p99 may be off the measured one",
		.source = "chosen: the p99 of 500 repeated pairs differs by 1.5 x",
		.value = 1.5,
	},
};

double threshold(enum threshold_id id)
{
	return threshold_table[id].value;
}
