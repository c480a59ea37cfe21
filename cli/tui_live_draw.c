/* tui_live_draw.c - a run that goes on, drawn into a rectangle. */
#include "cli/tui_live.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"

enum { SPARK_ROWS_MAX = 6, BAR_MAX = 60, LABEL_COLS = 16, SCALE_COLS = 14 };

static int bounded(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static void next(struct tui_rect *r)
{
	r->row++;
	r->rows--;
}

/* -- the head ----------------------------------------------------------------------------------- */

static const char *state_of(const struct tui_live_view *v)
{
	static const struct {
		const char *word, *text;
	} ends[] = {
		{ "complete", "complete" },
		{ "signal", "stopped" },
		{ "error", "ended by an error" },
		{ "device-gone", "the device has gone" },
	};

	if (v->alive)
		return v->stopping ? "STOPPING" : "running";
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(ends[i].word, v->feed->ended) == 0)
			return ends[i].text;
	return v->feed->ended[0] ? v->feed->ended : "ended before its first row";
}

static void draw_bar(struct tui_grid *g, struct tui_rect *r, double share, const char *left)
{
	int width = bounded(r->cols - 24, 0, BAR_MAX), full;

	if (isnan(share) || width < 4)
		return;
	share = fmin(fmax(share, 0), 1);
	full = (int)(share * width);
	(void)tui_grid_put(g, r, 0, 0, TUI_PLAIN, "[");
	for (int i = 0; i < width; i++)
		(void)tui_grid_put(g, r, 0, 1 + i, TUI_PLAIN, i < full ? "#" : ".");
	(void)tui_grid_putf(g, r, 0, 1 + width, TUI_PLAIN, "] %3.0f %%  %s", share * 100, left);
	next(r);
}

void tui_live_draw_head(struct tui_grid *g, struct tui_rect *r, const struct tui_live_view *v)
{
	const struct tui_feed *f = v->feed;
	char span[UNITS_BUF], size[UNITS_BUF], left[UNITS_BUF + 8] = "";

	if (!f->begun && v->alive)
		(void)tui_grid_put(g, r, 0, 0, TUI_BOLD, "starting ...");
	else
		(void)tui_grid_putf(g, r, 0, 0, TUI_BOLD, "%s: %s%s%s", state_of(v),
			f->target[0] ? f->target : "no target",
			f->battery[0] ? ", battery " : "", f->battery);
	next(r);
	if (v->alive && !isnan(f->left_s))
		(void)snprintf(left, sizeof(left), "left %s",
			units_format_span(span, sizeof(span), f->left_s));
	if (f->what[0]) {
		(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN, "%s: %s", f->what,
			units_format_bytes(size, sizeof(size), f->fill_bytes));
		next(r);
		draw_bar(g, r, f->done_bytes / f->fill_bytes, "");
	} else if (f->key[0]) {
		(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN, "row %u/%u %s, cache %s, %.0f/%.0f s",
			f->number, f->of, f->key, f->cache, f->elapsed_s, f->row_s);
		next(r);
		draw_bar(g, r, f->elapsed_s / f->row_s, left);
	}
}

/* -- by the second ------------------------------------------------------------------------------ */

static void draw_series(struct tui_grid *g, struct tui_rect *r, int rows, const char *name,
	const double *v, size_t n, char *(*format)(char *buf, size_t len, double x))
{
	char now[UNITS_BUF], top[UNITS_BUF];
	struct tui_rect narrow = *r;
	double most;

	(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN, "%-5s%9s", name,
		format(now, sizeof(now), n ? v[n - 1] : NAN));
	narrow.cols -= SCALE_COLS;
	most = tui_grid_spark(g, &narrow, 0, rows, LABEL_COLS, v, n);
	if (!isnan(most) && narrow.cols > LABEL_COLS)
		(void)tui_grid_putf(g, r, 0, narrow.cols + 1, TUI_FAINT, "max %s",
			format(top, sizeof(top), most));
	r->row += rows;
	r->rows -= rows;
}

static void draw_health(struct tui_grid *g, struct tui_rect *r, const struct tui_feed *f)
{
	char temp[64] = "temperature unknown", used[48] = "wear unknown", wrote[UNITS_BUF];
	bool hot = !isnan(f->temperature_max_c) && f->temperature_max_c > f->temperature_c;

	if (!isnan(f->temperature_c) && hot)
		(void)snprintf(temp, sizeof(temp), "%.0f C (highest %.0f C)", f->temperature_c,
			f->temperature_max_c);
	else if (!isnan(f->temperature_c))
		(void)snprintf(temp, sizeof(temp), "%.0f C", f->temperature_c);
	if (!isnan(f->used_percent))
		(void)snprintf(used, sizeof(used), "%.0f %% of the endurance left",
			fmax(0, 100 - f->used_percent));
	(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN, "%s, %s", temp, used);
	next(r);
	if (isnan(f->write_bytes))
		return;
	(void)units_format_bytes(wrote, sizeof(wrote), f->write_bytes);
	if (isnan(f->endurance_share))
		(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN, "writes at most %s", wrote);
	else
		(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN,
			"writes at most %s, %.3f %% of the rated endurance", wrote,
			f->endurance_share * 100);
	next(r);
}

void tui_live_draw(struct tui_grid *g, const struct tui_rect *area, const struct tui_live_view *v)
{
	const struct tui_feed *f = v->feed;
	struct tui_rect r = *area;
	int rows;

	tui_live_draw_head(g, &r, v);
	rows = bounded((r.rows - 2) / 3, 1, SPARK_ROWS_MAX);
	draw_series(g, &r, rows, "IOPS", f->iops, f->count, units_format_count);
	draw_series(g, &r, rows, "p50", f->p50_ns, f->count, units_format_ns);
	draw_series(g, &r, rows, "p99", f->p99_ns, f->count, units_format_ns);
	draw_health(g, &r, f);
}

/* -- by the row --------------------------------------------------------------------------------- */

static void draw_ended(struct tui_grid *g, struct tui_rect *r, const struct tui_feed *f)
{
	char iops[UNITS_BUF], p50[UNITS_BUF], p99[UNITS_BUF];

	if (!f->row_count)
		return;
	(void)tui_grid_putf(g, r, 0, 0, TUI_BOLD, "%-22s %-7s %8s %9s %9s", "ROW", "CACHE", "IOPS",
		"p50", "p99");
	next(r);
	for (size_t i = f->row_count; i-- > 0 && r->rows > 0; next(r)) {
		const struct tui_feed_row *row = &f->row[i];

		(void)tui_grid_putf(g, r, 0, 0, row->error[0] ? TUI_BAD : TUI_PLAIN,
			"%-22s %-7s %8s %9s %9s  %s", row->key, row->cache,
			units_format_count(iops, sizeof(iops), row->iops),
			units_format_ns(p50, sizeof(p50), row->p50_ns),
			units_format_ns(p99, sizeof(p99), row->p99_ns), row->error);
	}
}

/* Where not all octaves have room: the first of those @rows that hold most. */
static size_t fullest(const struct tui_feed *f, size_t rows)
{
	double best = -1;
	size_t at = 0;

	for (size_t i = 0; i + rows <= f->octave_count; i++) {
		double sum = 0;

		for (size_t k = 0; k < rows; k++)
			sum += f->octave[i + k].count;
		if (sum > best) {
			best = sum;
			at = i;
		}
	}
	return at;
}

static void draw_histogram(struct tui_grid *g, struct tui_rect *r, const struct tui_feed *f)
{
	double total = 0, most = 0;
	int width = bounded(r->cols - 22, 0, 50);

	for (size_t i = 0; i < f->octave_count; i++) {
		total += f->octave[i].count;
		most = fmax(most, f->octave[i].count);
	}
	if (!(total > 0) || width < 4 || r->rows < 2)
		return;
	(void)tui_grid_putf(g, r, 0, 0, TUI_BOLD, "Latencies of %s", f->octaves_of);
	next(r);
	for (size_t i = fullest(f, (size_t)r->rows); i < f->octave_count && r->rows > 0; i++) {
		int full = (int)(f->octave[i].count / most * width);
		char edge[UNITS_BUF];

		(void)tui_grid_putf(g, r, 0, 0, TUI_PLAIN, "<= %-8s %6.2f %%",
			units_format_ns(edge, sizeof(edge), f->octave[i].upper_ns),
			f->octave[i].count * 100 / total);
		for (int x = 0; x < full; x++)
			(void)tui_grid_put(g, r, 0, 22 + x, TUI_PLAIN, "#");
		next(r);
	}
}

void tui_live_draw_rows(struct tui_grid *g, const struct tui_rect *area,
	const struct tui_live_view *v, bool high)
{
	struct tui_rect r = *area, top = r;

	if (r.rows < 1)
		return;
	if (high) {
		draw_histogram(g, &r, v->feed);
		if (v->feed->octave_count)
			next(&r);
		draw_ended(g, &r, v->feed);
		return;
	}
	/* Both get what they need, the histogram at least half. */
	top.rows = bounded((int)v->feed->row_count + 1, 0, r.rows / 2);
	if (!v->feed->row_count)
		top.rows = 0;
	r.row += top.rows;
	r.rows -= top.rows;
	draw_ended(g, &top, v->feed);
	draw_histogram(g, &r, v->feed);
}
