/* result_check.h - what result_check.c hands to result_json.c, so that a histogram is read once. */
#ifndef SSDQUAL_DATA_RESULT_CHECK_H
#define SSDQUAL_DATA_RESULT_CHECK_H

#include "data/result.h"

/* The latencies of a measurement, in this order everywhere. */
enum { PART_LAT, PART_WRITE, PART_SYNC, PART_UNCORRECTED, PART_COUNT };
extern const char *const latency_key[PART_COUNT]; /* "lat_ns", ... */

/* Those of a measurement that have a histogram, with it; absent where there is none. */
struct latencies {
	struct latency part[PART_COUNT];
};

/* result_examine - result_validate(), and the latencies that were read for it.
 * @ret_latencies: one for each element of "measurements", zeroed by the caller, who owns what they
 * hold afterwards, also with complaints or on failure; NULL: not wanted */
int result_examine(const struct json *doc, struct complaints *ret, struct latencies *ret_latencies,
	struct err *reterr);

#endif
