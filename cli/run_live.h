/* run_live.h - `run --live`: a run drawn on the whole terminal, as the dashboard draws it.
 *
 * The terminal belongs to it from run_live_begin() to run_live_end(); meanwhile nobody writes to it.
 * Drawn when the feed has news, once a second. Ctrl-C stays the signal.
 */
#ifndef SSDQUAL_CLI_RUN_LIVE_H
#define SSDQUAL_CLI_RUN_LIVE_H

#include "cli/progress_feed.h"

struct run_live;

/* run_live_check - ERR_USAGE where it cannot be: no terminal, or nothing is to be shown. */
int run_live_check(const struct cli *cli, struct err *reterr);
/* run_live_begin - *ret_sink: for progress_feed_init(). 0 or -errno: then the terminal is as before.
 * After stop_begin(): handlers that are there are kept. */
int run_live_begin(const struct cli *cli, struct run_live **ret, struct progress_sink *ret_sink,
	struct err *reterr);
void run_live_end(struct run_live *l); /* NULL is allowed */

#endif
