/* test_verdict_role.c - classes and roles: what a drive is fit for, and what keeps that
 * provisional. */
#include "policies/verdict_role.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/policies/verdict_rows.h"

static void classes_begin_at_their_limits(void **state)
{
	static const struct {
		double iops;
		const char *word;
	} table[] = { { 20000, "S" }, { 19999, "A" }, { 5000, "A" }, { 4999, "B" }, { 2000, "B" },
		{ 1999, "C" }, { 500, "C" }, { 499, "D" }, { 100, "D" }, { 99, "F" } };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_string_equal(verdict_class(table[i].iops), table[i].word);
}

static struct result *filled_drive(const char *precondition)
{
	struct result *r = new_drive();

	assert_int_equal(json_set_str(result_section(r, "settings"), "precondition", precondition),
		0);
	return r;
}

static void osd_data_is_graded_when_filled_and_at_rest(void **state)
{
	struct result *r = filled_drive("steady");
	struct measurement *m = add_row(r, "t1q1-fsync", WC_ON, 12000, 1, true);
	struct verdict v;

	(void)state;
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "A");
	assert_non_null(strstr(v.bound_by, "t1q1-fsync 12000 IOPS"));
	m->last_third_change = -0.051;
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_non_null(strstr(v.would_change, "still changed by 5 %"));
	m->last_third_change = NAN;
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_non_null(strstr(v.would_change, "cannot be told"));
	m->last_third_change = 0.05;
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "A");
	m->ios = 99;
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "unknown");
	result_free(r);
}

static void osd_data_is_provisional_without_fill(void **state)
{
	struct result *r = filled_drive("none");
	struct verdict v;

	(void)state;
	assert_int_equal(judge("osd-data", r, NULL, &v), 1);
	add_row(r, "t1q1-fsync", WC_ON, 12000, 1, true);
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_non_null(strstr(v.bound_by, "class A"));
	assert_non_null(strstr(v.would_change, "--fill"));
	result_free(r);
}

static void the_state_of_the_cache_that_is_set_counts(void **state)
{
	struct result *r = filled_drive("steady");
	struct verdict v;

	(void)state;
	add_row(r, "t1q1-fsync", WC_ON, 1500, 1, true);
	add_row(r, "t1q1-fsync", WC_OFF, 15000, 1, true);
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "C");
	assert_non_null(strstr(v.would_change, "the write cache off: class A"));
	set_target(r, "write_cache", "drive", "off");
	assert_int_equal(judge("osd-data", r, NULL, &v), 0);
	assert_string_equal(v.grade, "A");
	assert_non_null(strstr(v.would_change, "the write cache on: class C"));
	result_free(r);
}

static void wal_is_graded_by_the_slower_journal_row(void **state)
{
	struct result *r = new_drive();
	struct measurement *m;
	struct verdict v;

	(void)state;
	m = add_row(r, "journal-sync", WC_ON, 25000, 1, false);
	add_row(r, "journal-fsync", WC_ON, 1800, 1, true);
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_string_equal(v.grade, "C");
	assert_non_null(strstr(v.bound_by, "journal-fsync"));
	m->iops = 80;
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_string_equal(v.grade, "F");
	result_free(r);
}

static void a_failed_backup_disqualifies_from_journals(void **state)
{
	struct result *r;
	struct verdict v;

	(void)state;
	assert_int_equal(result_load("tests/fixtures/results/plp-failed.json", &r, NULL), 0);
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_string_equal(v.grade, "fail");
	assert_non_null(strstr(v.bound_by, "not qualified as a journal"));
	result_free(r);
}

static void figures_of_others_and_of_volumes_are_provisional(void **state)
{
	struct result *r = new_drive();
	struct measurement *m = add_row(r, "journal-fsync", WC_ON, 12000, 1, true);
	struct verdict v;

	(void)state;
	m->source = SOURCE_IMPORTED;
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_non_null(strstr(v.bound_by, "(as imported)"));
	m->source = SOURCE_STATED;
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_non_null(strstr(v.bound_by, "(as stated)"));
	m->source = SOURCE_MEASURED;
	set_target(r, NULL, "transport", "loop");
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_non_null(strstr(v.would_change, "volume"));
	set_target(r, NULL, "transport", NULL);
	set_target(r, "controller", "kind", "raid");
	assert_int_equal(judge("wal-db", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_non_null(strstr(v.would_change, "JBOD"));
	result_free(r);
}

static void a_log_device_needs_proven_protection(void **state)
{
	struct refdrive ref = { .name = "ACME DC", .class_word = "enterprise", .plp = "yes",
		.source = "test" };
	struct result *r = new_drive();
	struct measurement *m = add_row(r, "write-4k", WC_ON, 30000, 1, false);
	struct verdict v;

	(void)state;
	give_latency(&m->lat, 30e3, 90e3);
	assert_int_equal(judge("pwl", r, NULL, &v), 0);
	assert_string_equal(v.grade, "unknown");
	assert_non_null(strstr(v.would_change, "proof of power-loss protection"));
	add_row(r, "journal-fsync", WC_ON, 20000, 1, true); /* 50 us beside 33 */
	assert_int_equal(judge("pwl", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional"); /* one piece of evidence */
	assert_int_equal(judge("pwl", r, &ref, &v), 0);
	assert_string_equal(v.grade, "pass");
	m->lat.pct_ns[LAT_P99] = 1e6;
	assert_int_equal(judge("pwl", r, &ref, &v), 0);
	assert_string_equal(v.grade, "fail"); /* slower than the cluster */
	result_free(r);
	r = new_drive();
	m = add_row(r, "write-4k", WC_ON, 30000, 1, false);
	give_latency(&m->lat, 30e3, 90e3);
	add_row(r, "journal-fsync", WC_ON, 300, 1, true);
	assert_int_equal(judge("pwl", r, NULL, &v), 0);
	assert_string_equal(v.grade, "fail");
	assert_non_null(strstr(v.bound_by, "protection: no"));
	result_free(r);
}

static void etcd_on_a_bare_drive_is_provisional_at_best(void **state)
{
	struct result *r = new_drive();
	struct measurement *m = add_row(r, "journal-fsync", WC_ON, 5000, 1, true);
	struct verdict v;

	(void)state;
	assert_int_equal(judge("etcd", r, NULL, &v), 1); /* no tail is known */
	give_latency(&m->lat, 200e3, 9.9e6);
	assert_int_equal(judge("etcd", r, NULL, &v), 0);
	assert_string_equal(v.grade, "provisional");
	assert_int_equal(judge("mon", r, NULL, &v), 0);
	m->lat.pct_ns[LAT_P99] = 10e6;
	assert_int_equal(judge("etcd", r, NULL, &v), 0);
	assert_string_equal(v.grade, "fail"); /* a file system makes nothing faster */
	m->source = SOURCE_IMPORTED; /* fio's lat leaves the fsync out */
	assert_int_equal(judge("etcd", r, NULL, &v), 1);
	result_free(r);
}

static void zeros_yield_no_role(void **state)
{
	static const char *const subjects[] = { "osd-data", "wal-db", "pwl", "etcd", "mon", "plp",
		"rotational", "write-cache" };
	struct result *r = filled_drive("steady");
	struct measurement *m = add_row(r, "journal-fsync", WC_ON, 5000, 1, true);
	struct verdict v;

	(void)state;
	give_latency(&m->lat, 200e3, 1e6);
	add_row(r, "t1q1-fsync", WC_ON, 5000, 1, true);
	m = add_row(r, "write-4k", WC_ON, 5000, 1, false);
	give_latency(&m->lat, 200e3, 1e6);
	assert_int_equal(json_set_bool(result_section(r, "settings"), "zero_buffers", true), 0);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		assert_int_equal(judge(subjects[i], r, NULL, &v), 1);
	result_free(r);
	notes_done(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_begin_at_their_limits),
		cmocka_unit_test(osd_data_is_graded_when_filled_and_at_rest),
		cmocka_unit_test(osd_data_is_provisional_without_fill),
		cmocka_unit_test(the_state_of_the_cache_that_is_set_counts),
		cmocka_unit_test(wal_is_graded_by_the_slower_journal_row),
		cmocka_unit_test(a_failed_backup_disqualifies_from_journals),
		cmocka_unit_test(figures_of_others_and_of_volumes_are_provisional),
		cmocka_unit_test(a_log_device_needs_proven_protection),
		cmocka_unit_test(etcd_on_a_bare_drive_is_provisional_at_best),
		cmocka_unit_test(zeros_yield_no_role),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
