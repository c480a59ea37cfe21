/* export_svg.c - a chart as inline SVG: lines told apart by colour and by dashes. */
#include "cli/export.h"

#include <math.h>
#include <string.h>

#define WIDTH 860.0
#define HEIGHT 320.0
#define LEFT 70.0
#define RIGHT 210.0 /* the legend's */
#define TOP 16.0
#define BOTTOM 46.0
#define LINES 12 /* classes of the style */

struct frame {
	const struct report_sheet *s;
	const struct report_chart *c;
	double x_low, x_high, y_low, y_high;
};

static double y_of(const struct frame *f, double v)
{
	double low = f->y_low, high = f->y_high;

	if (f->c->log_y) {
		v = log10(v);
		low = log10(low);
		high = log10(high);
	}
	return HEIGHT - BOTTOM - (v - low) / (high - low) * (HEIGHT - BOTTOM - TOP);
}

static double x_of(const struct frame *f, double v)
{
	return LEFT + (v - f->x_low) / (f->x_high - f->x_low) * (WIDTH - LEFT - RIGHT);
}

static size_t points(const struct report_chart *c, const struct report_series *k)
{
	return c->along_row ? k->y_last - k->y_first + 1 : k->row_last - k->row_first + 1;
}

static const struct cell *y_cell(const struct frame *f, const struct report_series *k, size_t i)
{
	return f->c->along_row ? report_cell(f->s, k->row_first, k->y_first + i) :
		report_cell(f->s, k->row_first + i, k->y_first);
}

/* NAN: there is no point. */
static double y_value(const struct frame *f, const struct report_series *k, size_t i)
{
	const struct cell *c = y_cell(f, k, i);
	double v = c->kind == CELL_SHARE ? c->number * 100 : c->number;

	return c->kind == CELL_UNKNOWN || (f->c->log_y && v <= 0) ? NAN : v;
}

static double x_value(const struct frame *f, const struct report_series *k, size_t i)
{
	return f->c->along_row ? (double)i : report_cell(f->s, k->row_first + i, k->x_first)->number;
}

/* A step of 1, 2 or 5 times a power of ten that gives about five lines. */
static double step_of(double span)
{
	double step = pow(10, floor(log10(span / 5)));

	return span / step > 25 ? step * 5 : span / step > 10 ? step * 2 : step;
}

static bool measure(struct frame *f)
{
	f->x_low = f->y_low = INFINITY;
	f->x_high = f->y_high = -INFINITY;
	for (size_t k = 0; k < f->c->count; k++) {
		for (size_t i = 0; i < points(f->c, &f->c->series[k]); i++) {
			double v = y_value(f, &f->c->series[k], i);

			f->x_low = fmin(f->x_low, x_value(f, &f->c->series[k], i));
			f->x_high = fmax(f->x_high, x_value(f, &f->c->series[k], i));
			f->y_low = fmin(f->y_low, v); /* passes over NAN */
			f->y_high = fmax(f->y_high, v);
		}
	}
	if (!isfinite(f->y_low) || !(f->x_high > f->x_low))
		return false;
	if (f->c->log_y) {
		f->y_low = pow(10, floor(log10(f->y_low)));
		f->y_high = pow(10, ceil(log10(f->y_high)));
		f->y_high = f->y_high > f->y_low ? f->y_high : f->y_low * 10;
	} else {
		f->x_low = 0;
		f->y_low = 0;
		f->y_high = f->y_high > 0 ? f->y_high * 1.05 : 1;
	}
	return true;
}

static void put_line_of_grid(FILE *out, const struct frame *f, double v)
{
	char text[EXPORT_NUMBER];

	(void)fprintf(out, "<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
		LEFT, WIDTH - RIGHT, y_of(f, v), y_of(f, v));
	(void)fprintf(out, "<text class=\"end\" x=\"%.0f\" y=\"%.1f\">%s</text>\n", LEFT - 6,
		y_of(f, v) + 4, export_rounded(text, v, 0));
}

static void put_y_axis(FILE *out, const struct frame *f)
{
	if (f->c->log_y) {
		for (double v = f->y_low; v <= f->y_high * 1.01; v *= 10)
			put_line_of_grid(out, f, v);
	} else {
		double step = step_of(f->y_high);

		for (double i = 0; i * step <= f->y_high; i++)
			put_line_of_grid(out, f, i * step);
	}
	(void)fprintf(out, "<text class=\"mid\" transform=\"translate(14 %.0f) rotate(-90)\">",
		(TOP + HEIGHT - BOTTOM) / 2);
	export_html_text(out, f->c->y_title);
	(void)fputs("</text>\n", out);
}

static void put_x_mark(FILE *out, const struct frame *f, double at, const char *text)
{
	(void)fprintf(out, "<text class=\"mid\" x=\"%.1f\" y=\"%.0f\">", x_of(f, at),
		HEIGHT - BOTTOM + 18);
	export_html_text(out, text);
	(void)fputs("</text>\n", out);
}

static void put_x_axis(FILE *out, const struct frame *f)
{
	const struct report_series *k = &f->c->series[0];
	double step = step_of(f->x_high - f->x_low);
	char text[EXPORT_NUMBER];

	if (f->c->along_row)
		for (size_t c = k->x_first; c <= k->x_last; c++)
			put_x_mark(out, f, (double)(c - k->x_first), f->s->columns[c].head);
	else
		for (double i = 0; i * step <= f->x_high; i++)
			put_x_mark(out, f, i * step, export_rounded(text, i * step, 0));
	(void)fprintf(out, "<text class=\"mid\" x=\"%.0f\" y=\"%.0f\">", (LEFT + WIDTH - RIGHT) / 2,
		HEIGHT - 8);
	export_html_text(out, f->c->x_title);
	(void)fputs("</text>\n", out);
}

/* A gap in the figures is a gap in the line. */
static void put_series(FILE *out, const struct frame *f, size_t n)
{
	const struct report_series *k = &f->c->series[n];
	double legend = TOP + 10 + 20 * (double)n;
	bool down = false;

	(void)fprintf(out, "<path class=\"l%zu\" d=\"", n % LINES);
	for (size_t i = 0; i < points(f->c, k); i++) {
		double v = y_value(f, k, i);

		if (!isnan(v))
			(void)fprintf(out, "%c%.1f %.1f", down ? 'L' : 'M',
				x_of(f, x_value(f, k, i)), y_of(f, v));
		down = !isnan(v);
	}
	(void)fprintf(out, "\"/><path class=\"l%zu\" d=\"M%.0f %.0fh28\"/>", n % LINES,
		WIDTH - RIGHT + 14, legend);
	(void)fprintf(out, "<text x=\"%.0f\" y=\"%.0f\">", WIDTH - RIGHT + 48, legend + 4);
	export_html_text(out, k->name);
	(void)fputs("</text>\n", out);
}

void export_svg(FILE *out, const struct report_sheet *s, const struct report_chart *c)
{
	struct frame f = { .s = s, .c = c };

	(void)fputs("<figure><figcaption>", out);
	export_html_text(out, c->title);
	if (c->count == 0 || !measure(&f)) {
		(void)fputs(": no figures</figcaption></figure>\n", out);
		return;
	}
	(void)fprintf(out, "</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-label=\"", WIDTH, HEIGHT);
	export_html_text(out, c->title);
	(void)fputs("\">\n", out);
	put_y_axis(out, &f);
	put_x_axis(out, &f);
	for (size_t i = 0; i < c->count; i++)
		put_series(out, &f, i);
	(void)fputs("</svg></figure>\n", out);
}
