/* result.h - the result document: what one run found out about one target.
 *
 * Probes fill it, the store keeps it, policies and exports read it. Format [1,0]; the schema is
 * data/schema/result.json. The free-form sections (tool, host, target, settings, smart, ...) are
 * JSON objects; measurements are typed, because everything computes with them. Keys that a newer
 * minor version added survive a read and a rewrite, in the sections and in measurements alike.
 *
 * Unknown is NAN, NULL or null here, never 0. All times are nanoseconds, all sizes bytes.
 */
#ifndef SSDQUAL_DATA_RESULT_H
#define SSDQUAL_DATA_RESULT_H

#include "data/complaints.h"
#include "data/err.h"
#include "data/hist.h"
#include "data/json.h"

#define RESULT_MAJOR 1
#define RESULT_MINOR 0

/* Percentiles that a document carries, in this order. */
enum { LAT_P50, LAT_P90, LAT_P99, LAT_P999, LAT_P9999, LAT_PCT_COUNT };
extern const double lat_pct_value[LAT_PCT_COUNT];    /* 50, 90, 99, 99.9, 99.99 */
extern const char *const lat_pct_key[LAT_PCT_COUNT]; /* "p50", "p90", "p99", "p999", "p9999" */

/* Summary of one kind of latency, with the histogram it comes from. */
struct latency {
	bool present;   /* false: this measurement has no such latency (JSON null) */
	uint64_t count; /* samples */
	double min_ns, mean_ns, stddev_ns, max_ns;
	double pct_ns[LAT_PCT_COUNT];
	struct hist *hist; /* owned; NULL only for imported or stated figures */
};

/* latency_from_hist - fill @l from @h, which it takes. An empty histogram gives count 0 and NANs. */
void latency_from_hist(struct latency *l, struct hist *h);
void latency_done(struct latency *l); /* frees the histogram and zeroes @l */

/* One second of a measurement (the last may be shorter). Latencies NAN where nothing completed. */
struct timeline_second {
	double t_s; /* end of the interval, seconds since the start */
	double iops, bw_bytes;
	double p50_ns, p99_ns, max_ns;
};

enum write_cache_state { WC_UNKNOWN, WC_ON, WC_OFF, WC_NONE };
const char *write_cache_word(enum write_cache_state s); /* "unknown" "on" "off" "none" */

enum source_kind { SOURCE_MEASURED, SOURCE_IMPORTED, SOURCE_STATED };
const char *source_word(enum source_kind k); /* "measured" "imported" "stated" */

struct measurement {
	char *battery, *probe; /* JSON keys: "ceph", "journal-sync" */
	char *label;           /* for people: "Journal IOPS (sync=1)" */
	enum write_cache_state write_cache;
	enum source_kind source;
	struct json *params;  /* fio's names; "4k" is 4096 here: sizes are bytes, times are ns */
	uint64_t ios, bytes, runtime_ns;
	uint64_t errors;      /* I/Os that failed */
	double iops, bw_bytes;
	struct latency lat;            /* submit to durable: write + sync where the probe syncs */
	struct latency write_lat;      /* the write alone; absent where nothing syncs */
	struct latency sync_lat;       /* the sync alone; absent where nothing syncs */
	struct latency lat_uncorrected; /* paced loads only: from the actual submit */
	struct timeline_second *timeline;
	size_t timeline_count;
	char *stop;                    /* "runtime" "size" "io-limit" "signal" "error" "device-gone" */
	char *error;                   /* the error's place and text where stop is "error"; else NULL */
	/* Flatness of the last third: first and last half of it compared. NAN: too short to tell. */
	double last_third_change;      /* (second half - first half) / mean of its IOPS; 0.05 = +5 % */
	struct json *noise;            /* what else the machine did meanwhile; NULL: not watched */
	struct json *extra;            /* keys of a newer minor version; NULL: none */
};

struct measurement *measurement_new(const char *battery, const char *probe, const char *label);
void measurement_free(struct measurement *m);

struct result {
	struct json *doc; /* every section but measurements; never NULL */
	struct measurement **measurements;
	size_t measurement_count;
};

struct result *result_new(void); /* an empty document with format_version; NULL: no memory */
void result_free(struct result *r);

/* result_section - the object @name ("tool", "host", "target", "settings"), made when absent. */
struct json *result_section(struct result *r, const char *name);

int result_take_measurement(struct result *r, struct measurement *m); /* takes @m, also on failure */
/* First measurement with these keys (either may be NULL: any); NULL: none. */
const struct measurement *result_find(const struct result *r, const char *battery,
	const char *probe);

/* Findings are facts worth a person's attention; @source is where the rule comes from. */
int result_add_finding(struct result *r, const char *code, const char *text, const char *source);
/* A verdict; @bound_by, @threshold, @source and @would_change may be NULL (unknown). */
int result_add_verdict(struct result *r, const char *subject, const char *grade,
	const char *bound_by, const char *threshold, const char *source, const char *would_change);

/* result_to_json - the whole document, to be freed by the caller. NULL: no memory. */
struct json *result_to_json(const struct result *r);

/* result_validate - add to @ret every reason why @doc is no result document to be trusted: the
 * schema first, then, for each measurement of the right shape, that its figures agree (histogram
 * sums, percentiles against the histogram, their order, rates against totals and time).
 * Returns 0, also with complaints; -errno when the check itself could not be done. */
int result_validate(const struct json *doc, struct complaints *ret, struct err *reterr);

/* result_from_json - typed view of @doc (taken, also on failure). Schema first: a document that
 * result_validate() refuses is refused here with the same message. A newer major version is
 * ERR_INPUT ("made by a newer ssdqual"). Percentiles must agree with the histogram they stand
 * beside (recomputed), else -EBADMSG: the file was edited or damaged. */
int result_from_json(struct json *doc, const char *name, struct result **ret, struct err *reterr);
int result_load(const char *path, struct result **ret, struct err *reterr);

/* Histogram to JSON and back: {"scheme": "log-linear", "bits": 7, "count", "under", "over",
 * "min_ns", "max_ns", "sum_ns", "sumsq_ns", "buckets": [[index, count], ...]} (sparse). */
struct json *hist_to_json(const struct hist *h);
int hist_from_json(const struct json *j, struct hist **ret, struct err *reterr);

#endif
