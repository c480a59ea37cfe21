/* sim.h - discrete-event simulation of clients, librbd's caches and a Ceph backend.
 *
 * Time is virtual nanoseconds from 0. Clients issue operations by a program of steps; each opened
 * image (a handle of librbd) answers them through its cache model; the model sends backend
 * operations to K servers with one FIFO, and log operations to the image's cache device. Service
 * times are drawn from tables (sim_service.h). The same configuration and seed give the same bytes.
 * Pure: no I/O, no clock, no globals. sim_run() allocates at its start, within SIM_MAX_BYTES, and
 * never while events are handled.
 *
 * How a cache model is added: policies/sim_NAME.c with one const struct sim_model_ops; one extern
 * below and one row in policies/sim_table.c; constants in policies/sim_constants.h with what they
 * come from; a hand-worked trace in tests/policies/test_sim_NAME.c. What a model may do is in
 * policies/sim_model.h.
 */
#ifndef SSDQUAL_POLICIES_SIM_H
#define SSDQUAL_POLICIES_SIM_H

#include "data/err.h"
#include "data/hist.h"
#include "policies/settings.h"
#include "policies/sim_service.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_model_ops;
struct sim_gate_ops; /* policies/sim_model.h: what stands in front of the models */

/* -- what the clients do ---------------------------------------------------------------------- */

enum sim_step_kind { SIM_STEP_WRITE, SIM_STEP_FLUSH, SIM_STEP_READ, SIM_STEP_THINK };

/* One step of a stream's program; the program starts again after its last step. Operations of a
 * step are issued @width at a time, and the step ends when all of them are answered. */
struct sim_step {
	enum sim_step_kind kind;
	uint32_t bytes;    /* of each operation (write, read) */
	uint32_t count;    /* operations; 0 is 1 */
	uint32_t width;    /* at once; 0 is 1 */
	bool journal;      /* writes: to the client's journal, one after the other, not to its span */
	uint64_t think_ns; /* SIM_STEP_THINK */
};
#define SIM_STEPS_MAX 16

enum sim_pattern {
	SIM_SEQUENTIAL, /* one after the other through the span, then from its start */
	SIM_RANDOM,     /* uniform, with repetition */
	SIM_SHUFFLED,   /* every block once a lap, in a new order each lap (fio's random map) */
};

struct sim_client {
	unsigned image;            /* index in sim_config.image */
	struct sim_step step[SIM_STEPS_MAX];
	unsigned steps;
	unsigned depth;            /* streams that run the program side by side, >= 1 */
	enum sim_pattern pattern;  /* shared by the streams of the client */
	uint64_t start_bytes, span_bytes; /* where on the image; span >= the largest operation */
	uint64_t journal_bytes;    /* behind the span, in objects of its own, from its start again when
	                            * its end is reached; 0: no step writes one */
	double hot_share;          /* share of the writes that go to the first hot_bytes (0: none) */
	uint64_t hot_bytes;
	double read_fraction;      /* share of the operations of a write step that are reads */
	uint64_t burst_ops;        /* after so many operations all streams wait for the rest to be
	                            * answered, then burst_gap_ns (0: no bursts) */
	uint64_t burst_gap_ns;
	bool lap_drain;            /* SIM_SHUFFLED: after each lap the client's thread stands still
	                            * until the cache is empty (fio, time_based: it calls
	                            * rbd_invalidate_cache() with the queue still full); the run
	                            * lasts until the last of them is over */
	uint64_t hasty_ns;         /* so long, at first, it does not think and its syncs are not recorded: what
	                            * a run of the same client just before leaves behind */
	uint64_t submit_ns;        /* the client's own thread, one operation after the other */
};

/* -- what answers ----------------------------------------------------------------------------- */

struct sim_image {
	const struct sim_model_ops *model;
	struct cache_settings set;  /* policies/settings.h */
	unsigned shared;            /* handles with the same number are one RBD image */
	unsigned refresh_reads;     /* k: round trips of a refresh; 0: the default of sim_constants.h */
	bool no_lock;               /* exclusive-lock is off: several handles write side by side */
	bool no_scheduler;          /* rbd_io_scheduler = none */
};

struct sim_config {
	uint64_t seed;
	uint64_t duration_ns;      /* streams start no further program or operation after it */
	uint64_t max_ops;          /* nor after so many client operations; 0: no limit */
	const struct sim_table *service; /* [SIM_SERVICE_COUNT] */
	unsigned servers;          /* K of the backend, >= 1 */
	unsigned log_servers;      /* of each cache device; 0: as many as asked for */
	const struct sim_gate_ops *gate; /* of all images; NULL: none */
	unsigned group_max;        /* of operations that the backend answers together when its queue
	                            * is deep; 0: each alone */
	double deep_gain;          /* share of a service time that a deep queue spares; 0: none */
	double stream_bps;         /* bytes a second of a backend write beyond 4 KiB; 0: no limit */
	const struct sim_image *image;
	unsigned images;
	const struct sim_client *client;
	unsigned clients;
	double hot_gap_ns;         /* hops cost c x (g / (g + this))^2, g: smoothed gap between the
	                            * operations of the image (busy threads do not sleep); 0: c */
	double line_ns;            /* of each backend operation, that the next one of the same image
	                            * waits for: a header read back to back; 0: not known */
	uint64_t rest_ns;          /* a write that comes so long after the last operation of its image at
	                            * the cluster is SIM_B_WRITE, an earlier one SIM_B_NEXT; 0: all are
	                            * SIM_B_WRITE */
	double chill;              /* how slowly the log's threads wake after a rest: SIM_PWL_CHILL of
	                            * the measured machine, 0 where it is not known */
	/* Pauses of the whole machine (client, librbd, log and backend at once): so many a second of
	 * virtual time, of lengths drawn from service[SIM_T_PAUSE]. Nothing gains on anything in
	 * them; latencies, seconds and rates include them. 0: none. */
	double pauses;
	bool check_events;         /* conservation after every event, not only at the end (tests) */
	/* Called for every answered client operation, in order; NULL: none. For traces in tests. */
	void (*trace)(void *arg, unsigned client, unsigned stream, char kind, uint64_t issued_ns,
		uint64_t answered_ns);
	void *trace_arg;
};
#define SIM_MAX_BYTES ((size_t)512 << 20)
#define SIM_IMAGES_MAX 4096u

/* -- what comes out --------------------------------------------------------------------------- */

enum sim_counter {
	SIM_COUNT_NOTIFIES,      /* header updates seen */
	SIM_COUNT_REFRESHES,     /* image refreshes */
	SIM_COUNT_META_WRITES,
	SIM_COUNT_ABSORBED,      /* writes that overwrote dirty data */
	SIM_COUNT_MERGED,        /* writes that the scheduler joined to another */
	SIM_COUNT_HELD,          /* writes that the scheduler held back */
	SIM_COUNT_BLOCKED,       /* writes that waited for room, or for an overlapping one */
	SIM_COUNT_LOG_APPENDS,
	SIM_COUNT_ROOT_WRITES,
	SIM_COUNT_RETIRED,       /* log entries */
	SIM_COUNT_LOCK_MOVES,
	SIM_COUNT_READ_HITS,
	SIM_COUNT_COUNT
};

/* Where the operations' time went, summed; the rest is the client's hops. */
enum sim_place { SIM_AT_CLIENT, SIM_AT_LOG, SIM_AT_ROOT, SIM_AT_REFRESH, SIM_AT_LOCK,
	SIM_AT_BACKEND, SIM_AT_QUEUE, SIM_AT_FULL, SIM_PLACE_COUNT };
const char *sim_place_word(enum sim_place p);

struct sim_result {
	struct hist write, flush, read;
	struct hist pair;          /* first write after a flush, to the end of the next flush */
	struct hist sync;          /* a whole program without its thinking: the guest's sync */
	uint64_t ops, writes, reads, flushes; /* answered by the end of the issue time */
	double iops;               /* writes and reads a second of the issue time */
	uint64_t issue_ns;         /* length of the issue time */
	uint64_t end_ns;           /* when the last event was over: everything is in the cluster */
	uint32_t *second;          /* [seconds] writes and reads answered in each second */
	unsigned seconds;
	uint64_t stall_ns, stall_at_ns;  /* longest time without an answer while one was awaited */
	uint64_t first_stall_at_ns;      /* start of the first of >= SIM_STALL_NS; UINT64_MAX: none */
	uint64_t first_stall_ns;
	uint64_t counter[SIM_COUNT_COUNT];
	uint64_t served[SIM_SERVICE_COUNT];
	double spent_ns[SIM_PLACE_COUNT];
	double backend_busy_ns, backend_queue_ns; /* of all operations there: served, waiting for a server */
	uint64_t events;
	/* Conservation. Every client write byte is accepted once and then committed or absorbed. */
	uint64_t issued, answered, answered_twice;
	uint64_t accepted_bytes, committed_bytes, absorbed_bytes;
	uint64_t held_bytes;       /* still in a cache at the end: 0 */
	uint64_t issue_held_bytes, issue_occupied_bytes; /* in all caches as the issue time ends */
	uint64_t full_bytes;       /* most bytes a cache held at once (dirty, in flight, reserved) */
};
#define SIM_STALL_NS UINT64_C(1000000000)
/* Nothing answered for so long while something is under way is a deadlock of a model: -EPROTO. */
#define SIM_SILENCE_NS (UINT64_C(24) * 3600 * 1000000000)

/* sim_run - simulate @c. The issue time ends at duration_ns or max_ops; then every cache is told
 * to write what it holds (a flush that no latency counts), and the run goes on until it is empty.
 * Returns 0 and @ret (release with sim_result_free()); -EINVAL, ERR_INTERNAL where the
 * configuration makes no sense; -E2BIG, ERR_INPUT where it needs more than SIM_MAX_BYTES; -ENOMEM;
 * -EPROTO, ERR_INTERNAL where conservation broke or operations were never answered: a model's bug,
 * never a result. */
int sim_run(const struct sim_config *c, struct sim_result **ret, struct err *reterr);
void sim_result_free(struct sim_result *r); /* NULL allowed */

extern const struct sim_model_ops *const sim_model_table[]; /* NULL-terminated */
const struct sim_model_ops *sim_model_of(enum cache_mode mode); /* NULL: none simulates it */

extern const struct sim_model_ops sim_none, sim_writethrough, sim_writeback, sim_writearound,
	sim_pwl_ssd;

#endif
