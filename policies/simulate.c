/* simulate.c - the load as clients of the simulator, and its result as a prediction. */
#include "policies/simulate.h"

#include "policies/sim_constants.h"
#include "policies/sim_guest.h"
#include "policies/sim_lock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPAN_BYTES     (UINT64_C(4) << 30) /* of the image that a load without a hot set touches */
#define BURSTS         3.0  /* at least: the second shows what the first left behind */
#define LONG_BURST     50000.0 /* operations: one is simulated, or an advice takes a quarter minute */
#define FILLS          2.5  /* times that a cache which is outrun has to be filled in a run */
#define LONGEST_RUN    20.0 /* of it, in budgets */
#define LONGEST_NS     (UINT64_C(3600) * 1000000000)
/* Blocked writes below this share are the ends of bursts, not a cache that is too small. */
#define BLOCKED_SHARE  0.001
#define GROWN_WRITES   300.0 /* unwritten at the end: more than a generation of the log */
#define REFRESH_SHARE  0.05 /* refreshes a guest sync from which on they make the latency */

/* -- the load --------------------------------------------------------------------------------- */

/* program - what one stream does between two pauses. */
static void program(const struct workload *w, struct sim_client *c)
{
	uint32_t bytes = (uint32_t)ceil(w->write_bytes);
	uint32_t n = (uint32_t)fmin(workload_writes(w), 1e6);

	if (w->syncs_per_write > 0) {
		c->steps = sim_guest_steps(w->stack, SIM_GUEST_EXT4, bytes, n, c->step);
	} else {
		c->step[c->steps++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = bytes,
			.count = 1, .width = 1 };
	}
	if (w->think_ns > 0 && w->burst_bytes == 0)
		c->step[c->steps++] = (struct sim_step){ .kind = SIM_STEP_THINK,
			.think_ns = (uint64_t)w->think_ns };
}

/* data_share - of the writes of a program, those of the application. */
static double data_share(const struct sim_client *c)
{
	double data = 0, all = 0;

	for (unsigned i = 0; i < c->steps; i++) {
		double n = c->step[i].count > 0 ? c->step[i].count : 1;

		if (c->step[i].kind != SIM_STEP_WRITE)
			continue;
		all += n;
		data += c->step[i].journal ? 0 : n;
	}
	return data / all;
}

/* ops_a_write - operations of a program, flushes and journal included, for each write of data. */
static double ops_a_write(const struct sim_client *c)
{
	double ops = 0;

	for (unsigned i = 0; i < c->steps; i++)
		if (c->step[i].kind != SIM_STEP_THINK)
			ops += c->step[i].count > 0 ? c->step[i].count : 1;
	return ops / (c->step[0].count > 0 ? c->step[0].count : 1);
}

static void client_of(const struct workload *w, unsigned image, struct sim_client *c)
{
	double hot = fmax(w->working_set_bytes, w->write_bytes);

	*c = (struct sim_client){ .image = image, .depth = (unsigned)fmax(1, w->depth),
		.pattern = w->stack == STACK_FS_APPEND ? SIM_SEQUENTIAL : SIM_RANDOM,
		.span_bytes = SPAN_BYTES, .journal_bytes = SIM_GUEST_JOURNAL_BYTES,
		.read_fraction = w->read_fraction,
		.submit_ns = w->depth > 1 ? (uint64_t)SIM_SUBMIT_NS : 0 };
	program(w, c);
	if (w->working_set_bytes > 0) {
		c->hot_share = 1;
		c->hot_bytes = (uint64_t)hot;
	}
	if (w->burst_bytes > 0) {
		c->burst_ops = (uint64_t)fmax(1, ceil(w->burst_bytes / w->write_bytes *
			ops_a_write(c)));
		c->burst_gap_ns = (uint64_t)w->burst_gap_ns;
	}
}

/* outrun_ops - operations until a cache is full that does not have to be empty before: with less than
 * that a run tells how fast memory is. 0: each sync empties it, or it keeps nothing. */
static double outrun_ops(const struct model_input *in, const struct sim_client *c)
{
	const struct workload *w = in->load;
	const struct cache_settings *s = in->set;
	bool kept = s->mode == CACHE_WRITEBACK || s->mode == CACHE_WRITEAROUND;
	double unsynced = w->syncs_per_write > 0 ? workload_sync_bytes(w) : s->until_flush ? 0 :
		INFINITY;

	if (!kept || w->burst_bytes > 0 || unsynced <= s->max_dirty_bytes)
		return 0;
	return FILLS * s->max_dirty_bytes / w->write_bytes * ops_a_write(c);
}

/* -- one run ---------------------------------------------------------------------------------- */

struct plan {
	const struct model_input *in;
	const struct sim_table *service;
	struct sim_table fewer[SIM_SERVICE_COUNT]; /* where an image has less than one server */
	struct sim_image image[SIMULATE_IMAGES];
	struct sim_client client[SIMULATE_IMAGES];
	struct sim_config cfg;
	unsigned images;
	bool outrun;  /* what the cache holds at the end is no part of the rate */
};

static void plan_servers(struct plan *p)
{
	double share = p->in->backend->concurrency *
		(p->in->handles >= 2 ? 1 : p->images / fmax(1, p->in->images));

	p->cfg.servers = (unsigned)fmin(fmax(1, round(share)), 65536);
	p->cfg.service = p->service;
	if (share >= 0.75)
		return;
	/* Less than one server for these images: one that is slower by as much. */
	memcpy(p->fewer, p->service, sizeof(p->fewer));
	for (int i = 0; i <= SIM_B_LAST; i++)
		sim_table_scale(&p->fewer[i], 1 / share);
	p->cfg.service = p->fewer;
}

static void plan_run(struct plan *p, const struct sim_model_ops *m, uint64_t ops)
{
	const struct workload *w = p->in->load;
	double least, fit;

	client_of(w, 0, &p->client[0]);
	/* Bursts have to be simulated whole: as many images as their operations leave room for. */
	least = (double)p->client[0].burst_ops;
	least *= least > LONG_BURST ? 1 : BURSTS;
	if (least == 0)
		least = fmin(outrun_ops(p->in, &p->client[0]), LONGEST_RUN * (double)ops);
	p->outrun = least > 0 && w->burst_bytes == 0;
	fit = least > 0 ? floor((double)ops / least) : SIMULATE_IMAGES;
	p->images = (unsigned)fmin(fmax(1, p->in->images), fmin(fmax(2, fit), SIMULATE_IMAGES));
	/* Several clients of one image pass its exclusive lock to and fro. */
	if (p->in->handles >= 2)
		p->images = (unsigned)fmin(p->in->handles, SIMULATE_IMAGES);
	for (unsigned i = 0; i < p->images; i++) {
		p->image[i] = (struct sim_image){ .model = m, .set = *p->in->set,
			.shared = p->in->handles >= 2 ? 0 : i };
		/* A guest that flushes at all has done so long ago. */
		if (w->syncs_per_write > 0)
			p->image[i].set.until_flush = false;
		client_of(w, i, &p->client[i]);
	}
	least *= p->images;
	p->cfg = (struct sim_config){ .duration_ns = LONGEST_NS, .stream_bps = MODEL_STREAM_BPS,
		.max_ops = (uint64_t)fmax((double)ops, least), .image = p->image,
		.images = p->images, .client = p->client, .clients = p->images,
		.hot_gap_ns = SIM_HOT_GAP_NS, .group_max = SIM_GROUP_MAX,
		.deep_gain = SIM_DEEP_GAIN, .rest_ns = (uint64_t)(model_pause(p->in) / 2) };
	plan_servers(p);
	if (p->in->handles >= 2)
		p->cfg.gate = &sim_exclusive_lock;
}

/* -- the prediction --------------------------------------------------------------------------- */

static struct dist quantiles(const struct hist *h)
{
	struct dist d = DIST_UNKNOWN;
	uint64_t ns;

	if (hist_percentile(h, 50, &ns) == 0)
		d.p50_ns = (double)ns;
	if (hist_percentile(h, 99, &ns) == 0)
		d.p99_ns = (double)ns;
	if (hist_percentile(h, 99.9, &ns) == 0)
		d.p999_ns = (double)ns;
	return d;
}

struct total {
	struct hist write, flush, pair, sync;
	double read_sum_ns, writes, bytes, seconds, blocked, refreshes, syncs, ops;
	double spent_ns[SIM_PLACE_COUNT], busy_ns, queue_ns;
	double held, occupied;
	unsigned runs;
};

static void add(struct total *t, const struct sim_result *r)
{
	hist_merge(&t->write, &r->write);
	hist_merge(&t->flush, &r->flush);
	hist_merge(&t->pair, &r->pair);
	hist_merge(&t->sync, &r->sync);
	t->read_sum_ns += r->read.sum_ns;
	t->writes += (double)r->writes;
	t->bytes += (double)r->accepted_bytes;
	t->ops += (double)r->ops;
	t->seconds += (double)r->issue_ns / 1e9;
	t->blocked += (double)r->counter[SIM_COUNT_BLOCKED];
	t->refreshes += (double)r->counter[SIM_COUNT_REFRESHES];
	t->syncs += (double)r->sync.count;
	t->held += (double)r->issue_held_bytes;
	t->occupied += (double)r->issue_occupied_bytes;
	for (int i = 0; i < SIM_PLACE_COUNT; i++)
		t->spent_ns[i] += r->spent_ns[i];
	t->busy_ns += r->backend_busy_ns;
	t->queue_ns += r->backend_queue_ns;
	t->runs++;
}

static void words_pwl(const struct total *t, struct prediction *ret)
{
	double each = t->syncs > 0 ? t->refreshes / t->syncs : 0;

	if (!isnan(ret->fill_seconds)) {
		ret->regime = "filling";
		snprintf(ret->why, sizeof(ret->why), "the load outruns writeback: after %.3g s the "
			"log is full and each write waits for older ones (%.0f IOPS); whatever "
			"drains it, a snapshot, a migration, a lock hand-over, freezes the image for "
			"about %.3g s", ret->fill_seconds, ret->iops, ret->stall_seconds);
	} else if (each >= 1.5) {
		ret->regime = "draining";
		snprintf(ret->why, sizeof(ret->why), "writeback catches up before each flush: every "
			"sync waits for %.1f image refreshes", each);
	} else if (each >= 0.5) {
		ret->regime = "paced";
		snprintf(ret->why, sizeof(ret->why), "this load pauses longer than writeback needs: "
			"every sync pays an image refresh");
	} else if (each >= REFRESH_SHARE) {
		ret->regime = "mixed";
		snprintf(ret->why, sizeof(ret->why), "%.0f of 100 syncs wait for an image refresh, "
			"the others for the log alone", each * 100);
	} else {
		ret->regime = "log";
		snprintf(ret->why, sizeof(ret->why), "the log never turns clean while the load "
			"runs, so nothing waits for an image refresh");
	}
}

static void words(const struct model_input *in, const struct total *t, struct prediction *ret)
{
	enum cache_mode mode = in->set->mode;
	double blocked = t->writes > 0 ? t->blocked / t->writes : 0;

	if (mode == CACHE_PWL_SSD) {
		words_pwl(t, ret);
	} else if (mode == CACHE_NONE || mode == CACHE_WRITETHROUGH) {
		ret->regime = in->handles >= 2 ? "shared" : "direct";
		snprintf(ret->why, sizeof(ret->why), "%s", in->handles >= 2 ? "every write waits for "
			"the exclusive lock, which the clients of the image pass to and fro, and for "
			"the cluster" : "every write waits for the cluster");
	} else if (in->set->until_flush && in->load->syncs_per_write == 0) {
		ret->regime = "until-flush";
		snprintf(ret->why, sizeof(ret->why), "the guest never flushes, so "
			"rbd_cache_writethrough_until_flush keeps it write-through");
	} else if (blocked > BLOCKED_SHARE) {
		ret->regime = "overflow";
		snprintf(ret->why, sizeof(ret->why), "%.3g %% of the writes find max_dirty reached "
			"and wait for the cluster", blocked * 100);
	} else {
		ret->regime = "absorbed";
		snprintf(ret->why, sizeof(ret->why), "writes are acknowledged from memory; a flush "
			"still waits for the cluster");
	}
}

/* costs - what follows from the setting alone. */
static void costs(const struct model_input *in, struct prediction *ret)
{
	const struct cache_settings *s = in->set;
	bool through = s->mode == CACHE_NONE || s->mode == CACHE_WRITETHROUGH;

	ret->at_risk_bytes = s->mode == CACHE_PWL_SSD ? s->pwl_bytes :
		through ? 0 : s->max_dirty_bytes;
	ret->memory_bytes = s->mode == CACHE_PWL_SSD ? MODEL_PWL_RAM_BYTES :
		s->mode == CACHE_WRITETHROUGH ? s->size_bytes :
		s->mode == CACHE_WRITEBACK ? s->size_bytes + s->max_dirty_bytes :
		s->mode == CACHE_WRITEAROUND ? s->max_dirty_bytes : 0;
}

/* run_once - 0, or a negative errno with the reason in @err. */
static int run_once(struct plan *p, uint64_t seed, struct total *t, struct err *err)
{
	struct sim_result *res;
	int r;

	p->cfg.seed = seed;
	r = sim_run(&p->cfg, &res, err);
	if (r < 0)
		return r;
	add(t, res);
	sim_result_free(res);
	return 0;
}

/* growth - bytes a second by which the log of one image fills in the long run; 0: it does not.
 * What is unwritten grows; the ring takes more for each of its bytes. */
static double growth(const struct plan *p, const struct total *t)
{
	if (p->in->load->burst_bytes > 0 || t->held <= GROWN_WRITES * t->runs * p->images *
	    p->in->load->write_bytes)
		return 0;
	return t->held / t->seconds * fmax(1, t->occupied / t->bytes) / p->images;
}

/* fill - when a log that grows all the time is full. From then on each write waits until an older
 * one is in the cluster; and what drains the log (a snapshot, a migration, a hand-over of the lock)
 * freezes the image until all of it is (docs/simulator-pwl.md). */
static void fill(const struct plan *p, const struct total *t, struct prediction *ret)
{
	double grows = growth(p, t), back_bps = (t->bytes - t->held) / t->seconds / p->images;
	double ring = fmax(1, t->occupied / t->bytes); /* of the log, for each byte written */

	if (!(grows > 0) || !(back_bps > 0))
		return;
	ret->fill_seconds = p->in->set->pwl_bytes / grows;
	ret->stall_seconds = p->in->set->pwl_bytes / ring / back_bps;
	ret->iops = back_bps / t->bytes * t->writes * data_share(&p->client[0]);
}

/* places - what operations waited for, for each write of the application. What is left is the log's,
 * or the cluster's: its queue and its servers in the proportion of all that was there. */
static void places(const struct plan *p, const struct total *t, struct prediction *ret)
{
	double all = t->write.sum_ns + t->flush.sum_ns + t->read_sum_ns, known = 0;
	double writes = fmax(1, t->writes * data_share(&p->client[0]));
	static const enum sim_place waits[] = { SIM_AT_CLIENT, SIM_AT_ROOT, SIM_AT_REFRESH, SIM_AT_LOCK,
		SIM_AT_FULL };
	double queue = t->queue_ns > 0 ? t->queue_ns / (t->queue_ns + t->busy_ns) : 0, rest;

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		ret->place_ns[waits[i]] = t->spent_ns[waits[i]] / writes;
		known += t->spent_ns[waits[i]];
	}
	rest = fmax(0, all - known) / writes;
	if (p->in->set->mode == CACHE_PWL_SSD) {
		ret->place_ns[SIM_AT_LOG] = rest;
		return;
	}
	ret->place_ns[SIM_AT_QUEUE] = rest * queue;
	ret->place_ns[SIM_AT_BACKEND] = rest * (1 - queue);
}

static void read_off(const struct plan *p, const struct total *t, struct prediction *ret)
{
	const struct workload *w = p->in->load;

	ret->write = quantiles(&t->write);
	ret->flush = quantiles(&t->flush);
	ret->pair = quantiles(&t->pair);
	ret->guest_sync = quantiles(&t->sync);
	/* Measured in the guest: nothing to compose. Which policy it was measured with is not
	 * known, so all settings but PWL get it. */
	if (w->syncs_per_write > 0 && p->in->set->mode < CACHE_PWL_SSD &&
	    dist_known(p->in->backend->guest_sync))
		ret->guest_sync = p->in->backend->guest_sync;
	if (w->syncs_per_write == 0) {
		ret->flush = p->in->backend->flush;
		ret->pair = dist_sum(ret->write, ret->flush);
		ret->guest_sync = DIST_UNKNOWN;
	}
	/* Of n bursts only n - 1 gaps were in the run. */
	ret->iops = t->writes * data_share(&p->client[0]) / (t->seconds + (w->burst_bytes > 0 ?
		t->runs * w->burst_gap_ns / 1e9 : 0)) / (p->in->handles >= 2 ? 1 : p->images);
	if (p->outrun)
		ret->iops *= fmax(0, 1 - t->held / t->bytes);
	if (p->in->set->mode == CACHE_PWL_SSD)
		fill(p, t, ret);
	places(p, t, ret);
}

void simulate(const struct model_input *in, const struct sim_table *service,
	const struct simulate_budget *budget, struct prediction *ret)
{
	const struct sim_model_ops *m = sim_model_of(in->set->mode);
	struct total t = { .runs = 0 };
	struct plan p = { .in = in, .service = service };
	struct err err;
	int r = 0;

	model_unknown(ret, "no simulation of this setting");
	costs(in, ret);
	if (m == NULL)
		return;
	if (!service[SIM_B_WRITE].known) {
		snprintf(ret->why, sizeof(ret->why), "the backend's write latency is unknown");
		return;
	}
	if (in->set->mode == CACHE_PWL_SSD && !service[SIM_L_WRITE4K].known) {
		snprintf(ret->why, sizeof(ret->why), "the drive of the log is unknown");
		return;
	}
	if (in->set->mode == CACHE_PWL_SSD && !service[SIM_B_META_READ].known) {
		snprintf(ret->why, sizeof(ret->why), "the stall of an image refresh is unknown: "
			"state meta= or refresh=, or measure the image");
		return;
	}
	plan_run(&p, m, budget->ops);
	if (p.cfg.gate != NULL && !sim_lock_known(&p.cfg)) {
		snprintf(ret->why, sizeof(ret->why), "several clients on one image: how long a "
			"cache takes to be emptied at each hand-over of the lock was not measured");
		return;
	}
	/* Where the bursts take more than the budget, once is enough. */
	for (unsigned i = 0; i < budget->seeds && r == 0 &&
	     t.ops < (double)budget->ops * budget->seeds; i++)
		r = run_once(&p, i + 1, &t, &err);
	if (r < 0) {
		snprintf(ret->why, sizeof(ret->why), "%.*s", (int)sizeof(ret->why) - 1, err.msg);
		return;
	}
	read_off(&p, &t, ret);
	ret->certainty = CERTAINTY_DERIVED;
	words(in, &t, ret);
}
