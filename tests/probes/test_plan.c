/* test_plan.c - plans add up, and what cannot run is said before anything is opened. */
#include "probes/plan.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

static char given[] = "/dev/x", dir_path[] = "/var/tmp";

static struct target block(uint64_t size, uint32_t logical)
{
	return (struct target){ .kind = TARGET_BLOCK, .given = given, .path = given,
		.size_bytes = size, .logical_block = logical, .physical_block = 4096 };
}

static struct target directory(uint64_t free_bytes)
{
	return (struct target){ .kind = TARGET_DIR, .given = dir_path, .path = dir_path,
		.size_bytes = free_bytes, .logical_block = 512, .physical_block = 512 };
}

static struct plan_options options(const char *battery)
{
	return (struct plan_options){ .battery = battery ? battery_find(battery) : NULL,
		.slc_bytes = PLAN_SLC_ASSUMED, .rated_tbw_bytes = NAN, .randseed = 1 };
}

static void the_ceph_battery_takes_nine_minutes_over_the_whole_device(void **state)
{
	struct target t = block(100 * GIB, 512);
	struct plan_options o = options(NULL);
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_string_equal(p.battery->name, "ceph");
	assert_int_equal(p.applicable_count, 9);
	assert_true(fabs(p.seconds - 540) < 1e-9);
	assert_int_equal(p.offset, 0);
	assert_int_equal(p.size, 100 * GIB);
	assert_int_equal(p.layout_bytes, 0);
	assert_int_equal(p.fill_bytes, 0);
	assert_true(isnan(p.endurance_share));
	assert_true(p.buffer_bytes > 0);
	plan_done(&p);
}

/* 4096 bytes at depth 1 in 8 us each are 512 MB/s: 60 s write 30.72 GB at most. */
static void a_depth_one_row_is_bound_by_the_fastest_io(void **state)
{
	struct target t = block(100 * GIB, 512);
	struct plan_options o = options("ceph");
	const char *row[] = { "journal-sync" };
	struct plan p;

	(void)state;
	o.rows = row;
	o.row_count = 1;
	o.rated_tbw_bytes = 600e12;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_int_equal(p.row_count, 1);
	assert_int_equal(p.rows[0].write_bytes, UINT64_C(30720000000));
	assert_int_equal(p.write_bytes, UINT64_C(30720000000));
	assert_true(fabs(p.endurance_share - 30.72e9 / 600e12) < 1e-15);
	plan_done(&p);
}

/* SATA carries 600 MB/s: a minute of linear writing is 36 GB at most. */
static void a_deep_row_is_bound_by_the_link(void **state)
{
	struct target t = block(100 * GIB, 512);
	struct plan_options o = options("ceph");
	const char *row[] = { "linear-write" };
	struct plan p;

	(void)state;
	t.identity = json_new_object();
	assert_int_equal(json_set_str(t.identity, "transport", "sata"), 0);
	o.rows = row;
	o.row_count = 1;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_int_equal(p.write_bytes, UINT64_C(36000000000));
	assert_non_null(strstr(p.link_source, "SATA"));
	plan_done(&p);
	json_free(t.identity);
}

static void reads_write_nothing(void **state)
{
	struct target t = block(GIB, 512);
	struct plan_options o = options("ceph");
	const char *rows[] = { "randread-1", "randread-32" };
	struct plan p;

	(void)state;
	o.rows = rows;
	o.row_count = 2;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_int_equal(p.applicable_count, 2);
	assert_int_equal(p.write_bytes, 0);
	plan_done(&p);
}

static void a_fill_covers_the_span_and_twice_the_fast_cache_in_whole_laps(void **state)
{
	static const struct {
		uint64_t capacity, size, slc, fill;
		bool assumed;
	} cases[] = {
		{ 100 * GIB, 0, 10 * GIB, 100 * GIB, false },
		{ 100 * GIB, 0, 0, 100 * GIB, false },
		{ 100 * GIB, 1 * GIB, 10 * GIB, 20 * GIB, false },
		{ 100 * GIB, 16 * GIB, 10 * GIB, 32 * GIB, false },
		/* assumed: a third of 96 GiB is 32, twice that is 64 */
		{ 96 * GIB, 1 * GIB, PLAN_SLC_ASSUMED, 64 * GIB, true },
		{ 3000 * GIB, 200 * GIB, PLAN_SLC_ASSUMED, 200 * GIB, true },
		{ 3000 * GIB, 100 * GIB, PLAN_SLC_ASSUMED, 200 * GIB, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = block(cases[i].capacity, 512);
		struct plan_options o = options("ceph");
		struct plan p;

		o.fill = true;
		o.size = cases[i].size;
		o.slc_bytes = cases[i].slc;
		assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
		assert_int_equal(p.fill_bytes, cases[i].fill);
		assert_int_equal(p.slc_assumed, cases[i].assumed);
		plan_done(&p);
	}
}

/* 64 MiB segments, five kept and one being made, and the 100 MiB file of the laps. */
static void the_etcd_battery_says_what_space_it_needs(void **state)
{
	struct target t = directory(10 * GIB);
	struct plan_options o = options(NULL);
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_string_equal(p.battery->name, "etcd");
	assert_int_equal(p.space_bytes, 6 * 64 * MIB + 100 * MIB);
	assert_int_equal(p.layout_bytes, 100 * MIB);
	assert_true(p.rows[0].params.size <= 64 * MIB);
	assert_true(p.rows[0].params.size > 64 * MIB - 2300);
	assert_int_equal(p.rows[0].params.size % 2300, 0);
	plan_done(&p);
}

static void files_are_written_once_before_they_are_measured_and_devices_are_not(void **state)
{
	static const struct {
		enum target_kind kind;
		bool fill;
		uint64_t layout;
	} cases[] = {
		{ TARGET_BLOCK, false, 0 },         { TARGET_FILE, false, 64 * MIB },
		{ TARGET_FILE, true, 0 },           { TARGET_DIR, false, 64 * MIB },
		{ TARGET_DIR, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = cases[i].kind == TARGET_DIR ? directory(10 * GIB) :
			block(GIB, 512);
		struct plan_options o = options("pwl");
		struct plan p;

		t.kind = cases[i].kind;
		o.size = 64 * MIB;
		o.fill = cases[i].fill;
		o.slc_bytes = 0;
		assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
		assert_int_equal(p.layout_bytes, cases[i].layout);
		assert_int_equal(p.fill_bytes, cases[i].fill ? 64 * MIB : 0);
		assert_int_equal(p.space_bytes, t.kind == TARGET_DIR ? 64 * MIB : 0);
		plan_done(&p);
	}
}

static void a_directory_without_the_space_is_refused_with_both_numbers(void **state)
{
	struct target t = directory(100 * MIB);
	struct plan_options o = options("ceph");
	struct err e = ERR_INIT;
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&t, &o, &p, &e), -ENOSPC);
	assert_int_equal(e.kind, ERR_DEVICE);
	assert_non_null(strstr(e.msg, "1073741824"));
	assert_non_null(strstr(e.msg, "104857600"));
}

static void a_direct_write_below_the_logical_block_is_not_applicable_and_says_so(void **state)
{
	struct target t = block(GIB, 4096);
	struct plan_options o = options("sync-size");
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_int_equal(p.row_count, 18);
	assert_int_equal(p.applicable_count, 12);
	assert_false(p.rows[0].applicable);
	assert_non_null(strstr(p.rows[0].why, "512"));
	assert_non_null(strstr(p.rows[0].why, "4096"));
	assert_true(fabs(p.seconds - 120) < 1e-9);
	plan_done(&p);
}

static void a_row_asked_for_on_the_wrong_kind_of_target_is_said_not_dropped(void **state)
{
	struct target t = directory(10 * GIB);
	struct plan_options o = options("quick");
	const char *rows[] = { "linear-write", "write-4k" };
	struct plan p;

	(void)state;
	o.rows = rows;
	o.row_count = 2;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_int_equal(p.row_count, 2);
	assert_int_equal(p.applicable_count, 1);
	plan_done(&p);
}

static void expect_usage(const struct target *t, const struct plan_options *o, const char *word)
{
	struct err e = ERR_INIT;
	struct plan p;

	assert_int_equal(plan_make(t, o, &p, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	if (!strstr(e.msg, word))
		fail_msg("'%s' lacks '%s'", e.msg, word);
}

static void what_cannot_be_planned_is_a_usage_error_with_the_remedy(void **state)
{
	static const char *const nope[] = { "nope" };
	struct target t = block(GIB, 4096), dir = directory(10 * GIB), tiny = block(MIB, 512);
	struct plan_options o;

	(void)state;
	o = options("etcd");
	expect_usage(&t, &o, "directory");
	o = options("ceph");
	o.rows = nope;
	o.row_count = 1;
	expect_usage(&t, &o, "journal-sync");
	o = options("ceph");
	o.size = 2 * GIB;
	expect_usage(&t, &o, "beyond its end");
	o.size = 0;
	o.offset = 2 * GIB;
	expect_usage(&t, &o, "beyond its end");
	o.offset = 512;
	expect_usage(&t, &o, "multiples of its logical block");
	o = options("ceph");
	expect_usage(&tiny, &o, "134217728"); /* 32 x 4 MiB in flight */
	o.offset = 4096;
	expect_usage(&dir, &o, "--offset");
}

static void the_runtime_option_replaces_every_rows_time(void **state)
{
	struct target t = block(GIB, 512);
	struct plan_options o = options("ceph");
	struct plan p;

	(void)state;
	o.runtime_ns = 2000000000;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_true(fabs(p.seconds - 18) < 1e-9);
	plan_done(&p);
}

static void the_json_has_every_row_with_its_fio_options(void **state)
{
	struct target t = block(GIB, 4096);
	struct plan_options o = options("sync-size");
	const struct json *row;
	struct json *j;
	struct plan p;
	uint64_t n;

	(void)state;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	j = plan_to_json(&p);
	assert_int_equal(json_len(json_get(j, "rows")), 18);
	row = json_first(json_get(j, "rows"));
	assert_non_null(strstr(json_str(json_get(row, "fio")), "sync=dsync"));
	assert_non_null(json_str(json_get(row, "why_not")));
	assert_true(json_u64(json_get(j, "write_bytes_at_most"), &n));
	assert_int_equal(n, p.write_bytes);
	assert_int_equal(json_type(json_get(j, "endurance_share")), JSON_NULL);
	json_free(j);
	plan_done(&p);
}

static void a_span_of_reads_that_is_larger_than_the_target_is_left_out(void **state)
{
	static const struct {
		uint64_t size;
		size_t rows; /* of 5 */
	} cases[] = { { 100 * GIB, 5 }, { 64 * GIB, 5 }, { 8 * GIB, 4 }, { 64 * MIB, 2 }, { MIB, 1 } };
	struct plan_options o = options("rotation");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = block(cases[i].size, 512);
		struct plan p;

		assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
		assert_int_equal(p.row_count, 5);
		assert_int_equal(p.applicable_count, cases[i].rows);
		assert_int_equal(p.write_bytes, 0);
		for (size_t k = 0; k < p.row_count; k++)
			assert_int_equal(p.rows[k].applicable, p.rows[k].why[0] == '\0');
		assert_int_equal(p.rows[4].params.size, cases[i].size); /* span-all */
		plan_done(&p);
	}
}

/* Each state has the row's time, in legs of half of it; quick stays at its minute. */
static void both_states_of_the_write_cache_double_the_time_but_of_quick(void **state)
{
	struct target t = block(100 * GIB, 512);
	struct plan_options o = options("ceph");
	struct plan one, two;

	(void)state;
	assert_int_equal(plan_make(&t, &o, &one, NULL), 0);
	o.write_cache = PLAN_CACHE_BOTH;
	assert_int_equal(plan_make(&t, &o, &two, NULL), 0);
	assert_int_equal(one.legs, 1);
	assert_int_equal(two.legs, 4);
	assert_true(fabs(two.seconds - 2 * one.seconds) < 1e-9);
	assert_int_equal(two.rows[0].params.runtime_ns, UINT64_C(30000000000));
	assert_true(two.write_bytes >= 2 * one.write_bytes - 100);
	plan_done(&one);
	plan_done(&two);
	o.battery = battery_find("quick");
	assert_int_equal(plan_make(&t, &o, &two, NULL), 0);
	assert_true(two.seconds <= 60);
	plan_done(&two);
	o.runtime_ns = UINT64_C(10000000000);
	assert_int_equal(plan_make(&t, &o, &two, NULL), 0);
	assert_true(fabs(two.seconds - 20.0 * (double)two.applicable_count) < 1e-9);
	plan_done(&two);
}

static void sizes_and_rates_of_the_options_replace_the_batterys(void **state)
{
	struct target t = directory(10 * GIB);
	struct plan_options o = options("etcd");
	struct plan p;

	(void)state;
	o.bs = 1000;
	o.rate_iops = 50;
	assert_int_equal(plan_make(&t, &o, &p, NULL), 0);
	assert_int_equal(p.rows[0].params.bs, 1000);
	assert_int_equal(p.rows[0].params.rate_iops, 50);
	assert_int_equal(p.rows[0].params.size, SEGMENT_BYTES / 1000 * 1000);
	plan_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ceph_battery_takes_nine_minutes_over_the_whole_device),
		cmocka_unit_test(a_depth_one_row_is_bound_by_the_fastest_io),
		cmocka_unit_test(a_deep_row_is_bound_by_the_link),
		cmocka_unit_test(reads_write_nothing),
		cmocka_unit_test(a_fill_covers_the_span_and_twice_the_fast_cache_in_whole_laps),
		cmocka_unit_test(the_etcd_battery_says_what_space_it_needs),
		cmocka_unit_test(
			files_are_written_once_before_they_are_measured_and_devices_are_not),
		cmocka_unit_test(a_directory_without_the_space_is_refused_with_both_numbers),
		cmocka_unit_test(
			a_direct_write_below_the_logical_block_is_not_applicable_and_says_so),
		cmocka_unit_test(a_row_asked_for_on_the_wrong_kind_of_target_is_said_not_dropped),
		cmocka_unit_test(a_span_of_reads_that_is_larger_than_the_target_is_left_out),
		cmocka_unit_test(what_cannot_be_planned_is_a_usage_error_with_the_remedy),
		cmocka_unit_test(the_runtime_option_replaces_every_rows_time),
		cmocka_unit_test(both_states_of_the_write_cache_double_the_time_but_of_quick),
		cmocka_unit_test(sizes_and_rates_of_the_options_replace_the_batterys),
		cmocka_unit_test(the_json_has_every_row_with_its_fio_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
