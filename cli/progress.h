/* progress.h - what `run` shows while it runs, on the status line (cli/term.h). */
#ifndef SSDQUAL_CLI_PROGRESS_H
#define SSDQUAL_CLI_PROGRESS_H

#include "cli/command.h"
#include "probes/session.h"

struct progress {
	struct cli *cli;
	const struct plan *plan;
	char what[64];       /* the row (and its leg) or the fill that goes on */
	size_t number, of;
	double left_after_s; /* runtime of the rows that follow this one */
	double row_s;        /* runtime of this row; 0: a fill */
	uint64_t fill_bytes; /* of the fill that goes on; 0: a row */
};

/* progress_init - @p must live as long as the watch. @ret: hooks for session_run(), stop unset. */
void progress_init(struct progress *p, struct cli *cli, const struct plan *plan,
	struct session_watch *ret);

#endif
