/* cmd_export.c - ssdqual export -o FILE RESULT...: results as a workbook, table, page or metrics. */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"
#include "cli/stored.h"
#include "data/store.h"

struct cfg {
	const char *output;
	int format, sheet, timeline;
	bool all;
};

/* The words of export_table, and before them the choice by suffix. */
static const char *const format_words[] = { "auto", "xlsx", "csv", "md", "html", "prom", NULL };
/* In the order of enum report_sheet_id. */
static const char *const sheet_words[] = { "summary", "a-b", "percentiles", "timeline", "smart",
	"advice", "advice-steps", "verdicts", "findings", "provenance", NULL };
static const char *const timeline_words[] = { "auto", "all", "none", NULL };

static const struct opt opts[] = {
	{ .type = OPT_STRING, .short_name = 'o', .name = "output", .off = offsetof(struct cfg, output),
		.arg = "FILE", .help = "write to FILE, whose suffix says the format; - is standard "
			"output" },
	{ .type = OPT_CHOICE, .name = "format", .off = offsetof(struct cfg, format), .arg = "NAME",
		.choices = format_words, .help = "xlsx, csv, md, html or prom; auto: by the suffix" },
	{ .type = OPT_CHOICE, .name = "sheet", .off = offsetof(struct cfg, sheet), .arg = "NAME",
		.choices = sheet_words, .help = "the table that a .csv holds: summary, a-b, "
			"percentiles, timeline, smart, advice, advice-steps, verdicts, findings, "
			"provenance" },
	{ .type = OPT_CHOICE, .name = "timeline", .off = offsetof(struct cfg, timeline),
		.arg = "WHICH", .choices = timeline_words,
		.help = "seconds of all results or of none; auto: of the first 50" },
	{ .type = OPT_FLAG, .name = "all", .off = offsetof(struct cfg, all),
		.help = "every result of the store, beside those that are named" },
	OPT_END,
};

/* -- inputs ------------------------------------------------------------------------------------ */

static bool is_advice(const struct json *doc)
{
	return json_type(json_get(doc, "recommendation")) == JSON_OBJECT &&
		json_type(json_get(doc, "candidates")) == JSON_ARRAY;
}

static bool is_wa(const struct json *doc)
{
	return json_type(json_get(doc, "chains")) == JSON_ARRAY &&
		!json_get(doc, "measurements");
}

static int take_result(struct report *r, const char *name, struct json *doc, struct err *reterr)
{
	struct result *result;
	int rc = result_from_json(doc, name, &result, reterr);

	return rc < 0 ? rc : report_take_result(r, name, result, reterr);
}

/* Takes @doc. {"results": [...]} is what `show --json` prints of several. */
static int take_document(struct report *r, const char *name, struct json *doc, struct err *reterr)
{
	int rc = 0;

	if (is_advice(doc)) {
		report_take_advice(r, report_base_name(name), doc);
	} else if (is_wa(doc)) {
		report_take_wa(r, report_base_name(name), doc);
	} else if (json_get(doc, "format_version") ||
		json_type(json_get(doc, "results")) != JSON_ARRAY) {
		return take_result(r, name, doc, reterr);
	} else {
		for (const struct json *e = json_first(json_get(doc, "results")); e && rc == 0;
			e = json_next(e)) {
			struct json *copy = json_copy(e);

			rc = copy ? take_result(r, name, copy, reterr) : err_nomem(reterr);
		}
	}
	json_free(doc);
	return rc;
}

static int take_file(struct report *r, const char *name, struct err *reterr)
{
	char *path = stored_path(name);
	struct json *doc;
	int rc = path ? json_load(path, JSON_FILE_MAX, &doc, reterr) : err_nomem(reterr);

	if (rc == 0)
		rc = take_document(r, strcmp(path, "-") == 0 ? "standard input" : path, doc, reterr);
	free(path);
	return rc;
}

/* Oldest first: of what can be there once, the newest stays. */
static int take_store(struct report *r, struct err *reterr)
{
	struct store_list l;
	int rc = store_list_results(NULL, &l, reterr);

	if (rc < 0)
		return rc;
	for (size_t i = l.count; i > 0 && rc == 0; i--)
		rc = take_file(r, l.entry[i - 1].path, reterr);
	store_list_done(&l);
	return rc;
}

static int take_all(struct report *r, const struct cfg *c, int argc, char **argv,
	struct err *reterr)
{
	int rc = c->all ? take_store(r, reterr) : 0;

	for (int i = 0; i < argc && rc == 0; i++)
		rc = take_file(r, argv[i], reterr);
	return rc < 0 ? rc : report_finish(r, reterr);
}

/* -- output ------------------------------------------------------------------------------------ */

static bool to_stdout(const struct cfg *c)
{
	return !c->output || strcmp(c->output, "-") == 0;
}

static int choose_format(const struct cli *cli, const struct cfg *c, const struct export_ops **ret,
	struct err *reterr)
{
	const struct export_ops *ops = c->format ? export_find(format_words[c->format]) :
		c->output ? export_find_suffix(c->output) : NULL;

	if (!ops && (!c->output || strcmp(c->output, "-") == 0))
		return err_set(reterr, ERR_USAGE, -EINVAL, "%s; name a file with -o FILE, or a "
			"format with --format NAME", c->output ? "-o -: standard output has no "
			"suffix that says the format" : "there is no output");
	if (!ops)
		return err_set(reterr, ERR_USAGE, -EINVAL, "-o %s: the suffix is none of .xlsx, "
			".csv, .md, .html, .prom; use --format NAME", c->output);
	if (to_stdout(c) && !ops->text)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"a workbook is no text for standard output; name a file with -o FILE");
	if (to_stdout(c) && cli->json)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--json and the export cannot both be "
			"on standard output; name a file with -o FILE");
	if (c->sheet != SHEET_SUMMARY && !ops->one_sheet)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--sheet: a .%s has all of them; it is for .csv", ops->name);
	*ret = ops;
	return 0;
}

static struct json *report_json(const struct cfg *c, const struct export_ops *ops,
	const struct report *r, size_t bytes)
{
	struct json *doc = json_new_object(), *sheets = json_new_array();

	(void)json_set_str(doc, "output", c->output); /* no memory: cli_emit_json() tells */
	(void)json_set_str(doc, "format", ops->name);
	(void)json_set_u64(doc, "bytes", bytes);
	(void)json_set_u64(doc, "results", r->result_count);
	for (size_t i = 0; i < SHEET_COUNT; i++) {
		struct json *s = json_new_object();

		(void)json_set_str(s, "name", r->sheet[i].name);
		(void)json_set_u64(s, "rows", r->sheet[i].rows);
		(void)json_set_u64(s, "charts", r->sheet[i].chart_count);
		(void)json_append(sheets, s);
	}
	if (json_set(doc, "sheets", sheets) < 0) {
		json_free(doc);
		return NULL;
	}
	return doc;
}

static int put_out(struct cli *cli, const struct cfg *c, const struct export_ops *ops,
	const struct report *r, struct err *reterr)
{
	char *text;
	size_t len;
	int rc = ops->render(r, (enum report_sheet_id)c->sheet, &text, &len, reterr);

	if (rc < 0)
		return rc;
	if (to_stdout(c)) {
		(void)fwrite(text, 1, len, cli->out); /* errors of out are told by cli_main */
	} else {
		rc = store_write_file(c->output, text, len, reterr);
		if (rc == 0 && cli->json)
			rc = cli_emit_json(cli, report_json(c, ops, r, len), reterr);
		else if (rc == 0)
			(void)fprintf(cli->out, "%s: %zu result%s\n", c->output, r->result_count,
				r->result_count == 1 ? "" : "s");
	}
	free(text);
	return rc;
}

static int run_export(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct cfg *c = cfg;
	const struct export_ops *ops = NULL;
	struct report r;
	int rc;

	if (argc == 0 && !c->all)
		return err_set(reterr, ERR_USAGE, -EINVAL, "there is no RESULT; name files or "
			"stored results, or use --all");
	rc = choose_format(cli, c, &ops, reterr);
	if (rc < 0)
		return rc;
	report_init(&r, (enum report_timeline)c->timeline);
	rc = take_all(&r, c, argc, argv, reterr);
	if (rc == 0)
		rc = put_out(cli, c, ops, &r, reterr);
	report_done(&r);
	return rc;
}

extern const struct command cmd_export;
const struct command cmd_export = {
	.name = "export",
	.summary = "Write results as a workbook, table, page or metrics",
	.operands = "[RESULT...]",
	.opts = opts,
	.cfg_size = sizeof(struct cfg),
	.details = "RESULT is a file, - for standard input, or a name that `ssdqual show` lists; "
		   "documents of `advise --json` and `wa --json` may stand among them.\n\n"
		   "- .xlsx: a workbook with charts for Excel, LibreOffice and Gnumeric\n"
		   "- .csv: one of its tables\n"
		   "- .md: tables for a ticket\n"
		   "- .html: one page with charts, without scripts\n"
		   "- .prom: metrics for node_exporter's textfile collector; of two results of one "
		   "drive and row the last named stays\n\n"
		   "The same results give the same bytes. FILE is written whole or not at all.",
	.examples = "ssdqual export -o drives.xlsx *.json\n"
		    "ssdqual export --format md result.json\n"
		    "ssdqual export --all -o /var/lib/node_exporter/ssdqual.prom",
	.run = run_export,
};
