/* export.h - formats that a report can be written in.
 *
 * To add one: cli/export_NAME.c with one const instance last, one extern here, one row in
 * cli/export_table.c, its facts in tests/cli/export.sh, its name in docs/ssdqual.8.
 *
 * All of them: UTF-8, the C locale's numbers, unknown is empty, nothing in a document is ever run,
 * linked or rendered: what a drive says is text. The same report gives the same bytes.
 */
#ifndef SSDQUAL_CLI_EXPORT_H
#define SSDQUAL_CLI_EXPORT_H

#include "cli/report.h"

#include <stdio.h>

struct export_ops {
	const char *name;    /* also the suffix: "xlsx" */
	const char *summary; /* for help */
	bool text;           /* may go to a terminal or a pipe */
	bool one_sheet;      /* holds one table: --sheet says which */
	/* @sheet: for one_sheet formats. *ret: caller frees. 0 or -errno. */
	int (*render)(const struct report *r, enum report_sheet_id sheet, char **ret,
		size_t *ret_len, struct err *reterr);
};
extern const struct export_ops export_xlsx, export_csv, export_md, export_html, export_prom;
extern const struct export_ops *const export_table[]; /* NULL-terminated */

/* export_find - by name; export_find_suffix - by the end of a file's name. NULL: none. */
const struct export_ops *export_find(const char *name);
const struct export_ops *export_find_suffix(const char *path);

/* -- what several formats need ---------------------------------------------------------------- */

#define EXPORT_NUMBER 40
/* export_number - the shortest of 15 digits. export_rounded - for the eye: @decimals, more for
 * small values, a thin grouping for none. Both return @buf, EXPORT_NUMBER bytes. */
const char *export_number(char *buf, double v);
const char *export_rounded(char *buf, double v, unsigned decimals);

/* export_head - "Mean (ms)" into @buf. Returns it. */
const char *export_head(char *buf, size_t len, const struct report_column *c);

/* export_cell - the text of a cell for the eye, "" for unknown; a mark that the text does not say
 * itself is added in words. Returns the cell's own text, or @buf of EXPORT_NUMBER bytes. */
const char *export_cell(char *buf, const struct report_sheet *s, size_t row, size_t column);

/* export_columns - which columns hold anything: @ret[c], REPORT_COLUMNS_MAX of them. */
void export_columns(const struct report_sheet *s, bool *ret);

/* export_is_turned - few lines of many columns are read more easily turned round. */
bool export_is_turned(const struct report_sheet *s);

bool export_is_number(const struct report_sheet *s, size_t column); /* by its first known cell */

/* export_stream, export_end - a render() that prints: a stream whose bytes become *ret. */
FILE *export_stream(char **buf, size_t *len, struct err *reterr);
int export_end(FILE *f, char **buf, size_t *len, char **ret, size_t *ret_len, struct err *reterr);

/* export_svg - @c as an inline SVG element; colours are classes l0 to l11 of the page's style. */
void export_svg(FILE *f, const struct report_sheet *s, const struct report_chart *c);
/* export_html_text - escaped for elements and quoted attributes. */
void export_html_text(FILE *f, const char *text);

#endif
