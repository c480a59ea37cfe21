/* engine_aio.c - Linux native asynchronous I/O, batched, with its completion ring read in place.
 *
 * The kernel maps the completion ring into the process, and io_setup() returns its address as the
 * context. Where the header has the known magic and no incompatible feature, completions are taken
 * from it without a system call (fs/aio.c: "struct aio_ring"; fio's userspace_reap does the same);
 * io_getevents() is called when the ring is empty, and always where the header is unknown.
 */
#include "probes/engine.h"

#include <errno.h>
#include <libaio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define RING_MAGIC 0xa10a10a1u /* fs/aio.c: AIO_RING_MAGIC */

struct aio_ring {
	unsigned id, nr; /* nr: places in events[] */
	unsigned head;   /* next to take; ours to move */
	unsigned tail;   /* next the kernel fills */
	unsigned magic, compat_features, incompat_features;
	unsigned header_length;
	struct io_event events[];
};

struct aio_state {
	io_context_t ctx;
	struct aio_ring *ring; /* NULL: read through io_getevents() only */
	const struct engine_sys *sys;
	int fd;
	struct iocb *iocb;       /* [depth], by engine_io.index */
	struct iocb **batch;     /* [depth] */
	struct io_event *events; /* [depth] */
};

/* engine_sys_kernel stands here because its aio half is libaio's, whose header is for this file. */
static ssize_t kernel_write_at(int fd, const void *buf, size_t len, uint64_t off, int rwf_flags)
{
	struct iovec v = { .iov_base = (void *)(uintptr_t)buf, .iov_len = len };
	ssize_t r;

	if (rwf_flags)
		r = pwritev2(fd, &v, 1, (off_t)off, rwf_flags);
	else
		r = pwrite(fd, buf, len, (off_t)off);
	return r < 0 ? -errno : r;
}

static ssize_t kernel_read_at(int fd, void *buf, size_t len, uint64_t off)
{
	ssize_t r = pread(fd, buf, len, (off_t)off);

	return r < 0 ? -errno : r;
}

static int kernel_sync(int fd, bool data_only)
{
	int r = data_only ? fdatasync(fd) : fsync(fd);

	return r < 0 ? -errno : 0;
}

static int kernel_aio_setup(int events, struct io_context **ret)
{
	*ret = NULL;
	return io_setup(events, ret);
}

const struct engine_sys engine_sys_kernel = {
	.write_at = kernel_write_at,
	.read_at = kernel_read_at,
	.sync = kernel_sync,
	.aio_setup = kernel_aio_setup,
	.aio_destroy = io_destroy, /* libaio's calls return -errno and leave errno alone */
	.aio_submit = io_submit,
	.aio_getevents = io_getevents,
};

static void aio_close(void *state)
{
	struct aio_state *s = state;

	if (!s)
		return;
	if (s->ctx)
		(void)s->sys->aio_destroy(s->ctx); /* nothing is left to do about a failure */
	free(s->iocb);
	free(s->batch);
	free(s->events);
	free(s);
}

/* What does not change from I/O to I/O; it also touches every page. */
static void aio_prepare(struct aio_state *s, const struct engine_cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->depth; i++) {
		s->iocb[i] = (struct iocb){ .aio_fildes = cfg->fd };
		s->iocb[i].aio_rw_flags = cfg->write_flags;
		s->batch[i] = NULL;
		s->events[i] = (struct io_event){ 0 };
	}
}

static int aio_open(const struct engine_cfg *cfg, void **ret_state, struct err *reterr)
{
	struct aio_state *s = calloc(1, sizeof(*s));
	struct aio_ring *ring;
	int r;

	if (!s)
		return err_nomem(reterr);
	s->sys = cfg->sys;
	s->fd = cfg->fd;
	s->iocb = calloc(cfg->depth, sizeof(*s->iocb));
	s->batch = calloc(cfg->depth, sizeof(struct iocb *));
	s->events = calloc(cfg->depth, sizeof(*s->events));
	if (!s->iocb || !s->batch || !s->events) {
		aio_close(s);
		return err_nomem(reterr);
	}
	aio_prepare(s, cfg);
	r = s->sys->aio_setup((int)cfg->depth, &s->ctx);
	if (r < 0) {
		aio_close(s);
		return err_set(reterr, r == -ENOSYS ? ERR_UNSUPPORTED : ERR_DEVICE, r,
			"io_setup for %u I/Os: %s; %s", cfg->depth, strerror(-r),
			r == -EAGAIN ? "raise fs.aio-max-nr" : "use the sync engine");
	}
	ring = (struct aio_ring *)(void *)s->ctx;
	if (ring->magic == RING_MAGIC && ring->incompat_features == 0 &&
		ring->header_length == sizeof(*ring))
		s->ring = ring;
	*ret_state = s;
	return 0;
}

static int aio_submit(void *state, struct engine_io *const *ios, unsigned n)
{
	struct aio_state *s = state;
	int r;

	for (unsigned i = 0; i < n; i++) {
		struct engine_io *io = ios[i];
		struct iocb *cb = &s->iocb[io->index];

		cb->data = io;
		cb->aio_fildes = s->fd;
		cb->aio_lio_opcode = io->write ? IO_CMD_PWRITE : IO_CMD_PREAD;
		cb->u.c.buf = io->buf + io->done;
		cb->u.c.nbytes = io->len - io->done;
		cb->u.c.offset = (int64_t)io->offset + io->done;
		s->batch[i] = cb;
	}
	r = s->sys->aio_submit(s->ctx, (long)n, s->batch);
	return r == -EAGAIN || r == -EINTR ? 0 : r;
}

static struct engine_io *aio_event_io(const struct io_event *e)
{
	struct engine_io *io = e->data;

	io->res = (int64_t)(long)e->res; /* unsigned in libaio.h, signed in the kernel */
	return io;
}

static unsigned aio_take_from_ring(struct aio_state *s, struct engine_io **done, unsigned max)
{
	struct aio_ring *ring = s->ring;
	unsigned head = ring->head, n = 0;
	unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	while (n < max && head != tail) {
		done[n++] = aio_event_io(&ring->events[head]);
		head = head + 1 == ring->nr ? 0 : head + 1;
	}
	if (n)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

static int aio_reap(void *state, struct engine_io **done, unsigned max, uint64_t timeout_ns)
{
	struct aio_state *s = state;
	struct timespec t, *timeout = NULL;
	int r;

	if (s->ring) {
		unsigned n = aio_take_from_ring(s, done, max);

		if (n)
			return (int)n;
	}
	if (timeout_ns != ENGINE_NO_TIMEOUT) {
		t.tv_sec = (time_t)(timeout_ns / 1000000000u);
		t.tv_nsec = (long)(timeout_ns % 1000000000u);
		timeout = &t;
	}
	r = s->sys->aio_getevents(s->ctx, 1, (long)max, s->events, timeout);
	for (int i = 0; i < r; i++)
		done[i] = aio_event_io(&s->events[i]);
	return r == -EINTR || r == -EAGAIN ? 0 : r;
}

static int aio_sync(void *state, bool data_only)
{
	struct aio_state *s = state;
	int r;

	/* Not IO_CMD_FSYNC: the kernel runs that from a work queue, and fio does not use it. */
	do {
		r = s->sys->sync(s->fd, data_only);
	} while (r == -EINTR);
	return r;
}

static void aio_set_fd(void *state, int fd)
{
	struct aio_state *s = state;

	s->fd = fd;
}

const struct engine_ops engine_aio = {
	.name = "libaio",
	.summary = "Linux native asynchronous I/O",
	.max_depth = 1024,
	.open = aio_open,
	.close = aio_close,
	.submit = aio_submit,
	.reap = aio_reap,
	.sync = aio_sync,
	.set_fd = aio_set_fd,
};
