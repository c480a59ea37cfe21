/* report_origin.c - the sheets Verdicts, Findings and Provenance: what follows from the figures, and
 * where they come from. */
#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct report_column verdict_columns[] = {
	{ .head = "Model", .width = 28, .label = "model" },
	{ .head = "Serial", .width = 16, .label = "serial" },
	{ .head = "Precondition", .width = 13, .label = "precondition" },
	{ .head = "Subject", .width = 12, .label = "subject" },
	{ .head = "Grade", .width = 12, .label = "grade", .metric = "ssdqual_verdict",
		.help = "1 for the grade that the drive has for a use, or as to a fact." },
	{ .head = "Answer", .width = 14 },
	{ .head = "Confidence", .width = 11 },
	{ .head = "Decided by", .width = 60 },
	{ .head = "Threshold", .width = 40 },
	{ .head = "Source", .width = 40 },
	{ .head = "Would change", .width = 50 },
	{ .head = "Result", .width = 34 },
};

static const struct report_rule verdict_rules[] = {
	{ .column = 4, .text = "fail", .mark = MARK_BAD },
	{ .column = 4, .text = "F", .mark = MARK_BAD },
	{ .column = 4, .text = "provisional", .mark = MARK_POOR },
	{ .column = 4, .text = "pass", .mark = MARK_GOOD },
};

static const struct report_column finding_columns[] = {
	{ .head = "Model", .width = 28 },
	{ .head = "Serial", .width = 16 },
	{ .head = "Finding", .width = 26 },
	{ .head = "Text", .width = 100 },
	{ .head = "Source", .width = 50 },
	{ .head = "Result", .width = 34 },
};

static const struct report_column origin_columns[] = {
	{ .head = "Model", .width = 28, .label = "model" },
	{ .head = "Serial", .width = 16, .label = "serial" },
	{ .head = "Firmware", .width = 10, .label = "firmware" },
	{ .head = "By-id name", .width = 50 },
	{ .head = "WWN", .width = 20 },
	{ .head = "Transport", .width = 10, .label = "transport", .metric = "ssdqual_drive_info",
		.help = "1 for each drive that was looked at." },
	{ .head = "Started", .unit = "UTC", .width = 20,
		.metric = "ssdqual_run_start_timestamp_seconds", .help = "When the run began." },
	{ .head = "Battery", .width = 9, .label = "battery" },
	{ .head = "Ended", .width = 10 },
	{ .head = "Precondition", .width = 13 },
	{ .head = "Zeros written", .width = 9 },
	{ .head = "Figures are", .width = 11 },
	{ .head = "Write cache before: drive", .width = 12 },
	{ .head = "kernel", .width = 14 },
	{ .head = "Scheduler", .width = 12 },
	{ .head = "Kernel", .width = 22 },
	{ .head = "CPU", .width = 36 },
	{ .head = "Governor", .width = 12 },
	{ .head = "Made by", .width = 16 },
	{ .head = "Format", .width = 8 },
	{ .head = "Result", .width = 34 },
};

static const struct report_rule origin_rules[] = {
	{ .column = 10, .text = "yes", .mark = MARK_BAD },
	{ .column = 9, .text = "none", .mark = MARK_POOR },
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

void report_origin_init(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_VERDICTS];

	report_sheet_init(s, "Verdicts", "What the figures say about the drive and its uses.",
		verdict_columns, LEN(verdict_columns));
	s->rules = verdict_rules;
	s->rule_count = LEN(verdict_rules);
	report_sheet_init(&r->sheet[SHEET_FINDINGS], "Findings", "What is worth a person's "
		"attention.", finding_columns, LEN(finding_columns));
	s = &r->sheet[SHEET_PROVENANCE];
	report_sheet_init(s, "Provenance", "Where the figures come from.", origin_columns,
		LEN(origin_columns));
	s->rules = origin_rules;
	s->rule_count = LEN(origin_rules);
}

static const char *text_of(const struct json *j, const char *dotted)
{
	return json_str(json_path(j, dotted));
}

/* A threshold may be a number. */
static void add_any(struct report *r, struct report_sheet *s, const struct json *j)
{
	double v;

	if (json_f64(j, &v))
		report_number(r, s, v);
	else
		report_text(r, s, json_str(j));
}

static void add_verdicts(struct report *r, const char *name, const struct result *result)
{
	struct report_sheet *s = &r->sheet[SHEET_VERDICTS];
	const struct json *target = json_get(result->doc, "target");
	const struct json *v = json_first(json_get(result->doc, "verdicts"));

	for (; v; v = json_next(v)) {
		report_text(r, s, report_target_name(target));
		report_text(r, s, text_of(target, "serial"));
		report_text(r, s, text_of(result->doc, "settings.precondition"));
		report_text(r, s, text_of(v, "subject"));
		report_text(r, s, text_of(v, "grade"));
		report_text(r, s, text_of(v, "answer"));
		report_text(r, s, text_of(v, "confidence"));
		report_text(r, s, text_of(v, "bound_by"));
		add_any(r, s, json_get(v, "threshold"));
		report_text(r, s, text_of(v, "source"));
		report_text(r, s, text_of(v, "would_change"));
		report_text(r, s, name);
	}
}

static void add_findings(struct report *r, const char *name, const struct result *result)
{
	struct report_sheet *s = &r->sheet[SHEET_FINDINGS];
	const struct json *target = json_get(result->doc, "target");
	const struct json *f = json_first(json_get(result->doc, "findings"));

	for (; f; f = json_next(f)) {
		report_text(r, s, report_target_name(target));
		report_text(r, s, text_of(target, "serial"));
		report_text(r, s, text_of(f, "code"));
		report_text(r, s, text_of(f, "text"));
		report_text(r, s, text_of(f, "source"));
		report_text(r, s, name);
	}
}

static const char *sources(const struct result *result)
{
	enum source_kind first = SOURCE_MEASURED;

	for (size_t i = 0; i < result->measurement_count; i++) {
		enum source_kind k = result->measurements[i]->source;

		if (i > 0 && k != first)
			return "mixed";
		first = k;
	}
	return result->measurement_count ? source_word(first) : NULL;
}

static void add_tool(struct report *r, const struct result *result)
{
	struct report_sheet *s = &r->sheet[SHEET_PROVENANCE];
	const char *tool = text_of(result->doc, "tool.name");
	const char *version = text_of(result->doc, "tool.version");
	const struct json *format = json_get(result->doc, "format_version");
	uint64_t major, minor;
	char text[160];

	(void)snprintf(text, sizeof(text), "%s %s", tool ? tool : "unknown",
		version ? version : "");
	report_text(r, s, text);
	if (json_u64(json_at(format, 0), &major) && json_u64(json_at(format, 1), &minor)) {
		(void)snprintf(text, sizeof(text), "%u.%u", (unsigned)major, (unsigned)minor);
		report_text(r, s, text);
	} else {
		report_text(r, s, NULL);
	}
}

static void add_origin(struct report *r, const char *name, const struct result *result)
{
	struct report_sheet *s = &r->sheet[SHEET_PROVENANCE];
	const struct json *target = json_get(result->doc, "target");
	const struct json *settings = json_get(result->doc, "settings");
	const char *cache = text_of(settings, "write_cache_before.kernel");
	bool zeros;

	report_text(r, s, report_target_name(target));
	report_text(r, s, text_of(target, "serial"));
	report_text(r, s, text_of(target, "firmware"));
	report_text(r, s, text_of(target, "by_id"));
	report_text(r, s, text_of(target, "wwn"));
	report_text(r, s, text_of(target, "transport"));
	report_time(r, s, text_of(settings, "started_at"));
	report_text(r, s, text_of(settings, "battery"));
	report_text(r, s, text_of(settings, "ended"));
	report_text(r, s, text_of(settings, "precondition"));
	report_text(r, s, !json_bool(json_get(settings, "zero_buffers"), &zeros) ? NULL :
		zeros ? "yes" : "no");
	report_text(r, s, sources(result));
	report_text(r, s, text_of(settings, "write_cache_before.drive"));
	report_text(r, s, cache ? cache : text_of(target, "write_cache.kernel"));
	report_text(r, s, text_of(target, "scheduler"));
	report_text(r, s, text_of(result->doc, "host.kernel"));
	report_text(r, s, text_of(result->doc, "host.cpu"));
	report_text(r, s, text_of(result->doc, "host.governor"));
	add_tool(r, result);
	report_text(r, s, name);
}

void report_origin_result(struct report *r, const char *name, const struct result *result)
{
	add_verdicts(r, name, result);
	add_findings(r, name, result);
	add_origin(r, name, result);
}
