/* test_engine_sync.c - the table of engines, engine sync through a scripted kernel, engine null. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/engine.h"

/* The kernel's answers, in order, and what it was asked last. */
static struct {
	ssize_t answer[8];
	unsigned calls;
	uint64_t off;
	size_t len;
	const void *buf;
	int rwf_flags, fd;
	bool data_only;
} kernel;

static ssize_t fake_write(int fd, const void *buf, size_t len, uint64_t off, int rwf_flags)
{
	kernel.fd = fd;
	kernel.buf = buf;
	kernel.len = len;
	kernel.off = off;
	kernel.rwf_flags = rwf_flags;
	return kernel.answer[kernel.calls++];
}

static ssize_t fake_read(int fd, void *buf, size_t len, uint64_t off)
{
	return fake_write(fd, buf, len, off, -1);
}

static int fake_sync(int fd, bool data_only)
{
	kernel.fd = fd;
	kernel.data_only = data_only;
	return (int)kernel.answer[kernel.calls++];
}

static const struct engine_sys fake_sys = {
	.write_at = fake_write, .read_at = fake_read, .sync = fake_sync,
};

static unsigned char data[4096];

static void *open_sync(int write_flags)
{
	const struct engine_cfg cfg = {
		.fd = 7, .depth = 1, .write_flags = write_flags, .sys = &fake_sys,
	};
	void *s = NULL;

	memset(&kernel, 0, sizeof(kernel));
	assert_int_equal(engine_sync.open(&cfg, &s, NULL), 0);
	return s;
}

static struct engine_io an_io(bool write)
{
	return (struct engine_io){ .buf = data, .offset = 8192, .len = 4096, .write = write };
}

static int64_t do_one(void *s, struct engine_io *io)
{
	struct engine_io *done = NULL;

	assert_int_equal(engine_sync.submit(s, &io, 1), 1);
	assert_int_equal(engine_sync.reap(s, &done, 1, ENGINE_NO_TIMEOUT), 1);
	assert_ptr_equal(done, io);
	assert_int_equal(engine_sync.reap(s, &done, 1, ENGINE_NO_TIMEOUT), 0);
	return io->res;
}

static void every_engine_is_whole_and_named_once(void **state)
{
	(void)state;
	for (size_t i = 0; engine_table[i]; i++) {
		const struct engine_ops *ops = engine_table[i];

		assert_non_null(ops->name);
		assert_non_null(ops->summary);
		assert_true(ops->max_depth >= 1);
		assert_true(ops->open && ops->close && ops->submit && ops->reap && ops->sync &&
			ops->set_fd);
		assert_ptr_equal(engine_find(ops->name), ops);
	}
	assert_null(engine_find("io_uring"));
	assert_null(engine_find(NULL));
}

static void transfers_where_it_was_told_to(void **state)
{
	struct engine_io io = an_io(true);
	void *s = open_sync(RWF_DSYNC);

	(void)state;
	kernel.answer[0] = 4096;
	assert_int_equal(do_one(s, &io), 4096);
	assert_int_equal(kernel.fd, 7);
	assert_int_equal(kernel.off, 8192);
	assert_int_equal(kernel.len, 4096);
	assert_int_equal(kernel.rwf_flags, RWF_DSYNC);
	io = an_io(false);
	engine_sync.set_fd(s, 9);
	kernel.answer[1] = 4096;
	assert_int_equal(do_one(s, &io), 4096);
	assert_int_equal(kernel.rwf_flags, -1);
	assert_int_equal(kernel.fd, 9);
	engine_sync.close(s);
}

static void returns_a_short_transfer_and_continues_it(void **state)
{
	struct engine_io io = an_io(true);
	void *s = open_sync(0);

	(void)state;
	kernel.answer[0] = 1536;
	kernel.answer[1] = 2560;
	assert_int_equal(do_one(s, &io), 1536);
	io.done = 1536;
	assert_int_equal(do_one(s, &io), 2560);
	assert_int_equal(kernel.off, 8192 + 1536);
	assert_int_equal(kernel.len, 2560);
	assert_ptr_equal(kernel.buf, data + 1536);
	engine_sync.close(s);
}

static void repeats_an_interrupted_call(void **state)
{
	struct engine_io io = an_io(true);
	void *s = open_sync(0);

	(void)state;
	kernel.answer[0] = kernel.answer[1] = -EINTR;
	kernel.answer[2] = 4096;
	assert_int_equal(do_one(s, &io), 4096);
	kernel.answer[3] = -EINTR;
	kernel.answer[4] = 0;
	assert_int_equal(engine_sync.sync(s, true), 0);
	assert_int_equal(kernel.calls, 5);
	assert_true(kernel.data_only);
	engine_sync.close(s);
}

static void hands_back_errors_as_results(void **state)
{
	static const int errors[] = { EIO, ENOSPC, ENODEV, EFBIG };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct engine_io io = an_io(true);
		void *s = open_sync(0);

		kernel.answer[0] = -errors[i];
		assert_int_equal(do_one(s, &io), -errors[i]);
		kernel.answer[1] = -errors[i];
		assert_int_equal(engine_sync.sync(s, false), -errors[i]);
		engine_sync.close(s);
	}
}

static void does_not_accept_what_the_kernel_has_no_room_for(void **state)
{
	struct engine_io io = an_io(true), *p = &io;
	void *s = open_sync(0);

	(void)state;
	kernel.answer[0] = -EAGAIN;
	assert_int_equal(engine_sync.submit(s, &p, 1), 0);
	assert_int_equal(engine_sync.reap(s, &p, 1, ENGINE_NO_TIMEOUT), 0);
	kernel.answer[1] = 4096;
	assert_int_equal(do_one(s, &io), 4096);
	engine_sync.close(s);
}

static void writes_and_reads_a_real_file(void **state)
{
	char path[] = "/tmp/ssdqual-test-engine-XXXXXX";
	int fd = mkstemp(path);
	const struct engine_cfg cfg = { .fd = fd, .depth = 1, .sys = &engine_sys_kernel };
	unsigned char back[4096] = { 0 };
	struct engine_io io = an_io(true);
	void *s = NULL;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(engine_sync.open(&cfg, &s, NULL), 0);
	memset(data, 0xa5, sizeof(data));
	assert_int_equal(do_one(s, &io), 4096);
	assert_int_equal(engine_sync.sync(s, true), 0);
	io = an_io(false);
	io.buf = back;
	assert_int_equal(do_one(s, &io), 4096);
	assert_memory_equal(back, data, 4096);
	io.offset = 1 << 20;
	assert_int_equal(do_one(s, &io), 0); /* the end of the file */
	engine_sync.close(s);
	assert_int_equal(close(fd), 0);
	assert_int_equal(engine_sync.open(&cfg, &s, NULL), 0);
	io = an_io(true);
	assert_int_equal(do_one(s, &io), -EBADF);
	engine_sync.close(s);
}

static void null_completes_in_order_and_only_what_was_submitted(void **state)
{
	const struct engine_cfg cfg = { .depth = 4 };
	struct engine_io io[6], *in[6], *out[6];
	void *s = NULL;

	(void)state;
	for (int i = 0; i < 6; i++) {
		io[i] = an_io(true);
		in[i] = &io[i];
	}
	assert_int_equal(engine_null.open(&cfg, &s, NULL), 0);
	assert_int_equal(engine_null.reap(s, out, 6, ENGINE_NO_TIMEOUT), 0);
	assert_int_equal(engine_null.submit(s, in, 6), 4); /* the depth */
	assert_int_equal(engine_null.reap(s, out, 3, ENGINE_NO_TIMEOUT), 3);
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(out[i], &io[i]);
		assert_int_equal(out[i]->res, 4096);
	}
	assert_int_equal(engine_null.submit(s, in + 4, 2), 2);
	assert_int_equal(engine_null.reap(s, out, 6, ENGINE_NO_TIMEOUT), 3);
	assert_ptr_equal(out[0], &io[3]);
	assert_ptr_equal(out[2], &io[5]);
	assert_int_equal(engine_null.sync(s, true), 0);
	engine_null.close(s);
	engine_null.close(NULL);
}

static void null_takes_its_time_and_honours_a_timeout(void **state)
{
	const struct engine_cfg cfg = { .depth = 1, .null_latency_ns = 3000000 };
	struct engine_io io = an_io(true), *p = &io;
	struct timespec a, b;
	void *s = NULL;

	(void)state;
	assert_int_equal(engine_null.open(&cfg, &s, NULL), 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(engine_null.submit(s, &p, 1), 1);
	while (engine_null.reap(s, &p, 1, 100000) == 0)
		;
	(void)clock_gettime(CLOCK_MONOTONIC, &b);
	/* never early; how late depends on the machine and is not asserted */
	assert_true((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec >= 3000000);
	engine_null.close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_engine_is_whole_and_named_once),
		cmocka_unit_test(transfers_where_it_was_told_to),
		cmocka_unit_test(returns_a_short_transfer_and_continues_it),
		cmocka_unit_test(repeats_an_interrupted_call),
		cmocka_unit_test(hands_back_errors_as_results),
		cmocka_unit_test(does_not_accept_what_the_kernel_has_no_room_for),
		cmocka_unit_test(writes_and_reads_a_real_file),
		cmocka_unit_test(null_completes_in_order_and_only_what_was_submitted),
		cmocka_unit_test(null_takes_its_time_and_honours_a_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
