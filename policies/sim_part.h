/* sim_part.h - the inside of the simulator's core, shared by its own files alone (sim.c,
 * sim_client.c, sim_backend.c, sim_sched.c). Models include policies/sim_model.h.
 */
#ifndef SSDQUAL_POLICIES_SIM_PART_H
#define SSDQUAL_POLICIES_SIM_PART_H

#include "policies/sim_model.h"

/* Kinds of events below SIM_EV_MODEL are the core's. */
enum sim_ev {
	SIM_EV_JOB,     /* arg: job number */
	SIM_EV_ACK,     /* arg: operation number */
	SIM_EV_ARRIVE,  /* arg: operation number */
	SIM_EV_STREAM,  /* arg: stream number: its pause is over */
	SIM_EV_CLIENT,  /* arg: client number: the gap between bursts is over */
	SIM_EV_MODEL = 64,
};

enum sim_target { SIM_TO_MODEL, SIM_TO_SCHED, SIM_TO_GATE, SIM_TO_ENTER };

/* One operation at a station; or something that waits for librbd's threads: a completion, or (with
 * SIM_TO_ENTER) a client operation, whose number is the cookie. */
struct sim_job {
	struct sim_job *next;
	uint64_t bytes, cookie;
	uint16_t image;
	uint8_t service, target;
};

struct sim_jobs {
	struct sim_job *head, *tail;
};

static inline void sim_jobs_push(struct sim_jobs *l, struct sim_job *j)
{
	j->next = NULL;
	if (l->tail)
		l->tail->next = j;
	else
		l->head = j;
	l->tail = j;
}

static inline struct sim_job *sim_jobs_pop(struct sim_jobs *l)
{
	struct sim_job *j = l->head;

	if (j) {
		l->head = j->next;
		if (!l->head)
			l->tail = NULL;
	}
	return j;
}

/* K servers and the FIFO before them. */
struct sim_station {
	uint32_t servers, busy, queued, finished;
	double waited_ns; /* sum over those that were served: when they started less when they came */
	struct sim_jobs waiting, ready; /* ready: over, and answered with the rest of their group */
};

/* A write under way below the caches, and the run of merged ones that it belongs to. */
struct sim_member {
	struct sim_member *next;
	uint64_t cookie, bytes;
};

struct sim_extent {
	struct sim_extent *next; /* of the object, by offset; of the free list */
	uint64_t offset, bytes;
	struct sim_member *members;
	uint32_t object;
	enum sim_service service;
	uint32_t seq;            /* of the leader; 0: it was held back before */
};

struct sim_object {
	struct sim_extent *held; /* waiting for the leader, ascending, not touching each other */
	uint32_t leader;         /* seq of the write under way that the held ones wait for; 0: none */
};

struct sim_sched {
	struct sim_object *object;
	uint32_t objects, seq, held; /* held: extents of all objects */
};

/* librados' objecter of one opened image, and the threads that hand operations to it: two run
 * completions, one takes the clients' operations, and the others (a cache's flusher, which holds
 * the cache's lock) block all of those. */
enum sim_threads { SIM_THREAD_CLIENT = 2, SIM_THREAD_OTHER, SIM_THREADS };
struct sim_objecter {
	struct sim_jobs unsent[SIM_THREADS]; /* each thread stands at its first one */
	struct sim_jobs over;    /* completions that nobody looks at meanwhile */
	struct sim_jobs ops;     /* client operations, likewise */
	uint32_t under_way, waiting; /* waiting: in the lists above */
	uint64_t bytes;
	uint64_t last_ns;        /* when the last one was over */
	unsigned thread, turn;   /* thread: whose code runs now */
	bool locked;             /* it holds the cache's lock */
};

struct sim_stream {
	uint32_t client, step, left;
	uint32_t pair_open, sync_open;
	uint32_t under_way;        /* not beside `left`: read as one word it would wait for its store */
	uint64_t pair_ns, sync_ns; /* starts */
	uint64_t pause_ns;         /* slept just before: the next operation starts cold */
	struct sim_stream *parked; /* next one that waits for the burst's gap */
	bool ended;
};

struct sim_client_state {
	struct sim_thread thread;
	struct sim_rng rng;
	uint64_t next_offset, journal_offset, lap, index, blocks;
	uint64_t span_blocks;       /* of operations of span_of bytes */
	uint32_t span_of;
	uint64_t key[4];
	uint64_t burst_left;
	uint32_t under_way;
	struct sim_stream *parked;
	bool resting, waking;
	struct sim_op *unseen;      /* answered while the thread stood still, latest first */
	struct sim_stream *stopped; /* would have issued meanwhile */
	bool draining, drained;     /* drained: at this lap's end already */
	bool flushes; /* its program has a flush: pairs and syncs are counted */
};

struct sim {
	const struct sim_config *cfg;
	struct sim_result *res;
	struct sim_queue q;
	uint64_t now_ns;                     /* without pauses */
	uint64_t paused_ns, next_pause_ns;   /* pauses until now; the next one: 0: not drawn yet,
	                                      * UINT64_MAX: none comes */
	struct sim_handle *handle;
	struct sim_station backend, *log;    /* log: [images] */
	struct sim_job *job, *free_job;
	struct sim_member *free_member;
	struct sim_extent *extent, *free_extent;
	struct sim_op *op, *free_op;
	struct sim_stream *stream;
	struct sim_client_state *client;
	struct sim_rng rng[SIM_SERVICE_COUNT];
	const struct sim_gate_ops *gate;
	uint32_t streams, live_streams, under_way; /* under_way: client operations */
	uint64_t progress_ns;                /* last answer, or when waiting began */
	uint64_t drain_end_ns;
	uint64_t last_answer_ns;             /* of a client's operation */
	bool closing;
	const char *broken;                  /* the first bug found */
	void **memory;                       /* everything allocated */
	unsigned blocks, blocks_max;
	size_t bytes;
};

#define SIM_OBJECT_BYTES (UINT64_C(4) << 20)

static inline uint64_t sim_span_end(const struct sim_client *c)
{
	return c->start_bytes + (c->hot_bytes > c->span_bytes ? c->hot_bytes : c->span_bytes);
}

static inline uint64_t sim_journal_start(const struct sim_client *c)
{
	return (sim_span_end(c) + SIM_OBJECT_BYTES - 1) / SIM_OBJECT_BYTES * SIM_OBJECT_BYTES;
}

static inline uint64_t sim_wall(const struct sim *s)
{
	return s->now_ns + s->paused_ns;
}

/* sim_setup.c */
int sim_setup(struct sim *s, struct err *reterr);
void sim_teardown(struct sim *s);
void *sim_take(struct sim *s, size_t count, size_t size); /* zeroed; NULL: none left */

/* sim_backend.c */
void sim_station_submit(struct sim *s, struct sim_job *j);
void sim_job_over(struct sim *s, uint64_t number);

/* sim_objecter.c */
void sim_objecter_submit(struct sim_handle *h, enum sim_service service, uint64_t bytes,
	uint64_t cookie, enum sim_target target);
void sim_objecter_over(struct sim_handle *h, struct sim_job *j); /* takes @j */
/* sim_objecter_enter - @op into the model, as soon as one of librbd's threads is free. */
void sim_objecter_enter(struct sim_handle *h, struct sim_op *op);

/* sim_sched.c */
int sim_sched_init(struct sim *s, struct sim_handle *h);
void sim_sched_over(struct sim_handle *h, uint64_t cookie);

/* sim_client.c */
void sim_clients_start(struct sim *s);
void sim_stream_wake(struct sim *s, struct sim_stream *st);
void sim_client_wake(struct sim *s, uint32_t client);
void sim_client_answered(struct sim *s, struct sim_op *op);
void sim_arrive(struct sim *s, struct sim_op *op);
void sim_enter_now(struct sim_handle *h, struct sim_op *op);

/* sim_shuffle.c */
uint64_t sim_shuffle(uint64_t index, uint64_t n, const uint64_t key[4]);

#endif
