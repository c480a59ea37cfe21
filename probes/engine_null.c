/* engine_null.c - transfers nothing, and takes a stated time for it.
 *
 * For tests, and for what the generator itself costs (latency 0: no clock is read here). I/Os
 * complete in the order of their submission, each null_latency_ns after it.
 */
#include "probes/engine.h"

#include <stdlib.h>

#define SPIN_BELOW_NS 20000u /* a sleep shorter than this oversleeps by more than it lasts */

struct null_state {
	uint64_t latency_ns;
	uint32_t depth, head, count;
	struct engine_io **queue; /* ring of depth */
	uint64_t *ready_ns;       /* beside it: when it completes */
};

static uint64_t null_now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail on Linux */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void null_close(void *state)
{
	struct null_state *s = state;

	if (!s)
		return;
	free(s->queue);
	free(s->ready_ns);
	free(s);
}

static int null_open(const struct engine_cfg *cfg, void **ret_state, struct err *reterr)
{
	struct null_state *s = calloc(1, sizeof(*s));

	if (!s)
		return err_nomem(reterr);
	s->latency_ns = cfg->null_latency_ns;
	s->depth = cfg->depth;
	s->queue = calloc(cfg->depth, sizeof(struct engine_io *));
	s->ready_ns = calloc(cfg->depth, sizeof(*s->ready_ns));
	if (!s->queue || !s->ready_ns) {
		null_close(s);
		return err_nomem(reterr);
	}
	*ret_state = s;
	return 0;
}

static int null_submit(void *state, struct engine_io *const *ios, unsigned n)
{
	struct null_state *s = state;
	uint64_t ready = s->latency_ns ? null_now_ns() + s->latency_ns : 0;
	unsigned i;

	for (i = 0; i < n && s->count < s->depth; i++) {
		uint32_t at = (s->head + s->count) % s->depth;

		s->queue[at] = ios[i];
		s->ready_ns[at] = ready;
		s->count++;
	}
	return (int)i;
}

/* Wait for @ready_ns, at most @timeout_ns. Returns the time it is then. */
static uint64_t null_wait(uint64_t ready_ns, uint64_t timeout_ns)
{
	uint64_t now = null_now_ns(), until = ready_ns;

	if (timeout_ns < UINT64_MAX - now && now + timeout_ns < until)
		until = now + timeout_ns;
	while (now < until) {
		if (until - now > SPIN_BELOW_NS) {
			struct timespec t = {
				.tv_sec = (time_t)(until / 1000000000u),
				.tv_nsec = (long)(until % 1000000000u),
			};

			/* a signal shortens the sleep: the loop looks at the clock again */
			(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		}
		now = null_now_ns();
	}
	return now;
}

static int null_reap(void *state, struct engine_io **done, unsigned max, uint64_t timeout_ns)
{
	struct null_state *s = state;
	uint64_t now = 0;
	unsigned n = 0;

	if (s->count && s->latency_ns)
		now = null_wait(s->ready_ns[s->head], timeout_ns);
	while (n < max && s->count && s->ready_ns[s->head] <= now) {
		struct engine_io *io = s->queue[s->head];

		io->res = io->len - io->done;
		done[n++] = io;
		if (++s->head == s->depth)
			s->head = 0;
		s->count--;
	}
	return (int)n;
}

static int null_sync(void *state, bool data_only)
{
	struct null_state *s = state;

	(void)data_only;
	if (s->latency_ns)
		(void)null_wait(null_now_ns() + s->latency_ns, ENGINE_NO_TIMEOUT);
	return 0;
}

static void null_set_fd(void *state, int fd)
{
	(void)state;
	(void)fd;
}

const struct engine_ops engine_null = {
	.name = "null",
	.summary = "no I/O at all: the generator's own cost",
	.max_depth = 1024,
	.open = null_open,
	.close = null_close,
	.submit = null_submit,
	.reap = null_reap,
	.sync = null_sync,
	.set_fd = null_set_fd,
};
