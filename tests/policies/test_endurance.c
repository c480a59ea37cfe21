/* test_endurance.c - wear, years left, what a run cost, by values worked out by hand. */
#include "policies/endurance.h"
#include "data/workload.h"
#include "policies/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TB ((u128)1000000000000)

static void reading(struct smart_health *h, u128 host, u128 nand, double used)
{
	smart_init(h);
	h->kind = SMART_KIND_NVME;
	smart_set_bytes(&h->host_writes, host / 512000, 512000, "log 02h");
	if (nand)
		smart_set_bytes(&h->nand_writes, nand, 1, "log C0h");
	smart_set_used(h, used, "log 02h");
}

static void years_by_rating_and_by_wear_are_kept_apart(void **state)
{
	struct endurance_stated s = { .rated_bytes = 100e12, .writes_per_day_bytes = 100e9 };
	struct smart_health h;
	struct endurance e;

	(void)state;
	reading(&h, 20 * TB, 0, 10);
	smart_set_count(&h.power_on_hours, 2400);
	endurance_judge(&h, &s, &e);
	assert_true(fabs(e.rated_share - 0.2) < 1e-6);
	/* 80 TB at 0.1 TB a day: 800 days; 2 TB a percent, 90 percent: 1800 days */
	assert_true(fabs(e.years_by_rating - 800 / 365.25) < 1e-3);
	assert_true(fabs(e.years_by_wear - 1800 / 365.25) < 1e-3);
	assert_true(e.years_left == e.years_by_rating);
	assert_true(fabs(e.mean_per_day_bytes - 200e9) < 1e6);
}

static void what_is_not_known_gives_no_years(void **state)
{
	struct endurance_stated s = { .rated_bytes = NAN, .writes_per_day_bytes = NAN };
	struct smart_health h;
	struct endurance e;

	(void)state;
	reading(&h, 20 * TB, 0, 10);
	endurance_judge(&h, &s, &e);
	assert_true(isnan(e.years_by_rating) && isnan(e.years_by_wear) && isnan(e.years_left));
	assert_true(isnan(e.mean_per_day_bytes));
	s.writes_per_day_bytes = 100e9;
	smart_set_used(&h, 0, "log 02h"); /* less than one percent: no rate can be drawn */
	endurance_judge(&h, &s, &e);
	assert_true(isnan(e.years_by_wear));
	smart_init(&h);
	endurance_judge(&h, &s, &e);
	assert_true(isnan(e.written_bytes) && isnan(e.percent_used));
}

static void a_used_up_drive_has_no_years(void **state)
{
	struct endurance_stated s = { .rated_bytes = 10e12, .writes_per_day_bytes = 100e9 };
	struct smart_health h;
	struct endurance e;

	(void)state;
	reading(&h, 20 * TB, 0, 120);
	endurance_judge(&h, &s, &e);
	assert_true(e.years_by_rating == 0 && e.years_by_wear == 0 && e.years_left == 0);
}

static void the_cost_of_a_run_is_the_difference(void **state)
{
	struct smart_health a, b;
	struct notes n = { .count = 0 };
	struct endurance_cost c;

	(void)state;
	reading(&a, 10 * TB, 20 * TB, 10);
	reading(&b, 10 * TB + 51200000000, 20 * TB + 128000000000, 11);
	endurance_cost(&a, &b, 51e9, 100e12, &c, &n);
	assert_true(c.host.known && c.host.bytes == 51200000000.0);
	assert_true(c.host.error_bytes == 512000);
	assert_true(c.write_amplification == 2.5);
	assert_true(fabs(c.rated_share - 0.000512) < 1e-9);
	assert_true(c.wear_percent == 1);
	assert_int_equal(n.count, 0);
	notes_done(&n);
}

static void swaps_resets_and_stillness_are_noticed(void **state)
{
	struct smart_health a, b;
	struct notes n = { .count = 0 };
	struct endurance_cost c;

	(void)state;
	reading(&a, 10 * TB, 0, 10);
	reading(&b, 11 * TB, 0, 10);
	strcpy(a.serial, "S1");
	strcpy(b.serial, "S2");
	endurance_cost(&a, &b, 1e12, NAN, &c, &n);
	assert_true(notes_has(&n, "smart-swapped"));
	assert_false(c.host.known);
	assert_true(isnan(c.host.bytes) && c.host.why);
	strcpy(b.serial, "S1");
	endurance_cost(&b, &a, 1e12, NAN, &c, &n);
	assert_true(notes_has(&n, "smart-reset"));
	assert_false(c.host.known);
	endurance_cost(&a, &a, 1e12, NAN, &c, &n);
	assert_true(notes_has(&n, "smart-still"));
	assert_true(c.host.known && c.host.bytes == 0 && isnan(c.write_amplification));
	assert_false(notes_has(&n, "smart-step"));
	endurance_cost(&a, &b, 1e6, NAN, &c, &n);
	assert_true(notes_has(&n, "smart-step"));
	smart_set_count(&a.power_on_hours, 100);
	smart_set_count(&b.power_on_hours, 99);
	endurance_cost(&a, &b, 1e12, NAN, &c, NULL);
	assert_false(c.host.known);
	notes_done(&n);
}

static void a_coarse_window_gives_no_amplification(void **state)
{
	struct smart_health a, b;
	struct endurance_cost c;

	(void)state;
	reading(&a, 10 * TB, 20 * TB, 10);
	reading(&b, 10 * TB + 9 * 512000, 20 * TB + 10000000, 10);
	endurance_cost(&a, &b, NAN, NAN, &c, NULL);
	assert_true(c.host.known && isnan(c.write_amplification));
	b.nand_writes.known = false;
	endurance_cost(&a, &b, NAN, NAN, &c, NULL);
	assert_non_null(c.nand.why);
	a.host_writes.at_least = true;
	endurance_cost(&a, &b, NAN, NAN, &c, NULL);
	assert_false(c.host.known);
}

static void a_workload_writes_what_its_pauses_allow(void **state)
{
	struct workload w = { .write_bytes = 8000, .depth = 1, .syncs_per_write = 1,
		.think_ns = 10e6, .images = 3 };

	(void)state;
	assert_true(fabs(endurance_per_day(&w) - 8000.0 * 100 * 86400 * 3) < 1);
	w.read_fraction = 0.75;
	assert_true(fabs(endurance_per_day(&w) - 8000.0 * 100 * 86400 * 3 / 4) < 1);
	w.think_ns = 0;
	assert_true(isnan(endurance_per_day(&w)));
	w.burst_bytes = 1e9;
	w.burst_gap_ns = 3600e9;
	w.read_fraction = 0;
	assert_true(fabs(endurance_per_day(&w) - 72e9) < 1);
}

/* -- the verdict ------------------------------------------------------------------------------- */

extern const struct verdict_ops verdict_endurance;

static int judged(const struct smart_health *h, struct verdict *v, struct notes *n)
{
	struct result *r = result_new();
	const struct result *list[] = { r };
	struct verdict_input in = { .results = list, .count = 1 };
	int rc;

	assert_int_equal(json_set(result_section(r, "smart"), "after",
		h ? smart_to_json(h) : json_new_null()), 0);
	rc = verdict_judge(&verdict_endurance, &in, v, n);
	result_free(r);
	return rc;
}

static void wear_is_graded_by_what_is_left(void **state)
{
	static const struct {
		double used;
		const char *grade, *answer, *finding;
	} rows[] = {
		{ 0, "pass", "good", NULL }, { 79, "pass", "good", NULL },
		{ 80, "provisional", "high wear", "wear-high" },
		{ 94, "provisional", "high wear", "wear-high" },
		{ 95, "fail", "worn out", "worn-out" }, { 98, "fail", "worn out", "worn-out" },
		{ 130, "fail", "worn out", "worn-out" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct notes n = { .count = 0 };
		struct smart_health h;
		struct verdict v;

		reading(&h, TB, 0, rows[i].used);
		assert_int_equal(judged(&h, &v, &n), 0);
		assert_string_equal(v.grade, rows[i].grade);
		assert_string_equal(v.answer, rows[i].answer);
		assert_int_equal(n.count, rows[i].finding ? 1 : 0);
		assert_true(!rows[i].finding || notes_has(&n, rows[i].finding));
		notes_done(&n);
	}
}

static void warning_bits_and_spare_override_wear(void **state)
{
	struct notes n = { .count = 0 };
	struct smart_health h;
	struct verdict v;

	(void)state;
	reading(&h, TB, 0, 3);
	h.critical_warning = 0x08;
	assert_int_equal(judged(&h, &v, &n), 0);
	assert_string_equal(v.grade, "fail");
	assert_string_equal(v.answer, "read-only");
	assert_true(notes_has(&n, "media-read-only"));
	h.critical_warning = 0;
	h.spare_percent = 9;
	h.spare_threshold_percent = 10;
	assert_int_equal(judged(&h, &v, &n), 0);
	assert_string_equal(v.answer, "spare low");
	assert_true(notes_has(&n, "spare-low"));
	h.spare_percent = 10;
	h.critical_warning = 0x02;
	assert_int_equal(judged(&h, &v, &n), 0);
	assert_string_equal(v.grade, "pass");
	assert_true(notes_has(&n, "temperature-critical"));
	h.critical_warning = 0;
	h.passed = SMART_NO;
	assert_int_equal(judged(&h, &v, NULL), 0);
	assert_string_equal(v.answer, "failing");
	notes_done(&n);
}

static void without_health_there_is_no_verdict_and_without_wear_it_is_unknown(void **state)
{
	struct smart_health h;
	struct verdict v;

	(void)state;
	assert_int_equal(judged(NULL, &v, NULL), 1);
	smart_init(&h);
	h.kind = SMART_KIND_ATA;
	assert_int_equal(judged(&h, &v, NULL), 0);
	assert_string_equal(v.grade, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(years_by_rating_and_by_wear_are_kept_apart),
		cmocka_unit_test(what_is_not_known_gives_no_years),
		cmocka_unit_test(a_used_up_drive_has_no_years),
		cmocka_unit_test(the_cost_of_a_run_is_the_difference),
		cmocka_unit_test(swaps_resets_and_stillness_are_noticed),
		cmocka_unit_test(a_coarse_window_gives_no_amplification),
		cmocka_unit_test(a_workload_writes_what_its_pauses_allow),
		cmocka_unit_test(wear_is_graded_by_what_is_left),
		cmocka_unit_test(warning_bits_and_spare_override_wear),
		cmocka_unit_test(without_health_there_is_no_verdict_and_without_wear_it_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
