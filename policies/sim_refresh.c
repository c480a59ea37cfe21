/* sim_refresh.c - metadata writes of an image, and the refresh that they cost the client. */
#include "policies/sim_refresh.h"

#include "policies/sim_constants.h"

enum { HEADER_READ, HEADER_WRITE, HEADER_NOTIFY };

void sim_refresh_init(struct sim_refresh *r, unsigned reads,
	void (*pass)(struct sim_handle *h, struct sim_op *op))
{
	*r = (struct sim_refresh){ .pass = pass, .reads = reads ? reads : SIM_REFRESH_READS };
}

static void submit(struct sim_handle *h, unsigned kind)
{
	enum sim_service service = kind == HEADER_WRITE ? SIM_B_META_WRITE : SIM_B_META_READ;

	if (kind == HEADER_NOTIFY && sim_tables(h)[SIM_B_NOTIFY].known)
		service = SIM_B_NOTIFY;
	sim_submit(h, service, 0, kind);
}

/* grant - start what may have the object, in order. */
static void grant(struct sim_handle *h, struct sim_refresh *r)
{
	while (r->queued) {
		unsigned kind = r->queue[r->first];

		if (kind == HEADER_WRITE ? r->readers > 0 : r->writers > 0)
			return;
		r->first = (r->first + 1) % SIM_HEADER_MAX;
		r->queued--;
		*(kind == HEADER_WRITE ? &r->writers : &r->readers) += 1;
		submit(h, kind);
	}
}

static void request(struct sim_handle *h, struct sim_refresh *r, unsigned kind)
{
	r->queue[(r->first + r->queued++) % SIM_HEADER_MAX] = (uint8_t)kind;
	grant(h, r);
}

void sim_refresh_change(struct sim_handle *h, struct sim_refresh *r)
{
	if (r->under_way + 2 >= SIM_HEADER_MAX)
		return;
	r->under_way++;
	sim_count(h, SIM_COUNT_META_WRITES, 1);
	request(h, r, HEADER_WRITE);
}

static void start(struct sim_handle *h, struct sim_refresh *r)
{
	r->running = true;
	r->running_seq = r->seq;
	r->left = r->reads;
	sim_count(h, SIM_COUNT_REFRESHES, 1);
	request(h, r, HEADER_READ);
}

void sim_refresh_arrive(struct sim_handle *h, struct sim_refresh *r, struct sim_op *op)
{
	op->b = sim_now(h);
	if (!r->running && r->seq == r->last) {
		r->pass(h, op);
		return;
	}
	sim_fifo_push(r->running && r->running_seq != r->seq ? &r->next : &r->now, op);
	if (!r->running)
		start(h, r);
}

static void release(struct sim_handle *h, struct sim_refresh *r)
{
	struct sim_fifo ready = r->now;
	struct sim_op *op;

	r->last = r->running_seq;
	r->running = false;
	r->now = r->next;
	r->next = (struct sim_fifo){ 0 };
	if (r->now.len)
		start(h, r);
	while ((op = sim_fifo_pop(&ready))) {
		sim_spend(h, SIM_AT_REFRESH, sim_now(h) - op->b);
		r->pass(h, op);
	}
}

void sim_refresh_done(struct sim_handle *h, struct sim_refresh *r, uint64_t cookie)
{
	if (cookie == HEADER_WRITE) {
		r->writers--;
		r->seq++; /* own notify_update(), then the notify itself */
		request(h, r, HEADER_NOTIFY);
	} else {
		r->readers--;
		if (cookie == HEADER_NOTIFY) {
			r->seq++; /* own watch callback */
			r->under_way--;
			sim_count(h, SIM_COUNT_NOTIFIES, 1);
		} else if (--r->left) {
			request(h, r, HEADER_READ);
		} else {
			release(h, r);
		}
	}
	grant(h, r);
}
