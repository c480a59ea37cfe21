/* table.c - text tables for people. */
#include "cli/table.h"

#include "cli/term.h"
#include "cli/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2       /* columns between two columns */
#define CUT_MIN 8   /* a cut column keeps at least this */

struct cell {
	const char *text; /* NULL: empty */
	char *owned;      /* the same, where it is ours */
	enum table_mark mark;
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	struct cell *cells; /* row after row */
	size_t count, room;
	int indent;
	bool failed; /* out of memory at some time */
};

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *t;

	if (count == 0 || count > TABLE_COLUMNS_MAX)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->columns = columns;
	t->column_count = count;
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i].owned);
	free(t->cells);
	free(t);
}

/* Takes @text. */
static void add_taken(struct table *t, char *text)
{
	if (t->count == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct cell *cells = reallocarray(t->cells, room, sizeof(*cells));

		if (!cells) {
			free(text);
			t->failed = true;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	if (!text)
		t->failed = true;
	t->cells[t->count++] = (struct cell){ .text = text, .owned = text };
}

void table_add(struct table *t, const char *text)
{
	if (t)
		add_taken(t, strdup(text ? text : "unknown"));
}

void table_addf(struct table *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (!t)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL; /* its content is undefined then */
	va_end(ap);
	add_taken(t, text);
}

void table_mark(struct table *t, enum table_mark mark)
{
	if (t && t->count)
		t->cells[t->count - 1].mark = mark;
}

void table_end_row(struct table *t)
{
	while (t && !t->failed && t->count % t->column_count)
		table_add(t, "");
}

void table_indent(struct table *t, int columns)
{
	if (t)
		t->indent = columns;
}

static bool has_heads(const struct table *t)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (t->columns[i].head)
			return true;
	return false;
}

static size_t widest_cell(const struct table *t, size_t column, bool utf8)
{
	const char *head = t->columns[column].head;
	size_t width = head ? text_width(head, utf8) : 0;

	for (size_t i = column; i < t->count; i += t->column_count) {
		size_t w = text_width(t->cells[i].text, utf8);

		if (w > width)
			width = w;
	}
	return width;
}

/* Widths of all columns; the widest cut column gives way first, one column at a time. */
static void find_widths(const struct table *t, size_t *widths, size_t screen, bool utf8)
{
	size_t total = (size_t)t->indent + GAP * (t->column_count - 1);

	for (size_t i = 0; i < t->column_count; i++) {
		widths[i] = widest_cell(t, i, utf8);
		total += widths[i];
	}
	for (; total > screen; total--) {
		size_t give = t->column_count;

		for (size_t i = 0; i < t->column_count; i++)
			if (t->columns[i].cut != TABLE_WHOLE && widths[i] > CUT_MIN &&
				(give == t->column_count || widths[i] > widths[give]))
				give = i;
		if (give == t->column_count)
			return;
		widths[give]--;
	}
}

static const char *escape_of(enum table_mark mark)
{
	static const char *const escapes[] = {
		[TABLE_PLAIN] = "", [TABLE_BOLD] = "\033[1m", [TABLE_GOOD] = "\033[32m",
		[TABLE_POOR] = "\033[33m", [TABLE_BAD] = "\033[31m", [TABLE_FAINT] = "\033[2m",
	};

	return escapes[mark];
}

static bool rest_is_empty(const struct cell *row, size_t from, size_t count)
{
	for (size_t i = from; i < count; i++)
		if (row[i].text && row[i].text[0])
			return false;
	return true;
}

static void print_row(const struct table *t, const struct cell *row, const size_t *widths,
	struct cli *cli)
{
	size_t pending = (size_t)t->indent; /* spaces owed before the next cell: none at line ends */

	for (size_t i = 0; i < t->column_count && !rest_is_empty(row, i, t->column_count); i++) {
		const struct table_column *col = &t->columns[i];
		const char *text = row[i].text ? row[i].text : "";
		size_t width = text_width(text, cli->utf8);
		size_t pad = width < widths[i] ? widths[i] - width : 0;
		bool marked = cli->color && row[i].mark != TABLE_PLAIN && *text;
		size_t used;

		if (col->align == TABLE_RIGHT)
			pending += pad;
		fprintf(cli->out, "%*s%s", *text ? (int)pending : 0, "",
			marked ? escape_of(row[i].mark) : "");
		used = text_print_cut_at(cli->out, text, widths[i],
			col->cut == TABLE_CUT_MIDDLE ? TEXT_CUT_MIDDLE : TEXT_CUT_END, cli->utf8);
		fputs(marked ? "\033[0m" : "", cli->out);
		if (*text)
			pending = 0;
		if (col->align == TABLE_LEFT)
			pending += widths[i] - used;
		pending += GAP;
	}
	fputc('\n', cli->out);
}

static void print_heads(const struct table *t, const size_t *widths, struct cli *cli)
{
	struct cell row[TABLE_COLUMNS_MAX] = { 0 };

	for (size_t i = 0; i < t->column_count; i++) {
		row[i].text = t->columns[i].head;
		row[i].mark = TABLE_BOLD;
	}
	print_row(t, row, widths, cli);
}

int table_print(struct table *t, struct cli *cli, struct err *reterr)
{
	size_t widths[TABLE_COLUMNS_MAX];

	table_end_row(t);
	if (!t || t->failed)
		return err_nomem(reterr);
	term_status_done(cli);
	find_widths(t, widths, (size_t)term_width(cli->out), cli->utf8);
	if (has_heads(t))
		print_heads(t, widths, cli);
	for (size_t i = 0; i < t->count; i += t->column_count)
		print_row(t, &t->cells[i], widths, cli);
	return 0;
}
