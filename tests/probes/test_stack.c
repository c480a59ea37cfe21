/* test_stack.c - stacks, RAID controllers, links and paths from a captured tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/controller.h"
#include "probes/drive.h"
#include "probes/stack.h"
#include "probes/target.h"

static const struct sysroot tree = { .prefix = "tests/fixtures/sysroot/stacks" };

static struct json *identity(const char *name)
{
	struct err e = ERR_INIT;
	struct json *o;

	if (drive_identity(&tree, name, &o, &e) < 0)
		fail_msg("%s: %s", name, e.msg);
	return o;
}

static void expect_str(const struct json *o, const char *key, const char *want)
{
	const char *got = json_str(json_path(o, key));

	if (!want ? got != NULL : !got || strcmp(got, want) != 0)
		fail_msg("%s of %s: want '%s', got '%s'", key, json_str(json_get(o, "path")),
			want ? want : "null", got ? got : "null");
}

static void every_layer_has_its_word_and_its_verdict(void **state)
{
	static const struct {
		const char *name, *layer, *verdict;
	} rows[] = {
		{ "sdb", "disk", "ssd" },        { "sdb1", "partition", "ssd" },
		{ "sdj", "disk", "unknown" },    { "dm-0", "crypt", "ssd" },
		{ "dm-1", "lvm", "ssd" },        { "dm-2", "lvm", "unknown" },
		{ "md0", "md", "ssd" },          { "bcache0", "bcache", "unknown" },
		{ "loop0", "loop", "ssd" },      { "loop1", "loop", "volume" },
		{ "nbd0", "nbd", "volume" },     { "rbd0", "rbd", "volume" },
		{ "zd0", "zvol", "volume" },     { "zram0", "zram", "volume" },
		{ "vdb", "virtual", "volume" },  { "vdb1", "partition", "volume" },
		{ "sdv", "virtual", "volume" },  { "nvme0n1", "disk", "ssd" },
		{ "sda", "disk", "unknown" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json *o = identity(rows[i].name);

		expect_str(o, "layer", rows[i].layer);
		expect_str(o, "rotational.verdict", rows[i].verdict);
		assert_non_null(json_str(json_path(o, "rotational.why")));
		json_free(o);
	}
}

static void a_stack_names_the_drives_below_it_once(void **state)
{
	struct sysfs_names below;
	struct err e = ERR_INIT;
	bool whole;

	(void)state;
	assert_int_equal(stack_below(&tree, "md0", &below, &whole, &e), 0);
	assert_int_equal(below.count, 2);
	assert_string_equal(below.name[0], "sdb");
	assert_string_equal(below.name[1], "sdi");
	assert_true(whole);
	sysfs_names_done(&below);
	assert_int_equal(stack_below(&tree, "loop1", &below, &whole, &e), 0);
	assert_int_equal(below.count, 0);
	assert_false(whole);
	sysfs_names_done(&below);
}

static void a_ring_of_slaves_ends_in_an_error(void **state)
{
	struct sysfs_names below;
	struct err e = ERR_INIT;
	bool whole;

	(void)state;
	assert_int_equal(stack_below(&tree, "dm-9", &below, &whole, &e), -ELOOP);
}

static void raid_volumes_are_told_from_bare_disks(void **state)
{
	static const struct {
		const char *name, *driver, *kind;
	} rows[] = {
		{ "sda", "megaraid_sas", "raid" }, { "sdb", "megaraid_sas", "jbod" },
		{ "sdc", "mpt3sas", "raid" },      { "sdd", "mpt3sas", "hba" },
		{ "sde", "smartpqi", "raid" },     { "sdf", "smartpqi", "hba" },
		{ "sdg", "aacraid", "raid" },      { "sdh", "mpi3mr", "raid" },
		{ "sdi", "mpi3mr", "jbod" },       { "sdz", NULL, "raid" },
		{ "sdj", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json *o = identity(rows[i].name);

		expect_str(o, "controller.driver", rows[i].driver);
		expect_str(o, "controller.kind", rows[i].kind);
		json_free(o);
	}
}

static struct json *with_file(const char *name, const char *wwn, const char *file, int want)
{
	struct controller_file *f;
	struct err e = ERR_INIT;
	struct json *o = identity(name);
	char path[128];

	if (wwn)
		assert_int_equal(json_set_str(o, "wwn", wwn), 0);
	(void)snprintf(path, sizeof(path), "tests/fixtures/controller/%s", file);
	if (controller_load(path, &f, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(controller_apply(f, o), want);
	controller_free(f);
	return o;
}

static void perccli_tells_cache_battery_and_media(void **state)
{
	struct json *o = with_file("sda", NULL, "perccli.json", 1);

	(void)state;
	expect_str(o, "controller.kind", "raid");
	expect_str(o, "controller.volume", "/c0/v0");
	expect_str(o, "controller.raid_level", "RAID1");
	expect_str(o, "controller.cache_policy", "write back");
	expect_str(o, "controller.disk_cache", "off");
	expect_str(o, "controller.battery", "ok");
	expect_str(o, "controller.media", "ssd");
	assert_int_equal(json_len(json_path(o, "controller.drives")), 2);
	expect_str(o, "rotational.verdict", "ssd");
	json_free(o);
	o = with_file("sda", "naa.6d0946600000000000000000000000a2", "perccli.json", 1);
	expect_str(o, "controller.cache_policy", "write through");
	expect_str(o, "controller.disk_cache", "default");
	expect_str(o, "rotational.verdict", "hdd");
	json_free(o);
	o = with_file("sda", "naa.6d0946600000000000000000000000a3", "perccli.json", 1);
	expect_str(o, "controller.cache_policy", "always write back");
	expect_str(o, "controller.disk_cache", "on");
	expect_str(o, "controller.media", "mixed");
	expect_str(o, "rotational.verdict", "unknown");
	json_free(o);
}

static void storcli_and_ssacli_are_read_as_well(void **state)
{
	struct json *o = with_file("sda", "naa.6d0946600000000000000000000000b1", "storcli.json", 1);

	(void)state;
	expect_str(o, "controller.battery", "failed");
	json_free(o);
	o = with_file("sde", NULL, "ssacli.json", 1);
	expect_str(o, "controller.tool", "ssacli");
	expect_str(o, "controller.cache_policy", "write back");
	expect_str(o, "controller.disk_cache", "off");
	expect_str(o, "controller.battery", "ok");
	expect_str(o, "controller.media", "ssd");
	json_free(o);
}

/* A name that moved must not bring another disk's facts. */
static void another_number_under_the_same_name_is_no_match(void **state)
{
	struct json *o = with_file("sda", "naa.6d0946600000000000000000000000ff", "perccli.json", 0);

	(void)state;
	expect_str(o, "controller.media", NULL);
	json_free(o);
	o = with_file("sdb", NULL, "perccli.json", 0); /* a bare disk */
	json_free(o);
}

static void other_json_is_refused_as_a_controllers(void **state)
{
	static const char *const files[] = { "data/schema/result.json",
		"tests/fixtures/controller/README", "tests/fixtures/controller/absent.json" };
	struct controller_file *f;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct err e = ERR_INIT;

		assert_true(controller_load(files[i], &f, &e) < 0);
		assert_int_equal(e.kind, ERR_INPUT);
	}
}

static void links_are_read_where_sysfs_keeps_them(void **state)
{
	struct json *o = identity("nvme0n1");
	uint64_t width;

	(void)state;
	expect_str(o, "link.speed", "8.0 GT/s PCIe");
	expect_str(o, "link.max_speed", "16.0 GT/s PCIe");
	assert_true(json_u64(json_path(o, "link.width"), &width) && width == 2);
	json_free(o);
	o = identity("sds");
	expect_str(o, "transport", "sas");
	expect_str(o, "link.speed", "6.0 Gbit");
	expect_str(o, "link.max_speed", "12.0 Gbit");
	assert_true(json_u64(json_path(o, "link.width"), &width) && width == 2);
	json_free(o);
	o = identity("sdj");
	assert_true(json_is_null(json_get(o, "link")));
	json_free(o);
}

static void paths_to_one_drive_are_found(void **state)
{
	struct sysfs_names paths;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(drive_paths(&tree, "sds", &paths, &e), 0);
	assert_int_equal(paths.count, 2);
	assert_true(sysfs_names_has(&paths, "sdt"));
	sysfs_names_done(&paths);
	assert_int_equal(drive_paths(&tree, "nvme0n1", &paths, &e), 0);
	assert_int_equal(paths.count, 3);
	assert_true(sysfs_names_has(&paths, "nvme0c1n1"));
	sysfs_names_done(&paths);
	assert_int_equal(drive_paths(&tree, "sdj", &paths, &e), 0);
	assert_int_equal(paths.count, 1);
	sysfs_names_done(&paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layer_has_its_word_and_its_verdict),
		cmocka_unit_test(a_stack_names_the_drives_below_it_once),
		cmocka_unit_test(a_ring_of_slaves_ends_in_an_error),
		cmocka_unit_test(raid_volumes_are_told_from_bare_disks),
		cmocka_unit_test(perccli_tells_cache_battery_and_media),
		cmocka_unit_test(storcli_and_ssacli_are_read_as_well),
		cmocka_unit_test(another_number_under_the_same_name_is_no_match),
		cmocka_unit_test(other_json_is_refused_as_a_controllers),
		cmocka_unit_test(links_are_read_where_sysfs_keeps_them),
		cmocka_unit_test(paths_to_one_drive_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
