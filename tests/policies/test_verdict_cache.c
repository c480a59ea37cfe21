/* test_verdict_cache.c - write cache on or off follows from both measured states, drive by drive.
 *  */
#include "policies/verdict_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/policies/verdict_rows.h"

#define FIXTURES "tests/fixtures/results/"

static struct cache_verdict rows_of(const struct result *r)
{
	struct verdict_input in = { .results = &r, .count = 1 };
	struct cache_verdict c;

	verdict_cache_rows(&in, &c);
	return c;
}

/* One sync row and one other, measured once in each state: ratios of off to on. */
static struct cache_verdict once(double sync_ratio, double other_ratio)
{
	struct result *r = new_drive();
	struct cache_verdict c;

	add_row(r, "journal-fsync", WC_ON, 1000, 1, true);
	add_row(r, "journal-fsync", WC_OFF, 1000 * sync_ratio, 1, true);
	add_row(r, "linear-write", WC_ON, 1000, 32, false);
	add_row(r, "linear-write", WC_OFF, 1000 * other_ratio, 32, false);
	c = rows_of(r);
	assert_int_equal(c.count, 2);
	assert_false(c.repeated);
	result_free(r);
	c.binding = NULL;
	return c;
}

static void five_percent_divide_no_difference_from_one(void **state)
{
	(void)state;
	assert_int_equal(once(1.049, 1).answer, CACHE_SAME);
	assert_int_equal(once(1.05, 1).answer, CACHE_TURN_OFF);
	assert_int_equal(once(1.05, 1).row[0].answer, CACHE_ROW_GAIN);
	assert_int_equal(once(1.049, 1).row[0].answer, CACHE_ROW_SAME);
	assert_int_equal(once(2, 0.95).answer, CACHE_TURN_OFF); /* not more than 5 % */
	assert_int_equal(once(2, 0.949).answer, CACHE_KEEP_ON);
	assert_int_equal(once(0.95, 1).answer, CACHE_SAME);
	assert_int_equal(once(0.949, 1).answer, CACHE_KEEP_ON);
	assert_int_equal(once(1, 1).answer, CACHE_SAME);
	assert_int_equal(once(1, 1.5).answer, CACHE_SAME); /* no row that syncs gains */
}

/* journal-fsync, twice in each state, in turn. */
static struct cache_verdict twice(double on1, double off1, double on2, double off2)
{
	struct result *r = new_drive();
	struct cache_verdict c;

	add_row(r, "journal-fsync", WC_ON, on1, 1, true);
	add_row(r, "journal-fsync", WC_OFF, off1, 1, true);
	add_row(r, "journal-fsync", WC_ON, on2, 1, true);
	add_row(r, "journal-fsync", WC_OFF, off2, 1, true);
	c = rows_of(r);
	assert_int_equal(c.row[0].on.legs, 2);
	assert_true(c.repeated);
	result_free(r);
	c.binding = NULL;
	return c;
}

static void a_gain_within_the_spread_is_none(void **state)
{
	(void)state;
	/* ranges of 40 and 40: 8 % in all */
	assert_int_equal(twice(980, 1050, 1020, 1090).answer, CACHE_SAME);
	assert_int_equal(twice(980, 1080, 1020, 1120).answer, CACHE_TURN_OFF);
	/* repetitions that overlap never differ */
	assert_int_equal(twice(900, 1000, 1100, 1200).answer, CACHE_SAME);
	/* a spread of 0.2 % does not make 1 % a gain, 3 % is one */
	assert_int_equal(twice(999, 1009, 1001, 1011).answer, CACHE_SAME);
	assert_int_equal(twice(999, 1029, 1001, 1031).answer, CACHE_TURN_OFF);
}

static void a_loss_within_the_spread_leaves_it_open(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	assert_int_equal(twice(900, 850, 1100, 1000).answer, CACHE_UNKNOWN);
	assert_int_equal(twice(999, 929, 1001, 931).answer, CACHE_KEEP_ON);
	for (int leg = 0; leg < 2; leg++) {
		add_row(r, "journal-fsync", WC_ON, leg ? 1100 : 900, 1, true);
		add_row(r, "journal-fsync", WC_OFF, leg ? 1000 : 850, 1, true);
	}
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.grade, "unknown");
	assert_string_equal(v.answer, "unknown");
	assert_non_null(strstr(v.would_change, "more repetitions"));
	result_free(r);
}

static void the_published_table_of_a_5200_eco_says_turn_off(void **state)
{
	struct result *r;
	struct cache_verdict c;
	struct verdict v;

	(void)state;
	assert_int_equal(result_load(FIXTURES "r4-micron-5200.json", &r, NULL), 0);
	c = rows_of(r);
	assert_int_equal(c.count, 6);
	for (size_t i = 0; i < c.count; i++)
		assert_string_equal(cache_row_word(c.row[i].answer), i < 2 ? "turn off" :
			"no difference");
	assert_int_equal(c.answer, CACHE_TURN_OFF);
	/* 1 / 16.9k is 59 us for write and sync: fio's latency of that row lacks the sync */
	assert_true(fabs(c.row[1].on.commit_ns - 59172) < 1);
	assert_true(c.saved_low_ns > 19.5e3 && c.saved_low_ns < 20.5e3);
	assert_true(c.saved_high_ns > 27.5e3 && c.saved_high_ns < 28.5e3);
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.answer, "turn off");
	assert_string_equal(v.confidence, "low"); /* one minute in each state */
	assert_true(notes_has(&found, "write-cache-worth"));
	assert_non_null(strstr(found.item[0].text, "20 to 28 us a commit: 1.0 to 2.8 % of a "
		"replicated"));
	result_free(r);
}

static void two_documents_of_one_drive_are_judged_together(void **state)
{
	struct result *r[2];
	const struct result *both[2];
	struct cache_verdict c;
	struct verdict_input in = { .results = both, .count = 2 };

	(void)state;
	assert_int_equal(result_load(FIXTURES "r4-micron-5200-on.json", &r[0], NULL), 0);
	assert_int_equal(result_load(FIXTURES "r4-micron-5200-off.json", &r[1], NULL), 0);
	both[0] = r[0];
	both[1] = r[1];
	verdict_cache_rows(&in, &c);
	assert_int_equal(c.count, 6);
	assert_int_equal(c.answer, CACHE_TURN_OFF);
	in.count = 1;
	verdict_cache_rows(&in, &c);
	assert_int_equal(c.answer, CACHE_UNKNOWN);
	result_free(r[0]);
	result_free(r[1]);
}

/* Case A15: off makes one drive ten times better and another ten times worse. */
static void each_drive_is_judged_by_its_own_figures(void **state)
{
	struct result *r;
	struct verdict v;

	(void)state;
	assert_int_equal(result_load(FIXTURES "cache-p.json", &r, NULL), 0);
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.answer, "turn off");
	assert_non_null(strstr(v.bound_by, "900 IOPS"));
	assert_non_null(strstr(v.bound_by, "21000 IOPS"));
	assert_non_null(strstr(v.bound_by, "60.0 us"));
	result_free(r);
	assert_int_equal(result_load(FIXTURES "cache-q.json", &r, NULL), 0);
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.answer, "keep on");
	assert_non_null(strstr(v.bound_by, "1150 IOPS"));
	assert_non_null(strstr(v.bound_by, " 80 IOPS"));
	assert_int_equal(found.count, 0); /* nothing is saved, nothing wears */
	result_free(r);
}

static void a_client_drive_gets_a_warning_about_wear(void **state)
{
	struct refdrive ref = { .name = "ACME", .class_word = "consumer", .plp = "no",
		.source = "test" };
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	add_row(r, "journal-fsync", WC_ON, 1000, 1, true);
	add_row(r, "journal-fsync", WC_OFF, 2000, 1, true);
	assert_int_equal(judge("write-cache", r, &ref, &v), 0);
	assert_true(notes_has(&found, "write-cache-endurance"));
	ref.class_word = "enterprise";
	assert_int_equal(judge("write-cache", r, &ref, &v), 0);
	assert_false(notes_has(&found, "write-cache-endurance"));
	result_free(r);
}

static void the_grade_says_whether_the_present_state_is_right(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	for (int leg = 0; leg < 2; leg++) {
		add_row(r, "journal-fsync", WC_ON, 1000 + leg, 1, true);
		add_row(r, "journal-fsync", WC_OFF, 2000 + leg, 1, true);
	}
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.grade, "fail");
	assert_string_equal(v.confidence, "high");
	set_target(r, "write_cache", "drive", "off");
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_string_equal(v.answer, "turn off");
	result_free(r);
}

static void one_state_is_not_enough(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	add_row(r, "journal-fsync", WC_ON, 1000, 1, true);
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.grade, "unknown");
	assert_non_null(strstr(v.would_change, "cache off: run --write-cache both"));
	set_target(r, "write_cache", "drive", "none");
	assert_int_equal(judge("write-cache", r, NULL, &v), 1); /* nothing to switch */
	set_target(r, "controller", "kind", "raid");
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.grade, "unknown");
	assert_non_null(strstr(v.would_change, "controller's"));
	result_free(r);
}

static void broken_rows_and_zeros_decide_nothing(void **state)
{
	struct result *r = new_drive();
	struct measurement *m;
	struct verdict v;

	(void)state;
	add_row(r, "journal-fsync", WC_ON, 1000, 1, true);
	m = add_row(r, "journal-fsync", WC_OFF, 2000, 1, true);
	free(m->stop);
	m->stop = strdup("device-gone");
	assert_int_equal(judge("write-cache", r, NULL, &v), 0);
	assert_string_equal(v.grade, "unknown");
	free(m->stop);
	m->stop = strdup("runtime");
	assert_int_equal(json_set_bool(result_section(r, "settings"), "zero_buffers", true), 0);
	assert_int_equal(judge("write-cache", r, NULL, &v), 1);
	result_free(r);
	notes_done(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_percent_divide_no_difference_from_one),
		cmocka_unit_test(a_gain_within_the_spread_is_none),
		cmocka_unit_test(a_loss_within_the_spread_leaves_it_open),
		cmocka_unit_test(the_published_table_of_a_5200_eco_says_turn_off),
		cmocka_unit_test(two_documents_of_one_drive_are_judged_together),
		cmocka_unit_test(each_drive_is_judged_by_its_own_figures),
		cmocka_unit_test(a_client_drive_gets_a_warning_about_wear),
		cmocka_unit_test(the_grade_says_whether_the_present_state_is_right),
		cmocka_unit_test(one_state_is_not_enough),
		cmocka_unit_test(broken_rows_and_zeros_decide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
