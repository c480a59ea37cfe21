/* segments.c - fresh preallocated files, one after the other. */
#include "probes/segments.h"

#include "probes/scratch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int source_next(void *ctx, int *ret_fd, struct err *reterr)
{
	return segments_next(ctx, ret_fd, reterr);
}

void segments_init(struct segments *s, const char *dir, uint64_t bytes)
{
	s->dir = dir;
	s->bytes = bytes;
	s->made = 0;
	for (size_t i = 0; i < SEGMENTS_KEPT; i++)
		s->fd[i] = -1;
	s->source = (struct load_file_source){ .next = source_next, .ctx = s };
}

int segments_next(struct segments *s, int *ret_fd, struct err *reterr)
{
	int *slot = &s->fd[s->made % SEGMENTS_KEPT];
	int fd, r;

	if (*slot >= 0) {
		(void)close(*slot); /* its data has been synced, and nobody reads it */
		*slot = -1;
	}
	r = scratch_open(s->dir, &fd, reterr);
	if (r < 0)
		return r;
	r = scratch_allocate(fd, s->dir, s->bytes, reterr);
	if (r == 0 && fdatasync(fd) < 0)
		r = err_set(reterr, ERR_DEVICE, -errno, "%s: a new segment cannot be synced: %s",
			s->dir, strerror(errno));
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	*slot = fd;
	s->made++;
	*ret_fd = fd;
	return 0;
}

void segments_done(struct segments *s)
{
	for (size_t i = 0; i < SEGMENTS_KEPT; i++) {
		if (s->fd[i] >= 0)
			(void)close(s->fd[i]);
		s->fd[i] = -1;
	}
}
