/* result_check.c - what makes a result document trustworthy beyond its shape: its own figures
 * agree with each other. */
#include "data/result_check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "data/resource.h"
#include "data/schema.h"

#define RATE_TOLERANCE 0.01 /* iops against ios / runtime */
#define SAME 1e-9           /* cJSON prints 15 digits where they read back within one epsilon */
/* Other tools give the middle of a histogram bucket as percentile, which can pass the exact
 * minimum or maximum by the bucket's width (fio 3: 1/64). */
#define BUCKET_TOLERANCE 0.02

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/* Compares the figure @key of @lat with @want, NAN for null. */
static void check_figure(const struct json *lat, const char *key, double want, double slack,
	const char *at, struct complaints *c)
{
	double given = NAN;

	(void)json_f64(json_get(lat, key), &given); /* null stays NAN */
	if (isnan(given) && isnan(want))
		return;
	if (isnan(given) || isnan(want) || !(fabs(given - want) <= slack))
		complaints_add(c, "%s/%s: does not agree with the histogram (%.15g there); the file "
				  "was edited or damaged", at, key, want);
}

/* @want: what follows from the histogram. */
static void check_against_hist(const struct json *lat, const struct latency *want, const char *at,
	struct complaints *c)
{
	uint64_t count = 0;

	(void)json_u64(json_get(lat, "count"), &count); /* the schema asks for it */
	if (count != want->count)
		complaints_add(c, "%s/count: is not the histogram's", at);
	check_figure(lat, "min", want->min_ns, 0, at, c);
	check_figure(lat, "max", want->max_ns, 0, at, c);
	check_figure(lat, "mean", want->mean_ns, SAME * want->mean_ns, at, c);
	/* A difference of two squares: its rounding grows with mean / stddev. */
	check_figure(lat, "stddev", want->stddev_ns, 1e-6 * want->mean_ns, at, c);
	for (int i = 0; i < LAT_PCT_COUNT; i++)
		check_figure(lat, lat_pct_key[i], want->pct_ns[i], SAME * want->pct_ns[i], at, c);
}

/* min <= p50 <= p90 <= ... <= max and min <= mean <= max, absent ones passed over. */
static void check_order(const struct json *lat, const char *at, struct complaints *c)
{
	double min = NAN, max = NAN, mean = NAN, last = NAN, v;
	const char *last_key = NULL;

	(void)json_f64(json_get(lat, "min"), &min); /* absent figures stay NAN */
	(void)json_f64(json_get(lat, "max"), &max);
	(void)json_f64(json_get(lat, "mean"), &mean);
	if (min > max)
		complaints_add(c, "%s/min: is above max", at);
	if (mean < min * (1 - SAME) || mean > max * (1 + SAME))
		complaints_add(c, "%s/mean: is not between min and max", at);
	for (int i = 0; i < LAT_PCT_COUNT; i++) {
		if (!json_f64(json_get(lat, lat_pct_key[i]), &v))
			continue;
		if (v < last)
			complaints_add(c, "%s/%s: is below %s", at, lat_pct_key[i], last_key);
		if (v < min * (1 - BUCKET_TOLERANCE))
			complaints_add(c, "%s/%s: is below min", at, lat_pct_key[i]);
		if (v > max * (1 + BUCKET_TOLERANCE))
			complaints_add(c, "%s/%s: is above max", at, lat_pct_key[i]);
		last = v;
		last_key = lat_pct_key[i];
	}
}

/* @ret: the latency with its histogram, where it has one that can be read. */
static void check_latency(const struct json *m, const char *key, const char *m_at, bool measured,
	struct latency *ret, struct complaints *c)
{
	const struct json *lat = json_get(m, key), *hist = json_get(lat, "histogram");
	struct err e = ERR_INIT;
	struct hist *h;
	uint64_t ios;
	char at[96];

	if (json_is_null(lat))
		return;
	(void)snprintf(at, sizeof(at), "%s/%s", m_at, key); /* keys are ours: fits */
	check_order(lat, at, c);
	if (json_is_null(hist))
		return;
	if (hist_from_json(hist, &h, &e) < 0) {
		if (e.code == -ENOMEM)
			c->nomem = true;
		else
			complaints_add(c, "%s/histogram: %s", at, e.msg);
		return;
	}
	latency_from_hist(ret, h);
	check_against_hist(lat, ret, at, c);
	if (measured && json_u64(json_get(m, "ios"), &ios) &&
		h->count + h->under + h->over > ios)
		complaints_add(c, "%s/histogram: counts more I/Os than ios", at);
}

/* A rate beside the total and the time it comes from. */
static void check_rate(const struct json *m, const char *rate, const char *total, const char *at,
	struct complaints *c)
{
	uint64_t amount, runtime_ns;
	double given;

	if (!json_f64(json_get(m, rate), &given) || !json_u64(json_get(m, total), &amount) ||
		!json_u64(json_get(m, "runtime_ns"), &runtime_ns) || runtime_ns == 0)
		return;
	if (!is_near(given, (double)amount / ((double)runtime_ns / 1e9), RATE_TOLERANCE))
		complaints_add(c, "%s/%s: is not %s divided by runtime_ns (%.6g)", at, rate, total,
			(double)amount / ((double)runtime_ns / 1e9));
}

static void check_timeline(const struct json *list, const char *at, struct complaints *c)
{
	double last = 0, t;
	size_t i = 0;

	for (const struct json *s = json_first(list); s; s = json_next(s), i++) {
		if (!json_f64(json_get(s, "t_s"), &t))
			continue;
		if (t <= last)
			complaints_add(c, "%s/timeline/%zu/t_s: does not go forward", at, i);
		last = t;
	}
}

const char *const latency_key[PART_COUNT] = { "lat_ns", "write_lat_ns", "sync_lat_ns",
	"uncorrected_lat_ns" };

static void check_measurement(const struct json *m, const char *at, struct latencies *ret,
	struct complaints *c)
{
	const char *kind = json_str(json_path(m, "source.kind"));
	bool measured = kind && kind[0] == 'm';

	for (int i = 0; i < PART_COUNT; i++) {
		struct latency read = { .present = false };

		check_latency(m, latency_key[i], at, measured, ret ? &ret->part[i] : &read, c);
		latency_done(&read);
	}
	if (measured) {
		check_rate(m, "iops", "ios", at, c);
		check_rate(m, "bw_bytes", "bytes", at, c);
	}
	check_timeline(json_get(m, "timeline"), at, c);
}

/* A newer major version may mean anything by its keys: one complaint, and no others. */
static bool is_newer_major(const struct json *doc, struct complaints *c)
{
	uint64_t major, minor = 0;

	if (!json_u64(json_at(json_get(doc, "format_version"), 0), &major) || major <= RESULT_MAJOR)
		return false;
	(void)json_u64(json_at(json_get(doc, "format_version"), 1), &minor); /* for the message */
	complaints_add(c, "/format_version: made by a newer ssdqual (format %llu.%llu, this one reads "
			  "%d.x); update ssdqual to read it",
		(unsigned long long)major, (unsigned long long)minor, RESULT_MAJOR);
	return true;
}

/* Made ready at the first result and kept: a command may read thousands. */
static int result_schema(const struct schema **ret, struct err *reterr)
{
	static struct schema *kept;
	struct json *source;
	int r = 0;

	if (!kept) {
		r = resource_load("schema", "result", &source, NULL, reterr);
		if (r < 0)
			return r;
		r = schema_new(source, &kept, reterr);
		if (r < 0)
			json_free(source); /* else @kept reads it */
	}
	*ret = kept;
	return r;
}

int result_examine(const struct json *doc, struct complaints *ret, struct latencies *ret_latencies,
	struct err *reterr)
{
	const struct schema *schema;
	size_t i = 0;
	int r;

	if (is_newer_major(doc, ret))
		return 0;
	r = result_schema(&schema, reterr);
	if (r < 0)
		return r;
	r = schema_examine(schema, doc, ret, reterr);
	if (r < 0)
		return r;
	for (const struct json *m = json_first(json_get(doc, "measurements")); m;
		m = json_next(m), i++) {
		char at[48];

		(void)snprintf(at, sizeof(at), "/measurements/%zu", i); /* fits */
		if (!complaints_about(ret, at)) /* else its figures are of the wrong kind */
			check_measurement(m, at, ret_latencies ? &ret_latencies[i] : NULL, ret);
	}
	return ret->nomem ? err_nomem(reterr) : 0;
}

int result_validate(const struct json *doc, struct complaints *ret, struct err *reterr)
{
	return result_examine(doc, ret, NULL, reterr);
}
