/* progress.c - the status line of a run. */
#include "cli/progress.h"

#include "cli/term.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>

static void fill_begin(void *ctx, const char *what, uint64_t bytes)
{
	struct progress *p = ctx;
	char size[UNITS_BUF];

	(void)snprintf(p->what, sizeof(p->what), "%s", what);
	p->fill_bytes = bytes;
	p->row_s = 0;
	term_status(p->cli, "%s: %s", p->what,
		units_format_bytes(size, sizeof(size), (double)bytes));
}

static void row_begin(void *ctx, const struct plan_row *row, const char *cache, size_t number,
	size_t of)
{
	struct progress *p = ctx;
	unsigned legs = p->plan->legs;
	double leg_s = (double)row->params.runtime_ns / 1e9;
	double after = (legs - 1 - (unsigned)((number - 1) % legs)) * leg_s;
	bool seen = false;

	for (size_t i = 0; i < p->plan->row_count; i++) {
		const struct plan_row *r = &p->plan->rows[i];

		if (seen && r->applicable)
			after += legs * (double)r->params.runtime_ns / 1e9;
		seen = seen || r == row;
	}
	(void)snprintf(p->what, sizeof(p->what), "%s%s%s", row->row->key,
		legs > 1 ? " cache " : "", legs > 1 ? cache : ""); /* keys are short */
	p->fill_bytes = 0;
	p->number = number;
	p->of = of;
	p->left_after_s = after;
	p->row_s = leg_s;
	term_status(p->cli, "row %zu/%zu %s", number, of, p->what);
}

static void fill_tick(struct progress *p, const struct load_tick *t)
{
	char rate[UNITS_BUF], left[UNITS_BUF] = "unknown";
	double bytes_s = t->elapsed_s > 0 ? (double)t->bytes / t->elapsed_s : NAN;

	if (bytes_s > 0 && t->bytes <= p->fill_bytes)
		(void)units_format_span(left, sizeof(left),
			(double)(p->fill_bytes - t->bytes) / bytes_s);
	term_status(p->cli, "%s: %3.0f %%  %s  left %s", p->what,
		(double)t->bytes * 100 / (double)p->fill_bytes,
		units_format_rate(rate, sizeof(rate), bytes_s), left);
}

static void tick(void *ctx, const struct load_tick *t)
{
	struct progress *p = ctx;
	char iops[UNITS_BUF], rate[UNITS_BUF], p50[UNITS_BUF], p99[UNITS_BUF], left[UNITS_BUF];
	double rest = p->left_after_s + fmax(0, p->row_s - t->elapsed_s);
	double bytes_s = t->elapsed_s > 0 ? (double)t->bytes / t->elapsed_s : NAN;
	double ios_s = t->elapsed_s > 0 ? (double)t->ios / t->elapsed_s : NAN;

	if (p->fill_bytes) {
		fill_tick(p, t);
		return;
	}
	term_status(p->cli, "%zu/%zu %s %.0f/%.0f s, left %s: %s IOPS %s p50 %s p99 %s", p->number,
		p->of, p->what, t->elapsed_s, p->row_s,
		units_format_span(left, sizeof(left), rest),
		units_format_count(iops, sizeof(iops), ios_s),
		units_format_rate(rate, sizeof(rate), bytes_s),
		units_format_ns(p50, sizeof(p50), t->last.p50_ns),
		units_format_ns(p99, sizeof(p99), t->last.p99_ns));
}

static void row_end(void *ctx, const struct measurement *m)
{
	struct progress *p = ctx;
	char iops[UNITS_BUF], p50[UNITS_BUF], p99[UNITS_BUF];

	term_note(p->cli, "%zu/%zu %s: %s IOPS, p50 %s, p99 %s%s%s", p->number, p->of, p->what,
		units_format_count(iops, sizeof(iops), m->iops),
		units_format_ns(p50, sizeof(p50), m->lat.pct_ns[LAT_P50]),
		units_format_ns(p99, sizeof(p99), m->lat.pct_ns[LAT_P99]),
		m->error ? "; " : "", m->error ? m->error : "");
}

void progress_init(struct progress *p, struct cli *cli, const struct plan *plan,
	struct session_watch *ret)
{
	*p = (struct progress){ .cli = cli, .plan = plan };
	*ret = (struct session_watch){ .fill_begin = fill_begin, .row_begin = row_begin,
		.tick = tick, .row_end = row_end, .ctx = p };
}
