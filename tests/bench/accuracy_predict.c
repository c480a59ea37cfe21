/* accuracy_predict.c - the service times of a cell out of its set, and its simulation. */
#include "tests/bench/accuracy.h"

#include "policies/sim_constants.h"
#include "policies/sim_inputs.h"
#include "policies/sim_lock.h"
#include "policies/sim_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASES_MAX 64
#define OBJECT_BYTES (4u << 20)

/* Writes without cache at one pause; repetitions of a cell are one. */
struct base {
	uint64_t think_ns;
	struct hist write, flush;
};

static double median(const struct hist *h)
{
	uint64_t ns;

	return hist_percentile(h, 50, &ns) == 0 ? (double)ns : NAN;
}

/* pool - isotonic regression of the medians over the pause (pool adjacent violators): on one
 * machine a longer pause does not make a write faster, so where two neighbours say so they are two
 * samples of one thing. */
static void pool(struct base **b, unsigned n, unsigned block[])
{
	unsigned start[BASES_MAX], blocks = 0;

	for (unsigned i = 0; i < n; i++) {
		start[blocks++] = block[i] = i;
		while (blocks > 1 && median(&b[start[blocks - 2]]->write) >
			median(&b[start[blocks - 1]]->write)) {
			unsigned into = start[blocks - 2], from = start[--blocks];

			hist_merge(&b[into]->write, &b[from]->write);
			hist_merge(&b[into]->flush, &b[from]->flush);
			for (unsigned k = from; k <= i; k++)
				block[k] = into;
		}
	}
}

static uint32_t nearest_bytes(const struct set *s, uint32_t bytes)
{
	double best = INFINITY;
	uint32_t ret = 0;

	for (size_t i = 0; i < s->cells; i++) {
		const struct cell *c = &s->cell[i];
		double far = fabs(log((double)c->bytes / bytes));

		if (c->kind == CELL_PAIR && c->set.mode == CACHE_NONE && far < best) {
			best = far;
			ret = c->bytes;
		}
	}
	return ret;
}

/* bases - the pairs without cache of one size, by pause; caller frees. */
static unsigned bases(const struct set *s, uint32_t bytes, struct base *b[BASES_MAX])
{
	unsigned n = 0;

	for (size_t i = 0; i < s->cells; i++) {
		const struct cell *c = &s->cell[i];
		unsigned at = 0;

		if (c->kind != CELL_PAIR || c->set.mode != CACHE_NONE || c->bytes != bytes)
			continue;
		while (at < n && b[at]->think_ns < c->think_ns)
			at++;
		if (at == n || b[at]->think_ns != c->think_ns) {
			struct base *x = n < BASES_MAX ? calloc(1, sizeof(*x)) : NULL;

			if (!x)
				continue;
			x->think_ns = c->think_ns;
			memmove(&b[at + 1], &b[at], (n - at) * sizeof(struct base *));
			b[at] = x;
			n++;
		}
		hist_merge(&b[at]->write, c->write);
		hist_merge(&b[at]->flush, c->flush);
	}
	return n;
}

/* between - quantile by quantile. */
static void between(struct sim_table *t, const struct sim_table *a, const struct sim_table *b,
	double w)
{
	*t = *a;
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++)
		t->q_ns[i] = (uint64_t)((1 - w) * (double)a->q_ns[i] + w * (double)b->q_ns[i]);
	t->constant = false;
}

static double pause_scale(uint64_t ns)
{
	return log(1 + (double)ns / 100e3);
}

/* pair_base - write and flush without cache at the pause of @c. False: the set has none. */
static bool pair_base(const struct set *s, const struct cell *c, struct sim_inputs *in,
	char *note, size_t len)
{
	uint32_t bytes = nearest_bytes(s, c->bytes);
	struct base *b[BASES_MAX + 1];
	unsigned block[BASES_MAX], n = bytes ? bases(s, bytes, b) : 0, hi = 0;

	if (n == 0)
		return false;
	pool(b, n, block);
	while (hi + 1 < n && b[hi]->think_ns < c->think_ns)
		hi++;
	in->write_pause_ns = c->think_ns;
	sim_table_from_hist(&in->write, &b[block[hi]]->write);
	sim_table_from_hist(&in->flush, &b[block[hi]]->flush);
	if (b[hi]->think_ns == c->think_ns) {
		snprintf(note, len, "b: none at this pause%s", block[hi] != hi ||
			(hi + 1 < n && block[hi + 1] == hi) ? ", pooled with its neighbour" : "");
	} else if (b[hi]->think_ns > c->think_ns && hi > 0) {
		struct sim_table low, high = in->write;
		double a = pause_scale(b[hi - 1]->think_ns), z = pause_scale(b[hi]->think_ns);

		sim_table_from_hist(&low, &b[block[hi - 1]]->write);
		between(&in->write, &low, &high, (pause_scale(c->think_ns) - a) / (z - a));
		snprintf(note, len, "b: between none at %llu and %llu us",
			(unsigned long long)b[hi - 1]->think_ns / 1000,
			(unsigned long long)b[hi]->think_ns / 1000);
	} else {
		snprintf(note, len, "b: none at the nearest pause, %llu us",
			(unsigned long long)b[hi]->think_ns / 1000);
	}
	if (bytes != c->bytes)
		snprintf(note + strlen(note), len - strlen(note), ", of %u bytes", bytes);
	while (n > 0)
		free(b[--n]);
	return true;
}

/* closer - is the depth of @a nearer to @depth? Plain loads before bursts. */
static bool closer(const struct cell *a, const struct cell *b, unsigned depth)
{
	double x = fabs(log((double)a->depth / depth)), y = fabs(log((double)b->depth / depth));

	return x < y - 1e-9 || (x < y + 1e-9 && !a->burst_ops && b->burst_ops);
}

static const struct cell *fio_none(const struct set *s, unsigned depth, bool reads)
{
	const struct cell *best = NULL;

	for (size_t i = 0; i < s->cells; i++) {
		const struct cell *c = &s->cell[i];

		if (c->kind != CELL_FIO || c->set.mode != CACHE_NONE || c->reads != reads ||
			c->handles > 1)
			continue;
		if (!best || closer(c, best, depth))
			best = c;
	}
	return best;
}

/* gather - everything that does not depend on the pause. */
static void gather(const struct set *s, const struct cell *c, struct sim_inputs *in)
{
	const struct cell *reads = fio_none(s, 1, true);
	const struct hist *refresh = c->snapshots && s->refresh_snapshot ? s->refresh_snapshot :
		s->refresh;

	memset(in, 0, sizeof(*in));
	in->meta_idle_ns = in->meta_busy_ns = NAN;
	for (unsigned i = 0; i < s->metas; i++) {
		if (s->meta[i].think_ns == 0)
			in->meta_busy_ns = median(s->meta[i].h);
		else if (isnan(in->meta_idle_ns) || s->meta[i].think_ns == 3000000)
			in->meta_idle_ns = median(s->meta[i].h);
	}
	if (reads)
		sim_table_from_hist(&in->read, reads->write);
	if (refresh)
		sim_table_from_hist(&in->refresh, refresh);
	in->refresh_reads = SIM_REFRESH_READS + (refresh == s->refresh_snapshot ? 1 : 0);
	if (s->metaset)
		sim_table_from_hist(&in->meta_write, s->metaset);
	if (s->log4k)
		sim_table_from_hist(&in->log4k, s->log4k);
	if (s->log12k)
		sim_table_from_hist(&in->log12k, s->log12k);
	if (s->logread)
		sim_table_from_hist(&in->logread, s->logread);
}

/* -- one simulation --------------------------------------------------------------------------- */

struct run {
	struct sim_table *table;
	struct sim_image image[64];
	struct sim_client client[65]; /* and what opens the image */
	struct sim_config cfg;
	double line_ns; /* NAN: not known */
};

static void set_client(const struct cell *c, struct sim_client *x, unsigned i)
{
	unsigned n = 0;

	*x = (struct sim_client){ .image = i, .depth = c->depth, .span_bytes = c->span_bytes,
		.pattern = c->sequential ? SIM_SEQUENTIAL : SIM_SHUFFLED,
		.read_fraction = c->read_fraction, .burst_ops = c->burst_ops,
		.burst_gap_ns = c->burst_gap_ns };
	x->step[n++] = (struct sim_step){ .bytes = c->bytes, .count = c->writes_per_flush,
		.kind = c->reads ? SIM_STEP_READ : SIM_STEP_WRITE };
	if (c->writes_per_flush)
		x->step[n++] = (struct sim_step){ .kind = SIM_STEP_FLUSH };
	if (c->think_ns)
		x->step[n++] = (struct sim_step){ .kind = SIM_STEP_THINK,
			.think_ns = c->think_ns + (uint64_t)SIM_SLEEP_LATE_NS };
	x->steps = n;
	if (c->kind == CELL_PAIR) {
		x->burst_ops *= c->writes_per_flush + 1; /* counted in pairs */
	} else {
		x->submit_ns = (uint64_t)SIM_SUBMIT_NS;
		x->lap_drain = !c->sequential && !c->reads;
	}
}

/* opening_flush - the log of the measured runs was in persist-on-flush from the start: 21 us for
 * a write at depth 1 is less than its drive takes. */
static void opening_flush(struct run *r)
{
	struct sim_client *x = &r->client[r->cfg.clients++];

	*x = (struct sim_client){ .depth = 1, .span_bytes = 4096, .steps = 2,
		.step = { { .kind = SIM_STEP_FLUSH }, { .kind = SIM_STEP_THINK,
		.think_ns = r->cfg.duration_ns } } };
}

static void set_run(const struct cell *c, struct run *r, unsigned servers)
{
	unsigned n = c->handles < 64 ? c->handles : 64;

	for (unsigned i = 0; i < n; i++) {
		r->image[i] = (struct sim_image){ .model = sim_model_of(c->set.mode),
			.set = c->set, .shared = c->images > 1 ? i : 0, .no_lock = c->no_lock,
			.refresh_reads = SIM_REFRESH_READS + c->snapshots };
		set_client(c, &r->client[i], i);
	}
	r->cfg = (struct sim_config){ .service = r->table, .servers = servers,
		.stream_bps = SIM_STREAM_BPS, .image = r->image, .images = n, .client = r->client,
		.clients = n, .hot_gap_ns = SIM_HOT_GAP_NS, .group_max = SIM_GROUP_MAX,
		.deep_gain = SIM_DEEP_GAIN, .chill = SIM_PWL_CHILL, .duration_ns = c->runtime_ns };
	if (c->kind == CELL_PAIR)
		r->cfg.max_ops = c->pairs * (c->writes_per_flush + 1);
	else if (c->set.mode == CACHE_PWL_SSD)
		opening_flush(r);
	if (n > 1 && c->images <= 1)
		r->cfg.gate = &sim_exclusive_lock;
}

/* servers_of - K: the number of servers with which the load without cache comes out at its
 * measured mean latency. */
static unsigned servers_of(const struct cell *none, struct run *r)
{
	unsigned best = 16;
	double least = INFINITY;

	for (unsigned k = 1; k <= 64; k++) {
		struct sim_result *res;
		struct err e = ERR_INIT;
		double far;

		set_run(none, r, k);
		r->cfg.seed = 1;
		if (r->cfg.duration_ns > UINT64_C(5000000000))
			r->cfg.duration_ns = UINT64_C(5000000000);
		if (sim_run(&r->cfg, &res, &e) < 0)
			continue;
		far = fabs(log(hist_mean(&res->write) / hist_mean(none->write)));
		sim_result_free(res);
		if (far >= least && k > best + 3)
			break;
		if (far < least) {
			least = far;
			best = k;
		}
	}
	return best;
}

/* cluster_servers - K is the cluster's, not a load's: the geometric mean over the set's plain runs
 * without cache at a depth that can show it (more streams than objects wait in
 * the scheduler instead). */
static unsigned cluster_servers(struct set *s, struct run *r, unsigned *ret_runs)
{
	double sum = 0;
	unsigned n = 0;

	*ret_runs = s->server_runs;
	if (s->servers)
		return s->servers;
	for (size_t i = 0; i < s->cells; i++) {
		const struct cell *c = &s->cell[i];

		if (c->kind != CELL_FIO || c->set.mode != CACHE_NONE || c->reads ||
			c->handles > 1 || c->depth < 8 || c->writes_per_flush ||
			c->depth > c->span_bytes / OBJECT_BYTES)
			continue;
		sum += log(servers_of(c, r));
		n++;
	}
	s->servers = n ? (unsigned)(exp(sum / n) + 0.5) : 16;
	*ret_runs = s->server_runs = n;
	return s->servers;
}

/* fio_base - b from the depth-1 run, K from the runs without cache. */
static bool fio_base(struct set *s, const struct cell *c, struct sim_inputs *in,
	struct run *r, unsigned *ret_servers, char *note, size_t len)
{
	const struct cell *one = fio_none(s, 1, c->reads);
	unsigned runs;

	if (!pair_base(s, c, in, note, len))
		sim_table_constant(&in->flush, (uint64_t)(2 * SIM_HOP_NS));
	if (one && one->depth == 1)
		sim_table_from_hist(&in->write, one->write);
	if (!in->write.known)
		return false;
	in->write_pause_ns = 0;
	sim_inputs_tables(in, r->table);
	*ret_servers = cluster_servers(s, r, &runs);
	snprintf(note, len, "b: %s; K = %u from %u runs without cache", one ? one->name :
		"pairs without cache", *ret_servers, runs);
	return true;
}

static double pct(const struct hist *h, double p)
{
	uint64_t ns;

	return hist_percentile(h, p, &ns) == 0 ? (double)ns : NAN;
}

static void widen(struct figure *f, double v)
{
	f->lowest = isnan(f->lowest) || v < f->lowest ? v : f->lowest;
	f->highest = isnan(f->highest) || v > f->highest ? v : f->highest;
}

static void note_figures(struct cell *c, const struct sim_result *r, bool final)
{
	const struct hist *h[3] = { c->reads ? &r->read : &r->write, &r->flush, &r->pair };

	for (unsigned k = 0; k < 3; k++) {
		double v[2] = { pct(h[k], 50), pct(h[k], 99) };

		for (unsigned i = 0; i < 2; i++)
			if (final)
				c->f[2 * k + i].predicted = v[i];
			else
				widen(&c->f[2 * k + i], v[i]);
	}
	if (final)
		c->f[M_IOPS].predicted = r->iops;
	else
		widen(&c->f[M_IOPS], r->iops);
}

static int simulate(struct cell *c, struct run *r, unsigned servers, unsigned seeds,
	struct err *reterr)
{
	struct sim_result *sum = NULL, *one;
	double iops = 0;

	set_run(c, r, servers);
	if (c->set.mode == CACHE_PWL_SSD) {
		r->cfg.pauses = sim_inputs_pauses(r->table);
		r->cfg.line_ns = isnan(r->line_ns) ? 0 : r->line_ns;
	}
	for (unsigned seed = 1; seed <= seeds; seed++) {
		int e;

		r->cfg.seed = seed;
		e = sim_run(&r->cfg, &one, reterr);
		if (e < 0) {
			sim_result_free(sum);
			return e;
		}
		/* Pairs: the pause is part of the measured rate, reads and writes alone count. */
		iops += one->iops;
		note_figures(c, one, false);
		if (seed == 1 && one->first_stall_at_ns != UINT64_MAX) {
			c->stall_at_s = (double)one->first_stall_at_ns / 1e9;
			c->stall_s = (double)one->first_stall_ns / 1e9;
		}
		if (!sum) {
			sum = one;
			continue;
		}
		hist_merge(&sum->write, &one->write);
		hist_merge(&sum->read, &one->read);
		hist_merge(&sum->flush, &one->flush);
		hist_merge(&sum->pair, &one->pair);
		sim_result_free(one);
	}
	if (!sum) /* no seed asked for */
		return -EINVAL;
	sum->iops = iops / seeds;
	note_figures(c, sum, true);
	sim_result_free(sum);
	return 0;
}

bool cell_inputs(const struct set *s, const struct cell *c, struct sim_inputs *ret)
{
	char note[200];

	gather(s, c, ret);
	return pair_base(s, c, ret, note, sizeof(note));
}

int cell_predict(struct cell *c, struct set *s, unsigned seeds, struct err *reterr)
{
	struct sim_inputs *in = calloc(1, sizeof(*in));
	struct run *r = calloc(1, sizeof(*r));
	unsigned servers = 16;
	int ret = -ENOMEM;
	bool known;

	c->stall_at_s = c->stall_s = NAN;
	/* Hand-over of the lock is a prediction. */
	c->base = c->set.mode == CACHE_NONE &&
		(c->handles == 1 || c->images > 1 || c->no_lock);
	if (r)
		r->table = calloc(SIM_SERVICE_COUNT, sizeof(*r->table));
	if (!in || !r || !r->table)
		goto out;
	ret = 0;
	gather(s, c, in);
	if (!sim_model_of(c->set.mode)) {
		snprintf(c->why, sizeof(c->why), "this cache is not simulated");
		goto out;
	}
	if (c->kind == CELL_PAIR)
		known = pair_base(s, c, in, c->why, sizeof(c->why));
	else
		known = fio_base(s, c, in, r, &servers, c->why, sizeof(c->why));
	if (!known) {
		snprintf(c->why, sizeof(c->why), "the set has no run without cache");
		goto out;
	}
	if (c->set.mode == CACHE_PWL_SSD && !in->refresh.known) {
		snprintf(c->why, sizeof(c->why), "the set has no refresh/, which decides here");
		goto out;
	}
	sim_inputs_tables(in, r->table);
	r->line_ns = in->meta_busy_ns;
	ret = simulate(c, r, servers, seeds, reterr);
	c->predicted = ret == 0;
out:
	if (r)
		free(r->table);
	free(r);
	free(in);
	return ret;
}
