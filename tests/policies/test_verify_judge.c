/* Predicted against measured; and a backend's pairs, which are chosen by the load's pause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/model.h"
#include "policies/verify_judge.h"

static void a_prediction_holds_within_the_stated_error(void **state)
{
	static const struct {
		enum verify_kind kind;
		double predicted, measured;
		enum verify_verdict verdict;
	} rows[] = {
		{ VERIFY_MEDIAN, 129, 100, VERIFY_HIT }, { VERIFY_MEDIAN, 131, 100, VERIFY_MISS },
		{ VERIFY_MEDIAN, 100, 129, VERIFY_HIT }, { VERIFY_MEDIAN, 100, 131, VERIFY_MISS },
		{ VERIFY_TAIL, 149, 100, VERIFY_HIT }, { VERIFY_TAIL, 151, 100, VERIFY_MISS },
		{ VERIFY_RATE, 76, 100, VERIFY_MISS }, { VERIFY_RATE, 78, 100, VERIFY_HIT },
		{ VERIFY_MEDIAN, NAN, 100, VERIFY_UNKNOWN }, { VERIFY_MEDIAN, 100, NAN, VERIFY_UNKNOWN },
		{ VERIFY_MEDIAN, 100, 0, VERIFY_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct verify_check c = verify_judge(rows[i].kind, rows[i].predicted,
			rows[i].measured, NULL, 0);

		assert_int_equal(c.verdict, rows[i].verdict);
		assert_true(isnan(c.low) && isnan(c.high));
		if (c.verdict != VERIFY_UNKNOWN)
			assert_true(fabs(c.ratio - rows[i].predicted / rows[i].measured) < 1e-12);
		else
			assert_true(isnan(c.ratio));
	}
}

static void the_spread_of_the_rounds_excuses_what_lies_inside_it(void **state)
{
	const double rounds[] = { 90, NAN, 250 };
	struct verify_check c = verify_judge(VERIFY_MEDIAN, 240, 100, rounds, 3);

	(void)state;
	assert_int_equal(c.verdict, VERIFY_HIT);
	assert_true(c.low == 90 && c.high == 250);
	c = verify_judge(VERIFY_MEDIAN, 260, 100, rounds, 3);
	assert_int_equal(c.verdict, VERIFY_MISS);
}

static struct stat_input an_input(double ms)
{
	struct stat_input s = { .known = false };

	stat_set(&s, ms * 1e6, ms * 3e6, ms * 4e6);
	return s;
}

static void the_pairs_of_the_nearest_pause_stand_for_a_write(void **state)
{
	static const struct {
		double think_ns, p50_ms;
	} rows[] = { { 0, 2.2 }, { 100e3, 2.4 }, { 300e3, 2.4 }, { 3e6, 3.0 }, { 5e6, 3.0 },
		{ 8e6, 3.5 }, { 1e9, 3.5 } };
	static const double pauses[] = { 0, 200e3, 3e6, 10e6 }, p50[] = { 2.2, 2.4, 3.0, 3.5 };
	struct backend b = { .pair_count = 4 };

	(void)state;
	b.in[BACKEND_WRITE] = an_input(2.0);
	for (size_t i = 0; i < 4; i++) {
		b.pair[i].pause_ns = pauses[i];
		b.pair[i].write = an_input(p50[i]);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload w = { .write_bytes = 4096, .depth = 1, .syncs_per_write = 1,
			.think_ns = rows[i].think_ns };
		struct model_backend m;
		struct notes n = { .count = 0 };

		model_backend_resolve(&b, &w, &m, &n);
		assert_true(m.write.p50_ns == rows[i].p50_ms * 1e6);
		/* many at once never let it fall asleep */
		w.depth = 4;
		model_backend_resolve(&b, &w, &m, &n);
		assert_true(m.write.p50_ns == 2e6);
		notes_done(&n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prediction_holds_within_the_stated_error),
		cmocka_unit_test(the_spread_of_the_rounds_excuses_what_lies_inside_it),
		cmocka_unit_test(the_pairs_of_the_nearest_pause_stand_for_a_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
