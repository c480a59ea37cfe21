/* engine_sync.c - one blocking pwrite or pread at a time.
 *
 * submit() does the whole I/O and reap() hands it back, so that a job's clock readings around the
 * two are those around the system call.
 */
#include "probes/engine.h"

#include <errno.h>
#include <stdlib.h>

struct sync_state {
	int fd, write_flags;
	const struct engine_sys *sys;
	struct engine_io *finished; /* done by submit(), not yet reaped */
};

static int sync_open(const struct engine_cfg *cfg, void **ret_state, struct err *reterr)
{
	struct sync_state *s = calloc(1, sizeof(*s));

	if (!s)
		return err_nomem(reterr);
	s->fd = cfg->fd;
	s->write_flags = cfg->write_flags;
	s->sys = cfg->sys;
	*ret_state = s;
	return 0;
}

static void sync_close(void *state)
{
	free(state);
}

static int sync_submit(void *state, struct engine_io *const *ios, unsigned n)
{
	struct sync_state *s = state;
	struct engine_io *io = ios[0];
	size_t len = io->len - io->done;
	uint64_t offset = io->offset + io->done;
	ssize_t r;

	if (n == 0 || s->finished)
		return 0;
	do {
		if (io->write)
			r = s->sys->write_at(s->fd, io->buf + io->done, len, offset, s->write_flags);
		else
			r = s->sys->read_at(s->fd, io->buf + io->done, len, offset);
	} while (r == -EINTR); /* nothing was transferred, or the call would have said how much */
	if (r == -EAGAIN)
		return 0;
	io->res = r;
	s->finished = io;
	return 1;
}

static int sync_reap(void *state, struct engine_io **done, unsigned max, uint64_t timeout_ns)
{
	struct sync_state *s = state;

	(void)timeout_ns; /* what there is to wait for was waited for in submit() */
	if (max == 0 || !s->finished)
		return 0;
	done[0] = s->finished;
	s->finished = NULL;
	return 1;
}

static int sync_sync(void *state, bool data_only)
{
	struct sync_state *s = state;
	int r;

	do {
		r = s->sys->sync(s->fd, data_only);
	} while (r == -EINTR);
	return r;
}

static void sync_set_fd(void *state, int fd)
{
	struct sync_state *s = state;

	s->fd = fd;
}

const struct engine_ops engine_sync = {
	.name = "sync",
	.summary = "pwrite and pread, one at a time",
	.max_depth = 1,
	.open = sync_open,
	.close = sync_close,
	.submit = sync_submit,
	.reap = sync_reap,
	.sync = sync_sync,
	.set_fd = sync_set_fd,
};
