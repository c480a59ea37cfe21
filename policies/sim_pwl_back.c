/* sim_pwl_back.c - writing the log back to the cluster, and when the log calls itself clean.
 *
 * Eager: as soon as an entry is persisted, in persist-on-flush as soon as the sync point behind it
 * is. An entry goes when its generation is not above the lowest one under way: generations go one
 * after the other. Up to 65 writes, and 1 MiB before the last one. Each is read back from the
 * drive (its copy in memory went with the append), the reads of one pass together, before any of
 * them is written. Nothing is merged in the log: a block that was written twice is written twice.
 * Clean -> dirty when a write gets its space, dirty -> clean when nothing persisted waits and
 * nothing is under way: each turn rewrites the state in the image's metadata.
 * Source: AbstractWriteLog.cc (process_writeback_dirty_entries, can_flush_entry, check_allocation,
 * wake_up), ssd/WriteLog.cc (process_work, construct_flush_entries).
 */
#include "policies/sim_pwl.h"

void pwl_state_changed(struct sim_handle *h, struct pwl *p)
{
	if (!sim_closing(h))
		sim_refresh_change(h, &p->refresh);
}

void pwl_wake(struct sim_handle *h, struct pwl *p)
{
	if (p->work_called)
		return;
	p->work_called = true;
	sim_after(h, pwl_hops(h, SIM_PWL_WAKE_HOPS), PWL_EV_WORK, 0);
}

void pwl_work(struct sim_handle *h, struct pwl *p)
{
	bool hard = p->closing || (double)p->allocated > PWL_RETIRE_HARD_AT * (double)p->cap;

	p->busy_until = sim_now(h);
	if (p->alloc_failed || p->closing || (double)p->allocated > PWL_RETIRE_AT * (double)p->cap)
		pwl_retire(h, p, hard ? PWL_RETIRE_HARD : PWL_RETIRE_SOFT);
	pwl_dispatch_deferred(h, p);
	pwl_writeback(h, p);
}

/* candidate - the next persisted write that is not on its way; UINT64_MAX: there is none. */
static uint64_t candidate(struct pwl *p)
{
	while (p->back < p->persisted && (pwl_entry(p, p->back)->flags & PWL_SYNC))
		p->back++;
	return p->back < p->persisted ? p->back : UINT64_MAX;
}

static bool may_go(const struct pwl *p, const struct pwl_entry *e)
{
	if (p->flight && e->gen > p->flight_gen)
		return false;
	return ((e->flags & PWL_SEQUENCED) || e->gen < p->synced_gen) &&
		p->flight <= PWL_FLIGHT_WRITES && p->flight_bytes <= PWL_FLIGHT_BYTES;
}

static void read_batch(struct sim_handle *h, struct pwl *p, uint64_t first, uint32_t writes)
{
	uint32_t number = p->free_batch;
	struct pwl_batch *b = &p->batch[number];

	p->free_batch = b->next;
	*b = (struct pwl_batch){ .first = first, .writes = writes, .left = writes };
	for (uint64_t i = first; writes > 0; i++) {
		const struct pwl_entry *e = pwl_entry(p, i);

		if (e->flags & PWL_SYNC)
			continue;
		sim_submit(h, SIM_L_READ4K, e->bytes, PWL_COOKIE_BATCH + number);
		writes--;
	}
}

void pwl_writeback(struct sim_handle *h, struct pwl *p)
{
	uint64_t first = 0, i;
	uint32_t taken = 0;

	while (taken < PWL_FLIGHT_WRITES) {
		struct pwl_entry *e;

		i = candidate(p);
		if (i == UINT64_MAX) {
			if (p->flight == 0 && taken == 0 && !p->clean) {
				p->clean = true;
				pwl_state_changed(h, p);
			}
			break;
		}
		e = pwl_entry(p, i);
		if (!may_go(p, e))
			break;
		if (taken++ == 0)
			first = i;
		p->back = i + 1;
		if (p->flight == 0 || e->gen < p->flight_gen)
			p->flight_gen = e->gen;
		p->flight++;
		p->flight_bytes += e->bytes;
	}
	if (taken)
		read_batch(h, p, first, taken);
	else if (p->drain && p->back == p->tail && p->flight == 0)
		pwl_drained(h, p);
}

void pwl_read_back(struct sim_handle *h, struct pwl *p, uint64_t batch)
{
	struct pwl_batch *b = &p->batch[batch];
	uint32_t writes = b->writes;

	for (uint64_t i = b->first; writes > 0; i++) {
		const struct pwl_entry *e = pwl_entry(p, i);

		if (e->flags & PWL_SYNC)
			continue;
		sim_data_write_back(h, e->offset, e->bytes, i);
		writes--;
	}
	b->next = p->free_batch;
	p->free_batch = (uint32_t)batch;
}

void pwl_flushed(struct sim_handle *h, struct pwl *p, uint64_t entry)
{
	struct pwl_entry *e = pwl_entry(p, entry);

	e->flags |= PWL_FLUSHED;
	p->flight--;
	p->flight_bytes -= e->bytes;
	pwl_wake(h, p);
}
