/* compare.h - two results of the same battery: is the new one worse? Each row against the spread
 * of both.
 *
 * A row is battery, probe and state of the write cache. Rows are comparable where what was asked of
 * the drive is the same: all of params but places and seeds, the precondition, real data.
 *
 * Two figures a row: IOPS, and the 99th percentile of the latency until durable. Each is estimated
 * with its standard error:
 *   two or more repetitions: their mean; standard error sd / sqrt(n), n - 1 degrees of freedom.
 *   one: its figure. The seconds of the timeline are cut into up to COMPARE_BLOCKS blocks of equal
 *   length, whose means are taken as samples (batch means: neighbouring seconds depend on each
 *   other). Of p99 the larger one of that and the histogram's own (the ranks at n p +- sqrt(n p q)).
 *   Fewer than COMPARE_LEAST whole seconds, or no timeline (imported figures): no spread is known.
 * The spread of the difference is Welch's 95 % interval, as a share of the base, but never less than
 * THRESHOLD_CACHE_LEAST, or THRESHOLD_CACHE_SAME where one side ran once: within one run nobody sees
 * how runs differ.
 * With the change c (positive: better), the spread s and the permitted regression L:
 *   worse:       c + s < -L        surely beyond what is permitted
 *   cannot tell: c - s < -L        it may be; or no spread is known
 *   improved:    c - s > 0
 *   same:        anything else: no regression beyond L
 * Sources: Welch 1947 (unequal variances); Student's t by table; binomial ranks for a percentile.
 */
#ifndef SSDQUAL_POLICIES_COMPARE_H
#define SSDQUAL_POLICIES_COMPARE_H

#include "data/result.h"

#define COMPARE_BLOCKS 10
#define COMPARE_LEAST 4 /* seconds */
#define COMPARE_ROWS 128

enum compare_word {
	COMPARE_SAME, COMPARE_IMPROVED, COMPARE_WORSE, COMPARE_CANNOT_TELL, COMPARE_NOT_COMPARABLE,
	COMPARE_WORDS
};
const char *compare_word(enum compare_word w); /* "same" "improved" "worse" "cannot tell" ... */

/* A figure and how well it is known. */
struct compare_estimate {
	double value;   /* NAN: there is none */
	double se;      /* standard error; NAN: not known */
	double freedom; /* degrees of; INFINITY where se comes of many I/Os */
	bool repeated;  /* se is that of repetitions */
};

/* compare_samples - mean of @n values; se NAN below two. */
struct compare_estimate compare_samples(const double *v, size_t n);
/* compare_t95 - two-sided 95 % quantile of Student's t; @freedom >= 1, INFINITY allowed, fractions
 * rounded down. */
double compare_t95(double freedom);
/* compare_iops, compare_p99 - of @n repetitions of one row. */
struct compare_estimate compare_iops(const struct measurement *const *legs, size_t n);
struct compare_estimate compare_p99(const struct measurement *const *legs, size_t n);

struct compare_figure {
	struct compare_estimate base, now;
	double change; /* share of the base, positive is better; NAN */
	double spread; /* share of the base; NAN: not known */
	enum compare_word word;
};

/* compare_figures - @more_is_better: false for latencies. @max_regress: share, >= 0. */
struct compare_figure compare_figures(struct compare_estimate base, struct compare_estimate now,
	bool more_is_better, double max_regress);

struct compare_row {
	const struct measurement *base, *now; /* first repetition; NULL: not in that result */
	size_t base_legs, now_legs;
	char why[200]; /* why it is not comparable, or cannot be told; "": it is */
	struct compare_figure iops, p99;
	enum compare_word word; /* worse, else cannot tell, else improved, else same */
};

enum compare_metric { COMPARE_ALL, COMPARE_IOPS, COMPARE_P99 };

struct compare {
	struct compare_row row[COMPARE_ROWS];
	size_t count;
	size_t words[COMPARE_WORDS]; /* rows of each */
	size_t left_out;             /* rows beyond COMPARE_ROWS */
	enum compare_word word;      /* of all: worse if one is, cannot tell if one is or none could
					be compared, improved if one is, else same */
};

/* compare_results - pure; @ret points into both results. */
void compare_results(const struct result *base, const struct result *now, double max_regress,
	enum compare_metric metric, struct compare *ret);

/* -- rank among published figures -------------------------------------------------------------- */

/* compare_rank - place of @value among @count of @others, 1 is the fastest; @ret_above, @ret_below:
 * indices of the next faster and next slower one, @count where there is none. Equal ones do not
 * count as faster. */
size_t compare_rank(const double *others, size_t count, double value, size_t *ret_above,
	size_t *ret_below);

#endif
