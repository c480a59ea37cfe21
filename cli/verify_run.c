/* verify_run.c - the load of a workload profile on an image, under one setting after the other. */
#include "cli/verify.h"

#include "cli/term.h"
#include "policies/sim_guest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const verify_metric_key[METRIC_COUNT] = { "write_ns", "flush_ns", "pair_ns",
	"guest_sync_ns" };

/* -- which ---------------------------------------------------------------------------------- */

static const struct candidate *find(const struct advice *a, const char *name, size_t len)
{
	for (size_t i = 0; i < a->candidate_count; i++)
		if (strlen(a->candidate[i].name) == len &&
			!strncmp(a->candidate[i].name, name, len))
			return &a->candidate[i];
	return NULL;
}

static void add(struct verify *v, const struct candidate *c)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->setting[i].candidate == c)
			return;
	v->setting[v->count++] = (struct verify_setting){ .candidate = c,
		.predicted = &c->predicted };
}

int verify_choose(struct verify *v, struct err *reterr)
{
	const char *p = v->cfg->candidates;

	if (!p)
		add(v, advise_current(v->advice));
	if (!p)
		add(v, &v->advice->candidate[v->advice->chosen]);
	while (p && *p) {
		size_t len = strcspn(p, ",");
		const struct candidate *c = find(v->advice, p, len);

		if (!c)
			return err_set(reterr, ERR_USAGE, -EINVAL, "--candidates: '%.*s' is none; "
				"there are current, none, writethrough, writeback, writearound, "
				"pwl-ssd, pwl-rwl", (int)len, p);
		add(v, c);
		p += len + (p[len] == ',');
	}
	return 0;
}

/* -- the load ------------------------------------------------------------------------------- */

static uint64_t round_to(double bytes, uint64_t unit)
{
	uint64_t n = ((uint64_t)bytes + unit - 1) / unit * unit;

	return n < unit ? unit : n > 4 << 20 ? 4 << 20 : n;
}

/* sizes - of a write, and of the first journal write of its sync (0: none), as the simulator has them;
 * an image is written in whole sectors. */
static void sizes(const struct workload *w, struct rbd_load *ret)
{
	struct sim_step step[SIM_GUEST_STEPS_MAX];
	unsigned n = sim_guest_steps(w->stack, SIM_GUEST_EXT4, (uint32_t)ceil(w->write_bytes), 1,
		step);

	ret->write_bytes = round_to(w->syncs_per_write > 0 ? step[0].bytes : w->write_bytes,
		w->stack == STACK_RAW ? 512 : 4096);
	for (unsigned i = n; i-- > 0 && w->syncs_per_write > 0;)
		if (step[i].journal)
			ret->journal_bytes = step[i].bytes;
}

static void make_load(const struct verify *v, uint64_t runtime_ns, uint64_t limit,
	const atomic_bool *stop, struct rbd_load *ret)
{
	const struct workload *w = v->load;
	uint32_t streams = (uint32_t)fmax(1, round(w->depth));

	*ret = (struct rbd_load){ .span = v->ground.span, .streams = streams,
		.writes = (uint64_t)fmax(1, round(workload_writes(w))),
		.syncs = w->syncs_per_write > 0,
		.random = streams > 1 || w->working_set_bytes > 0,
		.hot_bytes = (uint64_t)w->working_set_bytes,
		.think_ns = (uint64_t)w->think_ns, .gap_ns = (uint64_t)w->burst_gap_ns,
		.runtime_ns = runtime_ns, .write_limit = limit, .randseed = v->cfg->randseed,
		.stop = stop };
	sizes(w, ret);
	ret->burst_writes = (uint64_t)(w->burst_bytes / w->write_bytes / streams);
}

static size_t setting_list(const struct candidate *c, struct rbd_setting set[OPTION_COUNT])
{
	bool pwl = c->set.mode == CACHE_PWL_SSD || c->set.mode == CACHE_PWL_RWL;
	size_t n = 0;

	for (int k = 0; k < OPTION_COUNT; k++) {
		if (!pwl && (k == OPTION_PWL_SIZE || k == OPTION_PWL_PATH))
			continue;
		set[n++] = (struct rbd_setting){ option_name[k], c->config.opt[k].value };
	}
	return n;
}

static double quantile(const struct hist *h, double pct)
{
	uint64_t ns;

	return h && hist_percentile(h, pct, &ns) == 0 ? (double)ns : NAN;
}

static const struct hist *hist_of(const struct rbd_load_figures *f, enum verify_metric m)
{
	return m == METRIC_WRITE ? f->write : m == METRIC_FLUSH ? f->flush :
		m == METRIC_PAIR ? f->pair : f->sync;
}

static double rate_of(const struct rbd_load_figures *f)
{
	return f->runtime_ns ? (double)f->writes * 1e9 / (double)f->runtime_ns : NAN;
}

static int keep_round(struct verify_setting *s, struct rbd_load_figures *f, struct err *reterr)
{
	int r = rbd_load_merge(&s->total, f);

	for (int m = 0; m < METRIC_COUNT; m++) {
		s->p50[m][s->rounds] = quantile(hist_of(f, m), 50);
		s->p99[m][s->rounds] = quantile(hist_of(f, m), 99);
	}
	s->iops[s->rounds++] = rate_of(f);
	return r < 0 ? err_nomem(reterr) : 0;
}

/* What a refusal of librbd means. */
static void note_why(struct verify_setting *s, const char *error)
{
	const char *plugins = s->candidate->config.opt[OPTION_PLUGINS].value;

	if (settings_has_plugin(plugins, "pwl_cache"))
		(void)snprintf(s->why, sizeof(s->why), "the image does not open with it (%.120s): "
			"this librbd has no PWL plugin (Debian ships none), or its path or drive "
			"does not serve", error);
	else
		(void)snprintf(s->why, sizeof(s->why), "the image does not open with it: %.250s",
			error);
}

/* One leg: a connection with the setting, the image, the load. */
static int run_leg(struct verify *v, struct verify_setting *s, struct rbd_load *load,
	struct err *reterr)
{
	struct rbd_setting set[OPTION_COUNT];
	size_t n = setting_list(s->candidate, set);
	struct rbd_load_figures f = { .writes = 0 };
	struct rbd_conn conn = { .lib = NULL };
	struct rbd_image *image = NULL;
	struct err e = ERR_INIT;
	int r = rbd_conn_open(&v->site->login, set, n, &conn, &e);

	if (r == 0)
		r = rbd_ground_open(v->site, &conn, set, n, &v->ground, &image, &e);
	if (r < 0) {
		note_why(s, e.msg);
		rbd_conn_close(&conn);
		return 0;
	}
	load->image = image;
	r = rbd_load_run(load, &f, reterr);
	(void)rbd_image_close(image); /* the load is over: nobody else holds it */
	rbd_conn_close(&conn);
	if (r == 0 && f.writes)
		r = keep_round(s, &f, reterr);
	v->limited = v->limited || f.limited;
	rbd_load_done(&f);
	return r;
}

static bool can_try(const struct verify *v, struct verify_setting *s)
{
	if (s->why[0])
		return false;
	if (s->candidate->set.mode == CACHE_PWL_RWL)
		(void)snprintf(s->why, sizeof(s->why), "needs persistent memory, which is no longer "
			"made");
	else if (s->candidate->set.mode == CACHE_PWL_SSD && !v->cfg->advise.pwl_path &&
		strcmp(s->candidate->name, "current") != 0)
		(void)snprintf(s->why, sizeof(s->why), "a log needs a folder on an SSD: --pwl-path "
			"DIR");
	return !s->why[0];
}

/* To and fro, so that what changes with time changes for all. */
int verify_round(struct cli *cli, struct verify *v, uint64_t round, const atomic_bool *stop,
	struct err *reterr)
{
	const struct rbd_impact *impact = &rbd_impacts[v->cfg->rbd.impact];
	uint64_t legs = v->cfg->rounds * v->count, left = impact->write_bytes - v->ground.span;
	struct rbd_load load;
	int r = 0;

	v->headline = v->load->syncs_per_write > 0 ? METRIC_SYNC : METRIC_WRITE;
	make_load(v, v->cfg->runtime_ns, left / (legs ? legs : 1), stop, &load);
	load.randseed = v->cfg->randseed + round;
	for (size_t i = 0; i < v->count && r == 0; i++) {
		struct verify_setting *s = &v->setting[round % 2 ? v->count - 1 - i : i];

		if (!can_try(v, s))
			continue;
		term_status(cli, "round %llu of %llu: %s", (unsigned long long)round + 1,
			(unsigned long long)v->cfg->rounds, s->candidate->name);
		r = run_leg(v, s, &load, reterr);
		if (r == 0 && atomic_load(stop))
			r = err_set(reterr, ERR_STOPPED, -EINTR, "stopped by a signal; what was "
				"measured is shown");
	}
	return r;
}

/* -- the comparison ------------------------------------------------------------------------- */

static struct dist predicted(const struct prediction *p, enum verify_metric m)
{
	return m == METRIC_WRITE ? p->write : m == METRIC_FLUSH ? p->flush :
		m == METRIC_PAIR ? p->pair : p->guest_sync;
}

static enum verify_verdict worse(enum verify_verdict a, enum verify_verdict b)
{
	return a == VERIFY_MISS || b == VERIFY_MISS ? VERIFY_MISS :
		a == VERIFY_UNKNOWN || b == VERIFY_UNKNOWN ? VERIFY_UNKNOWN : VERIFY_HIT;
}

void verify_compare(struct verify *v)
{
	for (size_t i = 0; i < v->count; i++) {
		struct verify_setting *s = &v->setting[i];
		const struct prediction *p = s->predicted;

		for (int m = 0; m < METRIC_COUNT; m++) {
			const struct hist *h = hist_of(&s->total, m);
			struct dist d = predicted(p, m);

			s->check50[m] = verify_judge(VERIFY_MEDIAN, d.p50_ns, quantile(h, 50),
				s->p50[m], s->rounds);
			s->check99[m] = verify_judge(VERIFY_TAIL, d.p99_ns, quantile(h, 99),
				s->p99[m], s->rounds);
		}
		s->rate = verify_judge(VERIFY_RATE, p->iops, rate_of(&s->total), s->iops,
			s->rounds);
		s->verdict = worse(worse(s->check50[v->headline].verdict,
			s->check99[v->headline].verdict), s->rate.verdict);
	}
}

size_t verify_best(const struct verify *v, bool by_prediction)
{
	bool rate = isnan(v->load->slo_limit_ns) && v->load->slo_metric == SLO_IOPS;
	size_t best = SIZE_MAX;
	double lowest = INFINITY;

	for (size_t i = 0; i < v->count; i++) {
		const struct verify_setting *s = &v->setting[i];
		const struct verify_check *c = rate ? &s->rate : &s->check50[v->headline];
		double score = by_prediction ? c->predicted : c->measured;

		if (s->rounds == 0 || isnan(score))
			continue;
		score = rate ? -score : score;
		if (score < lowest) {
			lowest = score;
			best = i;
		}
	}
	return best;
}

void verify_done(struct verify *v)
{
	for (size_t i = 0; i < v->count; i++)
		rbd_load_done(&v->setting[i].total);
	result_free(v->calibration);
	v->calibration = NULL;
}
