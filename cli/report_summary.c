/* report_summary.c - the sheet Summary: a line for each result and state of the write cache, in the
 * columns that people share such figures in. */
#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/verdict.h"

#define MS 1e6 /* ns */
#define MIB 1048576.0

#define ROW_COLUMNS(title) \
	{ .head = title " IOPS", .width = 13, .decimals = 0 }, \
	{ .head = title " mean", .unit = "ms", .width = 13, .decimals = 3 }, \
	{ .head = title " p99", .unit = "ms", .width = 13, .decimals = 3 }

static const struct report_column columns[] = {
	{ .head = "Model", .width = 28 },
	{ .head = "Capacity", .unit = "GB", .width = 10 },
	{ .head = "Firmware", .width = 10 },
	{ .head = "Interface", .width = 16 },
	{ .head = "Write cache", .width = 8 },
	{ .head = "Precondition", .width = 13 },
	ROW_COLUMNS("Journal (sync=1)"),
	ROW_COLUMNS("Journal (fsync=1)"),
	ROW_COLUMNS("Parallel random (sync)"),
	ROW_COLUMNS("Parallel random (fsync)"),
	ROW_COLUMNS("Non-txn random"),
	{ .head = "Linear write", .unit = "MiB/s", .width = 13, .decimals = 0 },
	ROW_COLUMNS("Linear write"),
	{ .head = "etcd 2300 B sync p99", .unit = "ms", .width = 13, .decimals = 3 },
	{ .head = "etcd 8000 B sync p99", .unit = "ms", .width = 13, .decimals = 3 },
	{ .head = "Other row", .width = 22 },
	ROW_COLUMNS("Other row"),
	{ .head = "Verdict write cache", .width = 14 },
	{ .head = "Verdict power-loss protection", .width = 14 },
	{ .head = "Verdict OSD data", .width = 12 },
	{ .head = "Verdict WAL/DB", .width = 12 },
	{ .head = "Verdict PWL", .width = 12 },
	{ .head = "Verdict etcd", .width = 12 },
	{ .head = "Verdict mon", .width = 12 },
	{ .head = "Temperature", .unit = "C", .width = 13 },
	{ .head = "Endurance used", .unit = "%", .width = 11 },
	{ .head = "Write amplification", .width = 13, .decimals = 2 },
	{ .head = "Figures are", .width = 11 },
	{ .head = "Serial", .width = 16 },
	{ .head = "Started", .unit = "UTC", .width = 20 },
	{ .head = "Result", .width = 34 },
};
enum { VERDICT_FIRST = 31 };

#define RULES_OF(c) \
	{ .column = (c), .text = "fail", .mark = MARK_BAD }, \
	{ .column = (c), .text = "F", .mark = MARK_BAD }, \
	{ .column = (c), .text = "E", .mark = MARK_BAD }, \
	{ .column = (c), .text = "provisional", .mark = MARK_POOR }, \
	{ .column = (c), .text = "pass", .mark = MARK_GOOD }, \
	{ .column = (c), .text = "S", .mark = MARK_GOOD }, \
	{ .column = (c), .text = "A", .mark = MARK_GOOD }, \
	{ .column = (c), .text = "B", .mark = MARK_GOOD }

static const struct report_rule rules[] = {
	{ .column = VERDICT_FIRST, .text = "turn off", .mark = MARK_POOR },
	{ .column = VERDICT_FIRST + 1, .text = "no", .mark = MARK_BAD },
	{ .column = VERDICT_FIRST + 1, .text = "yes", .mark = MARK_GOOD },
	RULES_OF(VERDICT_FIRST + 2),
	RULES_OF(VERDICT_FIRST + 3),
	RULES_OF(VERDICT_FIRST + 4),
	RULES_OF(VERDICT_FIRST + 5),
	RULES_OF(VERDICT_FIRST + 6),
};

void report_summary_init(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_SUMMARY];

	report_sheet_init(s, "Summary", "One line for each result and state of the drive's write "
		"cache; of repetitions the mean, and the slowest p99. A result without any of these "
		"rows has a line for each row of its own.",
		columns, sizeof(columns) / sizeof(columns[0]));
	s->rules = rules;
	s->rule_count = sizeof(rules) / sizeof(rules[0]);
	s->tall = true;
}

/* Mean of the means until durable over all repetitions. Other tools' figure of a row that calls
 * fsync leaves the call out, so it is not this one. */
static double mean_ns(const struct result *result, const char *probe, enum write_cache_state state)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < result->measurement_count; i++) {
		const struct measurement *m = result->measurements[i];

		if (m->write_cache != state || strcmp(m->probe, probe) != 0 || !m->lat.present)
			continue;
		if (m->source != SOURCE_MEASURED && m->sync_lat.present)
			return NAN;
		sum += m->lat.mean_ns;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static void add_row(struct report *r, const struct result *result, const char *probe,
	enum write_cache_state state, bool with_rate)
{
	struct report_sheet *s = &r->sheet[SHEET_SUMMARY];
	struct verdict_input in = { .results = (const struct result *const *)&result, .count = 1 };
	struct row_figures f;
	double block = NAN;

	if (!verdict_row(&in, probe, state, &f)) {
		for (int i = 0; i < 3 + with_rate; i++)
			report_number(r, s, NAN);
		return;
	}
	(void)json_f64(json_get(f.first->params, "bs"), &block);
	if (with_rate)
		report_number(r, s, (isnan(block) ? f.first->bw_bytes : f.iops * block) / MIB);
	report_number(r, s, f.iops);
	report_number(r, s, mean_ns(result, probe, state) / MS);
	report_number(r, s, f.p99_ns / MS);
}

/* Slowest repetition's p99 of the sync: what etcd waits for. */
static double sync_p99_ns(const struct result *result, const char *probe,
	enum write_cache_state state)
{
	double worst = NAN;

	for (size_t i = 0; i < result->measurement_count; i++) {
		const struct measurement *m = result->measurements[i];

		if (m->write_cache == state && strcmp(m->probe, probe) == 0 && m->sync_lat.present)
			worst = fmax(worst, m->sync_lat.pct_ns[LAT_P99]);
	}
	return worst;
}

static void add_verdict(struct report *r, const struct result *result, const char *subject,
	const char *key)
{
	const struct json *v = json_first(json_get(result->doc, "verdicts"));

	for (; v; v = json_next(v)) {
		const char *name = json_str(json_get(v, "subject"));

		if (name && strcmp(name, subject) == 0)
			break;
	}
	report_text(r, &r->sheet[SHEET_SUMMARY], json_str(json_get(v, key)));
}

static void add_interface(struct report *r, const struct json *target)
{
	const char *transport = json_str(json_get(target, "transport"));
	const char *speed = json_str(json_path(target, "link.speed"));
	uint64_t width;
	char text[120];

	if (!transport || !speed)
		(void)snprintf(text, sizeof(text), "%s", transport ? transport : "");
	else if (json_u64(json_path(target, "link.width"), &width))
		(void)snprintf(text, sizeof(text), "%s, %s x%u", transport, speed, (unsigned)width);
	else
		(void)snprintf(text, sizeof(text), "%s, %s", transport, speed);
	report_text(r, &r->sheet[SHEET_SUMMARY], *text ? text : NULL);
}

static double health(const struct result *result, const char *key)
{
	double v = NAN;

	if (!json_f64(json_get(json_path(result->doc, "smart.after"), key), &v))
		(void)json_f64(json_get(json_path(result->doc, "smart.before"), key), &v);
	return v;
}

static const char *source_of(const struct result *result, enum write_cache_state state)
{
	enum source_kind weakest = SOURCE_MEASURED;
	bool any = false;

	for (size_t i = 0; i < result->measurement_count; i++) {
		if (result->measurements[i]->write_cache != state)
			continue;
		any = true;
		if (result->measurements[i]->source > weakest)
			weakest = result->measurements[i]->source;
	}
	return any ? source_word(weakest) : NULL;
}

static void add_figures(struct report *r, const struct result *result, enum write_cache_state state)
{
	struct report_sheet *s = &r->sheet[SHEET_SUMMARY];

	add_row(r, result, "journal-sync", state, false);
	add_row(r, result, "journal-fsync", state, false);
	add_row(r, result, "parallel-sync", state, false);
	add_row(r, result, "parallel-fsync", state, false);
	add_row(r, result, "random-nosync", state, false);
	add_row(r, result, "linear-write", state, true);
	report_number(r, s, sync_p99_ns(result, "etcd-2300", state) / MS);
	report_number(r, s, sync_p99_ns(result, "etcd-8000", state) / MS);
}

/* @other: a row that has no columns of its own; NULL: none. */
static void add_line(struct report *r, size_t index, enum write_cache_state state,
	const char *other)
{
	struct report_sheet *s = &r->sheet[SHEET_SUMMARY];
	const struct result *result = r->results[index];
	const struct json *target = json_get(result->doc, "target");
	double capacity = NAN;
	uint64_t bytes;

	if (json_u64(json_get(target, "capacity_bytes"), &bytes))
		capacity = (double)bytes / 1e9;
	report_text(r, s, report_target_name(target));
	report_number(r, s, capacity);
	report_text(r, s, json_str(json_get(target, "firmware")));
	add_interface(r, target);
	report_text(r, s, write_cache_word(state));
	report_text(r, s, json_str(json_path(result->doc, "settings.precondition")));
	add_figures(r, result, state);
	report_text(r, s, other);
	add_row(r, result, other ? other : "", state, false);
	add_verdict(r, result, "write-cache", "answer");
	add_verdict(r, result, "plp", "answer");
	add_verdict(r, result, "osd-data", "grade");
	add_verdict(r, result, "wal-db", "grade");
	add_verdict(r, result, "pwl", "grade");
	add_verdict(r, result, "etcd", "grade");
	add_verdict(r, result, "mon", "grade");
	report_number(r, s, health(result, "temperature_c"));
	report_number(r, s, health(result, "percent_used"));
	report_number(r, s, health(result, "write_amplification"));
	report_text(r, s, source_of(result, state));
	report_text(r, s, json_str(json_get(target, "serial")));
	report_time(r, s, json_str(json_path(result->doc, "settings.started_at")));
	report_text(r, s, r->names[index]);
}

/* Has @result a row with columns of its own in this state? */
static bool has_usual_row(const struct result *result, enum write_cache_state state)
{
	static const char *const usual[] = { "journal-sync", "journal-fsync", "parallel-sync",
		"parallel-fsync", "random-nosync", "linear-write", "etcd-2300", "etcd-8000", NULL };
	struct verdict_input in = { .results = (const struct result *const *)&result, .count = 1 };
	struct row_figures f;

	for (size_t i = 0; usual[i]; i++)
		if (verdict_row(&in, usual[i], state, &f))
			return true;
	return false;
}

static bool seen_before(const struct result *result, size_t i)
{
	const struct measurement *m = result->measurements[i];

	for (size_t k = 0; k < i; k++)
		if (result->measurements[k]->write_cache == m->write_cache &&
			strcmp(result->measurements[k]->probe, m->probe) == 0)
			return true;
	return false;
}

static void add_others(struct report *r, size_t index, enum write_cache_state state)
{
	const struct result *result = r->results[index];

	for (size_t i = 0; i < result->measurement_count; i++)
		if (result->measurements[i]->write_cache == state && !seen_before(result, i))
			add_line(r, index, state, result->measurements[i]->probe);
}

void report_summary_result(struct report *r, size_t index)
{
	static const enum write_cache_state order[] = { WC_ON, WC_OFF, WC_NONE, WC_UNKNOWN };
	const struct result *result = r->results[index];
	bool any = false;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!source_of(result, order[i]))
			continue;
		if (has_usual_row(result, order[i]))
			add_line(r, index, order[i], NULL);
		else
			add_others(r, index, order[i]);
		any = true;
	}
	if (!any) /* nothing was measured: the drive is still one that was looked at */
		add_line(r, index, WC_UNKNOWN, NULL);
}
