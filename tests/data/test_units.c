/* test_units.c - data/units.h, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "data/units.h"
#include "tests/data/comma_locale.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define KIB UINT64_C(1024)

struct parse_row {
	const char *text;
	int r;
	uint64_t value;
};

static void check_parse(int (*parse)(const char *, uint64_t *), const struct parse_row *row)
{
	uint64_t v = 12345;
	int r = parse(row->text, &v);

	if (r != row->r || v != (r ? 12345 : row->value))
		fail_msg("\"%s\": %d, %llu", row->text, r, (unsigned long long)v);
}

static void reads_whole_numbers(void **state)
{
	static const struct parse_row rows[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_parse(units_parse_u64, &rows[i]);
}

static void reads_sizes_as_fio_does(void **state)
{
	static const struct parse_row rows[] = {
		{ "4096", 0, 4096 },
		{ "512B", 0, 512 },
		{ "4k", 0, 4096 },
		{ "4K", 0, 4096 },
		{ "4Ki", 0, 4096 },
		{ "4KiB", 0, 4096 },
		{ "4kib", 0, 4096 },
		{ "4kB", 0, 4000 },
		{ "4KB", 0, 4000 },
		{ "4kb", -EINVAL, 0 },
		{ "1.5G", 0, 3 * KIB * KIB * KIB / 2 },
		{ "1.5GB", 0, 1500000000 },
		{ "100MB", 0, 100000000 },
		{ "2T", 0, 2 * KIB * KIB * KIB * KIB },
		{ "0.3k", 0, 307 },
		{ "0.0001k", -ERANGE, 0 },
		{ "0", 0, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "1.k", -EINVAL, 0 },
		{ ".5k", -EINVAL, 0 },
		{ "k", -EINVAL, 0 },
		{ "4kk", -EINVAL, 0 },
		{ "4x", -EINVAL, 0 },
		{ "-4k", -EINVAL, 0 },
		{ "4 k", -EINVAL, 0 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16777216T", -ERANGE, 0 },
		{ "16383P", 0, UINT64_C(16383) << 50 },
		{ "16384P", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "1.99999999999999999999999999999k", 0, 2048 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_parse(units_parse_bytes, &rows[i]);
}

static void reads_durations(void **state)
{
	static const struct parse_row rows[] = {
		{ "60", 0, 60000000000 },
		{ "60s", 0, 60000000000 },
		{ "1.5ms", 0, 1500000 },
		{ "20us", 0, 20000 },
		{ "20usec", 0, 20000 },
		{ "5m", 0, 300000000000 },
		{ "2h", 0, 7200000000000 },
		{ "300ns", 0, 300 },
		{ "0.5", 0, 500000000 },
		{ "0", 0, 0 },
		{ "0.1ns", -ERANGE, 0 },
		{ "1d", 0, 86400000000000 },
		{ "213504d", -ERANGE, 0 },
		{ "5 m", -EINVAL, 0 },
		{ "5x", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_parse(units_parse_duration_ns, &rows[i]);
}

static void reads_ratios_and_numbers(void **state)
{
	double v = 7;

	(void)state;
	assert_int_equal(units_parse_ratio("10%", &v), 0);
	assert_true(v == 0.1);
	assert_int_equal(units_parse_ratio("0.1", &v), 0);
	assert_true(v == 0.1);
	assert_int_equal(units_parse_ratio("150%", &v), 0);
	assert_true(v == 1.5);
	assert_int_equal(units_parse_f64("1e-3", &v), 0);
	assert_true(v == 0.001);
	v = 7;
	assert_int_equal(units_parse_ratio("10%%", &v), -EINVAL);
	assert_int_equal(units_parse_ratio("%", &v), -EINVAL);
	assert_int_equal(units_parse_f64("inf", &v), -EINVAL);
	assert_int_equal(units_parse_f64("nan", &v), -EINVAL);
	assert_int_equal(units_parse_f64("0x1p3", &v), -EINVAL);
	assert_int_equal(units_parse_f64("1e999", &v), -ERANGE);
	assert_int_equal(units_parse_f64("-1", &v), -EINVAL);
	assert_int_equal(units_parse_f64("1,5", &v), -EINVAL);
	assert_true(v == 7);
}

struct format_row {
	char *(*format)(char *, size_t, double);
	double value;
	const char *text;
};

static const struct format_row format_rows[] = {
	{ units_format_bytes, 0, "0 B" },
	{ units_format_bytes, 512, "512 B" },
	{ units_format_bytes, 65536, "64 KiB" },
	{ units_format_bytes, 3.5 * 1073741824, "3.5 GiB" },
	{ units_format_bytes, 1048575, "1 MiB" },
	{ units_format_bytes, 1023, "1023 B" },
	{ units_format_bytes, NAN, "unknown" },
	{ units_format_bytes, INFINITY, "unknown" },
	{ units_format_capacity, 3840755982336.0, "3.84 TB" },
	{ units_format_capacity, 960197124096.0, "960 GB" },
	{ units_format_capacity, 999999999999.0, "1 TB" },
	{ units_format_rate, 505.0 * 1048576, "505 MiB/s" },
	{ units_format_rate, 1.5 * 1073741824, "1.50 GiB/s" },
	{ units_format_ns, 812, "812 ns" },
	{ units_format_ns, 44321, "44.3 us" },
	{ units_format_ns, 1420000, "1.42 ms" },
	{ units_format_ns, 2050000000.0, "2.05 s" },
	{ units_format_ns, 999700, "1.00 ms" },
	{ units_format_ns, 9996, "10.0 us" },
	{ units_format_ns, 99960, "100 us" },
	{ units_format_ns, 0, "0 ns" },
	{ units_format_ns, 3.6e12, "3600 s" },
	{ units_format_ns, -1420000, "-1.42 ms" },
	{ units_format_ns, NAN, "unknown" },
	{ units_format_count, 0, "0" },
	{ units_format_count, 0.5, "0.5" },
	{ units_format_count, 97, "97" },
	{ units_format_count, 1931, "1931" },
	{ units_format_count, 19700, "19.7k" },
	{ units_format_count, 1200000, "1.2M" },
	{ units_format_count, 9999.6, "10k" },
	{ units_format_count, NAN, "unknown" },
	{ units_format_span, 4.5, "4.5 s" },
	{ units_format_span, 45, "45 s" },
	{ units_format_span, 59.7, "1 min 0 s" },
	{ units_format_span, 200, "3 min 20 s" },
	{ units_format_span, 3900, "1 h 05 min" },
	{ units_format_span, NAN, "unknown" },
};

static void shows_three_digits_and_one_unit(void **state)
{
	char buf[UNITS_BUF];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(format_rows); i++)
		assert_string_equal(format_rows[i].format(buf, sizeof(buf), format_rows[i].value),
			format_rows[i].text);
}

static void never_writes_past_the_buffer(void **state)
{
	char buf[UNITS_BUF];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(format_rows); i++) {
		memset(buf, '#', sizeof(buf));
		(void)format_rows[i].format(buf, 4, format_rows[i].value);
		assert_true(memchr(buf, '\0', 4) != NULL);
		assert_int_equal(buf[4], '#');
	}
}

static void the_locale_does_not_matter(void **state)
{
	(void)state;
	if (!comma_locale_enter())
		skip();
	reads_ratios_and_numbers(state);
	reads_sizes_as_fio_does(state);
	shows_three_digits_and_one_unit(state);
	comma_locale_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole_numbers),
		cmocka_unit_test(reads_sizes_as_fio_does),
		cmocka_unit_test(reads_durations),
		cmocka_unit_test(reads_ratios_and_numbers),
		cmocka_unit_test(shows_three_digits_and_one_unit),
		cmocka_unit_test(never_writes_past_the_buffer),
		cmocka_unit_test(the_locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
