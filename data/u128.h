/* u128.h - counters of 128 bits: NVMe keeps its totals in 16 bytes, and bytes of them need more.
 *
 * In JSON a number below 2^52, a decimal string from there on (see data/json.h), of up to 39
 * digits.
 */
#ifndef SSDQUAL_DATA_U128_H
#define SSDQUAL_DATA_U128_H

#include "data/json.h"

__extension__ typedef unsigned __int128 u128;

#define U128_MAX (~(u128)0)
#define U128_BUF 40 /* 39 digits and the final NUL */

/* u128_format - decimal digits into @buf (U128_BUF bytes); returns it. */
char *u128_format(char *buf, u128 v);
/* u128_parse - digits only, all of @s; false, and *ret untouched, for anything else or above
 * 2^128. */
bool u128_parse(const char *s, u128 *ret);
/* u128_le - 16 bytes, little-endian. */
u128 u128_le(const uint8_t *p);
/* u128_times - a * b; false where it does not fit (*ret is U128_MAX then: a lower bound). */
bool u128_times(u128 a, u128 b, u128 *ret);
double u128_f64(u128 v);

struct json *json_new_u128(u128 v);
/* json_u128 - true and *ret: a whole number up to 2^53, or a decimal string. */
bool json_u128(const struct json *j, u128 *ret);

#endif
