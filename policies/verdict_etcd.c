/* verdict_etcd.c - is the drive fast enough for a log that is synced at each record: etcd's, and
 * the store of a Ceph monitor? Decided by the slower of both sizes. */
#include "policies/verdict.h"

#include "data/units.h"
#include "policies/threshold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Only what etcd does to fresh segments counts: overwriting is faster than it ever is. */
static const char *const rows[] = { "etcd-2300", "etcd-8000" };
/* Of another tool's runs, besides: each write synced at depth 1. */
static const char *const imported_rows[] = { "log-sync", "fio-8000-first-lap",
	"fio-8000-overwrite" };
/* Of a drive without a file system: what the log would cost at best. */
static const char *const raw_rows[] = { "journal-fsync", "t1q1-fsync" };

static bool usable(const struct measurement *m)
{
	if (!m->sync_lat.present || (!m->stop && m->source == SOURCE_MEASURED))
		return false;
	return !m->stop || (strcmp(m->stop, "error") != 0 && strcmp(m->stop, "device-gone") != 0 &&
		strcmp(m->stop, "signal") != 0);
}

static bool enough(const struct measurement *m)
{
	return (double)m->sync_lat.count >= threshold(THRESHOLD_TAIL_SAMPLES);
}

/* Too few syncs in one of them leave the question open. */
static const struct measurement *slower(const struct measurement *a, const struct measurement *b)
{
	if (!a || !b)
		return a ? a : b;
	if (isnan(a->sync_lat.pct_ns[LAT_P99]))
		return b;
	if (!enough(a) || !enough(b))
		return enough(a) ? b : a;
	return b->sync_lat.pct_ns[LAT_P99] > a->sync_lat.pct_ns[LAT_P99] ? b : a;
}

static const struct measurement *slowest(const struct verdict_input *in,
	enum write_cache_state state)
{
	const struct measurement *found = NULL;

	for (size_t k = 0; k < in->count; k++) {
		const struct result *r = in->results[k];

		for (size_t i = 0; i < r->measurement_count; i++) {
			const struct measurement *m = r->measurements[i];

			if (m->write_cache == state && usable(m) &&
				(strcmp(m->probe, rows[0]) == 0 || strcmp(m->probe, rows[1]) == 0))
				found = slower(found, m);
		}
	}
	return found;
}

/* In the state that the drive's cache is in, where both were measured. */
static const struct measurement *slowest_now(const struct verdict_input *in)
{
	const char *now = verdict_target_word(in, "write_cache.drive");
	static const enum write_cache_state order[] = { WC_ON, WC_NONE, WC_UNKNOWN, WC_OFF };
	const struct measurement *m = NULL;

	if (now && strcmp(now, "off") == 0)
		m = slowest(in, WC_OFF);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && !m; i++)
		m = slowest(in, order[i]);
	return m;
}

static const struct measurement *slowest_imported(const struct verdict_input *in)
{
	const struct measurement *found = NULL;

	for (size_t k = 0; k < in->count; k++) {
		const struct result *r = in->results[k];

		for (size_t i = 0; i < r->measurement_count; i++) {
			const struct measurement *m = r->measurements[i];

			for (size_t n = 0; n < sizeof(imported_rows) / sizeof(imported_rows[0]); n++)
				if (m->source == SOURCE_IMPORTED && usable(m) &&
					strcmp(m->probe, imported_rows[n]) == 0)
					found = slower(found, m);
		}
	}
	return found;
}

/* Runs of another tool that wrote, and cannot answer: why not. 1: there are none. */
static int cannot_judge(const struct verdict_input *in, struct verdict *v)
{
	const struct result *r = in->results[0];

	for (size_t i = 0; i < r->measurement_count; i++) {
		const struct measurement *m = r->measurements[i];
		const struct json *o = json_get(m->extra, "import");
		const char *direction = json_str(json_get(o, "direction"));
		const char *why = json_str(json_get(o, "sync"));

		if (m->source != SOURCE_IMPORTED || !direction || direction[0] != 'w')
			continue;
		if (!why && m->sync_lat.present && isnan(m->sync_lat.pct_ns[LAT_P99]))
			why = "not available (the file lists no 99th percentile)";
		v->grade = "unknown";
		(void)snprintf(v->bound_by, sizeof(v->bound_by), "cannot judge: p99 of fdatasync: %s",
			why ? why : json_str(json_get(o, "why")) ? json_str(json_get(o, "why")) :
			"not available");
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"fio --ioengine=sync --fdatasync=1 --rw=write --bs=2300, or `ssdqual run` on "
			"the folder");
		return 0;
	}
	return 1;
}

static void explain(const struct measurement *m, double limit, struct verdict *v)
{
	double p999 = m->sync_lat.pct_ns[LAT_P999];
	char tail[UNITS_BUF];

	if (strcmp(v->grade, "provisional") == 0)
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"a run on fresh blocks: the file was overwritten, which is faster than a log "
			"ever is");
	else if (strcmp(v->grade, "fail") == 0)
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"a drive with power-loss protection, or the other setting of this drive's "
			"write cache");
	else if (p999 >= limit)
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"p99.9 is %s: it fails where that is asked to stay below the same limit",
			units_format_ns(tail, sizeof(tail), p999));
	else
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"other load on the same drive: this ran alone");
}

/* Without a file system: it can only get slower, so a fail holds and a pass is provisional. Of a
 * volume neither holds for long. 1: no such row, or its tail is not known. */
static int judge_raw(const struct verdict_input *in, double limit, struct verdict *v)
{
	struct row_figures f = { .legs = 0 };
	bool fails;
	char p99[UNITS_BUF];

	for (size_t i = 0; i < sizeof(raw_rows) / sizeof(raw_rows[0]) && !f.legs; i++)
		(void)verdict_row_now(in, raw_rows[i], &f);
	if (!f.legs || isnan(f.p99_ns) || (double)f.ios < threshold(THRESHOLD_TAIL_SAMPLES))
		return 1;
	fails = f.p99_ns >= limit && verdict_where(verdict_target(in)) == WHERE_DRIVE;
	v->grade = fails ? "fail" : "provisional";
	(void)snprintf(v->bound_by, sizeof(v->bound_by),
		"%s: p99 %s, without a file system%s", f.first->probe,
		units_format_ns(p99, sizeof(p99), f.p99_ns), verdict_source_suffix(&f));
	(void)snprintf(v->would_change, sizeof(v->would_change),
		"run on a folder of a file system on it: battery etcd");
	return 0;
}

static int judge_log(const struct verdict_input *in, enum threshold_id id, struct verdict *ret)
{
	double limit = threshold(id);
	const struct measurement *m = slowest_now(in);
	char p99[UNITS_BUF], shown[UNITS_BUF];

	*ret = (struct verdict){ .source = threshold_table[id].source };
	(void)snprintf(ret->threshold, sizeof(ret->threshold), "p99 of fdatasync below %s",
		units_format_ns(shown, sizeof(shown), limit));
	if (!m)
		m = slowest_imported(in);
	if (!m && judge_raw(in, limit, ret) == 0)
		return 0;
	if (!m || (isnan(m->sync_lat.pct_ns[LAT_P99]) && m->source == SOURCE_IMPORTED))
		return cannot_judge(in, ret);
	if (!enough(m)) {
		ret->grade = "unknown";
		(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "%s: %llu syncs only",
			m->probe, (unsigned long long)m->sync_lat.count);
		(void)snprintf(ret->would_change, sizeof(ret->would_change),
			"a longer --runtime: %.0f syncs are needed",
			threshold(THRESHOLD_TAIL_SAMPLES));
		return 0;
	}
	if (isnan(m->sync_lat.pct_ns[LAT_P99]))
		return 1;
	ret->grade = m->sync_lat.pct_ns[LAT_P99] < limit ? "pass" : "fail";
	(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "%s: p99 of fdatasync %s%s", m->probe,
		units_format_ns(p99, sizeof(p99), m->sync_lat.pct_ns[LAT_P99]),
		m->source == SOURCE_MEASURED ? "" :
		m->source == SOURCE_IMPORTED ? " (as imported)" : " (as stated)");
	if (strcmp(ret->grade, "pass") == 0 && strcmp(m->probe, "fio-8000-overwrite") == 0)
		ret->grade = "provisional";
	explain(m, limit, ret);
	return 0;
}

static int judge_etcd(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	(void)findings;
	return judge_log(in, THRESHOLD_ETCD_SYNC_NS, ret);
}

static int judge_mon(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	int r = judge_log(in, THRESHOLD_MON_SYNC_NS, ret);

	(void)findings;
	/* what an import cannot tell is said once, for etcd */
	return r == 0 && strncmp(ret->bound_by, "cannot judge", 12) == 0 ? 1 : r;
}

extern const struct verdict_ops verdict_etcd;
extern const struct verdict_ops verdict_mon;
const struct verdict_ops verdict_etcd = {
	.subject = "etcd",
	.judge = judge_etcd,
	.role = true,
};
const struct verdict_ops verdict_mon = {
	.subject = "mon",
	.judge = judge_mon,
	.role = true,
};
