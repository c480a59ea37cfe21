/* report_rows.c - the sheets Percentiles (every measurement) and Timeline (every second of them). */
#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define MS 1e6 /* ns */

/* A percentile, or another figure of the distribution. */
#define LATENCY(title, word, columns) \
	{ .head = (title), .unit = "ms", .width = (columns), .decimals = 3, \
		.metric = "ssdqual_latency_" word "_seconds", .scale = 1e-3, \
		.help = "Latency of one I/O, " title "; part: durable is from submit to durable, " \
			"write and sync are what it is made of." }

static const struct report_column percentile_columns[] = {
	{ .head = "Model", .width = 26, .label = "model" },
	{ .head = "Serial", .width = 16, .label = "serial" },
	{ .head = "Battery", .width = 9, .label = "battery" },
	{ .head = "Row", .width = 19, .label = "row" },
	{ .head = "Label", .width = 24 },
	{ .head = "Write cache", .width = 12, .label = "write_cache" },
	{ .head = "Repetition", .width = 11, .label = "repetition" },
	{ .head = "Latency of", .width = 11, .label = "part" },
	{ .head = "Source", .width = 10, .label = "source" },
	{ .head = "Precondition", .width = 13, .label = "precondition" },
	{ .head = "IOPS", .width = 10, .decimals = 1, .metric = "ssdqual_iops",
		.help = "I/Os that completed a second." },
	{ .head = "Bandwidth", .unit = "MiB/s", .width = 11, .decimals = 1,
		.metric = "ssdqual_bandwidth_bytes_per_second", .scale = MIB,
		.help = "Bytes moved a second." },
	{ .head = "Samples", .unit = "I/Os", .width = 11, .metric = "ssdqual_latency_samples",
		.help = "I/Os that the latencies are of." },
	LATENCY("Min", "min", 10),
	LATENCY("Mean", "mean", 10),
	LATENCY("p50", "p50", 10),
	LATENCY("p90", "p90", 10),
	LATENCY("p99", "p99", 10),
	LATENCY("p99.9", "p999", 10),
	LATENCY("p99.99", "p9999", 10),
	LATENCY("Max", "max", 10),
	{ .head = "Change in last third", .unit = "%", .width = 12, .decimals = 1 },
	{ .head = "Ended", .width = 10 },
	{ .head = "Failed", .unit = "I/Os", .width = 9, .metric = "ssdqual_failed_ios",
		.help = "I/Os of the row that failed." },
	{ .head = "Result", .width = 34, .label = "result", .nameless = true },
};
enum { P50_COLUMN = 15, P9999_COLUMN = 19 };

static const struct report_column timeline_columns[] = {
	{ .head = "Model", .width = 26 },
	{ .head = "Serial", .width = 16 },
	{ .head = "Battery", .width = 9 },
	{ .head = "Row", .width = 19 },
	{ .head = "Write cache", .width = 12 },
	{ .head = "Repetition", .width = 11 },
	{ .head = "Precondition", .width = 13 },
	{ .head = "Time", .unit = "s", .width = 9, .decimals = 1 },
	{ .head = "IOPS", .width = 11, .decimals = 1 },
	{ .head = "Of the row's mean", .unit = "%", .width = 12, .decimals = 1 },
	{ .head = "Bandwidth", .unit = "MiB/s", .width = 11, .decimals = 1 },
	{ .head = "p50", .unit = "ms", .width = 10, .decimals = 3 },
	{ .head = "p99", .unit = "ms", .width = 10, .decimals = 3 },
	{ .head = "Max", .unit = "ms", .width = 10, .decimals = 3 },
	{ .head = "Result", .width = 34 },
};
enum { TIME_COLUMN = 7, SHARE_COLUMN = 9 };

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct report_rule percentile_rules[] = {
	{ .column = 22, .text = "error", .mark = MARK_BAD },
	{ .column = 22, .text = "device-gone", .mark = MARK_BAD },
	{ .column = 22, .text = "signal", .mark = MARK_POOR },
	{ .column = 23, .above = true, .limit = 0, .mark = MARK_BAD },
};

void report_rows_init(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_PERCENTILES];

	report_sheet_init(s, "Percentiles", "Every row that was measured: rates, and latency from "
		"submit to durable with the parts that it is made of.",
		percentile_columns, LEN(percentile_columns));
	s->rules = percentile_rules;
	s->rule_count = LEN(percentile_rules);
	report_sheet_init(&r->sheet[SHEET_TIMELINE], "Timeline",
		"Every second of every row; latencies are those of the I/Os that ended in it.",
		timeline_columns, LEN(timeline_columns));
}

/* -- percentiles ------------------------------------------------------------------------------- */

static double leg_of(const struct measurement *m)
{
	double leg = NAN;

	(void)json_f64(json_get(m->extra, "leg"), &leg);
	return leg;
}

static void add_leg(struct report *r, struct report_sheet *s, const struct measurement *m)
{
	char text[32];
	double leg = leg_of(m);

	(void)snprintf(text, sizeof(text), "%.0f", leg);
	report_text(r, s, isnan(leg) ? "1" : text);
}

static void add_latency(struct report *r, const char *name, const struct result *result,
	const struct measurement *m, const struct latency *l, const char *part)
{
	struct report_sheet *s = &r->sheet[SHEET_PERCENTILES];
	const struct json *target = json_get(result->doc, "target");
	bool whole = l == &m->lat;

	report_text(r, s, report_target_name(target));
	report_text(r, s, json_str(json_get(target, "serial")));
	report_text(r, s, m->battery);
	report_text(r, s, m->probe);
	report_text(r, s, m->label);
	report_text(r, s, write_cache_word(m->write_cache));
	add_leg(r, s, m);
	report_text(r, s, part);
	report_text(r, s, source_word(m->source));
	report_text(r, s, json_str(json_path(result->doc, "settings.precondition")));
	report_number(r, s, whole ? m->iops : NAN);
	report_number(r, s, whole ? m->bw_bytes / MIB : NAN);
	report_number(r, s, l->present ? (double)l->count : NAN);
	report_number(r, s, l->present ? l->min_ns / MS : NAN);
	report_number(r, s, l->present ? l->mean_ns / MS : NAN);
	for (int i = 0; i < LAT_PCT_COUNT; i++)
		report_number(r, s, l->present ? l->pct_ns[i] / MS : NAN);
	report_number(r, s, l->present ? l->max_ns / MS : NAN);
	report_share(r, s, whole ? m->last_third_change : NAN);
	report_text(r, s, whole ? m->stop : NULL);
	report_number(r, s, whole ? (double)m->errors : NAN);
	report_text(r, s, name);
}

static bool is_drawn(const struct measurement *m, enum write_cache_state state)
{
	return m->write_cache == state && !(leg_of(m) > 2); /* on, off, off, on: once each */
}

static void chart_title(char *buf, size_t len, const char *what, const char *name,
	const struct result *result, const struct measurement *m)
{
	const char *target = report_target_name(json_get(result->doc, "target"));

	(void)snprintf(buf, len, "%s: %.100s, %.20s, write cache %s", what, target ? target : name,
		m->battery, write_cache_word(m->write_cache));
}

/* A chart for each state of the write cache. */
static void chart_percentiles(struct report *r, const char *name, const struct result *result,
	size_t first_row, enum write_cache_state state)
{
	struct report_chart *c = NULL;
	char text[200];
	size_t row = first_row;

	for (size_t i = 0; i < result->measurement_count; i++) {
		const struct measurement *m = result->measurements[i];
		struct report_series line = { .row_first = row, .row_last = row,
			.x_first = P50_COLUMN, .x_last = P9999_COLUMN, .y_first = P50_COLUMN,
			.y_last = P9999_COLUMN };

		row += 1 + (size_t)m->write_lat.present + (size_t)m->sync_lat.present;
		if (!is_drawn(m, state) || !m->lat.present || isnan(m->lat.pct_ns[LAT_P50]))
			continue;
		chart_title(text, sizeof(text), "Latency until durable", name, result, m);
		c = c ? c : report_chart_add(r, &r->sheet[SHEET_PERCENTILES], text);
		if (!c)
			return;
		report_series_add(r, c, &line, m->probe);
		c->x_title = "percentile";
		c->y_title = "ms";
		c->along_row = true;
		c->log_y = true;
	}
}

/* -- timeline ---------------------------------------------------------------------------------- */

static void add_seconds(struct report *r, const char *name, const struct result *result,
	const struct measurement *m)
{
	struct report_sheet *s = &r->sheet[SHEET_TIMELINE];
	const struct json *target = json_get(result->doc, "target");

	for (size_t i = 0; i < m->timeline_count; i++) {
		const struct timeline_second *t = &m->timeline[i];

		report_text(r, s, report_target_name(target));
		report_text(r, s, json_str(json_get(target, "serial")));
		report_text(r, s, m->battery);
		report_text(r, s, m->probe);
		report_text(r, s, write_cache_word(m->write_cache));
		add_leg(r, s, m);
		report_text(r, s, json_str(json_path(result->doc, "settings.precondition")));
		report_number(r, s, t->t_s);
		report_number(r, s, t->iops);
		report_share(r, s, m->iops > 0 ? t->iops / m->iops : NAN);
		report_number(r, s, t->bw_bytes / MIB);
		report_number(r, s, t->p50_ns / MS);
		report_number(r, s, t->p99_ns / MS);
		report_number(r, s, t->max_ns / MS);
		report_text(r, s, name);
	}
}

/* What is left of the last second is too short for a rate that means anything. */
static size_t whole_seconds(const struct measurement *m)
{
	size_t n = m->timeline_count;

	return n > 1 && m->timeline[n - 1].t_s - m->timeline[n - 2].t_s < 0.5 ? n - 1 : n;
}

static void chart_timeline(struct report *r, const char *name, const struct result *result,
	size_t first_row, enum write_cache_state state)
{
	struct report_chart *c = NULL;
	char text[200];
	size_t row = first_row;

	for (size_t i = 0; i < result->measurement_count; i++) {
		const struct measurement *m = result->measurements[i];
		struct report_series line = { .row_first = row,
			.row_last = row + whole_seconds(m) - 1, .x_first = TIME_COLUMN,
			.x_last = TIME_COLUMN, .y_first = SHARE_COLUMN, .y_last = SHARE_COLUMN };

		row += m->timeline_count;
		if (!is_drawn(m, state) || whole_seconds(m) < 2)
			continue;
		chart_title(text, sizeof(text), "IOPS over time, against the row's mean", name,
			result, m);
		c = c ? c : report_chart_add(r, &r->sheet[SHEET_TIMELINE], text);
		if (!c)
			return;
		report_series_add(r, c, &line, m->probe);
		c->x_title = "seconds";
		c->y_title = "% of the row's mean IOPS";
	}
}

static void add_timeline(struct report *r, const char *name, const struct result *result)
{
	size_t first_row = r->sheet[SHEET_TIMELINE].rows;

	for (size_t i = 0; i < result->measurement_count; i++)
		add_seconds(r, name, result, result->measurements[i]);
	for (int state = WC_UNKNOWN; state <= WC_NONE; state++)
		chart_timeline(r, name, result, first_row, state);
}

static void leave_out_timeline(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_TIMELINE];

	if (s->left_out)
		return;
	if (asprintf(&s->left_out, "Only the seconds of the first %d results are here; "
		"--timeline all brings those of all.", REPORT_TIMELINE_RESULTS) < 0) {
		s->left_out = NULL;
		r->nomem = true;
	}
}

void report_rows_result(struct report *r, const char *name, const struct result *result)
{
	size_t first_row = r->sheet[SHEET_PERCENTILES].rows;

	for (size_t i = 0; i < result->measurement_count; i++) {
		const struct measurement *m = result->measurements[i];

		add_latency(r, name, result, m, &m->lat, "durable");
		if (m->write_lat.present)
			add_latency(r, name, result, m, &m->write_lat, "write");
		if (m->sync_lat.present)
			add_latency(r, name, result, m, &m->sync_lat, "sync");
	}
	for (int state = WC_UNKNOWN; state <= WC_NONE; state++)
		chart_percentiles(r, name, result, first_row, state);
	if (r->timeline == TIMELINE_ALL ||
		(r->timeline == TIMELINE_AUTO && r->result_count <= REPORT_TIMELINE_RESULTS))
		add_timeline(r, name, result);
	else if (r->timeline == TIMELINE_AUTO)
		leave_out_timeline(r);
}
