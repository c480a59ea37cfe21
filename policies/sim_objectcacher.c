/* sim_objectcacher.c - buffer heads, the finisher, the flusher. */
#include "policies/sim_objectcacher.h"

#include "policies/sim_constants.h"

enum head_state { HEAD_FREE, HEAD_DIRTY, HEAD_TX, HEAD_CLEAN };
enum { EVENT_SECOND, EVENT_FINISHER };

struct head {
	struct sim_cover_node cover;      /* first: found through it; not while superseded */
	struct sim_tid tid;               /* while tx */
	struct head *prev, *next;         /* of the list of its state */
	uint64_t last_write_ns;
	enum head_state state;
	bool superseded;                  /* tx, and a younger head has its extent */
	struct sim_op *op;                /* write-through: answered when committed; reads */
};

struct list {
	struct head *head, *tail;         /* oldest first */
	uint64_t bytes, count;
};

struct sim_oc {
	struct head *pool, *free;
	struct list dirty, clean;
	uint64_t tx_bytes, tx_count, held_bytes;
	uint64_t waiting_bytes;           /* of the write that the finisher is stuck with */
	struct sim_cover cover;
	struct sim_tids tids;
	struct sim_fifo acks;             /* for the finisher; op->a: when the data were in */
	struct sim_fifo starved;          /* no head free */
	struct sim_fifo flushes;          /* op->a: the last tid before it */
	uint64_t max_dirty, target, size, age_ns;
	bool writeback, finisher_due;
};
_Static_assert(sizeof(struct sim_oc) <= SIM_OC_SIZE, "SIM_OC_SIZE holds the state");

/* -- lists and heads -------------------------------------------------------------------------- */

static void push(struct list *l, struct head *x)
{
	x->next = NULL;
	x->prev = l->tail;
	if (l->tail)
		l->tail->next = x;
	else
		l->head = x;
	l->tail = x;
	l->bytes += x->cover.bytes;
	l->count++;
}

static void unlink_head(struct list *l, struct head *x)
{
	if (x->prev)
		x->prev->next = x->next;
	else
		l->head = x->next;
	if (x->next)
		x->next->prev = x->prev;
	else
		l->tail = x->prev;
	l->bytes -= x->cover.bytes;
	l->count--;
}

static void drop(struct sim_oc *oc, struct head *x)
{
	x->state = HEAD_FREE;
	x->next = oc->free;
	oc->free = x;
}

static void drop_oldest_clean(struct sim_oc *oc)
{
	struct head *x = oc->clean.head;

	unlink_head(&oc->clean, x);
	sim_cover_remove(&oc->cover, &x->cover);
	drop(oc, x);
}

static void trim(struct sim_oc *oc)
{
	while (oc->clean.head && (oc->clean.bytes > oc->size || oc->clean.count > oc->size >> 12))
		drop_oldest_clean(oc);
}

static struct head *new_head(struct sim_oc *oc, const struct sim_op *op)
{
	struct head *x;

	if (!oc->free && oc->clean.head)
		drop_oldest_clean(oc);
	x = oc->free;
	if (!x)
		return NULL;
	oc->free = x->next;
	*x = (struct head){ .cover = { .offset = op->offset, .bytes = op->bytes } };
	return x;
}

/* -- set up ----------------------------------------------------------------------------------- */

/* Superseded heads count nowhere in ObjectCacher, so nothing bounds them there; here four times
 * the dirty ones do, beyond which a write waits for a head. */
static uint64_t under_way_max(const struct sim_handle *h)
{
	uint64_t least = h->min_write_bytes ? h->min_write_bytes : 4096;

	return 4 * ((uint64_t)h->cfg->set.max_dirty_bytes / least) + 4 * (uint64_t)h->streams + 16;
}

static uint64_t capacity(const struct sim_handle *h)
{
	return under_way_max(h) + ((uint64_t)h->cfg->set.size_bytes >> 12) + 1;
}

void sim_oc_bound(const struct sim_handle *h, struct sim_bound *ret)
{
	ret->submits = under_way_max(h);
	ret->bytes = capacity(h) * sizeof(struct head);
	ret->timers = 4;
}

int sim_oc_init(struct sim_handle *h, bool writeback)
{
	const struct cache_settings *set = &h->cfg->set;
	struct sim_oc *oc = h->state;
	uint64_t n = capacity(h);

	oc->pool = sim_alloc(h, n * sizeof(*oc->pool));
	if (!oc->pool || sim_cover_init(h, &oc->cover, n) < 0)
		return -1;
	for (uint64_t i = 0; i + 1 < n; i++)
		oc->pool[i].next = &oc->pool[i + 1];
	oc->free = oc->pool;
	sim_tids_init(&oc->tids);
	oc->writeback = writeback;
	oc->target = (uint64_t)set->target_dirty_bytes;
	oc->size = (uint64_t)set->size_bytes;
	oc->age_ns = (uint64_t)(set->max_dirty_age_s * 1e9);
	if (writeback && !set->until_flush)
		oc->max_dirty = (uint64_t)set->max_dirty_bytes;
	sim_after(h, SIM_OC_FLUSHER_NS, EVENT_SECOND, 0);
	return 0;
}

/* -- writing back ----------------------------------------------------------------------------- */

static void send(struct sim_handle *h, struct head *x, bool awake)
{
	struct sim_oc *oc = h->state;
	uint64_t cookie = (uint64_t)(x - oc->pool);
	bool before;

	unlink_head(&oc->dirty, x);
	x->state = HEAD_TX;
	oc->tx_bytes += x->cover.bytes;
	oc->tx_count++;
	sim_tids_add(&oc->tids, &x->tid);
	before = sim_lock_sends(h, true);
	if (awake)
		sim_data_write_awake(h, x->cover.offset, x->cover.bytes, cookie);
	else
		sim_data_write(h, x->cover.offset, x->cover.bytes, cookie);
	sim_lock_sends(h, before);
}

static void flusher(struct sim_handle *h)
{
	struct sim_oc *oc = h->state;
	uint64_t now = sim_now(h), heads = oc->target >> 12, above;

	if (oc->dirty.bytes + oc->waiting_bytes > oc->target) {
		above = oc->dirty.bytes + oc->waiting_bytes - oc->target;
		for (uint64_t sent = 0; sent < above && oc->dirty.head;) {
			sent += oc->dirty.head->cover.bytes;
			send(h, oc->dirty.head, true);
		}
	} else if (oc->dirty.count > heads) {
		for (above = oc->dirty.count - heads; above > 0; above--)
			send(h, oc->dirty.head, true);
	} else {
		while (oc->dirty.head && oc->dirty.head->last_write_ns + oc->age_ns <= now)
			send(h, oc->dirty.head, true);
	}
}

/* -- the finisher ----------------------------------------------------------------------------- */

static bool blocked(const struct sim_oc *oc)
{
	uint64_t busy = oc->dirty.bytes + oc->tx_bytes, waiters = oc->waiting_bytes ? 1 : 0;

	return busy > 0 && (busy >= oc->max_dirty + oc->waiting_bytes ||
		oc->dirty.count + oc->tx_count >= (oc->max_dirty >> 12) + waiters);
}

/* finisher - answer in order, until one has to wait for room, or is not ready yet. */
static void finisher(struct sim_handle *h)
{
	struct sim_oc *oc = h->state;
	uint64_t now = sim_now(h);

	while (oc->acks.head) {
		struct sim_op *op = oc->acks.head;

		if (op->a > now) {
			if (!oc->finisher_due)
				sim_after(h, op->a - now, EVENT_FINISHER, 0);
			oc->finisher_due = true;
			return;
		}
		if (blocked(oc)) {
			if (!oc->waiting_bytes) {
				sim_count(h, SIM_COUNT_BLOCKED, 1);
				oc->waiting_bytes = op->bytes;
				flusher(h);
			}
			return;
		}
		oc->waiting_bytes = 0;
		sim_fifo_pop(&oc->acks);
		sim_spend(h, SIM_AT_FULL, now - op->a);
		sim_ack(h, op, sim_draw_hops(h, 2));
	}
}

/* -- operations ------------------------------------------------------------------------------- */

/* write_through - the extent alone, answered when it is committed. */
static bool write_through(struct sim_handle *h, struct sim_op *op)
{
	struct sim_oc *oc = h->state;
	struct head *x = new_head(oc, op);

	if (!x)
		return false;
	x->state = HEAD_TX;
	x->superseded = true; /* found by nobody: reads of it go below */
	x->op = op;
	sim_tids_add(&oc->tids, &x->tid);
	oc->held_bytes += op->bytes;
	sim_data_write(h, op->offset, op->bytes, (uint64_t)(x - oc->pool));
	return true;
}

/* into_head - the written extent becomes a dirty head; false where no head is free. */
static bool into_head(struct sim_handle *h, struct sim_op *op, uint64_t *ret_work_ns)
{
	struct sim_oc *oc = h->state;
	struct head *x = (struct head *)sim_cover_same(&oc->cover, op->offset, op->bytes);

	*ret_work_ns = sim_draw(h, SIM_T_WORK);
	if (x && x->state == HEAD_DIRTY) {
		sim_absorbed(h, op->bytes);
		sim_count(h, SIM_COUNT_ABSORBED, 1);
		unlink_head(&oc->dirty, x);
	} else if (x && x->state == HEAD_CLEAN) {
		unlink_head(&oc->clean, x);
		oc->held_bytes += op->bytes;
	} else {
		struct head *old = x;

		x = new_head(oc, op);
		if (!x)
			return false;
		if (old) {
			old->superseded = true;
			oc->tx_bytes -= old->cover.bytes;
			oc->tx_count--;
			sim_cover_remove(&oc->cover, &old->cover);
		} else {
			*ret_work_ns += sim_draw(h, SIM_T_HEAD);
		}
		sim_cover_add(&oc->cover, &x->cover);
		oc->held_bytes += op->bytes;
	}
	x->state = HEAD_DIRTY;
	x->last_write_ns = sim_now(h);
	push(&oc->dirty, x);
	return true;
}

void sim_oc_write(struct sim_handle *h, struct sim_op *op)
{
	struct sim_oc *oc = h->state;
	uint64_t work = 0;
	bool through = oc->max_dirty == 0;

	if (through ? !write_through(h, op) : !into_head(h, op, &work)) {
		sim_count(h, SIM_COUNT_BLOCKED, 1);
		sim_fifo_push(&oc->starved, op);
		return;
	}
	if (through)
		return;
	op->a = sim_now(h) + sim_work(h, work);
	sim_fifo_push(&oc->acks, op);
	if (oc->dirty.bytes + oc->waiting_bytes > oc->target)
		flusher(h);
	finisher(h);
}

static void end_flushes(struct sim_handle *h)
{
	struct sim_oc *oc = h->state;

	while (oc->flushes.head && sim_tids_over(&oc->tids, oc->flushes.head->a)) {
		struct sim_op *op = sim_fifo_pop(&oc->flushes);

		/* With nothing to write it is answered where it arrives: one hand-over less. */
		sim_ack(h, op, op->b ? sim_draw_hops(h, SIM_OC_FLUSH_HOPS) :
			sim_draw_hops(h, 1) + sim_work(h, sim_draw(h, SIM_T_WORK)));
	}
}

void sim_oc_flush(struct sim_handle *h, struct sim_op *op)
{
	struct sim_oc *oc = h->state;

	if (oc->writeback)
		oc->max_dirty = (uint64_t)h->cfg->set.max_dirty_bytes;
	while (oc->dirty.head)
		send(h, oc->dirty.head, false);
	op->a = oc->tids.last;
	op->b = !sim_tids_over(&oc->tids, op->a);
	if (!op->b)
		sim_data_flush(h);
	sim_fifo_push(&oc->flushes, op);
	end_flushes(h);
}

void sim_oc_read(struct sim_handle *h, struct sim_op *op)
{
	struct sim_oc *oc = h->state;
	struct head *x = (struct head *)sim_cover_same(&oc->cover, op->offset, op->bytes);

	if (x) {
		if (x->state == HEAD_CLEAN) {
			unlink_head(&oc->clean, x);
			push(&oc->clean, x);
		}
		sim_count(h, SIM_COUNT_READ_HITS, 1);
		sim_ack(h, op, sim_work(h, sim_draw(h, SIM_T_WORK)) + sim_draw_hops(h, 2));
		return;
	}
	sim_submit(h, SIM_B_READ, op->bytes, (uint64_t)(uintptr_t)op);
}

/* A read that was not found becomes a clean head. */
void sim_oc_done(struct sim_handle *h, enum sim_service service, uint64_t cookie)
{
	struct sim_oc *oc = h->state;
	struct sim_op *op = (struct sim_op *)(uintptr_t)cookie;
	struct head *x;

	(void)service;
	if (!sim_cover_same(&oc->cover, op->offset, op->bytes) && (x = new_head(oc, op))) {
		x->state = HEAD_CLEAN;
		sim_cover_add(&oc->cover, &x->cover);
		push(&oc->clean, x);
		trim(oc);
	}
	sim_ack(h, op, sim_draw_hops(h, 4));
}

static void feed_starved(struct sim_handle *h)
{
	struct sim_oc *oc = h->state;

	while (oc->starved.head && (oc->free || oc->clean.head))
		sim_oc_write(h, sim_fifo_pop(&oc->starved));
}

void sim_oc_written(struct sim_handle *h, uint64_t cookie)
{
	struct sim_oc *oc = h->state;
	struct head *x = &oc->pool[cookie];

	sim_tids_remove(&x->tid);
	oc->held_bytes -= x->cover.bytes;
	if (x->op)
		sim_ack(h, x->op, sim_draw_hops(h, SIM_OC_THROUGH_HOPS));
	if (x->superseded) {
		drop(oc, x);
	} else {
		oc->tx_bytes -= x->cover.bytes;
		oc->tx_count--;
		x->state = HEAD_CLEAN;
		push(&oc->clean, x);
		trim(oc);
	}
	feed_starved(h);
	finisher(h);
	end_flushes(h);
}

void sim_oc_event(struct sim_handle *h, unsigned what, uint64_t arg)
{
	struct sim_oc *oc = h->state;

	(void)arg;
	if (what == EVENT_FINISHER) {
		oc->finisher_due = false;
		finisher(h);
		return;
	}
	if (sim_closing(h))
		return;
	flusher(h);
	sim_after(h, SIM_OC_FLUSHER_NS, EVENT_SECOND, 0);
}

void sim_oc_space(const struct sim_handle *h, struct sim_space *ret)
{
	const struct sim_oc *oc = h->state;

	ret->held_bytes = oc->held_bytes;
	ret->occupied_bytes = oc->dirty.bytes + oc->tx_bytes;
}

const char *sim_oc_check(const struct sim_handle *h)
{
	const struct sim_oc *oc = h->state;

	if (oc->held_bytes < oc->dirty.bytes + oc->tx_bytes)
		return "dirty bytes that nobody holds";
	if (oc->clean.bytes > oc->size + h->max_bytes)
		return "more clean bytes than the cache's size";
	/* Writers do not count each other: what is in flight comes on top. */
	if (oc->dirty.bytes + oc->tx_bytes > oc->max_dirty +
		(uint64_t)(h->streams + 1) * h->max_bytes + oc->waiting_bytes)
		return "more dirty bytes than max_dirty and the writes in flight";
	return NULL;
}
