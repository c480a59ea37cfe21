/* endurance.h - how worn a drive is, how long it lasts, and what a test cost it.
 *
 * Pure arithmetic on two readings of a drive's health (data/smart.h) and on what is stated: the
 * maker's rating, writes a day. Every figure that cannot be had is NAN. Two ways to years left,
 * which rarely agree, are kept apart: the maker's promise (rated bytes minus bytes written), and
 * the drive's own count of its wear (percent left at the bytes a percent has cost so far).
 */
#ifndef SSDQUAL_POLICIES_ENDURANCE_H
#define SSDQUAL_POLICIES_ENDURANCE_H

#include "data/smart.h"
#include "policies/notes.h"

struct endurance_stated {
	double rated_bytes;          /* NAN: unknown */
	double writes_per_day_bytes; /* of the workload; NAN: not stated */
};

struct endurance {
	double percent_used, percent_remaining;
	double written_bytes;
	double rated_bytes, rated_share; /* written / rated */
	double bytes_per_percent;        /* host bytes that a percent of wear took so far */
	double years_by_rating, years_by_wear; /* at the stated writes a day; 0: used up */
	double years_left;               /* the smaller one that is known */
	double mean_per_day_bytes;       /* written over power-on time */
};

/* endurance_per_day - bytes that @w writes on one host a day, at most: its pauses alone are
 * counted, not the time that its writes take. NAN: it pauses for nothing, so that nothing bounds
 * it. */
struct workload;
double endurance_per_day(const struct workload *w);

/* endurance_judge - @h: the latest reading. */
void endurance_judge(const struct smart_health *h, const struct endurance_stated *s,
	struct endurance *ret);

/* A difference of two totals. Right within +- @error: one step of the counter. */
struct endurance_delta {
	bool known;
	double bytes, error_bytes;
	const char *why; /* where it is not known: "counter went back", ... */
};

struct endurance_cost {
	struct endurance_delta host, nand;
	double write_amplification; /* of the run; NAN where the counters are too coarse to tell */
	double rated_share;
	double wear_percent;        /* percent used: after - before */
};

/* A window of fewer steps than this gives a difference of no use for ratios. */
#define ENDURANCE_STEPS_LEAST 10

/* endurance_delta - @before and @after of one counter. */
void endurance_delta(const struct smart_bytes *before, const struct smart_bytes *after,
	struct endurance_delta *ret);

/* endurance_cost - what lies between two readings. @written_bytes: what was written to it
 * meanwhile, by the writer's own count; NAN: unknown.
 * @findings: what does not fit: "smart-swapped" (another drive answers), "smart-reset" (a total
 * went back), "smart-still" (much was written and the total did not move), "smart-step" (the window
 * is smaller than ten steps of the counter). May be NULL. */
void endurance_cost(const struct smart_health *before, const struct smart_health *after,
	double written_bytes, double rated_bytes, struct endurance_cost *ret,
	struct notes *findings);

#endif
