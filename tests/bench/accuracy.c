/* accuracy.c - replay every measured cell of a folder and print predicted against measured.
 *
 *   accuracy [DIR]       DIR: tests/measured
 * Exit status: 0 the bounds hold, 1 they do not, 6 the folder cannot be read.
 */
#include "tests/bench/accuracy.h"

#include "policies/sim_constants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 5

static const char *mode_word(const struct cell *c, char *buf, size_t len)
{
	static const char *const word[CACHE_MODE_COUNT] = { [CACHE_NONE] = "none",
		[CACHE_WRITETHROUGH] = "writethrough", [CACHE_WRITEBACK] = "writeback",
		[CACHE_WRITEAROUND] = "writearound", [CACHE_PWL_SSD] = "pwl-ssd",
		[CACHE_PWL_RWL] = "pwl-rwl" };

	snprintf(buf, len, "%s %g/%g/%g", word[c->set.mode], c->set.size_bytes / 1048576,
		c->set.max_dirty_bytes / 1048576, c->set.target_dirty_bytes / 1048576);
	return buf;
}

static void print_cell(const struct cell *c)
{
	printf("%s%s\n", c->name, c->base ? " (no cache: from itself, not a prediction)" : "");
	if (!c->predicted) {
		printf("    not predicted: %s\n", c->why);
		return;
	}
	for (unsigned m = 0; m < METRICS; m++) {
		const struct figure *f = &c->f[m];
		double unit = m == M_IOPS ? 1 : 1e6;

		if (isnan(f->measured) || isnan(f->predicted))
			continue;
		printf("    %-9s predicted %9.3f  measured %9.3f [%.3f, %.3f]  ratio %6.2f  %s\n",
			metric_word[m], f->predicted / unit, f->measured / unit, f->low / unit,
			f->high / unit, f->predicted / f->measured,
			c->base ? "" : figure_inside(f, m) ? "inside" : "OUTSIDE");
	}
	if (!isnan(c->measured_stall_s) || !isnan(c->stall_s))
		printf("    first stall: predicted at %.1f s for %.1f s, measured at %.1f s for %.1f s\n",
			c->stall_at_s, c->stall_s, c->measured_stall_at_s, c->measured_stall_s);
	printf("    %s\n", c->why);
}

struct share {
	unsigned in, of;
};

static void add(struct share *s, bool inside)
{
	s->in += inside;
	s->of++;
}

static double share(struct share s)
{
	return s.of ? (double)s.in / s.of : NAN;
}

/* -- best settings ---------------------------------------------------------------------------- */

static double merit(const struct cell *c, bool predicted)
{
	const struct figure *f = c->kind == CELL_PAIR ? &c->f[M_PAIR_P50] : &c->f[M_IOPS];
	double v = predicted ? f->predicted : f->measured;

	return c->kind == CELL_PAIR ? -v : v;
}

/* good_enough - @c measured within 10 % of the best, or inside its interval. */
static bool good_enough(const struct cell *c, const struct cell *best)
{
	const struct figure *a = c->kind == CELL_PAIR ? &c->f[M_PAIR_P50] : &c->f[M_IOPS];
	const struct figure *b = c->kind == CELL_PAIR ? &best->f[M_PAIR_P50] : &best->f[M_IOPS];

	if (c->kind == CELL_PAIR)
		return a->measured <= 1.1 * b->measured || a->low <= b->high;
	return a->measured >= 0.9 * b->measured || a->high >= b->low;
}

static void best_of(const struct set *s, size_t first, struct share *right)
{
	const char *workload = s->cell[first].workload;
	const struct cell *predicted = NULL, *measured = NULL;
	unsigned n = 0;
	char a[64], b[64];

	for (size_t i = 0; i < s->cells; i++) {
		const struct cell *c = &s->cell[i];

		if (strcmp(c->workload, workload) != 0 || !c->predicted)
			continue;
		if (i < first)
			return; /* shown before */
		n++;
		if (!predicted || merit(c, true) > merit(predicted, true))
			predicted = c;
		if (!measured || merit(c, false) > merit(measured, false))
			measured = c;
	}
	if (n < 2)
		return;
	add(right, good_enough(predicted, measured));
	printf("  %-28s predicted %-24s measured %-24s %s\n", workload,
		mode_word(predicted, a, sizeof(a)), mode_word(measured, b, sizeof(b)),
		good_enough(predicted, measured) ? "right" : "WRONG");
}

/* -- the smallest sufficient size ------------------------------------------------------------------ */

static bool smaller(const struct cell *a, const struct cell *b)
{
	if (a->set.max_dirty_bytes != b->set.max_dirty_bytes)
		return a->set.max_dirty_bytes < b->set.max_dirty_bytes;
	if (a->set.target_dirty_bytes != b->set.target_dirty_bytes)
		return a->set.target_dirty_bytes < b->set.target_dirty_bytes;
	return a->set.size_bytes < b->set.size_bytes;
}

static double value(const struct cell *c, enum metric m, bool predicted)
{
	return predicted ? c->f[m].predicted : c->f[m].measured;
}

/* sufficient - at least 90 % of the best IOPS, and at most twice the best p99, of this sweep. */
static unsigned sufficient(const struct cell **sweep, unsigned n, bool predicted)
{
	double iops = 0, p99 = INFINITY;

	for (unsigned i = 0; i < n; i++) {
		iops = fmax(iops, value(sweep[i], M_IOPS, predicted));
		p99 = fmin(p99, value(sweep[i], M_WRITE_P99, predicted));
	}
	for (unsigned i = 0; i < n; i++)
		if (value(sweep[i], M_IOPS, predicted) >= 0.9 * iops &&
			value(sweep[i], M_WRITE_P99, predicted) <= 2 * p99)
			return i;
	return n - 1;
}

#define SWEEP_MAX 64

/* sweep_of - the sizes of one cache under one load, smallest first; 0: shown before, or no sweep. */
static unsigned sweep_of(const struct set *s, size_t first, const struct cell *sweep[SWEEP_MAX])
{
	unsigned n = 0;

	for (size_t i = 0; i < s->cells && n < SWEEP_MAX; i++) {
		const struct cell *c = &s->cell[i];
		unsigned at = n;

		if (c->kind != CELL_FIO || !c->predicted || c->base ||
			c->set.mode != s->cell[first].set.mode ||
			strcmp(c->workload, s->cell[first].workload) != 0)
			continue;
		if (i < first)
			return 0;
		for (; at > 0 && smaller(c, sweep[at - 1]); at--)
			sweep[at] = sweep[at - 1];
		sweep[at] = c;
		n++;
	}
	return n > 1 ? n : 0;
}

static void smallest_of(const struct set *s, size_t first, struct share *right)
{
	const struct cell *sweep[SWEEP_MAX];
	unsigned n = sweep_of(s, first, sweep), p, m;
	char a[64], b[64];
	bool ok;

	if (n == 0)
		return;
	p = sufficient(sweep, n, true);
	m = sufficient(sweep, n, false);
	ok = p + 1 >= m && m + 1 >= p;
	add(right, ok);
	printf("  %-28s predicted %-24s measured %-24s %s\n", s->cell[first].workload,
		mode_word(sweep[p], a, sizeof(a)), mode_word(sweep[m], b, sizeof(b)),
		p == m ? "right" : ok ? "one step off" : "WRONG");
}

static int verdict(const char *what, struct share s, double bound)
{
	bool ok = s.of == 0 || share(s) >= bound;

	printf("  %-52s %3u of %3u (%.0f %%), bound %.0f %%: %s\n", what, s.in, s.of,
		s.of ? 100 * share(s) : 0, 100 * bound, ok ? "holds" : "MISSED");
	return ok ? 0 : 1;
}

static int summarize(const struct set *s)
{
	struct share p50 = { 0, 0 }, p99 = { 0, 0 }, main50 = { 0, 0 }, main99 = { 0, 0 };
	struct share iops = { 0, 0 }, right = { 0, 0 }, sizes = { 0, 0 };
	int bad = 0;

	printf("\nbest setting per workload\n");
	for (size_t i = 0; i < s->cells; i++)
		best_of(s, i, &right);
	printf("\nsmallest sufficient cache (90 %% of the sweep's best IOPS, twice its best p99)\n");
	for (size_t i = 0; i < s->cells; i++)
		smallest_of(s, i, &sizes);
	for (size_t i = 0; i < s->cells; i++) {
		const struct cell *c = &s->cell[i];
		bool pair = c->kind == CELL_PAIR;

		if (!c->predicted || c->base)
			continue;
		add(&main50, figure_inside(&c->f[pair ? M_PAIR_P50 : M_WRITE_P50], M_PAIR_P50));
		add(&main99, figure_inside(&c->f[pair ? M_PAIR_P99 : M_WRITE_P99], M_PAIR_P99));
		add(&iops, figure_inside(&c->f[M_IOPS], M_IOPS));
		for (unsigned m = 0; m < M_IOPS; m++)
			if (!isnan(c->f[m].measured) && !isnan(c->f[m].predicted))
				add(m % 2 ? &p99 : &p50, figure_inside(&c->f[m], m));
	}
	printf("\nsummary\n");
	bad |= verdict("best setting of the workload", right, 0.9);
	bad |= verdict("smallest sufficient cache, within one step", sizes, 1);
	bad |= verdict("median of the cell (pair, else write) within 25 %", main50, 0.8);
	bad |= verdict("p99 of the cell within 1.5 x", main99, 0.7);
	bad |= verdict("all medians (write, flush, pair) within 25 %", p50, 0.8);
	bad |= verdict("all p99 within 1.5 x", p99, 0.7);
	bad |= verdict("IOPS within 25 %", iops, 0.8);
	return bad;
}

static void print_fitted(void)
{
	printf("\nfitted constants (policies/sim_constants.h)\n");
	for (const struct sim_fitted *f = sim_fitted; f->name; f++)
		printf("  %-18s %10g %-3s %s; fitted on %s\n", f->name, f->value, f->unit,
			f->meaning, f->fitted_on);
}

int main(int argc, char **argv)
{
	struct set s;
	struct err e = ERR_INIT;
	const char *dir = argc > 1 ? argv[1] : "tests/measured";
	int bad = 0, guest;

	if (set_read(&s, dir, &e) < 0) {
		fprintf(stderr, "accuracy: %s\n", e.msg);
		set_free(&s);
		return 6;
	}
	printf("latencies in ms; intervals: bootstrap, 95 %%; inside: p50 and IOPS within 25 %%, "
		"p99 within 1.5 x, or in the interval\n\n");
	for (size_t i = 0; i < s.cells; i++) {
		figures_measure(&s.cell[i]);
		if (cell_predict(&s.cell[i], &s, SEEDS, &e) < 0) {
			snprintf(s.cell[i].why, sizeof(s.cell[i].why), "%.150s", e.msg);
			bad = 1;
		}
		print_cell(&s.cell[i]);
	}
	bad |= summarize(&s);
	guest = guest_report(&s, dir, &e);
	if (guest < 0)
		printf("guest: %s\n", e.msg);
	bad |= guest != 0;
	print_fitted();
	for (size_t i = 0; i < s.unknowns; i++)
		printf("%s%s\n", i ? "  " : "\nnot understood\n  ", s.unknown[i]);
	set_free(&s);
	return bad;
}
