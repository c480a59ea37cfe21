/* tui_job.h - a command of this program run beside the dashboard, its output collected.
 *
 * The dashboard asks no device itself: what is slow or can fail happens in `ssdqual COMMAND`, so that
 * keys are answered meanwhile. The child gets no terminal: input is /dev/null, no colour.
 */
#ifndef SSDQUAL_CLI_TUI_JOB_H
#define SSDQUAL_CLI_TUI_JOB_H

#include "cli/command.h"

#include <sys/types.h>

#define TUI_JOB_ARGS 24
#define TUI_JOB_MAX ((size_t)32 << 20) /* of output; more is cut */

struct tui_job {
	pid_t pid;     /* 0: none runs */
	int fd;
	char *text;    /* output so far, with a final NUL once it is done; NULL: none */
	size_t len, room;
	int status;    /* exit status once it is done; 128 + signal */
	bool done;     /* has run, and its output is complete */
};
#define TUI_JOB_INIT { .fd = -1 }

/* What to run: words after "ssdqual", then NULL. */
struct tui_args {
	const char *word[TUI_JOB_ARGS + 1];
	size_t count;
};
void tui_args_add(struct tui_args *a, const char *word); /* borrowed; NULL is passed over */

/* tui_job_start - @columns: how wide text may be; @errors: collect standard error, too. One that
 * still runs is ended first. 0 or -errno. */
int tui_job_start(struct tui_job *j, const struct cli *cli, const struct tui_args *args, int columns,
	bool errors, struct err *reterr);
/* tui_job_poll - take what there is without waiting. True once, when it is done. */
bool tui_job_poll(struct tui_job *j);
bool tui_job_runs(const struct tui_job *j);
void tui_job_done(struct tui_job *j); /* ends it, frees all */

/* tui_spawn - start this program (cli->self) with @args. @out, @err: descriptors; @feed is
 * its descriptor 3 where it is not -1; @apart: in a session of its own, out of the terminal's reach.
 * 0 or -errno. */
struct tui_spawn {
	const struct cli *cli;
	const struct tui_args *args;
	int columns, out, err, feed;
	bool apart;
};
int tui_spawn(const struct tui_spawn *s, pid_t *ret, struct err *reterr);

#endif
