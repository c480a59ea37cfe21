/* test_noise.c - what others did is what the counters say less what we did. */
#include "probes/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/var/tmp/ssdqual-test-noise-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s/%s", root, path);
	f = fopen(full, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int make_root(void **state)
{
	char cmd[512];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	(void)snprintf(cmd, sizeof(cmd),
		"cd %s && mkdir -p proc sys/dev/block sys/devices/sda/sda1 && "
		"ln -s ../../devices/sda sys/dev/block/8:0 && "
		"ln -s ../../devices/sda/sda1 sys/dev/block/8:1 && "
		"echo 1 > sys/devices/sda/sda1/partition", root);
	return system(cmd);
}

static int remove_root(void **state)
{
	char cmd[128];

	(void)state;
	(void)snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

static uint64_t value(const struct json *j, const char *key)
{
	uint64_t v = UINT64_MAX;

	(void)json_u64(json_get(j, key), &v);
	return v;
}

static void what_others_moved_is_the_disks_count_less_our_own(void **state)
{
	struct noise_snapshot before, after;
	struct json *j;
	double steal = 0;

	(void)state;
	put("sys/devices/sda/stat", "  10 0 100 0 20 0 200 0 0 0 0 0 0 0 0 0 0\n");
	put("proc/stat", "cpu  10 0 10 70 0 0 0 10 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
	noise_take(root, makedev(8, 1), &before); /* the partition: its disk is counted */
	put("sys/devices/sda/stat", "  15 0 160 0 40 0 500 0 0 0 0 0 0 0 0 0 0\n");
	put("proc/stat", "cpu  20 0 20 140 0 0 0 20 0 0\n");
	noise_take(root, makedev(8, 1), &after);
	j = noise_between(&before, &after, 20 * 512, 300 * 512, true, false);
	assert_int_equal(value(j, "device_read_bytes"), 60 * 512);
	assert_int_equal(value(j, "device_write_bytes"), 300 * 512);
	assert_int_equal(value(j, "other_read_bytes"), 40 * 512);
	assert_int_equal(value(j, "other_write_bytes"), 0);
	assert_true(json_f64(json_get(j, "cpu_steal_ratio"), &steal));
	assert_true(steal > 0.0999 && steal < 0.1001);
	json_free(j);
}

static void what_cannot_be_told_from_our_own_is_null(void **state)
{
	struct noise_snapshot s;
	struct json *j;

	(void)state;
	put("sys/devices/sda/stat", "10 0 100 0 20 0 200 0 0 0 0\n");
	noise_take(root, makedev(8, 0), &s);
	j = noise_between(&s, &s, 0, 0, true, true);
	assert_int_equal(value(j, "other_read_bytes"), 0);
	assert_int_equal(json_type(json_get(j, "other_write_bytes")), JSON_NULL);
	json_free(j);
	j = noise_between(&s, &s, 0, 0, false, false);
	assert_int_equal(json_type(json_get(j, "other_read_bytes")), JSON_NULL);
	assert_int_equal(json_type(json_get(j, "other_write_bytes")), JSON_NULL);
	assert_int_equal(value(j, "device_read_bytes"), 0);
	json_free(j);
}

static void what_cannot_be_read_is_null(void **state)
{
	struct noise_snapshot s;
	struct json *j;

	(void)state;
	put("proc/stat", "nothing that we know\n");
	noise_take(root, makedev(9, 9), &s);
	assert_false(s.disk_known);
	assert_false(s.cpu_known);
	j = noise_between(&s, &s, 0, 0, true, false);
	assert_int_equal(json_type(json_get(j, "device_read_bytes")), JSON_NULL);
	assert_int_equal(json_type(json_get(j, "other_write_bytes")), JSON_NULL);
	assert_int_equal(json_type(json_get(j, "cpu_steal_ratio")), JSON_NULL);
	json_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_moved_is_the_disks_count_less_our_own),
		cmocka_unit_test(what_cannot_be_told_from_our_own_is_null),
		cmocka_unit_test(what_cannot_be_read_is_null),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
