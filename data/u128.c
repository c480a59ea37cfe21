/* u128.c - counters of 128 bits. */
#include "data/u128.h"

#include <string.h>

char *u128_format(char *buf, u128 v)
{
	char digits[U128_BUF];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = digits[n - 1 - i];
	buf[n] = '\0';
	return buf;
}

bool u128_parse(const char *s, u128 *ret)
{
	u128 v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned digit = (unsigned)(*s - '0');

		if (*s < '0' || *s > '9' || v > U128_MAX / 10 ||
			(v == U128_MAX / 10 && digit > (unsigned)(U128_MAX % 10)))
			return false;
		v = v * 10 + digit;
	}
	*ret = v;
	return true;
}

u128 u128_le(const uint8_t *p)
{
	u128 v = 0;

	for (int i = 15; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

bool u128_times(u128 a, u128 b, u128 *ret)
{
	if (b && a > U128_MAX / b) {
		*ret = U128_MAX;
		return false;
	}
	*ret = a * b;
	return true;
}

double u128_f64(u128 v)
{
	return (double)v;
}

struct json *json_new_u128(u128 v)
{
	char text[U128_BUF];

	if (v < (u128)1 << 52)
		return json_new_u64((uint64_t)v);
	return json_new_str(u128_format(text, v));
}

bool json_u128(const struct json *j, u128 *ret)
{
	uint64_t v;

	if (json_str(j))
		return u128_parse(json_str(j), ret);
	if (!json_u64(j, &v))
		return false;
	*ret = v;
	return true;
}
