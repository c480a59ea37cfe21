/* test_load_stats.c - slots, totals and timeline with made-up clocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/load_stats.h"

#define START (1000 * NS_PER_S + 123)

static const bool lat_only[LK_COUNT] = { [LK_LAT] = true };

static void put(struct load_stats *s, uint64_t at_ns, uint64_t lat_ns)
{
	load_stats_at(s, START + at_ns);
	hist_record(s->open->hist[LK_LAT], lat_ns);
	s->open->ios++;
	s->open->bytes += 4096;
}

static void begin(struct load_stats *s, struct load_total *t, uint64_t seconds)
{
	assert_int_equal(load_stats_init(s, lat_only), 0);
	assert_int_equal(load_total_init(t, lat_only, seconds), 0);
	load_stats_start(s, START);
}

static void end(struct load_stats *s, struct load_total *t)
{
	load_stats_done(s);
	load_total_done(t);
}

static double timeline_ios(const struct load_total *t)
{
	double sum = 0, last = 0;

	for (size_t i = 0; i < t->seconds; i++) {
		sum += t->second[i].iops * (t->second[i].t_s - last);
		last = t->second[i].t_s;
	}
	return sum;
}

static void every_second_gets_what_completed_in_it(void **state)
{
	struct load_stats s;
	struct load_total t;

	(void)state;
	begin(&s, &t, 3);
	put(&s, 0, 100);
	put(&s, NS_PER_S - 1, 200);
	put(&s, NS_PER_S, 5000);
	put(&s, 2 * NS_PER_S + 5, 7000);
	assert_int_equal(load_total_collect(&t, &s, false), 0);
	assert_int_equal(t.ios, 3); /* the open second is not over */
	assert_true(load_total_second(&t, 1).iops == 1);
	assert_true(load_total_second(&t, 1).max_ns == 5000);
	assert_int_equal(load_total_collect(&t, &s, true), 0);
	assert_int_equal(load_total_close(&t, 3 * NS_PER_S), 0);
	assert_int_equal(t.seconds, 3);
	assert_true(t.second[0].iops == 2 && t.second[1].iops == 1 && t.second[2].iops == 1);
	assert_true(t.second[0].max_ns == 200 && t.second[0].p50_ns == 100);
	assert_true(t.second[2].p99_ns == 7000);
	assert_int_equal(t.bytes, 4 * 4096);
	assert_int_equal(t.hist[LK_LAT]->count, 4);
	end(&s, &t);
}

static void a_second_without_completions_is_zero_with_unknown_latency(void **state)
{
	struct load_stats s;
	struct load_total t;

	(void)state;
	begin(&s, &t, 0);
	put(&s, 10, 100);
	put(&s, 7 * NS_PER_S + 10, 200); /* a stall of seven seconds */
	assert_int_equal(load_total_collect(&t, &s, true), 0);
	assert_int_equal(load_total_close(&t, 8 * NS_PER_S), 0);
	assert_int_equal(t.seconds, 8);
	for (size_t i = 1; i < 7; i++) {
		assert_true(t.second[i].iops == 0);
		assert_true(isnan(t.second[i].p50_ns) && isnan(t.second[i].max_ns));
	}
	assert_true(t.second[7].iops == 1);
	assert_true(isnan(load_total_second(&t, 99).p99_ns));
	end(&s, &t);
}

static void a_late_collector_loses_nothing(void **state)
{
	struct load_stats s;
	struct load_total t;

	(void)state;
	begin(&s, &t, 20);
	for (uint64_t i = 0; i < 20000; i++)
		put(&s, i * NS_PER_S / 1000, 1000 + i);
	assert_int_equal(load_total_collect(&t, &s, true), 0);
	assert_int_equal(load_total_close(&t, 20 * NS_PER_S), 0);
	assert_int_equal(t.ios, 20000);
	assert_int_equal(t.hist[LK_LAT]->count, 20000);
	assert_true(fabs(timeline_ios(&t) - 20000) < 1e-6);
	assert_true(t.second[1].iops == 1000);
	end(&s, &t);
}

static void timeline_adds_up_whatever_the_rest_of_the_run_is(void **state)
{
	static const uint64_t rests[] = { 0, 1, 400, 49000000, 51000000, 500000000, 999999999 };

	(void)state;
	for (size_t r = 0; r < sizeof(rests) / sizeof(rests[0]); r++) {
		uint64_t runtime = 4 * NS_PER_S + rests[r], n = 0;
		struct load_stats s;
		struct load_total t;

		begin(&s, &t, 4);
		for (uint64_t at = 0; at <= runtime; at += 10000000, n++) {
			put(&s, at, 100);
			assert_int_equal(load_total_collect(&t, &s, false), 0);
		}
		assert_int_equal(load_total_collect(&t, &s, true), 0);
		assert_int_equal(load_total_close(&t, runtime), 0);
		assert_int_equal(t.ios, n);
		if (rests[r])
			assert_true(fabs(timeline_ios(&t) - (double)n) < 1e-6);
		assert_true(t.second[t.seconds - 1].t_s >= 4.0);
		end(&s, &t);
	}
}

static void a_job_that_is_seconds_late_still_counts(void **state)
{
	struct load_stats fast, slow;
	struct load_total t;

	(void)state;
	begin(&fast, &t, 10);
	assert_int_equal(load_stats_init(&slow, lat_only), 0);
	load_stats_start(&slow, START);
	put(&slow, 10, 999999);
	for (uint64_t i = 0; i < 10; i++) {
		put(&fast, i * NS_PER_S, 100);
		assert_int_equal(load_total_collect(&t, &fast, false), 0);
	}
	put(&slow, 9 * NS_PER_S + 1, 50);
	assert_int_equal(load_total_collect(&t, &fast, true), 0);
	assert_int_equal(load_total_collect(&t, &slow, true), 0);
	assert_int_equal(load_total_close(&t, 10 * NS_PER_S), 0);
	assert_int_equal(t.ios, 12);
	assert_true(t.second[0].iops == 2);
	assert_true(t.second[0].max_ns == 999999);
	assert_true(t.second[9].iops == 2);
	load_stats_done(&slow);
	end(&fast, &t);
}

static void last_third_needs_six_whole_seconds(void **state)
{
	struct timeline_second s[12];

	(void)state;
	for (size_t i = 0; i < 12; i++)
		s[i] = (struct timeline_second){ .t_s = (double)i + 1, .iops = 100 };
	assert_true(isnan(load_last_third_change(s, 0)));
	assert_true(isnan(load_last_third_change(s, 5)));
	assert_true(load_last_third_change(s, 6) == 0);
	s[5].t_s = 5.4; /* a rest is no whole second */
	assert_true(isnan(load_last_third_change(s, 6)));
}

static void last_third_compares_its_halves(void **state)
{
	struct timeline_second s[12];

	(void)state;
	for (size_t i = 0; i < 12; i++)
		s[i] = (struct timeline_second){ .t_s = (double)i + 1, .iops = 1000 };
	s[8].iops = s[9].iops = 110;
	s[10].iops = s[11].iops = 90;
	assert_true(fabs(load_last_third_change(s, 12) + 0.2) < 1e-12);
	/* 11 seconds: the third is the last three, its halves the first and the last of them */
	s[8].iops = 95;
	s[9].iops = 100;
	s[10].iops = 105;
	assert_true(fabs(load_last_third_change(s, 11) - 0.1) < 1e-12);
	for (size_t i = 0; i < 12; i++)
		s[i].iops = 0;
	assert_true(isnan(load_last_third_change(s, 12)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_second_gets_what_completed_in_it),
		cmocka_unit_test(a_second_without_completions_is_zero_with_unknown_latency),
		cmocka_unit_test(a_late_collector_loses_nothing),
		cmocka_unit_test(timeline_adds_up_whatever_the_rest_of_the_run_is),
		cmocka_unit_test(a_job_that_is_seconds_late_still_counts),
		cmocka_unit_test(last_third_needs_six_whole_seconds),
		cmocka_unit_test(last_third_compares_its_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
