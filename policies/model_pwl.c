/* model_pwl.c - the persistent write log above its log path: refreshes, writeback, a full log.
 *
 * librbd writes the log's state into the image's metadata whenever the log turns from clean to
 * dirty or back. Each such write makes the image refresh itself (R, about five serial reads from
 * the OSDs), and every client operation that arrives meanwhile waits for it. So what decides is
 * whether writeback catches up between two operations of the client:
 *   the client outruns writeback       the log stays dirty, no refreshes: the log path alone. But
 *                                      one pause starts the refreshes, whose stalls let writeback
 *                                      catch up: bistable, no closed criterion is known.
 *   pause < d_r + b + 2r               the write and the flush both meet a refresh: 2R + log path
 *   longer                             the write alone meets one: R + log path
 * Source: ceph src/librbd/cache/pwl/AbstractWriteLog.cc, ImageCacheState.cc,
 * io/RefreshImageDispatch.cc, 18.2.7 and 20.2.4; measured on a one-node Reef cluster
 * (docs/advice.md).
 * Writeback keeps the order of the flushes: one generation of writes after another, in it at most
 * 65 side by side. A full log completes nothing until a large part of it has been retired.
 */
#include "policies/model_pwl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PWL_MAX_WRITES    65.0  /* IN_FLIGHT_FLUSH_WRITE_LIMIT is 64, tested with <= */
#define PWL_MAX_BYTES     1048576.0 /* IN_FLIGHT_FLUSH_BYTES_LIMIT, overshot by one entry */
#define PWL_GENERATION    256.0 /* MAX_WRITES_PER_SYNC_POINT */
#define PWL_OVERHEAD      12288.0 /* superblock, unused block, one control block */
/* A full log stalls for this share of the time that writing all of it back takes. One measured
 * run: 1 GiB, 4 KiB random, depth 32: 13,000 to 30,000 IOPS for 8 s, then nothing for 23 s. */
#define PWL_STALL_SHARE   0.35
/* Paced load: the share of operations that meet one refresh more (the state
 * write every 5 s, a late bump). Chosen for the measured p99 of pauses of 5 and 10 ms. */
#define PWL_LATE_REFRESH  0.1
/* A refresh beside writeback and state writes takes longer than one alone (measured at a pause of
 * 3 ms: 3.9 and 4.5 ms at the median, 14.6 at p99, where one alone takes 2.7 and 7.1). */
#define PWL_BUSY_REFRESH  1.5

struct pwl_load {
	double generation;  /* writes between two sync points */
	double writeback_ns; /* a generation into the cluster */
	double writeback_iops;
	double log_cycle_ns; /* a generation into the log, no pause */
};

static struct pwl_load pwl_load(const struct model_input *in, const struct pwl_path *p)
{
	const struct workload *w = in->load;
	double b = dist_mean(model_write(in->backend, w->write_bytes));
	double k = in->backend->concurrency / in->images, side_by_side, n;
	struct pwl_load l;

	/* Any flush of any stream closes the generation of all of them. */
	n = w->syncs_per_write > 0 ? workload_writes(w) : PWL_GENERATION;
	l.generation = fmin(fmin(n * w->depth, PWL_GENERATION),
		fmax(1, floor(MODEL_PWL_RAM_BYTES / w->write_bytes)));
	side_by_side = fmin(fmin(l.generation, PWL_MAX_WRITES),
		fmin(floor(PWL_MAX_BYTES / w->write_bytes) + 1, fmax(1, k)));
	/* Where more images than the cluster has servers write at once, each gets a share of one. */
	l.writeback_ns = ceil(l.generation / side_by_side) * (p->read_ns + b) *
		fmax(1, 1 / k) + in->backend->hop_ns;
	l.writeback_iops = l.generation * 1e9 / l.writeback_ns;
	l.log_cycle_ns = n * dist_mean(p->write) +
		(w->syncs_per_write > 0 ? dist_mean(p->flush) : 0);
	return l;
}

/* What one write, one flush, the two and the guest's sync cost in one of the regimes. */
struct ops {
	struct dist write, flush, pair, guest_sync;
};

static struct ops ops_of(const struct workload *w, const struct pwl_path *p, struct dist write,
	struct dist flush, struct dist log_pair)
{
	/* Of n writes the first meets the refresh, the others follow within the log path. */
	struct dist each = dist_mix(p->write, write, 1 / workload_writes(w));
	struct ops o = { each, flush, dist_sum(each, flush), DIST_UNKNOWN };

	if (w->syncs_per_write > 0) {
		o.guest_sync = o.pair;
		/* Data and journal go in one generation. The commit block follows within the log
		 * path: before the state write that the first write started has reached the
		 * cluster. */
		if (w->stack == STACK_FS_APPEND)
			o.guest_sync = dist_sum(o.pair, log_pair);
	}
	return o;
}

/* either - the favourable median with the unfavourable tail. */
static struct dist either(struct dist good, struct dist bad)
{
	return (struct dist){ good.p50_ns, fmax(good.p99_ns, bad.p99_ns),
		fmax(good.p999_ns, bad.p999_ns) };
}

static void set_ops(struct prediction *ret, const struct ops *good, const struct ops *bad)
{
	ret->write = either(good->write, bad->write);
	ret->flush = either(good->flush, bad->flush);
	ret->pair = either(good->pair, bad->pair);
	ret->guest_sync = dist_known(good->guest_sync) ?
		either(good->guest_sync, bad->guest_sync) : DIST_UNKNOWN;
}

static void with_syncs(const struct model_input *in, const struct pwl_path *p,
	const struct pwl_load *l, struct prediction *ret)
{
	const struct workload *w = in->load;
	struct dist r = in->backend->refresh, log_pair = dist_sum(p->write, p->flush);
	struct dist slow_write = dist_sum(r, p->write), slow_flush = dist_sum(r, p->flush);
	struct ops fast = ops_of(w, p, p->write, p->flush, log_pair);
	struct dist busy = dist_scale(r, PWL_BUSY_REFRESH);
	struct ops slow = ops_of(w, p, dist_sum(busy, p->write), dist_sum(busy, p->flush),
		log_pair);
	struct ops paced = ops_of(w, p, dist_mix(slow_write, dist_sum(r, slow_write),
			PWL_LATE_REFRESH), dist_mix(p->flush, slow_flush, PWL_LATE_REFRESH), log_pair);
	double pause = model_pause(in);
	double settle = p->read_ns + dist_mean(model_write(in->backend, w->write_bytes)) +
		2 * r.p50_ns / MODEL_REFRESH_READS;

	ret->certainty = CERTAINTY_ROUGH;
	if (l->log_cycle_ns + pause < l->writeback_ns) {
		set_ops(ret, &fast, &slow);
		ret->certainty = CERTAINTY_UNSURE;
		ret->regime = "bistable";
		snprintf(ret->why, sizeof(ret->why), "the client outruns writeback: the log path "
			"alone, or two refreshes a sync once writeback catches up; a closed form "
			"cannot tell which");
	} else if (pause < settle) {
		set_ops(ret, &slow, &slow);
		ret->regime = "draining";
		snprintf(ret->why, sizeof(ret->why), "writeback drains during the pause and the log "
			"turns clean and dirty each time: up to two image refreshes a sync");
	} else {
		set_ops(ret, &paced, &paced);
		ret->regime = "paced";
		snprintf(ret->why, sizeof(ret->why), "the log is clean before each write: one image "
			"refresh a sync");
	}
}

/* fill - when the log is full, and for how long it then stands still. */
static void fill(const struct model_input *in, const struct pwl_path *p, const struct pwl_load *l,
	double iops, struct prediction *ret)
{
	double capacity = in->set->pwl_bytes - PWL_OVERHEAD;
	double burst = in->load->burst_bytes / in->load->write_bytes * p->ring_bytes;
	double excess = (iops - l->writeback_iops) * p->ring_bytes;

	if (!(excess > 0))
		return;
	if (in->load->burst_bytes > 0) {
		double cycle_s = in->load->burst_gap_ns / 1e9;

		if (burst <= capacity &&
		    burst <= l->writeback_iops * p->ring_bytes * (cycle_s +
			    burst / (iops * p->ring_bytes)))
			return;
	}
	ret->fill_seconds = capacity / excess;
	ret->stall_seconds = PWL_STALL_SHARE * capacity / (p->ring_bytes * l->writeback_iops);
	ret->iops = fmin(ret->iops, l->writeback_iops);
	ret->regime = strcmp(ret->regime, "bistable") == 0 ? "bistable" : "filling";
}

void pwl_evaluate(const struct model_input *in, const struct pwl_path *p, struct prediction *ret)
{
	const struct workload *w = in->load;
	struct pwl_load l = pwl_load(in, p);
	double iops;

	model_unknown(ret, "the stall of an image refresh is unknown: state meta= or refresh=, or "
		"measure the image");
	ret->memory_bytes = MODEL_PWL_RAM_BYTES;
	ret->at_risk_bytes = in->set->pwl_bytes;
	if (!dist_known(in->backend->refresh))
		return;
	if (w->syncs_per_write > 0) {
		with_syncs(in, p, &l, ret);
		/* In the favourable regime it can be the faster of the two; that is what fills it. */
		iops = w->depth * workload_writes(w) * 1e9 / (model_pause(in) +
			(strcmp(ret->regime, "bistable") == 0 ? l.log_cycle_ns :
			workload_writes(w) * dist_mean(ret->write) + dist_mean(ret->flush)));
	} else {
		ret->write = p->write;
		ret->flush = p->flush;
		ret->pair = dist_sum(p->write, p->flush);
		ret->regime = "log";
		ret->certainty = CERTAINTY_ROUGH;
		snprintf(ret->why, sizeof(ret->why), "writes are acknowledged from the log while it "
			"has room");
		iops = w->depth * 1e9 / (dist_mean(p->write) + model_pause(in));
	}
	ret->iops = model_long_run(in, iops);
	fill(in, p, &l, iops, ret);
}

double pwl_fit_bytes(const struct workload *w)
{
	/* A small write takes its own blocks and at worst a control block of its own. */
	double ring = w->burst_bytes / w->write_bytes *
		(ceil(w->write_bytes / 4096) * 4096 + 4096);
	double gib = ceil(2 * ring / MODEL_PWL_MIN_BYTES);

	return fmin(fmax(1, gib), 64) * MODEL_PWL_MIN_BYTES;
}
