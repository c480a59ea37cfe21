/* model_load.c - what the models share: the load on the backend, and a cache in memory. */
#include "policies/model.h"

#include <math.h>
#include <stdio.h>

/* An acknowledgement from memory spreads: p99 4 x, p99.9 8 x its median (measured: 2.5 to 6). */
#define ACK_P99   4.0
#define ACK_P999  8.0
/* Acknowledgements pass one finisher thread; four in flight before they queue (measured: 16 in
 * flight take 0.26 to 0.46 ms where one takes 0.02 to 0.06). */
#define ACK_DEPTH 4.0

struct dist model_write(const struct model_backend *b, double bytes)
{
	return bytes <= 4096 ? b->write :
		dist_shift(b->write, (bytes - 4096) * 1e9 / MODEL_STREAM_BPS);
}

double model_pause(const struct model_input *in)
{
	return in->load->burst_bytes > 0 ? 0 : in->load->think_ns;
}

static double streams(const struct model_input *in)
{
	return in->load->depth * in->images;
}

struct dist model_queued_write(const struct model_input *in)
{
	struct dist b = model_write(in->backend, in->load->write_bytes);
	double n = workload_writes(in->load), alone = dist_mean(b);
	double queued = streams(in) * alone / in->backend->concurrency - model_pause(in) / n;

	return queued > alone ? dist_scale(b, queued / alone) : b;
}

double model_direct_iops(const struct model_input *in, struct dist write, double flush_ns)
{
	double n = workload_writes(in->load);
	double cycle = n * dist_mean(write) + flush_ns + model_pause(in);

	return model_long_run(in, in->load->depth * n * 1e9 / cycle);
}

double model_long_run(const struct model_input *in, double iops)
{
	double writes = in->load->burst_bytes / in->load->write_bytes;

	return writes > 0 ? writes / (writes / iops + in->load->burst_gap_ns / 1e9) : iops;
}

double model_drain_bps(const struct model_input *in)
{
	double b = dist_mean(model_write(in->backend, in->load->write_bytes));

	return in->backend->concurrency / in->images * in->load->write_bytes * 1e9 / b;
}

struct dist model_ack(const struct model_input *in, double hops)
{
	double ns = hops * in->backend->hop_ns * fmax(1, in->load->depth / ACK_DEPTH);

	return (struct dist){ ns, ns * ACK_P99, ns * ACK_P999 };
}

void model_unknown(struct prediction *ret, const char *why)
{
	*ret = (struct prediction){ .write = DIST_UNKNOWN, .flush = DIST_UNKNOWN,
		.pair = DIST_UNKNOWN, .guest_sync = DIST_UNKNOWN, .iops = NAN,
		.fill_seconds = NAN, .stall_seconds = NAN, .memory_bytes = NAN,
		.at_risk_bytes = NAN, .regime = "unknown", .certainty = CERTAINTY_UNSURE };
	snprintf(ret->why, sizeof(ret->why), "%s", why);
}

/* overflow_share - the share of writes that find the cache full, and when it is full. */
static double overflow_share(const struct model_input *in, double ack_ns, double capacity,
	bool absorbs, double *ret_fill_s)
{
	const struct workload *w = in->load;
	double drain = model_drain_bps(in);
	double demand = w->burst_bytes, n = workload_writes(w), unflushed, inflow, share;

	*ret_fill_s = NAN;
	/* A flush empties the cache: no more than what lies between two flushes can pile up. */
	unflushed = w->syncs_per_write > 0 ? n * w->depth * w->write_bytes : INFINITY;
	if (absorbs && w->working_set_bytes > 0) {
		unflushed = fmin(unflushed, w->working_set_bytes);
		if (demand > 0)
			demand = fmin(demand, w->working_set_bytes);
	}
	if (unflushed <= capacity)
		return 0;
	inflow = w->depth * w->write_bytes * 1e9 / (ack_ns + (demand > 0 ? 0 : w->think_ns / n));
	if (inflow <= drain)
		return 0;
	if (demand > 0) {
		double piled = demand * (1 - drain / inflow);
		double cycle_s = demand / inflow + w->burst_gap_ns / 1e9;

		share = fmax(0, (piled - capacity) / demand);
		/* What does not drain before the next burst comes on top. */
		share = fmax(share, 1 - drain * cycle_s / demand);
		if (share <= 0)
			return 0;
	} else {
		share = 1;
	}
	*ret_fill_s = capacity / (inflow - drain);
	return share;
}

/* memory_flush - a flush over everything unwritten: rounds of K writes side by side. */
static struct dist memory_flush(const struct model_input *in, double hops, double writes)
{
	struct dist b = model_write(in->backend, in->load->write_bytes);
	double k = in->backend->concurrency / in->images; /* below 1 where images share a server */

	return dist_shift(dist_scale(dist_max_of(b, fmin(writes, fmax(1, k))), fmax(1, writes / k)),
		hops * in->backend->hop_ns);
}

void model_memory_cache(const struct model_input *in, const struct memory_cache *m,
	struct prediction *ret)
{
	const struct workload *w = in->load;
	struct dist ack = model_ack(in, m->ack_hops);
	struct dist blocked = dist_scale(model_queued_write(in), m->blocked_factor);
	double capacity = in->set->max_dirty_bytes, n = workload_writes(w), cycle, share;
	double dirty = n * w->depth * w->write_bytes, drain_iops;
	/* Writeback that starts inside a burst competes with it (measured: p99 2.0 to 6.1 ms). */
	double peak = m->absorbs && w->working_set_bytes > 0 ?
		fmin(w->burst_bytes, w->working_set_bytes) : w->burst_bytes;

	model_unknown(ret, "");
	if (m->absorbs && peak > in->set->target_dirty_bytes)
		ack.p99_ns += dist_mean(in->backend->write);
	if (ack.p999_ns < ack.p99_ns)
		ack.p999_ns = ack.p99_ns;
	share = overflow_share(in, ack.p50_ns, capacity, m->absorbs, &ret->fill_seconds);
	ret->write = dist_mix(ack, blocked, share);
	ret->flush = memory_flush(in, m->flush_hops, fmax(1, fmin(dirty, capacity) /
		w->write_bytes));
	ret->pair = dist_sum(ret->write, ret->flush);
	if (w->syncs_per_write > 0) {
		/* Data and journal leave together, the commit block alone after them. */
		ret->guest_sync = w->stack == STACK_FS_APPEND ?
			dist_sum(dist_sum(ret->pair, ack),
				memory_flush(in, m->ack_hops + m->flush_hops, 1)) : ret->pair;
		/* See model_direct(). */
		if (dist_known(in->backend->guest_sync))
			ret->guest_sync = in->backend->guest_sync;
	}
	cycle = n * dist_mean(ret->write) + model_pause(in) +
		(w->syncs_per_write > 0 ? dist_mean(ret->flush) : 0);
	ret->iops = model_long_run(in, w->depth * n * 1e9 / cycle);
	drain_iops = model_drain_bps(in) / w->write_bytes;
	/* What is written again before it leaves costs the backend nothing. */
	if (!(m->absorbs && w->working_set_bytes > 0 &&
	      w->working_set_bytes <= in->set->max_dirty_bytes))
		ret->iops = fmin(ret->iops, drain_iops);
	ret->at_risk_bytes = capacity;
	ret->regime = share > 0 ? "overflow" : "absorbed";
	ret->certainty = share > 0 || w->burst_bytes > 0 ? CERTAINTY_ROUGH : CERTAINTY_DERIVED;
	if (share > 0)
		snprintf(ret->why, sizeof(ret->why), "%.0f %% of the writes find max_dirty "
			"reached and wait for the cluster", share * 100);
	else
		snprintf(ret->why, sizeof(ret->why), "writes are acknowledged from memory; a flush "
			"still waits for the cluster");
}
