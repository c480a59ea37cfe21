/* advise_reasons.c - why this candidate, and what else could be done. */
#include "policies/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/threshold.h"

static const char *metric_text(const struct workload *w)
{
	return w->slo_metric == SLO_GUEST_SYNC ? "a sync" : w->slo_metric == SLO_WRITE ?
		"a write" : "throughput";
}

static void compare_with_limit(const struct advise_case *c, struct advice *a)
{
	const struct workload *w = &c->load;
	const struct candidate *now = advise_current(a), *best = &a->candidate[a->chosen];
	const char *pct = slo_percentile_word(w->slo_pct);

	if (isnan(w->slo_limit_ns) || isnan(now->score)) {
		if (isnan(now->score))
			notes_add(&a->reasons, "current-unknown", "", "what the present settings do "
				"cannot be predicted: %s", now->predicted.why);
		return;
	}
	if (now->meets == 1)
		notes_add(&a->reasons, "current-meets", w->slo_source,
			"the present settings meet the limit: %s takes %.2f ms (%s) of %.2f ms "
			"allowed, %.1f times within it", metric_text(w), now->score / 1e6, pct,
			w->slo_limit_ns / 1e6, w->slo_limit_ns / now->score);
	else
		notes_add(&a->reasons, "current-misses", w->slo_source,
			"the present settings do not meet the limit: %s takes %.2f ms (%s), %.2f ms "
			"allowed", metric_text(w), now->score / 1e6, pct, w->slo_limit_ns / 1e6);
	if (best != now && best->meets == 1)
		notes_add(&a->reasons, "chosen-meets", "", "'%s' meets it: %.2f ms; %s", best->name,
			best->score / 1e6, best->predicted.why);
	else if (best != now)
		notes_add(&a->reasons, "chosen-gains", "", "'%s' comes closest: %.2f ms; %s",
			best->name, best->score / 1e6, best->predicted.why);
}

static void why_not_changed(const struct advise_case *c, struct advice *a)
{
	const struct candidate *now = advise_current(a);
	const struct candidate *faster = NULL;

	if (&a->candidate[a->chosen] != now)
		return;
	for (size_t i = 0; i < a->candidate_count; i++) {
		const struct candidate *x = &a->candidate[i];

		if (x != now && !isnan(x->score) && !isnan(now->score) && x->blockers.count == 0 &&
		    x->score < now->score - fabs(now->score) * threshold(THRESHOLD_SAME) &&
		    (faster == NULL || x->score < faster->score))
			faster = x;
	}
	if (faster == NULL) {
		notes_add(&a->reasons, "none-faster", "", "no other setting without a blocker is "
			"predicted to be notably faster");
		return;
	}
	if (faster->predicted.at_risk_bytes > now->predicted.at_risk_bytes)
		notes_add(&a->reasons, "adds-risk", "", "'%s' would be faster, but puts up to %.0f MiB "
			"more at risk an image", faster->name, (faster->predicted.at_risk_bytes -
			now->predicted.at_risk_bytes) / 1048576.0);
	else
		notes_add(&a->reasons, "small-gain", threshold_table[THRESHOLD_GAIN].source,
			"'%s' would be faster, but not by more than %.0f %%, or not for certain",
			faster->name, threshold(THRESHOLD_GAIN) * 100);
	(void)c; /* one signature for all of these */
}

static void in_memory_fact(const struct advise_case *c, struct advice *a)
{
	if (c->load.syncs_per_write == 1)
		notes_add(&a->reasons, "memory-no-help", "measured on a Reef cluster: write-around "
			"10 to 40 % below none, write-back a little above, write-through equal",
			"every sync waits for the cluster whatever the in-memory policy: they move "
			"the wait from the write to the flush");
}

/* faster_by - the factor by which the backend's latency would have to shrink for @cand. 0: even an
 * infinitely fast one does not do. */
static double faster_by(const struct advise_case *c, const struct candidate *cand)
{
	double lo = 0, hi = 1;

	for (int i = 0; i < 16; i++) {
		struct advise_case moved = *c;
		struct candidate x = *cand;
		double mid = (lo + hi) / 2;

		moved.backend.write = dist_scale(c->backend.write, mid);
		moved.backend.flush = dist_scale(c->backend.flush, mid);
		moved.backend.guest_sync = dist_scale(c->backend.guest_sync, mid);
		moved.backend.refresh = dist_scale(c->backend.refresh, mid);
		advise_retable(&moved);
		advise_evaluate(&moved, &x);
		if (x.meets == 1)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void what_would(const struct advise_case *c, struct advice *a)
{
	const struct candidate *best = &a->candidate[a->chosen];
	double f;

	if (best->meets == 1 || isnan(c->load.slo_limit_ns))
		return;
	if (a->drive_meets == 1)
		notes_add(&a->instead, "local-drive", c->load.slo_source,
			"the local drive without RBD meets it: %.3f ms (%s) a durable write; the data "
			"then lives on this host alone", a->drive_sync_ns / 1e6,
			slo_percentile_word(c->load.slo_pct));
	if (a->drive_meets == 1)
		notes_add(&a->instead, "pwl-device", "ceph src/librbd/cache/pwl", "as the device of a "
			"PWL log the drive is fast enough (%.3f ms)%s; that alone does not mean that "
			"PWL meets the limit", a->drive_sync_ns / 1e6, c->in->plp == PLP_YES ? "" :
			c->in->plp == PLP_NO ? ", but without power-loss protection it must not be one" :
			", if its power-loss protection is proven");
	else if (a->drive_meets == 0)
		notes_add(&a->instead, "no-local-drive", c->load.slo_source,
			"the local drive without RBD does not meet it either: %.2f ms",
			a->drive_sync_ns / 1e6);
	f = isnan(best->score) ? 0 : faster_by(c, best);
	if (f > 1e-4)
		notes_add(&a->instead, "faster-backend", "docs/advice.md",
			"with '%s' the backend would have to be %.1f times as fast: a 4 KiB write of "
			"%.2f ms (p50), %.2f ms (p99); OSD drives with power-loss protection, no deep "
			"CPU sleep states, fewer hops", best->name, 1 / f,
			c->backend.write.p50_ns * f / 1e6, c->backend.write.p99_ns * f / 1e6);
	if (notes_has(&a->warnings, "pwl-unsure") || notes_has(&a->warnings, "pwl-verify"))
		notes_add(&a->instead, "verify-pwl", "docs/advice.md",
			"only a measurement on a scratch image can tell whether PWL would: `ssdqual "
			"verify rbd:POOL/SCRATCH --workload %s`",
			c->load.name != NULL ? c->load.name : "W");
}

/* Some settings must be left whatever they do to the load. */
static void why_left(const struct advise_case *c, struct advice *a)
{
	const struct candidate *now = advise_current(a);

	if (!now->untenable)
		return;
	notes_add(&a->reasons, "shared-image", "ceph doc/rbd/rbd-config-ref.rst; ceph PR 43038",
		"no client cache: %.0f watchers have the image open, and caches of several clients "
		"know nothing of each other%s", advise_clients(c->in),
		now == &a->candidate[a->chosen] ? "; no candidate without a cache is usable" : "");
}

void advise_add_reasons(const struct advise_case *c, struct advice *a)
{
	const struct candidate *best = &a->candidate[a->chosen];

	why_left(c, a);
	compare_with_limit(c, a);
	if (isnan(c->load.slo_limit_ns) && best != advise_current(a))
		notes_add(&a->reasons, "chosen-best", "", "'%s': %.0f IOPS against %.0f with the "
			"present settings; %s", best->name, best->predicted.iops,
			advise_current(a)->predicted.iops, best->predicted.why);
	why_not_changed(c, a);
	in_memory_fact(c, a);
	if (a->flips[0] != '\0')
		notes_add(&a->reasons, "unsure", threshold_table[THRESHOLD_PERTURB].source,
			"unsure: the decision turns on %s; measure each setting on a scratch image "
			"(`ssdqual verify rbd:POOL/SCRATCH --workload %s`)", a->flips,
			c->load.name != NULL ? c->load.name : "W");
	if (c->in->backend_depth_only)
		notes_add(&a->reasons, "backend-assumed", c->in->backend_source,
			"of your backend the concurrency is known, and no latency of one write: this "
			"is the answer for the reference one; add a run at depth 1");
	else if (c->in->backend_assumed)
		notes_add(&a->reasons, "backend-assumed", c->in->backend_source,
			"nothing is known of your backend: this is the answer for the reference one");
	what_would(c, a);
}
