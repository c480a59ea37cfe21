/* identity.h - is this the same drive as that one? By the "target" objects of two documents.
 *
 * Exact: equal serial number and equal model, both given. Names change with kernels and access
 * paths, so a serial number that is the beginning of the other one, at equal capacity, is a hint,
 * never a match: histories are not joined by guesses.
 */
#ifndef SSDQUAL_DATA_IDENTITY_H
#define SSDQUAL_DATA_IDENTITY_H

#include "data/json.h"

enum identity_match {
	IDENTITY_DIFFERENT,
	IDENTITY_HINT, /* different, and possibly the same: *hint says why */
	IDENTITY_SAME,
};

#define IDENTITY_SERIAL_LEAST 8 /* characters that a common beginning needs */
#define IDENTITY_HINT_MAX 512

/* identity_compare - @hint: IDENTITY_HINT_MAX bytes, "" unless IDENTITY_HINT; may be NULL. */
enum identity_match identity_compare(const struct json *a, const struct json *b, char *hint);

#endif
