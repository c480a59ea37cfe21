/* test_target.c - what a path turns into: devices, folders, files, and what is refused. */
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "probes/target.h"

static const struct sysroot here = { .prefix = "" };
static const struct sysroot server = { .prefix = "tests/fixtures/sysroot/server" };
static char dir[256];

static const char *in_dir(const char *name)
{
	static char path[400];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Next to the build, which is on a disk; /tmp may be memory. */
static int make_dir(void **state)
{
	char template[] = "build/test-target.XXXXXX";

	(void)state;
	(void)mkdir("build", 0755);
	return mkdtemp(template) && realpath(template, dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	char command[300];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static void expect_refusal(const struct sysroot *root, const char *path, int code,
	enum err_kind kind, const char *says)
{
	struct err e = ERR_INIT;
	struct target *t = NULL;
	int r = target_resolve(root, path, &t, &e);

	if (r != code || e.kind != kind || !strstr(e.msg, says))
		fail_msg("%s: want %d %s '%s', got %d %s '%s'", path, code, err_kind_word(kind),
			says, r, err_kind_word(e.kind), e.msg);
	assert_null(t);
}

static void absent_paths_are_refused_and_not_created(void **state)
{
	struct stat st;

	(void)state;
	expect_refusal(&here, in_dir("absent"), -ENOENT, ERR_USAGE, "never created");
	expect_refusal(&here, in_dir("absent/below"), -ENOENT, ERR_USAGE, "never created");
	expect_refusal(&here, "/dev/ssdqual-no-such-device", -ENOENT, ERR_USAGE, "never created");
	expect_refusal(&here, "", -EINVAL, ERR_USAGE, "empty");
	assert_int_equal(stat(in_dir("absent"), &st), -1);
	assert_int_equal(stat("/dev/ssdqual-no-such-device", &st), -1);
	assert_int_equal(symlink("nowhere", in_dir("dangling")), 0);
	expect_refusal(&here, in_dir("dangling"), -ENOENT, ERR_USAGE, "never created");
	assert_int_equal(symlink("ring", in_dir("ring")), 0);
	expect_refusal(&here, in_dir("ring"), -ELOOP, ERR_USAGE, "symbolic links");
}

static void only_block_devices_are_taken_below_dev(void **state)
{
	(void)state;
	expect_refusal(&here, "/dev", -EPERM, ERR_REFUSED, "is a directory");
	expect_refusal(&here, "/dev/../dev/.//", -EPERM, ERR_REFUSED, "is a directory");
	expect_refusal(&here, "/dev/null", -EPERM, ERR_REFUSED, "is a character device");
	expect_refusal(&here, "/dev/fd", -EPERM, ERR_REFUSED, "is a directory");
	assert_int_equal(symlink("/dev/null", in_dir("null")), 0);
	expect_refusal(&here, in_dir("null"), -EPERM, ERR_REFUSED, "is a character device");
	expect_refusal(&server, "/dev/nvme0n1p5", -EPERM, ERR_REFUSED, "is a regular file");
	expect_refusal(&server, "/dev", -EPERM, ERR_REFUSED, "is a directory");
	expect_refusal(&server, "/dev/none", -ENOENT, ERR_USAGE, "never created");
}

static void other_kinds_are_refused(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	expect_refusal(&here, in_dir("fifo"), -EINVAL, ERR_USAGE, "is a FIFO");
	assert_true(s >= 0);
	if (strlen(in_dir("socket")) < sizeof(address.sun_path)) {
		strcpy(address.sun_path, in_dir("socket"));
		assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof(address)), 0);
		expect_refusal(&here, in_dir("socket"), -EINVAL, ERR_USAGE, "is a socket");
	}
	(void)close(s);
}

static void memory_is_no_disk(void **state)
{
	(void)state;
	expect_refusal(&here, "/proc", -EOPNOTSUPP, ERR_UNSUPPORTED, "kernel's, not a disk");
	expect_refusal(&here, "/sys", -EOPNOTSUPP, ERR_UNSUPPORTED, "not a disk");
	expect_refusal(&server, "/tmp/t", -EOPNOTSUPP, ERR_UNSUPPORTED,
		"on tmpfs, which is memory, not a disk");
	expect_refusal(&server, "/tmp/t/below", -EOPNOTSUPP, ERR_UNSUPPORTED, "tmpfs");
}

static void an_overlay_names_what_is_below_it(void **state)
{
	(void)state;
	expect_refusal(&server, "/ov", -EOPNOTSUPP, ERR_UNSUPPORTED,
		"name its upper directory /lv/up,per (xfs on /dev/mapper/vg-root)");
}

static void read_only_file_systems_are_named_as_such(void **state)
{
	(void)state;
	expect_refusal(&server, "/readonly", -EROFS, ERR_UNSUPPORTED, "read-only");
}

static void a_folder_is_described_with_the_drive_below(void **state)
{
	struct target *t;
	struct err e = ERR_INIT;
	uint64_t half;

	(void)state;
	if (target_resolve(&here, dir, &t, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(t->kind, TARGET_DIR);
	assert_string_equal(t->path, dir);
	assert_non_null(t->fs_type);
	assert_true(t->size_bytes > 0);
	assert_string_equal(json_str(json_get(t->identity, "kind")), "directory");
	assert_string_equal(json_str(json_path(t->identity, "file_system.type")), t->fs_type);
	half = t->size_bytes / 2;
	assert_int_equal(target_require(t, half, NULL), 0);
	assert_int_equal(target_require(t, UINT64_MAX, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "too small"));
	t->size_bytes = 0;
	assert_int_equal(target_require(t, 0, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "full"));
	target_free(t);
}

static void names_with_blanks_and_newlines_are_taken_as_they_are(void **state)
{
	struct target *t;

	(void)state;
	assert_int_equal(mkdir(in_dir("a b\nc"), 0755), 0);
	assert_int_equal(target_resolve(&here, in_dir("a b\nc"), &t, NULL), 0);
	assert_string_equal(t->path, in_dir("a b\nc"));
	target_free(t);
}

static void a_folder_without_permission_says_so(void **state)
{
	const uid_t user = geteuid();

	(void)state;
	assert_int_equal(mkdir(in_dir("locked"), 0555), 0);
	if (user == 0) { /* who may write everywhere, so somebody else looks */
		assert_int_equal(chmod(in_dir("."), 0755), 0);
		assert_int_equal(seteuid(65534), 0);
		if (euidaccess(in_dir("locked"), F_OK) < 0) {
			assert_int_equal(seteuid(user), 0);
			print_message("nobody may enter the folders above the scratch folder\n");
			skip();
		}
	}
	expect_refusal(&here, in_dir("locked"), -EACCES, ERR_DEVICE, "no permission");
	assert_int_equal(seteuid(user), 0);
}

/* -- opening ---------------------------------------------------------------------------------- */

static struct target *file_target(const char *name)
{
	struct target *t;
	struct err e = ERR_INIT;

	put(name, "0123456789");
	if (target_resolve(&here, in_dir(name), &t, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(t->kind, TARGET_FILE);
	assert_int_equal(t->size_bytes, 10);
	return t;
}

static void a_file_opens_and_is_neither_created_nor_cut(void **state)
{
	struct target *t = file_target("file");
	char text[16] = "";
	int fd;

	(void)state;
	assert_int_equal(target_open(t, O_RDWR | O_CREAT | O_TRUNC, &fd, NULL), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 10);
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(t->path), 0);
	assert_int_equal(target_open(t, O_RDWR | O_CREAT, &fd, NULL), -ENOENT);
	target_free(t);
}

static void a_file_that_was_swapped_is_not_opened(void **state)
{
	static const char *const ways[] = { "replaced", "linked", "fifo", "grown" };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct target *t = file_target("swapped");
		struct err e = ERR_INIT;
		int fd;

		if (i == 3) {
			put("swapped", "01234567890");
		} else {
			/* the old inode stays in use, so that its number is not given out again */
			assert_int_equal(rename(t->path, in_dir("kept")), 0);
		}
		if (i == 0)
			put("swapped", "0123456789");
		else if (i == 1)
			assert_int_equal(symlink("kept", in_dir("swapped")), 0);
		else if (i == 2)
			assert_int_equal(mkfifo(in_dir("swapped"), 0600), 0);
		assert_int_not_equal(target_open(t, O_RDWR, &fd, &e), 0);
		assert_int_equal(e.kind, ERR_REFUSED);
		assert_non_null(strstr(e.msg, "changed since"));
		(void)unlink(in_dir("swapped"));
		target_free(t);
	}
}

static void a_file_that_others_have_open_is_not_written(void **state)
{
	struct target *t = file_target("shared");
	struct err e = ERR_INIT;
	int other = open(t->path, O_RDWR), fd;

	(void)state;
	assert_true(other >= 0);
	assert_int_equal(target_open(t, O_RDWR, &fd, &e), -EBUSY);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_int_equal(target_open(t, O_RDONLY, &fd, &e), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(close(other), 0);
	assert_int_equal(target_open(t, O_RDWR, &fd, &e), 0);
	assert_int_equal(close(fd), 0);
	target_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_paths_are_refused_and_not_created),
		cmocka_unit_test(only_block_devices_are_taken_below_dev),
		cmocka_unit_test(other_kinds_are_refused),
		cmocka_unit_test(memory_is_no_disk),
		cmocka_unit_test(an_overlay_names_what_is_below_it),
		cmocka_unit_test(read_only_file_systems_are_named_as_such),
		cmocka_unit_test(a_folder_is_described_with_the_drive_below),
		cmocka_unit_test(names_with_blanks_and_newlines_are_taken_as_they_are),
		cmocka_unit_test(a_folder_without_permission_says_so),
		cmocka_unit_test(a_file_opens_and_is_neither_created_nor_cut),
		cmocka_unit_test(a_file_that_was_swapped_is_not_opened),
		cmocka_unit_test(a_file_that_others_have_open_is_not_written),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
