/* export_md.c - tables for a ticket or a wiki: GitHub's Markdown. A table of few lines and many
 * columns is turned round; columns that hold nothing are left out. The timeline is too long for a
 * ticket: its charts are in .html and .xlsx. */
#include "cli/export.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static void put_text(FILE *f, const char *text)
{
	for (const char *s = text; *s; s++) {
		/* within a word an underscore is one */
		bool inside = s > text && isalnum((unsigned char)s[-1]) &&
			isalnum((unsigned char)s[1]);

		if (*s == '<')
			(void)fputs("&lt;", f);
		else if (*s == '&')
			(void)fputs("&amp;", f);
		else if (*s == '\t')
			(void)fputc(' ', f);
		else if (strchr("\\|`*[]~>#!", *s) || (*s == '_' && !inside))
			(void)fprintf(f, "\\%c", *s);
		else
			(void)fputc(*s, f);
	}
}

static void put_head(FILE *f, const struct report_column *c)
{
	char head[160];

	put_text(f, export_head(head, sizeof(head), c));
}

static void put_cell(FILE *f, const struct report_sheet *s, size_t row, size_t column)
{
	char buf[EXPORT_NUMBER];
	const char *text = export_cell(buf, s, row, column);

	(void)fputc(' ', f);
	put_text(f, *text ? text : "-");
	(void)fputs(" |", f);
}

static void put_turned(FILE *f, const struct report_sheet *s)
{
	bool shown[REPORT_COLUMNS_MAX];
	size_t first = 0;

	export_columns(s, shown);
	while (first < s->column_count && !shown[first])
		first++;
	for (size_t c = first; c < s->column_count; c++) {
		if (!shown[c])
			continue;
		(void)fputs("| ", f);
		put_head(f, &s->columns[c]);
		(void)fputs(" |", f);
		for (size_t row = 0; row < s->rows; row++)
			put_cell(f, s, row, c);
		(void)fputc('\n', f);
		if (c != first)
			continue;
		(void)fputs("|---", f);
		for (size_t row = 0; row < s->rows; row++)
			(void)fputs("|---:", f);
		(void)fputs("|\n", f);
	}
}

static void put_straight(FILE *f, const struct report_sheet *s)
{
	bool shown[REPORT_COLUMNS_MAX];

	export_columns(s, shown);
	(void)fputs("|", f);
	for (size_t c = 0; c < s->column_count; c++) {
		if (!shown[c])
			continue;
		(void)fputc(' ', f);
		put_head(f, &s->columns[c]);
		(void)fputs(" |", f);
	}
	(void)fputs("\n|", f);
	for (size_t c = 0; c < s->column_count; c++)
		if (shown[c])
			(void)fputs(export_is_number(s, c) ? "---:|" : "---|", f);
	(void)fputc('\n', f);
	for (size_t row = 0; row < s->rows; row++) {
		(void)fputc('|', f);
		for (size_t c = 0; c < s->column_count; c++)
			if (shown[c])
				put_cell(f, s, row, c);
		(void)fputc('\n', f);
	}
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
	(void)fputs("# ssdqual report\n", f);
	for (size_t i = 0; i < SHEET_COUNT; i++) {
		const struct report_sheet *s = &r->sheet[i];

		if (s->rows == 0 || i == SHEET_TIMELINE)
			continue;
		(void)fputs("\n## ", f);
		put_text(f, s->name);
		(void)fputs("\n\n", f);
		put_text(f, s->about);
		(void)fputs("\n\n", f);
		if (export_is_turned(s))
			put_turned(f, s);
		else
			put_straight(f, s);
	}
	return export_end(f, &buf, &len, ret, ret_len, reterr);
}

const struct export_ops export_md = {
	.name = "md",
	.summary = "Markdown tables for a ticket",
	.text = true,
	.render = render,
};
