/* accuracy_stat.c - measured figures with their bootstrap intervals.
 *
 * Pairs: a circular block bootstrap (blocks of the square root of the number of pairs, because
 * neighbours are alike), 300 resamples. Histograms of fio: a Poisson bootstrap of the bins.
 */
#include "tests/bench/accuracy.h"

#include "policies/sim_rng.h"

#include <math.h>
#include <stdlib.h>

#define RESAMPLES 300

const char *const metric_word[METRICS] = {
	[M_WRITE_P50] = "write p50", [M_WRITE_P99] = "write p99", [M_FLUSH_P50] = "flush p50",
	[M_FLUSH_P99] = "flush p99", [M_PAIR_P50] = "pair p50", [M_PAIR_P99] = "pair p99",
	[M_IOPS] = "IOPS",
};

static double pct(const struct hist *h, double p)
{
	uint64_t ns;

	return hist_percentile(h, p, &ns) == 0 ? (double)ns : NAN;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void interval(struct figure *f, double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), ascending);
	f->low = v[n / 40];
	f->high = v[n - 1 - n / 40];
}

static void pair_sample(const struct cell *c, struct hist *h[3], double *sum_ns, size_t i)
{
	hist_record(h[0], c->write_ns[i]);
	hist_record(h[1], c->flush_ns[i]);
	hist_record(h[2], c->write_ns[i] + c->flush_ns[i]);
	*sum_ns += (double)(c->write_ns[i] + c->flush_ns[i] + c->think_ns);
	if (c->burst_ops)
		*sum_ns += (double)c->burst_gap_ns / (double)c->burst_ops;
}

static void read_figures(struct hist *h[3], double sum_ns, size_t n, double v[METRICS])
{
	for (unsigned k = 0; k < 3; k++) {
		v[2 * k] = pct(h[k], 50);
		v[2 * k + 1] = pct(h[k], 99);
	}
	v[M_IOPS] = (double)n * 1e9 / sum_ns;
}

static void measure_pairs(struct cell *c, struct hist *h[3])
{
	static double v[METRICS][RESAMPLES]; /* too large for a stack */
	double one[METRICS], sum = 0;
	size_t block = (size_t)sqrt((double)c->pairs) + 1;
	struct sim_rng rng;

	for (size_t i = 0; i < c->pairs; i++)
		pair_sample(c, h, &sum, i);
	read_figures(h, sum, c->pairs, one);
	for (unsigned m = 0; m < METRICS; m++)
		c->f[m].measured = one[m];
	sim_rng_seed(&rng, 20261130, 1);
	for (unsigned r = 0; r < RESAMPLES; r++) {
		size_t n = 0;

		for (unsigned k = 0; k < 3; k++)
			hist_reset(h[k]);
		sum = 0;
		while (n < c->pairs) {
			size_t at = sim_rng_below(&rng, c->pairs);

			for (size_t k = 0; k < block && n < c->pairs; k++, n++)
				pair_sample(c, h, &sum, (at + k) % c->pairs);
		}
		read_figures(h, sum, c->pairs, one);
		for (unsigned m = 0; m < METRICS; m++)
			v[m][r] = one[m];
	}
	for (unsigned m = 0; m < METRICS; m++)
		interval(&c->f[m], v[m], RESAMPLES);
}

static double normal(struct sim_rng *r)
{
	double u = 1 - sim_rng_unit(r), v = sim_rng_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* poisson - of mean @m: by inversion below 30, beyond by the normal that it then is. */
static uint64_t poisson(struct sim_rng *r, double m)
{
	double p = exp(-m), u = sim_rng_unit(r), sum = p;
	uint64_t k = 0;

	if (m > 30)
		return (uint64_t)fmax(0, floor(m + sqrt(m) * normal(r) + 0.5));
	while (u > sum && k < 200) {
		k++;
		p *= m / (double)k;
		sum += p;
	}
	return k;
}

static void measure_hist(const struct hist *h, struct hist *again, struct figure *p50,
	struct figure *p99)
{
	double v[2][RESAMPLES];
	struct sim_rng rng;

	if (!h || h->count == 0)
		return;
	p50->measured = pct(h, 50);
	p99->measured = pct(h, 99);
	sim_rng_seed(&rng, 20261130, 2);
	for (unsigned r = 0; r < RESAMPLES; r++) {
		hist_reset(again);
		again->min_ns = h->min_ns;
		again->max_ns = h->max_ns;
		for (unsigned i = 0; i < HIST_BUCKETS; i++) {
			if (h->bucket[i])
				again->bucket[i] = poisson(&rng, (double)h->bucket[i]);
			again->count += again->bucket[i];
		}
		v[0][r] = pct(again, 50);
		v[1][r] = pct(again, 99);
	}
	interval(p50, v[0], RESAMPLES);
	interval(p99, v[1], RESAMPLES);
}

void figures_measure(struct cell *c)
{
	struct hist *h[3] = { hist_new(), hist_new(), hist_new() };

	for (unsigned m = 0; m < METRICS; m++)
		c->f[m] = (struct figure){ NAN, NAN, NAN, NAN, NAN, NAN };
	if (h[0] && h[1] && h[2]) {
		if (c->kind == CELL_PAIR) {
			measure_pairs(c, h);
		} else {
			measure_hist(c->write, h[0], &c->f[M_WRITE_P50], &c->f[M_WRITE_P99]);
			measure_hist(c->flush, h[0], &c->f[M_FLUSH_P50], &c->f[M_FLUSH_P99]);
			c->f[M_IOPS].measured = c->iops;
			c->f[M_IOPS].low = c->iops - 1.96 * c->iops_spread;
			c->f[M_IOPS].high = c->iops + 1.96 * c->iops_spread;
		}
	}
	for (unsigned k = 0; k < 3; k++)
		hist_free(h[k]);
}

bool figure_inside(const struct figure *f, enum metric m)
{
	double ratio = f->predicted / f->measured;
	bool tail = m == M_WRITE_P99 || m == M_FLUSH_P99 || m == M_PAIR_P99;

	if (isnan(ratio))
		return false;
	if (f->predicted >= f->low && f->predicted <= f->high)
		return true;
	return tail ? ratio >= 1 / 1.5 && ratio <= 1.5 : ratio >= 0.75 && ratio <= 1.25;
}
