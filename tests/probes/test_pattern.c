/* test_pattern.c - offsets: inside the span, aligned, repeatable, and a true permutation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/pattern.h"

#define BASE 8192u
#define BS   512u

static uint64_t block_of(uint64_t offset, uint64_t blocks)
{
	assert_true(offset >= BASE);
	assert_int_equal((offset - BASE) % BS, 0);
	assert_true((offset - BASE) / BS < blocks);
	return (offset - BASE) / BS;
}

static void one_pass(struct pattern *p, uint64_t blocks, uint64_t *ret_order)
{
	unsigned char *seen = calloc(blocks, 1);

	assert_non_null(seen);
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t k = block_of(pattern_next(p), blocks);

		assert_int_equal(seen[k], 0);
		seen[k] = 1;
		ret_order[i] = k;
		assert_int_equal(pattern_pass_is_over(p), i + 1 == blocks);
	}
	free(seen);
}

static void permutation_gives_each_block_once_a_pass(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 7, 15, 16, 17, 63, 1000, 4096, 65537 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t n = sizes[i], *order = calloc(2 * n, sizeof(*order));
		struct pattern p;

		assert_non_null(order);
		pattern_init(&p, PATTERN_PERMUTATION, BASE, n, BS, 7);
		one_pass(&p, n, order);
		one_pass(&p, n, order + n);
		if (n >= 63) /* 63! orders: the same one twice is a bug, not chance */
			assert_memory_not_equal(order, order + n, n * sizeof(*order));
		free(order);
	}
}

static void permutation_of_a_huge_span_stays_inside_it(void **state)
{
	const uint64_t blocks = (UINT64_C(1) << 40) + 12345;
	struct pattern p;

	(void)state;
	pattern_init(&p, PATTERN_PERMUTATION, BASE, blocks, BS, 3);
	for (int i = 0; i < 100000; i++)
		(void)block_of(pattern_next(&p), blocks);
}

static void permutation_is_not_a_sequence_in_disguise(void **state)
{
	const uint64_t blocks = 65536;
	uint64_t last = 0, near = 0;
	struct pattern p;

	(void)state;
	pattern_init(&p, PATTERN_PERMUTATION, BASE, blocks, BS, 11);
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t k = block_of(pattern_next(&p), blocks);

		if (k - last + 16 <= 32)
			near++;
		last = k;
	}
	/* Within 16 blocks of the last one: 33 of 65536 by chance, so 33 in all; 100 is 11 sigma
	 * off, with this seed or another. */
	assert_true(near < 100);
}

static void sequential_starts_over_at_the_end(void **state)
{
	struct pattern p;

	(void)state;
	pattern_init(&p, PATTERN_SEQUENTIAL, BASE, 5, BS, 1);
	for (uint64_t i = 0; i < 13; i++)
		assert_int_equal(pattern_next(&p), BASE + i % 5 * BS);
}

static void uniform_covers_the_span_evenly(void **state)
{
	unsigned count[16] = { 0 };
	double chi2 = 0;
	struct pattern p;

	(void)state;
	pattern_init(&p, PATTERN_UNIFORM, BASE, 16, BS, 5);
	for (int i = 0; i < 16000; i++)
		count[block_of(pattern_next(&p), 16)]++;
	for (int i = 0; i < 16; i++)
		chi2 += ((double)count[i] - 1000) * ((double)count[i] - 1000) / 1000;
	/* 15 degrees of freedom; the seed is fixed, so this never fails by chance later */
	assert_true(chi2 < 37.7); /* p = 0.001 */
}

static void the_same_seed_gives_the_same_offsets(void **state)
{
	static const enum pattern_kind kinds[] = { PATTERN_UNIFORM, PATTERN_PERMUTATION };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct pattern a, b, c;
		int same = 0;

		pattern_init(&a, kinds[i], BASE, 100003, BS, 42);
		pattern_init(&b, kinds[i], BASE, 100003, BS, 42);
		pattern_init(&c, kinds[i], BASE, 100003, BS, 43);
		for (int k = 0; k < 1000; k++) {
			uint64_t offset = pattern_next(&a);

			assert_int_equal(offset, pattern_next(&b));
			same += offset == pattern_next(&c);
		}
		assert_true(same < 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permutation_gives_each_block_once_a_pass),
		cmocka_unit_test(permutation_of_a_huge_span_stays_inside_it),
		cmocka_unit_test(permutation_is_not_a_sequence_in_disguise),
		cmocka_unit_test(sequential_starts_over_at_the_end),
		cmocka_unit_test(uniform_covers_the_span_evenly),
		cmocka_unit_test(the_same_seed_gives_the_same_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
