/* verdict_steady.c - first and last window of a row's seconds. */
#include "policies/verdict_steady.h"

#include "data/units.h"
#include "policies/threshold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double mean_of(const struct timeline_second *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s[i].bw_bytes;
	return sum / (double)n;
}

bool steady_row(const struct measurement *m, struct steady_row *ret)
{
	size_t n = m->timeline_count, window = n / 6 > 5 ? n / 6 : 5;
	struct steady_row r = { .m = m, .window_s = (double)window };

	if (n < STEADY_SECONDS_LEAST)
		return false;
	r.mean = mean_of(m->timeline, n);
	r.first = mean_of(m->timeline, window);
	r.last = mean_of(m->timeline + n - window, window);
	if (!(r.mean > 0)) /* NAN, too */
		return false;
	r.steady = fabs(r.last - r.first) <= threshold(THRESHOLD_WINDOWS) * fmax(r.first, r.last);
	*ret = r;
	return true;
}

static bool writes(const struct measurement *m)
{
	const char *rw = json_str(json_get(m->params, "rw"));

	return rw && strstr(rw, "write");
}

void verdict_steady_judge(const struct verdict_input *in, struct steady_verdict *ret)
{
	struct steady_verdict v = { .count = 0 };

	for (size_t k = 0; k < in->count; k++) {
		const struct result *r = in->results[k];

		for (size_t i = 0; i < r->measurement_count && v.count < STEADY_ROWS_MAX; i++) {
			if (writes(r->measurements[i]) &&
				steady_row(r->measurements[i], &v.row[v.count]))
				v.count++;
		}
	}
	*ret = v;
	for (size_t i = 0; i < ret->count; i++) {
		const struct steady_row *row = &ret->row[i];

		if (!ret->worst || row->last / row->first < ret->worst->last / ret->worst->first)
			ret->worst = row;
	}
}

static int judge(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	char first[UNITS_BUF], last[UNITS_BUF], mean[UNITS_BUF];
	struct steady_verdict v;
	const struct steady_row *w;
	bool all = true;

	(void)findings;
	verdict_steady_judge(in, &v);
	w = v.worst;
	if (!w)
		return 1;
	for (size_t i = 0; i < v.count; i++)
		all = all && v.row[i].steady;
	*ret = (struct verdict){ .grade = all ? "pass" : "fail", .answer = all ? "yes" : "no",
		.confidence = "high", .source = threshold_table[THRESHOLD_WINDOWS].source };
	(void)snprintf(ret->threshold, sizeof(ret->threshold),
		"first and last window within %.0f %%", threshold(THRESHOLD_WINDOWS) * 100);
	(void)units_format_rate(first, sizeof(first), w->first);
	(void)units_format_rate(last, sizeof(last), w->last);
	(void)units_format_rate(mean, sizeof(mean), w->mean);
	(void)snprintf(ret->bound_by, sizeof(ret->bound_by),
		"%s: %s in the first %.0f s, %s in the last; mean %s", w->m->probe, first,
		w->window_s, last, mean);
	if (!all)
		(void)snprintf(ret->would_change, sizeof(ret->would_change),
			"qualify it on the last window (%s), or fill its fast cache first (--fill) "
			"and measure longer", last);
	return 0;
}

extern const struct verdict_ops verdict_steady;
const struct verdict_ops verdict_steady = {
	.subject = "steady",
	.judge = judge,
};
