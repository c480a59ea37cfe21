/* verify_judge.c - does a prediction hold against what was measured? */
#include "policies/verify_judge.h"

#include <math.h>

#include "policies/threshold.h"

const char *verify_word(enum verify_verdict v)
{
	static const char *const word[] = { "unknown", "hit", "miss" };

	return word[v];
}

double verify_bound(enum verify_kind kind)
{
	return threshold(kind == VERIFY_TAIL ? THRESHOLD_VERIFY_TAIL : THRESHOLD_VERIFY_MEDIAN);
}

struct verify_check verify_judge(enum verify_kind kind, double predicted, double measured,
	const double *round, size_t rounds)
{
	struct verify_check c = { .predicted = predicted, .measured = measured, .low = NAN,
		.high = NAN, .ratio = NAN, .verdict = VERIFY_UNKNOWN };
	double bound = verify_bound(kind);

	for (size_t i = 0; i < rounds; i++) {
		if (isnan(round[i]))
			continue;
		c.low = isnan(c.low) ? round[i] : fmin(c.low, round[i]);
		c.high = isnan(c.high) ? round[i] : fmax(c.high, round[i]);
	}
	if (isnan(predicted) || !(measured > 0))
		return c;
	c.ratio = predicted / measured;
	c.verdict = (c.ratio <= bound && c.ratio >= 1 / bound) ||
		(predicted >= c.low && predicted <= c.high) ? VERIFY_HIT : VERIFY_MISS;
	return c;
}
