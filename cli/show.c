/* show.c - one result document for people. */
#include "cli/show.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/health.h"
#include "cli/table.h"
#include "cli/term.h"
#include "cli/text.h"
#include "cli/verdict.h"
#include "data/units.h"

#define MIB 1048576.0

/* -- the target and the conditions ------------------------------------------------------------- */

void show_paragraph(struct cli *cli, const char *text, int left)
{
	char *clean = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&clean, &len);

	if (f) {
		(void)text_print_cut(f, text, SIZE_MAX, cli->utf8); /* its width is not needed */
		if (fclose(f) == 0)
			text_wrap(cli->out, clean, left, left, term_width(cli->out));
	}
	free(clean);
	(void)fputc('\n', cli->out);
}

/* "  name          text", wrapped under the text. Nothing when @text is NULL. */
static void put_line(struct cli *cli, const char *name, const char *text)
{
	if (!text)
		return;
	(void)fprintf(cli->out, "  %-13s ", name);
	show_paragraph(cli, text, 16);
}

static void put_linef(struct cli *cli, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void put_linef(struct cli *cli, const char *name, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut line still says the most */
	va_end(ap);
	put_line(cli, name, text);
}

static const char *text_of(const struct json *j, const char *dotted)
{
	return json_str(json_path(j, dotted));
}

static const char *or_unknown(const char *s)
{
	return s ? s : "unknown";
}

static void put_title(struct cli *cli, const struct json *t)
{
	const char *name = text_of(t, "model");

	if (!name)
		name = text_of(t, "path");
	(void)text_print_cut(cli->out, name ? name : "unknown target",
		(size_t)term_width(cli->out), cli->utf8);
	(void)fputc('\n', cli->out);
}

/* "960 GB, blocks 512 B logical, 4 KiB physical, sata", what is not known left out. */
static void put_size(struct cli *cli, const struct json *t)
{
	char capacity[UNITS_BUF], logical[UNITS_BUF] = "", physical[UNITS_BUF] = "";
	uint64_t bytes, lb, pb;
	bool has_logical = json_u64(json_get(t, "logical_block_bytes"), &lb);
	bool has_physical = json_u64(json_get(t, "physical_block_bytes"), &pb);

	if (!json_u64(json_get(t, "capacity_bytes"), &bytes))
		return;
	if (has_logical)
		(void)units_format_bytes(logical, sizeof(logical), (double)lb);
	if (has_physical)
		(void)units_format_bytes(physical, sizeof(physical), (double)pb);
	put_linef(cli, "size", "%s%s%s%s%s",
		units_format_capacity(capacity, sizeof(capacity), (double)bytes),
		has_logical ? ", logical block " : "", logical,
		has_physical ? ", physical block " : "", physical);
}

static void put_identity(struct cli *cli, const struct json *t)
{
	if (text_of(t, "serial") || text_of(t, "firmware"))
		put_linef(cli, "serial", "%s, firmware %s", or_unknown(text_of(t, "serial")),
			or_unknown(text_of(t, "firmware")));
	put_line(cli, "path", text_of(t, "path"));
	put_line(cli, "by-id", text_of(t, "by_id"));
	put_line(cli, "transport", text_of(t, "transport"));
	put_size(cli, t);
}

static const char *medium(const struct json *rotational)
{
	bool v;

	if (text_of(rotational, "verdict"))
		return text_of(rotational, "verdict");
	if (text_of(rotational, "measured"))
		return text_of(rotational, "measured");
	if (json_bool(json_get(rotational, "reported"), &v) ||
		json_bool(json_get(rotational, "claimed"), &v))
		return v ? "claims to be rotational" : "claims to be an SSD";
	return "unknown";
}

static void put_import(struct cli *cli, const struct json *o)
{
	uint64_t number = 1, documents = 1;

	if (json_type(o) != JSON_OBJECT)
		return;
	(void)json_u64(json_get(o, "document"), &number); /* absent: the only one */
	(void)json_u64(json_get(o, "documents"), &documents);
	put_linef(cli, "imported", "%s (%s) from %s%s", or_unknown(text_of(o, "kind")),
		or_unknown(text_of(o, "tool_version")), or_unknown(text_of(o, "file")),
		documents > 1 ? number == documents ? ", the last of several documents" :
		", one of several documents" : "");
}

static void put_conditions(struct cli *cli, const struct result *r)
{
	const struct json *t = json_get(r->doc, "target"), *s = json_get(r->doc, "settings");
	const struct json *cache = json_get(t, "write_cache");
	const char *pre = text_of(s, "precondition");
	bool zeros = false;

	put_line(cli, "medium", medium(json_get(t, "rotational")));
	if (json_is_null(cache))
		put_line(cli, "write cache", "unknown");
	else
		put_linef(cli, "write cache", "drive: %s, kernel: %s",
			or_unknown(text_of(cache, "drive")),
			or_unknown(text_of(cache, "kernel") ? text_of(cache, "kernel")
							    : text_of(cache, "queue")));
	put_linef(cli, "run", "%s, battery %s", or_unknown(text_of(s, "started_at")),
		or_unknown(text_of(s, "battery")));
	put_import(cli, json_get(r->doc, "import"));
	if (pre && strcmp(pre, "none") == 0)
		put_line(cli, "precondition", "none: the span was not filled before measuring");
	else if (pre && strcmp(pre, "filled") == 0)
		put_line(cli, "precondition", "filled, but not every writing row was flat at its "
			"end");
	else if (pre && strcmp(pre, "steady") == 0)
		put_line(cli, "precondition", "steady: filled, and every writing row was flat at "
			"its end");
	else
		put_line(cli, "precondition", "unknown");
	if (json_bool(json_get(s, "zero_buffers"), &zeros) && zeros)
		put_line(cli, "data", "all zeros: these figures support no verdict");
}

/* -- rows ------------------------------------------------------------------------------------- */

/* Whether the rows differ in the state of the write cache; else a line says it. */
static bool states_differ(const struct result *r)
{
	for (size_t i = 1; i < r->measurement_count; i++) {
		if (r->measurements[i]->write_cache != r->measurements[0]->write_cache)
			return true;
	}
	return false;
}

static void add_ns(struct table *t, double ns)
{
	char buf[UNITS_BUF];

	table_add(t, isnan(ns) ? "-" : units_format_ns(buf, sizeof(buf), ns));
}

static void add_latency(struct table *t, const struct latency *l)
{
	if (!l->present || l->count == 0)
		return; /* the row is filled up with nothing */
	add_ns(t, l->mean_ns);
	add_ns(t, l->pct_ns[LAT_P50]);
	add_ns(t, l->pct_ns[LAT_P99]);
	add_ns(t, l->pct_ns[LAT_P999]);
}

/* A line below a row: words in the first column, nothing in the others up to the latencies. */
static void add_note(struct table *t, const char *words, bool with_cache)
{
	table_addf(t, "  %s", words);
	if (with_cache)
		table_add(t, "");
	table_add(t, "");
	table_add(t, "");
}

static bool ended_well(const struct measurement *m)
{
	return !m->stop || strcmp(m->stop, "runtime") == 0 || strcmp(m->stop, "size") == 0 ||
	       strcmp(m->stop, "io-limit") == 0;
}

static void add_measurement(struct table *t, const struct measurement *m, bool with_cache)
{
	char buf[UNITS_BUF], note[64];

	table_add(t, m->label[0] ? m->label : m->probe);
	if (with_cache)
		table_add(t, write_cache_word(m->write_cache));
	table_add(t, isnan(m->iops) ? "-" : units_format_count(buf, sizeof(buf), m->iops));
	table_add(t, isnan(m->bw_bytes) ? "-"
					: units_format_count(buf, sizeof(buf), m->bw_bytes / MIB));
	add_latency(t, &m->lat);
	table_end_row(t);
	if (m->sync_lat.present && m->sync_lat.count) {
		add_note(t, "of it the sync", with_cache);
		add_latency(t, &m->sync_lat);
		table_end_row(t);
	}
	if (m->source != SOURCE_MEASURED) {
		(void)snprintf(note, sizeof(note), "as reported (%s)", source_word(m->source));
		add_note(t, note, with_cache);
		table_end_row(t);
	}
	if (!ended_well(m) || m->errors) {
		(void)snprintf(note, sizeof(note), "ended: %s, %llu failed", or_unknown(m->stop),
			(unsigned long long)m->errors);
		add_note(t, note, with_cache);
		table_mark(t, TABLE_BAD);
		table_end_row(t);
	}
}

int show_rows(struct cli *cli, const struct result *r, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "ROW", .cut = TABLE_CUT_END },
		{ .head = "CACHE" },
		{ .head = "IOPS", .align = TABLE_RIGHT },
		{ .head = "MiB/s", .align = TABLE_RIGHT },
		{ .head = "MEAN", .align = TABLE_RIGHT },
		{ .head = "P50", .align = TABLE_RIGHT },
		{ .head = "P99", .align = TABLE_RIGHT },
		{ .head = "P99.9", .align = TABLE_RIGHT },
	};
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	bool with_cache = states_differ(r);
	struct table_column used[sizeof(columns) / sizeof(columns[0])];
	size_t n = 0;
	struct table *t;
	int rc;

	for (size_t i = 0; i < count; i++) {
		if (i != 1 || with_cache)
			used[n++] = columns[i];
	}
	t = table_new(used, n);
	table_indent(t, 2);
	for (size_t i = 0; i < r->measurement_count; i++)
		add_measurement(t, r->measurements[i], with_cache);
	if (!with_cache && r->measurement_count)
		(void)fprintf(cli->out, "Rows (write cache of the drive: %s; latency from submit "
			"to durable)\n",
			write_cache_word(r->measurements[0]->write_cache));
	else
		(void)fprintf(cli->out, "Rows (latency from submit to durable)\n");
	rc = t ? table_print(t, cli, reterr) : err_nomem(reterr);
	table_free(t);
	return rc;
}

/* -- findings ---------------------------------------------------------------------------------- */

/* "  - text (source)", wrapped. */
void show_item(struct cli *cli, const char *text, const char *source)
{
	char *line = NULL;

	if (source && asprintf(&line, "%s (%s)", text, source) < 0)
		line = NULL;
	(void)fputs("  - ", cli->out);
	show_paragraph(cli, line ? line : text, 4);
	free(line);
}

static void put_findings(struct cli *cli, const struct json *list)
{
	if (json_len(list) == 0)
		return;
	(void)fputs("\nFindings\n", cli->out);
	for (const struct json *f = json_first(list); f; f = json_next(f))
		show_item(cli, or_unknown(text_of(f, "text")), text_of(f, "source"));
}

int show_result(struct cli *cli, const struct result *r, struct err *reterr)
{
	int rc;

	put_title(cli, json_get(r->doc, "target"));
	put_identity(cli, json_get(r->doc, "target"));
	put_conditions(cli, r);
	if (r->measurement_count)
		(void)fputc('\n', cli->out);
	rc = r->measurement_count ? show_rows(cli, r, reterr) : 0;
	if (rc < 0)
		return rc;
	show_import(cli, r);
	health_print(cli, r);
	put_findings(cli, json_get(r->doc, "findings"));
	return verdict_print(cli, r, true, reterr);
}
