/* run_table.c - what a run measured, in 80 columns. */
#include "cli/run.h"

#include "cli/text.h"
#include "cli/verdict.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_COLUMNS 26

static const char *mib_s(char *buf, size_t len, double bytes_s)
{
	double v = bytes_s / (1 << 20);

	if (isnan(v))
		return "-";
	(void)snprintf(buf, len, v < 99.5 ? "%.1f" : "%.0f", v);
	return buf;
}

static const char *ns(char *buf, size_t len, const struct latency *l, int pct)
{
	return l->present && l->count ? units_format_ns(buf, len, l->pct_ns[pct]) : "-";
}

static void print_row(const struct cli *cli, const struct measurement *m)
{
	char iops[UNITS_BUF], rate[UNITS_BUF], a[UNITS_BUF], b[UNITS_BUF], c[UNITS_BUF],
		d[UNITS_BUF];
	const char *label = m->label ? m->label : m->probe;
	size_t used = text_print_cut(cli->out, label, LABEL_COLUMNS, cli->utf8);

	fprintf(cli->out, "%*s %6s %6s %8s %8s %8s %8s\n", (int)(LABEL_COLUMNS - used), "",
		units_format_count(iops, sizeof(iops), m->iops),
		mib_s(rate, sizeof(rate), m->bw_bytes), ns(a, sizeof(a), &m->lat, LAT_P50),
		ns(b, sizeof(b), &m->lat, LAT_P99), ns(c, sizeof(c), &m->lat, LAT_P999),
		ns(d, sizeof(d), &m->sync_lat, LAT_P99));
}

static void print_findings(const struct cli *cli, const struct result *r)
{
	const struct json *f = json_first(json_get(r->doc, "findings"));

	for (; f; f = json_next(f)) {
		const char *text = json_str(json_get(f, "text"));

		fputs("note: ", cli->out);
		text_wrap(cli->out, text ? text : "", 6, 6, 80);
		fputc('\n', cli->out);
	}
}

int run_print_table(struct cli *cli, const struct result *r, struct err *reterr)
{
	const char *kind = json_str(json_path(r->doc, "target.kind"));
	const char *pre = json_str(json_path(r->doc, "settings.precondition"));

	fprintf(cli->out, "%-*s %6s %6s %8s %8s %8s %8s\n", LABEL_COLUMNS,
		"latency: write and sync", "IOPS", "MiB/s", "p50", "p99", "p99.9", "sync p99");
	for (size_t i = 0; i < r->measurement_count; i++)
		print_row(cli, r->measurements[i]);
	/* Of a cluster's drives it cannot be known. */
	if (!kind || strcmp(kind, "rbd") != 0)
		fprintf(cli->out, "precondition: %s\n", pre ? pre : "unknown");
	print_findings(cli, r);
	return verdict_print(cli, r, false, reterr);
}
