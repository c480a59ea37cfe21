/* sim_objecter.c - librados' limit of operations under way, and what it does to librbd's threads.
 *
 * An opened image has at most SIM_OBJECTER_OPS operations (and SIM_OBJECTER_BYTES) under way at the
 * cluster. The thread that submits one more stands still until one is over. librbd has few threads
 * (librados_thread_count = 2), and the same ones run completions, new client operations and what
 * the scheduler had held back: so once there is more to send than the limit, nothing else is looked
 * at until all of it is sent. A cache with thousands of writes under way is therefore refilled in
 * jerks: nothing for (writes - 1024) / throughput, then everything at once.
 * Source: ceph 18.2.7 src/osdc/Objecter.cc (_throttle_op, keep_balanced_budget), options
 * objecter_inflight_ops = 1024, objecter_inflight_op_bytes = 100 MiB; seen in tests/measured
 * (docs/simulator.md).
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
	struct sim_job *j = new_job(h);

	if (!j)
		return;
	*j = (struct sim_job){ .bytes = bytes, .cookie = cookie, .image = (uint16_t)h->index,
		.service = (uint8_t)service, .target = (uint8_t)target };
	if (service > SIM_B_LAST)
		sim_station_submit(h->sim, j);
	else if (!h->objecter->unsent.head && has_room(h->objecter, j))
		send(h, j);
	else
		sim_jobs_push(&h->objecter->unsent, j);
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

void sim_objecter_over(struct sim_handle *h, struct sim_job *j)
{
	struct sim_objecter *o = h->objecter;

	if (j->service > SIM_B_LAST) { /* the cache device has its own threads */
		deliver(h, j);
		return;
	}
	o->under_way--;
	o->bytes -= j->bytes;
	while (o->unsent.head && has_room(o, o->unsent.head))
		send(h, sim_jobs_pop(&o->unsent));
	if (!o->unsent.head && !o->items.head) {
		deliver(h, j);
		return;
	}
	sim_jobs_push(&o->items, j);
	while (!o->unsent.head && o->items.head)
		deliver(h, sim_jobs_pop(&o->items));
}

bool sim_objecter_busy(struct sim_handle *h, struct sim_op *op)
{
	struct sim_job *j;

	if (!h->objecter->unsent.head && !h->objecter->items.head)
		return false;
	j = new_job(h);
	if (j) {
		*j = (struct sim_job){ .image = (uint16_t)h->index, .target = SIM_TO_ENTER,
			.cookie = (uint64_t)(op - h->sim->op) };
		sim_jobs_push(&h->objecter->items, j);
	}
	return true;
}
