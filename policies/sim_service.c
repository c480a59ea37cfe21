/* sim_service.c - quantile tables from histograms, from three quantiles, from constants. */
#include "policies/sim_service.h"

#include "policies/dist.h"

#include <math.h>
#include <string.h>

void sim_table_constant(struct sim_table *t, uint64_t ns)
{
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++)
		t->q_ns[i] = ns;
	t->known = true;
	t->constant = true;
}

static void settle(struct sim_table *t)
{
	t->constant = true;
	for (unsigned i = 1; i <= SIM_TABLE_CELLS; i++) {
		if (t->q_ns[i] < t->q_ns[i - 1])
			t->q_ns[i] = t->q_ns[i - 1];
		if (t->q_ns[i] != t->q_ns[0])
			t->constant = false;
	}
	t->known = true;
}

void sim_table_from_hist(struct sim_table *t, const struct hist *h)
{
	uint64_t low = 0, high = 0, below = 0;
	uint32_t bucket = 0;

	memset(t, 0, sizeof(*t));
	if (h->count == 0)
		return;
	hist_edges(0, &low, &high);
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++) {
		double rank = (double)h->count * i / SIM_TABLE_CELLS, part;

		while (bucket + 1 < HIST_BUCKETS &&
			(h->bucket[bucket] == 0 || (double)(below + h->bucket[bucket]) < rank)) {
			below += h->bucket[bucket];
			bucket++;
		}
		if (h->bucket[bucket] == 0) { /* the count promised more than the buckets hold */
			t->q_ns[i] = h->max_ns;
			continue;
		}
		hist_edges(bucket, &low, &high);
		low = low < h->min_ns ? h->min_ns : low;
		high = high > h->max_ns ? h->max_ns : high;
		part = (rank - (double)below) / (double)h->bucket[bucket];
		part = part < 0 ? 0 : part > 1 ? 1 : part;
		t->q_ns[i] = low + (uint64_t)(part * (double)(high - low));
	}
	settle(t);
}

static bool below(double z, double p)
{
	return 0.5 * erfc(-z / M_SQRT2) < p;
}

/* bisect - z of @p in (0, 1), to the middle of its cell on a grid of 10 / 2^40. */
static double bisect(double p)
{
	double lo = -5, hi = 5;

	for (int i = 0; i < 40; i++) {
		double mid = (lo + hi) / 2;

		if (below(mid, p))
			lo = mid;
		else
			hi = mid;
	}
	return (lo + hi) / 2;
}

/* normal_score - the same, to the last bit, by Newton's steps from @near, which a few of the 40
 * comparisons do for: the edges of the cell that they end in are compared as bisect() does. */
static double normal_score(double p, double near)
{
	const double cell = 10 * 0x1p-40;
	double z = near, step = 1, low;

	for (int i = 0; i < 8 && fabs(step) > 1e-7; i++) { /* the next one is below a cell */
		step = (p - 0.5 * erfc(-z / M_SQRT2)) * sqrt(2 * M_PI) * exp(z * z / 2);
		z = fmin(fmax(z + step, -4.5), 4.5);
	}
	low = floor(z / cell) * cell;
	return below(low, p) && !below(low + cell, p) ? low + cell / 2 : bisect(p);
}

void sim_table_from_dist(struct sim_table *t, struct dist d)
{
	double z = -4;

	memset(t, 0, sizeof(*t));
	if (!dist_known(d) || d.p50_ns < 0)
		return;
	if (d.p50_ns == d.p999_ns) {
		sim_table_constant(t, (uint64_t)(d.p50_ns + 0.5));
		return;
	}
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++) {
		double p = (double)i / SIM_TABLE_CELLS;

		p = fmin(fmax(p, 1e-4), 1 - 1e-4);
		z = normal_score(p, z);
		t->q_ns[i] = (uint64_t)fmax(0, dist_quantile(d, z));
	}
	settle(t);
}

void sim_table_shift(struct sim_table *t, double ns, uint64_t floor_ns)
{
	if (!t->known)
		return;
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++) {
		double v = (double)t->q_ns[i] + ns;

		t->q_ns[i] = v > (double)floor_ns ? (uint64_t)(v + 0.5) : floor_ns;
	}
	settle(t);
}

void sim_table_scale(struct sim_table *t, double factor)
{
	if (!t->known)
		return;
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++)
		t->q_ns[i] = (uint64_t)((double)t->q_ns[i] * factor + 0.5);
	settle(t);
}

double sim_table_split(struct sim_table *t, double share, struct sim_table *ret_pause)
{
	struct sim_table whole = *t;
	double mean = sim_table_mean(t), median = sim_table_quantile(t, 0.5);

	memset(ret_pause, 0, sizeof(*ret_pause));
	if (!t->known || t->constant || share <= 0 || mean <= 0)
		return 0;
	for (unsigned i = 0; i <= SIM_TABLE_CELLS; i++) {
		double p = (double)i / SIM_TABLE_CELLS;
		double tail = sim_table_quantile(&whole, 1 - share + share * p) - median;

		t->q_ns[i] = (uint64_t)sim_table_quantile(&whole, (1 - share) * p);
		ret_pause->q_ns[i] = (uint64_t)fmax(0, tail);
	}
	settle(t);
	settle(ret_pause);
	return share / mean * 1e9;
}

double sim_table_mean(const struct sim_table *t)
{
	double sum = 0;

	if (!t->known)
		return NAN;
	for (unsigned i = 0; i < SIM_TABLE_CELLS; i++)
		sum += ((double)t->q_ns[i] + (double)t->q_ns[i + 1]) / 2;
	return sum / SIM_TABLE_CELLS;
}

double sim_table_quantile(const struct sim_table *t, double p)
{
	double at, low;
	unsigned i;

	if (!t->known || !(p >= 0 && p <= 1))
		return NAN;
	at = p * SIM_TABLE_CELLS;
	i = (unsigned)at;
	if (i >= SIM_TABLE_CELLS)
		return (double)t->q_ns[SIM_TABLE_CELLS];
	low = (double)t->q_ns[i];
	return low + (at - i) * ((double)t->q_ns[i + 1] - low);
}
