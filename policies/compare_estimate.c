/* compare_estimate.c - how well a figure is known, and whether two of them differ. */
#include "policies/compare.h"

#include <math.h>
#include <stdlib.h>

#include "policies/threshold.h"

#define VALUES_MAX 64

double compare_t95(double freedom)
{
	/* Student's t, 97.5 %, 1 to 30 degrees of freedom; beyond, the values for 40, 60 and 120 */
	static const double t[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
		2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
		2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 };

	if (!(freedom >= 1))
		return t[0];
	if (freedom < 31)
		return t[(size_t)freedom - 1];
	return freedom < 60 ? 2.021 : freedom < 120 ? 2.000 : freedom < 1e6 ? 1.980 : 1.960;
}

struct compare_estimate compare_samples(const double *v, size_t n)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	mean = n ? sum / (double)n : NAN;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return (struct compare_estimate){
		.value = mean,
		.se = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN,
		.freedom = n > 1 ? (double)(n - 1) : NAN,
	};
}

/* -- within one run ---------------------------------------------------------------------------- */

static double second_iops(const struct timeline_second *t)
{
	return t->iops;
}

static double second_p99(const struct timeline_second *t)
{
	return t->p99_ns;
}

/* What is left of the last second is too short for a figure. */
static size_t whole_seconds(const struct measurement *m)
{
	size_t n = m->timeline_count;

	return n > 1 && m->timeline[n - 1].t_s - m->timeline[n - 2].t_s < 0.5 ? n - 1 : n;
}

/* Means of blocks of the timeline, as samples of one run. */
static struct compare_estimate blocks(const struct measurement *m,
	double (*figure)(const struct timeline_second *))
{
	size_t seconds = whole_seconds(m);
	size_t count = seconds < COMPARE_BLOCKS ? seconds : COMPARE_BLOCKS;
	double v[COMPARE_BLOCKS] = { 0 };

	if (seconds < COMPARE_LEAST)
		return compare_samples(v, 0);
	for (size_t b = 0; b < count; b++) {
		size_t first = b * seconds / count, end = (b + 1) * seconds / count, n = 0;
		double sum = 0;

		for (size_t i = first; i < end; i++) {
			double x = figure(&m->timeline[i]);

			if (!isnan(x)) { /* nothing completed: a stall has no latency, but IOPS 0 */
				sum += x;
				n++;
			}
		}
		if (n == 0)
			return compare_samples(v, 0);
		v[b] = sum / (double)n;
	}
	return compare_samples(v, count);
}

/* Half of what lies between the percentiles one binomial standard deviation below and above. */
static double rank_error(const struct hist *h, double share)
{
	double step, n;
	uint64_t low, high;

	if (!h || h->count == 0)
		return NAN;
	n = (double)h->count;
	step = sqrt(share * (1 - share) / n);
	if (share - step <= 0 || hist_percentile(h, 100 * (share - step), &low) < 0 ||
		hist_percentile(h, 100 * fmin(share + step, 1), &high) < 0)
		return NAN;
	return ((double)high - (double)low) / 2;
}

/* -- one row ----------------------------------------------------------------------------------- */

struct compare_estimate compare_iops(const struct measurement *const *legs, size_t n)
{
	struct compare_estimate e;
	double v[VALUES_MAX] = { 0 };

	for (size_t i = 0; i < n && i < VALUES_MAX; i++)
		v[i] = legs[i]->iops;
	e = compare_samples(v, n < VALUES_MAX ? n : VALUES_MAX);
	e.repeated = n > 1;
	if (n != 1)
		return e;
	e = blocks(legs[0], second_iops);
	e.value = legs[0]->iops;
	return e;
}

/* Until durable; of other tools' rows that call fsync the call's own is the nearest. */
static const struct latency *durable(const struct measurement *m)
{
	if (m->source != SOURCE_MEASURED && m->sync_lat.present)
		return &m->sync_lat;
	return &m->lat;
}

static double p99_of(const struct measurement *m)
{
	const struct latency *l = durable(m);

	return l->present ? l->pct_ns[LAT_P99] : NAN;
}

struct compare_estimate compare_p99(const struct measurement *const *legs, size_t n)
{
	struct compare_estimate e;
	double v[VALUES_MAX] = { 0 }, ranks;

	for (size_t i = 0; i < n && i < VALUES_MAX; i++)
		v[i] = p99_of(legs[i]);
	e = compare_samples(v, n < VALUES_MAX ? n : VALUES_MAX);
	e.repeated = n > 1;
	if (n != 1 || isnan(v[0]))
		return e;
	e = blocks(legs[0], second_p99);
	e.se = e.se / e.value * v[0]; /* the spread of the seconds, around the figure of all */
	e.value = v[0];
	ranks = rank_error(durable(legs[0])->hist, 0.99);
	if (!(e.se >= ranks) && !isnan(ranks)) {
		e.se = ranks;
		e.freedom = INFINITY;
	}
	return e;
}

/* -- two of them ------------------------------------------------------------------------------- */

/* Welch and Satterthwaite; an infinite one adds nothing. */
static double freedom_of(double va, double fa, double vb, double fb)
{
	double below = va * va / fa + vb * vb / fb;

	return below > 0 ? (va + vb) * (va + vb) / below : INFINITY;
}

static double spread_of(const struct compare_estimate *a, const struct compare_estimate *b)
{
	double va = a->se * a->se, vb = b->se * b->se;
	double least = threshold(a->repeated && b->repeated ? THRESHOLD_CACHE_LEAST :
		THRESHOLD_CACHE_SAME);

	if (isnan(va) || isnan(vb) || !(a->value > 0))
		return NAN;
	return fmax(compare_t95(freedom_of(va, a->freedom, vb, b->freedom)) * sqrt(va + vb) /
		a->value, least);
}

struct compare_figure compare_figures(struct compare_estimate base, struct compare_estimate now,
	bool more_is_better, double max_regress)
{
	struct compare_figure f = { .base = base, .now = now, .change = NAN, .spread = NAN,
		.word = COMPARE_NOT_COMPARABLE };

	if (isnan(base.value) || isnan(now.value) || !(base.value > 0))
		return f;
	f.change = more_is_better ? (now.value - base.value) / base.value :
		(base.value - now.value) / base.value;
	f.spread = spread_of(&base, &now);
	if (isnan(f.spread))
		f.word = COMPARE_CANNOT_TELL;
	else if (f.change + f.spread < -max_regress)
		f.word = COMPARE_WORSE;
	else if (f.change - f.spread < -max_regress)
		f.word = COMPARE_CANNOT_TELL;
	else
		f.word = f.change - f.spread > 0 ? COMPARE_IMPROVED : COMPARE_SAME;
	return f;
}
