/* verify_judge.h - does a prediction hold against what was measured?
 *
 * It holds where it is within the stated error of the measured value, or inside the spread of the
 * rounds, which is what the measurement itself can tell. Pure.
 */
#ifndef SSDQUAL_POLICIES_VERIFY_JUDGE_H
#define SSDQUAL_POLICIES_VERIFY_JUDGE_H

#include <stddef.h>

enum verify_verdict { VERIFY_UNKNOWN, VERIFY_HIT, VERIFY_MISS };
const char *verify_word(enum verify_verdict v); /* "unknown" "hit" "miss" */

enum verify_kind { VERIFY_MEDIAN, VERIFY_TAIL, VERIFY_RATE };

struct verify_check {
	double predicted, measured; /* NAN: unknown */
	double low, high;           /* of the rounds; NAN without any */
	double ratio;               /* predicted / measured; NAN: unknown */
	enum verify_verdict verdict;
};

/* verify_judge - @measured: over all rounds; @round: the same of each, NANs passed over. */
struct verify_check verify_judge(enum verify_kind kind, double predicted, double measured,
	const double *round, size_t rounds);

/* verify_bound - largest factor between the two that counts as a hit, above 1. */
double verify_bound(enum verify_kind kind);

#endif
