/* test_battery.c - the batteries are what the operators' tables say, in fio's terms. */
#include "probes/battery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Copied from the table that operators share and from the documents named in probes/battery_*.c;
 * not made from the code. The options that tell rows apart come first, the common ones after. */
#define DIRECT(s)   "ioengine=libaio direct=1 runtime=" s
#define SYNCING(s)  "ioengine=psync direct=1 runtime=" s
#define BUFFERED(s) "ioengine=psync direct=0 runtime=" s
static const struct {
	const char *battery, *key, *own, *common;
} expected[] = {
	{ "ceph", "journal-sync", "rw=write bs=4k iodepth=1 sync=1", DIRECT("60") },
	{ "ceph", "journal-fsync", "rw=write bs=4k iodepth=1 fsync=1", DIRECT("60") },
	{ "ceph", "parallel-sync", "rw=randwrite bs=4k iodepth=32 sync=1", DIRECT("60") },
	{ "ceph", "parallel-fsync", "rw=randwrite bs=4k iodepth=32 fsync=1", DIRECT("60") },
	{ "ceph", "random-nosync", "rw=randwrite bs=4k iodepth=128", DIRECT("60") },
	{ "ceph", "linear-write", "rw=write bs=4M iodepth=32", DIRECT("60") },
	{ "ceph", "randread-1", "rw=randread bs=4k iodepth=1", DIRECT("60") },
	{ "ceph", "randread-32", "rw=randread bs=4k iodepth=32", DIRECT("60") },
	{ "ceph", "t1q1-fsync", "rw=randwrite bs=4k iodepth=1 fsync=1", DIRECT("60") },
	{ "etcd", "etcd-2300", "rw=write bs=2300 iodepth=1 fdatasync=1", BUFFERED("60") },
	{ "etcd", "etcd-8000", "rw=write bs=8000 iodepth=1 fdatasync=1", BUFFERED("60") },
	{ "etcd", "fio-8000-first-lap", "rw=write bs=8000 iodepth=1 fdatasync=1 size=100M",
	  BUFFERED("60") },
	{ "etcd", "fio-8000-overwrite", "rw=write bs=8000 iodepth=1 fdatasync=1 size=100M",
	  BUFFERED("60") },
	{ "sync-size", "dsync-512", "rw=write bs=512 iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-1k", "rw=write bs=1k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-2k", "rw=write bs=2k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-4k", "rw=write bs=4k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-8k", "rw=write bs=8k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-16k", "rw=write bs=16k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-32k", "rw=write bs=32k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-64k", "rw=write bs=64k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "dsync-128k", "rw=write bs=128k iodepth=1 sync=dsync", SYNCING("10") },
	{ "sync-size", "fdatasync-512", "rw=write bs=512 iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-1k", "rw=write bs=1k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-2k", "rw=write bs=2k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-4k", "rw=write bs=4k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-8k", "rw=write bs=8k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-16k", "rw=write bs=16k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-32k", "rw=write bs=32k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-64k", "rw=write bs=64k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "sync-size", "fdatasync-128k", "rw=write bs=128k iodepth=1 fdatasync=1", SYNCING("10") },
	{ "pwl", "write-4k", "rw=write bs=4k iodepth=1", DIRECT("30") },
	{ "pwl", "write-8k", "rw=write bs=8k iodepth=1", DIRECT("30") },
	{ "pwl", "write-12k", "rw=write bs=12k iodepth=1", DIRECT("30") },
	{ "pwl", "write-64k", "rw=write bs=64k iodepth=1", DIRECT("30") },
	{ "pwl", "overwrite-4k", "rw=write bs=4k iodepth=1 size=4k", DIRECT("30") },
	{ "pwl", "read-4k", "rw=randread bs=4k iodepth=1", DIRECT("30") },
	{ "rotation", "span-16m", "rw=randread bs=4k iodepth=1 size=16M", DIRECT("5") },
	{ "rotation", "span-256m", "rw=randread bs=4k iodepth=1 size=256M", DIRECT("5") },
	{ "rotation", "span-4g", "rw=randread bs=4k iodepth=1 size=4096M", DIRECT("5") },
	{ "rotation", "span-64g", "rw=randread bs=4k iodepth=1 size=65536M", DIRECT("5") },
	{ "rotation", "span-all", "rw=randread bs=4k iodepth=1", DIRECT("5") },
};
#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

static void every_row_has_the_fio_options_of_the_published_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < EXPECTED; i++) {
		const struct battery *b = battery_find(expected[i].battery);
		const struct battery_row *row;
		char got[BATTERY_FIO_MAX], want[BATTERY_FIO_MAX];

		assert_non_null(b);
		row = battery_row_find(b, expected[i].key);
		assert_non_null(row);
		(void)snprintf(want, sizeof(want), "%s %s", expected[i].own, expected[i].common);
		(void)battery_row_fio(row, got, sizeof(got));
		assert_memory_equal(got, want, strlen(want));
		assert_true(got[strlen(want)] == '\0' || got[strlen(want)] == ' ');
	}
}

static void no_row_is_missing_from_the_published_table(void **state)
{
	size_t rows = 0;

	(void)state;
	for (size_t i = 0; battery_table[i]; i++)
		if (strcmp(battery_table[i]->name, "quick") != 0)
			rows += battery_table[i]->row_count;
	assert_int_equal(rows, EXPECTED);
}

static bool is_key(const char *s)
{
	if (!(*s >= 'a' && *s <= 'z'))
		return false;
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static void names_and_keys_are_unique_words_and_labels_fit_their_column(void **state)
{
	(void)state;
	for (size_t i = 0; battery_table[i]; i++) {
		const struct battery *b = battery_table[i];

		assert_true(is_key(b->name));
		assert_ptr_equal(battery_find(b->name), b);
		assert_non_null(b->summary);
		for (size_t k = 0; k < b->row_count; k++) {
			assert_true(is_key(b->rows[k].key));
			assert_ptr_equal(battery_row_find(b, b->rows[k].key), &b->rows[k]);
			assert_in_range(strlen(b->rows[k].label), 1, 26);
			assert_true(b->rows[k].on & ROW_ON_ANY);
		}
	}
}

static void every_row_passes_the_load_generators_check(void **state)
{
	(void)state;
	for (size_t i = 0; battery_table[i]; i++)
		for (size_t k = 0; k < battery_table[i]->row_count; k++) {
			struct load_params p;
			struct err e = ERR_INIT;

			battery_row_params(&battery_table[i]->rows[k], &p);
			p.filename = "test";
			p.fd = 0;
			p.buffer_align = 512;
			if (!p.size)
				p.size = (uint64_t)1 << 30;
			p.size = p.size / p.bs * p.bs;
			if (load_params_check(&p, &e) < 0)
				fail_msg("%s: %s", battery_table[i]->rows[k].key, e.msg);
		}
}

static void quick_takes_a_minute_on_a_device_and_in_a_directory(void **state)
{
	const struct battery *b = battery_find("quick");
	uint32_t block = 0, dir = 0;

	(void)state;
	for (size_t k = 0; k < b->row_count; k++) {
		block += battery_row_fits(&b->rows[k], TARGET_BLOCK) ? b->rows[k].runtime_s : 0;
		dir += battery_row_fits(&b->rows[k], TARGET_DIR) ? b->rows[k].runtime_s : 0;
	}
	assert_in_range(block, 50, 65);
	assert_in_range(dir, 50, 65);
}

/* The verdicts: journal (WAL/DB, PLP), OSD data, PWL, etcd, rotation. */
static void quick_has_what_verdicts_rest_on_and_the_same_load_under_the_same_key(
	void **state)
{
	static const char *const needed[] = { "journal-sync", "journal-fsync", "t1q1-fsync",
		"random-nosync", "linear-write", "randread-1", "write-4k", "write-12k",
		"overwrite-4k", "read-4k", "etcd-2300", "etcd-8000" };
	const struct battery *quick = battery_find("quick");

	(void)state;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		assert_non_null(battery_row_find(quick, needed[i]));
	for (size_t i = 0; battery_table[i]; i++)
		for (size_t k = 0; k < quick->row_count; k++) {
			const struct battery_row *other =
				battery_row_find(battery_table[i], quick->rows[k].key);
			struct battery_row same = quick->rows[k];
			char a[BATTERY_FIO_MAX], b[BATTERY_FIO_MAX];

			if (!other)
				continue;
			same.runtime_s = other->runtime_s;
			assert_string_equal(battery_row_fio(&same, a, sizeof(a)),
				battery_row_fio(other, b, sizeof(b)));
			assert_string_equal(quick->rows[k].label, other->label);
			assert_int_equal(quick->rows[k].kind, other->kind);
		}
}

static void only_the_first_lap_ends_with_its_file(void **state)
{
	(void)state;
	for (size_t i = 0; battery_table[i]; i++)
		for (size_t k = 0; k < battery_table[i]->row_count; k++) {
			const struct battery_row *row = &battery_table[i]->rows[k];
			struct load_params p;

			battery_row_params(row, &p);
			assert_int_equal(p.time_based, strcmp(row->key, "fio-8000-first-lap") != 0);
		}
}

static void etcd_is_the_default_of_directories_and_ceph_of_the_rest(void **state)
{
	(void)state;
	assert_string_equal(battery_default(TARGET_DIR)->name, "etcd");
	assert_string_equal(battery_default(TARGET_BLOCK)->name, "ceph");
	assert_string_equal(battery_default(TARGET_FILE)->name, "ceph");
	assert_null(battery_find("nope"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_has_the_fio_options_of_the_published_table),
		cmocka_unit_test(no_row_is_missing_from_the_published_table),
		cmocka_unit_test(names_and_keys_are_unique_words_and_labels_fit_their_column),
		cmocka_unit_test(every_row_passes_the_load_generators_check),
		cmocka_unit_test(quick_takes_a_minute_on_a_device_and_in_a_directory),
		cmocka_unit_test(
			quick_has_what_verdicts_rest_on_and_the_same_load_under_the_same_key),
		cmocka_unit_test(only_the_first_lap_ends_with_its_file),
		cmocka_unit_test(etcd_is_the_default_of_directories_and_ceph_of_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
