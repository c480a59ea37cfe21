/* sim_table.c - the cache models that are simulated, in display order; and the fitted constants. */
#include "policies/sim_constants.h"
#include "policies/sim_model.h"

const struct sim_model_ops *const sim_model_table[] = {
	&sim_none,
	&sim_writethrough,
	&sim_writeback,
	&sim_writearound,
	&sim_pwl_ssd,
	NULL,
};

const struct sim_model_ops *sim_model_of(enum cache_mode mode)
{
	for (unsigned i = 0; sim_model_table[i]; i++)
		if (sim_model_table[i]->mode == mode)
			return sim_model_table[i];
	return NULL;
}

const struct sim_fitted sim_fitted[] = {
#define ROW(name, unit, meaning, on) { #name, name, unit, meaning, on },
	ROW(SIM_COLD_NS, "ns", "first operation after a long pause, in the client",
		"write p50 of pair*-writearound at pauses of 0.2 to 10 ms")
	ROW(SIM_COLD_HALF_NS, "ns", "pause after which half of it is paid", "the same")
	ROW(SIM_AWAKE_SHARE, "", "share of a wake-up that a write spares whose client stays awake",
		"pair p50 of pair*-writearound against pair*-none")
	ROW(SIM_AWAKE_NEXT, "", "the same, of a write soon after another one: a writeback, a guest's next",
		"p50 of guest/ with a pause, pwl-ssd: 0.55 to 0.85 tell XFS and ext4 apart")
	ROW(SIM_AWAKE_ASSUMED, "", "a wake-up, in writes, where no header reads were measured",
		"pair p50 of pair*-writearound against pair*-none")
	ROW(SIM_HOT_GAP_NS, "ns", "gap between operations at which hops cost a quarter",
		"write p50 of rw4k-qd1-* and of pair8000-think0-*")
	ROW(SIM_WORK_NS, "ns", "librbd's thread, one operation that a cache answers",
		"write p50 of hot16m-*, burst4000-*-writearound")
	ROW(SIM_HEAD_NS, "ns", "ObjectCacher, a buffer head that was not there",
		"write p50 of burst4000-*-writeback, rw4k-qd32-writeback")
	ROW(SIM_CPU_P99, "", "p99 of the client's own steps, in their medians",
		"write p99 of pair*-writearound, pair*-writeback")
	ROW(SIM_CPU_P999, "", "p99.9 of the same", "the same")
	ROW(SIM_GROUP_SHARE, "", "queued backend operations for each one more that is answered at once",
		"write p99 of burst4000-*, hot16m-*, rw4k-qd32-*")
	ROW(SIM_GROUP_MAX, "", "most that are answered at once", "the same")
	ROW(SIM_DEEP_GAIN, "", "share of a backend service time that a deep queue spares",
		"IOPS of rw4k-qd*-writearound, rw4k-qd32-writeback")
	ROW(SIM_DEEP_HALF, "", "queued operations at which half of it is spared", "the same")
	ROW(SIM_STREAM_BPS, "B/s", "one backend write beyond its first 4 KiB",
		"IOPS of hot16m-*-writeback, whose laps end with a flush of the whole set")
	ROW(SIM_SUBMIT_NS, "ns", "a load generator's thread, one operation",
		"fio's submission latency in the same cells")
	ROW(SIM_HOP_NS, "ns", "a hand-over between threads where no flush was measured",
		"flush p50 of pair*-none")
	ROW(SIM_PWL_APPEND_HOPS, "", "hops of an append; with SIM_PWL_ROOT_HOPS and five single ones",
		"flush p50 of pair8000-think0-pwl-ssd, perf counters of the same load")
	ROW(SIM_PWL_ROOT_HOPS, "", "hops of a superblock write", "the same")
	ROW(SIM_PWL_IDLE_NS, "ns", "rest after which the log's threads wake slowly",
		"flush p50 of pair8000-think10000-pwl-ssd against -think3000")
	ROW(SIM_PWL_CHILL, "", "how much a doubling of that rest adds to their hops", "the same")
	ROW(SIM_LOG_WORK_NS, "ns", "librbd's thread, one operation that the log takes (p50)",
		"clat of rw4k-qd1-pwl-ssd, rate of rw4k-qd32-pwl-ssd until its first lap")
	ROW(SIM_LOG_WORK_P99_NS, "ns", "the same, p99", "the same")
	ROW(SIM_LOG_WORK_P999_NS, "ns", "the same, p99.9", "the same")
	ROW(SIM_NOTIFY_READS, "", "a notify until the own callback, in metadata reads",
		"share of flushes of pair2300-think5000-pwl-ssd that meet a refresh")
	ROW(SIM_PAUSE_SHARE, "", "slowest operations, slow because the machine paused",
		"p99 of pair8000-think0-pwl-ssd and -think200; the rate of >2 ms of all pairs agrees")
	ROW(SIM_PAUSE_SHARE_SHORT, "", "the same of operations below a millisecond", "the same")
	ROW(SIM_SLEEP_LATE_NS, "ns", "a sleeping thread wakes so much later",
		"length of the pair*-think* runs: measured, not fitted")
	ROW(SIM_META_WRITE_READS, "", "least metadata write in metadata reads, where none was measured",
		"refresh/")
	ROW(SIM_HOP_SIGMA, "", "spread of a hop where no flush was measured",
		"p99 / p50 of the flush of pair*-think0-pwl-ssd")
	ROW(SIM_GUEST_REQUEST_NS, "ns", "an emulated guest's own time for a request",
		"guest/: xfs, pwl-ssd, overwrite, against the pair on the host")
	{ NULL, 0, NULL, NULL, NULL },
};
