/* tui_grid.h - a screen in memory: everything the dashboard draws goes into one of these.
 *
 * tui_screen.c copies it to the terminal; tests read it. Nothing drawn can fall outside: text is
 * cut at the rectangle it is put into. Text is UTF-8 and may come from a device or a file: control
 * characters, and other characters where the locale has ASCII only, are shown as '?' (cli/text.h).
 */
#ifndef SSDQUAL_CLI_TUI_GRID_H
#define SSDQUAL_CLI_TUI_GRID_H

#include "cli/tui_layout.h"

#include <stdbool.h>
#include <stddef.h>

enum tui_style { TUI_PLAIN, TUI_BOLD, TUI_REVERSE, TUI_GOOD, TUI_POOR, TUI_BAD, TUI_FAINT };

struct tui_cell {
	char text[5];    /* one character; "" in the second column of a wide one */
	unsigned char style;
};

struct tui_grid {
	int rows, cols;
	bool utf8;
	struct tui_cell *cell; /* row after row */
};

/* tui_grid_size - make @g this large (zeroed before the first time), and blank. 0 or -ENOMEM: then it is as it was. */
int tui_grid_size(struct tui_grid *g, int rows, int cols);
void tui_grid_done(struct tui_grid *g);
void tui_grid_clear(struct tui_grid *g);

/* tui_grid_put - @text in line @row and from column @col of @r on, cut at its right edge (nothing
 * where the place is outside). Returns the columns used. */
int tui_grid_put(struct tui_grid *g, const struct tui_rect *r, int row, int col,
	enum tui_style style, const char *text);
int tui_grid_putf(struct tui_grid *g, const struct tui_rect *r, int row, int col,
	enum tui_style style, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* tui_grid_style - all cells of that line of @r get @style, its blanks too. */
void tui_grid_style(struct tui_grid *g, const struct tui_rect *r, int row, enum tui_style style);

/* tui_grid_line - fill @r (one row or one column) with a line. */
void tui_grid_line(struct tui_grid *g, const struct tui_rect *r);

/* tui_grid_spark - @n values as columns, @rows high, from line @row and column @col of @r on: the
 * newest that there is room for, scaled from 0 to the largest of them. NAN is a gap. Returns that
 * largest, NAN without any. */
double tui_grid_spark(struct tui_grid *g, const struct tui_rect *r, int row, int rows, int col,
	const double *value, size_t n);

#endif
