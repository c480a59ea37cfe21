/* sim_objecter.c - librados' limit of operations under way, and what it does to librbd's threads.
 *
 * An opened image has at most SIM_OBJECTER_OPS operations (and SIM_OBJECTER_BYTES) under way at the
 * cluster. The thread that submits one more stands still until one is over. librbd has two threads
 * for completions (librados_thread_count), and the same ones send what the scheduler had held back
 * behind a completed write. So once both have more to send than the limit, no completion is looked
 * at until one has sent all of its own: a cache with thousands of writes under way is refilled in
 * jerks, nothing for (writes - 1024) / throughput, then everything at once.
 * A thread that sends while it holds a cache's lock (ObjectCacher's flusher) stops the clients'
 * operations too. Else those go on: a client whose burst fits does not feel the limit (measured:
 * p99 of 4 to 8 ms in burst4000-*-writearound, where the cluster needs 700 ms for the burst).
 * Source: ceph 18.2.7 src/osdc/Objecter.cc (_throttle_op, keep_balanced_budget), options
 * objecter_inflight_ops = 1024, objecter_inflight_op_bytes = 100 MiB; that the client's thread is
 * spared is inferred from the runs.
 */
#include "policies/sim_part.h"

#include "policies/sim_constants.h"

static struct sim_job *new_job(struct sim_handle *h)
{
	struct sim_job *j = h->sim->free_job;

	if (!j) {
		h->sim->broken = "more operations under way than a model's bound said";
		return NULL;
	}
	h->sim->free_job = j->next;
	return j;
}

static bool has_room(const struct sim_objecter *o, const struct sim_job *j)
{
	return o->under_way == 0 || (o->under_way < SIM_OBJECTER_OPS &&
		o->bytes + j->bytes <= SIM_OBJECTER_BYTES);
}

static void send(struct sim_handle *h, struct sim_job *j)
{
	h->objecter->under_way++;
	h->objecter->bytes += j->bytes;
	sim_station_submit(h->sim, j);
}

void sim_objecter_submit(struct sim_handle *h, enum sim_service service, uint64_t bytes,
	uint64_t cookie, enum sim_target target)
{
	struct sim_objecter *o = h->objecter;
	struct sim_jobs *mine = &o->unsent[o->locked ? SIM_THREAD_OTHER : o->thread];
	struct sim_job *j = new_job(h);

	if (!j)
		return;
	*j = (struct sim_job){ .bytes = bytes, .cookie = cookie, .image = (uint16_t)h->index,
		.service = (uint8_t)service, .target = (uint8_t)target };
	if (service > SIM_B_LAST) {
		sim_station_submit(h->sim, j);
	} else if (!mine->head && has_room(o, j)) {
		send(h, j);
	} else {
		o->waiting++;
		sim_jobs_push(mine, j);
	}
}

/* feed - room goes to the standing threads in turn. */
static void feed(struct sim_handle *h)
{
	struct sim_objecter *o = h->objecter;

	for (unsigned empty = 0; empty < SIM_THREADS;) {
		struct sim_jobs *l = &o->unsent[o->turn];

		o->turn = o->turn + 1 == SIM_THREADS ? 0 : o->turn + 1;
		if (!l->head) {
			empty++;
			continue;
		}
		if (!has_room(o, l->head))
			return;
		o->waiting--;
		send(h, sim_jobs_pop(l));
		empty = 0;
	}
}

/* stands - what the clients' thread has sent it has handed over: it goes on. */
static bool stands(const struct sim_objecter *o, unsigned thread)
{
	return (thread != SIM_THREAD_CLIENT && o->unsent[thread].head) ||
		o->unsent[SIM_THREAD_OTHER].head;
}

/* deliver - @j is over, or its operation may enter; its record is free again. */
static void deliver(struct sim_handle *h, struct sim_job *j)
{
	struct sim *s = h->sim;
	struct sim_job copy = *j;

	j->next = s->free_job;
	s->free_job = j;
	switch ((enum sim_target)copy.target) {
	case SIM_TO_MODEL:
		h->cfg->model->done(h, copy.service, copy.cookie);
		break;
	case SIM_TO_SCHED:
		sim_sched_over(h, copy.cookie);
		break;
	case SIM_TO_GATE:
		s->gate->done(h, copy.service, copy.cookie);
		break;
	case SIM_TO_ENTER:
		sim_enter_now(h, &s->op[copy.cookie]);
		break;
	}
}

/* run - each thread goes on with what waits for it, until it stands again. */
static void run(struct sim_handle *h)
{
	struct sim_objecter *o = h->objecter;
	struct sim_job *j;

	for (unsigned t = 0; t <= SIM_THREAD_CLIENT; t++) {
		struct sim_jobs *mine = t == SIM_THREAD_CLIENT ? &o->ops : &o->over;

		while (!stands(o, t) && (j = sim_jobs_pop(mine))) {
			o->waiting--;
			o->thread = t;
			deliver(h, j);
			o->thread = SIM_THREAD_OTHER;
		}
	}
}

bool sim_lock_sends(struct sim_handle *h, bool locked)
{
	struct sim_objecter *o = h->objecter;
	bool before = o->locked;

	o->locked = locked;
	return before;
}

void sim_objecter_over(struct sim_handle *h, struct sim_job *j)
{
	struct sim_objecter *o = h->objecter;

	if (j->service > SIM_B_LAST) { /* the cache device has its own threads */
		deliver(h, j);
		return;
	}
	o->under_way--;
	o->bytes -= j->bytes;
	o->last_ns = h->sim->now_ns;
	if (!o->waiting) { /* the usual case: nobody stands */
		o->thread = 0;
		deliver(h, j);
		o->thread = SIM_THREAD_OTHER;
		return;
	}
	feed(h);
	o->waiting++;
	sim_jobs_push(&o->over, j);
	run(h);
}

void sim_objecter_enter(struct sim_handle *h, struct sim_op *op)
{
	struct sim_objecter *o = h->objecter;
	struct sim_job *j;

	if (o->thread != SIM_THREAD_OTHER) { /* from a gate, on one of the threads */
		sim_enter_now(h, op);
		return;
	}
	if (!o->ops.head && !stands(o, SIM_THREAD_CLIENT)) {
		o->thread = SIM_THREAD_CLIENT;
		sim_enter_now(h, op);
		o->thread = SIM_THREAD_OTHER;
		return;
	}
	j = new_job(h);
	if (!j)
		return;
	*j = (struct sim_job){ .image = (uint16_t)h->index, .target = SIM_TO_ENTER,
		.cookie = (uint64_t)(op - h->sim->op) };
	o->waiting++;
	sim_jobs_push(&o->ops, j);
}
