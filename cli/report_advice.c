/* report_advice.c - the sheets Advice (the candidates of each advice) and Advice steps (what to do,
 * why, and what to know). */
#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6 /* ns */
#define MIB 1048576.0

static const struct report_column columns[] = {
	{ .head = "Workload", .width = 14 },
	{ .head = "Objective", .width = 18 },
	{ .head = "Limit", .unit = "ms", .width = 9, .decimals = 2 },
	{ .head = "Candidate", .width = 15 },
	{ .head = "Recommended", .width = 13 },
	{ .head = "Confidence", .width = 11 },
	{ .head = "Meets it", .width = 9 },
	{ .head = "Write p50", .unit = "ms", .width = 11, .decimals = 3 },
	{ .head = "Write p99", .unit = "ms", .width = 11, .decimals = 3 },
	{ .head = "Flush p99", .unit = "ms", .width = 11, .decimals = 3 },
	{ .head = "Guest sync p50", .unit = "ms", .width = 11, .decimals = 3 },
	{ .head = "Guest sync p99", .unit = "ms", .width = 11, .decimals = 3 },
	{ .head = "Guest sync p99.9", .unit = "ms", .width = 11, .decimals = 3 },
	{ .head = "IOPS", .width = 10, .decimals = 0 },
	{ .head = "Full after", .unit = "s", .width = 10, .decimals = 1 },
	{ .head = "Stall when full", .unit = "s", .width = 11, .decimals = 1 },
	{ .head = "Memory of an image", .unit = "MiB", .width = 12, .decimals = 0 },
	{ .head = "Bytes at risk", .unit = "MiB", .width = 12, .decimals = 0 },
	{ .head = "Blockers", .width = 40 },
	{ .head = "Settings", .width = 60 },
	{ .head = "Document", .width = 24 },
};

static const struct report_rule rules[] = {
	{ .column = 4, .text = "yes", .mark = MARK_GOOD },
	{ .column = 5, .text = "unsure", .mark = MARK_POOR },
	{ .column = 6, .text = "yes", .mark = MARK_GOOD },
	{ .column = 6, .text = "no", .mark = MARK_BAD },
};

static const struct report_column step_columns[] = {
	{ .head = "Workload", .width = 14 },
	{ .head = "Kind", .width = 11 },
	{ .head = "No.", .width = 6 },
	{ .head = "Text or command", .width = 90 },
	{ .head = "Where", .width = 20 },
	{ .head = "When", .width = 30 },
	{ .head = "Check, or source", .width = 60 },
	{ .head = "Document", .width = 24 },
};

void report_advice_init(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_ADVICE];

	report_sheet_init(s, "Advice", "Predictions for each candidate setting, as `advise` gave "
		"them.", columns, sizeof(columns) / sizeof(columns[0]));
	s->rules = rules;
	s->rule_count = sizeof(rules) / sizeof(rules[0]);
	report_sheet_init(&r->sheet[SHEET_STEPS], "Advice steps", "How to apply the recommended "
		"setting and how to undo it, in order; reasons, warnings and what was assumed.",
		step_columns, sizeof(step_columns) / sizeof(step_columns[0]));
}

static double number(const struct json *j, const char *dotted)
{
	double v = NAN;

	(void)json_f64(json_path(j, dotted), &v);
	return v;
}

static const char *yes_no(const struct json *j)
{
	bool v;

	return json_bool(j, &v) ? v ? "yes" : "no" : NULL;
}

/* "a; b": the member @key of each, or "name=value" of an object. NULL in, nothing out. */
static void add_joined(struct report *r, struct report_sheet *s, const struct json *list,
	const char *key)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f) {
		r->nomem = true;
		return;
	}
	for (const struct json *e = json_first(list); e; e = json_next(e)) {
		const char *value = json_str(key ? json_get(e, key) : e);

		if (ftell(f) > 0)
			(void)fputs("; ", f);
		if (!key)
			(void)fprintf(f, "%s=", json_key(e));
		(void)fputs(value ? value : "unknown", f);
	}
	if (fclose(f) != 0)
		r->nomem = true;
	else
		report_text(r, s, *text ? text : NULL);
	free(text);
}

static void add_candidate(struct report *r, const char *name, const struct json *doc,
	const struct json *c)
{
	struct report_sheet *s = &r->sheet[SHEET_ADVICE];
	const struct json *p = json_get(c, "predicted");
	const char *word = json_str(json_get(c, "name"));
	const char *chosen = json_str(json_path(doc, "recommendation.candidate"));
	bool is_chosen = word && chosen && strcmp(word, chosen) == 0;

	report_text(r, s, json_str(json_get(doc, "workload")));
	report_text(r, s, json_str(json_path(doc, "slo.metric")));
	report_number(r, s, number(doc, "slo.limit_ns") / MS);
	report_text(r, s, word);
	report_text(r, s, is_chosen ? "yes" : "no");
	report_text(r, s, is_chosen ? json_str(json_path(doc, "recommendation.confidence")) : NULL);
	report_text(r, s, yes_no(json_get(c, "meets_slo")));
	report_number(r, s, number(p, "write_ns.p50") / MS);
	report_number(r, s, number(p, "write_ns.p99") / MS);
	report_number(r, s, number(p, "flush_ns.p99") / MS);
	report_number(r, s, number(p, "guest_sync_ns.p50") / MS);
	report_number(r, s, number(p, "guest_sync_ns.p99") / MS);
	report_number(r, s, number(p, "guest_sync_ns.p999") / MS);
	report_number(r, s, number(p, "iops"));
	report_number(r, s, number(p, "fill_seconds"));
	report_number(r, s, number(p, "stall_seconds"));
	report_number(r, s, number(c, "memory_bytes_per_image") / MIB);
	report_number(r, s, number(c, "at_risk_bytes") / MIB);
	add_joined(r, s, json_get(c, "blockers"), "text");
	add_joined(r, s, json_get(c, "settings"), NULL);
	report_text(r, s, name);
}

static void add_steps(struct report *r, const char *name, const struct json *doc, const char *kind,
	const char *dotted)
{
	struct report_sheet *s = &r->sheet[SHEET_STEPS];
	double n = 0;

	for (const struct json *e = json_first(json_path(doc, dotted)); e; e = json_next(e)) {
		const char *command = json_str(json_get(e, "command"));
		const char *check = json_str(json_get(e, "check"));

		report_text(r, s, json_str(json_get(doc, "workload")));
		report_text(r, s, kind);
		report_number(r, s, ++n);
		report_text(r, s, command ? command : json_str(json_get(e, "text")));
		report_text(r, s, json_str(json_get(e, "where")));
		report_text(r, s, json_str(json_get(e, "when")));
		report_text(r, s, check ? check : json_str(json_get(e, "source")));
		report_text(r, s, name);
	}
}

void report_take_advice(struct report *r, const char *name, const struct json *doc)
{
	for (const struct json *c = json_first(json_get(doc, "candidates")); c; c = json_next(c))
		add_candidate(r, name, doc, c);
	add_steps(r, name, doc, "apply", "recommendation.apply");
	add_steps(r, name, doc, "undo", "recommendation.undo");
	add_steps(r, name, doc, "reason", "recommendation.reasons");
	add_steps(r, name, doc, "instead", "recommendation.instead");
	add_steps(r, name, doc, "warning", "warnings");
	add_steps(r, name, doc, "assumed", "assumed");
}
