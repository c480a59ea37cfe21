/* test_verdict.c - verdicts follow from the figures, and are not given where these do not carry. */
#include "policies/threshold.h"
#include "policies/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000

/* A row of @count syncs of @ns each, the slowest @slow of them taking @slow_ns. */
static void add(struct result *r, const char *key, unsigned count, uint64_t ns, unsigned slow,
	uint64_t slow_ns, const char *stop)
{
	struct measurement *m = measurement_new("etcd", key, key);
	struct hist *h = hist_new();

	assert_non_null(m);
	assert_non_null(h);
	for (unsigned i = 0; i < count; i++)
		hist_record(h, i < slow ? slow_ns : ns);
	latency_from_hist(&m->sync_lat, h);
	free(m->stop);
	m->stop = strdup(stop);
	assert_int_equal(result_take_measurement(r, m), 0);
}

static int judge_one(const char *subject, const struct result *r, struct verdict *v)
{
	struct verdict_input in = { .results = &r, .count = 1 };
	struct notes notes = { .count = 0 };
	int rc = -1;

	for (size_t i = 0; verdict_table[i]; i++)
		if (!strcmp(verdict_table[i]->subject, subject))
			rc = verdict_judge(verdict_table[i], &in, v, &notes);
	notes_done(&notes);
	return rc;
}

static int judge(const struct result *r, struct verdict *v)
{
	return judge_one("etcd", r, v);
}

/* Two rows of 1000 syncs; the second has @slow of @slow_ns. */
static const char *grade(unsigned slow, uint64_t slow_ns, struct verdict *v)
{
	struct result *r = result_new();

	add(r, "etcd-2300", 1000, 1 * MS, 0, 0, "runtime");
	add(r, "etcd-8000", 1000, 1 * MS, slow, slow_ns, "runtime");
	assert_int_equal(judge(r, v), 0);
	result_free(r);
	return v->grade;
}

static void etcd_passes_below_ten_milliseconds_at_p99_of_the_slower_size(void **state)
{
	struct verdict v;

	(void)state;
	assert_string_equal(grade(0, 0, &v), "pass");
	assert_string_equal(grade(10, 50 * MS, &v), "pass"); /* 1 % slow: p99 is still fast */
	assert_non_null(strstr(v.would_change, "p99.9"));
	assert_string_equal(grade(11, 50 * MS, &v), "fail");
	assert_non_null(strstr(v.bound_by, "etcd-8000"));
	assert_non_null(strstr(v.threshold, "10"));
	assert_non_null(v.source);
	assert_string_equal(grade(1000, 9900000, &v), "pass");
	assert_string_equal(grade(1000, 10100000, &v), "fail");
}

static void few_syncs_are_unknown_and_say_what_would_help(void **state)
{
	struct result *r = result_new();
	struct verdict v;

	(void)state;
	add(r, "etcd-2300", 1000, 1 * MS, 0, 0, "runtime");
	add(r, "etcd-8000", 99, 1 * MS, 0, 0, "runtime");
	assert_int_equal(judge(r, &v), 0);
	assert_string_equal(v.grade, "unknown");
	assert_non_null(strstr(v.bound_by, "99 syncs"));
	assert_non_null(strstr(v.would_change, "--runtime"));
	result_free(r);
}

static void a_monitor_is_judged_by_the_same_rows_with_a_limit_of_its_own(void **state)
{
	struct result *r = result_new();
	struct verdict v;

	(void)state;
	add(r, "etcd-8000", 1000, 1 * MS, 0, 0, "runtime");
	assert_int_equal(judge_one("mon", r, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_non_null(strstr(v.source, "Ceph publishes no figure"));
	result_free(r);
}

static void there_is_no_verdict_without_the_rows_or_from_broken_ones(void **state)
{
	static const char *const bad[] = { "error", "device-gone", "signal" };
	struct verdict v;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct result *r = result_new();

		assert_int_equal(judge(r, &v), 1);
		add(r, "fio-8000-overwrite", 1000, 1 * MS, 0, 0, "runtime");
		assert_int_equal(judge(r, &v), 1);
		add(r, "etcd-8000", 1000, 1 * MS, 0, 0, bad[i]);
		assert_int_equal(judge(r, &v), 1);
		result_free(r);
	}
}

static void zeros_yield_no_verdict(void **state)
{
	struct result *r = result_new();
	struct verdict v;

	(void)state;
	add(r, "etcd-8000", 1000, 1 * MS, 0, 0, "runtime");
	assert_int_equal(json_set_bool(result_section(r, "settings"), "zero_buffers", true), 0);
	assert_int_equal(judge(r, &v), 1);
	result_free(r);
}

static void subjects_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; verdict_table[i]; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(verdict_table[i]->subject,
				verdict_table[k]->subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etcd_passes_below_ten_milliseconds_at_p99_of_the_slower_size),
		cmocka_unit_test(few_syncs_are_unknown_and_say_what_would_help),
		cmocka_unit_test(a_monitor_is_judged_by_the_same_rows_with_a_limit_of_its_own),
		cmocka_unit_test(there_is_no_verdict_without_the_rows_or_from_broken_ones),
		cmocka_unit_test(zeros_yield_no_verdict),
		cmocka_unit_test(subjects_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
