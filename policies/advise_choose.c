/* advise_choose.c - the decision, and whether it survives inputs that are 30 % off. */
#include "policies/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/threshold.h"

/* is_usable - may @x be recommended? */
static bool is_usable(const struct candidate *x)
{
	return x->blockers.count == 0 && x->predicted.certainty != CERTAINTY_UNSURE &&
		!isnan(x->score);
}

/* gains - is @c better than @than by more than the share? IOPS are scored as negative numbers,
 * so that a gain of 20 % is 20 % more of them. */
static bool gains(const struct candidate *c, const struct candidate *than)
{
	double gain = threshold(THRESHOLD_GAIN);

	if (isnan(than->score))
		return true;
	return c->score < (than->score >= 0 ? than->score * (1 - gain) : than->score * (1 + gain));
}

/* prefer - is @c to be taken before @best? Equal within THRESHOLD_SAME: the one that puts less at
 * risk, then the one that takes less memory, then the earlier. */
static bool prefer(const struct candidate *c, const struct candidate *best)
{
	double same = fabs(best->score) * threshold(THRESHOLD_SAME);

	if (fabs(c->score - best->score) > same)
		return c->score < best->score;
	if (c->predicted.at_risk_bytes != best->predicted.at_risk_bytes)
		return c->predicted.at_risk_bytes < best->predicted.at_risk_bytes;
	if (c->predicted.memory_bytes != best->predicted.memory_bytes)
		return c->predicted.memory_bytes < best->predicted.memory_bytes;
	return false;
}

/* leave - the best of what is usable when the present settings cannot stay: what meets the limit
 * first. @now when nothing is. */
static size_t leave(const struct candidate *cand, size_t n, size_t now)
{
	size_t best = now;

	for (size_t i = 0; i < n; i++) {
		bool meets = cand[i].meets == 1;

		if (i == now || !is_usable(&cand[i]))
			continue;
		if (best == now || (meets && cand[best].meets != 1) ||
		    (meets == (cand[best].meets == 1) && prefer(&cand[i], &cand[best])))
			best = i;
	}
	return best;
}

size_t advise_choose(const struct advise_case *c, const struct candidate *cand, size_t n)
{
	size_t now = 0, best;

	for (size_t i = 0; i < n; i++)
		if (strcmp(cand[i].name, "current") == 0)
			now = i;
	if (cand[now].untenable)
		return leave(cand, n, now);
	best = now;
	/* First round: what meets the SLO, or all where there is no limit or current meets it. */
	for (size_t i = 0; i < n; i++) {
		if (i == now || !is_usable(&cand[i]))
			continue;
		if (cand[now].meets == 1 && (!gains(&cand[i], &cand[now]) ||
		    cand[i].predicted.at_risk_bytes > cand[now].predicted.at_risk_bytes))
			continue;
		if (!isnan(c->load.slo_limit_ns) && cand[i].meets != 1)
			continue;
		if (isnan(c->load.slo_limit_ns) && !gains(&cand[i], &cand[now]))
			continue;
		if (best == now || prefer(&cand[i], &cand[best]))
			best = i;
	}
	if (best != now || cand[now].meets == 1 || isnan(c->load.slo_limit_ns))
		return best;
	/* Nothing meets it: the best that is worth a change. */
	for (size_t i = 0; i < n; i++)
		if (i != now && is_usable(&cand[i]) && gains(&cand[i], &cand[now]) &&
		    (best == now || prefer(&cand[i], &cand[best])))
			best = i;
	return best;
}


enum input { INPUT_BACKEND, INPUT_REFRESH, INPUT_THINK, INPUT_SIZE, INPUT_COUNT };
static const char *const input_name[INPUT_COUNT] = { "backend latency", "refresh stall",
	"pause between syncs", "write size" };

static void move_input(struct advise_case *c, enum input which, double f)
{
	switch (which) {
	case INPUT_BACKEND:
		c->backend.write = dist_scale(c->backend.write, f);
		c->backend.read = dist_scale(c->backend.read, f);
		c->backend.flush = dist_scale(c->backend.flush, f);
		c->backend.guest_sync = dist_scale(c->backend.guest_sync, f);
		break;
	case INPUT_REFRESH:
		c->backend.refresh = dist_scale(c->backend.refresh, f);
		break;
	case INPUT_THINK:
		c->load.think_ns *= f;
		break;
	default:
		c->load.write_bytes *= f;
		break;
	}
}

static bool decision_flips(const struct advise_case *c, const struct advice *a, enum input which,
	double f)
{
	struct advise_case moved = *c;
	struct candidate cand[ADVICE_CANDIDATES];
	size_t chosen;

	moved.budget = &advise_brief;
	move_input(&moved, which, f);
	if (which == INPUT_BACKEND || which == INPUT_REFRESH)
		advise_retable(&moved);
	memcpy(cand, a->candidate, a->candidate_count * sizeof(cand[0]));
	for (size_t i = 0; i < a->candidate_count; i++)
		advise_evaluate(&moved, &cand[i]);
	chosen = advise_choose(&moved, cand, a->candidate_count);
	return chosen != a->chosen || cand[chosen].meets != a->candidate[a->chosen].meets;
}

/* pwl_could_decide - PWL has no blocker and might be what is missing, but nobody can tell. */
static bool pwl_could_decide(const struct advise_case *c, const struct advice *a)
{
	if (a->candidate[a->chosen].meets != 0)
		return false;
	for (size_t i = 0; i < a->candidate_count; i++) {
		const struct candidate *p = &a->candidate[i];

		if (p->set.mode != CACHE_PWL_SSD || p->blockers.count > 0)
			continue;
		if (p->meets == 1 || (p->predicted.certainty == CERTAINTY_UNSURE &&
		    !(p->predicted.guest_sync.p50_ns > c->load.slo_limit_ns)))
			return true;
	}
	return false;
}

static void add_flip(struct advice *a, const char *name)
{
	size_t at = strlen(a->flips);

	snprintf(a->flips + at, sizeof(a->flips) - at, "%s%s", at > 0 ? ", " : "", name);
}

void advise_find_flips(const struct advise_case *c, struct advice *a)
{
	const struct candidate *chosen = &a->candidate[a->chosen];
	double move = threshold(THRESHOLD_PERTURB);

	for (int i = 0; i < INPUT_COUNT; i++)
		if (decision_flips(c, a, (enum input)i, 1 - move) ||
		    decision_flips(c, a, (enum input)i, 1 + move))
			add_flip(a, input_name[i]);
	if (pwl_could_decide(c, a))
		add_flip(a, "the regime of PWL");
	if (chosen->predicted.certainty == CERTAINTY_UNSURE)
		add_flip(a, "the regime of the present settings");
	if (a->flips[0] != '\0')
		a->confidence = CONFIDENCE_UNSURE;
	else if (c->in->backend_assumed || (chosen->set.mode >= CACHE_PWL_SSD &&
		 c->load.syncs_per_write > 0) || chosen->predicted.certainty != CERTAINTY_DERIVED ||
		 advise_current(a)->predicted.certainty == CERTAINTY_ROUGH ||
		 c->in->backend.in[BACKEND_WRITE].p99_assumed)
		a->confidence = CONFIDENCE_LOW;
	else
		a->confidence = CONFIDENCE_HIGH;
}
