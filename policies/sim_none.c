/* sim_none.c - no cache: a write is answered when it is committed, a flush finds nothing to do.
 *
 * write: b + 2c (to librbd's threads, and back); flush: 2c; read: the backend's + 2c.
 * Source: ceph-caches reading of 18.2.7: without rbd_cache no object dispatch layer stands between
 * the scheduler and CORE; a flush passes all of them without an OSD operation.
 */
#include "policies/sim_model.h"

struct state {
	uint64_t held_bytes;
};

static void bound(const struct sim_handle *h, struct sim_bound *ret)
{
	ret->submits = h->streams;
}

static void take_write(struct sim_handle *h, struct sim_op *op)
{
	struct state *st = h->state;

	st->held_bytes += op->bytes;
	sim_data_write(h, op->offset, op->bytes, (uint64_t)(uintptr_t)op);
}

static void written(struct sim_handle *h, uint64_t cookie)
{
	struct sim_op *op = (struct sim_op *)(uintptr_t)cookie;
	struct state *st = h->state;

	st->held_bytes -= op->bytes;
	sim_ack(h, op, sim_draw_hops(h, 2));
}

static void take_flush(struct sim_handle *h, struct sim_op *op)
{
	sim_data_flush(h);
	sim_ack(h, op, sim_draw_hops(h, 2));
}

/* Nothing is kept, so nothing is emptied, and nobody waits for what is under way. */
static void take_drain(struct sim_handle *h, struct sim_op *op)
{
	sim_ack(h, op, sim_draw_hops(h, 2));
}

static void take_read(struct sim_handle *h, struct sim_op *op)
{
	sim_submit(h, SIM_B_READ, op->bytes, (uint64_t)(uintptr_t)op);
}

static void done(struct sim_handle *h, enum sim_service service, uint64_t cookie)
{
	(void)service;
	sim_ack(h, (struct sim_op *)(uintptr_t)cookie, sim_draw_hops(h, 2));
}

static void space(const struct sim_handle *h, struct sim_space *ret)
{
	const struct state *st = h->state;

	ret->held_bytes = st->held_bytes;
}

const struct sim_model_ops sim_none = {
	.name = "none",
	.mode = CACHE_NONE,
	.state_size = sizeof(struct state),
	.bound = bound,
	.write = take_write,
	.flush = take_flush,
	.read = take_read,
	.drain = take_drain,
	.done = done,
	.written = written,
	.space = space,
};
