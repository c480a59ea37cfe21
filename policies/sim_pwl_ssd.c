/* sim_pwl_ssd.c - candidate pwl-ssd in the simulator: what a client's operation meets.
 *
 * Order of a write: refresh gate (sim_refresh.h), guard, space (its blocks and one control block in
 * reserve), state change clean -> dirty, generation, queue of the appender. Until the first flush
 * (persist-on-write) it is answered when its span and the superblock are on the drive; from then on
 * (persist-on-flush) as soon as it is queued in memory.
 * A flush closes the generation by a sync point and is answered when that is on the drive; the
 * cluster is not in its way. No write of the log is ever followed by a cache flush of the drive.
 * Space that cannot be had parks the operation in a FIFO; every later write and flush queues
 * behind it until retiring gives space back. See sim_pwl.h.
 */
#include "policies/sim_pwl.h"

#include <math.h>

static void pass(struct sim_handle *h, struct sim_op *op)
{
	struct pwl *p = h->state;
	uint64_t now = sim_now(h), at = now;

	/* Reads take the same queue; its thread does one thing after the other. */
	if (op->stream != UINT32_MAX) {
		at = sim_thread_take(&p->accept, now, sim_draw(h, SIM_T_LOG_WORK)) +
			sim_draw_hops(h, SIM_PWL_ACCEPT_HOPS);
		sim_spend(h, SIM_AT_CLIENT, at - now);
	}
	sim_after(h, at - now, PWL_EV_ENTER, (uint64_t)(uintptr_t)op);
}

static bool reserve(struct sim_handle *h, struct pwl *p, uint64_t bytes)
{
	bool room = p->allocated + bytes + 2 * PWL_BLOCK <= p->cap &&
		p->tail - p->head + 2 < p->ring_len;

	if (!room) {
		p->alloc_failed = true;
		pwl_wake(h, p);
		return false;
	}
	p->allocated += bytes;
	return true;
}

/* add_entry - the number of entries already queued decides whether an appender is called: in
 * persist-on-flush not before 32 of them wait, or a sync point (ssd/WriteLog.cc,
 * schedule_append_ops). */
static struct pwl_entry *add_entry(struct sim_handle *h, struct pwl *p, uint32_t flags)
{
	struct pwl_entry *e = pwl_entry(p, p->tail);
	uint64_t queued = p->tail - p->append;

	*e = (struct pwl_entry){ .gen = p->gen, .flags = flags };
	p->tail++;
	if ((flags & PWL_SYNC) || (!p->appending && (queued >= PWL_SPAN_ENTRIES || !p->on_flush)))
		pwl_call_appender(h, p);
	return e;
}

/* add_sync_point - close the generation; @flush (NULL: internal) is answered when it persists. */
static void add_sync_point(struct sim_handle *h, struct pwl *p, struct sim_op *flush)
{
	struct pwl_entry *e = add_entry(h, p, PWL_SYNC);

	e->op = flush;
	if (flush)
		flush->next = NULL;
	p->queued_syncs++;
	p->last_sync1 = p->tail;
	p->gen++;
	p->gen_writes = 0;
	p->gen_bytes = 0;
	p->gen_persisted = false;
}

static void remember(struct pwl *p, const struct pwl_entry *e, uint64_t number)
{
	uint64_t first = e->offset / PWL_BLOCK, last = (e->offset + e->bytes - 1) / PWL_BLOCK;

	for (uint64_t b = first; b <= last; b++)
		p->map[b & p->map_mask] = (struct pwl_block){ b, number + 1 };
}

/* accept_write - Request.cc, C_WriteRequest: space is there. */
static void accept_write(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	struct pwl_entry *e;

	if (p->clean) {
		p->clean = false;
		pwl_state_changed(h, p);
	}
	if (p->gen_writes > PWL_SYNC_WRITES || p->gen_bytes > PWL_SYNC_BYTES ||
		(!p->on_flush && p->gen_persisted)) {
		p->allocated += PWL_BLOCK; /* reserve() keeps a block for it */
		add_sync_point(h, p, NULL);
	}
	e = add_entry(h, p, p->on_flush ? 0 : PWL_SEQUENCED);
	e->offset = op->offset;
	e->bytes = op->bytes;
	p->gen_writes++;
	p->gen_bytes += op->bytes;
	remember(p, e, p->tail - 1);
	if (p->on_flush) {
		sim_ack(h, op, sim_draw_hops(h, SIM_PWL_ACK_HOPS));
		pwl_cell_released(h, p);
	} else {
		e->op = op;
		op->next = NULL;
	}
}

static bool try_write(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	if (!reserve(h, p, pwl_round(op->bytes) + PWL_BLOCK))
		return false;
	accept_write(h, p, op);
	return true;
}

static bool try_flush(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	if (!reserve(h, p, PWL_BLOCK))
		return false;
	add_sync_point(h, p, op);
	return true;
}

static void defer(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	op->b = sim_now(h);
	sim_fifo_push(&p->deferred, op);
	sim_count(h, SIM_COUNT_BLOCKED, 1);
}

/* pwl_dispatch_deferred - AbstractWriteLog.cc: in order, as far as space goes. */
void pwl_dispatch_deferred(struct sim_handle *h, struct pwl *p)
{
	while (p->deferred.head) {
		struct sim_op *op = p->deferred.head;
		bool write = op->kind == SIM_OP_WRITE;

		if (!reserve(h, p, PWL_BLOCK + (write ? pwl_round(op->bytes) : 0)))
			return;
		/* Taken out first: a write that is accepted may let a flush in, to the end here. */
		op = sim_fifo_pop(&p->deferred);
		sim_spend(h, SIM_AT_FULL, sim_now(h) - op->b);
		if (write)
			accept_write(h, p, op);
		else
			add_sync_point(h, p, op);
	}
}

/* flush_now - the guard is passed: the first flush turns to persist-on-flush for good. Without
 * writes since the last sync point it joins that one, or is answered. */
static void flush_now(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	struct pwl_entry *last = p->last_sync1 > p->persisted ? pwl_entry(p, p->last_sync1 - 1) : NULL;

	p->on_flush = true;
	if (p->gen_writes == 0 && last && p->deferred.len == 0) {
		op->next = last->op;
		last->op = op;
	} else if (p->gen_writes == 0 && p->deferred.len == 0) {
		sim_ack(h, op, sim_draw_hops(h, SIM_PWL_ACK_HOPS));
	} else if (p->deferred.len || !try_flush(h, p, op)) {
		defer(h, p, op);
	}
}

/* start_drain - AbstractWriteLog.cc, internal_flush(): the barrier stays until every dirty byte is
 * in the cluster (invalidate, snapshot, resize, hand-over of the lock). */
static void start_drain(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	p->barrier = p->drain = op;
	if (p->gen_writes) {
		p->allocated += PWL_BLOCK; /* reserve() keeps one for it */
		add_sync_point(h, p, NULL);
	}
	pwl_wake(h, p);
}

static void pass_barrier(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	p->barrier = NULL;
	if (op->kind == SIM_OP_DRAIN)
		start_drain(h, p, op);
	else
		flush_now(h, p, op);
}

static void enter(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	if (p->barrier) {
		sim_fifo_push(&p->awaiting, op);
	} else if (op->kind == SIM_OP_FLUSH || op->kind == SIM_OP_DRAIN) {
		if (p->cells)
			p->barrier = op;
		else
			pass_barrier(h, p, op);
	} else {
		p->cells++;
		if (p->deferred.len || !try_write(h, p, op))
			defer(h, p, op);
	}
}

static void let_in(struct sim_handle *h, struct pwl *p)
{
	struct sim_op *op;

	while (!p->barrier && (op = sim_fifo_pop(&p->awaiting)))
		enter(h, p, op);
}

void pwl_cell_released(struct sim_handle *h, struct pwl *p)
{
	if (--p->cells > 0 || !p->barrier)
		return;
	pass_barrier(h, p, p->barrier);
	let_in(h, p);
}

/* pwl_drained - nothing is left to write back: the log is dropped, and the barrier falls. */
void pwl_drained(struct sim_handle *h, struct pwl *p)
{
	struct sim_op *op = p->drain;

	p->drain = p->barrier = NULL;
	pwl_retire(h, p, UINT32_MAX);
	sim_ack(h, op, sim_draw_hops(h, SIM_PWL_ACK_HOPS));
	let_in(h, p);
}

/* do_read - unretired blocks come from memory until they are appended, then from the drive; the
 * rest from the cluster, and is not kept. */
static void do_read(struct sim_handle *h, struct pwl *p, struct sim_op *op)
{
	uint64_t block = op->offset / PWL_BLOCK;
	const struct pwl_block *m = &p->map[block & p->map_mask];

	if (m->entry1 == 0 || m->block != block || m->entry1 - 1 < p->head) {
		sim_submit(h, SIM_B_READ, op->bytes, (uint64_t)(uintptr_t)op);
		return;
	}
	sim_count(h, SIM_COUNT_READ_HITS, 1);
	if (m->entry1 - 1 >= p->persisted)
		sim_ack(h, op, sim_draw_hops(h, SIM_PWL_ACK_HOPS));
	else
		sim_submit(h, SIM_L_READ4K, op->bytes, (uint64_t)(uintptr_t)op);
}

static void op_write(struct sim_handle *h, struct sim_op *op)
{
	struct pwl *p = h->state;

	p->held += op->bytes;
	sim_refresh_arrive(h, &p->refresh, op);
}

static void op_other(struct sim_handle *h, struct sim_op *op)
{
	struct pwl *p = h->state;

	sim_refresh_arrive(h, &p->refresh, op);
}

static void bound(const struct sim_handle *h, struct sim_bound *ret)
{
	uint64_t streams = h->streams;

	ret->submits = streams + 3 * (PWL_FLIGHT_WRITES + 2) + PWL_SPANS_MAX + 2 +
		SIM_REFRESH_SUBMITS;
	ret->timers = 2 * streams + 3 * (PWL_FLIGHT_WRITES + 2) + 16;
	ret->bytes = (uint64_t)PWL_ENTRIES_MAX * sizeof(struct pwl_entry) +
		(uint64_t)PWL_MAP_MAX * sizeof(struct pwl_block);
}

static uint64_t log_bytes(const struct sim_handle *h)
{
	double bytes = h->cfg->set.pwl_bytes;

	if (!(bytes >= PWL_MIN_BYTES))
		bytes = PWL_MIN_BYTES;
	return (uint64_t)(floor(bytes / 1048576) * 1048576) - PWL_RESERVED;
}

static int init(struct sim_handle *h)
{
	struct pwl *p = h->state;
	uint64_t least = pwl_round(h->min_write_bytes ? h->min_write_bytes : PWL_BLOCK);
	uint64_t blocks = 1;

	sim_refresh_init(&p->refresh, h->cfg->refresh_reads, pass);
	p->cap = log_bytes(h);
	p->clean = p->empty = true;
	p->chill = 1;
	/* One sync point a write at most. */
	p->ring_len = 2 * (p->cap / least) + 64;
	if (p->ring_len > PWL_ENTRIES_MAX)
		p->ring_len = PWL_ENTRIES_MAX;
	while (blocks < h->span_bytes / PWL_BLOCK + 1 && blocks < PWL_MAP_MAX)
		blocks *= 2;
	p->map_mask = blocks - 1;
	p->ring = sim_alloc(h, p->ring_len * sizeof(*p->ring));
	p->map = sim_alloc(h, blocks * sizeof(*p->map));
	if (!p->ring || !p->map)
		return -1;
	for (uint32_t i = 0; i < PWL_FLIGHT_WRITES + 2; i++)
		p->batch[i].next = i + 1;
	/* The state is written when the cache is made, and every 5 s. */
	sim_after(h, PWL_STATS_NS, PWL_EV_STATS, 0);
	return 0;
}

static void done(struct sim_handle *h, enum sim_service service, uint64_t cookie)
{
	struct pwl *p = h->state;

	switch (service) {
	case SIM_B_META_READ:
	case SIM_B_META_WRITE:
	case SIM_B_NOTIFY:
		sim_refresh_done(h, &p->refresh, cookie);
		break;
	case SIM_L_WRITE4K:
		if (cookie == PWL_COOKIE_ROOT)
			sim_after(h, pwl_log_hops(h, p, SIM_PWL_ROOT_HOPS), PWL_EV_ROOT, 0);
		else if (--p->spans_left == 0)
			sim_after(h, pwl_log_hops(h, p, SIM_PWL_APPEND_HOPS), PWL_EV_APPENDED, 0);
		break;
	default:
		if (service == SIM_L_READ4K && cookie < PWL_COOKIE_BATCH + PWL_FLIGHT_WRITES + 2) {
			struct pwl_batch *b = &p->batch[cookie - PWL_COOKIE_BATCH];

			if (--b->left == 0)
				sim_after(h, pwl_hops(h, SIM_PWL_READ_HOPS),
					PWL_EV_READ_BACK, cookie - PWL_COOKIE_BATCH);
			break;
		}
		sim_ack(h, (struct sim_op *)(uintptr_t)cookie, sim_draw_hops(h, SIM_PWL_ACK_HOPS));
		break;
	}
}

static void written(struct sim_handle *h, uint64_t cookie)
{
	struct pwl *p = h->state;

	p->held -= pwl_entry(p, cookie)->bytes;
	sim_after(h, pwl_hops(h, SIM_PWL_WRITTEN_HOPS), PWL_EV_FLUSHED, cookie);
}

static void event(struct sim_handle *h, unsigned what, uint64_t arg)
{
	struct pwl *p = h->state;

	switch (what) {
	case PWL_EV_ENTER: {
		struct sim_op *op = (struct sim_op *)(uintptr_t)arg;

		if (op->kind == SIM_OP_READ)
			do_read(h, p, op);
		else
			enter(h, p, op);
		break;
	}
	case PWL_EV_APPENDER:
		p->appender_called = false;
		pwl_appender(h, p);
		break;
	case PWL_EV_APPENDED:
		pwl_appended(h, p);
		break;
	case PWL_EV_ROOT:
		pwl_root_written(h, p);
		break;
	case PWL_EV_WORK:
		p->work_called = false;
		pwl_work(h, p);
		break;
	case PWL_EV_READ_BACK:
		pwl_read_back(h, p, arg);
		break;
	case PWL_EV_FLUSHED:
		pwl_flushed(h, p, arg);
		break;
	case PWL_EV_STATS:
		if (sim_closing(h))
			break;
		pwl_state_changed(h, p);
		sim_after(h, PWL_STATS_NS, PWL_EV_STATS, 0);
		break;
	default:
		break;
	}
}

/* model_close - the image is closed: everything is written back and retired. */
static void model_close(struct sim_handle *h)
{
	struct pwl *p = h->state;

	p->closing = true;
	pwl_wake(h, p);
}

static void space(const struct sim_handle *h, struct sim_space *ret)
{
	const struct pwl *p = h->state;

	ret->held_bytes = p->held;
	ret->occupied_bytes = p->allocated;
}

static const char *check(const struct sim_handle *h)
{
	const struct pwl *p = h->state;

	if (p->allocated > p->cap)
		return "pwl: more is allocated than the log holds";
	if (!(p->head <= p->back && p->back <= p->persisted && p->persisted <= p->append &&
		p->append <= p->tail && p->tail - p->head <= p->ring_len))
		return "pwl: the ring's marks are out of order";
	if (p->flight > PWL_FLIGHT_WRITES + 1)
		return "pwl: more than 65 writes are under way to the cluster";
	if (p->head == p->tail && !p->root_busy && !p->root_waiting && p->allocated)
		return "pwl: an empty log keeps space";
	if (p->closing && p->held == 0 && p->flight == 0 && !p->clean && !p->work_called)
		return "pwl: a drained log calls itself dirty";
	return NULL;
}

const struct sim_model_ops sim_pwl_ssd = {
	.name = "pwl-ssd",
	.mode = CACHE_PWL_SSD,
	.state_size = sizeof(struct pwl),
	.bound = bound,
	.init = init,
	.write = op_write,
	.flush = op_other,
	.read = op_other,
	.drain = op_other,
	.done = done,
	.written = written,
	.event = event,
	.close = model_close,
	.space = space,
	.check = check,
};
