/* test_verdict_steady.c - first and last windows, worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/verdict_steady.h"
#include "tests/policies/verdict_rows.h"

/* A row that writes @first bytes a second for @quick of its @n seconds, then @last. */
static struct result *row_of(size_t n, size_t quick, double first, double last)
{
	struct result *r = result_new();
	struct measurement *m = add_row(r, "linear-write", WC_UNKNOWN, 100, 32, false);

	m->timeline = calloc(n, sizeof(*m->timeline));
	assert_non_null(m->timeline);
	m->timeline_count = n;
	for (size_t i = 0; i < n; i++)
		m->timeline[i] = (struct timeline_second){ .t_s = (double)i + 1, .iops = NAN,
			.bw_bytes = i < quick ? first : last, .p50_ns = NAN, .p99_ns = NAN,
			.max_ns = NAN };
	return r;
}

static void a_fast_start_is_told_apart_from_what_remains(void **state)
{
	struct result *r = row_of(60, 45, 500e6, 60e6);
	struct steady_row row;

	(void)state;
	assert_true(steady_row(r->measurements[0], &row));
	assert_true(row.mean == 390e6 && row.first == 500e6 && row.last == 60e6);
	assert_true(row.window_s == 10);
	assert_false(row.steady);
	result_free(r);
}

static void a_change_below_a_fifth_is_steady_in_both_directions(void **state)
{
	static const struct { double first, last; bool steady; } cases[] = { { 100, 81, true },
		{ 100, 79, false }, { 81, 100, true }, { 79, 100, false }, { 100, 100, true } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *r = row_of(30, 15, cases[i].first, cases[i].last);
		struct steady_row row;

		assert_true(steady_row(r->measurements[0], &row));
		assert_int_equal(row.steady, cases[i].steady);
		result_free(r);
	}
}

static void rows_that_are_short_or_have_gaps_say_nothing(void **state)
{
	struct result *r = row_of(STEADY_SECONDS_LEAST - 1, 5, 500e6, 60e6);
	struct steady_row row;

	(void)state;
	assert_false(steady_row(r->measurements[0], &row));
	result_free(r);
	r = row_of(60, 45, 500e6, NAN);
	assert_false(steady_row(r->measurements[0], &row));
	result_free(r);
}

static void reads_are_not_looked_at(void **state)
{
	struct result *r = row_of(60, 45, 500e6, 60e6);
	const struct result *list[] = { r };
	struct verdict_input in = { .results = list, .count = 1 };
	struct steady_verdict v;

	(void)state;
	verdict_steady_judge(&in, &v);
	assert_int_equal(v.count, 1);
	assert_int_equal(json_set_str(r->measurements[0]->params, "rw", "randread"), 0);
	verdict_steady_judge(&in, &v);
	assert_int_equal(v.count, 0);
	assert_null(v.worst);
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fast_start_is_told_apart_from_what_remains),
		cmocka_unit_test(a_change_below_a_fifth_is_steady_in_both_directions),
		cmocka_unit_test(rows_that_are_short_or_have_gaps_say_nothing),
		cmocka_unit_test(reads_are_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
