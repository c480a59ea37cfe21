/* engine_rbd.c - asynchronous I/O on an RBD image through librbd.
 *
 * A completion comes in a thread of librbd, which puts the I/O into a ring and wakes the job; the
 * lock between the two is held for a few instructions. librbd allocates for each I/O, so the rule
 * that nothing is allocated between submit and reap ends at its door.
 * The engine holds a reference to the image: one whose I/O never comes back stays open.
 */
#include "probes/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "probes/rbd_image.h"

struct rbd_slot {
	struct rbd_state *state;
	struct engine_io *io;
};

struct rbd_state {
	struct rbd_image *image;
	const struct rbd_lib *lib;
	void *handle;
	uint32_t depth, inflight; /* inflight: of the job's thread */
	struct rbd_slot *slot;    /* [depth], by the I/O's index */
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct engine_io **ring;  /* [depth]; head, count: under the lock */
	uint32_t head, count;
};

static void rbd_done(void *completion, void *arg)
{
	struct rbd_slot *slot = arg;
	struct rbd_state *s = slot->state;
	ssize_t r = s->lib->rbd_aio_get_return_value(completion);

	s->lib->rbd_aio_release(completion);
	/* A write gives 0, a read the bytes that it read. */
	slot->io->res = r == 0 && slot->io->write ? (int64_t)(slot->io->len - slot->io->done) : r;
	(void)pthread_mutex_lock(&s->lock);
	s->ring[(s->head + s->count++) % s->depth] = slot->io;
	(void)pthread_cond_signal(&s->arrived);
	(void)pthread_mutex_unlock(&s->lock);
}

static void rbd_drain(struct rbd_state *s)
{
	(void)pthread_mutex_lock(&s->lock);
	while (s->count < s->inflight)
		(void)pthread_cond_wait(&s->arrived, &s->lock);
	(void)pthread_mutex_unlock(&s->lock);
}

static void rbd_engine_close(void *state)
{
	struct rbd_state *s = state;

	if (!s)
		return;
	if (s->image) {
		rbd_drain(s);
		(void)pthread_cond_destroy(&s->arrived);
		(void)pthread_mutex_destroy(&s->lock);
		(void)rbd_image_close(s->image); /* the session's reference is another */
	}
	free(s->slot);
	free(s->ring);
	free(s);
}

static int rbd_engine_open(const struct engine_cfg *cfg, void **ret_state, struct err *reterr)
{
	struct rbd_state *s;
	pthread_condattr_t attr;

	if (!cfg->image)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"engine rbd: for images only, rbd:POOL/IMAGE");
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_nomem(reterr);
	s->depth = cfg->depth;
	s->slot = calloc(cfg->depth, sizeof(*s->slot));
	s->ring = calloc(cfg->depth, sizeof(struct engine_io *));
	if (!s->slot || !s->ring) {
		rbd_engine_close(s);
		return err_nomem(reterr);
	}
	(void)pthread_condattr_init(&attr); /* these four cannot fail on Linux */
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->arrived, &attr);
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_destroy(&attr);
	s->image = rbd_image_hold(cfg->image);
	s->lib = rbd_image_lib(cfg->image);
	s->handle = rbd_image_handle(cfg->image);
	*ret_state = s;
	return 0;
}

static int submit_one(struct rbd_state *s, struct engine_io *io)
{
	struct rbd_slot *slot = &s->slot[io->index];
	uint64_t offset = io->offset + io->done;
	size_t len = io->len - io->done;
	char *buf = (char *)io->buf + io->done;
	void *completion = NULL;
	int r;

	*slot = (struct rbd_slot){ .state = s, .io = io };
	r = s->lib->rbd_aio_create_completion(slot, rbd_done, &completion);
	if (r < 0)
		return r;
	r = io->write ? s->lib->rbd_aio_write(s->handle, offset, len, buf, completion) :
			s->lib->rbd_aio_read(s->handle, offset, len, buf, completion);
	if (r < 0)
		s->lib->rbd_aio_release(completion);
	else
		s->inflight++;
	return r;
}

static int rbd_submit(void *state, struct engine_io *const *ios, unsigned n)
{
	struct rbd_state *s = state;

	for (unsigned i = 0; i < n; i++) {
		int r = submit_one(s, ios[i]);

		if (r < 0)
			return i ? (int)i : r;
	}
	return (int)n;
}

static int rbd_reap(void *state, struct engine_io **done, unsigned max, uint64_t timeout_ns)
{
	struct rbd_state *s = state;
	struct timespec until;
	unsigned n = 0;
	int r = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until); /* cannot fail on Linux */
	if (timeout_ns != ENGINE_NO_TIMEOUT) {
		uint64_t ns = (uint64_t)until.tv_nsec + timeout_ns % 1000000000u;

		until.tv_sec += (time_t)(timeout_ns / 1000000000u + ns / 1000000000u);
		until.tv_nsec = (long)(ns % 1000000000u);
	}
	(void)pthread_mutex_lock(&s->lock);
	while (s->count == 0 && s->inflight && r == 0)
		r = timeout_ns == ENGINE_NO_TIMEOUT ? pthread_cond_wait(&s->arrived, &s->lock) :
			pthread_cond_timedwait(&s->arrived, &s->lock, &until);
	while (n < max && s->count) {
		done[n++] = s->ring[s->head];
		s->head = (s->head + 1) % s->depth;
		s->count--;
	}
	(void)pthread_mutex_unlock(&s->lock);
	s->inflight -= n;
	return (int)n;
}

/* A flush of the user: what a guest's flush becomes. There is no other kind. */
static int rbd_sync(void *state, bool data_only)
{
	struct rbd_state *s = state;

	(void)data_only;
	return s->lib->rbd_flush(s->handle);
}

static void rbd_set_fd(void *state, int fd)
{
	(void)state;
	(void)fd;
}

const struct engine_ops engine_rbd = {
	.name = "rbd",
	.summary = "asynchronous I/O on an RBD image, through librbd",
	.max_depth = 1024,
	.open = rbd_engine_open,
	.close = rbd_engine_close,
	.submit = rbd_submit,
	.reap = rbd_reap,
	.sync = rbd_sync,
	.set_fd = rbd_set_fd,
};
