/* progress_feed.h - the progress of a run for programs: one JSON object a line on a descriptor.
 *
 * Written by `run --progress-fd N` (hidden: the dashboard's own), read by cli/tui_feed.c. Every line
 * has "event"; unknown figures are null; keys are only added:
 *   spawned  pid                                       by whoever started the run
 *   begin    pid, target, battery, legs, seconds, write_bytes, endurance_share
 *   health   temperature_c, used_percent               before the rows and after each
 *   fill     what, bytes
 *   row      key, label, cache, number, of, seconds
 *   tick     elapsed_s, left_s, bytes so far; of the newest whole second iops,
 *            bw_bytes, p50_ns, p99_ns, max_ns; histogram of the row so far
 *   row_end  iops, p50_ns, p99_ns, error, histogram [[upper edge in ns, count], ...]: octaves
 *   end      ended
 * A reader that has gone away ends the feed, not the run.
 */
#ifndef SSDQUAL_CLI_PROGRESS_FEED_H
#define SSDQUAL_CLI_PROGRESS_FEED_H

#include "cli/progress.h"
#include "cli/run.h"

/* Who gets the lines, without their newline, beside or instead of a descriptor. */
struct progress_sink {
	void (*line)(void *ctx, const char *text, size_t len); /* NULL: nobody */
	void *ctx;
};

struct progress_feed {
	const struct cli *cli;
	const struct progress *progress;
	const struct run_target *rt;
	struct session_watch inner;
	int fd; /* -1: none is wanted, or its reader has gone */
	struct progress_sink sink;
};

/* progress_feed_init - put the feed in front of the hooks of @watch, which progress_init() has set
 * for @p. @fd: 0 for none. */
void progress_feed_init(struct progress_feed *f, const struct cli *cli, uint64_t fd,
	struct progress_sink sink, const struct progress *p, const struct run_target *rt, struct session_watch *watch);
/* progress_feed_end - the last line, with the word of settings.ended. */
void progress_feed_end(struct progress_feed *f, const struct result *res);

#endif
