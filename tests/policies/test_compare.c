/* test_compare.c - two results row by row: hand-worked spreads, and what follows from them. */
#include "policies/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/policies/verdict_rows.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* -- estimates --------------------------------------------------------------------------------- */

/* 98, 100, 102: mean 100, sum of squares 8, sd 2, standard error 2 / sqrt(3). */
static void samples_give_mean_and_standard_error(void **state)
{
	struct compare_estimate e = compare_samples((const double[]){ 98, 100, 102 }, 3);

	(void)state;
	assert_near(e.value, 100, 1e-12);
	assert_near(e.se, 1.154701, 1e-6);
	assert_near(e.freedom, 2, 0);
	e = compare_samples((const double[]){ 7 }, 1);
	assert_near(e.value, 7, 0);
	assert_true(isnan(e.se));
	assert_true(isnan(compare_samples(NULL, 0).value));
}

static void students_t_is_that_of_the_tables(void **state)
{
	(void)state;
	assert_near(compare_t95(1), 12.706, 0);
	assert_near(compare_t95(4.9), 2.776, 0); /* rounded down */
	assert_near(compare_t95(30), 2.042, 0);
	assert_near(compare_t95(30.5), 2.042, 0);
	assert_near(compare_t95(45), 2.021, 0);
	assert_near(compare_t95(INFINITY), 1.960, 0);
	assert_near(compare_t95(NAN), 12.706, 0);
}

/* Two of three samples with sd 2: se^2 = 4/3 each, sqrt(8/3) = 1.632993; freedom 4, t 2.776. */
static void the_spread_is_welchs_interval(void **state)
{
	struct compare_estimate a = compare_samples((const double[]){ 98, 100, 102 }, 3);
	struct compare_estimate b = compare_samples((const double[]){ 108, 110, 112 }, 3);
	struct compare_figure f;

	(void)state;
	a.repeated = b.repeated = true;
	f = compare_figures(a, b, true, 0.10);
	assert_near(f.change, 0.10, 1e-12);
	assert_near(f.spread, 0.0453319, 1e-6);
	assert_int_equal(f.word, COMPARE_IMPROVED);
	f = compare_figures(a, b, false, 0.10); /* a latency */
	assert_near(f.change, -0.10, 1e-12);
	assert_int_equal(f.word, COMPARE_CANNOT_TELL); /* -14.5 % to -5.5 % */
	assert_int_equal(compare_figures(a, b, false, 0.05).word, COMPARE_WORSE);
	assert_int_equal(compare_figures(a, b, false, 0.15).word, COMPARE_SAME);
}

/* se 1 with 2 degrees of freedom, se 3 with 8: (1 + 9)^2 / (1/2 + 81/8) = 100 / 10.625 = 9.41,
 * t(9) = 2.262, spread 2.262 * sqrt(10) / 100. */
static void unequal_variances_have_fractional_freedom(void **state)
{
	struct compare_estimate a = { .value = 100, .se = 1, .freedom = 2, .repeated = true };
	struct compare_estimate b = { .value = 100, .se = 3, .freedom = 8, .repeated = true };

	(void)state;
	assert_near(compare_figures(a, b, true, 0.1).spread, 0.0715307, 1e-6);
}

static void a_spread_has_a_least(void **state)
{
	struct compare_estimate a = { .value = 100, .se = 0, .freedom = 5, .repeated = true };
	struct compare_estimate b = { .value = 103, .se = 0, .freedom = 5, .repeated = true };

	(void)state;
	assert_near(compare_figures(a, b, true, 0.1).spread, 0.02, 1e-12);
	assert_int_equal(compare_figures(a, b, true, 0.1).word, COMPARE_IMPROVED);
	b.repeated = false; /* one run does not see how runs differ */
	assert_near(compare_figures(a, b, true, 0.1).spread, 0.05, 1e-12);
	assert_int_equal(compare_figures(a, b, true, 0.1).word, COMPARE_SAME);
}

static void without_a_spread_nothing_can_be_told(void **state)
{
	struct compare_estimate a = { .value = 100, .se = NAN, .freedom = NAN };
	struct compare_estimate b = { .value = 10, .se = NAN, .freedom = NAN };

	(void)state;
	assert_int_equal(compare_figures(a, b, true, 0.1).word, COMPARE_CANNOT_TELL);
	a.value = NAN;
	assert_int_equal(compare_figures(a, b, true, 0.1).word, COMPARE_NOT_COMPARABLE);
}

/* -- one run ----------------------------------------------------------------------------------- */

static void give_seconds(struct measurement *m, const double *iops, size_t n)
{
	m->timeline = calloc(n, sizeof(*m->timeline));
	assert_non_null(m->timeline);
	m->timeline_count = n;
	for (size_t i = 0; i < n; i++)
		m->timeline[i] = (struct timeline_second){ .t_s = (double)(i + 1), .iops = iops[i],
			.p50_ns = NAN, .p99_ns = NAN, .max_ns = NAN };
}

/* 20 s in ten blocks of two: 90 and 110 in turn make every block 100. */
static void seconds_are_taken_in_blocks(void **state)
{
	struct result *r = new_drive();
	struct measurement *m = add_row(r, "journal-fsync", WC_ON, 101, 1, true);
	const struct measurement *const legs[] = { m };
	double v[20];
	struct compare_estimate e;

	(void)state;
	for (int i = 0; i < 20; i++)
		v[i] = i % 2 ? 110 : 90;
	give_seconds(m, v, 20);
	e = compare_iops(legs, 1);
	assert_near(e.value, 101, 0); /* the figure itself, not the mean of its seconds */
	assert_near(e.se, 0, 1e-12);
	assert_near(e.freedom, 9, 0);
	assert_false(e.repeated);
	m->timeline_count = 5; /* each second a block: 90 110 90 110 90, sd 10.954, / sqrt(5) */
	e = compare_iops(legs, 1);
	assert_near(e.se, 4.898979, 1e-6);
	m->timeline[4].t_s = 4.1; /* a rest of a second is no second */
	assert_near(compare_iops(legs, 1).freedom, 3, 0);
	m->timeline_count = 3;
	assert_true(isnan(compare_iops(legs, 1).se));
	result_free(r);
}

/* 10000 I/Os of 1 to 10000 us: p99 9900 us, its ranks +- sqrt(10000 * 0.99 * 0.01) = 9.95. */
static void a_percentile_is_as_good_as_its_ranks(void **state)
{
	struct result *r = new_drive();
	struct measurement *m = add_row(r, "journal-fsync", WC_ON, 1000, 1, true);
	const struct measurement *const legs[] = { m };
	struct hist *h = hist_new();
	struct compare_estimate e;

	(void)state;
	assert_non_null(h);
	for (uint64_t i = 1; i <= 10000; i++)
		hist_record(h, i * 1000);
	latency_from_hist(&m->lat, h);
	e = compare_p99(legs, 1);
	assert_near(e.value, 9900e3, 9900e3 / 128);
	assert_true(e.se >= 0 && e.se <= 9.95e3 + 9900e3 / 128); /* the bucket's width, too */
	assert_true(isinf(e.freedom));
	result_free(r);
}

static void repetitions_come_before_seconds(void **state)
{
	struct result *r = new_drive();
	const struct measurement *legs[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		legs[i] = add_row(r, "journal-fsync", WC_ON, 98 + 2 * i, 1, true);
	assert_near(compare_iops(legs, 3).value, 100, 1e-12);
	assert_near(compare_iops(legs, 3).se, 1.154701, 1e-6);
	assert_true(compare_iops(legs, 3).repeated);
	assert_true(isnan(compare_p99(legs, 3).value)); /* nobody gave one */
	result_free(r);
}

/* -- results ----------------------------------------------------------------------------------- */

/* Three repetitions around @iops with sd 1 %. */
static struct result *thrice(const char *probe, double iops)
{
	struct result *r = new_drive();

	add_row(r, probe, WC_ON, iops * 0.99, 1, true);
	add_row(r, probe, WC_ON, iops, 1, true);
	add_row(r, probe, WC_ON, iops * 1.01, 1, true);
	return r;
}

static enum compare_word verdict_of(const struct result *base, const struct result *now,
	struct compare *c)
{
	compare_results(base, now, 0.10, COMPARE_ALL, c);
	return c->word;
}

static void a_loss_beyond_the_limit_is_worse(void **state)
{
	struct result *base = thrice("journal-fsync", 1000), *now = thrice("journal-fsync", 800);
	struct result *same = thrice("journal-fsync", 990), *gain = thrice("journal-fsync", 1100);
	struct result *maybe = thrice("journal-fsync", 900);
	static struct compare c;

	(void)state;
	assert_int_equal(verdict_of(base, now, &c), COMPARE_WORSE);
	assert_int_equal(c.count, 1);
	assert_int_equal(c.row[0].base_legs, 3);
	assert_int_equal(c.words[COMPARE_WORSE], 1);
	assert_int_equal(verdict_of(base, same, &c), COMPARE_SAME);
	assert_int_equal(verdict_of(base, gain, &c), COMPARE_IMPROVED);
	assert_int_equal(verdict_of(base, maybe, &c), COMPARE_CANNOT_TELL);
	result_free(base);
	result_free(now);
	result_free(same);
	result_free(gain);
	result_free(maybe);
}

static void other_questions_are_not_comparable(void **state)
{
	struct result *base = thrice("journal-fsync", 1000), *now = thrice("journal-fsync", 1000);
	static struct compare c;

	(void)state;
	json_set_u64(now->measurements[0]->params, "bs", 8192);
	assert_int_equal(verdict_of(base, now, &c), COMPARE_CANNOT_TELL); /* nothing is left */
	assert_int_equal(c.row[0].word, COMPARE_NOT_COMPARABLE);
	assert_string_equal(c.row[0].why, "bs is 0 in the base, 8192 in the new result");
	json_set_u64(base->measurements[0]->params, "bs", 8192);
	assert_int_equal(verdict_of(base, now, &c), COMPARE_SAME);
	json_set_str(now->measurements[0]->params, "filename", "/dev/other"); /* a place */
	json_set_bool(now->measurements[0]->params, "direct", false);         /* as absent */
	assert_int_equal(verdict_of(base, now, &c), COMPARE_SAME);
	now->measurements[0]->write_cache = now->measurements[1]->write_cache =
		now->measurements[2]->write_cache = WC_OFF;
	assert_int_equal(verdict_of(base, now, &c), COMPARE_CANNOT_TELL);
	assert_int_equal(c.count, 2);
	assert_string_equal(c.row[0].why, "only in the base result");
	assert_string_equal(c.row[1].why, "only in the new result");
	result_free(base);
	result_free(now);
}

static void other_conditions_are_not_comparable(void **state)
{
	struct result *base = thrice("journal-fsync", 1000), *now = thrice("journal-fsync", 500);
	static struct compare c;

	(void)state;
	json_set_str(result_section(base, "settings"), "precondition", "none");
	json_set_str(result_section(now, "settings"), "precondition", "steady");
	assert_int_equal(verdict_of(base, now, &c), COMPARE_CANNOT_TELL);
	assert_string_equal(c.row[0].why,
		"precondition is none in the base, steady in the new result");
	json_set_str(result_section(base, "settings"), "precondition", "steady");
	assert_int_equal(verdict_of(base, now, &c), COMPARE_WORSE);
	json_set_bool(result_section(now, "settings"), "zero_buffers", true);
	assert_int_equal(verdict_of(base, now, &c), COMPARE_CANNOT_TELL);
	result_free(base);
	result_free(now);
}

static void a_row_that_failed_leaves_it_open(void **state)
{
	struct result *base = thrice("journal-fsync", 1000), *now = thrice("journal-fsync", 1000);
	static struct compare c;

	(void)state;
	free(now->measurements[2]->stop);
	now->measurements[2]->stop = strdup("error");
	assert_int_equal(verdict_of(base, now, &c), COMPARE_CANNOT_TELL);
	assert_int_equal(c.words[COMPARE_CANNOT_TELL], 1);
	assert_string_equal(c.row[0].why, "the new one ended with: error");
	result_free(base);
	result_free(now);
}

static void one_worse_row_decides(void **state)
{
	struct result *base = thrice("journal-fsync", 1000), *now = thrice("journal-fsync", 500);
	static struct compare c;

	(void)state;
	for (int i = 0; i < 3; i++) {
		add_row(base, "randread-1", WC_ON, 1000 + i, 1, false);
		add_row(now, "randread-1", WC_ON, 2000 + i, 1, false);
	}
	assert_int_equal(verdict_of(base, now, &c), COMPARE_WORSE);
	assert_int_equal(c.words[COMPARE_IMPROVED], 1);
	result_free(base);
	result_free(now);
}

static void a_rank_counts_the_faster_ones(void **state)
{
	const double others[] = { 10, 50, 30, 30 };
	size_t above, below;

	(void)state;
	assert_int_equal(compare_rank(others, 4, 40, &above, &below), 2);
	assert_int_equal(above, 1);
	assert_int_equal(below, 2);
	assert_int_equal(compare_rank(others, 4, 30, &above, &below), 2);
	assert_int_equal(compare_rank(others, 4, 60, &above, &below), 1);
	assert_int_equal(above, 4);
	assert_int_equal(compare_rank(others, 4, 1, &above, &below), 5);
	assert_int_equal(below, 4);
	assert_int_equal(above, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_give_mean_and_standard_error),
		cmocka_unit_test(students_t_is_that_of_the_tables),
		cmocka_unit_test(the_spread_is_welchs_interval),
		cmocka_unit_test(unequal_variances_have_fractional_freedom),
		cmocka_unit_test(a_spread_has_a_least),
		cmocka_unit_test(without_a_spread_nothing_can_be_told),
		cmocka_unit_test(seconds_are_taken_in_blocks),
		cmocka_unit_test(a_percentile_is_as_good_as_its_ranks),
		cmocka_unit_test(repetitions_come_before_seconds),
		cmocka_unit_test(a_loss_beyond_the_limit_is_worse),
		cmocka_unit_test(other_questions_are_not_comparable),
		cmocka_unit_test(other_conditions_are_not_comparable),
		cmocka_unit_test(a_row_that_failed_leaves_it_open),
		cmocka_unit_test(one_worse_row_decides),
		cmocka_unit_test(a_rank_counts_the_faster_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
