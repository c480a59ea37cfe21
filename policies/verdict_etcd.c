/* verdict_etcd.c - is the drive fast enough for etcd's log? Decided by the slower of both sizes. */
#include "policies/verdict.h"

#include "data/units.h"
#include "policies/threshold.h"

#include <stdio.h>
#include <string.h>

/* Only what etcd does to fresh segments counts: overwriting is faster than it ever is. */
static const char *const rows[] = { "etcd-2300", "etcd-8000" };

static bool usable(const struct measurement *m)
{
	return m->sync_lat.present && m->stop && strcmp(m->stop, "error") != 0 &&
		strcmp(m->stop, "device-gone") != 0 && strcmp(m->stop, "signal") != 0;
}

static const struct measurement *slowest(const struct result *r)
{
	const struct measurement *found = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct measurement *m = result_find(r, NULL, rows[i]);

		if (!m || !usable(m))
			continue;
		/* too few syncs in one of them leave the question open */
		if (!found || (double)m->sync_lat.count < threshold(THRESHOLD_TAIL_SAMPLES) ||
			((double)found->sync_lat.count >= threshold(THRESHOLD_TAIL_SAMPLES) &&
				m->sync_lat.pct_ns[LAT_P99] > found->sync_lat.pct_ns[LAT_P99]))
			found = m;
	}
	return found;
}

static void explain(const struct measurement *m, struct verdict *v)
{
	double limit = threshold(THRESHOLD_ETCD_SYNC_NS), p999 = m->sync_lat.pct_ns[LAT_P999];
	char tail[UNITS_BUF];

	if (strcmp(v->grade, "fail") == 0)
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

static int judge(const struct result *r, struct verdict *ret)
{
	double limit = threshold(THRESHOLD_ETCD_SYNC_NS);
	const struct measurement *m = slowest(r);
	char p99[UNITS_BUF], shown[UNITS_BUF];

	if (!m)
		return 1;
	*ret = (struct verdict){ .source = threshold_table[THRESHOLD_ETCD_SYNC_NS].source };
	(void)snprintf(ret->threshold, sizeof(ret->threshold), "p99 of fdatasync below %s",
		units_format_ns(shown, sizeof(shown), limit));
	if ((double)m->sync_lat.count < threshold(THRESHOLD_TAIL_SAMPLES)) {
		ret->grade = "unknown";
		(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "%s: %llu syncs only",
			m->probe, (unsigned long long)m->sync_lat.count);
		(void)snprintf(ret->would_change, sizeof(ret->would_change),
			"a longer --runtime: %.0f syncs are needed",
			threshold(THRESHOLD_TAIL_SAMPLES));
		return 0;
	}
	ret->grade = m->sync_lat.pct_ns[LAT_P99] < limit ? "pass" : "fail";
	(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "%s: p99 of fdatasync %s", m->probe,
		units_format_ns(p99, sizeof(p99), m->sync_lat.pct_ns[LAT_P99]));
	explain(m, ret);
	return 0;
}

extern const struct verdict_ops verdict_etcd;
const struct verdict_ops verdict_etcd = {
	.subject = "etcd",
	.judge = judge,
};
