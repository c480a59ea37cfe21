/* tui_run.h - the one run that the dashboard has started, or found.
 *
 * The run is `ssdqual run` in a session of its own, which goes on when the dashboard ends: its feed
 * and its log are files in /run/ssdqual (root) or $XDG_RUNTIME_DIR/ssdqual, which a later dashboard
 * finds. The run holds a lock on its feed for as long as it lives; whoever can take it knows that
 * the run has ended, whatever ended it.
 */
#ifndef SSDQUAL_CLI_TUI_RUN_H
#define SSDQUAL_CLI_TUI_RUN_H

#include "cli/tui_feed.h"
#include "cli/tui_job.h"

struct tui_run {
	const char *folder;         /* instead of the one above; borrowed; NULL */
	struct tui_feed feed;
	char *feed_path, *log_path; /* NULL: there is no run */
	int fd;                     /* of the feed; -1 */
	char *part;                 /* an unfinished line */
	size_t part_len;
	pid_t child;                /* ours, not yet waited for; 0 */
	bool alive;
	bool stopping;
	int status;                 /* exit status once it has ended; -1: not known */
};
/* Before any other: all zero but fd and status, -1. */
#define TUI_RUN_INIT { .fd = -1, .status = -1 }

/* tui_run_start - @args: "run", its options and its target. 0; -EBUSY, ERR_USAGE: one goes on. */
int tui_run_start(struct tui_run *r, const struct cli *cli, const struct tui_args *args,
	struct err *reterr);
/* tui_run_find - the newest run of this user that goes on. True: there is one. */
bool tui_run_find(struct tui_run *r);
/* tui_run_poll - read what is new. True: something is. */
bool tui_run_poll(struct tui_run *r);
/* tui_run_stop - ask it to end: it puts the write cache back and keeps what was measured. */
void tui_run_stop(struct tui_run *r);
/* tui_run_log - what it has printed; the caller's. NULL: nothing. */
char *tui_run_log(const struct tui_run *r);
void tui_run_done(struct tui_run *r); /* the run itself goes on */

#endif
