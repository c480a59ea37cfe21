/* test_hist.c - data/hist.h: edges, error bound, percentiles against a sorted array, merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/hist.h"

static uint64_t state64;

/* Knuth's MMIX generator: the same numbers everywhere. */
static uint64_t next64(void)
{
	state64 = state64 * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return state64 ^ (state64 >> 29);
}

/* 1 ns to 1 h, every order of magnitude alike. */
static uint64_t next_latency(void)
{
	uint64_t v = next64() >> (22 + next64() % 42);

	return v < 1 ? 1 : v > HIST_MAX_NS ? HIST_MAX_NS : v;
}

static void buckets_follow_each_other_without_gap(void **state)
{
	uint64_t low, high, last = 0;

	(void)state;
	for (uint32_t i = 1; i < HIST_BUCKETS; i++) {
		hist_edges(i, &low, &high);
		if (low != last + 1 || high < low)
			fail_msg("bucket %u: %llu..%llu after %llu", i, (unsigned long long)low,
				(unsigned long long)high, (unsigned long long)last);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(high), i);
		/* width less one over the lower edge: the error of taking the upper edge */
		assert_true(high - low <= low / 128);
		last = high;
	}
	assert_true(last >= HIST_MAX_NS);
}

static void powers_of_two_start_buckets(void **state)
{
	(void)state;
	for (int b = 0; b < 42; b++) {
		uint64_t low, high, v = UINT64_C(1) << b;

		hist_edges(hist_index(v), &low, &high);
		assert_true(low == v);
		if (v > 1) {
			hist_edges(hist_index(v - 1), &low, &high);
			assert_true(high == v - 1);
		}
	}
}

static void any_value_is_within_one_in_128_of_its_edge(void **state)
{
	(void)state;
	state64 = 11;
	for (int i = 0; i < 1000000; i++) {
		uint64_t v = next_latency(), low, high;

		hist_edges(hist_index(v), &low, &high);
		if (v < low || v > high || (double)(high - v) > (double)v / 128.0)
			fail_msg("seed 11: %llu in %llu..%llu", (unsigned long long)v,
				(unsigned long long)low, (unsigned long long)high);
	}
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void percentiles_agree_with_a_sorted_array(void **state)
{
	static const size_t counts[] = { 1, 2, 3, 10, 99, 100, 101, 1000, 12345 };
	static const double pcts[] = { 1e-9, 1, 10, 50, 90, 99, 99.9, 99.99, 100 };
	static uint64_t v[12345];

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct hist *h = hist_new();
		size_t n = counts[c];

		state64 = 100 + c;
		for (size_t i = 0; i < n; i++) {
			v[i] = next_latency();
			hist_record(h, v[i]);
		}
		qsort(v, n, sizeof(v[0]), compare_u64);
		for (size_t p = 0; p < sizeof(pcts) / sizeof(pcts[0]); p++) {
			size_t rank = (size_t)ceil(pcts[p] / 100.0 * (double)n);
			uint64_t want = v[(rank ? rank : 1) - 1], got = 0, low, high;

			assert_int_equal(hist_percentile(h, pcts[p], &got), 0);
			hist_edges(hist_index(want), &low, &high);
			if (high > v[n - 1])
				high = v[n - 1];
			if (got != high)
				fail_msg("seed %zu, n %zu, p%g: %llu, not %llu", 100 + c, n, pcts[p],
					(unsigned long long)got, (unsigned long long)high);
		}
		hist_free(h);
	}
}

static void totals_are_exact(void **state)
{
	static const uint64_t v[] = { 100, 200, 300, 1000000 };
	struct hist *h = hist_new();
	double mean = 250150, var = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		hist_record(h, v[i]);
		var += ((double)v[i] - mean) * ((double)v[i] - mean) / 4;
	}
	assert_true(h->count == 4 && h->min_ns == 100 && h->max_ns == 1000000);
	assert_true(hist_mean(h) == mean);
	assert_true(fabs(hist_stddev(h) - sqrt(var)) < 1e-6 * sqrt(var));
	hist_reset(h);
	hist_record(h, 7);
	hist_record(h, 7);
	assert_true(hist_stddev(h) == 0.0);
	hist_free(h);
}

static void out_of_range_is_counted_apart(void **state)
{
	struct hist *h = hist_new();
	uint64_t ns;

	(void)state;
	hist_record(h, 0);
	hist_record(h, HIST_MAX_NS + 1);
	hist_record(h, UINT64_MAX);
	assert_true(h->count == 0 && h->under == 1 && h->over == 2);
	assert_int_equal(hist_percentile(h, 50, &ns), -ENODATA);
	assert_true(isnan(hist_mean(h)) && isnan(hist_stddev(h)));
	hist_record(h, 1);
	hist_record(h, HIST_MAX_NS);
	assert_true(h->count == 2 && h->min_ns == 1 && h->max_ns == HIST_MAX_NS);
	assert_int_equal(hist_percentile(h, 100, &ns), 0);
	assert_true(ns == HIST_MAX_NS);
	hist_free(h);
}

static void percentiles_out_of_range_are_refused(void **state)
{
	static const double bad[] = { 0, -1, 100.0001, NAN, INFINITY };
	struct hist *h = hist_new();
	uint64_t ns = 77;

	(void)state;
	hist_record(h, 5);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(hist_percentile(h, bad[i], &ns), -EINVAL);
		assert_true(ns == 77);
	}
	hist_free(h);
}

static void merging_is_recording_both(void **state)
{
	struct hist *a = hist_new(), *b = hist_new(), *both = hist_new(), *empty = hist_new();

	(void)state;
	state64 = 5;
	hist_merge(a, empty); /* an empty one changes nothing, not even min */
	for (int i = 0; i < 5000; i++) {
		uint64_t v = i % 50 ? next_latency() : i % 100 ? 0 : HIST_MAX_NS + 1;

		hist_record(i % 3 ? a : b, v);
		hist_record(both, v);
	}
	hist_merge(a, b);
	hist_merge(a, empty);
	assert_true(a->count == both->count && a->under == both->under && a->over == both->over);
	assert_true(a->min_ns == both->min_ns && a->max_ns == both->max_ns);
	assert_memory_equal(a->bucket, both->bucket, sizeof(a->bucket));
	assert_true(fabs(a->sum_ns - both->sum_ns) <= 1e-12 * both->sum_ns);
	assert_true(fabs(a->sumsq_ns - both->sumsq_ns) <= 1e-12 * both->sumsq_ns);
	hist_reset(empty);
	hist_merge(empty, b);
	assert_true(empty->min_ns == b->min_ns && empty->count == b->count);
	hist_free(a);
	hist_free(b);
	hist_free(both);
	hist_free(empty);
	hist_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_follow_each_other_without_gap),
		cmocka_unit_test(powers_of_two_start_buckets),
		cmocka_unit_test(any_value_is_within_one_in_128_of_its_edge),
		cmocka_unit_test(percentiles_agree_with_a_sorted_array),
		cmocka_unit_test(totals_are_exact),
		cmocka_unit_test(out_of_range_is_counted_apart),
		cmocka_unit_test(percentiles_out_of_range_are_refused),
		cmocka_unit_test(merging_is_recording_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
