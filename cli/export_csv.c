/* export_csv.c - one table as RFC 4180 has it: comma, CRLF, quotes doubled, a line of heads.
 *
 * Numbers are whole precision and without quotes, so that they stay numbers, also negative ones. A
 * text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV
 * Injection": = + - @ tab and carriage return, also in their full-width forms, also after spaces).
 */
#include "cli/export.h"

#include <errno.h>
#include <string.h>

static bool may_be_run(const char *s)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };

	if (*s == '\t')
		return true;
	s += strspn(s, " \t'\"");
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (strncmp(s, wide[i], strlen(wide[i])) == 0)
			return true;
	return *s && strchr("=+-@|%", *s);
}

static void put_text(FILE *f, const char *s)
{
	bool guard = may_be_run(s);

	/* the others part cells in some readers */
	if (!guard && !strpbrk(s, ",;\"\t|") && *s != ' ') {
		(void)fputs(s, f);
		return;
	}
	(void)fputc('"', f);
	if (guard)
		(void)fputc('\'', f);
	for (; *s; s++) {
		if (*s == '"')
			(void)fputc('"', f);
		(void)fputc(*s, f);
	}
	(void)fputc('"', f);
}

static void put_cell(FILE *f, const struct cell *c)
{
	char buf[EXPORT_NUMBER];

	if (c->kind == CELL_TEXT || c->kind == CELL_TIME)
		put_text(f, c->text);
	else if (c->kind == CELL_NUMBER)
		(void)fputs(export_number(buf, c->number), f);
	else if (c->kind == CELL_SHARE)
		(void)fputs(export_number(buf, c->number * 100), f);
}

static int render(const struct report *r, enum report_sheet_id sheet, char **ret, size_t *ret_len,
	struct err *reterr)
{
	const struct report_sheet *s = &r->sheet[sheet];
	char *buf = NULL, head[160];
	size_t len;
	FILE *f = export_stream(&buf, &len, reterr);

	if (!f)
		return -ENOMEM;
	for (size_t c = 0; c < s->column_count; c++) {
		if (c)
			(void)fputc(',', f);
		put_text(f, export_head(head, sizeof(head), &s->columns[c]));
	}
	(void)fputs("\r\n", f);
	for (size_t row = 0; row < s->rows; row++) {
		for (size_t c = 0; c < s->column_count; c++) {
			if (c)
				(void)fputc(',', f);
			put_cell(f, report_cell(s, row, c));
		}
		(void)fputs("\r\n", f);
	}
	return export_end(f, &buf, &len, ret, ret_len, reterr);
}

const struct export_ops export_csv = {
	.name = "csv",
	.summary = "one table, RFC 4180 (--sheet says which)",
	.text = true,
	.one_sheet = true,
	.render = render,
};
