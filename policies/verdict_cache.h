/* verdict_cache.h - write cache on or off: each row in both states, and what follows.
 *
 * Rows come from one document (run --write-cache both, on and off in turn, each repetition a
 * measurement of its own) or from several of the same drive.
 *   With repetitions in both states the spread is the range of the repetitions, on and off added; a
 *   row differs where the means do by more than that, and by more than THRESHOLD_CACHE_LEAST.
 *   With one in each there is no spread: below THRESHOLD_CACHE_SAME it is no difference.
 *   A row that is slower by more than THRESHOLD_CACHE_SAME with the cache off is a loss.
 * Overall: a loss: keep on. No loss, and a row that syncs gains: turn off. Neither: no difference.
 * A loss within the spread leaves it open.
 */
#ifndef SSDQUAL_POLICIES_VERDICT_CACHE_H
#define SSDQUAL_POLICIES_VERDICT_CACHE_H

#include "policies/verdict.h"

#define VERDICT_CACHE_ROWS 48

enum cache_answer { CACHE_UNKNOWN, CACHE_TURN_OFF, CACHE_KEEP_ON, CACHE_SAME };
enum cache_row_answer { CACHE_ROW_SAME, CACHE_ROW_GAIN, CACHE_ROW_LOSS, CACHE_ROW_OPEN };

struct cache_row {
	struct row_figures on, off;
	double ratio;    /* IOPS off / on */
	double spread;   /* share of the IOPS with the cache on; NAN: not repeated */
	double saved_ns; /* of a commit, with the cache off; NAN: not depth 1, or no sync */
	bool syncs;
	enum cache_row_answer answer; /* of turning off */
};

struct cache_verdict {
	struct cache_row row[VERDICT_CACHE_ROWS];
	size_t count;             /* rows that were measured in both states */
	enum cache_answer answer;
	bool repeated;            /* every row has a spread */
	const struct cache_row *binding; /* the row that decided; NULL: none did */
	double saved_low_ns, saved_high_ns; /* over the rows that gain at depth 1; NAN: none */
};

void verdict_cache_rows(const struct verdict_input *in, struct cache_verdict *ret);
/* "turn off" "keep on" "no difference" "unknown"; "no difference" "turn off" "keep on" "open" */
const char *cache_answer_word(enum cache_answer a);
const char *cache_row_word(enum cache_row_answer a);

#endif
