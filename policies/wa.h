/* wa.h - write amplification: what each level of a chain took, and the factors between levels.
 *
 * A difference of two readings of a counter with step s is d, and lies within d - s and d + s
 * (data/wa.h); a factor is the quotient of two differences, and its bounds are the quotients of
 * theirs: the least over the most, the most over the least. The bounds hold for certain; they are
 * no deviation. No factor comes from a counter that is not known, was reset, wrapped, belongs to
 * another drive than before, or did not move. Pure: no I/O, no clock, no globals.
 */
#ifndef SSDQUAL_POLICIES_WA_H
#define SSDQUAL_POLICIES_WA_H

#include "data/wa.h"

enum wa_state {
	WA_MOVED,   /* a difference that can be used */
	WA_UNKNOWN, /* a reading is missing, or the level does not apply */
	WA_ZERO,    /* the same value twice */
	WA_RESET,   /* less than before */
	WA_WRAPPED, /* less than before, and before was at the end of 32 or 48 bits of its steps */
	WA_SWAPPED, /* another drive or process counts now */
};
/* "moved" "unknown" "zero" "reset" "wrapped" "swapped" */
const char *wa_state_word(enum wa_state s);

struct wa_delta {
	enum wa_state state;
	double bytes, low, high; /* NAN unless WA_MOVED */
	double step;
};

/* NAN where there is none; high is infinite where the divisor may have been nothing. */
struct wa_factor {
	double value, low, high;
};

/* A window of fewer steps than this warns: the error of a difference is then above 10 %. */
#define WA_STEPS_MIN 10

struct wa_note {
	char code[24]; /* "missing" "zero" "reset" "wrapped" "swapped" "coarse" "less-than-one" */
	enum wa_level level;
	char text[320];
};

struct wa_result {
	struct wa_delta delta[WA_LEVELS];
	/* Over the nearest level above that moved; `above` is that level, -1: none. */
	struct wa_factor step[WA_LEVELS];
	int above[WA_LEVELS];
	struct wa_factor over_client[WA_LEVELS]; /* the amplification up to this level */
	int deepest; /* the last level that moved; -1 */
	struct wa_note note[2 * WA_LEVELS];
	size_t note_count;
};

struct wa_delta wa_delta_of(const struct wa_counter *c);
struct wa_factor wa_factor_of(const struct wa_delta *part, const struct wa_delta *whole);
void wa_judge(const struct wa_chain *c, struct wa_result *ret);

/* How a cluster spreads a client's write over its OSDs. */
struct wa_spread {
	unsigned replicas; /* 0: not replicated */
	unsigned k, m;     /* erasure code; 0: none */
};
/* wa_spread_copies - bytes that reach OSDs for each byte of the client: N, or (K + M) / K; NAN. */
double wa_spread_copies(const struct wa_spread *s);
/* wa_osd_in - what an OSD was given to keep: its clients' writes (a K-th of them with an erasure
 * code, where the primary keeps one of the chunks) and its peers' (subops). */
double wa_osd_in(const struct wa_spread *s, double client_bytes, double subop_bytes);
/* wa_cluster - the factor of a whole cluster from that of one OSD, whose client level is
 * wa_osd_in(). */
struct wa_factor wa_cluster(const struct wa_spread *s, const struct wa_factor *osd);

#endif
