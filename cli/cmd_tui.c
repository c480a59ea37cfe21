/* cmd_tui.c - ssdqual tui: the dashboard's loop, and how it ends. */
#include "cli/command.h"
#include "cli/stop.h"
#include "cli/tui.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long a wait for a key lasts while something goes on, and while nothing does. */
enum { BUSY_MS = 100, IDLE_MS = 250 };

struct tui_cfg {
	const char *runs;
};

static bool stopped(void)
{
	return atomic_load(stop_flag());
}

static int fit(struct tui *t, bool *redraw, struct err *reterr)
{
	int rows, cols;

	tui_screen_size(&rows, &cols);
	if (rows == t->grid.rows && cols == t->grid.cols)
		return 0;
	*redraw = true;
	return tui_grid_size(&t->grid, rows, cols) < 0 ? err_nomem(reterr) : 0;
}

static int loop(struct tui *t, struct err *reterr)
{
	bool redraw = true;

	while (!t->quit && !stopped()) {
		int row, col, key, r = fit(t, &redraw, reterr);

		if (r < 0)
			return r;
		if (redraw) {
			tui_draw(t, &row, &col);
			tui_screen_show(&t->grid, row, col);
		}
		key = tui_screen_key(t->run.alive ? BUSY_MS : IDLE_MS);
		redraw = key != TUI_KEY_NONE;
		if (key == TUI_KEY_GONE)
			return err_set(reterr, ERR_STOPPED, -EIO, "the terminal has gone away");
		if (key != TUI_KEY_NONE && key != TUI_KEY_RESIZE)
			tui_key(t, key);
		if (tui_tick(t))
			redraw = true;
	}
	return 0;
}

/* The run puts the write cache back and stores what it measured: that is waited for, on the
 * terminal as it was before. */
static void stop_run(struct tui *t)
{
	const struct timespec nap = { .tv_nsec = 100000000 };

	(void)tui_run_poll(&t->run);
	if (!t->run.alive)
		return;
	fprintf(t->cli->err, "stopping the run on %s; its write cache is put back first\n",
		t->run.feed.target[0] ? t->run.feed.target : "the target");
	(void)fflush(t->cli->err);
	tui_run_stop(&t->run);
	while (t->run.alive && t->run.stopping) {
		(void)nanosleep(&nap, NULL);
		(void)tui_run_poll(&t->run);
	}
	if (!t->run.alive)
		fprintf(t->cli->err, "the run has ended\n");
}

/* Where its document is, and what went wrong; its table is in the document. */
static void print_end_of_log(struct tui *t)
{
	struct tui_text log = { .text = NULL };

	tui_text_take(&log, tui_run_log(&t->run));
	for (size_t i = 0; i < log.count; i++)
		if (strncmp(log.line[i], "saved: ", 7) == 0 ||
			strncmp(log.line[i], "ssdqual: ", 9) == 0)
			fprintf(t->cli->err, "%s\n", log.line[i]);
	tui_text_done(&log);
}

static void after(struct tui *t)
{
	if (stopped() || t->run.stopping)
		stop_run(t);
	(void)tui_run_poll(&t->run);
	if (t->run.alive) {
		fprintf(t->cli->err, "the run on %s goes on; `ssdqual tui` shows it again, "
			"`kill %ld` stops it\n", t->run.feed.target, (long)t->run.feed.pid);
		return;
	}
	if (t->run.stopping)
		print_end_of_log(t);
}

static int run(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct tui_cfg *c = cfg;
	struct tui *t;
	int r;

	if (argc > 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "takes no operand, '%s' is extra", argv[0]);
	if (cli->json)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"a dashboard is no document; list, run, show and advise have --json");
	/* Before anything is looked at: a script must not wait. */
	r = tui_screen_check(reterr);
	if (r < 0)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_nomem(reterr);
	/* Its own handlers are installed only where there are none: ours come first. */
	r = stop_begin(reterr);
	if (r == 0)
		r = tui_init(t, cli, c->runs, reterr);
	/* Ctrl-C is a key: a run may have to be asked about first. */
	if (r == 0)
		r = tui_screen_begin(cli->color, false, reterr);
	if (r == 0)
		r = loop(t, reterr);
	tui_screen_end();
	after(t);
	if (r == 0 && stopped())
		r = err_set(reterr, ERR_STOPPED, -EINTR, "stopped by %s", stop_signal_word());
	tui_done(t);
	free(t);
	return r < 0 ? r : EXIT_DONE;
}

static const struct opt opts[] = {
	{ .type = OPT_STRING, .name = "runs", .arg = "DIR", .off = offsetof(struct tui_cfg, runs),
	  .hidden = true, .help = "keep the progress of runs in DIR" },
	OPT_END
};

extern const struct command cmd_tui;
const struct command cmd_tui = {
	.name = "tui",
	.summary = "A dashboard: drives, a run as it goes on, results, advice",
	.operands = "",
	.opts = opts,
	.cfg_size = sizeof(struct tui_cfg),
	.run = run,
	.details =
		"Four panes: the drives of this host; the run that goes on, second by second; the "
		"stored results; the advice. '?' shows the keys of a pane, Tab goes to the next, "
		"'q' quits.\n\n"
		"A run is started with the same questions as `run` asks: the plan is shown, and the "
		"serial number has to be typed. It goes on when the dashboard is left with 'l', and "
		"is found again by the next one. SIGTERM, SIGINT and SIGHUP stop it: the write cache "
		"is put back and what was measured is stored, before the dashboard ends.\n\n"
		"It needs a terminal that can place the cursor; elsewhere (TERM unset, dumb or "
		"unknown) it ends with status 2 and says so. Colours follow NO_COLOR and --color, "
		"lines are ASCII where the locale is not UTF-8.",
	.examples =
		"ssdqual tui\n"
		"NO_COLOR=1 ssdqual tui\n",
};
