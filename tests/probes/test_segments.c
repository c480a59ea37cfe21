/* test_segments.c - etcd's load writes fresh files from start to end and never writes a byte twice.
 *
 * pwrite of this program logs which file was written where before it does so. */
#include "probes/segments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define LOG_MAX 4096
static struct {
	ino_t ino;
	uint64_t generation; /* of the segment: inode numbers come back once a file is gone */
	off_t offset;
	size_t len;
} written[LOG_MAX];
static size_t writes;
static uint64_t generation;

static ssize_t log_write(int fd, const void *buf, size_t len, off_t offset)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && writes < LOG_MAX) {
		written[writes].ino = st.st_ino;
		written[writes].generation = generation;
		written[writes].offset = offset;
		written[writes].len = len;
		writes++;
	}
	return syscall(SYS_pwrite64, fd, buf, len, offset);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t offset)
{
	return log_write(fd, buf, len, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t offset)
{
	return log_write(fd, buf, len, offset);
}

static char dir[] = "/var/tmp/ssdqual-test-segments-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

/* The supply under test, counted. */
struct counted {
	struct segments segments;
};

static int counted_next(void *ctx, int *ret_fd, struct err *reterr)
{
	struct counted *c = ctx;

	generation++;
	return segments_next(&c->segments, ret_fd, reterr);
}

static void segments_are_written_in_order_and_never_overwritten(void **state)
{
	const uint64_t segment = 64 << 10;
	struct counted c;
	struct load_file_source source = { .next = counted_next, .ctx = &c };
	struct measurement *m = measurement_new("test", "etcd-2300", "test");
	struct err e = ERR_INIT;
	struct load_params p;
	off_t next = 0;
	uint64_t file = 0;

	(void)state;
	segments_init(&c.segments, dir, segment);
	load_params_init(&p);
	p.engine = "sync";
	p.filename = dir;
	p.files = &source;
	p.bs = 2300;
	p.size = segment / p.bs * p.bs;
	p.fdatasync = 1;
	p.io_limit = 28 * 12; /* a segment takes 28: twelve segments, more than are kept */
	p.time_based = true;
	p.buffer_align = 512;
	assert_int_equal(counted_next(&c, &p.fd, &e), 0);
	if (load_run(&p, NULL, m, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(writes, p.io_limit);
	for (size_t i = 0; i < writes; i++) {
		if (written[i].generation != file) {
			assert_int_equal(written[i].generation, file + 1);
			file = written[i].generation;
			next = 0;
		}
		assert_int_equal(written[i].len, 2300);
		assert_int_equal(written[i].offset, next);
		next += 2300;
		assert_true((uint64_t)next <= segment);
	}
	assert_int_equal(file, 12);
	assert_true(m->sync_lat.present);
	assert_int_equal(m->sync_lat.count, p.io_limit);
	segments_done(&c.segments);
	measurement_free(m);
}

static void a_segment_has_its_full_size_and_its_blocks_before_it_is_written(void **state)
{
	struct segments s;
	struct err e = ERR_INIT;
	struct stat st;
	int fd = -1;

	(void)state;
	segments_init(&s, dir, 1 << 20);
	assert_int_equal(segments_next(&s, &fd, &e), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	assert_true(st.st_blocks * 512 >= 1 << 20);
	assert_int_equal(st.st_nlink, 0);
	segments_done(&s);
}

static void only_the_newest_segments_are_kept(void **state)
{
	struct segments s;
	struct err e = ERR_INIT;
	int fd[SEGMENTS_KEPT + 2];

	(void)state;
	segments_init(&s, dir, 1 << 16);
	for (size_t i = 0; i < SEGMENTS_KEPT + 2; i++) {
		size_t open_now = 0;

		assert_int_equal(segments_next(&s, &fd[i], &e), 0);
		for (size_t k = 0; k < SEGMENTS_KEPT; k++)
			open_now += s.fd[k] >= 0;
		assert_true(open_now <= SEGMENTS_KEPT);
	}
	assert_int_equal(s.made, SEGMENTS_KEPT + 2);
	segments_done(&s);
	for (size_t k = 0; k < SEGMENTS_KEPT; k++)
		assert_int_equal(s.fd[k], -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_written_in_order_and_never_overwritten),
		cmocka_unit_test(a_segment_has_its_full_size_and_its_blocks_before_it_is_written),
		cmocka_unit_test(only_the_newest_segments_are_kept),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
