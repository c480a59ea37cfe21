/* test_sysfs.c - reading below a root that can be set, and staying there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probes/sysfs.h"
#include "probes/target.h"

static const struct sysroot server = { .prefix = "tests/fixtures/sysroot/server" };
static const struct sysroot here = { .prefix = "" };
static struct sysroot scratch;

static int make_scratch(void **state)
{
	char dir[] = "/tmp/ssdqual-sysfs.XXXXXX", path[64];
	int fd;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	strcpy(scratch.prefix, dir);
	(void)snprintf(path, sizeof(path), "%s/out", dir);
	if (symlink("/etc/hostname", path) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/up", dir);
	if (symlink("../../../../etc/passwd", path) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/loop", dir);
	if (symlink("loop", path) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/text", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	if (fd < 0 || write(fd, " \t spaced out \r\nsecond\n", 23) != 23)
		return -1;
	return close(fd);
}

static int drop_scratch(void **state)
{
	char command[600];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", scratch.prefix);
	return system(command);
}

static void a_capture_cannot_lead_out_to_the_machine(void **state)
{
	char buf[64];

	(void)state;
	assert_int_equal(sysfs_read(&scratch, buf, sizeof(buf), "/out"), -ENOENT);
	assert_int_equal(sysfs_read(&scratch, buf, sizeof(buf), "/up"), -ENOENT);
	assert_int_equal(sysfs_read(&scratch, buf, sizeof(buf), "/../../../etc/passwd"), -ENOENT);
	assert_int_equal(sysfs_read(&scratch, buf, sizeof(buf), "/loop"), -ELOOP);
	assert_false(sysfs_exists(&scratch, "/out"));
}

static void reads_the_first_line_without_blanks(void **state)
{
	char buf[64], small[8];
	uint64_t v;

	(void)state;
	assert_int_equal(sysfs_read(&scratch, buf, sizeof(buf), "/text"), 10);
	assert_string_equal(buf, "spaced out");
	assert_int_equal(sysfs_read(&scratch, small, sizeof(small), "/text"), 4);
	assert_string_equal(small, "spac");
	assert_int_equal(sysfs_read_u64(&scratch, &v, "/text"), -EINVAL);
	assert_int_equal(sysfs_read_u64(&server, &v, "/sys/block/%s/size", "sda"), 0);
	assert_int_equal(v, 937703088);
	assert_int_equal(sysfs_read(&server, buf, sizeof(buf), "/sys/block/%s/size", "nope"),
		-ENOENT);
}

static void refuses_paths_and_files_that_are_too_long(void **state)
{
	char name[2000], buf[8], *text;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(sysfs_read(&server, buf, sizeof(buf), "/sys/%s", name), -ENAMETOOLONG);
	assert_int_equal(sysroot_slurp(&here, "/dev/zero", 100000, &text, NULL), -EFBIG);
}

static void lists_names_in_natural_order_without_dotfiles(void **state)
{
	struct sysfs_names names;

	(void)state;
	assert_int_equal(sysfs_list(&server, &names, "/sys/block"), 0);
	assert_true(names.count > 20);
	for (size_t i = 1; i < names.count; i++)
		assert_true(strverscmp(names.name[i - 1], names.name[i]) < 0);
	sysfs_names_done(&names);
	assert_int_equal(sysfs_list(&server, &names, "/sys/block/sdj/bcache"), 0);
	assert_int_equal(names.count, 0); /* .keep */
	sysfs_names_done(&names);
	assert_int_equal(sysfs_list(&server, &names, "/sys/block/nope"), -ENOENT);
}

static void a_set_of_names_keeps_each_once(void **state)
{
	struct sysfs_names names = { .count = 0 };
	char name[16];

	(void)state;
	for (int i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof(name), "n%d", i % 100);
		assert_int_equal(sysfs_names_add(&names, name), 0);
	}
	assert_int_equal(names.count, 100);
	assert_true(sysfs_names_has(&names, "n99"));
	assert_false(sysfs_names_has(&names, "n100"));
	sysfs_names_done(&names);
	assert_int_equal(names.count, 0);
}

static void finds_disks_partitions_and_parents(void **state)
{
	struct sysfs_names parts;
	char buf[SYSFS_NAME_MAX];
	dev_t dev;

	(void)state;
	assert_int_equal(sysfs_block_partitions(&server, "sda", &parts), 0);
	assert_int_equal(parts.count, 2);
	assert_string_equal(parts.name[1], "sda2");
	sysfs_names_done(&parts);
	assert_int_equal(sysfs_block_parent(&server, "sda2", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "sda");
	assert_int_equal(sysfs_block_parent(&server, "cciss!c0d0p1", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "cciss!c0d0");
	assert_int_equal(sysfs_block_parent(&server, "sda", buf, sizeof(buf)), -ENOENT);
	assert_int_equal(sysfs_block_parent(&server, "sda9", buf, sizeof(buf)), -ENOENT);
	assert_int_equal(sysfs_block_number(&server, "sda2", &dev), 0);
	assert_true(dev == makedev(8, 2));
	assert_int_equal(sysfs_block_number(&server, "nvme1c0n1", &dev), -ENODATA);
}

static void names_that_are_no_kernel_names_are_refused(void **state)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "../sda", ".hidden" };
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(sysfs_block_dir(&server, bad[i], buf, sizeof(buf)), -EINVAL);
}

static void a_slash_in_a_node_is_an_exclamation_mark_in_sysfs(void **state)
{
	char name[] = "cciss!c0d0";

	(void)state;
	sysfs_name_to_node(name);
	assert_string_equal(name, "cciss/c0d0");
	sysfs_node_to_name(name);
	assert_string_equal(name, "cciss!c0d0");
}

static void every_block_device_of_this_machine_is_found_by_its_number(void **state)
{
	struct sysfs_names disks;
	char name[SYSFS_NAME_MAX];
	dev_t dev;

	(void)state;
	if (sysfs_list(&here, &disks, "/sys/block") < 0)
		skip();
	for (size_t i = 0; i < disks.count; i++) {
		assert_int_equal(sysfs_block_number(&here, disks.name[i], &dev), 0);
		assert_int_equal(sysfs_block_name(&here, dev, name, sizeof(name)), 0);
		assert_string_equal(name, disks.name[i]);
	}
	sysfs_names_done(&disks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capture_cannot_lead_out_to_the_machine),
		cmocka_unit_test(reads_the_first_line_without_blanks),
		cmocka_unit_test(refuses_paths_and_files_that_are_too_long),
		cmocka_unit_test(lists_names_in_natural_order_without_dotfiles),
		cmocka_unit_test(a_set_of_names_keeps_each_once),
		cmocka_unit_test(finds_disks_partitions_and_parents),
		cmocka_unit_test(names_that_are_no_kernel_names_are_refused),
		cmocka_unit_test(a_slash_in_a_node_is_an_exclamation_mark_in_sysfs),
		cmocka_unit_test(every_block_device_of_this_machine_is_found_by_its_number),
	};

	return cmocka_run_group_tests(tests, make_scratch, drop_scratch);
}
