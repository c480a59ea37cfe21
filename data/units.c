/* units.c - sizes, times and ratios, in and out, without the locale. */
#include "data/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FRACTION_DIGITS 18 /* 10^18 and every multiplier together stay below 2^127 */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "12.34" split into whole = 12 and fraction = 34 / scale = 100; *ret_rest: what follows. */
struct decimal {
	uint64_t whole, fraction, scale;
	bool has_point;
};

static int read_decimal(const char *s, struct decimal *ret, const char **ret_rest)
{
	struct decimal d = { .scale = 1 };
	int digits = 0;

	if (!is_digit(*s))
		return -EINVAL;
	for (; is_digit(*s); s++) {
		if (__builtin_mul_overflow(d.whole, UINT64_C(10), &d.whole) ||
			__builtin_add_overflow(d.whole, (uint64_t)(*s - '0'), &d.whole))
			return -ERANGE;
	}
	if (*s == '.') {
		d.has_point = true;
		s++;
		if (!is_digit(*s))
			return -EINVAL;
		for (; is_digit(*s); s++) {
			if (digits++ >= FRACTION_DIGITS)
				continue; /* below any unit that is told apart here */
			d.fraction = d.fraction * 10 + (uint64_t)(*s - '0');
			d.scale *= 10;
		}
	}
	*ret = d;
	*ret_rest = s;
	return 0;
}

/* @d times @factor, rounded to the nearest whole number; something never becomes nothing. */
static int scale_decimal(const struct decimal *d, uint64_t factor, uint64_t *ret)
{
	unsigned __int128 v = (unsigned __int128)d->whole * factor;

	v += ((unsigned __int128)d->fraction * factor + d->scale / 2) / d->scale;
	if (v > UINT64_MAX)
		return -ERANGE;
	if (v == 0 && (d->whole || d->fraction))
		return -ERANGE;
	*ret = (uint64_t)v;
	return 0;
}

int units_parse_u64(const char *s, uint64_t *ret)
{
	struct decimal d;
	const char *rest;
	int r = read_decimal(s, &d, &rest);

	if (r < 0)
		return r;
	if (*rest || d.has_point)
		return -EINVAL;
	*ret = d.whole;
	return 0;
}

/* "" "B" "k" "Ki" "KiB" "kB": the factor, or 0 when it is no unit of size. "kb" is refused: fio
 * reads it as 1024 and everybody else as 1000. */
static uint64_t byte_factor(const char *unit)
{
	static const char letters[] = "kmgtp";
	const char *found;
	uint64_t factor = 1;
	uint64_t base;

	if (!*unit || strcmp(unit, "B") == 0)
		return 1;
	found = strchr(letters, *unit | 0x20);
	if (!found)
		return 0;
	unit++;
	if (!*unit || strcasecmp(unit, "i") == 0 || strcasecmp(unit, "ib") == 0)
		base = 1024;
	else if (strcmp(unit, "B") == 0)
		base = 1000;
	else
		return 0;
	for (const char *p = letters; p <= found; p++)
		factor *= base;
	return factor;
}

int units_parse_bytes(const char *s, uint64_t *ret)
{
	struct decimal d;
	const char *rest;
	uint64_t factor;
	int r = read_decimal(s, &d, &rest);

	if (r < 0)
		return r;
	factor = byte_factor(rest);
	if (factor == 0 || (factor == 1 && d.has_point))
		return -EINVAL;
	return scale_decimal(&d, factor, ret);
}

int units_parse_duration_ns(const char *s, uint64_t *ret)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} table[] = {
		{ "", 1000000000 },      { "s", 1000000000 },   { "sec", 1000000000 },
		{ "ms", 1000000 },       { "msec", 1000000 },   { "us", 1000 },
		{ "usec", 1000 },        { "ns", 1 },           { "m", 60000000000 },
		{ "min", 60000000000 },  { "h", 3600000000000 }, { "d", 86400000000000 },
	};
	struct decimal d;
	const char *rest;
	int r = read_decimal(s, &d, &rest);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcasecmp(rest, table[i].unit) == 0)
			return scale_decimal(&d, table[i].ns, ret);
	}
	return -EINVAL;
}

/* A number as JSON writes it, but without a sign; *ret_rest: what follows. */
static int read_f64(const char *s, double *ret, const char **ret_rest)
{
	const char *p = s;
	char *end;
	double v;

	if (!is_digit(*p))
		return -EINVAL;
	while (is_digit(*p))
		p++;
	if (*p == '.') {
		if (!is_digit(*++p))
			return -EINVAL;
		while (is_digit(*p))
			p++;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!is_digit(*p))
			return -EINVAL;
		while (is_digit(*p))
			p++;
	}
	/* glibc's "C" is a constant object: nothing is allocated here. */
	v = strtod_l(s, &end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
	if (end != p)
		return -EINVAL; /* "0x10" */
	if (!isfinite(v))
		return -ERANGE;
	*ret = v;
	*ret_rest = p;
	return 0;
}

int units_parse_f64(const char *s, double *ret)
{
	const char *rest;
	double v;
	int r = read_f64(s, &v, &rest);

	if (r < 0)
		return r;
	if (*rest)
		return -EINVAL;
	*ret = v;
	return 0;
}

int units_parse_ratio(const char *s, double *ret)
{
	const char *rest;
	double v;
	int r = read_f64(s, &v, &rest);

	if (r < 0)
		return r;
	if (strcmp(rest, "%") == 0)
		v /= 100.0;
	else if (*rest)
		return -EINVAL;
	*ret = v;
	return 0;
}

/* -- formatting ----------------------------------------------------------------------------- */

static char *put_unknown(char *buf, size_t len)
{
	(void)snprintf(buf, len, "unknown"); /* a cut word is the caller's choice of buffer */
	return buf;
}

/* Decimals that leave three significant digits of @v, 0 <= @v. */
static int decimals_for(double v)
{
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

/* @v with @decimals digits behind a point that no locale changes, then @unit. */
static char *put_fixed(char *buf, size_t len, double v, int decimals, bool strip, const char *unit)
{
	static const unsigned powers[] = { 1, 10, 100 };
	const char *sign = v < 0 ? "-" : "";
	unsigned long long scaled;
	unsigned long long low;

	if (!(fabs(v) < 1e16)) { /* no drive and no clock gets there */
		(void)snprintf(buf, len, "%.3g%s", v, unit);
		return buf;
	}
	scaled = (unsigned long long)llround(fabs(v) * powers[decimals]);
	low = scaled % powers[decimals];
	while (strip && decimals > 0 && low % 10 == 0) {
		decimals--;
		low /= 10;
		scaled /= 10;
	}
	if (decimals == 0)
		(void)snprintf(buf, len, "%s%llu%s", sign, scaled, unit);
	else
		(void)snprintf(buf, len, "%s%llu.%0*llu%s", sign, scaled / powers[decimals],
			decimals, low, unit);
	return buf;
}

/* Divides by @base until the shown digits fit below it: 1023.99 KiB is shown as 1 MiB. */
static char *put_scaled(char *buf, size_t len, double v, double base, const char *const *units,
	size_t unit_count, bool strip)
{
	double size = fabs(v);
	size_t u = 0;

	if (!isfinite(v))
		return put_unknown(buf, len);
	while (u + 1 < unit_count && size >= base - 0.5) {
		size /= base;
		u++;
	}
	return put_fixed(buf, len, v < 0 ? -size : size, u == 0 ? 0 : decimals_for(size), strip,
		units[u]);
}

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

char *units_format_bytes(char *buf, size_t len, double bytes)
{
	static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB", " PiB" };

	return put_scaled(buf, len, bytes, 1024.0, units, COUNT_OF(units), true);
}

char *units_format_capacity(char *buf, size_t len, double bytes)
{
	static const char *const units[] = { " B", " kB", " MB", " GB", " TB", " PB" };

	return put_scaled(buf, len, bytes, 1000.0, units, COUNT_OF(units), true);
}

char *units_format_rate(char *buf, size_t len, double bytes_s)
{
	static const char *const units[] = { " B/s", " KiB/s", " MiB/s", " GiB/s", " TiB/s" };

	return put_scaled(buf, len, bytes_s, 1024.0, units, COUNT_OF(units), false);
}

char *units_format_ns(char *buf, size_t len, double ns)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };

	return put_scaled(buf, len, ns, 1000.0, units, COUNT_OF(units), false);
}

char *units_format_count(char *buf, size_t len, double n)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };

	if (!isfinite(n))
		return put_unknown(buf, len);
	if (fabs(n) < 9.95)
		return put_fixed(buf, len, n, 1, true, ""); /* "0.5" I/Os a second is not 0 or 1 */
	if (fabs(n) < 9999.5)
		return put_fixed(buf, len, n, 0, false, "");
	return put_scaled(buf, len, n, 1000.0, units, COUNT_OF(units), true);
}

char *units_format_span(char *buf, size_t len, double seconds)
{
	unsigned long long s;

	if (!isfinite(seconds) || seconds < 0.0 || seconds > 1e15)
		return put_unknown(buf, len);
	if (seconds < 9.95)
		return put_fixed(buf, len, seconds, 1, true, " s");
	s = (unsigned long long)llround(seconds);
	if (s < 60)
		(void)snprintf(buf, len, "%llu s", s);
	else if (s < 3600)
		(void)snprintf(buf, len, "%llu min %llu s", s / 60, s % 60);
	else
		(void)snprintf(buf, len, "%llu h %02llu min", s / 3600, s % 3600 / 60);
	return buf;
}
