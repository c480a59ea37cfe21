/* verdict_show.c - verdicts for people. */
#include "cli/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show.h"
#include "cli/table.h"
#include "cli/text.h"
#include "data/units.h"
#include "policies/verdict_cache.h"

#define WORD_COLUMNS 13
#define BOUND_LEFT (2 + 2 * WORD_COLUMNS) /* where the figures begin */

static const char *text_of(const struct json *j, const char *key)
{
	return json_str(json_get(j, key));
}

/* -- write cache on and off -------------------------------------------------------------------- */

static void add_row(struct table *t, const char *label, double on, double off, double spread,
	double saved_ns, const char *answer)
{
	char a[UNITS_BUF], b[UNITS_BUF];

	table_add(t, label);
	table_add(t, units_format_count(a, sizeof(a), on));
	table_add(t, units_format_count(b, sizeof(b), off));
	table_addf(t, "%.2f", off / on);
	if (isnan(spread))
		table_add(t, "-");
	else
		table_addf(t, "%.1f %%", spread * 100);
	table_add(t, isnan(saved_ns) ? "-" : units_format_ns(a, sizeof(a), saved_ns));
	table_add(t, answer);
}

static void add_computed(struct table *t, const struct cache_row *row)
{
	const char *label = row->on.first->label;

	add_row(t, label && *label ? label : row->on.first->probe, row->on.iops, row->off.iops,
		row->spread, row->saved_ns, cache_row_word(row->answer));
}

static double number(const struct json *j, const char *key)
{
	double v = NAN;

	(void)json_f64(json_get(j, key), &v);
	return v;
}

/* The rows that the verdict stands on, which may be of several documents. NULL: none. */
static const struct json *stored_rows(const struct result *r)
{
	const struct json *v = json_first(json_get(r->doc, "verdicts"));

	for (; v; v = json_next(v)) {
		const char *subject = text_of(v, "subject");

		if (subject && strcmp(subject, "write-cache") == 0)
			return json_first(json_get(v, "rows"));
	}
	return NULL;
}

static void add_stored(struct table *t, const struct result *r, const struct json *j)
{
	const char *probe = text_of(j, "probe");
	const struct measurement *m = probe ? result_find(r, NULL, probe) : NULL;

	add_row(t, m && m->label && *m->label ? m->label : probe, number(j, "on_iops"),
		number(j, "off_iops"), number(j, "spread"), number(j, "saved_ns"),
		text_of(j, "answer"));
}

static int print_cache_table(struct cli *cli, const struct result *r, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "ROW", .cut = TABLE_CUT_END },
		{ .head = "ON", .align = TABLE_RIGHT },
		{ .head = "OFF", .align = TABLE_RIGHT },
		{ .head = "OFF/ON", .align = TABLE_RIGHT },
		{ .head = "SPREAD", .align = TABLE_RIGHT },
		{ .head = "SAVED", .align = TABLE_RIGHT },
		{ .head = "VERDICT" },
	};
	struct verdict_input in = { .results = &r, .count = 1 };
	const struct json *stored = stored_rows(r);
	struct cache_verdict c;
	struct table *t;
	int rc;

	verdict_cache_rows(&in, &c);
	if (c.count == 0 && !stored)
		return 0;
	t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	table_indent(t, 2);
	for (; stored; stored = json_next(stored))
		add_stored(t, r, stored);
	for (size_t i = 0; i < c.count && !stored_rows(r); i++)
		add_computed(t, &c.row[i]);
	(void)fputs("\nWrite cache on and off (IOPS; saved: of one commit, with the cache off)\n",
		cli->out);
	rc = t ? table_print(t, cli, reterr) : err_nomem(reterr);
	table_free(t);
	return rc;
}

/* -- verdicts ---------------------------------------------------------------------------------- */

static const char *colour(const struct cli *cli, const char *grade)
{
	if (!cli->color)
		return "";
	if (strcmp(grade, "fail") == 0 || strcmp(grade, "F") == 0)
		return "\033[31m";
	return strcmp(grade, "pass") == 0 ? "\033[32m" : "";
}

/* A stored document may hold anything: it must not drive the terminal. */
static void print_padded(struct cli *cli, const char *s)
{
	size_t used = text_print_cut(cli->out, s ? s : "unknown", WORD_COLUMNS - 1, cli->utf8);

	(void)fprintf(cli->out, "%*s", (int)(WORD_COLUMNS - used), "");
}

static void print_one(struct cli *cli, const struct json *v)
{
	const char *subject = text_of(v, "subject"), *grade = text_of(v, "grade");
	const char *bound = text_of(v, "bound_by"), *confidence = text_of(v, "confidence");
	const char *on = colour(cli, grade ? grade : "unknown");
	char *text = NULL;

	(void)fputs("  ", cli->out);
	print_padded(cli, subject);
	(void)fputs(on, cli->out);
	print_padded(cli, grade);
	if (*on)
		(void)fputs("\033[0m", cli->out);
	if (confidence &&
		asprintf(&text, "%s (%s confidence)", bound ? bound : "-", confidence) < 0)
		text = NULL;
	show_paragraph(cli, text ? text : bound ? bound : "-", BOUND_LEFT);
	free(text);
}

static void print_change(struct cli *cli, const struct json *v)
{
	const char *subject = text_of(v, "subject"), *change = text_of(v, "would_change");
	const char *limit = text_of(v, "threshold");
	char *text;

	if (!change || asprintf(&text, "%s would change: %s%s%s", subject ? subject : "unknown",
		change, limit ? " -- " : "", limit ? limit : "") < 0)
		return;
	show_item(cli, text, text_of(v, "source"));
	free(text);
}

static void print_evidence(struct cli *cli, const struct json *v)
{
	const struct json *e = json_first(json_get(v, "evidence"));

	if (!e)
		return;
	(void)fputs("\nEvidence of power-loss protection (weight: what)\n", cli->out);
	for (; e; e = json_next(e)) {
		const char *text = text_of(e, "text");
		double weight = 0;

		(void)json_f64(json_get(e, "weight"), &weight);
		(void)fprintf(cli->out, "  %+3.0f  ", weight);
		show_paragraph(cli, text ? text : "unknown", 7);
	}
}

/* Lines to be copied stay whole, whatever the width. */
static void print_lines(struct cli *cli, const struct json *v)
{
	const struct json *l = json_first(json_get(v, "lines"));
	const struct json *m = json_first(json_get(v, "mend"));

	if (l)
		(void)fputs("\nTo make it last\n", cli->out);
	for (; l; l = json_next(l)) {
		(void)fputs("  ", cli->out);
		(void)text_print_cut(cli->out, json_str(l) ? json_str(l) : "", SIZE_MAX,
			cli->utf8);
		(void)fputc('\n', cli->out);
	}
	if (m)
		(void)fputs("\nOSDs that were created under the wrong flag\n", cli->out);
	for (; m; m = json_next(m))
		show_item(cli, json_str(m) ? json_str(m) : "unknown", NULL);
}

int verdict_print(struct cli *cli, const struct result *r, bool whole, struct err *reterr)
{
	const struct json *first = json_first(json_get(r->doc, "verdicts"));
	const struct json *v;
	int rc = print_cache_table(cli, r, reterr);

	if (rc < 0 || !first)
		return rc;
	(void)fputs("\nVerdicts\n", cli->out);
	for (v = first; v; v = json_next(v))
		print_one(cli, v);
	for (v = first; v && whole; v = json_next(v))
		print_change(cli, v);
	for (v = first; v && whole; v = json_next(v))
		print_evidence(cli, v);
	for (v = first; v; v = json_next(v))
		print_lines(cli, v);
	if (!whole)
		(void)fputs("  'ssdqual show' tells what would change them, and the evidence.\n",
			cli->out);
	return 0;
}
