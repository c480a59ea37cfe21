/* term.h - what the terminal can do, and the one status line.
 *
 * The status line is on cli->err. On a terminal it is redrawn in place; elsewhere (a log, a pipe,
 * TERM=dumb) it becomes a plain line at most every TERM_PLAIN_S seconds. With --no-progress or
 * --quiet nothing of it is written. There is one terminal, so there is one status line: its state
 * belongs to the process. Call these from one thread.
 *
 *	term_status(cli, "%s  %3.0f %%", row, share);    as often as wanted
 *	term_note(cli, "%s: %s IOPS", row, iops);        a line that stays, above the status line
 *	term_status_done(cli);                           before anything is printed on cli->out
 */
#ifndef SSDQUAL_CLI_TERM_H
#define SSDQUAL_CLI_TERM_H

#include "cli/command.h"

#define TERM_PLAIN_S 10
#define TERM_WIDTH_DEFAULT 80

/* term_width - columns that text for people may fill on @f: $COLUMNS, else the terminal's width,
 * else 80. Always in [20, 1000]. */
int term_width(FILE *f);

/* term_is_capable - @f is a terminal that understands escape sequences (TERM set and not dumb). */
bool term_is_capable(FILE *f);

/* term_status - show this text, cut to one line. Control characters are shown as '?'. */
void term_status(struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* term_status_done - take the status line off the screen; harmless without one. */
void term_status_done(struct cli *cli);

/* term_note - a progress line that stays; nothing with --no-progress or --quiet. */
void term_note(struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* term_warn - "ssdqual: warning: ..." on cli->err, always. */
void term_warn(struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* term_leave - leave the cursor on an empty line. Async-signal-safe. */
void term_leave(void);

#endif
