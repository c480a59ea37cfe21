/* tui_layout.c - the dashboard's rectangles. */
#include "cli/tui_layout.h"

#include <stddef.h>

/* From this size on the pane has a second half. */
enum { BESIDE_COLS = 150, BESIDE_ROWS = 8, BELOW_ROWS = 18, BELOW_COLS = 40 };

static void divide(struct tui_layout *l)
{
	struct tui_rect *b = &l->body;

	if (b->cols >= BESIDE_COLS && b->rows >= BESIDE_ROWS) {
		int left = b->cols / 2;

		l->beside = true;
		l->split = (struct tui_rect){ b->row, b->col + left, b->rows, 1 };
		l->detail = (struct tui_rect){ b->row, b->col + left + 1, b->rows,
			b->cols - left - 1 };
		b->cols = left;
	} else if (b->rows >= BELOW_ROWS && b->cols >= BELOW_COLS) {
		int top = b->rows / 2;

		l->split = (struct tui_rect){ b->row + top, b->col, 1, b->cols };
		l->detail = (struct tui_rect){ b->row + top + 1, b->col, b->rows - top - 1,
			b->cols };
		b->rows = top;
	}
}

struct tui_layout tui_layout_make(int rows, int cols, bool detail)
{
	struct tui_layout l = { .too_small = false };

	if (rows < 1)
		rows = 1;
	if (cols < 1)
		cols = 1;
	l.body = (struct tui_rect){ 0, 0, rows, cols };
	if (rows < TUI_MIN_ROWS || cols < TUI_MIN_COLS) {
		l.too_small = true;
		return l;
	}
	l.tabs = (struct tui_rect){ 0, 0, 1, cols };
	l.status = (struct tui_rect){ rows - 2, 0, 1, cols };
	l.keys = (struct tui_rect){ rows - 1, 0, 1, cols };
	l.body = (struct tui_rect){ 1, 0, rows - 3, cols };
	if (detail)
		divide(&l);
	return l;
}

const struct tui_rect *tui_layout_part(const struct tui_layout *l, enum tui_part part)
{
	switch (part) {
	case TUI_TABS:
		return &l->tabs;
	case TUI_BODY:
		return &l->body;
	case TUI_SPLIT:
		return &l->split;
	case TUI_DETAIL:
		return &l->detail;
	case TUI_STATUS:
		return &l->status;
	case TUI_KEYS:
		return &l->keys;
	case TUI_PARTS:
		break;
	}
	return NULL;
}
