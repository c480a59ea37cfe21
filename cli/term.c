/* term.c - terminal capabilities and the status line. */
#include "cli/term.h"

#include "cli/text.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

/* The one status line. */
static struct {
	volatile sig_atomic_t drawn_fd; /* descriptor + 1 with a line on the screen; 0: none */
	bool said;                      /* a plain line was written at... */
	time_t said_s;
	char text[512];
} line;

static int clamp(long width)
{
	return width < 20 ? 20 : width > 1000 ? 1000 : (int)width;
}

int term_width(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	char *end;
	long width;

	if (columns && *columns >= '1' && *columns <= '9') {
		errno = 0;
		width = strtol(columns, &end, 10);
		if (*end == '\0' && errno == 0)
			return clamp(width);
	}
	if (isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return clamp(size.ws_col);
	return TERM_WIDTH_DEFAULT;
}

bool term_is_capable(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && term && *term && strcmp(term, "dumb") != 0;
}

static void draw(struct cli *cli)
{
	/* The last column stays free: writing there wraps on some terminals. */
	fputs(CLEAR_LINE, cli->err);
	text_print_cut(cli->err, line.text, (size_t)term_width(cli->err) - 1, cli->utf8);
	(void)fflush(cli->err); /* progress lost is nothing lost */
	line.drawn_fd = fileno(cli->err) + 1;
}

static void undraw(struct cli *cli)
{
	if (!line.drawn_fd)
		return;
	fputs(CLEAR_LINE, cli->err);
	(void)fflush(cli->err);
	line.drawn_fd = 0;
}

static void print_line(struct cli *cli, const char *prefix, const char *text)
{
	bool drawn = line.drawn_fd != 0;

	undraw(cli);
	fputs(prefix, cli->err);
	text_print_cut(cli->err, text, SIZE_MAX, cli->utf8);
	fputc('\n', cli->err);
	(void)fflush(cli->err);
	if (drawn)
		draw(cli);
}

void term_status(struct cli *cli, const char *fmt, ...)
{
	struct timespec now;
	va_list ap;

	if (!cli->progress)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(line.text, sizeof(line.text), fmt, ap); /* one line is enough */
	va_end(ap);
	if (cli->err_tty) {
		draw(cli);
		return;
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail with this clock */
	if (line.said && now.tv_sec - line.said_s < TERM_PLAIN_S)
		return;
	line.said = true;
	line.said_s = now.tv_sec;
	print_line(cli, "", line.text);
}

void term_status_done(struct cli *cli)
{
	undraw(cli);
	line.said = false;
}

void term_note(struct cli *cli, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!cli->progress)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_line(cli, "", text);
}

void term_warn(struct cli *cli, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_line(cli, "ssdqual: warning: ", text);
}

void term_leave(void)
{
	if (line.drawn_fd && write(line.drawn_fd - 1, CLEAR_LINE, sizeof(CLEAR_LINE) - 1) < 0)
		return; /* the terminal is gone: nothing to restore */
}
