/* sim_lock.c - exclusive-lock hand-over between handles of one RBD image.
 *
 * With the exclusive-lock feature one handle at a time may write. Another one that wants to asks
 * the owner, who stops taking operations, waits for its own, and gives the lock up; the new owner
 * lets in what had queued, and gives it up again if somebody waits. A turn of the lock is a serial
 * chain on the header object:
 *   request notify, unlock (a write of the header), released notify, lock (a write), acquired
 *   notify, refresh of the image (k reads).
 * A notify costs one metadata read's time for every handle that watches the header: each of them
 * acknowledges, and they take turns on the object. So a turn takes
 *   2 x meta write + (3 x handles + k) x meta read + the operations that were let in.
 * Who gets the lock next is a race of all that ask: any of them, which makes the tail long.
 * Nothing here is fitted. Held against measured clients (tests/measured/clients): one handle at
 * depth 32, two and eight at depth 4 with and without the lock; make accuracy prints them.
 * Sources: ceph 18.2.7 src/librbd/ManagedLock.cc, exclusive_lock/PreReleaseRequest.cc,
 * exclusive_lock/PostAcquireRequest.cc, watcher/Notifier.cc; the handler of a lost lock in
 * io/ImageDispatcher (EXCLUSIVE_LOCK layer stands above REFRESH).
 */
#include "policies/sim_lock.h"

#include "policies/sim_constants.h"

#define NOTIFIES 3u

enum turn { TURN_OWNED, TURN_STOPPING, TURN_CHAIN };

struct lock_handle {
	struct lock_group *group;
	struct sim_handle *handle;
	struct sim_fifo waiting;
	struct lock_handle *next; /* in the group's queue */
	bool queued;
};

struct lock_group {
	struct lock_handle *owner, *first, *last; /* first, last: who asks for it */
	uint32_t handles, inside;                 /* inside: operations of the owner */
	enum turn turn;
	uint32_t step, reads_left, asking;
	struct sim_rng rng;
};

static bool contends(const struct sim_image *a, const struct sim_image *b)
{
	return !a->no_lock && !b->no_lock && a->shared == b->shared;
}

bool sim_lock_known(const struct sim_config *c)
{
	for (unsigned i = 0; i < c->images; i++)
		for (unsigned k = 0; k < i; k++)
			if (contends(&c->image[i], &c->image[k]) &&
				(c->image[i].set.mode > CACHE_WRITETHROUGH ||
				c->image[k].set.mode > CACHE_WRITETHROUGH))
				return false;
	return true;
}

static struct lock_handle *earlier(struct sim_handle *handles, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (contends(handles[i].cfg, handles[k].cfg))
			return handles[k].gate;
	return NULL;
}

static int init(struct sim *s, struct sim_handle *handles, unsigned n)
{
	(void)s;
	for (unsigned i = 0; i < n; i++) {
		struct sim_handle *h = &handles[i];
		struct lock_handle *l, *other = earlier(handles, i);

		if (h->cfg->no_lock)
			continue;
		l = sim_alloc(h, sizeof(*l));
		if (!l)
			return -1;
		l->handle = h;
		l->group = other ? other->group : sim_alloc(h, sizeof(*l->group));
		if (!l->group)
			return -1;
		if (l->group->handles++ == 0)
			sim_rng_seed(&l->group->rng, i, 0x10cc);
		h->gate = l;
	}
	return 0;
}

static void let_in(struct lock_handle *l)
{
	struct sim_op *op;

	while ((op = sim_fifo_pop(&l->waiting))) {
		l->group->inside++;
		sim_spend(l->handle, SIM_AT_LOCK, sim_now(l->handle) - op->b);
		op->b = 0;
		sim_enter(l->handle, op);
	}
}

/* next_step - of the chain of a turn; the handle that asks pays for all of it. */
static void next_step(struct lock_group *g)
{
	struct sim_handle *h = g->first->handle;

	if (g->reads_left) {
		g->reads_left--;
		sim_gate_submit(h, SIM_B_META_READ, 0);
		return;
	}
	g->step++;
	/* 1 request, 2 unlock, 3 released, 4 lock, 5 acquired, 6 refresh, 7 the end */
	if (g->step == 2 || g->step == 4) {
		sim_gate_submit(h, SIM_B_META_WRITE, 0);
		return;
	}
	if (g->step < 7) {
		g->reads_left = g->step == 6 ? h->cfg->refresh_reads : g->handles;
		if (g->reads_left == 0)
			g->reads_left = SIM_REFRESH_READS;
		next_step(g);
		return;
	}
	g->owner = g->first;
	g->first = g->owner->next;
	if (!g->first)
		g->last = NULL;
	g->owner->queued = false;
	g->asking--;
	sim_count(h, SIM_COUNT_LOCK_MOVES, 1);
	g->turn = TURN_OWNED;
	let_in(g->owner);
	if (g->first)
		g->turn = TURN_STOPPING;
}

/* pick_next - any of those that ask comes to the front; not who has just had it. */
static void pick_next(struct lock_group *g)
{
	bool again = g->owner->queued && g->asking > 1;
	uint64_t ahead = sim_rng_below(&g->rng, g->asking - again);
	struct lock_handle *before = NULL, *l = g->first;

	while (ahead > 0 || (again && l == g->owner)) {
		ahead -= l != g->owner || !again;
		before = l;
		l = l->next;
	}
	if (!before)
		return;
	before->next = l->next;
	if (g->last == l)
		g->last = before;
	l->next = g->first;
	g->first = l;
}

static void begin_chain(struct lock_group *g)
{
	pick_next(g);
	g->turn = TURN_CHAIN;
	g->step = 0;
	g->reads_left = 0;
	next_step(g);
}

static void arrive(struct sim_handle *h, struct sim_op *op)
{
	struct lock_handle *l = h->gate;
	struct lock_group *g = l->group;

	if (!g->owner) {
		g->owner = l; /* whoever is first has it before the load starts */
		g->turn = TURN_OWNED;
	}
	if (g->owner == l && g->turn == TURN_OWNED) {
		g->inside++;
		sim_enter(h, op);
		return;
	}
	op->b = sim_now(h);
	sim_fifo_push(&l->waiting, op);
	if (!l->queued) {
		l->queued = true;
		g->asking++;
		l->next = NULL;
		if (g->last)
			g->last->next = l;
		else
			g->first = l;
		g->last = l;
	}
	if (g->turn == TURN_OWNED) {
		g->turn = TURN_STOPPING;
		if (g->inside == 0)
			begin_chain(g);
	}
}

static void answered(struct sim_handle *h, struct sim_op *op)
{
	struct lock_group *g = ((struct lock_handle *)h->gate)->group;

	(void)op;
	if (--g->inside == 0 && g->turn == TURN_STOPPING)
		begin_chain(g);
}

static void done(struct sim_handle *h, enum sim_service service, uint64_t cookie)
{
	(void)service;
	(void)cookie;
	next_step(((struct lock_handle *)h->gate)->group);
}

const struct sim_gate_ops sim_exclusive_lock = {
	.init = init,
	.arrive = arrive,
	.done = done,
	.answered = answered,
};
