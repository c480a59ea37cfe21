/* verify_calibrate.c - the cluster before the load, between its rounds and after it, as one backend.
 *
 * A cluster that others use is not the same for minutes. Measured only beforehand, it would be
 * another one than the load has met; so a part is measured each time, and pooled.
 */
#include "cli/verify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PART_LEAST_NS UINT64_C(100000000)

static int pool_latency(struct latency *to, const struct latency *from)
{
	struct hist *h;

	if (!to->hist || !from->hist)
		return 0;
	h = hist_new();
	if (!h)
		return -ENOMEM;
	hist_merge(h, to->hist);
	hist_merge(h, from->hist);
	latency_done(to);
	latency_from_hist(to, h);
	return 0;
}

static int pool_row(struct measurement *to, const struct measurement *from)
{
	int r = pool_latency(&to->lat, &from->lat);

	r = r < 0 ? r : pool_latency(&to->write_lat, &from->write_lat);
	r = r < 0 ? r : pool_latency(&to->sync_lat, &from->sync_lat);
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->runtime_ns += from->runtime_ns;
	to->iops = (double)to->ios * 1e9 / (double)to->runtime_ns;
	return r;
}

static int pool(struct result *to, const struct result *from)
{
	int r = 0;

	for (size_t i = 0; i < to->measurement_count && r == 0; i++) {
		struct measurement *m = to->measurements[i];
		const struct measurement *other = result_find(from, m->battery, m->probe);

		if (other && m->runtime_ns && other->runtime_ns)
			r = pool_row(m, other);
	}
	return r;
}

/* part_ns - of --calibrate, which is for a row before and after; not too short to hold a write. */
static uint64_t part_ns(const struct verify_cfg *cfg)
{
	uint64_t part = 2 * cfg->calibrate_ns / (cfg->rounds + 1);

	return part < PART_LEAST_NS ? PART_LEAST_NS : part;
}

int verify_calibrate(const struct verify *v, const struct rbd_watch *watch, struct result **pooled,
	struct err *reterr)
{
	struct rbd_run run = { .impact = &rbd_impacts[v->cfg->rbd.impact],
		.runtime_ns = part_ns(v->cfg), .span_bytes = v->cfg->size,
		.randseed = v->cfg->randseed, .latency_stop = v->cfg->rbd.latency_stop };
	struct result *res = result_new();
	int r = res ? rbd_run_check(&run, reterr) : err_nomem(reterr);

	if (r == 0)
		r = rbd_session_run(v->site, &run, watch, res, reterr);
	if (r == 0 && *pooled)
		r = pool(*pooled, res) < 0 ? err_nomem(reterr) : 0;
	if (r < 0 || *pooled)
		result_free(res);
	else
		*pooled = res;
	return r;
}

/* The same candidate, with the same options? Else it is another one that was run. */
static bool is_same(const struct candidate *a, const struct candidate *b)
{
	if (strcmp(a->name, b->name) != 0)
		return false;
	for (int k = 0; k < OPTION_COUNT; k++)
		if (strcmp(a->config.opt[k].value, b->config.opt[k].value) != 0)
			return false;
	return true;
}

void verify_repredict(struct verify *v, const struct advice *again)
{
	for (size_t i = 0; i < v->count; i++)
		for (size_t k = 0; k < again->candidate_count; k++)
			if (is_same(v->setting[i].candidate, &again->candidate[k]))
				v->setting[i].predicted = &again->candidate[k].predicted;
}
