/* tui_layout.h - where the parts of the dashboard stand: a pure function of the terminal's size.
 *
 * Every rectangle lies inside the terminal and none overlaps another; one without room has no rows
 * and no columns. As the terminal shrinks the detail gives way first; below TUI_MIN_ROWS x
 * TUI_MIN_COLS there is only the body, with `too_small` set: whoever draws says so in it.
 */
#ifndef SSDQUAL_CLI_TUI_LAYOUT_H
#define SSDQUAL_CLI_TUI_LAYOUT_H

#include <stdbool.h>

#define TUI_MIN_ROWS 4
#define TUI_MIN_COLS 20

struct tui_rect {
	int row, col, rows, cols; /* rows and cols 0: not there */
};

struct tui_layout {
	struct tui_rect tabs;   /* one line: the panes */
	struct tui_rect body;   /* the pane: always at least 1x1 */
	struct tui_rect split;  /* the line between body and detail */
	struct tui_rect detail; /* more of what is selected */
	struct tui_rect status; /* one line: messages, questions and their answers */
	struct tui_rect keys;   /* one line: what the keys do */
	bool too_small;
	bool beside;            /* detail is right of the body, else below */
};

enum tui_part { TUI_TABS, TUI_BODY, TUI_SPLIT, TUI_DETAIL, TUI_STATUS, TUI_KEYS, TUI_PARTS };

/* tui_layout_make - of a terminal of @rows x @cols (both >= 1; smaller values count as 1).
 * @detail: does the pane have one? */
struct tui_layout tui_layout_make(int rows, int cols, bool detail);

/* tui_layout_part - the rectangles by number, for whoever looks at all. */
const struct tui_rect *tui_layout_part(const struct tui_layout *l, enum tui_part part);

#endif
