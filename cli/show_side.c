/* show_side.c - several results side by side, the best and the worst of each row marked. */
#include "cli/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "cli/table.h"
#include "cli/term.h"
#include "cli/text.h"
#include "data/units.h"
#include "policies/threshold.h"
#include "policies/verdict.h"

#define ROW_COLUMNS 29    /* row and state of the cache, with their gaps */
#define FIGURE_COLUMNS 11 /* "44.3 us +" */

struct side {
	const struct result *const *results;
	size_t n;
	size_t first, count; /* results of this table */
	bool p99;            /* else IOPS */
};

static double figure(const struct side *s, size_t i, const struct measurement *row)
{
	struct verdict_input in = { .results = &s->results[i], .count = 1 };
	struct row_figures f;

	if (!verdict_row(&in, row->probe, row->write_cache, &f))
		return NAN;
	return s->p99 ? f.p99_ns : f.iops;
}

/* '+' best, '-' worst, ' ' neither or all alike. */
static char sign(const struct side *s, const struct measurement *row, double v)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < s->n; i++) {
		low = fmin(low, figure(s, i, row)); /* passes over NAN */
		high = fmax(high, figure(s, i, row));
	}
	if (!(high > low * (1 + threshold(THRESHOLD_CACHE_SAME))))
		return ' ';
	return v == high ? (s->p99 ? '-' : '+') : v == low ? (s->p99 ? '+' : '-') : ' ';
}

static void add_figure(struct table *t, const struct side *s, size_t i,
	const struct measurement *row)
{
	double v = figure(s, i, row);
	char buf[UNITS_BUF], mark;

	if (isnan(v)) {
		table_add(t, "-  ");
		return;
	}
	mark = sign(s, row, v);
	if (s->p99)
		(void)units_format_ns(buf, sizeof(buf), v);
	else
		(void)units_format_count(buf, sizeof(buf), v);
	table_addf(t, "%s %c", buf, mark);
	table_mark(t, mark == '+' ? TABLE_GOOD : mark == '-' ? TABLE_BAD : TABLE_PLAIN);
}

static bool is_first(const struct side *s, size_t r, size_t m)
{
	const struct measurement *row = s->results[r]->measurements[m];

	for (size_t i = 0; i <= r; i++) {
		size_t end = i < r ? s->results[i]->measurement_count : m;

		for (size_t k = 0; k < end; k++)
			if (s->results[i]->measurements[k]->write_cache == row->write_cache &&
				strcmp(s->results[i]->measurements[k]->probe, row->probe) == 0)
				return false;
	}
	return true;
}

static bool any_figure(const struct side *s, const struct measurement *row)
{
	for (size_t i = s->first; i < s->first + s->count; i++)
		if (!isnan(figure(s, i, row)))
			return true;
	return false;
}

static int print_table(struct cli *cli, const struct side *s, struct err *reterr)
{
	struct table_column columns[TABLE_COLUMNS_MAX] = {
		{ .head = "ROW", .cut = TABLE_CUT_END }, { .head = "CACHE" },
	};
	char heads[TABLE_COLUMNS_MAX][16];
	struct table *t;
	int rc;

	for (size_t i = 0; i < s->count; i++) {
		(void)snprintf(heads[i], sizeof(heads[i]), "[%zu]  ", s->first + i + 1);
		columns[2 + i] = (struct table_column){ .head = heads[i], .align = TABLE_RIGHT };
	}
	t = table_new(columns, 2 + s->count);
	table_indent(t, 2);
	for (size_t r = 0; r < s->n; r++) {
		for (size_t m = 0; m < s->results[r]->measurement_count; m++) {
			const struct measurement *row = s->results[r]->measurements[m];

			if (!is_first(s, r, m) || !any_figure(s, row))
				continue;
			table_add(t, row->probe);
			table_add(t, write_cache_word(row->write_cache));
			for (size_t i = 0; i < s->count; i++)
				add_figure(t, s, s->first + i, row);
		}
	}
	(void)fprintf(cli->out, "\n%s\n", s->p99 ? "p99 until durable" : "IOPS");
	rc = t ? table_print(t, cli, reterr) : err_nomem(reterr);
	table_free(t);
	return rc;
}

static void print_names(struct cli *cli, const struct side *s)
{
	(void)fputs("\nSide by side (+ best, - worst of a row; neither where all are within 5 %)\n",
		cli->out);
	for (size_t i = 0; i < s->n; i++) {
		const struct json *t = json_get(s->results[i]->doc, "target");
		const char *name = report_target_name(t), *serial = json_str(json_get(t, "serial"));
		const char *pre = json_str(json_path(s->results[i]->doc,
			"settings.precondition"));
		char *line;

		if (asprintf(&line, "[%zu] %s%s%s, precondition %s", i + 1,
			name ? name : "unknown target", serial ? ", serial " : "",
			serial ? serial : "", pre ? pre : "unknown") < 0)
			continue; /* the heads still count them */
		(void)fputs("  ", cli->out);
		show_paragraph(cli, line, 6);
		free(line);
	}
}

/* As many columns as the screen has room for, the others below. */
int show_side_by_side(struct cli *cli, const struct result *const *results, size_t n,
	struct err *reterr)
{
	size_t width = (size_t)term_width(cli->out);
	size_t room = width > ROW_COLUMNS + FIGURE_COLUMNS ?
		(width - ROW_COLUMNS) / FIGURE_COLUMNS : 1;
	struct side s = { .results = results, .n = n };
	int rc = 0;

	if (room > TABLE_COLUMNS_MAX - 2)
		room = TABLE_COLUMNS_MAX - 2;
	print_names(cli, &s);
	for (int p99 = 0; p99 < 2; p99++) {
		s.p99 = p99;
		for (s.first = 0; s.first < n && rc == 0; s.first += room) {
			s.count = n - s.first < room ? n - s.first : room;
			rc = print_table(cli, &s, reterr);
		}
	}
	return rc;
}
