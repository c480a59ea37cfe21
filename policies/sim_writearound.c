/* sim_writearound.c - write-around: keeps no data, answers writes that are still under way.
 *
 * A write goes to the cluster at once and is answered at once, while the bytes under way are 0 or
 * stay within max_dirty with it; else it queues in a FIFO until they do. It waits for a write under
 * way that it overlaps. A flush waits until every write before it is committed. Until the first
 * flush of a client (writethrough_until_flush) the layer does nothing. Only max_dirty is used:
 * neither size, target nor age. Reads go below, after an overlapping write.
 * Source: ceph 18.2.7 src/librbd/cache/WriteAroundObjectDispatch.cc.
 *
 * Its writes are SIM_B_WRITE_AWAKE: the client goes on (answer, next write or flush) while they
 * are under way, so that the machine does not fall asleep over them; why this is taken to be what
 * makes write-around's pairs faster than no cache is in docs/simulator.md.
 */
#include "policies/sim_cover.h"

struct node {
	struct sim_cover_node cover; /* first: found through it */
	struct sim_tid tid;
	struct node *next;           /* of the free list, of the queue, of those that wait */
	struct node *waiting;        /* for this one to be over, oldest first */
	struct sim_op *op;           /* not answered yet; NULL: answered */
	bool write;
};

struct state {
	struct node *pool, *free;
	struct node *queue, **queue_end;
	struct sim_cover cover;
	struct sim_tids tids;
	struct sim_fifo flushes;     /* op->a: the last tid before it */
	uint64_t max_bytes, under_way_bytes, held_bytes;
};

static uint64_t capacity(const struct sim_handle *h)
{
	uint64_t least = h->min_write_bytes ? h->min_write_bytes : 4096;

	return (uint64_t)h->cfg->set.max_dirty_bytes / least + 2 * (uint64_t)h->streams + 4;
}

static void bound(const struct sim_handle *h, struct sim_bound *ret)
{
	ret->submits = capacity(h);
	ret->bytes = capacity(h) * sizeof(struct node);
}

static int init(struct sim_handle *h)
{
	struct state *st = h->state;
	uint64_t n = capacity(h);

	st->pool = sim_alloc(h, n * sizeof(*st->pool));
	if (!st->pool || sim_cover_init(h, &st->cover, n) < 0)
		return -1;
	for (uint64_t i = 0; i + 1 < n; i++)
		st->pool[i].next = &st->pool[i + 1];
	st->free = st->pool;
	st->queue_end = &st->queue;
	sim_tids_init(&st->tids);
	if (!h->cfg->set.until_flush)
		st->max_bytes = (uint64_t)h->cfg->set.max_dirty_bytes;
	return 0;
}

static void answer(struct sim_handle *h, struct node *n)
{
	struct sim_op *op = n->op;

	n->op = NULL;
	sim_ack(h, op, sim_work(h, sim_draw(h, SIM_T_WORK)) + sim_draw_hops(h, 2));
}

static void send(struct sim_handle *h, struct node *n)
{
	struct state *st = h->state;

	st->under_way_bytes += n->cover.bytes;
	if (st->max_bytes) {
		sim_data_write_awake(h, n->cover.offset, n->cover.bytes,
			(uint64_t)(n - st->pool));
		answer(h, n);
	} else {
		sim_data_write(h, n->cover.offset, n->cover.bytes,
			(uint64_t)(n - st->pool));
	}
}

static bool has_room(const struct state *st, const struct node *n)
{
	return st->max_bytes == 0 || st->under_way_bytes == 0 ||
		st->under_way_bytes + n->cover.bytes <= st->max_bytes;
}

/* proceed - nothing overlaps @n any more. */
static void proceed(struct sim_handle *h, struct node *n)
{
	struct state *st = h->state;

	if (!n->write) {
		sim_submit(h, SIM_B_READ, n->cover.bytes, (uint64_t)(n - st->pool));
		return;
	}
	if (!st->queue && has_room(st, n)) {
		send(h, n);
		return;
	}
	sim_count(h, SIM_COUNT_BLOCKED, 1);
	n->next = NULL;
	*st->queue_end = n;
	st->queue_end = &n->next;
}

static void wait_or_proceed(struct sim_handle *h, struct node *n)
{
	struct state *st = h->state;
	struct node *before, **at;

	before = (struct node *)sim_cover_overlap(&st->cover, n->cover.offset, n->cover.bytes,
		n->cover.born);
	if (!before) {
		proceed(h, n);
		return;
	}
	sim_count(h, SIM_COUNT_BLOCKED, 1);
	n->next = NULL;
	for (at = &before->waiting; *at; at = &(*at)->next)
		;
	*at = n;
}

static void take(struct sim_handle *h, struct sim_op *op, bool write)
{
	struct state *st = h->state;
	struct node *n = st->free;

	st->free = n->next;
	*n = (struct node){ .cover = { .offset = op->offset, .bytes = op->bytes }, .op = op,
		.write = write };
	n->cover.born = st->tids.last + 1;
	if (write) {
		sim_tids_add(&st->tids, &n->tid);
		st->held_bytes += op->bytes;
		sim_cover_add(&st->cover, &n->cover);
	}
	wait_or_proceed(h, n);
}

static void take_write(struct sim_handle *h, struct sim_op *op)
{
	take(h, op, true);
}

static void take_read(struct sim_handle *h, struct sim_op *op)
{
	take(h, op, false);
}

static void end_flushes(struct sim_handle *h)
{
	struct state *st = h->state;

	while (st->flushes.head && sim_tids_over(&st->tids, st->flushes.head->a))
		sim_ack(h, sim_fifo_pop(&st->flushes), sim_draw_hops(h, 2));
}

static void over(struct sim_handle *h, struct node *n)
{
	struct state *st = h->state;
	struct node *waiting = n->waiting;

	n->next = st->free;
	st->free = n;
	while (waiting) {
		struct node *next = waiting->next;

		wait_or_proceed(h, waiting);
		waiting = next;
	}
	while (st->queue && has_room(st, st->queue)) {
		struct node *first = st->queue;

		st->queue = first->next;
		if (!st->queue)
			st->queue_end = &st->queue;
		send(h, first);
	}
	end_flushes(h);
}

static void written(struct sim_handle *h, uint64_t cookie)
{
	struct state *st = h->state;
	struct node *n = &st->pool[cookie];

	st->under_way_bytes -= n->cover.bytes;
	st->held_bytes -= n->cover.bytes;
	sim_cover_remove(&st->cover, &n->cover);
	sim_tids_remove(&n->tid);
	if (n->op)
		answer(h, n);
	over(h, n);
}

static void done(struct sim_handle *h, enum sim_service service, uint64_t cookie)
{
	struct state *st = h->state;
	struct node *n = &st->pool[cookie];

	(void)service;
	answer(h, n);
	over(h, n);
}

static void take_flush(struct sim_handle *h, struct sim_op *op)
{
	struct state *st = h->state;

	st->max_bytes = (uint64_t)h->cfg->set.max_dirty_bytes;
	op->a = st->tids.last;
	sim_data_flush(h);
	sim_fifo_push(&st->flushes, op);
	end_flushes(h);
}

/* Invalidation passes the layer: it keeps no data (invalidate_cache returns false). */
static void take_drain(struct sim_handle *h, struct sim_op *op)
{
	sim_ack(h, op, sim_draw_hops(h, 2));
}

static void space(const struct sim_handle *h, struct sim_space *ret)
{
	const struct state *st = h->state;

	ret->held_bytes = st->held_bytes;
	ret->occupied_bytes = st->under_way_bytes;
}

static const char *check(const struct sim_handle *h)
{
	const struct state *st = h->state;

	/* One write may go alone beyond the limit. */
	if (st->max_bytes && st->under_way_bytes > st->max_bytes &&
		st->under_way_bytes > h->max_bytes && !h->cfg->set.until_flush)
		return "more bytes under way than max_dirty";
	if (st->held_bytes < st->under_way_bytes)
		return "bytes under way that nobody holds";
	return NULL;
}

const struct sim_model_ops sim_writearound = {
	.name = "writearound",
	.mode = CACHE_WRITEAROUND,
	.state_size = sizeof(struct state),
	.bound = bound,
	.init = init,
	.write = take_write,
	.flush = take_flush,
	.read = take_read,
	.drain = take_drain,
	.done = done,
	.written = written,
	.space = space,
	.check = check,
};
