/* test_iobuf.c - the data written: aligned, never repeated, of no use to a compressor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/iobuf.h"

static void init(struct iobuf *b, struct iobuf_spec spec)
{
	struct err e = ERR_INIT;

	if (spec.align == 0)
		spec.align = 4096;
	assert_int_equal(iobuf_init(b, &spec, &e), 0);
}

/* What a drive sees of @writes writes: the data of all of them, one after another. */
static unsigned char *written(struct iobuf *b, uint32_t buffers, uint32_t writes)
{
	unsigned char *all = malloc((size_t)writes * b->bs);

	assert_non_null(all);
	for (uint32_t i = 0; i < writes; i++) {
		unsigned char *buf = iobuf_at(b, i % buffers);

		iobuf_refresh(b, buf);
		memcpy(all + (size_t)i * b->bs, buf, b->bs);
	}
	return all;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	return x < y ? -1 : x > y;
}

/* Equal pairs among the values (neighbours after sorting). */
static size_t count_equal(uint64_t *v, size_t n)
{
	size_t equal = 0;

	qsort(v, n, sizeof(*v), compare_u64);
	for (size_t i = 1; i < n; i++)
		equal += v[i] == v[i - 1];
	return equal;
}

static uint64_t hash(const unsigned char *p, size_t n)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(1099511628211);
	return h;
}

static size_t duplicate_sectors(const unsigned char *all, size_t bytes)
{
	size_t n = bytes / IOBUF_SECTOR, equal;
	uint64_t *v = calloc(n, sizeof(*v));

	assert_non_null(v);
	for (size_t i = 0; i < n; i++)
		v[i] = hash(all + i * IOBUF_SECTOR, IOBUF_SECTOR);
	equal = count_equal(v, n);
	free(v);
	return equal;
}

/* Strings of 8 bytes, at any address, that occur again anywhere: what a compressor with a window
 * as long as the data could find. */
static size_t repeated_strings(const unsigned char *all, size_t bytes)
{
	size_t n = bytes - 7, equal;
	uint64_t *v = calloc(n, sizeof(*v));

	assert_non_null(v);
	for (size_t i = 0; i < n; i++)
		memcpy(&v[i], all + i, 8);
	equal = count_equal(v, n);
	free(v);
	return equal;
}

static void small_blocks_give_a_compressor_nothing(void **state)
{
	struct iobuf b;
	unsigned char *all;

	(void)state;
	init(&b, (struct iobuf_spec){ .count = 3, .bs = 4096, .writes = true, .seed = 1 });
	all = written(&b, 3, 256);
	assert_int_equal(duplicate_sectors(all, 256 * 4096), 0);
	assert_int_equal(repeated_strings(all, 256 * 4096), 0);
	free(all);
	iobuf_done(&b);
}

static void odd_block_sizes_are_refreshed_to_the_last_byte(void **state)
{
	struct iobuf b;
	unsigned char *all;

	(void)state;
	init(&b, (struct iobuf_spec){ .count = 1, .bs = 2300, .writes = true, .seed = 1 });
	all = written(&b, 1, 100);
	assert_int_equal(repeated_strings(all, 230000), 0);
	free(all);
	iobuf_done(&b);
}

static void large_blocks_repeat_no_sector(void **state)
{
	const uint32_t bs = 256 * 1024;
	struct iobuf b;
	unsigned char *all;

	(void)state;
	init(&b, (struct iobuf_spec){ .count = 2, .bs = bs, .writes = true, .seed = 1 });
	all = written(&b, 2, 64);
	assert_int_equal(duplicate_sectors(all, (size_t)64 * bs), 0);
	/* and within the 64 KiB that a drive may look back, nothing at all */
	assert_int_equal(repeated_strings(all + 10 * (size_t)bs, bs), 0);
	free(all);
	iobuf_done(&b);
}

static void refill_leaves_nothing_of_the_old_data(void **state)
{
	struct iobuf b;
	unsigned char *all;

	(void)state;
	init(&b, (struct iobuf_spec){
		.count = 1, .bs = 131072, .writes = true, .refill = true, .seed = 1 });
	all = written(&b, 1, 8);
	assert_int_equal(repeated_strings(all, 8 * 131072), 0);
	free(all);
	iobuf_done(&b);
}

static size_t zero_bytes(const unsigned char *p, size_t n)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++)
		zeros += p[i] == 0;
	return zeros;
}

static void zero_buffers_stay_zero(void **state)
{
	struct iobuf b;

	(void)state;
	init(&b, (struct iobuf_spec){ .count = 2, .bs = 4096, .writes = true, .zero = true });
	iobuf_refresh(&b, iobuf_at(&b, 1));
	assert_int_equal(zero_bytes(b.mem, b.mem_bytes), b.mem_bytes);
	iobuf_done(&b);
}

static void read_buffers_are_left_alone(void **state)
{
	struct iobuf b;

	(void)state;
	init(&b, (struct iobuf_spec){ .count = 1, .bs = 4096, .writes = false, .seed = 9 });
	memset(iobuf_at(&b, 0), 0x5a, 4096);
	iobuf_refresh(&b, iobuf_at(&b, 0));
	for (int i = 0; i < 4096; i++)
		assert_int_equal(iobuf_at(&b, 0)[i], 0x5a);
	iobuf_done(&b);
}

static void compressible_share_is_what_was_asked_for(void **state)
{
	static const uint32_t sizes[] = { 512, 4096, 16384, 131072 };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		for (uint32_t pct = 25; pct <= 100; pct += 25) {
			struct iobuf b;
			size_t zeros;

			init(&b, (struct iobuf_spec){ .count = 1, .bs = sizes[s], .writes = true,
				.compress_pct = pct, .seed = 4 });
			iobuf_refresh(&b, iobuf_at(&b, 0));
			zeros = zero_bytes(iobuf_at(&b, 0), sizes[s]);
			/* random bytes are zero once in 256; 1 % is over 5 sigma of 512 of them */
			assert_true((double)zeros > (double)sizes[s] * (pct / 100.0 - 0.001));
			assert_true((double)zeros < (double)sizes[s] * (pct / 100.0 + 0.02));
			iobuf_done(&b);
		}
	}
}

static void compressible_data_is_new_in_every_sector_that_has_any(void **state)
{
	struct iobuf b;
	unsigned char *all;

	(void)state;
	init(&b, (struct iobuf_spec){
		.count = 1, .bs = 4096, .writes = true, .compress_pct = 50, .seed = 4 });
	all = written(&b, 1, 64);
	/* four sectors of eight are random, four are zeros */
	assert_int_equal(duplicate_sectors(all, 64 * 4096), 64 * 4 - 1);
	free(all);
	iobuf_done(&b);
}

static void buffers_are_aligned_and_counted(void **state)
{
	static const uint32_t aligns[] = { 1, 512, 4096, 65536 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct iobuf_spec spec = { .count = 5, .bs = 2300, .align = aligns[i], .writes = true };
		struct err e = ERR_INIT;
		struct iobuf b;

		assert_int_equal(iobuf_init(&b, &spec, &e), 0);
		assert_int_equal(b.mem_bytes, iobuf_bytes(&spec));
		for (uint32_t k = 0; k < 5; k++)
			assert_int_equal((uintptr_t)iobuf_at(&b, k) % aligns[i], 0);
		assert_true(iobuf_at(&b, 4) + 2300 <= b.mem + b.mem_bytes);
		iobuf_done(&b);
		iobuf_done(&b);
	}
}

static void memory_that_is_not_there_is_an_error(void **state)
{
	struct iobuf_spec spec = { .count = 1u << 30, .bs = 1u << 26, .align = 512 };
	struct err e = ERR_INIT;
	struct iobuf b;

	(void)state;
	assert_int_equal(iobuf_init(&b, &spec, &e), -12);
	assert_non_null(strstr(e.msg, "out of memory"));
	iobuf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_blocks_give_a_compressor_nothing),
		cmocka_unit_test(odd_block_sizes_are_refreshed_to_the_last_byte),
		cmocka_unit_test(large_blocks_repeat_no_sector),
		cmocka_unit_test(refill_leaves_nothing_of_the_old_data),
		cmocka_unit_test(zero_buffers_stay_zero),
		cmocka_unit_test(read_buffers_are_left_alone),
		cmocka_unit_test(compressible_share_is_what_was_asked_for),
		cmocka_unit_test(compressible_data_is_new_in_every_sector_that_has_any),
		cmocka_unit_test(buffers_are_aligned_and_counted),
		cmocka_unit_test(memory_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
