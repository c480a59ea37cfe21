/* hist_json.c - a latency histogram as a JSON object, and back with every sum checked. */
#include "data/result.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SCHEME "log-linear"

static int append_bucket(struct json *buckets, uint32_t index, uint64_t count)
{
	struct json *pair = json_new_array();
	int r = json_append(pair, json_new_u64(index));

	if (r == 0)
		r = json_append(pair, json_new_u64(count));
	if (r < 0) {
		json_free(pair);
		return r;
	}
	return json_append(buckets, pair);
}

struct json *hist_to_json(const struct hist *h)
{
	struct json *j = json_new_object(), *buckets = json_new_array();
	int r = 0;

	for (uint32_t i = 0; buckets && r == 0 && i < HIST_BUCKETS; i++) {
		if (h->bucket[i])
			r = append_bucket(buckets, i, h->bucket[i]);
	}
	r |= json_set_str(j, "scheme", SCHEME);
	r |= json_set_u64(j, "bits", HIST_BITS);
	r |= json_set_u64(j, "count", h->count);
	r |= json_set_u64(j, "under", h->under);
	r |= json_set_u64(j, "over", h->over);
	if (h->count) {
		r |= json_set_u64(j, "min_ns", h->min_ns);
		r |= json_set_u64(j, "max_ns", h->max_ns);
	} else {
		r |= json_set_null(j, "min_ns");
		r |= json_set_null(j, "max_ns");
	}
	r |= json_set_f64(j, "sum_ns", h->sum_ns);
	r |= json_set_f64(j, "sumsq_ns", h->sumsq_ns);
	r |= json_set(j, "buckets", buckets);
	if (r) {
		json_free(j);
		return NULL;
	}
	return j;
}

static int refuse(struct err *reterr, const char *why)
{
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s; the file was edited or damaged", why);
}

static int read_buckets(struct hist *h, const struct json *buckets, struct err *reterr)
{
	uint64_t total = 0, next = 0;

	if (json_type(buckets) != JSON_ARRAY)
		return refuse(reterr, "the buckets are missing");
	for (const struct json *b = json_first(buckets); b; b = json_next(b)) {
		const struct json *first = json_first(b), *second = json_next(first);
		uint64_t index, count;

		if (json_type(b) != JSON_ARRAY || json_next(second) || !json_u64(first, &index) ||
			!json_u64(second, &count))
			return refuse(reterr, "a bucket is not [index, count]");
		if (index >= HIST_BUCKETS || index == 0)
			return refuse(reterr, "a bucket's index is out of range");
		if (index < next)
			return refuse(reterr, "the buckets are not in ascending order");
		if (count == 0 || __builtin_add_overflow(total, count, &total))
			return refuse(reterr, "a bucket's count is out of range");
		h->bucket[index] = count;
		next = index + 1;
	}
	if (total != h->count)
		return refuse(reterr, "the buckets do not add up to count");
	return 0;
}

/* Smallest and largest value must lie in the first and last bucket that is filled, the sums
 * between what these extremes allow (1e-9: the sums are doubles). */
static int check_totals(const struct hist *h, struct err *reterr)
{
	double n = (double)h->count, low = (double)h->min_ns, high = (double)h->max_ns;
	uint32_t first = 0, last = HIST_BUCKETS - 1;

	if (h->count == 0)
		return h->sum_ns == 0.0 && h->sumsq_ns == 0.0
			       ? 0
			       : refuse(reterr, "there are sums without a count");
	while (!h->bucket[first])
		first++;
	while (!h->bucket[last])
		last--;
	if (h->min_ns == 0 || h->max_ns > HIST_MAX_NS || h->min_ns > h->max_ns ||
		hist_index(h->min_ns) != first || hist_index(h->max_ns) != last)
		return refuse(reterr, "min_ns and max_ns are not in the outer buckets");
	if (!(h->sum_ns >= n * low * (1 - 1e-9) && h->sum_ns <= n * high * (1 + 1e-9)))
		return refuse(reterr, "sum_ns is not between count times min_ns and max_ns");
	if (!(h->sumsq_ns >= n * low * low * (1 - 1e-9) &&
		    h->sumsq_ns <= n * high * high * (1 + 1e-9)))
		return refuse(reterr, "sumsq_ns is not between what min_ns and max_ns allow");
	return 0;
}

int hist_from_json(const struct json *j, struct hist **ret, struct err *reterr)
{
	const char *scheme = json_str(json_get(j, "scheme"));
	struct hist *h;
	uint64_t bits;
	int r;

	if (!scheme || strcmp(scheme, SCHEME) != 0 || !json_u64(json_get(j, "bits"), &bits) ||
		bits != HIST_BITS)
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"the histogram's scheme is not %s with %d bits; read it with the ssdqual that "
			"made it", SCHEME, HIST_BITS);
	h = hist_new();
	if (!h)
		return err_nomem(reterr);
	if (!json_u64(json_get(j, "count"), &h->count) ||
		!json_u64(json_get(j, "under"), &h->under) ||
		!json_u64(json_get(j, "over"), &h->over) ||
		!json_f64(json_get(j, "sum_ns"), &h->sum_ns) ||
		!json_f64(json_get(j, "sumsq_ns"), &h->sumsq_ns))
		r = refuse(reterr, "a total of the histogram is missing");
	else if (h->count && (!json_u64(json_get(j, "min_ns"), &h->min_ns) ||
				     !json_u64(json_get(j, "max_ns"), &h->max_ns)))
		r = refuse(reterr, "min_ns or max_ns is missing");
	else
		r = read_buckets(h, json_get(j, "buckets"), reterr);
	if (r == 0)
		r = check_totals(h, reterr);
	if (r < 0) {
		hist_free(h);
		return r;
	}
	*ret = h;
	return 0;
}
