/* tui_grid.c - the dashboard's screen in memory. */
#include "cli/tui_grid.h"

#include "cli/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tui_grid_size(struct tui_grid *g, int rows, int cols)
{
	struct tui_cell *cell;

	if (rows < 1)
		rows = 1;
	if (cols < 1)
		cols = 1;
	cell = calloc((size_t)rows * (size_t)cols, sizeof(*cell));
	if (!cell)
		return -ENOMEM;
	free(g->cell);
	g->cell = cell;
	g->rows = rows;
	g->cols = cols;
	tui_grid_clear(g);
	return 0;
}

void tui_grid_done(struct tui_grid *g)
{
	free(g->cell);
	g->cell = NULL;
	g->rows = g->cols = 0;
}

static void set(struct tui_cell *c, const char *bytes, size_t len, enum tui_style style)
{
	if (len >= sizeof(c->text))
		len = 0;
	memcpy(c->text, bytes, len);
	c->text[len] = '\0';
	c->style = (unsigned char)style;
}

void tui_grid_clear(struct tui_grid *g)
{
	for (int i = 0; i < g->rows * g->cols; i++)
		set(&g->cell[i], " ", 1, TUI_PLAIN);
}

/* How much of @r is in line @row from column @col on; *ret is its first cell. */
static int room_at(struct tui_grid *g, const struct tui_rect *r, int row, int col,
	struct tui_cell **ret)
{
	int y = r->row + row, x = r->col + col, end = r->col + r->cols;

	if (end > g->cols)
		end = g->cols;
	if (row < 0 || col < 0 || row >= r->rows || y < 0 || y >= g->rows || x < 0 || x >= end)
		return 0;
	*ret = &g->cell[y * g->cols + x];
	return end - x;
}

static size_t sequence_len(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* @s is clean: it comes from text_print_cut(). */
static int put_clean(struct tui_cell *cell, int room, const char *s, bool utf8,
	enum tui_style style)
{
	int used = 0;

	while (*s) {
		size_t len = sequence_len(s);
		char one[5] = "";
		int width;

		memcpy(one, s, strnlen(s, len));
		width = (int)text_width(one, utf8);
		s += strnlen(s, len);
		if (width == 0) /* a combining character: what it combines with stays plain */
			continue;
		if (used + width > room)
			break;
		set(&cell[used], one, strlen(one), style);
		if (width == 2)
			set(&cell[used + 1], "", 0, style);
		used += width;
	}
	return used;
}

int tui_grid_put(struct tui_grid *g, const struct tui_rect *r, int row, int col,
	enum tui_style style, const char *text)
{
	struct tui_cell *cell = NULL;
	int room = room_at(g, r, row, col, &cell), used = 0;
	char *clean = NULL;
	size_t len;
	FILE *f;

	if (room <= 0)
		return 0;
	f = open_memstream(&clean, &len);
	if (!f)
		return 0; /* no memory: a blank place, and the next drawing tries again */
	(void)text_print_cut(f, text, (size_t)room, g->utf8);
	if (fclose(f) == 0 && clean)
		used = put_clean(cell, room, clean, g->utf8, style);
	free(clean);
	return used;
}

int tui_grid_putf(struct tui_grid *g, const struct tui_rect *r, int row, int col,
	enum tui_style style, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int used;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return 0;
	used = tui_grid_put(g, r, row, col, style, text);
	free(text);
	return used;
}

void tui_grid_style(struct tui_grid *g, const struct tui_rect *r, int row, enum tui_style style)
{
	struct tui_cell *cell = NULL;
	int room = room_at(g, r, row, 0, &cell);

	for (int i = 0; i < room; i++)
		cell[i].style = (unsigned char)style;
}

void tui_grid_line(struct tui_grid *g, const struct tui_rect *r)
{
	bool across = r->rows == 1;
	const char *bar = !g->utf8 ? (across ? "-" : "|") :
		across ? "\xe2\x94\x80" : "\xe2\x94\x82";

	for (int y = 0; y < r->rows; y++) {
		struct tui_cell *cell = NULL;
		int room = room_at(g, r, y, 0, &cell);

		for (int x = 0; x < room; x++)
			set(&cell[x], bar, strlen(bar), TUI_FAINT);
	}
}

/* One cell of a column that reaches @eighths above the lower edge of this cell; the lowest is never
 * empty. */
static const char *spark_mark(int eighths, bool lowest, bool utf8)
{
	static const char *const blocks[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
		"\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	static const char *const ascii[] = { "_", ".", ":", "-", "=", "+", "*", "#" };

	if (eighths < 1 && !lowest)
		return " ";
	eighths = eighths < 1 ? 1 : eighths > 8 ? 8 : eighths;
	return utf8 ? blocks[eighths - 1] : ascii[eighths - 1];
}

double tui_grid_spark(struct tui_grid *g, const struct tui_rect *r, int row, int rows, int col,
	const double *value, size_t n)
{
	struct tui_cell *cell = NULL;
	size_t room = (size_t)room_at(g, r, row, col, &cell);
	double top = NAN;

	if (n > room) {
		value += n - room;
		n = room;
	}
	for (size_t i = 0; i < n; i++)
		top = fmax(top, value[i]); /* passes over NAN */
	for (int y = 0; y < rows; y++) {
		int above = (rows - 1 - y) * 8; /* eighths below this line */

		if (room_at(g, r, row + y, col, &cell) <= 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			double share = top > 0 ? value[i] / top : 0;
			const char *mark = isnan(value[i]) ? " " : spark_mark(
				(int)ceil(share * rows * 8) - above, above == 0, g->utf8);

			set(&cell[i], mark, strlen(mark), TUI_PLAIN);
		}
	}
	return top;
}
