/* export_table.c - the formats, and what several of them need. */
#include "cli/export.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TURN_ROUND_ROWS 6

const struct export_ops *const export_table[] = {
	&export_xlsx, &export_csv, &export_md, &export_html, &export_prom, NULL,
};

const struct export_ops *export_find(const char *name)
{
	for (size_t i = 0; export_table[i]; i++)
		if (strcmp(export_table[i]->name, name) == 0)
			return export_table[i];
	return NULL;
}

const struct export_ops *export_find_suffix(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	if (!dot || (slash && dot < slash))
		return NULL;
	for (size_t i = 0; export_table[i]; i++)
		if (strcasecmp(export_table[i]->name, dot + 1) == 0)
			return export_table[i];
	return NULL;
}

/* -- numbers ----------------------------------------------------------------------------------- */

/* Nothing here sets LC_NUMERIC; a library might. */
static const char *with_point(char *buf)
{
	const char *point = localeconv()->decimal_point;
	char *at = strcmp(point, ".") == 0 || !*point ? NULL : strstr(buf, point);

	if (at) {
		*at = '.';
		memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
	}
	return buf;
}

const char *export_number(char *buf, double v)
{
	(void)snprintf(buf, EXPORT_NUMBER, "%.15g", v);
	return with_point(buf);
}

const char *export_rounded(char *buf, double v, unsigned decimals)
{
	if (v != 0 && fabs(v) < 10 * pow(10, -(double)decimals) && v != round(v))
		(void)snprintf(buf, EXPORT_NUMBER, "%.2g", v);
	else if (fabs(v) < 1e15)
		(void)snprintf(buf, EXPORT_NUMBER, "%.*f", (int)decimals, v);
	else
		(void)snprintf(buf, EXPORT_NUMBER, "%.3g", v);
	return with_point(buf);
}

/* -- cells ------------------------------------------------------------------------------------- */

const char *export_head(char *buf, size_t len, const struct report_column *c)
{
	if (c->unit)
		(void)snprintf(buf, len, "%s (%s)", c->head, c->unit);
	else
		(void)snprintf(buf, len, "%s", c->head);
	return buf;
}

const char *export_cell(char *buf, const struct report_sheet *s, size_t row, size_t column)
{
	const struct cell *c = report_cell(s, row, column);
	enum cell_mark mark = report_mark(s, row, column);
	double v = c->kind == CELL_SHARE ? c->number * 100 : c->number;
	size_t n;

	if (c->kind == CELL_UNKNOWN)
		return "";
	if (c->kind != CELL_NUMBER && c->kind != CELL_SHARE)
		return c->text;
	(void)export_rounded(buf, v, s->columns[column].decimals);
	n = strlen(buf);
	if (mark != MARK_NONE)
		(void)snprintf(buf + n, EXPORT_NUMBER - n, " (%s)", report_mark_word(mark));
	return buf;
}

void export_columns(const struct report_sheet *s, bool *ret)
{
	memset(ret, 0, REPORT_COLUMNS_MAX * sizeof(*ret));
	for (size_t row = 0; row < s->rows; row++)
		for (size_t c = 0; c < s->column_count; c++)
			ret[c] = ret[c] || report_cell(s, row, c)->kind != CELL_UNKNOWN;
}

bool export_is_turned(const struct report_sheet *s)
{
	return s->tall && s->rows <= TURN_ROUND_ROWS;
}

bool export_is_number(const struct report_sheet *s, size_t column)
{
	for (size_t row = 0; row < s->rows; row++) {
		enum cell_kind k = report_cell(s, row, column)->kind;

		if (k != CELL_UNKNOWN)
			return k == CELL_NUMBER || k == CELL_SHARE;
	}
	return false;
}

/* -- streams ----------------------------------------------------------------------------------- */

FILE *export_stream(char **buf, size_t *len, struct err *reterr)
{
	FILE *f = open_memstream(buf, len);

	if (!f)
		(void)err_nomem(reterr);
	return f;
}

int export_end(FILE *f, char **buf, size_t *len, char **ret, size_t *ret_len, struct err *reterr)
{
	bool bad = ferror(f) != 0;

	if (fclose(f) != 0 || bad) {
		free(*buf);
		return err_nomem(reterr);
	}
	*ret = *buf;
	*ret_len = *len;
	return 0;
}
