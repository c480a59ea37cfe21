/* table.h - text tables for people: `list`, `show`, side by side figures.
 *
 *	static const struct table_column columns[] = {
 *		{ .head = "DRIVE", .cut = TABLE_CUT_MIDDLE },
 *		{ .head = "IOPS", .align = TABLE_RIGHT },
 *	};
 *	struct table *t = table_new(columns, 2);
 *
 *	table_add(t, name);
 *	table_addf(t, "%.0f", iops);
 *	table_mark(t, TABLE_BAD);
 *	rc = table_print(t, cli, reterr);
 *	table_free(t);
 *
 * Cells fill row after row. An unmarked cell and a marked one read the same without colour: the
 * mark only repeats what the words say. Widths are terminal columns (wide characters count two);
 * control characters, which a device's strings may hold, are shown as '?'. A table wider than the
 * screen is made to fit by cutting its cut columns; without any, lines are longer than the screen.
 * Out of memory is remembered and told by table_print(), so that adding needs no checks.
 */
#ifndef SSDQUAL_CLI_TABLE_H
#define SSDQUAL_CLI_TABLE_H

#include "cli/command.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };
enum table_cut {
	TABLE_WHOLE,      /* never cut */
	TABLE_CUT_END,    /* "Samsung SSD 8..." */
	TABLE_CUT_MIDDLE, /* "ata-Sams...S3Z8NX": both ends tell things apart */
};
enum table_mark { TABLE_PLAIN, TABLE_BOLD, TABLE_GOOD, TABLE_POOR, TABLE_BAD, TABLE_FAINT };

#define TABLE_COLUMNS_MAX 32

struct table_column {
	const char *head; /* borrowed; when all heads are NULL there is no line of heads */
	enum table_align align;
	enum table_cut cut;
};

struct table;

/* table_new - @columns is borrowed until table_free(). NULL: out of memory, or @count is not in
 * [1, TABLE_COLUMNS_MAX]; all functions below accept that NULL. */
struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *t);

void table_add(struct table *t, const char *text); /* copied; NULL reads "unknown" */
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_mark(struct table *t, enum table_mark mark); /* of the newest cell */
/* table_end_row - fill the rest of the row with empty cells; nothing at the start of a row. */
void table_end_row(struct table *t);
void table_indent(struct table *t, int columns); /* of every line; 0 at first */

/* table_print - on cli->out, no wider than term_width() where that can be kept. An unfinished row
 * is filled up. 0 or -ENOMEM. */
int table_print(struct table *t, struct cli *cli, struct err *reterr);

#endif
