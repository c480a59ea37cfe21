/* The write side of an application, on an image in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "fake_rbd.h"
#include "probes/rbd_load.h"

#define MIB (UINT64_C(1) << 20)
#define MS UINT64_C(1000000)

static struct rbd_load_figures run_load(struct rbd_load *l)
{
	struct rbd_conn c = { .lib = &fake_lib };
	struct rbd_spec spec = { .pool = "rbd" };
	struct rbd_load_figures f;

	fake_reset();
	fake_add("img", 16 * MIB);
	assert_int_equal(rbd_image_open(&c, &spec, "img", false, &l->image, NULL), 0);
	l->span = 16 * MIB;
	l->runtime_ns = l->runtime_ns ? l->runtime_ns : 1000 * MS;
	assert_int_equal(rbd_load_run(l, &f, NULL), 0);
	(void)rbd_image_close(l->image);
	return f;
}

static void a_sync_of_a_file_system_is_three_writes_and_two_flushes(void **state)
{
	struct rbd_load l = { .streams = 1, .write_bytes = 8192, .writes = 1, .syncs = true,
		.journal_bytes = 12288, .write_limit = 100 * 24576 };
	struct rbd_load_figures f = run_load(&l);

	(void)state;
	/* one write and one flush before: the warm-up, whose bytes count against the limit */
	assert_true(f.limited);
	assert_int_equal(f.sync->count, f.writes);
	assert_int_equal(fake.writes, 3 * f.writes + 1);
	assert_int_equal(fake.flushes, 2 * f.writes + 1);
	assert_int_equal(f.bytes, f.writes * (8192 + 12288 + 4096));
	rbd_load_done(&f);
}

static void several_writes_share_a_sync(void **state)
{
	struct rbd_load l = { .streams = 2, .write_bytes = 4096, .writes = 4, .syncs = true,
		.random = true, .hot_bytes = MIB, .write_limit = 400 * 4096 };
	struct rbd_load_figures f = run_load(&l);

	(void)state;
	assert_int_equal(f.write->count, f.writes);
	assert_true(f.sync->count * 4 <= f.writes);
	assert_true(f.sync->count * 4 + 2 * 3 >= f.writes); /* two streams ended within a cycle */
	rbd_load_done(&f);
}

static void a_load_without_syncs_never_flushes(void **state)
{
	struct rbd_load l = { .streams = 1, .write_bytes = 4096, .writes = 1,
		.write_limit = 50 * 4096 };
	struct rbd_load_figures f = run_load(&l);

	(void)state;
	assert_int_equal(fake.flushes, 1); /* the warm-up's */
	assert_int_equal(f.sync->count, 0);
	rbd_load_done(&f);
}

static void a_failed_write_of_a_load_is_told(void **state)
{
	struct rbd_conn c = { .lib = &fake_lib };
	struct rbd_spec spec = { .pool = "rbd" };
	struct rbd_load l = { .streams = 3, .write_bytes = 4096, .writes = 1, .syncs = true,
		.span = 16 * MIB, .runtime_ns = 60000 * MS };
	struct rbd_load_figures f;
	struct err e = ERR_INIT;

	(void)state;
	fake_reset();
	fake_add("img", 16 * MIB);
	fake.fail_write_at = 100;
	assert_int_equal(rbd_image_open(&c, &spec, "img", false, &l.image, NULL), 0);
	assert_int_equal(rbd_load_run(&l, &f, &e), -EIO);
	assert_int_equal(e.kind, ERR_DEVICE);
	rbd_load_done(&f);
	(void)rbd_image_close(l.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sync_of_a_file_system_is_three_writes_and_two_flushes),
		cmocka_unit_test(several_writes_share_a_sync),
		cmocka_unit_test(a_load_without_syncs_never_flushes),
		cmocka_unit_test(a_failed_write_of_a_load_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
