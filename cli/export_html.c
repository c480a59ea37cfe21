/* export_html.c - one page that needs nothing else: no script, no link, no font, light and dark as
 * the reader's screen is. Everything that comes from a document is escaped. */
#include "cli/export.h"

#include <errno.h>
#include <string.h>

#define SHORT_TEXT 32 /* bytes that are not broken into lines */

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d5dae1;--head:#eef1f5;"
	"--good:#0b5d1e;--good-bg:#d9f2dd;--poor:#7a4b00;--poor-bg:#fdeecb;--bad:#9c0006;"
	"--bad-bg:#fbd9d9;--c0:#1f5fbf;--c1:#c2410c;--c2:#15803d;--c3:#7e22ce;--c4:#0e7490;"
	"--c5:#a16207}\n"
	"@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--paper:#15181c;--line:#3a4048;"
	"--head:#23282e;--good:#a8e6b4;--good-bg:#12351b;--poor:#ffd98a;--poor-bg:#43310a;"
	"--bad:#ffb3b3;--bad-bg:#4a1216;--c0:#7fb2ff;--c1:#ff9d66;--c2:#6fd68f;--c3:#cf9bff;"
	"--c4:#67d3ea;--c5:#e8c25a}}\n"
	"body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
	"margin:1.5em auto;max-width:110em;padding:0 1em}\n"
	"h1{font-size:1.5em}h2{font-size:1.2em;margin:2em 0 .3em}p{margin:.3em 0 .8em}\n"
	".t{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{border:1px solid var(--line);padding:.25em .6em;text-align:left;"
	"vertical-align:top}\n"
	"th{background:var(--head);font-weight:600}.n{text-align:right}\n"
	"th[scope=row],td.n,td.s{white-space:nowrap}td.w{min-width:22em}\n"
	/* what a line is of stays in sight while the rest is scrolled */
	"td:first-child,th:first-child{position:sticky;left:0;background:var(--paper)}"
	"th:first-child{background:var(--head)}\n"
	"td.u{text-align:center;opacity:.5}\n"
	".good{color:var(--good);background:var(--good-bg)}"
	".poor{color:var(--poor);background:var(--poor-bg)}"
	".bad{color:var(--bad);background:var(--bad-bg);font-weight:600}\n"
	"figure{margin:1em 0}figcaption{font-weight:600}svg{width:100%;max-width:900px;height:auto}"
	"\nsvg text{font:12px system-ui,sans-serif;fill:var(--ink)}.mid{text-anchor:middle}"
	".end{text-anchor:end}.grid{stroke:var(--line)}path{fill:none;stroke-width:2}\n"
	".l0,.l6{stroke:var(--c0)}.l1,.l7{stroke:var(--c1)}.l2,.l8{stroke:var(--c2)}"
	".l3,.l9{stroke:var(--c3)}.l4,.l10{stroke:var(--c4)}.l5,.l11{stroke:var(--c5)}\n"
	".l6,.l7,.l8,.l9,.l10,.l11{stroke-dasharray:6 4}\n"
	"@media print{body{max-width:none}.t{overflow:visible}}\n";

void export_html_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<': (void)fputs("&lt;", f); break;
		case '>': (void)fputs("&gt;", f); break;
		case '&': (void)fputs("&amp;", f); break;
		case '"': (void)fputs("&quot;", f); break;
		case '\'': (void)fputs("&#39;", f); break;
		default: (void)fputc(*text, f);
		}
	}
}

static void put_head(FILE *f, const struct report_sheet *s, size_t column, const char *scope)
{
	bool over_numbers = *scope == 'c' && export_is_number(s, column);
	char head[160];

	(void)fprintf(f, "<th scope=\"%s\"%s>", scope, over_numbers ? " class=\"n\"" : "");
	export_html_text(f, export_head(head, sizeof(head), &s->columns[column]));
	(void)fputs("</th>", f);
}

static void put_cell(FILE *f, const struct report_sheet *s, size_t row, size_t column)
{
	const struct cell *c = report_cell(s, row, column);
	bool number = c->kind == CELL_NUMBER || c->kind == CELL_SHARE;
	const char *mark = report_mark_word(report_mark(s, row, column));
	const char *text, *class;
	char buf[EXPORT_NUMBER];

	if (c->kind == CELL_UNKNOWN) {
		(void)fputs("<td class=\"u\">-</td>", f);
		return;
	}
	text = export_cell(buf, s, row, column);
	class = number ? "n" : strlen(text) <= SHORT_TEXT ? "s" : "w";
	(void)fprintf(f, "<td class=\"%s%s%s\">", class, *mark ? " " : "", mark);
	export_html_text(f, text);
	(void)fputs("</td>", f);
}

static void put_turned(FILE *f, const struct report_sheet *s)
{
	bool shown[REPORT_COLUMNS_MAX];

	export_columns(s, shown);
	for (size_t c = 0; c < s->column_count; c++) {
		if (!shown[c])
			continue;
		(void)fputs("<tr>", f);
		put_head(f, s, c, "row");
		for (size_t row = 0; row < s->rows; row++)
			put_cell(f, s, row, c);
		(void)fputs("</tr>\n", f);
	}
}

static void put_straight(FILE *f, const struct report_sheet *s)
{
	bool shown[REPORT_COLUMNS_MAX];

	export_columns(s, shown);
	(void)fputs("<tr>", f);
	for (size_t c = 0; c < s->column_count; c++)
		if (shown[c])
			put_head(f, s, c, "col");
	(void)fputs("</tr>\n", f);
	for (size_t row = 0; row < s->rows; row++) {
		(void)fputs("<tr>", f);
		for (size_t c = 0; c < s->column_count; c++)
			if (shown[c])
				put_cell(f, s, row, c);
		(void)fputs("</tr>\n", f);
	}
}

/* Of a timeline the charts: its seconds are in the formats that compute with them. */
static void put_sheet(FILE *f, const struct report_sheet *s, bool table)
{
	(void)fputs("<section>\n<h2>", f);
	export_html_text(f, s->name);
	(void)fputs("</h2>\n<p>", f);
	export_html_text(f, s->about);
	if (s->left_out) {
		(void)fputc(' ', f);
		export_html_text(f, s->left_out);
	}
	(void)fputs("</p>\n", f);
	for (size_t i = 0; i < s->chart_count; i++)
		export_svg(f, s, &s->charts[i]);
	if (table) {
		(void)fputs("<div class=\"t\"><table>\n", f);
		if (export_is_turned(s))
			put_turned(f, s);
		else
			put_straight(f, s);
		(void)fputs("</table></div>\n", f);
	}
	(void)fputs("</section>\n", f);
}

static int render(const struct report *r, enum report_sheet_id sheet, char **ret, size_t *ret_len,
	struct err *reterr)
{
	char *buf = NULL;
	size_t len;
	FILE *f = export_stream(&buf, &len, reterr);

	(void)sheet;
	if (!f)
		return -ENOMEM;
	(void)fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<title>ssdqual report</title>\n<style>\n%s</style>\n</head>\n<body>\n"
		"<h1>ssdqual report</h1>\n", style);
	for (size_t i = 0; i < SHEET_COUNT; i++)
		if (r->sheet[i].rows)
			put_sheet(f, &r->sheet[i], i != SHEET_TIMELINE);
	(void)fputs("</body>\n</html>\n", f);
	return export_end(f, &buf, &len, ret, ret_len, reterr);
}

const struct export_ops export_html = {
	.name = "html",
	.summary = "one page with charts, no script",
	.text = true,
	.render = render,
};
