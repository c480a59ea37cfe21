/* sim_pwl.h - the persistent write log in ssd mode: its state, shared by sim_pwl_*.c alone.
 *
 * The log is a ring of entries, numbered from 0: writes and sync points in the order in which they
 * were accepted. retired <= written-back <= persisted <= appended <= tail.
 *   front (sim_pwl_ssd.c)         refresh gate, barrier of a flush, space, generations
 *   log (sim_pwl_log.c)           appends in spans, the superblock, retiring
 *   writeback (sim_pwl_back.c)    generation after generation to the cluster; clean and dirty
 * Sources, all of ceph 18.2.7 (the same in 20.2.4): src/librbd/cache/pwl/Types.h (constants),
 * AbstractWriteLog.cc, Request.cc, ssd/WriteLog.cc. What each rule comes from stands at its code.
 * Left out: the split of a span at the ring's end (one more device write a lap), overlapping writes
 * that meet in the guard (with persist-on-flush they are let go at once), reads pinning entries,
 * the cap of four turns of process_work().
 */
#ifndef SSDQUAL_POLICIES_SIM_PWL_H
#define SSDQUAL_POLICIES_SIM_PWL_H

#include "policies/sim_constants.h"
#include "policies/sim_model.h"
#include "policies/sim_refresh.h"

#define PWL_BLOCK             4096u      /* MIN_WRITE_ALLOC_SSD_SIZE: unit, control block, root */
#define PWL_MIN_BYTES         1073741824.0 /* MIN_POOL_SIZE */
#define PWL_RESERVED          12288u     /* DATA_RING_BUFFER_OFFSET 8192, and one block less */
#define PWL_SPAN_ENTRIES      32u        /* CONTROL_BLOCK_MAX_LOG_ENTRIES */
#define PWL_SPAN_BYTES        (16u << 20) /* SPAN_MAX_DATA_LEN */
#define PWL_SYNC_WRITES       256u       /* MAX_WRITES_PER_SYNC_POINT; also an append's most ops */
#define PWL_SYNC_BYTES        (8u << 20) /* MAX_BYTES_PER_SYNC_POINT */
#define PWL_FLIGHT_WRITES     64u        /* IN_FLIGHT_FLUSH_WRITE_LIMIT, compared by <= */
#define PWL_FLIGHT_BYTES      (1u << 20) /* IN_FLIGHT_FLUSH_BYTES_LIMIT, before adding */
#define PWL_RETIRE_AT         0.50       /* RETIRE_HIGH_WATER */
#define PWL_RETIRE_HARD_AT    0.75       /* AGGRESSIVE_RETIRE_HIGH_WATER */
#define PWL_RETIRE_HARD       8u         /* MAX_ALLOC_PER_TRANSACTION */
#define PWL_RETIRE_SOFT       1u         /* MAX_FREE_PER_TRANSACTION */
#define PWL_STATS_NS          UINT64_C(5000000000) /* LOG_STATS_INTERVAL_SECONDS */
#define PWL_ENTRIES_MAX       (1u << 22) /* ours: memory; a fuller ring counts as full */
#define PWL_SPANS_MAX         (PWL_SYNC_WRITES / PWL_SPAN_ENTRIES + 2)
#define PWL_MAP_MAX           (1u << 20) /* ours: blocks remembered for reads */
#define PWL_ROOT_ITEMS        256u

enum { PWL_SYNC = 1, PWL_PERSISTED = 2, PWL_FLUSHED = 4, PWL_SEQUENCED = 8 };

struct pwl_entry {
	struct sim_op *op; /* persist-on-write: its write; of a sync point: the flushes, by next */
	uint64_t offset;
	uint32_t bytes, gen;
	uint32_t span;     /* number of the span that holds it; 0: none yet */
	uint32_t flags;
};

/* What the next superblock write ends: an append, or a retire. */
struct pwl_root_item {
	uint64_t first;  /* append: entry */
	uint32_t count;  /* append: entries; 0: a retire */
	uint64_t bytes;  /* retire: space that comes back */
	uint64_t since_ns; /* append: its spans are on the drive */
};

/* Entries read back together. */
struct pwl_batch {
	uint64_t first;
	uint32_t writes, left; /* left: reads of the drive still under way */
	uint32_t next;         /* of the free ones */
};

struct pwl_block { uint64_t block, entry1; }; /* entry1: 1 + its latest entry; 0: none */

struct pwl {
	struct sim_refresh refresh;
	/* front */
	struct sim_thread accept;     /* op_work_queue has one thread (rbd_op_threads) */
	bool on_flush;                /* persist-on-flush: since the first flush, for good */
	struct sim_op *barrier;       /* a flush that waits for the guard's cells */
	struct sim_op *drain;         /* an internal flush that waits for a clean log */
	uint32_t cells;               /* writes in the guard */
	struct sim_fifo awaiting;     /* behind the barrier */
	struct sim_fifo deferred;     /* for space */
	bool alloc_failed;
	/* space */
	uint64_t cap, allocated, held;
	/* ring */
	struct pwl_entry *ring;
	uint64_t ring_len, head, back, persisted, append, tail;
	uint32_t gen, gen_writes;     /* the open generation */
	uint64_t gen_bytes;
	uint64_t last_sync1;          /* 1 + the latest sync point; 0: none */
	uint32_t synced_gen;          /* generations below it have a persisted sync point */
	bool gen_persisted;           /* the open generation has a persisted write */
	uint32_t queued_syncs;        /* not yet appended */
	struct pwl_block *map;
	uint64_t map_mask;
	/* log */
	uint64_t busy_until;          /* its threads were last at work */
	double chill;                 /* factor on their hops */
	bool appending, appender_called;
	uint32_t append_count, spans_left, span;
	uint64_t append_first;
	bool root_busy;
	struct pwl_root_item root[PWL_ROOT_ITEMS];
	uint32_t root_first, root_in_flight, root_waiting;
	/* writeback */
	uint32_t flight;
	uint64_t flight_bytes;
	uint32_t flight_gen;          /* lowest in flight */
	struct pwl_batch batch[PWL_FLIGHT_WRITES + 2];
	uint32_t free_batch;
	bool work_called, clean, closing, empty;
};

/* Cookies: what a log operation belongs to. Header operations carry sim_refresh's own. */
enum { PWL_COOKIE_SPAN = 1, PWL_COOKIE_ROOT = 2, PWL_COOKIE_BATCH = 16 };
/* Timers. */
enum { PWL_EV_ENTER, PWL_EV_APPENDER, PWL_EV_APPENDED, PWL_EV_ROOT, PWL_EV_WORK, PWL_EV_READ_BACK,
	PWL_EV_FLUSHED, PWL_EV_STATS, PWL_EV_HIT };

static inline struct pwl_entry *pwl_entry(const struct pwl *p, uint64_t i)
{
	return &p->ring[i % p->ring_len];
}

static inline uint64_t pwl_round(uint64_t bytes)
{
	return (bytes + PWL_BLOCK - 1) / PWL_BLOCK * PWL_BLOCK;
}

/* pwl_hops - @n hand-overs from thread to thread, none of them hot: each goes to a pool of idle
 * threads. */
static inline uint64_t pwl_hops(struct sim_handle *h, unsigned n)
{
	uint64_t ns = 0;

	while (n--)
		ns += sim_draw(h, SIM_T_HOP);
	return ns;
}

/* pwl_log_hops - the same among the log's own threads, which are slow to wake after a rest. */
static inline uint64_t pwl_log_hops(struct sim_handle *h, const struct pwl *p, unsigned n)
{
	return (uint64_t)((double)pwl_hops(h, n) * p->chill);
}

/* sim_pwl_ssd.c */
void pwl_dispatch_deferred(struct sim_handle *h, struct pwl *p);
void pwl_cell_released(struct sim_handle *h, struct pwl *p);
void pwl_drained(struct sim_handle *h, struct pwl *p);

/* sim_pwl_log.c */
/* pwl_call_appender - an append job is queued on tp_pwl, once. */
void pwl_call_appender(struct sim_handle *h, struct pwl *p);
void pwl_appender(struct sim_handle *h, struct pwl *p);
void pwl_appended(struct sim_handle *h, struct pwl *p);
void pwl_root_written(struct sim_handle *h, struct pwl *p);
bool pwl_retire(struct sim_handle *h, struct pwl *p, unsigned least);

/* sim_pwl_back.c */
void pwl_wake(struct sim_handle *h, struct pwl *p);
void pwl_work(struct sim_handle *h, struct pwl *p);
void pwl_writeback(struct sim_handle *h, struct pwl *p);
void pwl_read_back(struct sim_handle *h, struct pwl *p, uint64_t batch);
void pwl_flushed(struct sim_handle *h, struct pwl *p, uint64_t entry);
void pwl_state_changed(struct sim_handle *h, struct pwl *p);

#endif
