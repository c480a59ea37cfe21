/* verdict_plp.h - power-loss protection as weighed evidence, never by speed alone.
 *
 * Weights, positive for protection; a sum of 3 is yes, of -3 no, anything between unknown; from 4
 * on and without evidence to the contrary the confidence is high:
 *    +3  the controller says that it has no volatile cache (NVMe VWC bit 0 clear)
 *    +3  SMART says that its capacitors are well
 *    +3  cache on: a durable write takes at most twice an unsynced one;  -3  ten times and more
 *    +1  FLUSH costs no more than twice FUA (only where queue/fua is 1); -2  five times and more
 *    +3  the controller's tool: the drives' caches off, its own off or with a good battery;
 *    -3  one of them on without
 *    +1  a reference drive that we classified as protected;              -1  as not protected
 * NVMe critical warning bit 4, or failed capacitors, override all: no.
 * In a virtual machine, on a volume or behind a bridge a cheap sync is taken as an ignored FLUSH.
 * A flush that is too fast to be true, or ignored, takes the weight off the ratios and is a
 * finding.
 */
#ifndef SSDQUAL_POLICIES_VERDICT_PLP_H
#define SSDQUAL_POLICIES_VERDICT_PLP_H

#include "policies/verdict.h"

#define PLP_EVIDENCE_MAX 10

enum plp_answer { PLP_ANSWER_UNKNOWN, PLP_ANSWER_YES, PLP_ANSWER_NO };

struct plp_evidence {
	const char *kind;   /* "vwc" "capacitor" "ratio" "fua" "reference" "controller"
			     * "critical-warning" */
	char text[160];
	int weight;         /* 0: looked at, says nothing */
	const char *source;
};

struct plp_verdict {
	struct plp_evidence item[PLP_EVIDENCE_MAX];
	size_t count;
	int score;
	enum plp_answer answer;
	bool high;          /* confidence */
	bool failed;        /* the protection that was there has failed: overrides all */
	bool not_the_drives; /* a volume's or a RAID controller's: unknown */
};

/* verdict_plp_judge - @findings may be NULL. */
void verdict_plp_judge(const struct verdict_input *in, struct plp_verdict *ret,
	struct notes *findings);
const char *plp_answer_word(enum plp_answer a); /* "unknown" "yes" "no" */

#endif
