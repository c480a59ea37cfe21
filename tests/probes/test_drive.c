/* test_drive.c - drives and their identity from a captured tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "probes/drive.h"
#include "probes/hostinfo.h"
#include "probes/target.h"

static const struct sysroot server = { .prefix = "tests/fixtures/sysroot/server" };
static const struct sysroot here = { .prefix = "" };

static struct json *identity(const char *name)
{
	struct err e = ERR_INIT;
	struct json *o;

	if (drive_identity(&server, name, &o, &e) < 0)
		fail_msg("%s: %s", name, e.msg);
	return o;
}

static void expect_str(const struct json *o, const char *key, const char *want)
{
	const char *got = json_str(json_path(o, key));

	if (!want ? got != NULL : !got || strcmp(got, want) != 0)
		fail_msg("%s: want '%s', got '%s'", key, want ? want : "null", got ? got : "null");
}

static void expect_u64(const struct json *o, const char *key, uint64_t want)
{
	uint64_t got;

	if (!json_u64(json_path(o, key), &got))
		fail_msg("%s is no number", key);
	assert_true(got == want);
}

static void expect_bool(const struct json *o, const char *key, bool want)
{
	bool got;

	if (!json_bool(json_path(o, key), &got))
		fail_msg("%s is no truth value", key);
	assert_int_equal(got, want);
}

static void a_sata_disk_is_described(void **state)
{
	struct json *o = identity("sda");

	(void)state;
	expect_str(o, "path", "/dev/sda");
	expect_str(o, "by_id", "/dev/disk/by-id/ata-ACME_DC_SATA_480_ACME00000001");
	expect_str(o, "model", "ACME DC SATA 480");
	expect_str(o, "serial", "ACME00000001");
	expect_str(o, "firmware", "F1.2");
	expect_str(o, "wwn", "naa.5000c50000000001");
	expect_str(o, "transport", "sata");
	expect_u64(o, "capacity_bytes", 937703088ull * 512);
	expect_u64(o, "logical_block_bytes", 512);
	expect_u64(o, "physical_block_bytes", 4096);
	expect_bool(o, "rotational.claimed", false);
	expect_bool(o, "rotational.reported", false);
	expect_str(o, "rotational.measured", "unknown");
	expect_str(o, "rotational.verdict", "ssd");
	expect_str(o, "write_cache.drive", NULL);
	expect_str(o, "write_cache.kernel", "write through"); /* sd's view */
	expect_str(o, "write_cache.queue", "write back");     /* and the queue's */
	expect_bool(o, "write_cache.fua", false);
	expect_str(o, "scheduler", "mq-deadline");
	expect_u64(o, "nr_requests", 64);
	assert_true(json_is_null(json_get(o, "in_use")));
	json_free(o);
}

static void an_nvme_namespace_is_described(void **state)
{
	struct json *o = identity("nvme0n1");

	(void)state;
	expect_str(o, "by_id", "/dev/disk/by-id/nvme-ACME_NVMe_960G_S3Z8NX0K000001");
	expect_str(o, "model", "ACME NVMe 960G");
	expect_str(o, "serial", "S3Z8NX0K000001");
	expect_str(o, "firmware", "GDC5302Q");
	expect_str(o, "wwn", "eui.0025385b71b00001");
	expect_str(o, "transport", "nvme");
	expect_str(o, "rotational.verdict", "ssd");
	expect_str(o, "write_cache.kernel", "write through");
	expect_str(o, "scheduler", "none");
	json_free(o);
}

static void a_partition_has_its_disks_identity_and_its_own_size(void **state)
{
	struct json *o = identity("sda2");

	(void)state;
	expect_str(o, "path", "/dev/sda2");
	expect_str(o, "by_id", "/dev/disk/by-id/ata-ACME_DC_SATA_480_ACME00000001-part2");
	expect_str(o, "serial", "ACME00000001");
	expect_u64(o, "capacity_bytes", 20971520ull * 512);
	expect_u64(o, "partition", 2);
	json_free(o);
}

static void strings_from_a_device_cannot_drive_a_terminal(void **state)
{
	struct json *o = identity("sdd");

	(void)state;
	expect_str(o, "serial", "S1?[31mX?");
	expect_str(o, "transport", "sas");
	expect_u64(o, "logical_block_bytes", 4096);
	json_free(o);
}

static void what_sysfs_does_not_tell_is_null(void **state)
{
	static const char *const unknown[] = { "by_id", "serial", "firmware", "wwn", "transport",
		"rotational.claimed", "rotational.reported", "write_cache.drive",
		"write_cache.kernel", "write_cache.queue", "write_cache.fua", "scheduler",
		"nr_requests", "logical_block_bytes", "partition", "diskseq" };
	struct json *o = identity("sdg");

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (!json_is_null(json_path(o, unknown[i])))
			fail_msg("%s is not null", unknown[i]);
	}
	expect_str(o, "rotational.verdict", "unknown");
	json_free(o);
	assert_int_equal(drive_identity(&server, "nope", &o, NULL), -ENOENT);
}

static void each_drive_is_listed_once_and_made_up_ones_on_request(void **state)
{
	struct sysfs_names drives;

	(void)state;
	assert_int_equal(drive_scan(&server, false, &drives, NULL), 0);
	assert_true(sysfs_names_has(&drives, "sda"));
	assert_true(sysfs_names_has(&drives, "nvme0n1"));
	assert_true(sysfs_names_has(&drives, "cciss!c0d0"));
	assert_true(sysfs_names_has(&drives, "sdb"));
	assert_false(sysfs_names_has(&drives, "sdc")); /* the other path of mpatha */
	assert_true(sysfs_names_has(&drives, "sdp"));
	assert_false(sysfs_names_has(&drives, "sdq")); /* same world wide name */
	assert_false(sysfs_names_has(&drives, "dm-0"));
	assert_false(sysfs_names_has(&drives, "nvme1c0n1"));
	sysfs_names_done(&drives);
	assert_int_equal(drive_scan(&server, true, &drives, NULL), 0);
	assert_true(sysfs_names_has(&drives, "dm-0"));
	assert_true(sysfs_names_has(&drives, "loop0"));
	assert_false(sysfs_names_has(&drives, "zram0")); /* not set up: size 0 */
	assert_false(sysfs_names_has(&drives, "nvme1c0n1"));
	sysfs_names_done(&drives);
}

static void the_host_section_has_every_key_and_no_host_name(void **state)
{
	static const char *const keys[] = { "kernel", "cpu_model", "cpus", "governor",
		"cstate_deepest", "memory_bytes", "numa", "virtual_machine" };
	struct json *o;
	uint64_t v;

	(void)state;
	assert_int_equal(hostinfo_json(&here, NULL, &o, NULL), 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_non_null(json_get(o, keys[i]));
	assert_int_equal(json_len(o), sizeof(keys) / sizeof(keys[0]));
	assert_true(json_u64(json_get(o, "memory_bytes"), &v) && v > 1 << 20);
	assert_true(json_u64(json_get(o, "cpus"), &v) && v > 0);
	json_free(o);
	assert_int_equal(hostinfo_json(&server, "nvme0n1", &o, NULL), 0);
	expect_u64(o, "numa.node", 1);
	assert_true(json_is_null(json_path(o, "numa.distance"))); /* of a capture: unknown */
	assert_true(json_is_null(json_get(o, "kernel")));
	json_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sata_disk_is_described),
		cmocka_unit_test(an_nvme_namespace_is_described),
		cmocka_unit_test(a_partition_has_its_disks_identity_and_its_own_size),
		cmocka_unit_test(strings_from_a_device_cannot_drive_a_terminal),
		cmocka_unit_test(what_sysfs_does_not_tell_is_null),
		cmocka_unit_test(each_drive_is_listed_once_and_made_up_ones_on_request),
		cmocka_unit_test(the_host_section_has_every_key_and_no_host_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
