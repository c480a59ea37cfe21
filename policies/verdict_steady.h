/* verdict_steady.h - did a row end as it began? A drive's fast cache makes a quick start; what it
 * gives once that is full is in the last window, and the mean of both is neither. */
#ifndef SSDQUAL_POLICIES_VERDICT_STEADY_H
#define SSDQUAL_POLICIES_VERDICT_STEADY_H

#include "policies/verdict.h"

#define STEADY_SECONDS_LEAST 12 /* a row of fewer says nothing */
#define STEADY_ROWS_MAX      32

/* Bytes a second. A window is a sixth of the row, at least 5 s. */
struct steady_row {
	const struct measurement *m;
	double mean, first, last;
	double window_s;
	bool steady; /* first and last differ by at most THRESHOLD_WINDOWS of the larger */
};

struct steady_verdict {
	struct steady_row row[STEADY_ROWS_MAX]; /* writing rows that are long enough */
	size_t count;
	const struct steady_row *worst; /* the largest drop; NULL: no row */
};

/* steady_row - false: too short, or seconds without a figure. */
bool steady_row(const struct measurement *m, struct steady_row *ret);
void verdict_steady_judge(const struct verdict_input *in, struct steady_verdict *ret);

#endif
