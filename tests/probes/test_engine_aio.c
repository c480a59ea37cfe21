/* test_engine_aio.c - engine libaio through a scripted kernel, and on a real file.
 *
 * linux/aio_abi.h describes the same memory as libaio.h, under the kernel's names.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
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

#define RING 5u

/* What io_setup() maps, as fs/aio.c lays it out. */
static struct {
	unsigned id, nr, head, tail, magic, compat, incompat, header_length;
	struct io_event events[RING];
} ring;

static struct {
	int setup, submit[8], getevents;     /* answers; submit: by call */
	unsigned submits, getevents_calls, destroyed;
	struct iocb *last[8];                /* of the newest submit */
	long last_n;
	struct io_event events[8];           /* what getevents gives */
	struct timespec timeout;
	bool timeout_given;
} kernel;

static int fake_setup(int events, struct io_context **ret)
{
	assert_int_equal(events, 4);
	if (kernel.setup == 0)
		*ret = (struct io_context *)(void *)&ring;
	return kernel.setup;
}

static int fake_destroy(struct io_context *ctx)
{
	assert_ptr_equal(ctx, &ring);
	kernel.destroyed++;
	return 0;
}

static int fake_submit(struct io_context *ctx, long n, struct iocb **iocbs)
{
	assert_ptr_equal(ctx, &ring);
	kernel.last_n = n;
	memcpy(kernel.last, iocbs, (size_t)n * sizeof(struct iocb *));
	return kernel.submit[kernel.submits++];
}

static int fake_getevents(struct io_context *ctx, long min, long max, struct io_event *events,
	struct timespec *timeout)
{
	assert_ptr_equal(ctx, &ring);
	assert_int_equal(min, 1);
	kernel.getevents_calls++;
	kernel.timeout_given = timeout != NULL;
	if (timeout)
		kernel.timeout = *timeout;
	assert_true(kernel.getevents <= max);
	for (int i = 0; i < kernel.getevents; i++)
		events[i] = kernel.events[i];
	return kernel.getevents;
}

static int fake_sync(int fd, bool data_only)
{
	return fd == 7 && data_only ? -EIO : 0;
}

static const struct engine_sys fake_sys = {
	.sync = fake_sync, .aio_setup = fake_setup, .aio_destroy = fake_destroy,
	.aio_submit = fake_submit, .aio_getevents = fake_getevents,
};

static const struct engine_cfg fake_cfg = { .fd = 7, .depth = 4, .sys = &fake_sys };
static unsigned char data[4][4096];
static struct engine_io io[4], *in[4], *out[4];

static void *open_fake(unsigned magic)
{
	void *s = NULL;

	memset(&kernel, 0, sizeof(kernel));
	memset(&ring, 0, sizeof(ring));
	ring.magic = magic;
	ring.nr = RING;
	ring.header_length = offsetof(__typeof__(ring), events);
	for (uint32_t i = 0; i < 4; i++) {
		io[i] = (struct engine_io){ .buf = data[i], .offset = 4096 * (i + 1), .len = 4096,
			.index = i, .write = true };
		in[i] = &io[i];
	}
	assert_int_equal(engine_aio.open(&fake_cfg, &s, NULL), 0);
	return s;
}

/* The kernel completes @i with @res, in the ring. */
static void complete(uint32_t i, int64_t res)
{
	ring.events[ring.tail] = (struct io_event){ .data = (uintptr_t)&io[i], .res = res };
	ring.tail = (ring.tail + 1) % RING;
}

static void asks_the_kernel_for_what_is_left_of_each_io(void **state)
{
	void *s = open_fake(0xa10a10a1);

	(void)state;
	kernel.submit[0] = 2;
	io[1].write = false;
	io[1].done = 512;
	assert_int_equal(engine_aio.submit(s, in, 2), 2);
	assert_int_equal(kernel.last_n, 2);
	assert_int_equal(kernel.last[0]->aio_lio_opcode, IOCB_CMD_PWRITE);
	assert_int_equal(kernel.last[0]->aio_fildes, 7);
	assert_int_equal(kernel.last[0]->aio_offset, 4096);
	assert_int_equal(kernel.last[0]->aio_nbytes, 4096);
	assert_int_equal(kernel.last[1]->aio_lio_opcode, IOCB_CMD_PREAD);
	assert_int_equal(kernel.last[1]->aio_offset, 8192 + 512);
	assert_int_equal(kernel.last[1]->aio_nbytes, 4096 - 512);
	assert_int_equal(kernel.last[1]->aio_buf, (uintptr_t)data[1] + 512);
	engine_aio.close(s);
	assert_int_equal(kernel.destroyed, 1);
}

static void durable_writes_carry_the_flag(void **state)
{
	struct engine_cfg cfg = fake_cfg;
	void *s = open_fake(0xa10a10a1);

	(void)state;
	engine_aio.close(s);
	cfg.write_flags = RWF_DSYNC;
	assert_int_equal(engine_aio.open(&cfg, &s, NULL), 0);
	kernel.submit[0] = 1;
	assert_int_equal(engine_aio.submit(s, in, 1), 1);
	assert_int_equal(kernel.last[0]->aio_rw_flags, RWF_DSYNC);
	engine_aio.close(s);
}

static void takes_completions_from_the_ring_without_a_call(void **state)
{
	void *s = open_fake(0xa10a10a1);

	(void)state;
	ring.head = ring.tail = RING - 2; /* so that the ring wraps */
	for (uint32_t i = 0; i < 4; i++)
		complete(i, i == 2 ? -EIO : 4096);
	assert_int_equal(engine_aio.reap(s, out, 3, ENGINE_NO_TIMEOUT), 3);
	assert_int_equal(engine_aio.reap(s, out + 3, 1, ENGINE_NO_TIMEOUT), 1);
	assert_int_equal(kernel.getevents_calls, 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_ptr_equal(out[i], &io[i]);
	assert_int_equal(io[1].res, 4096);
	assert_int_equal(io[2].res, -EIO);
	assert_int_equal(ring.head, ring.tail);
	assert_int_equal(ring.head, 2);
	engine_aio.close(s);
}

static void asks_the_kernel_when_the_ring_is_empty(void **state)
{
	void *s = open_fake(0xa10a10a1);

	(void)state;
	kernel.getevents = 1;
	kernel.events[0] = (struct io_event){ .data = (uintptr_t)&io[3], .res = 512 };
	assert_int_equal(engine_aio.reap(s, out, 4, ENGINE_NO_TIMEOUT), 1);
	assert_ptr_equal(out[0], &io[3]);
	assert_int_equal(io[3].res, 512);
	assert_false(kernel.timeout_given);
	kernel.getevents = 0;
	assert_int_equal(engine_aio.reap(s, out, 4, 2500000000u), 0);
	assert_true(kernel.timeout_given);
	assert_int_equal(kernel.timeout.tv_sec, 2);
	assert_int_equal(kernel.timeout.tv_nsec, 500000000);
	engine_aio.close(s);
}

static void leaves_an_unknown_ring_to_the_kernel(void **state)
{
	void *s;

	(void)state;
	for (int unknown = 0; unknown < 3; unknown++) {
		s = open_fake(unknown == 0 ? 0x12345678 : 0xa10a10a1);
		engine_aio.close(s);
		ring.incompat = unknown == 1;
		ring.header_length += unknown == 2 ? 8 : 0;
		assert_int_equal(engine_aio.open(&fake_cfg, &s, NULL), 0);
		complete(0, 4096);
		kernel.getevents = 1;
		kernel.events[0] = ring.events[0];
		assert_int_equal(engine_aio.reap(s, out, 4, ENGINE_NO_TIMEOUT), 1);
		assert_int_equal(kernel.getevents_calls, 1);
		assert_int_equal(ring.head, 0);
		engine_aio.close(s);
	}
}

static void reports_partial_and_refused_submits(void **state)
{
	void *s = open_fake(0xa10a10a1);

	(void)state;
	kernel.submit[0] = 3;
	kernel.submit[1] = -EAGAIN;
	kernel.submit[2] = -EINTR;
	kernel.submit[3] = -EINVAL;
	assert_int_equal(engine_aio.submit(s, in, 4), 3);
	assert_int_equal(engine_aio.submit(s, in + 3, 1), 0);
	assert_int_equal(engine_aio.submit(s, in + 3, 1), 0);
	assert_int_equal(engine_aio.submit(s, in + 3, 1), -EINVAL);
	engine_aio.close(s);
}

static void an_interrupted_wait_is_no_error(void **state)
{
	void *s = open_fake(0xa10a10a1);

	(void)state;
	kernel.getevents = -EINTR;
	assert_int_equal(engine_aio.reap(s, out, 4, ENGINE_NO_TIMEOUT), 0);
	kernel.getevents = -EINVAL;
	assert_int_equal(engine_aio.reap(s, out, 4, ENGINE_NO_TIMEOUT), -EINVAL);
	assert_int_equal(engine_aio.sync(s, true), -EIO);
	assert_int_equal(engine_aio.sync(s, false), 0);
	engine_aio.close(s);
}

static void a_failed_setup_says_what_to_do(void **state)
{
	struct err e = ERR_INIT;
	void *s = NULL;

	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.setup = -EAGAIN;
	assert_int_equal(engine_aio.open(&fake_cfg, &s, &e), -EAGAIN);
	assert_non_null(strstr(e.msg, "fs.aio-max-nr"));
	kernel.setup = -ENOSYS;
	assert_int_equal(engine_aio.open(&fake_cfg, &s, &e), -ENOSYS);
	assert_int_equal(e.kind, ERR_UNSUPPORTED);
	assert_null(s);
	engine_aio.close(NULL);
}

static void reap_all(void *s, int n)
{
	while (n > 0) {
		int r = engine_aio.reap(s, out, 4, ENGINE_NO_TIMEOUT);

		assert_true(r >= 0);
		for (int i = 0; i < r; i++)
			assert_int_equal(out[i]->res, 4096);
		n -= r;
	}
}

static void writes_and_reads_a_real_file(void **state)
{
	char path[] = "/tmp/ssdqual-test-engine-XXXXXX";
	int fd = mkstemp(path);
	const struct engine_cfg cfg = { .fd = fd, .depth = 4, .sys = &engine_sys_kernel };
	static unsigned char back[4][4096];
	void *s = open_fake(0);
	struct err e = ERR_INIT;

	(void)state;
	engine_aio.close(s);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	if (engine_aio.open(&cfg, &s, &e) < 0) {
		assert_int_equal(close(fd), 0);
		print_message("no native AIO here: %s\n", e.msg);
		skip();
	}
	for (int i = 0; i < 4; i++)
		memset(data[i], 'a' + i, 4096);
	for (int round = 0; round < 100; round++) {
		assert_int_equal(engine_aio.submit(s, in, 4), 4);
		reap_all(s, 4);
	}
	assert_int_equal(engine_aio.sync(s, false), 0);
	for (int i = 0; i < 4; i++) {
		io[i].write = false;
		io[i].buf = back[i];
	}
	assert_int_equal(engine_aio.submit(s, in, 4), 4);
	reap_all(s, 4);
	assert_memory_equal(back, data, sizeof(data));
	engine_aio.set_fd(s, -1);
	assert_int_equal(engine_aio.submit(s, in, 1), -EBADF);
	engine_aio.close(s);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_the_kernel_for_what_is_left_of_each_io),
		cmocka_unit_test(durable_writes_carry_the_flag),
		cmocka_unit_test(takes_completions_from_the_ring_without_a_call),
		cmocka_unit_test(asks_the_kernel_when_the_ring_is_empty),
		cmocka_unit_test(leaves_an_unknown_ring_to_the_kernel),
		cmocka_unit_test(reports_partial_and_refused_submits),
		cmocka_unit_test(an_interrupted_wait_is_no_error),
		cmocka_unit_test(a_failed_setup_says_what_to_do),
		cmocka_unit_test(writes_and_reads_a_real_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
