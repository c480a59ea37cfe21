/* rbd_calm.c - does the cluster still answer as fast as before we came? */
#include "probes/rbd_calm.h"

#include "probes/rbd_rows.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BASE_NAP_NS 10000000L

struct rbd_calm {
	struct rbd_image *image;
	uint64_t blocks, random;
	double ratio, baseline_ns;
	uint64_t last[RBD_CALM_LAST]; /* of the thread */
	size_t count;
	atomic_uint generation;       /* of rbd_calm_forget() */
	unsigned seen;
	atomic_bool over, disturbed;
	atomic_uint_fast64_t worst_ns; /* 0: none yet */
	atomic_bool *halt;
	pthread_t thread;
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail on Linux */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	(void)nanosleep(&t, NULL); /* a signal may shorten one nap */
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(const uint64_t *v, size_t n)
{
	uint64_t sorted[RBD_CALM_BASE];

	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), compare);
	return sorted[n / 2];
}

/* Time of one read; 0: it failed, which the load will tell of. */
static uint64_t read_once(struct rbd_calm *c)
{
	char buf[RBD_BLOCK];
	uint64_t start;

	c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	start = clock_ns();
	if (rbd_image_lib(c->image)->rbd_read(rbd_image_handle(c->image),
		    (c->random >> 20) % c->blocks * RBD_BLOCK, sizeof(buf), buf) < 0)
		return 0;
	return clock_ns() - start;
}

static void judge(struct rbd_calm *c, uint64_t ns)
{
	unsigned generation = atomic_load(&c->generation);
	uint64_t now;

	if (generation != c->seen) {
		c->seen = generation;
		c->count = 0;
	}
	if (ns == 0)
		return;
	c->last[c->count++ % RBD_CALM_LAST] = ns;
	if (c->count < RBD_CALM_LAST)
		return;
	now = median(c->last, RBD_CALM_LAST);
	if (now > atomic_load(&c->worst_ns))
		atomic_store(&c->worst_ns, now);
	if (c->ratio > 0 && (double)now > c->ratio * c->baseline_ns) {
		atomic_store(&c->disturbed, true);
		atomic_store(c->halt, true);
	}
}

static void *watch(void *arg)
{
	struct rbd_calm *c = arg;

	while (!atomic_load(&c->over)) {
		judge(c, read_once(c));
		nap(RBD_CALM_NAP_MS * 1000000L);
	}
	return NULL;
}

static int take_baseline(struct rbd_calm *c, struct err *reterr)
{
	uint64_t ns[RBD_CALM_BASE];
	size_t n = 0;

	for (int i = 0; i < RBD_CALM_BASE; i++) {
		uint64_t one = read_once(c);

		if (one)
			ns[n++] = one;
		nap(BASE_NAP_NS);
	}
	if (n < RBD_CALM_BASE / 2)
		return err_set(reterr, ERR_DEVICE, -EIO, "image %s: reads of it fail",
			rbd_image_name(c->image));
	c->baseline_ns = (double)median(ns, n);
	return 0;
}

static int start_thread(struct rbd_calm *c, struct err *reterr)
{
	sigset_t all, old;
	int r;

	(void)sigfillset(&all); /* signals are for the main thread */
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = -pthread_create(&c->thread, NULL, watch, c);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r < 0 ? err_set(reterr, ERR_INTERNAL, r, "thread: %s", strerror(-r)) : 0;
}

int rbd_calm_begin(const struct rbd_conn *c, const struct rbd_spec *s, const char *name,
	uint64_t span, double ratio, atomic_bool *halt, struct rbd_calm **ret, struct err *reterr)
{
	struct rbd_calm *calm = calloc(1, sizeof(*calm));
	int r;

	if (!calm)
		return err_nomem(reterr);
	calm->blocks = span / RBD_BLOCK;
	calm->random = clock_ns();
	calm->ratio = ratio;
	calm->halt = halt;
	r = rbd_image_open(c, s, name, true, &calm->image, reterr);
	if (r == 0)
		r = take_baseline(calm, reterr);
	if (r == 0)
		r = start_thread(calm, reterr);
	if (r < 0) {
		(void)rbd_image_close(calm->image); /* nobody else holds it */
		free(calm);
		return r;
	}
	*ret = calm;
	return 0;
}

void rbd_calm_end(struct rbd_calm *c)
{
	if (!c)
		return;
	atomic_store(&c->over, true);
	(void)pthread_join(c->thread, NULL);
	(void)rbd_image_close(c->image); /* nobody else holds it */
	free(c);
}

void rbd_calm_forget(struct rbd_calm *c)
{
	(void)atomic_fetch_add(&c->generation, 1);
	atomic_store(&c->disturbed, false);
}

bool rbd_calm_is_disturbed(const struct rbd_calm *c)
{
	return atomic_load(&c->disturbed);
}

double rbd_calm_baseline_ns(const struct rbd_calm *c)
{
	return c->baseline_ns;
}

double rbd_calm_worst_ns(const struct rbd_calm *c)
{
	uint64_t ns = atomic_load(&c->worst_ns);

	return ns ? (double)ns : NAN;
}
