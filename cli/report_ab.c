/* report_ab.c - the sheet A-B: each row with the write cache on and off. */
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/verdict_cache.h"

static const struct report_column columns[] = {
	{ .head = "Model", .width = 28 },
	{ .head = "Serial", .width = 16 },
	{ .head = "Row", .width = 26 },
	{ .head = "Precondition", .width = 13 },
	{ .head = "Cache on", .unit = "IOPS", .width = 13, .decimals = 0 },
	{ .head = "Cache off", .unit = "IOPS", .width = 13, .decimals = 0 },
	{ .head = "Off / on", .width = 9, .decimals = 2 },
	{ .head = "Spread", .unit = "%", .width = 10, .decimals = 1 },
	{ .head = "Saved of a commit", .unit = "ms", .width = 13, .decimals = 3 },
	{ .head = "This row says", .width = 14 },
	{ .head = "Recommendation", .width = 16 },
	{ .head = "Confidence", .width = 11 },
};
enum { RATIO_COLUMN = 6, ROW_COLUMN = 9, ALL_COLUMN = 10 };

/* The limits of policies/threshold.c, write-cache-same; what a row says takes its spread in. */
static const struct report_rule rules[] = {
	{ .column = RATIO_COLUMN, .above = true, .limit = 1.05, .mark = MARK_GOOD },
	{ .column = RATIO_COLUMN, .limit = 0.95, .mark = MARK_BAD },
	{ .column = ROW_COLUMN, .text = "turn off", .mark = MARK_GOOD },
	{ .column = ROW_COLUMN, .text = "keep on", .mark = MARK_BAD },
	{ .column = ROW_COLUMN, .text = "open", .mark = MARK_POOR },
	{ .column = ALL_COLUMN, .text = "turn off", .mark = MARK_GOOD },
	{ .column = ALL_COLUMN, .text = "keep on", .mark = MARK_BAD },
	{ .column = ALL_COLUMN, .text = "unknown", .mark = MARK_POOR },
};

void report_ab_init(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_AB];

	report_sheet_init(s, "A-B", "IOPS of each row with the drive's write cache on and off. A row "
		"differs where the change is beyond the spread of its repetitions.",
		columns, sizeof(columns) / sizeof(columns[0]));
	s->rules = rules;
	s->rule_count = sizeof(rules) / sizeof(rules[0]);
}

static const char *serial_of(const struct result *r)
{
	return json_str(json_path(r->doc, "target.serial"));
}

static const char *precondition_of(const struct verdict_input *in)
{
	const char *first = json_str(json_path(in->results[0]->doc, "settings.precondition"));

	for (size_t i = 1; i < in->count; i++) {
		const char *other = json_str(json_path(in->results[i]->doc,
			"settings.precondition"));

		if (!first || !other || strcmp(first, other) != 0)
			return NULL;
	}
	return first;
}

/* Returns the rows added. */
static size_t add_rows(struct report *r, const struct verdict_input *in)
{
	struct report_sheet *s = &r->sheet[SHEET_AB];
	const struct json *target = verdict_target(in);
	struct cache_verdict v;

	verdict_cache_rows(in, &v);
	for (size_t i = 0; i < v.count; i++) {
		const struct cache_row *row = &v.row[i];
		const char *label = row->on.first->label;

		report_text(r, s, report_target_name(target));
		report_text(r, s, json_str(json_get(target, "serial")));
		report_text(r, s, *label ? label : row->on.first->probe);
		report_text(r, s, precondition_of(in));
		report_number(r, s, row->on.iops);
		report_number(r, s, row->off.iops);
		report_number(r, s, row->ratio);
		report_share(r, s, row->spread);
		report_number(r, s, row->saved_ns / 1e6);
		report_text(r, s, cache_row_word(row->answer));
		report_text(r, s, cache_answer_word(v.answer));
		report_text(r, s, v.repeated ? "high" : "low");
	}
	return v.count;
}

/* A drive measured with its cache on in one run and off in another: results of one serial number
 * together, once. @done: those that were used. */
static int add_together(struct report *r, bool *done, size_t first)
{
	const char *serial = serial_of(r->results[first]);
	const struct result **of_drive = calloc(r->result_count, sizeof(struct result *));
	size_t n = 0;

	if (!of_drive)
		return -1;
	for (size_t i = first; i < r->result_count; i++) {
		const char *other = serial_of(r->results[i]);

		if (done[i] || !other || strcmp(other, serial) != 0)
			continue;
		done[i] = true;
		of_drive[n++] = r->results[i];
	}
	if (n > 1)
		(void)add_rows(r, &(struct verdict_input){ .results = of_drive, .count = n });
	free(of_drive);
	return 0;
}

void report_ab_finish(struct report *r)
{
	bool *done = calloc(r->result_count + 1, sizeof(*done));

	r->nomem = r->nomem || !done;
	for (size_t i = 0; i < r->result_count && done; i++) {
		struct verdict_input in = {
			.results = (const struct result *const *)&r->results[i], .count = 1 };

		done[i] = add_rows(r, &in) > 0 || !serial_of(r->results[i]);
	}
	for (size_t i = 0; i < r->result_count && done; i++)
		if (!done[i] && add_together(r, done, i) < 0)
			r->nomem = true;
	free(done);
}
