/* hist.h - mergeable latency histogram, 1 ns to 1 h, relative error at most 1/128.
 *
 * Log-linear: values below 2^HIST_BITS have a bucket each (exact); above, every power of two is
 * cut into 2^HIST_BITS equal buckets, so a bucket is at most 1/128 of its lower edge wide.
 *   v < 128:  index = v
 *   v >= 128: s = floor(log2 v) - 7;  index = (s << 7) + (v >> s)
 * The bucket of index i >= 128 covers [m << s, ((m + 1) << s) - 1], s = (i >> 7) - 1 and
 * m = 128 + (i & 127). min, max, sum and sum of squares are kept exactly beside the buckets.
 *
 * Values out of range are not clamped into a bucket: they are counted in `under` (0 ns) and `over`
 * (above HIST_MAX_NS), and take no part in percentiles or the mean.
 * One writer a histogram; merge per-thread histograms afterwards. No function allocates but
 * hist_new(), so hist_record() may be called between submit and reap.
 */
#ifndef SSDQUAL_DATA_HIST_H
#define SSDQUAL_DATA_HIST_H

#include <stdint.h>
#include <stddef.h>

#define HIST_BITS    7
#define HIST_SUB     (1u << HIST_BITS)
#define HIST_MAX_NS  UINT64_C(3600000000000) /* 1 h */
#define HIST_BUCKETS 4608u                   /* covers 2^42 - 1 ns > 1 h */

struct hist {
	uint64_t count; /* values recorded in range */
	uint64_t under; /* values of 0 ns */
	uint64_t over;  /* values above HIST_MAX_NS */
	uint64_t min_ns, max_ns; /* of values in range; meaningless when count is 0 */
	double sum_ns, sumsq_ns;
	uint64_t bucket[HIST_BUCKETS];
};

/* hist_new - an empty histogram on the heap, its pages touched. NULL when out of memory.
 * Release with hist_free() (NULL allowed). */
struct hist *hist_new(void);
void hist_free(struct hist *h);
void hist_reset(struct hist *h);

/* hist_index - bucket of @ns; 1 <= @ns <= HIST_MAX_NS. */
static inline uint32_t hist_index(uint64_t ns)
{
	uint32_t shift;

	if (ns < HIST_SUB)
		return (uint32_t)ns;
	shift = 63u - (uint32_t)__builtin_clzll(ns) - HIST_BITS;
	return (shift << HIST_BITS) + (uint32_t)(ns >> shift);
}

/* hist_record - count one value. Inline: it stands on the path between two I/Os. */
static inline void hist_record(struct hist *h, uint64_t ns)
{
	if (__builtin_expect(ns == 0, 0)) {
		h->under++;
		return;
	}
	if (__builtin_expect(ns > HIST_MAX_NS, 0)) {
		h->over++;
		return;
	}
	if (ns < h->min_ns || h->count == 0)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->count++;
	h->sum_ns += (double)ns;
	h->sumsq_ns += (double)ns * (double)ns;
	h->bucket[hist_index(ns)]++;
}

/* hist_edges - lowest and highest value that share bucket @index (< HIST_BUCKETS), in ns. */
void hist_edges(uint32_t index, uint64_t *ret_low_ns, uint64_t *ret_high_ns);

/* hist_percentile - latency not exceeded by @pct percent of the samples.
 * @pct: (0, 100]    @ret_ns: upper edge of the bucket, at most the exact maximum
 * Returns 0; -ENODATA if empty; -EINVAL if @pct is out of range (@ret_ns untouched).
 * Source: nearest-rank definition, rank = ceil(pct/100 * count). */
int hist_percentile(const struct hist *h, double pct, uint64_t *ret_ns);

/* hist_mean, hist_stddev - of the exact values (population form); NAN when empty. */
double hist_mean(const struct hist *h);
double hist_stddev(const struct hist *h);

/* hist_merge - add every sample of @src to @dst. */
void hist_merge(struct hist *dst, const struct hist *src);

#endif
