/* tui.h - the dashboard: panes, their keys, and what they share.
 *
 * To add a pane: cli/tui_NAME.c with one const instance last, one extern and one row in
 * cli/tui_panes.c, its words in tests/cli/tui.sh, a line in docs/ssdqual.8.
 *
 * Drawing goes into a grid in memory (tui_grid.h) by the rectangles of tui_layout.h; only
 * tui_screen.c knows the terminal. Nothing here waits: what takes time is a child (tui_job.h,
 * tui_run.h), looked at on every tick.
 */
#ifndef SSDQUAL_CLI_TUI_H
#define SSDQUAL_CLI_TUI_H

#include "cli/tui_run.h"
#include "cli/tui_screen.h"
#include "cli/tui_text.h"

struct tui;

struct tui_pane {
	const char *name;   /* in the line of panes */
	const char *keys;   /* the bottom line, most wanted first */
	/* The same as things stand now; NULL: always @keys. */
	const char *(*keys_now)(const struct tui *t, const void *state);
	const char *help;   /* lines */
	size_t state_size;  /* zeroed before open() */
	bool detail;        /* has a second half where there is room */
	bool (*whole)(const void *state); /* does it do without now? NULL: never */
	/* All required. @state: state_size bytes. */
	void (*open)(struct tui *t, void *state);            /* before the first tick */
	void (*draw)(struct tui *t, void *state);            /* body, and detail where it has rows */
	bool (*key)(struct tui *t, void *state, int key);    /* false: not one of its keys */
	bool (*tick)(struct tui *t, void *state);            /* true: draw again; also unseen */
	void (*close)(void *state);
};
extern const struct tui_pane *const tui_panes[]; /* NULL-terminated, in the order of the keys 1 2 ... */
enum { TUI_PANE_DRIVES, TUI_PANE_LIVE, TUI_PANE_RESULTS, TUI_PANE_ADVICE, TUI_PANE_COUNT };

/* A question in the status line. @answer: NULL where it was cancelled. */
struct tui_prompt {
	bool active;
	bool one_key;        /* the answer is one key, not a line */
	char question[320], answer[256];
	size_t len;
	void (*done)(struct tui *t, void *ctx, const char *answer);
	void *ctx;
};

/* The dialogue before a run (tui_start.c); it stands in the place of the pane. */
struct tui_start {
	bool open;
	char target[512];
	size_t battery;     /* 0: the default, else index + 1 */
	size_t runtime;     /* index into its words */
	bool fill;
	struct tui_job facts, plan;
	struct tui_text text;
	bool known;         /* the facts are there */
	char refused[ERR_MSG_MAX], token[256]; /* "": not refused; nothing to be typed */
};

struct tui {
	struct cli *cli;
	struct tui_grid grid;
	struct tui_layout layout;
	void *state[TUI_PANE_COUNT];
	size_t pane;
	bool help, quit;
	struct tui_text help_text;
	struct tui_prompt prompt;
	struct tui_start start;
	struct tui_run run;
	char status[400];
	enum tui_style status_style;
	char place[TUI_PLACE_MAX]; /* of the text that is drawn, for the line of panes */
	char chosen[1024];  /* path of the result chosen in the browser, "": none */
};

/* -- for panes (tui.c) ------------------------------------------------------------------------- */

void tui_say(struct tui *t, enum tui_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* tui_ask - a line of text; tui_ask_key - one key, as a string. Answered later, by @done. */
void tui_ask(struct tui *t, void (*done)(struct tui *t, void *ctx, const char *answer), void *ctx,
	const char *initial, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void tui_ask_key(struct tui *t, void (*done)(struct tui *t, void *ctx, const char *answer),
	void *ctx, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void tui_show_pane(struct tui *t, size_t pane);
/* tui_ask_save - @text into a file that is asked for. */
void tui_ask_save(struct tui *t, struct tui_text *text);

/* tui_print - what @print writes to cli->out, as lines at most @columns wide; the caller's. NULL: no
 * memory. */
char *tui_print(struct tui *t, int columns,
	int (*print)(struct cli *cli, const void *what, struct err *reterr), const void *what);

/* -- the loop ---------------------------------------------------------------------------------- */

int tui_init(struct tui *t, struct cli *cli, const char *runs, struct err *reterr);
void tui_done(struct tui *t);
/* tui_draw - everything into t->grid, whose size it is. *ret_row, *ret_col: the cursor, -1: none. */
void tui_draw(struct tui *t, int *ret_row, int *ret_col);
void tui_key(struct tui *t, int key);
bool tui_tick(struct tui *t); /* true: draw again */

/* -- the dialogue before a run (tui_start.c) ---------------------------------------------------- */

void tui_start_open(struct tui *t, const char *target);
void tui_start_draw(struct tui *t);
void tui_start_key(struct tui *t, int key);
bool tui_start_tick(struct tui *t);
void tui_start_close(struct tui *t);
extern const char tui_start_keys[], tui_start_help[];

#endif
