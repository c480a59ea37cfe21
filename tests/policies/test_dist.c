/* Sums, mixtures and extremes of latency distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/dist.h"

static void near(double got, double want, double rel)
{
	if (!(fabs(got - want) <= rel * fabs(want)))
		fail_msg("got %.9g, want %.9g within %g", got, want, rel);
}

static void a_constant_shifts_exactly(void **state)
{
	struct dist d = { 100, 300, 500 }, r = dist_sum(d, dist_const(50));

	(void)state;
	near(r.p50_ns, 150, 1e-12);
	near(r.p99_ns, 350, 1e-12);
	near(r.p999_ns, 550, 1e-12);
	r = dist_shift(d, -200);
	assert_true(r.p50_ns == 0);
}

/* By hand: sigma = ln(3)/2.32635 = 0.47224, mean = p50 exp(sigma^2/2) = 1.11796 p50,
 * cv^2 = exp(0.22301) - 1 = 0.24984. Two of them: mean 2.23591, cv^2 0.12492,
 * p50 = 2.23591/sqrt(1.12492) = 2.10812, sigma = sqrt(ln 1.12492) = 0.34310, p99 = p50 x 2.2214. */
static void two_equal_parts_add_as_worked_out_by_hand(void **state)
{
	struct dist one = { 1000, 3000, 4303 }, two = dist_sum(one, one);

	(void)state;
	near(two.p50_ns, 2108.12, 1e-4);
	near(two.p99_ns, 2108.12 * 2.2214, 1e-3);
}

/* Fenton-Wilkinson against 200,000 sums drawn from the same lognormals. */
static void a_sum_is_near_to_a_sampled_one(void **state)
{
	struct dist a = { 1000, 3000, 4303 }, b = { 2000, 5000, 6700 }, sum = dist_sum(a, b);
	uint64_t x = 88172645463325252u, below50 = 0, below99 = 0, n = 200000;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		double u[4], z1, z2, v;

		for (int k = 0; k < 4; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			u[k] = ((double)(x >> 11) + 0.5) / 9007199254740992.0;
		}
		z1 = sqrt(-2 * log(u[0])) * cos(2 * M_PI * u[1]);
		z2 = sqrt(-2 * log(u[2])) * cos(2 * M_PI * u[3]);
		v = 1000 * exp(z1 * log(3.0) / 2.32635) + 2000 * exp(z2 * log(2.5) / 2.32635);
		below50 += v <= sum.p50_ns;
		below99 += v <= sum.p99_ns;
	}
	near((double)below50 / (double)n, 0.5, 0.02);
	near((double)below99 / (double)n, 0.99, 0.003);
}

static void a_part_undoes_a_sum(void **state)
{
	struct dist d = { 500, 1417, 2000 }, part = dist_part(d, 2), r = dist_sum(part, part);

	(void)state;
	near(r.p50_ns, d.p50_ns, 1e-9);
	near(r.p99_ns, d.p99_ns, 1e-9);
}

static void a_mixture_lies_between_its_parts(void **state)
{
	struct dist fast = { 100, 150, 170 }, slow = { 10000, 15000, 17000 };
	struct dist half = dist_mix(fast, slow, 0.6), rare = dist_mix(fast, slow, 0.05);

	(void)state;
	assert_true(half.p50_ns > 5000 && half.p50_ns < 10000);
	assert_true(rare.p50_ns < 110);
	/* 1 of 5 of the slow ones lies above the p99 of the mixture: their 80th percentile. */
	near(rare.p99_ns, 10000 * exp(0.84162 * log(1.5) / 2.32635), 1e-3);
	near(dist_mix(fast, slow, 0).p99_ns, 150, 1e-12);
	near(dist_mix(fast, slow, 1).p99_ns, 15000, 1e-12);
}

static void a_sum_is_never_below_a_part(void **state)
{
	(void)state;
	for (double tail = 1; tail < 300; tail *= 1.7) {
		struct dist a = { 1000, 1000 * tail, 1000 * tail * tail }, b = { 900, 950, 960 };
		struct dist s = dist_sum(a, b);

		assert_true(s.p50_ns >= a.p50_ns && s.p99_ns >= a.p99_ns && s.p999_ns >= a.p999_ns);
		assert_true(s.p50_ns <= s.p99_ns && s.p99_ns <= s.p999_ns);
	}
}

static void unknown_stays_unknown(void **state)
{
	struct dist d = { 1, 2, 3 }, u = DIST_UNKNOWN;

	(void)state;
	assert_false(dist_known(dist_sum(d, u)));
	assert_false(dist_known(dist_mix(d, u, 0.5)));
	assert_true(isnan(dist_mean(u)) && isnan(dist_cdf(u, 5)));
	near(dist_cdf(d, 2), 0.99, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_constant_shifts_exactly),
		cmocka_unit_test(two_equal_parts_add_as_worked_out_by_hand),
		cmocka_unit_test(a_sum_is_near_to_a_sampled_one),
		cmocka_unit_test(a_part_undoes_a_sum),
		cmocka_unit_test(a_mixture_lies_between_its_parts),
		cmocka_unit_test(a_sum_is_never_below_a_part),
		cmocka_unit_test(unknown_stays_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
