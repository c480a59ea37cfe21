/* tui_screen.h - the terminal: takes a drawn grid, gives keys, and is left as it was found.
 *
 * The only file behind which curses stands. There is one terminal, so its state belongs to the
 * process. It is restored by tui_screen_end(), and where the program ends otherwise by handlers of
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, which write the terminal's own reset sequences and
 * then let the signal act. Stop signals are cli/stop.h's. Only after SIGKILL it has to be done by
 * hand: Ctrl-J, `stty sane; tput rmcup`, Ctrl-J.
 */
#ifndef SSDQUAL_CLI_TUI_SCREEN_H
#define SSDQUAL_CLI_TUI_SCREEN_H

#include "cli/tui_grid.h"
#include "data/err.h"

/* What tui_screen_key() returns beside characters (1 to 0x10ffff, Ctrl-C is 3, Escape 27). */
enum tui_key {
	TUI_KEY_NONE = 0, /* nothing was typed */
	TUI_KEY_UP = 0x200000, TUI_KEY_DOWN, TUI_KEY_LEFT, TUI_KEY_RIGHT, TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN, TUI_KEY_HOME, TUI_KEY_END, TUI_KEY_ENTER, TUI_KEY_BACKSPACE,
	TUI_KEY_BACKTAB, TUI_KEY_RESIZE, TUI_KEY_OTHER,
	TUI_KEY_GONE, /* the terminal has gone away */
};

/* tui_screen_begin - @color: may colours be used. @signals: Ctrl-C is SIGINT, else it is a key.
 * 0; ERR_USAGE: TERM is unset, dumb or not known, or standard input or output is no terminal. */
int tui_screen_begin(bool color, bool signals, struct err *reterr);
/* tui_screen_check - the same without touching the terminal. */
int tui_screen_check(struct err *reterr);
void tui_screen_end(void); /* harmless twice */
/* tui_screen_leave - the terminal as it was, for a process that is about to die. Async-signal-safe;
 * harmless without a screen. */
void tui_screen_leave(void);

void tui_screen_size(int *ret_rows, int *ret_cols);
/* tui_screen_show - @g, and the cursor where an answer is typed (@row < 0: no cursor). */
void tui_screen_show(const struct tui_grid *g, int row, int col);
/* tui_screen_key - wait for a key @wait_ms at most. */
int tui_screen_key(int wait_ms);
/* tui_screen_redraw - draw everything anew at the next show. */
void tui_screen_redraw(void);

#endif
