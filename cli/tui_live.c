/* tui_live.c - the pane of the run that goes on, or that was the last one. */
#include "cli/tui.h"
#include "cli/tui_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct live {
	struct tui_text log;
	bool show_log;
	bool was_alive;
};

static void open_pane(struct tui *t, void *state)
{
	(void)t;
	(void)state;
}

static void close_pane(void *state)
{
	struct live *l = state;

	tui_text_done(&l->log);
}

static void read_log(struct tui *t, struct live *l)
{
	tui_text_take(&l->log, tui_run_log(&t->run));
	l->log.to_end = true;
}

static bool tick(struct tui *t, void *state)
{
	struct live *l = state;
	bool ended = l->was_alive && !t->run.alive;

	if (!l->was_alive && t->run.alive) {
		tui_text_done(&l->log);
		l->show_log = false;
	}
	l->was_alive = t->run.alive;
	if (ended) {
		read_log(t, l);
		l->show_log = true;
	}
	return ended;
}

/* -- drawing ------------------------------------------------------------------------------------ */

static void draw(struct tui *t, void *state)
{
	struct live *l = state;
	struct tui_live_view v = { .feed = &t->run.feed, .alive = t->run.alive,
		.stopping = t->run.stopping };

	if (t->run.fd < 0) {
		(void)tui_grid_put(&t->grid, &t->layout.body, 0, 0, TUI_PLAIN, "No run goes on.");
		(void)tui_grid_put(&t->grid, &t->layout.body, 2, 0, TUI_PLAIN,
			"Start one in pane 1: Enter on a drive, or d for a folder.");
		return;
	}
	if (l->show_log) {
		struct tui_rect rest = t->layout.body;

		tui_live_draw_head(&t->grid, &rest, &v);
		tui_text_draw(&l->log, &t->grid, &rest, t->place);
	} else {
		tui_live_draw(&t->grid, &t->layout.body, &v);
	}
	tui_live_draw_rows(&t->grid, &t->layout.detail, &v, t->layout.beside);
}

/* -- keys --------------------------------------------------------------------------------------- */

static void stop_answer(struct tui *t, void *ctx, const char *answer)
{
	(void)ctx;
	if (!answer || (*answer != 'y' && *answer != 'Y')) {
		tui_say(t, TUI_PLAIN, "the run goes on");
		return;
	}
	tui_run_stop(&t->run);
	tui_say(t, TUI_BOLD, "stopping: the write cache is put back, what was measured is kept");
}

static bool key_pressed(struct tui *t, void *state, int key)
{
	struct live *l = state;

	switch (key) {
	case 's':
		if (t->run.alive)
			tui_ask_key(t, stop_answer, NULL, "Stop the run? y, or any other key:");
		else
			tui_say(t, TUI_PLAIN, "no run goes on");
		return true;
	case 'o':
		l->show_log = !l->show_log;
		if (l->show_log)
			read_log(t, l);
		return true;
	}
	return l->show_log && tui_text_key(&l->log, key, t->layout.body.rows);
}

extern const struct tui_pane tui_pane_live;
const struct tui_pane tui_pane_live = {
	.name = "Run",
	.keys = "s stop  o output",
	.help = "  s          stop the run: what was measured is kept\n"
		"  o          what the run has printed, or its figures again\n"
		"\n"
		"Figures are of each second of the row, latencies until durable; the histogram\n"
		"is of the whole row so far. Temperature and wear are read between the rows,\n"
		"never within one.\n",
	.state_size = sizeof(struct live),
	.detail = true,
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
