/* tui_live.c - the pane of the run that goes on, or that was the last one. */
#include "cli/tui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

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
	l->log.top = l->log.count; /* its end; drawing puts it right */
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

/* One line after the other, into the body and then, where there is one, the detail. */
struct pen {
	struct tui_grid *g;
	const struct tui_rect *r;
	int row;
};

static void draw_bar(struct pen *p, double share)
{
	int width = p->r->cols - 22, full;

	if (width > 60)
		width = 60;
	if (isnan(share) || width < 4)
		return;
	full = (int)(fmin(fmax(share, 0), 1) * width);
	(void)tui_grid_put(p->g, p->r, p->row, 0, TUI_PLAIN, "[");
	for (int i = 0; i < width; i++)
		(void)tui_grid_put(p->g, p->r, p->row, 1 + i, TUI_PLAIN, i < full ? "#" : ".");
	(void)tui_grid_putf(p->g, p->r, p->row, 1 + width, TUI_PLAIN, "] %3.0f %%",
		fmin(fmax(share, 0), 1) * 100);
	p->row++;
}

static void draw_where(struct pen *p, const struct tui_run *run)
{
	const struct tui_feed *f = &run->feed;
	char left[UNITS_BUF], size[UNITS_BUF];

	(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_BOLD, "%s  battery %s  %s",
		f->target[0] ? f->target : "starting ...", f->battery[0] ? f->battery : "-",
		run->stopping && run->alive ? "STOPPING" : run->alive ? "running" :
			f->ended[0] ? f->ended : "ended");
	if (f->what[0]) {
		(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_PLAIN, "%s: %s", f->what,
			units_format_bytes(size, sizeof(size), f->fill_bytes));
		draw_bar(p, f->done_bytes / f->fill_bytes);
		return;
	}
	if (!f->key[0])
		return;
	(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_PLAIN,
		"row %u/%u %s, write cache %s, %.0f/%.0f s, left %s", f->number, f->of, f->key,
		f->cache, f->elapsed_s, f->row_s,
		units_format_span(left, sizeof(left), f->left_s));
	draw_bar(p, f->elapsed_s / f->row_s);
}

static void draw_series(struct pen *p, const char *name, const double *v, size_t n,
	char *(*format)(char *buf, size_t len, double x))
{
	char now[UNITS_BUF], top[UNITS_BUF];
	struct tui_rect narrow = *p->r;
	double most;

	(void)tui_grid_putf(p->g, p->r, p->row, 0, TUI_PLAIN, "%-5s%9s ", name,
		format(now, sizeof(now), n ? v[n - 1] : NAN));
	narrow.cols -= 14; /* for the scale */
	most = tui_grid_spark(p->g, &narrow, p->row, 16, v, n);
	if (!isnan(most))
		(void)tui_grid_putf(p->g, p->r, p->row, narrow.cols + 1, TUI_FAINT, "max %s",
			format(top, sizeof(top), most));
	p->row++;
}

static void draw_health(struct pen *p, const struct tui_feed *f)
{
	char temp[48] = "temperature unknown", used[48] = "wear unknown", share[64] = "";
	char wrote[UNITS_BUF];

	if (!isnan(f->temperature_c))
		(void)snprintf(temp, sizeof(temp), "%.0f C (highest %.0f C)", f->temperature_c,
			f->temperature_max_c);
	if (!isnan(f->used_percent))
		(void)snprintf(used, sizeof(used), "%.0f %% of the endurance left",
			fmax(0, 100 - f->used_percent));
	if (!isnan(f->endurance_share))
		(void)snprintf(share, sizeof(share), ", %.3f %% of the rated",
			f->endurance_share * 100);
	(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_PLAIN, "%s; %s; writes at most %s%s", temp,
		used, units_format_bytes(wrote, sizeof(wrote), f->write_bytes), share);
}

static void draw_rows(struct pen *p, const struct tui_feed *f)
{
	char iops[UNITS_BUF], p50[UNITS_BUF], p99[UNITS_BUF];

	if (!f->row_count)
		return;
	(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_BOLD, "%-22s %-7s %8s %9s %9s", "ROW",
		"CACHE", "IOPS", "p50", "p99");
	for (size_t i = f->row_count; i-- > 0;) {
		const struct tui_feed_row *row = &f->row[i];

		(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_PLAIN,
			"%-22s %-7s %8s %9s %9s  %s", row->key, row->cache,
			units_format_count(iops, sizeof(iops), row->iops),
			units_format_ns(p50, sizeof(p50), row->p50_ns),
			units_format_ns(p99, sizeof(p99), row->p99_ns), row->error);
	}
}

static void draw_histogram(struct pen *p, const struct tui_feed *f)
{
	double total = 0, most = 0;
	int width = p->r->cols - 22;

	for (size_t i = 0; i < f->octave_count; i++) {
		total += f->octave[i].count;
		most = fmax(most, f->octave[i].count);
	}
	if (!(total > 0) || width < 4)
		return;
	(void)tui_grid_putf(p->g, p->r, p->row++, 0, TUI_BOLD, "Latencies of %s", f->octaves_of);
	for (size_t i = 0; i < f->octave_count; i++) {
		int full = (int)(f->octave[i].count / most * (width < 50 ? width : 50));
		char edge[UNITS_BUF];

		(void)tui_grid_putf(p->g, p->r, p->row, 0, TUI_PLAIN, "<= %-8s %6.2f %% ",
			units_format_ns(edge, sizeof(edge), f->octave[i].upper_ns),
			f->octave[i].count * 100 / total);
		for (int x = 0; x < full; x++)
			(void)tui_grid_put(p->g, p->r, p->row, 21 + x, TUI_PLAIN, "#");
		p->row++;
	}
}

static void draw(struct tui *t, void *state)
{
	struct live *l = state;
	const struct tui_feed *f = &t->run.feed;
	struct pen p = { .g = &t->grid, .r = &t->layout.body };

	if (t->run.fd < 0) {
		(void)tui_grid_put(p.g, p.r, 0, 0, TUI_PLAIN, "No run goes on.");
		(void)tui_grid_put(p.g, p.r, 1, 0, TUI_PLAIN,
			"Start one in pane 1: Enter on a drive, or d for a folder.");
		return;
	}
	if (l->show_log) {
		struct tui_rect rest = *p.r;

		draw_where(&p, &t->run);
		rest.row += p.row;
		rest.rows -= p.row;
		tui_text_draw(&l->log, p.g, &rest);
	} else {
		draw_where(&p, &t->run);
		draw_series(&p, "IOPS", f->iops, f->count, units_format_count);
		draw_series(&p, "p50", f->p50_ns, f->count, units_format_ns);
		draw_series(&p, "p99", f->p99_ns, f->count, units_format_ns);
		draw_health(&p, f);
	}
	if (t->layout.detail.rows)
		p = (struct pen){ .g = &t->grid, .r = &t->layout.detail };
	else if (l->show_log)
		return;
	if (t->layout.beside) {
		draw_histogram(&p, f);
		draw_rows(&p, f);
	} else {
		draw_rows(&p, f);
		draw_histogram(&p, f);
	}
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
		"Figures are of each second, latencies until durable. Temperature and wear are read\n"
		"between the rows, never within one. The histogram is of the row that ended last.\n",
	.state_size = sizeof(struct live),
	.detail = true,
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
