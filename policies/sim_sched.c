/* sim_sched.c - librbd's simple I/O scheduler, below the caches of one opened image.
 *
 * The first write to an object of 4 MiB goes straight out and leads; writes to the same object
 * that come while the leader is under way are held, touching ones joined, and all go out when it
 * is over (each joined run is one operation). They lead nothing: the next write after them is a
 * leader again. A write that overlaps a held one sends the held ones out and leads.
 * Left out: the timer (half the sum of the last ten latencies, so about 5 x the mean).
 * Source: ceph 18.2.7 src/librbd/io/SimpleSchedulerObjectDispatch.cc (try_delay_request,
 * dispatch_delayed_requests, register_in_flight_request).
 */
#include "policies/sim_part.h"

int sim_sched_init(struct sim *s, struct sim_handle *h)
{
	h->sched = sim_take(s, 1, sizeof(*h->sched));
	if (!h->sched)
		return -1;
	h->sched->objects = (uint32_t)(h->span_bytes / SIM_OBJECT_BYTES + 2);
	h->sched->object = sim_take(s, h->sched->objects, sizeof(*h->sched->object));
	return h->sched->object ? 0 : -1;
}

static void submit(struct sim_handle *h, struct sim_extent *x)
{
	sim_objecter_submit(h, x->service, x->bytes, (uint64_t)(x - h->sim->extent),
		SIM_TO_SCHED);
}

static void send_held(struct sim_handle *h, struct sim_object *o)
{
	struct sim_extent *x = o->held, *next;

	o->held = NULL;
	for (; x; x = next) {
		next = x->next;
		h->sched->held--;
		submit(h, x);
	}
}

static void join_members(struct sim_extent *into, struct sim_member *m)
{
	while (m) {
		struct sim_member *next = m->next;

		m->next = into->members;
		into->members = m;
		m = next;
	}
}

static void release(struct sim *s, struct sim_extent *x)
{
	x->next = s->free_extent;
	s->free_extent = x;
}

/* hold - put @x among the held ones of @o; false where it overlaps one of them. */
static bool hold(struct sim_handle *h, struct sim_object *o, struct sim_extent *x)
{
	struct sim *s = h->sim;
	struct sim_extent **at = &o->held, *before = NULL, *after;

	while (*at && (*at)->offset + (*at)->bytes <= x->offset) {
		before = *at;
		at = &(*at)->next;
	}
	after = *at;
	if (after && after->offset < x->offset + x->bytes)
		return false;
	s->res->counter[SIM_COUNT_HELD]++;
	if (before && before->offset + before->bytes == x->offset) {
		before->bytes += x->bytes;
		join_members(before, x->members);
		release(s, x);
		s->res->counter[SIM_COUNT_MERGED]++;
		x = before;
	} else {
		x->next = after;
		*at = x;
		h->sched->held++;
	}
	if (after && x->offset + x->bytes == after->offset) {
		x->bytes += after->bytes;
		x->next = after->next;
		join_members(x, after->members);
		release(s, after);
		h->sched->held--;
		s->res->counter[SIM_COUNT_MERGED]++;
	}
	return true;
}

static void data_write(struct sim_handle *h, enum sim_service service, uint64_t offset,
	uint64_t bytes, uint64_t cookie)
{
	struct sim *s = h->sim;
	struct sim_extent *x = s->free_extent;
	struct sim_member *m = s->free_member;
	struct sim_object *o;

	if (!x || !m || offset / SIM_OBJECT_BYTES >= h->sched->objects) {
		s->broken = "more writes under way than a model's bound said";
		return;
	}
	s->free_extent = x->next;
	s->free_member = m->next;
	*m = (struct sim_member){ .cookie = cookie, .bytes = bytes };
	*x = (struct sim_extent){ .offset = offset, .bytes = bytes, .members = m,
		.object = (uint32_t)(offset / SIM_OBJECT_BYTES), .service = service };
	if (h->cfg->no_scheduler) {
		submit(h, x);
		return;
	}
	o = &h->sched->object[x->object];
	if (o->leader && hold(h, o, x))
		return;
	send_held(h, o);
	if (++h->sched->seq == 0)
		h->sched->seq = 1;
	o->leader = x->seq = h->sched->seq;
	submit(h, x);
}

/* is_next - has this image had something at the cluster just before? */
static bool is_next(const struct sim_handle *h)
{
	const struct sim_objecter *o = h->objecter;
	const struct sim_config *cfg = h->sim->cfg;

	return cfg->rest_ns > 0 && cfg->service[SIM_B_NEXT].known &&
		(o->under_way > 0 || h->sim->now_ns - o->last_ns < cfg->rest_ns);
}

void sim_data_write_back(struct sim_handle *h, uint64_t offset, uint64_t bytes, uint64_t cookie)
{
	data_write(h, is_next(h) ? SIM_B_NEXT_AWAKE : SIM_B_WRITE, offset, bytes, cookie);
}

void sim_data_write(struct sim_handle *h, uint64_t offset, uint64_t bytes, uint64_t cookie)
{
	data_write(h, is_next(h) ? SIM_B_NEXT : SIM_B_WRITE, offset, bytes, cookie);
}

void sim_data_write_awake(struct sim_handle *h, uint64_t offset, uint64_t bytes, uint64_t cookie)
{
	const struct sim_table *t = h->sim->cfg->service;
	bool next = is_next(h);
	enum sim_service awake = next ? SIM_B_NEXT_AWAKE : SIM_B_WRITE_AWAKE;

	data_write(h, t[awake].known ? awake : next ? SIM_B_NEXT : SIM_B_WRITE, offset, bytes, cookie);
}

void sim_data_flush(struct sim_handle *h)
{
	for (uint32_t i = 0; h->sched->held && i < h->sched->objects; i++)
		send_held(h, &h->sched->object[i]);
}

void sim_sched_over(struct sim_handle *h, uint64_t cookie)
{
	struct sim *s = h->sim;
	struct sim_extent x = s->extent[cookie];
	struct sim_object *o = &h->sched->object[x.object];
	struct sim_member *m, *next;

	release(s, &s->extent[cookie]);
	if (x.seq && o->leader == x.seq) {
		o->leader = 0;
		send_held(h, o);
	}
	for (m = x.members; m; m = next) {
		uint64_t of = m->cookie;

		next = m->next;
		s->res->committed_bytes += m->bytes;
		m->next = s->free_member;
		s->free_member = m;
		h->cfg->model->written(h, of);
	}
}
