/* advise_candidates.c - the settings that are compared, and the sizes that are tried. */
#include "policies/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/model_pwl.h"
#include "policies/threshold.h"

#define MIB 1048576.0

/* size / max_dirty / target_dirty in the proportions of the defaults: target < max < size. */
struct cache_sizes {
	double size_mib, max_dirty_mib, target_mib;
};
static const struct cache_sizes tried_sizes[] = {
	{ 8, 6, 4 }, { 16, 12, 8 }, { 32, 24, 16 }, { 64, 48, 32 }, { 128, 96, 64 },
	{ 256, 192, 128 }, { 512, 384, 256 },
};

static void option(struct candidate *cand, enum option_key k, const char *value)
{
	snprintf(cand->config.opt[k].value, sizeof(cand->config.opt[k].value), "%s", value);
	cand->relevant[k] = true;
}

static void option_bytes(struct candidate *cand, enum option_key k, double bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f", bytes);
	option(cand, k, text);
}

static void set_sizes(struct candidate *cand, const struct cache_sizes *s)
{
	option_bytes(cand, OPTION_SIZE, s->size_mib * MIB);
	option_bytes(cand, OPTION_MAX_DIRTY, s->max_dirty_mib * MIB);
	option_bytes(cand, OPTION_TARGET_DIRTY, s->target_mib * MIB);
}

static void set_pwl(const struct advise_case *c, struct candidate *cand, const char *mode)
{
	const char *present = c->in->config.opt[OPTION_PLUGINS].value;
	char plugins[sizeof(c->in->config.opt[0].value)];

	if (settings_has_plugin(present, "pwl_cache"))
		snprintf(plugins, sizeof(plugins), "%.127s", present);
	else
		snprintf(plugins, sizeof(plugins), "%.127s%spwl_cache", present,
			present[0] != '\0' ? "," : "");
	option(cand, OPTION_PLUGINS, plugins);
	option(cand, OPTION_PWL_MODE, mode);
	option_bytes(cand, OPTION_PWL_SIZE, pwl_fit_bytes(&c->load));
	option(cand, OPTION_PWL_PATH, c->in->pwl_path != NULL ? c->in->pwl_path :
		"/PATH/ON/THE/SSD");
	/* One write cache an image: below PWL the in-memory one never sees a flush of the user. */
	option(cand, OPTION_CACHE, "false");
}

static void make(const struct advise_case *c, const struct model_ops *m, struct candidate *cand)
{
	bool had_pwl = image_config_effective(&c->in->config).mode >= CACHE_PWL_SSD;

	*cand = (struct candidate){ .config = c->in->config, .meets = -1 };
	snprintf(cand->name, sizeof(cand->name), "%s", m->name);
	if (m->mode == CACHE_PWL_SSD || m->mode == CACHE_PWL_RWL) {
		set_pwl(c, cand, m->mode == CACHE_PWL_SSD ? "ssd" : "rwl");
		return;
	}
	if (had_pwl)
		option(cand, OPTION_PWL_MODE, "disabled");
	option(cand, OPTION_CACHE, m->mode == CACHE_NONE ? "false" : "true");
	if (m->mode == CACHE_NONE)
		return;
	option(cand, OPTION_POLICY, m->name);
	if (m->mode == CACHE_WRITETHROUGH)
		return;
	set_sizes(cand, &tried_sizes[0]);
}

static double slo_score(const struct workload *w, const struct prediction *p)
{
	struct dist d = w->slo_metric == SLO_GUEST_SYNC ? p->guest_sync : p->write;

	if (w->slo_metric == SLO_IOPS)
		return -p->iops;
	return w->slo_pct == SLO_P50 ? d.p50_ns : w->slo_pct == SLO_P99 ? d.p99_ns : d.p999_ns;
}

/* A candidate is meant with the cache mode that it needs; its steps say so. */
static struct cache_settings effective(const struct advise_input *in, const struct candidate *cand)
{
	return strcmp(cand->name, "current") == 0 ? advise_settings(in) :
		image_config_effective(&cand->config);
}

void advise_evaluate(const struct advise_case *c, struct candidate *cand)
{
	struct model_input in = { .load = &c->load, .set = &cand->set, .backend = &c->backend,
		.drive = c->in->has_drive ? &c->drive : NULL, .images = c->images,
		.service = c->service, .budget = c->budget,
		.handles = advise_clients(c->in) };
	bool stalls;

	cand->set = effective(c->in, cand);
	model_of(cand->set.mode)->evaluate(&in, &cand->predicted);
	cand->score = slo_score(&c->load, &cand->predicted);
	cand->meets = -1;
	if (isnan(c->load.slo_limit_ns) || isnan(cand->score))
		return;
	stalls = cand->predicted.stall_seconds >= threshold(THRESHOLD_STALL_S);
	cand->meets = cand->score <= c->load.slo_limit_ns && !stalls;
}

static bool fits_memory(const struct advise_case *c, const struct candidate *cand)
{
	return isnan(c->in->memory_bytes) ||
		cand->predicted.memory_bytes * c->images <= c->in->memory_bytes;
}

/* is_ample - no more than the smallest target lies between two syncs, and nothing waited for room:
 * a larger cache changes nothing. */
static bool is_ample(const struct advise_case *c, const struct candidate *cand)
{
	return c->load.syncs_per_write > 0 &&
		workload_sync_bytes(&c->load) <= cand->set.target_dirty_bytes &&
		strcmp(cand->predicted.regime, "absorbed") == 0;
}

/* sweep - the smallest sizes within THRESHOLD_SAME of the best that fits the memory. */
static void sweep(const struct advise_case *c, struct candidate *cand)
{
	size_t n = sizeof(tried_sizes) / sizeof(tried_sizes[0]), best = 0;
	struct candidate tried[sizeof(tried_sizes) / sizeof(tried_sizes[0])];
	double score[sizeof(tried_sizes) / sizeof(tried_sizes[0])];

	for (size_t i = 0; i < n; i++) {
		set_sizes(cand, &tried_sizes[i]);
		advise_evaluate(c, cand);
		tried[i] = *cand;
		score[i] = i == 0 || fits_memory(c, cand) ? cand->score : NAN;
		if (score[i] < score[best])
			best = i;
		if (i == 0 && is_ample(c, cand))
			return;
	}
	for (size_t i = 0; i <= best; i++) {
		/* fabs: IOPS are scored as negative numbers. */
		if (score[i] <= score[best] + fabs(score[best]) * threshold(THRESHOLD_SAME)) {
			best = i;
			break;
		}
	}
	*cand = tried[best];
}

static void make_current(const struct advise_case *c, struct candidate *cand)
{
	*cand = (struct candidate){ .config = c->in->config, .name = "current", .meets = -1 };
	advise_evaluate(c, cand);
	if (c->in->krbd)
		return; /* no option acts */
	cand->relevant[OPTION_CACHE] = true;
	if (cand->set.under != CACHE_NONE)
		cand->relevant[OPTION_POLICY] = true;
	if (cand->set.under == CACHE_WRITEBACK || cand->set.under == CACHE_WRITEAROUND) {
		cand->relevant[OPTION_MAX_DIRTY] = true;
		cand->relevant[OPTION_SIZE] = true;
		cand->relevant[OPTION_TARGET_DIRTY] = true;
	}
	if (cand->set.mode >= CACHE_PWL_SSD)
		for (int k = OPTION_PLUGINS; k <= OPTION_PWL_PATH; k++)
			cand->relevant[k] = true;
}

void advise_make_candidates(const struct advise_case *c, struct advice *a)
{
	make_current(c, &a->candidate[a->candidate_count++]);
	for (size_t i = 0; model_table[i] != NULL; i++) {
		struct candidate *cand = &a->candidate[a->candidate_count++];

		make(c, model_table[i], cand);
		if (model_table[i]->mode == CACHE_WRITEBACK ||
		    model_table[i]->mode == CACHE_WRITEAROUND)
			sweep(c, cand);
		else
			advise_evaluate(c, cand);
	}
}
