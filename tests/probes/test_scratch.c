/* test_scratch.c - scratch files have no name and go away, whatever fails.
 *
 * Failing calls are ours: fallocate, fdatasync and openat of this program replace libc's and fail
 * the Nth time they are called. */
#include "probes/scratch.h"
#include "probes/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static int calls, fail_at; /* the fail_at-th call fails; 0: none */
static int fail_code;
static bool no_tmpfile;    /* O_TMPFILE is not known here */

static bool fails(void)
{
	calls++;
	if (calls != fail_at)
		return false;
	errno = fail_code;
	return true;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (fails())
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if (fails())
		return -1;
	return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
	if (fails())
		return -1;
	return (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

int fdatasync(int fd)
{
	if (fails())
		return -1;
	return (int)syscall(SYS_fdatasync, fd);
}

static char dir[] = "/var/tmp/ssdqual-test-scratch-XXXXXX";

static size_t entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	(void)closedir(d);
	return n - 2; /* "." and ".." */
}

static size_t open_files(void)
{
	return entries("/proc/self/fd");
}

static int reset(void **state)
{
	(void)state;
	calls = fail_at = 0;
	no_tmpfile = false;
	fail_code = EIO;
	return 0;
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir); /* fails where something was left inside */
}

static void a_scratch_file_has_no_name(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;
	int fd = -1;

	(void)state;
	for (int i = 0; i < 2; i++) {
		no_tmpfile = i;
		assert_int_equal(scratch_open(dir, &fd, &e), 0);
		assert_int_equal(entries(dir), 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_nlink, 0);
		assert_int_equal(pwrite(fd, "x", 1, 0), 1);
		(void)close(fd);
	}
}

static void a_folder_that_is_absent_is_an_error_that_names_it(void **state)
{
	struct err e = ERR_INIT;
	int fd = -1;

	(void)state;
	assert_int_equal(scratch_open("/var/tmp/ssdqual-absent", &fd, &e), -ENOENT);
	assert_int_equal(fd, -1);
	assert_int_equal(e.kind, ERR_DEVICE);
	assert_non_null(strstr(e.msg, "/var/tmp/ssdqual-absent"));
}

/* Every call of making a file fails once: nothing stays, no descriptor leaks. */
static void whatever_fails_leaves_neither_file_nor_descriptor(void **state)
{
	size_t before = open_files();

	(void)state;
	for (int fallback = 0; fallback < 2; fallback++) {
		int n = 0, r;

		do {
			struct segments s;
			struct err e = ERR_INIT;
			int fd = -1;

			segments_init(&s, dir, 1 << 16);
			no_tmpfile = fallback;
			calls = 0;
			fail_at = ++n;
			r = segments_next(&s, &fd, &e);
			fail_at = 0;
			if (r < 0) {
				assert_int_equal(r, -EIO);
				assert_non_null(strstr(e.msg, dir));
				assert_int_equal(fd, -1);
				assert_int_equal(open_files(), before);
			}
			assert_int_equal(entries(dir), 0);
			segments_done(&s);
			assert_int_equal(open_files(), before);
		} while (r < 0);
		assert_true(n >= 4); /* open, fallocate, fdatasync did fail */
	}
}

static void a_full_file_system_is_told_with_the_bytes_that_were_needed(void **state)
{
	struct err e = ERR_INIT;
	int fd = -1;

	(void)state;
	assert_int_equal(scratch_open(dir, &fd, &e), 0);
	fail_code = ENOSPC;
	calls = 0;
	fail_at = 1;
	assert_int_equal(scratch_allocate(fd, dir, 123456789, &e), -ENOSPC);
	assert_non_null(strstr(e.msg, "full"));
	assert_non_null(strstr(e.msg, "123456789"));
	(void)close(fd);
}

static void a_file_system_without_fallocate_sets_the_size_as_fio_does(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;
	int fd = -1;

	(void)state;
	assert_int_equal(scratch_open(dir, &fd, &e), 0);
	fail_code = EOPNOTSUPP;
	calls = 0;
	fail_at = 1;
	assert_int_equal(scratch_allocate(fd, dir, 1 << 20, &e), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	(void)close(fd);
}

static void a_second_descriptor_has_flags_of_its_own_and_the_same_file(void **state)
{
	struct err e = ERR_INIT;
	struct stat a, b;
	int fd = -1, again = -1;

	(void)state;
	assert_int_equal(scratch_open(dir, &fd, &e), 0);
	assert_int_equal(scratch_reopen(fd, dir, O_WRONLY | O_DSYNC, &again, &e), 0);
	assert_int_equal(fcntl(again, F_GETFL) & (O_DSYNC | O_ACCMODE), O_DSYNC | O_WRONLY);
	assert_int_equal(fcntl(fd, F_GETFL) & O_DSYNC, 0);
	assert_true(fcntl(again, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(fstat(again, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	(void)close(again);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_scratch_file_has_no_name, reset),
		cmocka_unit_test_setup(a_folder_that_is_absent_is_an_error_that_names_it, reset),
		cmocka_unit_test_setup(whatever_fails_leaves_neither_file_nor_descriptor, reset),
		cmocka_unit_test_setup(
			a_full_file_system_is_told_with_the_bytes_that_were_needed, reset),
		cmocka_unit_test_setup(
			a_file_system_without_fallocate_sets_the_size_as_fio_does, reset),
		cmocka_unit_test_setup(
			a_second_descriptor_has_flags_of_its_own_and_the_same_file, reset),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
