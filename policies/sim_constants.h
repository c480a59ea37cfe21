/* sim_constants.h - constants of the simulator, each with where it comes from.
 *
 * Two kinds. From Ceph's source: facts. Fitted: on which cells of tests/measured, and what they
 * stand for; sim_fitted[] lists them for `make accuracy` and docs/simulator.md.
 */
#ifndef SSDQUAL_POLICIES_SIM_CONSTANTS_H
#define SSDQUAL_POLICIES_SIM_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>

/* -- from the source ---------------------------------------------------------------------------- */

/* Round trips of an image refresh: mutable metadata, parent, image metadata, pool metadata, group
 * (ceph 18.2.7 src/librbd/image/RefreshRequest.cc). */
#define SIM_REFRESH_READS 5u

/* librados: objecter_inflight_ops, objecter_inflight_op_bytes (defaults of 18.2.7 and 20.2.4). */
#define SIM_OBJECTER_OPS   1024u
#define SIM_OBJECTER_BYTES (UINT64_C(100) << 20)

/* -- fitted; rows of sim_fitted[] in sim_table.c ----------------------------------------------------- */

#define SIM_COLD_NS      150e3 /* first operation after a long pause, in the client */
#define SIM_COLD_HALF_NS 300e3 /* pause after which half of it is paid: x p / (p + this) */
#define SIM_AWAKE_SHARE  1.0   /* of a wake-up, that a write spares whose client stays awake */
#define SIM_AWAKE_NEXT   0.7   /* the same, of a write soon after another one */
#define SIM_AWAKE_ASSUMED 0.2  /* of a write, where no wake-up was measured */
#define SIM_HOT_GAP_NS   180e3 /* sim_config.hot_gap_ns */
#define SIM_WORK_NS      17e3  /* librbd's thread, for one operation that a cache answers */
#define SIM_HEAD_NS      18e3  /* ObjectCacher, for a buffer head that was not there */
#define SIM_CPU_P99      4.0   /* of the client's own steps, in their medians */
#define SIM_CPU_P999     25.0
#define SIM_GROUP_SHARE  3     /* queued operations for each one more in a group */
#define SIM_GROUP_MAX    128   /* sim_config.group_max */
#define SIM_DEEP_GAIN    0.2   /* sim_config.deep_gain */
#define SIM_DEEP_HALF    100.0 /* queued operations at which half of it is spared */
#define SIM_STREAM_BPS   80e6  /* sim_config.stream_bps */
#define SIM_SUBMIT_NS    12e3  /* a load generator's thread, for one operation */
#define SIM_HOP_NS       50e3  /* c where no flush was measured */

/* -- the core's own ------------------------------------------------------------------------------- */

/* Smoothing of the gap between operations (sim_config.hot_gap_ns): the last eight or so. */
#define SIM_GAP_SMOOTH 8

/* ObjectCacher's flusher wakes each second (ObjectCacher.cc, flusher_entry). */
#define SIM_OC_FLUSHER_NS UINT64_C(1000000000)
/* Hops of a write-through write and of a flush that had something to write: client to librbd,
 * cache to dispatch, commit to the cache's finisher, finisher to client. */
#define SIM_OC_THROUGH_HOPS 4
#define SIM_OC_FLUSH_HOPS 4

/* Hops of the persistent log, whole hops (not the hot ones). Fitted together on the flush median of
 * pair8000-think0-pwl-ssd (0.70 ms) less two writes of the drive; how they share it, on the perf
 * counters of the same load: op_app_to_appc 305 us, op_app_to_cmp 622 us, aio_flush_lat 755 us. */
#define SIM_PWL_ACCEPT_HOPS   1u /* these two are hot where operations follow each other closely */
#define SIM_PWL_ACK_HOPS      1u
#define SIM_PWL_APPENDER_HOPS 1u /* tp_pwl picks the append up */
#define SIM_PWL_APPEND_HOPS   4u /* submit, the device's thread, two contexts */
#define SIM_PWL_ROOT_HOPS     4u
#define SIM_PWL_WAKE_HOPS     1u /* process_work on tp_pwl */
#define SIM_PWL_READ_HOPS     1u /* read back -> op_work_queue */
#define SIM_PWL_WRITTEN_HOPS  2u /* the aio_flush below, and its callback */

/* Spread of a hop (sigma of its logarithm). Fitted: p99 / p50 of the flush of pair*-think0-pwl-ssd,
 * which is a dozen hops. */
#define SIM_HOP_SIGMA 0.8

/* Where no metadata write was measured it is taken as a write, but not as faster than so many
 * metadata reads: the class method reads the key first, and the change is committed on all replicas
 * besides. Measured in refresh/: a plain write at once after an operation (1.6 ms below librbd),
 * against a fifth of the stall (0.53 ms). The floor matters where a write was taken apart from a
 * guest's sync. */
#define SIM_META_WRITE_READS 3.0

/* Until the own watch callback of a notify has run, in metadata reads. Fitted: the share of flushes
 * of pair2300-think5000-pwl-ssd that meet a refresh (a fifth), which is a race of the last notify
 * with the next write. */
#define SIM_NOTIFY_READS 0.5

/* A thread that sleeps wakes up so much later. Measured: runs of pair*-think* lasted 6, 8 or 12 s;
 * what is missing to that, a pair (130 to 230 us; 50 us are Linux' timer slack). */
#define SIM_SLEEP_LATE_NS 150e3

/* Hops of the log's own threads after they were idle for longer than SIM_PWL_IDLE_NS: 1 +
 * sim_config.chill x log2(idle / SIM_PWL_IDLE_NS). Fitted: flush p50 of pair8000-think10000-pwl-ssd
 * against -think3000 (perf counter aio_flush_lat: 1109 against 757 us). */
#define SIM_PWL_IDLE_NS 4e6
#define SIM_PWL_CHILL   0.55

/* Share of the operations, the slowest ones, that are slow because the whole machine paused; and
 * its least for times so short that pauses are rare among them. Fitted: p99 of pair8000-think0-pwl-ssd and -think200-pwl-ssd, which never meet the cluster. */
#define SIM_PAUSE_SHARE 0.018
#define SIM_PAUSE_SHARE_SHORT 0.005

/* librbd's thread for one operation that the log takes: one after the other. Fitted: clat of
 * rw4k-qd1-pwl-ssd at p50 (21 us, less two hot hops), p99 and p99.9; its mean is what limits
 * rw4k-qd32-pwl-ssd. */
#define SIM_LOG_WORK_NS      12e3
#define SIM_LOG_WORK_P99_NS  480e3
#define SIM_LOG_WORK_P999_NS 2.6e6

/* A guest's own time for one request of its disk, in software emulation. Fitted: guest/, xfs,
 * pwl-ssd, overwrite, against the pair on the host. */
#define SIM_GUEST_REQUEST_NS 700e3

struct sim_fitted {
	const char *name;
	double value;
	const char *unit;
	const char *meaning;
	const char *fitted_on;
};
extern const struct sim_fitted sim_fitted[]; /* .name NULL: the end */

#endif
