/* hist.c - log-linear latency histogram; hist.h derives its error bound. */
#include "data/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hist *hist_new(void)
{
	struct hist *h = malloc(sizeof(*h));

	if (h)
		hist_reset(h); /* writes every page, so that recording takes no page fault */
	return h;
}

void hist_free(struct hist *h)
{
	free(h);
}

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_edges(uint32_t index, uint64_t *ret_low_ns, uint64_t *ret_high_ns)
{
	uint32_t shift;
	uint64_t m;

	if (index < HIST_SUB) {
		*ret_low_ns = *ret_high_ns = index;
		return;
	}
	shift = (index >> HIST_BITS) - 1;
	m = HIST_SUB + (index & (HIST_SUB - 1));
	*ret_low_ns = m << shift;
	*ret_high_ns = ((m + 1) << shift) - 1;
}

int hist_percentile(const struct hist *h, double pct, uint64_t *ret_ns)
{
	uint64_t rank, seen = 0;

	if (!(pct > 0.0 && pct <= 100.0))
		return -EINVAL;
	if (h->count == 0)
		return -ENODATA;
	rank = (uint64_t)ceil(pct / 100.0 * (double)h->count);
	if (rank < 1)
		rank = 1;
	if (rank > h->count)
		rank = h->count;
	/* Nothing stands below the smallest value's bucket. */
	for (uint32_t i = h->min_ns <= HIST_MAX_NS ? hist_index(h->min_ns) : 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank) {
			uint64_t low, high;

			hist_edges(i, &low, &high);
			*ret_ns = high < h->max_ns ? high : h->max_ns;
			return 0;
		}
	}
	/* Only a histogram whose buckets do not add up to its count gets here. */
	*ret_ns = h->max_ns;
	return 0;
}

double hist_mean(const struct hist *h)
{
	return h->count ? h->sum_ns / (double)h->count : NAN;
}

double hist_stddev(const struct hist *h)
{
	double mean, var;

	if (h->count == 0)
		return NAN;
	mean = hist_mean(h);
	var = h->sumsq_ns / (double)h->count - mean * mean;
	return var > 0.0 ? sqrt(var) : 0.0; /* rounding can leave a hair below zero */
}

void hist_merge(struct hist *dst, const struct hist *src)
{
	if (src->count) {
		if (dst->count == 0 || src->min_ns < dst->min_ns)
			dst->min_ns = src->min_ns;
		if (src->max_ns > dst->max_ns)
			dst->max_ns = src->max_ns;
	}
	dst->count += src->count;
	dst->under += src->under;
	dst->over += src->over;
	dst->sum_ns += src->sum_ns;
	dst->sumsq_ns += src->sumsq_ns;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		dst->bucket[i] += src->bucket[i];
}
