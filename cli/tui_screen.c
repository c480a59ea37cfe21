/* tui_screen.c - curses, and the way back from it. */
/* Its macros would rewrite calls of members of the same name. */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>

#include "cli/tui_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
#define CRASH_COUNT (sizeof(crash_signals) / sizeof(*crash_signals))

/* What a signal handler needs is written before it is installed. */
static struct {
	volatile sig_atomic_t active;
	bool color;
	SCREEN *screen;
	struct termios before;
	char reset[128];
	size_t reset_len;
	struct sigaction old[CRASH_COUNT];
} term;

/* -- leaving ------------------------------------------------------------------------------------ */

static void add_reset(const char *capability)
{
	const char *s = tigetstr(capability);
	size_t len;

	if (!s || s == (char *)-1)
		return;
	len = strlen(s);
	if (len >= sizeof(term.reset) - term.reset_len || strstr(s, "$<")) /* delays: not here */
		return;
	memcpy(term.reset + term.reset_len, s, len);
	term.reset_len += len;
}

void tui_screen_leave(void)
{
	if (!term.active)
		return;
	term.active = 0;
	if (write(STDOUT_FILENO, term.reset, term.reset_len) < 0)
		return; /* the terminal is gone */
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
}

static void on_crash(int sig)
{
	tui_screen_leave();
	for (size_t i = 0; i < CRASH_COUNT; i++)
		if (crash_signals[i] == sig)
			(void)sigaction(sig, &term.old[i], NULL);
	(void)raise(sig); /* blocked until this handler returns */
}

static void watch_crashes(void)
{
	struct sigaction act = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };

	(void)sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < CRASH_COUNT; i++)
		(void)sigaction(crash_signals[i], &act, &term.old[i]); /* valid: cannot fail */
}

static void unwatch_crashes(void)
{
	for (size_t i = 0; i < CRASH_COUNT; i++)
		(void)sigaction(crash_signals[i], &term.old[i], NULL);
}

/* -- beginning ---------------------------------------------------------------------------------- */

int tui_screen_check(struct err *reterr)
{
	const char *name = getenv("TERM");
	const char *cup;
	bool movable;
	int known = 0;

	if (!name || !*name || strcmp(name, "dumb") == 0)
		return err_set(reterr, ERR_USAGE, -ENOTTY, "TERM is %s: a dashboard needs a "
			"terminal that can place the cursor; set TERM, or use list, run, show and "
			"advise", name && *name ? name : name ? "empty" : "not set");
	if (setupterm(name, STDOUT_FILENO, &known) != OK || known != 1)
		return err_set(reterr, ERR_USAGE, -ENOTTY, "TERM=%s is not known on this host; "
			"try TERM=xterm, or use list, run, show and advise", name);
	cup = tigetstr("cup");
	movable = cup && cup != (char *)-1;
	(void)del_curterm(cur_term); /* newterm() makes its own */
	if (!movable)
		return err_set(reterr, ERR_USAGE, -ENOTTY, "TERM=%s cannot place the cursor; use "
			"list, run, show and advise", name);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(reterr, ERR_USAGE, -ENOTTY, "standard %s is no terminal; use list, "
			"run, show and advise in scripts",
			isatty(STDIN_FILENO) ? "output" : "input");
	return 0;
}

int tui_screen_begin(bool color, bool signals, struct err *reterr)
{
	int r = tui_screen_check(reterr);

	if (r < 0)
		return r;
	if (tcgetattr(STDIN_FILENO, &term.before) < 0)
		return err_set(reterr, ERR_USAGE, -errno, "standard input: %s", strerror(errno));
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen)
		return err_set(reterr, ERR_USAGE, -ENOTTY, "TERM=%s: the terminal cannot be set up",
			getenv("TERM"));
	(void)set_term(term.screen);
	term.reset_len = 0;
	add_reset("sgr0");
	add_reset("rmkx");
	add_reset("cnorm");
	add_reset("rmcup");
	term.active = 1;
	watch_crashes();
	(void)(signals ? cbreak() : raw());
	(void)noecho();
	(void)nonl();
	(void)keypad(stdscr, TRUE);
	(void)meta(stdscr, TRUE);
	(void)set_escdelay(50);
	term.color = color && has_colors() && start_color() == OK;
	if (term.color) {
		(void)use_default_colors();
		(void)init_pair(1, COLOR_GREEN, -1);
		(void)init_pair(2, COLOR_YELLOW, -1);
		(void)init_pair(3, COLOR_RED, -1);
	}
	return 0;
}

void tui_screen_end(void)
{
	if (!term.screen)
		return;
	(void)endwin();
	tui_screen_leave();
	unwatch_crashes();
	delscreen(term.screen);
	term.screen = NULL;
}

/* -- drawing and keys --------------------------------------------------------------------------- */

void tui_screen_size(int *ret_rows, int *ret_cols)
{
	*ret_rows = getmaxy(stdscr) > 0 ? getmaxy(stdscr) : 1;
	*ret_cols = getmaxx(stdscr) > 0 ? getmaxx(stdscr) : 1;
}

static attr_t attributes(unsigned char style, short *ret_pair)
{
	*ret_pair = 0;
	switch ((enum tui_style)style) {
	case TUI_PLAIN:
		return A_NORMAL;
	case TUI_BOLD:
		return A_BOLD;
	case TUI_REVERSE:
		return A_REVERSE;
	case TUI_GOOD:
		*ret_pair = 1;
		return A_NORMAL;
	case TUI_POOR:
		*ret_pair = 2;
		return A_NORMAL;
	case TUI_BAD:
		*ret_pair = 3;
		return A_BOLD;
	case TUI_FAINT:
		return A_DIM;
	}
	return A_NORMAL;
}

static void show_row(const struct tui_grid *g, int row, int cols)
{
	for (int x = 0; x < cols; x++) {
		const struct tui_cell *c = &g->cell[row * g->cols + x];
		short pair;
		attr_t attr = attributes(c->style, &pair);

		if (!c->text[0])
			continue; /* the second half of a wide one */
		(void)attr_set(attr, term.color ? pair : 0, NULL);
		/* Fails in the last cell of the screen, after it was drawn. */
		(void)mvaddstr(row, x, c->text);
	}
}

void tui_screen_show(const struct tui_grid *g, int row, int col)
{
	int rows, cols;

	tui_screen_size(&rows, &cols);
	if (rows > g->rows)
		rows = g->rows;
	if (cols > g->cols)
		cols = g->cols;
	(void)werase(stdscr);
	for (int y = 0; y < rows; y++)
		show_row(g, y, cols);
	(void)attr_set(A_NORMAL, 0, NULL);
	(void)curs_set(row >= 0 && row < rows && col < cols ? 1 : 0);
	if (row >= 0 && row < rows && col < cols)
		(void)wmove(stdscr, row, col);
	(void)wrefresh(stdscr);
}

void tui_screen_redraw(void)
{
	(void)clearok(curscr, TRUE);
}

static int named_key(wint_t key)
{
	switch (key) {
	case KEY_UP:
		return TUI_KEY_UP;
	case KEY_DOWN:
		return TUI_KEY_DOWN;
	case KEY_LEFT:
		return TUI_KEY_LEFT;
	case KEY_RIGHT:
		return TUI_KEY_RIGHT;
	case KEY_PPAGE:
		return TUI_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TUI_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TUI_KEY_HOME;
	case KEY_END:
		return TUI_KEY_END;
	case KEY_ENTER:
		return TUI_KEY_ENTER;
	case KEY_BACKSPACE:
		return TUI_KEY_BACKSPACE;
	case KEY_BTAB:
		return TUI_KEY_BACKTAB;
	case KEY_RESIZE:
		return TUI_KEY_RESIZE;
	}
	return TUI_KEY_OTHER;
}

int tui_screen_key(int wait_ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	wint_t key;
	int r;

	/* What curses has read already, or a new size, comes first. */
	wtimeout(stdscr, 0);
	r = wget_wch(stdscr, &key);
	if (r == ERR) {
		(void)poll(&p, 1, wait_ms); /* a signal ends the wait */
		r = wget_wch(stdscr, &key);
		if (r == ERR)
			return p.revents & (POLLHUP | POLLERR) ? TUI_KEY_GONE : TUI_KEY_NONE;
	}
	if (r == KEY_CODE_YES)
		return named_key(key);
	if (key == '\r' || key == '\n')
		return TUI_KEY_ENTER;
	if (key == 127 || key == 8)
		return TUI_KEY_BACKSPACE;
	return key ? (int)key : TUI_KEY_OTHER;
}
