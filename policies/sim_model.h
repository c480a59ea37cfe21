/* sim_model.h - the contract between the simulator's core and a cache model; and its inner state.
 *
 * A model is one const struct sim_model_ops; each opened image has a zeroed state of state_size.
 * Life of an operation: the client issues it; after its own thread's time (and the gate, where the
 * image has one) the core calls write(), flush() or read() with it. The model keeps the pointer or
 * not, and answers exactly once with sim_ack(). Operations live in a pool of the core and are gone
 * once answered.
 * Calls out of a model: sim_submit() for backend and log operations (done() is called when one is
 * over), sim_data_write() for writes of image data below the caches, which go through librbd's
 * scheduler (written() is called for each), sim_after() for own timers (event()).
 * No hook is ever called from inside sim_ack(), sim_submit(), sim_data_write() or sim_after(): they
 * all take effect through the event queue; so a hook may walk its lists while it answers.
 */
#ifndef SSDQUAL_POLICIES_SIM_MODEL_H
#define SSDQUAL_POLICIES_SIM_MODEL_H

#include "policies/sim.h"
#include "policies/sim_queue.h"

struct sim;

enum sim_op_kind { SIM_OP_WRITE, SIM_OP_FLUSH, SIM_OP_READ, SIM_OP_DRAIN };

struct sim_op {
	enum sim_op_kind kind;
	uint32_t bytes;
	uint64_t offset;
	uint64_t issued_ns;
	uint64_t wall_ns;     /* the same with pauses */
	uint32_t stream;      /* global number; UINT32_MAX: the core's closing flush */
	uint32_t client;
	struct sim_op *next;  /* the model's, while it holds the operation; the core's otherwise */
	uint64_t a, b;        /* the model's; 0 on arrival */
	bool answered;
};

/* A FIFO of operations, through their `next`. */
struct sim_fifo {
	struct sim_op *head, *tail;
	uint32_t len;
};

static inline void sim_fifo_push(struct sim_fifo *f, struct sim_op *op)
{
	op->next = NULL;
	if (f->tail)
		f->tail->next = op;
	else
		f->head = op;
	f->tail = op;
	f->len++;
}

static inline struct sim_op *sim_fifo_pop(struct sim_fifo *f)
{
	struct sim_op *op = f->head;

	if (op) {
		f->head = op->next;
		if (!f->head)
			f->tail = NULL;
		f->len--;
	}
	return op;
}

/* A thread that does one thing after the other. sim_thread_take() queues @cost_ns of work on it
 * and returns when that will be over. */
struct sim_thread {
	uint64_t free_ns;
};
static inline uint64_t sim_thread_take(struct sim_thread *t, uint64_t now_ns, uint64_t cost_ns)
{
	t->free_ns = (t->free_ns > now_ns ? t->free_ns : now_ns) + cost_ns;
	return t->free_ns;
}

/* One opened image. */
struct sim_handle {
	struct sim *sim;
	const struct sim_image *cfg;
	unsigned index;
	void *state;           /* the model's */
	void *gate;            /* of what stands in front of the model; NULL: nothing */
	struct sim_sched *sched;
	struct sim_objecter *objecter;
	unsigned streams;      /* that may have operations on this image */
	uint32_t min_write_bytes; /* of the clients' programs; 0: no writes */
	uint32_t max_bytes;       /* largest read or write */
	uint64_t span_bytes;   /* end of the farthest client */
	uint64_t arrived_ns;   /* last operation */
	double gap_ns;         /* smoothed time between operations */
	struct sim_thread work; /* librbd's own thread of this image */
	struct sim_thread line; /* the OSD's end of its connection */
};

/* What a model holds of the clients' data. */
struct sim_space {
	uint64_t held_bytes;      /* accepted and neither committed nor absorbed yet */
	uint64_t occupied_bytes;  /* of the cache's room: at most room_bytes unless it overshoots */
};

/* How much a model needs at most; filled by bound() from the configuration. */
struct sim_bound {
	uint64_t submits;  /* sim_submit() and sim_data_write() under way at one time */
	uint64_t timers;   /* sim_after() under way at one time */
	uint64_t bytes;    /* the model will sim_alloc() in init() */
};

struct sim_model_ops {
	const char *name;     /* of the candidate, as in policies/model.h */
	enum cache_mode mode;
	size_t state_size;
	/* Required. Cannot fail: a bound that is too large is the core's business. */
	void (*bound)(const struct sim_handle *h, struct sim_bound *ret);
	/* Optional: the state is zeroed. May sim_alloc(), may sim_after(). 0 or -ENOMEM. */
	int (*init)(struct sim_handle *h);
	void (*write)(struct sim_handle *h, struct sim_op *op);  /* required, as the next two */
	void (*flush)(struct sim_handle *h, struct sim_op *op);
	void (*read)(struct sim_handle *h, struct sim_op *op);
	/* Everything that was accepted goes to the cluster and the cache is emptied; answered when
	 * it is. Optional: flush() instead. */
	void (*drain)(struct sim_handle *h, struct sim_op *op);
	/* A sim_submit() of @service is over. Required where the model submits. */
	void (*done)(struct sim_handle *h, enum sim_service service, uint64_t cookie);
	/* A sim_data_write() is committed. Required where the model uses it. */
	void (*written)(struct sim_handle *h, uint64_t cookie);
	void (*event)(struct sim_handle *h, unsigned what, uint64_t arg);
	/* The issue time is over: write everything that is held. Optional: a closing flush follows
	 * in any case. Timers that repeat stop by themselves once sim_closing(). */
	void (*close)(struct sim_handle *h);
	void (*space)(const struct sim_handle *h, struct sim_space *ret); /* required */
	/* Invariants of the model, at the end and after every event in tests; NULL: none. Returns
	 * NULL, or what is wrong. */
	const char *(*check)(const struct sim_handle *h);
};

uint64_t sim_now(const struct sim_handle *h);
double sim_chill(const struct sim_handle *h); /* sim_config.chill */
bool sim_closing(const struct sim_handle *h);
const struct sim_table *sim_tables(const struct sim_handle *h); /* [SIM_SERVICE_COUNT] */

/* sim_draw - a service time, without queueing anywhere: hops. 0 where it is not known. */
uint64_t sim_draw(struct sim_handle *h, enum sim_service service);
uint64_t sim_draw_hops(struct sim_handle *h, unsigned hops); /* less where threads are hot */
/* sim_work - queue @ns on librbd's thread of this image; returns the delay until that is over. */
uint64_t sim_work(struct sim_handle *h, uint64_t ns);

/* sim_alloc - zeroed memory that lives as long as the simulation; init() only. NULL: none left. */
void *sim_alloc(struct sim_handle *h, size_t bytes);

/* sim_submit - one operation of @bytes at the backend (SIM_B_*) or at the log's drive (SIM_L_*);
 * done() follows. Log writes of any size are SIM_L_WRITE4K with their @bytes. */
void sim_submit(struct sim_handle *h, enum sim_service service, uint64_t bytes, uint64_t cookie);
/* sim_data_write - write image data for a client that waits for it: SIM_B_WRITE or SIM_B_NEXT, by how
 * long the image had nothing at the cluster. written() follows with @cookie; counts as committed
 * then. */
void sim_data_write(struct sim_handle *h, uint64_t offset, uint64_t bytes, uint64_t cookie);
/* sim_data_write_back - the same for a cache that writes back: SIM_B_WRITE after a rest, else
 * SIM_B_NEXT_AWAKE, since the client works meanwhile. */
void sim_data_write_back(struct sim_handle *h, uint64_t offset, uint64_t bytes, uint64_t cookie);
/* sim_data_write_awake - the same while the client goes on working (SIM_B_WRITE_AWAKE,
 * SIM_B_NEXT_AWAKE). */
void sim_data_write_awake(struct sim_handle *h, uint64_t offset, uint64_t bytes, uint64_t cookie);
/* sim_lock_sends - what is sent from now on is sent under the cache's lock, which stops the image's
 * other threads while librados' limit holds it up; or no longer. Returns what it was. */
bool sim_lock_sends(struct sim_handle *h, bool locked);
/* sim_data_flush - the scheduler sends what it holds back, as a flush that passes it does. */
void sim_data_flush(struct sim_handle *h);
void sim_after(struct sim_handle *h, uint64_t delay_ns, unsigned what, uint64_t arg);
#define SIM_WHAT_MAX 64u /* @what is below it */

/* sim_ack - answer @op after @delay_ns. Exactly once. */
void sim_ack(struct sim_handle *h, struct sim_op *op, uint64_t delay_ns);
/* sim_absorbed - @bytes of accepted data were overwritten before they were written. */
void sim_absorbed(struct sim_handle *h, uint64_t bytes);
void sim_count(struct sim_handle *h, enum sim_counter c, uint64_t n);
void sim_spend(struct sim_handle *h, enum sim_place p, uint64_t ns);

/* A gate stands between the clients and the models of all handles (exclusive lock hand-over).
 * It lets an operation through with sim_enter(), now or later. */
struct sim_gate_ops {
	int (*init)(struct sim *s, struct sim_handle *handles, unsigned n); /* sets handle->gate */
	void (*arrive)(struct sim_handle *h, struct sim_op *op);
	void (*done)(struct sim_handle *h, enum sim_service service, uint64_t cookie);
	void (*answered)(struct sim_handle *h, struct sim_op *op); /* after the model's answer */
};
void sim_enter(struct sim_handle *h, struct sim_op *op);
void sim_gate_submit(struct sim_handle *h, enum sim_service service, uint64_t cookie);

#endif
