/* sim_pwl_log.c - the log's drive: appends in spans, the superblock, retiring from the tail.
 *
 * One append at a time, of up to 256 entries; each 32 of them (or 16 MiB) are a span: one control
 * block and the data, one write of the drive; the spans of an append go out together. When the
 * last is over the superblock is written; only then are the entries persisted. Superblock writes
 * are serial, and those that wait become one: the newest, which ends them all.
 * Retiring takes whole spans from the tail whose entries are all in the cluster: one span, or as
 * many as hold eight entries; then a superblock write, and only that gives the space back.
 * Source: ssd/WriteLog.cc (append_op_log_entries, append_ops, retire_entries,
 * schedule_update_root).
 */
#include "policies/sim_pwl.h"

#include <math.h>

/* note_rest - how sluggish the threads are that this append wakes. */
static void note_rest(struct sim_handle *h, struct pwl *p)
{
	double idle = (double)(sim_now(h) - p->busy_until);

	if (p->appending || p->root_busy)
		return;
	p->chill = idle > SIM_PWL_IDLE_NS && p->busy_until ?
		1 + sim_chill(h) * log2(idle / SIM_PWL_IDLE_NS) : 1;
}

void pwl_call_appender(struct sim_handle *h, struct pwl *p)
{
	if (p->appender_called)
		return;
	p->appender_called = true;
	note_rest(h, p);
	sim_after(h, pwl_log_hops(h, p, SIM_PWL_APPENDER_HOPS), PWL_EV_APPENDER, 0);
}

/* write_span - entries [first, first + count) become one span. */
static void write_span(struct sim_handle *h, struct pwl *p, uint64_t first, uint32_t count)
{
	uint64_t bytes = PWL_BLOCK;

	p->span = p->span == UINT32_MAX ? 1 : p->span + 1;
	for (uint32_t i = 0; i < count; i++) {
		struct pwl_entry *e = pwl_entry(p, first + i);

		e->span = p->span;
		bytes += pwl_round(e->bytes);
		if (e->flags & PWL_SYNC)
			p->queued_syncs--;
	}
	/* Each entry had reserved a control block. */
	p->allocated -= (uint64_t)(count - 1) * PWL_BLOCK;
	p->spans_left++;
	sim_submit(h, SIM_L_WRITE4K, bytes, PWL_COOKIE_SPAN);
}

void pwl_appender(struct sim_handle *h, struct pwl *p)
{
	uint64_t left = p->tail - p->append, payload = 0;
	uint32_t members = 0;

	/* The root slots are many, but not without end. */
	if (p->appending || left == 0 || p->root_in_flight + p->root_waiting >= PWL_ROOT_ITEMS - 2)
		return;
	p->appending = true;
	p->append_first = p->append;
	p->append_count = left > PWL_SYNC_WRITES ? PWL_SYNC_WRITES : (uint32_t)left;
	for (uint32_t i = 0; i < p->append_count; i++) {
		if (members == PWL_SPAN_ENTRIES || payload >= PWL_SPAN_BYTES) {
			write_span(h, p, p->append_first + i - members, members);
			members = 0;
			payload = 0;
		}
		payload += pwl_entry(p, p->append_first + i)->bytes;
		members++;
	}
	write_span(h, p, p->append_first + p->append_count - members, members);
	p->append += p->append_count;
	sim_count(h, SIM_COUNT_LOG_APPENDS, 1);
	pwl_dispatch_deferred(h, p);
}

static void start_root(struct sim_handle *h, struct pwl *p)
{
	if (p->root_busy || p->root_waiting == 0)
		return;
	p->root_busy = true;
	p->root_in_flight = p->root_waiting;
	p->root_waiting = 0;
	sim_count(h, SIM_COUNT_ROOT_WRITES, 1);
	sim_submit(h, SIM_L_WRITE4K, PWL_BLOCK, PWL_COOKIE_ROOT);
}

static void add_root_item(struct sim_handle *h, struct pwl *p, struct pwl_root_item item)
{
	uint32_t at = p->root_first + p->root_in_flight + p->root_waiting;

	p->root[at % PWL_ROOT_ITEMS] = item;
	p->root_waiting++;
	start_root(h, p);
}

/* pwl_appended - the spans are on the drive; the next append need not wait for the superblock, but
 * nobody calls for it before then unless a new entry comes. */
void pwl_appended(struct sim_handle *h, struct pwl *p)
{
	p->appending = false;
	add_root_item(h, p, (struct pwl_root_item){ .first = p->append_first,
		.count = p->append_count, .since_ns = sim_now(h) });
}

/* answer - the write of @e, or the flushes that wait for its sync point. */
static void answer(struct sim_handle *h, struct pwl_entry *e, uint64_t since_ns)
{
	struct sim_op *op = e->op, *next;

	for (; op; op = next) {
		next = op->next;
		/* A flush may have joined a sync point that was on its way already. */
		sim_spend(h, SIM_AT_ROOT, sim_now(h) - (op->b > since_ns ? op->b : since_ns));
		sim_ack(h, op, sim_draw_hops(h, SIM_PWL_ACK_HOPS));
	}
	e->op = NULL;
}

static void complete_append(struct sim_handle *h, struct pwl *p, const struct pwl_root_item *item)
{
	for (uint64_t i = item->first; i < item->first + item->count; i++) {
		struct pwl_entry *e = pwl_entry(p, i);

		e->flags |= PWL_PERSISTED;
		p->persisted = i + 1;
		if (e->flags & PWL_SYNC) {
			p->synced_gen = e->gen + 1;
			answer(h, e, item->since_ns);
		} else if (e->op) {
			answer(h, e, item->since_ns);
			p->gen_persisted |= e->gen == p->gen;
			pwl_cell_released(h, p);
		}
	}
	if (p->empty) {
		p->empty = false;
		pwl_state_changed(h, p);
	}
	pwl_wake(h, p);
	if (p->append < p->tail && (p->tail - p->append >= PWL_SPAN_ENTRIES || !p->on_flush ||
		p->queued_syncs))
		pwl_call_appender(h, p);
}

static void complete_retire(struct sim_handle *h, struct pwl *p, uint64_t bytes)
{
	p->allocated -= bytes;
	p->alloc_failed = false;
	pwl_wake(h, p);
	pwl_dispatch_deferred(h, p);
	pwl_writeback(h, p);
}

void pwl_root_written(struct sim_handle *h, struct pwl *p)
{
	uint32_t n = p->root_in_flight;

	p->root_busy = false;
	p->busy_until = sim_now(h);
	while (n--) {
		struct pwl_root_item item = p->root[p->root_first];

		p->root_first = (p->root_first + 1) % PWL_ROOT_ITEMS;
		p->root_in_flight--;
		if (item.count)
			complete_append(h, p, &item);
		else
			complete_retire(h, p, item.bytes);
	}
	start_root(h, p);
}

/* span_end - one past the last entry of the span at @first if all of it may go; else @first. */
static uint64_t span_end(const struct pwl *p, uint64_t first)
{
	uint32_t span = pwl_entry(p, first)->span;
	uint64_t i;

	for (i = first; i < p->persisted && pwl_entry(p, i)->span == span; i++)
		if (!(pwl_entry(p, i)->flags & (PWL_SYNC | PWL_FLUSHED)))
			return first;
	return i;
}

bool pwl_retire(struct sim_handle *h, struct pwl *p, unsigned least)
{
	uint64_t bytes = 0, first = p->head;

	if (p->root_in_flight + p->root_waiting >= PWL_ROOT_ITEMS - 2)
		return false;
	while (p->head - first < least && p->head < p->back) {
		uint64_t end = span_end(p, p->head);

		if (end == p->head)
			break;
		bytes += PWL_BLOCK;
		for (; p->head < end; p->head++)
			bytes += pwl_round(pwl_entry(p, p->head)->bytes);
	}
	if (p->head == first)
		return false;
	sim_count(h, SIM_COUNT_RETIRED, p->head - first);
	add_root_item(h, p, (struct pwl_root_item){ .bytes = bytes });
	return true;
}
