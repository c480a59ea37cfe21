/* run_live.c - the screen of `run --live`. */
#include "cli/run_live.h"

#include "cli/stop.h"
#include "cli/tui_live.h"
#include "cli/tui_screen.h"

#include <errno.h>
#include <stdlib.h>

enum { KEY_CTRL_L = 12 };

struct run_live {
	struct tui_grid grid;
	struct tui_feed feed;
};

int run_live_check(const struct cli *cli, struct err *reterr)
{
	if (!cli->progress)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--live shows progress, --no-progress and --quiet do not; give one");
	return tui_screen_check(reterr);
}

static void draw(struct run_live *l)
{
	const struct tui_live_view v = { .feed = &l->feed, .alive = true,
		.stopping = atomic_load(stop_flag()) };
	struct tui_layout at;
	int rows, cols;

	tui_screen_size(&rows, &cols);
	if ((rows != l->grid.rows || cols != l->grid.cols) &&
		tui_grid_size(&l->grid, rows, cols) < 0)
		return; /* no memory: the next drawing tries again */
	tui_grid_clear(&l->grid);
	at = tui_layout_make(rows, cols, true);
	if (at.too_small) {
		(void)tui_grid_put(&l->grid, &at.body, 0, 0, TUI_PLAIN, "window too small");
	} else {
		(void)tui_grid_put(&l->grid, &at.tabs, 0, 0, TUI_FAINT, "ssdqual run --live");
		tui_live_draw(&l->grid, &at.body, &v);
		tui_grid_line(&l->grid, &at.split);
		tui_live_draw_rows(&l->grid, &at.detail, &v, at.beside);
		(void)tui_grid_put(&l->grid, &at.keys, 0, 0, TUI_REVERSE,
			"Ctrl-C stops it: what was measured is kept");
		tui_grid_style(&l->grid, &at.keys, 0, TUI_REVERSE);
	}
	tui_screen_show(&l->grid, -1, -1);
}

static void on_line(void *ctx, const char *text, size_t len)
{
	struct run_live *l = ctx;
	int key;

	(void)tui_feed_line(&l->feed, text, len); /* our own: understood */
	/* A new size comes as a key. */
	while ((key = tui_screen_key(0)) != TUI_KEY_NONE && key != TUI_KEY_GONE)
		if (key == KEY_CTRL_L)
			tui_screen_redraw();
	draw(l);
}

int run_live_begin(const struct cli *cli, struct run_live **ret, struct progress_sink *ret_sink,
	struct err *reterr)
{
	struct run_live *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_nomem(reterr);
	l->grid.utf8 = cli->utf8;
	tui_feed_init(&l->feed);
	r = tui_screen_begin(cli->color, true, reterr);
	if (r < 0) {
		free(l);
		return r;
	}
	*ret = l;
	*ret_sink = (struct progress_sink){ .line = on_line, .ctx = l };
	draw(l);
	return 0;
}

void run_live_end(struct run_live *l)
{
	if (!l)
		return;
	tui_screen_end();
	tui_grid_done(&l->grid);
	free(l);
}
