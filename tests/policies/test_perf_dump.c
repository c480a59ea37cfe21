/* What a client's counters say, from real dumps and from made ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/perf_dump.h"

static struct perf_dump parse_text(const char *text, const char *image)
{
	struct json *doc = NULL;
	struct perf_dump d = { .name = "" };
	struct err e = ERR_INIT;

	if (json_parse(text, strlen(text), "d.json", &doc, &e) < 0 ||
	    perf_dump_parse(doc, image, "d.json", &d, &e) < 0)
		fail_msg("%s", e.msg);
	json_free(doc);
	return d;
}

static struct perf_dump measured(const char *cell)
{
	char path[128];
	struct json *doc = NULL;
	struct perf_dump d = { .name = "" };
	struct err e = ERR_INIT;

	snprintf(path, sizeof(path), "tests/measured/perf/pwl-pair8000-%s.json", cell);
	if (json_load(path, JSON_FILE_MAX, &doc, &e) < 0 ||
	    perf_dump_parse(doc, "rbd/p", path, &d, &e) < 0)
		fail_msg("%s", e.msg);
	json_free(doc);
	return d;
}

static struct perf_diagnosis diagnose(const struct perf_dump *a, const struct perf_dump *b)
{
	struct perf_diagnosis g;
	struct err e = ERR_INIT;

	if (perf_diagnose(a, b, &g, &e) < 0)
		fail_msg("%s", e.msg);
	return g;
}

/* @writes of a client without a log, each @ms long; OSD requests as long. */
static struct perf_dump plain(double writes, double ms, double notify)
{
	char text[700];

	snprintf(text, sizeof(text), "{\"librbd-1-rbd-p\":{\"wr\":%g,\"flush\":%g,\"notify\":%g,"
		"\"opened_time\":5.5,\"lock_acquired_time\":6.5,"
		"\"wr_latency\":{\"avgcount\":%g,\"sum\":%g},"
		"\"flush_latency\":{\"avgcount\":%g,\"sum\":0.1}},"
		"\"objecter\":{\"op_r\":0,\"op_w\":%g,\"op_latency\":{\"avgcount\":%g,\"sum\":%g}}}",
		writes, writes, notify, writes, writes * ms / 1000, writes, writes, writes,
		writes * ms / 1000);
	return parse_text(text, NULL);
}

static void the_measured_runs_are_told_apart(void **state)
{
	static const struct {
		const char *cell;
		enum perf_verdict verdict;
		double notify;
	} rows[] = {
		{ "think0", PERF_NONE, 0.00 },
		{ "think3000", PERF_REFRESH, 1.98 },
		{ "think10000", PERF_REFRESH, 2.01 },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct perf_dump d = measured(rows[i].cell);
		struct perf_diagnosis g = diagnose(NULL, &d);

		assert_int_equal(g.verdict, rows[i].verdict);
		assert_true(fabs(g.notify_per_write - rows[i].notify) < 0.005);
		assert_true(g.since_open && g.has_pwl);
		perf_diagnosis_done(&g);
	}
}

/* 402 flushes of 0.757 ms in the log, 2.42 s in librbd: 5.26 ms each are spent elsewhere. */
static void the_time_outside_of_the_log_is_worked_out(void **state)
{
	struct perf_dump d = measured("think3000");
	struct perf_diagnosis g = diagnose(NULL, &d);

	(void)state;
	assert_true(fabs(g.log_flush_ns - 757439) < 1);
	assert_true(fabs(g.librbd_flush_ns - 3006211) < 1);
	assert_true(fabs(g.outside_flush_ns - (2.42 - 0.304490546) / 402 * 1e9) < 1);
	assert_true(fabs(g.client_write_ns - (3.636 - 1.25793031) / 402 * 1e9) < 1);
	assert_true(fabs(g.reads_per_write - 5537.0 / 402) < 1e-9);
	perf_diagnosis_done(&g);
}

static void two_dumps_give_what_happened_between(void **state)
{
	struct perf_dump a = plain(1000, 20, 10), b = plain(3000, 20, 20);
	struct perf_diagnosis g;

	(void)state;
	b.wr_latency.sum_s = a.wr_latency.sum_s + 2000 * 0.002;
	b.op_latency.sum_s = a.op_latency.sum_s + 2000 * 0.002;
	g = diagnose(&a, &b);
	assert_false(g.since_open);
	assert_true(g.writes == 2000 && g.notifies == 10);
	assert_true(fabs(g.client_write_ns - 2e6) < 1);
	assert_int_equal(g.verdict, PERF_NONE);
	assert_int_equal(g.lock_changed, ANSWER_NO);
	perf_diagnosis_done(&g);
	/* The same with a hand-over of the lock. */
	b.lock_time = 9;
	g = diagnose(&a, &b);
	assert_int_equal(g.lock_changed, ANSWER_YES);
	assert_true(notes_has(&g.findings, "lock-changed"));
	perf_diagnosis_done(&g);
}

static void counters_that_began_anew_are_not_subtracted(void **state)
{
	struct perf_dump a = plain(1000, 20, 10), b = plain(500, 20, 5);
	struct perf_diagnosis g = diagnose(&a, &b);

	(void)state;
	assert_true(g.since_open && g.writes == 500);
	assert_true(notes_has(&g.findings, "counters-reset"));
	perf_diagnosis_done(&g);
	b = plain(2000, 20, 20);
	b.opened_time = 99;
	g = diagnose(&a, &b);
	assert_true(g.since_open && g.writes == 2000);
	perf_diagnosis_done(&g);
}

static void slow_osds_are_the_backend(void **state)
{
	struct perf_dump d = plain(1000, 20, 3);
	struct perf_diagnosis g = diagnose(NULL, &d);

	(void)state;
	assert_int_equal(g.verdict, PERF_BACKEND);
	assert_true(notes_has(&g.reasons, "backend-slow"));
	perf_diagnosis_done(&g);
	d = plain(1000, 3, 3);
	g = diagnose(NULL, &d);
	assert_int_equal(g.verdict, PERF_NONE);
	perf_diagnosis_done(&g);
	/* Before Quincy the OSDs are not timed: without a log there is nobody else to wait for. */
	d = plain(1000, 20, 3);
	d.op_latency = (struct perf_time){ NAN, NAN };
	g = diagnose(NULL, &d);
	assert_int_equal(g.verdict, PERF_BACKEND);
	assert_null(strstr(g.reasons.item[0].text, "nan"));
	assert_null(strstr(g.reasons.item[1].text, "nan"));
	perf_diagnosis_done(&g);
	/* Requests are slow, and the client does not wait for them: they are of something else. */
	d = plain(1000, 1, 3);
	d.op_latency.sum_s = 20;
	g = diagnose(NULL, &d);
	assert_int_equal(g.verdict, PERF_NONE);
	perf_diagnosis_done(&g);
}

static void metadata_changes_without_a_log_come_from_elsewhere(void **state)
{
	struct perf_dump d = plain(1000, 20, 900);
	struct perf_diagnosis g = diagnose(NULL, &d);

	(void)state;
	assert_int_equal(g.verdict, PERF_REFRESH);
	assert_non_null(strstr(g.reasons.item[0].text, "another client"));
	perf_diagnosis_done(&g);
}

static void deferred_writes_are_a_full_log(void **state)
{
	struct perf_dump a = measured("think0"), b = a;
	struct perf_diagnosis g;

	(void)state;
	/* In the time between, nothing completed: all was held back. */
	b.deferred += 32;
	g = diagnose(&a, &b);
	assert_int_equal(g.verdict, PERF_LOG_FULL);
	assert_true(isnan(g.deferred_share));
	perf_diagnosis_done(&g);
	b.pwl_wr += 1000;
	g = diagnose(&a, &b);
	assert_int_equal(g.verdict, PERF_LOG_FULL);
	assert_true(fabs(g.deferred_share - 0.032) < 1e-9);
	perf_diagnosis_done(&g);
	/* One in ten thousand is no state of the log. */
	b.pwl_wr += 319000;
	g = diagnose(&a, &b);
	assert_int_equal(g.verdict, PERF_NONE);
	perf_diagnosis_done(&g);
}

static void a_slow_log_device_is_a_finding(void **state)
{
	struct perf_dump d = measured("think0");
	struct perf_diagnosis g;

	(void)state;
	d.aio_flush_lat.sum_s *= 10;
	d.flush_latency.sum_s *= 10;
	g = diagnose(NULL, &d);
	assert_int_equal(g.verdict, PERF_NONE);
	assert_true(notes_has(&g.findings, "log-device-slow"));
	perf_diagnosis_done(&g);
}

static void nothing_happened_is_not_judged(void **state)
{
	struct perf_dump a = plain(1000, 20, 10);
	struct perf_diagnosis g = diagnose(&a, &a);

	(void)state;
	assert_true(g.idle);
	assert_int_equal(g.verdict, PERF_NONE);
	assert_non_null(strstr(g.reasons.item[0].text, "nothing can be judged"));
	perf_diagnosis_done(&g);
}

static void the_image_is_found_by_name_or_by_its_writes(void **state)
{
	static const char text[] = "{\"librbd-1-rbd-a-b\":{\"wr_latency\":{\"avgcount\":5,\"sum\":1}},"
		"\"librbd-2-rbd-b\":{\"wr_latency\":{\"avgcount\":9,\"sum\":1}},"
		"\"librbd-pwl-1-rbd-a-b\":{\"wr\":3},\"mempool\":{}}";
	struct json *doc = NULL;
	struct perf_dump d;
	struct err e = ERR_INIT;

	(void)state;
	d = parse_text(text, "rbd/a-b");
	assert_string_equal(d.name, "librbd-1-rbd-a-b");
	assert_true(d.has_pwl && d.images == 2);
	d = parse_text(text, NULL);
	assert_string_equal(d.name, "librbd-2-rbd-b");
	assert_false(d.has_pwl);
	assert_int_equal(json_parse(text, sizeof(text) - 1, "d", &doc, &e), 0);
	assert_int_equal(perf_dump_parse(doc, "rbd/c", "d", &d, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "rbd/c"));
	json_free(doc);
	assert_int_equal(json_parse("{\"osd\":{}}", 10, "d", &doc, &e), 0);
	assert_int_equal(perf_dump_parse(doc, NULL, "d", &d, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "ceph --admin-daemon SOCKET perf dump"));
	json_free(doc);
}

static void damaged_dumps_are_read_or_refused(void **state)
{
	static const char sample[] = "{\"librbd-1-rbd-p\":{\"wr\":3,\"notify\":7,\"opened_time\":5.5,"
		"\"wr_latency\":{\"avgcount\":5,\"sum\":1.5},\"flush_latency\":{\"avgcount\":1,\"sum\":2}},"
		"\"librbd-pwl-1-rbd-p\":{\"wr\":3,\"wr_def\":1,\"aio_flush\":2},\"objecter\":{\"op_r\":1}}";
	unsigned seed = 11;

	(void)state;
	for (int n = 0; n < 3000; n++) {
		char text[sizeof(sample)];
		struct json *doc = NULL;
		struct perf_dump d;

		memcpy(text, sample, sizeof(sample));
		for (int k = 0; k < 1 + n % 4; k++) {
			seed = seed * 1103515245u + 12345u;
			text[(seed >> 8) % (sizeof(sample) - 1)] = "0-9e\"{}[]:,tn."[(seed >> 20) % 14];
		}
		if (json_parse(text, sizeof(sample) - 1, "m", &doc, NULL) == 0 &&
		    perf_dump_parse(doc, NULL, "m", &d, NULL) == 0) {
			struct perf_diagnosis g = diagnose(NULL, &d);

			perf_diagnosis_done(&g);
		}
		json_free(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_measured_runs_are_told_apart),
		cmocka_unit_test(the_time_outside_of_the_log_is_worked_out),
		cmocka_unit_test(two_dumps_give_what_happened_between),
		cmocka_unit_test(counters_that_began_anew_are_not_subtracted),
		cmocka_unit_test(slow_osds_are_the_backend),
		cmocka_unit_test(metadata_changes_without_a_log_come_from_elsewhere),
		cmocka_unit_test(deferred_writes_are_a_full_log),
		cmocka_unit_test(a_slow_log_device_is_a_finding),
		cmocka_unit_test(nothing_happened_is_not_judged),
		cmocka_unit_test(the_image_is_found_by_name_or_by_its_writes),
		cmocka_unit_test(damaged_dumps_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
