/* rbd_load.c - the write side of an application on an image: writes, flushes, pauses. */
#include "probes/rbd_load.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define NS_PER_SEC UINT64_C(1000000000)
#define SLICE_NS (NS_PER_SEC / 20) /* the longest sleep that does not look for the end */
#define JOURNAL_BLOCK 4096u
#define JOURNAL_BYTES (UINT64_C(1) << 20)

struct group;

struct stream {
	struct group *group;
	struct rbd_load_figures f;
	uint64_t base, size;       /* of its data */
	uint64_t journal, journal_size;
	uint64_t at, journal_at, random;
	uint64_t in_burst;
	char *data;
	pthread_t thread;
	bool started;
	int error;
};

struct group {
	const struct rbd_load *l;
	uint64_t end_ns;
	atomic_uint_fast64_t bytes;
	atomic_bool over, limited;
	struct stream stream[RBD_LOAD_STREAMS];
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail on Linux */
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static bool is_over(struct group *g)
{
	const struct rbd_load *l = g->l;

	if (l->write_limit && atomic_load(&g->bytes) >= l->write_limit) {
		atomic_store(&g->limited, true);
		return true;
	}
	return atomic_load(&g->over) || clock_ns() >= g->end_ns ||
		(l->stop && atomic_load(l->stop));
}

static void rest(struct group *g, uint64_t ns)
{
	uint64_t until = clock_ns() + ns, now;

	while (ns && (now = clock_ns()) < until && !is_over(g)) {
		uint64_t to = until - now > SLICE_NS ? now + SLICE_NS : until;
		struct timespec t = { .tv_sec = (time_t)(to / NS_PER_SEC),
			.tv_nsec = (long)(to % NS_PER_SEC) };

		/* a signal shortens one slice: the loop looks at the clock again */
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
}

/* -- one stream ----------------------------------------------------------------------------- */

static int write_at(struct stream *s, uint64_t offset, uint64_t len)
{
	struct rbd_image *i = s->group->l->image;
	ssize_t n = rbd_image_lib(i)->rbd_write(rbd_image_handle(i), offset, len, s->data);

	(void)atomic_fetch_add(&s->group->bytes, len);
	s->f.bytes += len;
	return n < 0 ? (int)n : 0;
}

static int flush(struct stream *s)
{
	struct rbd_image *i = s->group->l->image;

	return rbd_image_lib(i)->rbd_flush(rbd_image_handle(i));
}

static uint64_t next_offset(struct stream *s)
{
	const struct rbd_load *l = s->group->l;
	uint64_t slots = s->size / l->write_bytes, at;

	if (l->random) {
		if (l->hot_bytes && l->hot_bytes < s->size)
			slots = l->hot_bytes / l->write_bytes;
		return s->base + next_random(&s->random) % (slots ? slots : 1) * l->write_bytes;
	}
	at = s->at++ % (slots ? slots : 1);
	return s->base + at * l->write_bytes;
}

static int write_data(struct stream *s, uint64_t *ret_start_ns, uint64_t *ret_end_ns)
{
	uint64_t offset = next_offset(s), start, end;
	int r;

	memcpy(s->data, &s->random, sizeof(s->random)); /* no two writes alike */
	s->random++;
	start = clock_ns();
	r = write_at(s, offset, s->group->l->write_bytes);
	end = clock_ns();
	if (r < 0)
		return r;
	hist_record(s->f.write, end - start);
	s->f.writes++;
	*ret_start_ns = start;
	*ret_end_ns = end;
	return 0;
}

static int write_journal(struct stream *s, uint64_t bytes)
{
	uint64_t at;

	if (s->journal_at + bytes > s->journal_size)
		s->journal_at = 0;
	at = s->journal_at;
	s->journal_at += bytes;
	return write_at(s, s->journal + at, bytes);
}

/* The sync that began with the write of [start, end]. */
static int sync_all(struct stream *s, uint64_t start, uint64_t end)
{
	uint64_t before = end, now, journal = s->group->l->journal_bytes;
	int r = journal ? write_journal(s, journal) : 0;

	if (r == 0 && journal)
		before = clock_ns();
	r = r < 0 ? r : flush(s);
	if (r < 0)
		return r;
	now = clock_ns();
	hist_record(s->f.flush, now - before);
	hist_record(s->f.pair, end - start + now - before);
	if (journal) {
		r = write_journal(s, JOURNAL_BLOCK);
		r = r < 0 ? r : flush(s);
		now = clock_ns();
	}
	if (r == 0)
		hist_record(s->f.sync, now - start);
	return r;
}

static int cycle(struct stream *s)
{
	const struct rbd_load *l = s->group->l;
	uint64_t start = 0, end = 0;
	int r = 0;

	for (uint64_t i = 0; i < l->writes; i++) {
		if (i && is_over(s->group))
			return 0;
		r = write_data(s, &start, &end);
		if (r < 0)
			return r;
		if (!l->syncs && !l->burst_writes)
			rest(s->group, l->think_ns);
		if (l->burst_writes && ++s->in_burst >= l->burst_writes && !l->syncs) {
			s->in_burst = 0;
			rest(s->group, l->gap_ns);
		}
	}
	if (l->syncs) {
		r = sync_all(s, start, end);
		if (r == 0 && !l->burst_writes)
			rest(s->group, l->think_ns);
		if (l->burst_writes && s->in_burst >= l->burst_writes) {
			s->in_burst = 0;
			rest(s->group, l->gap_ns);
		}
	}
	return r;
}

static void *run_stream(void *arg)
{
	struct stream *s = arg;

	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* else every pause is 50 us too long */
	while (s->error == 0 && !is_over(s->group))
		s->error = cycle(s);
	if (s->error < 0)
		atomic_store(&s->group->over, true);
	return NULL;
}

/* -- all of them ---------------------------------------------------------------------------- */

static int figures_init(struct rbd_load_figures *f)
{
	if (!f->write)
		f->write = hist_new();
	if (!f->flush)
		f->flush = hist_new();
	if (!f->pair)
		f->pair = hist_new();
	if (!f->sync)
		f->sync = hist_new();
	return f->write && f->flush && f->pair && f->sync ? 0 : -ENOMEM;
}

void rbd_load_done(struct rbd_load_figures *f)
{
	hist_free(f->write);
	hist_free(f->flush);
	hist_free(f->pair);
	hist_free(f->sync);
	*f = (struct rbd_load_figures){ .writes = 0 };
}

int rbd_load_merge(struct rbd_load_figures *to, const struct rbd_load_figures *from)
{
	if (figures_init(to) < 0)
		return -ENOMEM;
	if (!from->write)
		return 0;
	hist_merge(to->write, from->write);
	hist_merge(to->flush, from->flush);
	hist_merge(to->pair, from->pair);
	hist_merge(to->sync, from->sync);
	to->writes += from->writes;
	to->bytes += from->bytes;
	to->runtime_ns += from->runtime_ns;
	to->limited = to->limited || from->limited;
	return 0;
}

/* The last MiB is the journal; the rest is shared (random) or split (in order). */
static int stream_init(struct group *g, uint32_t index)
{
	const struct rbd_load *l = g->l;
	uint64_t journal = l->journal_bytes ? JOURNAL_BYTES : 0, data = l->span - journal;
	uint64_t part = l->random ? data : data / l->streams;
	struct stream *s = &g->stream[index];
	uint64_t longest;

	*s = (struct stream){ .group = g, .random = l->randseed + index * UINT64_C(0x51ed27),
		.base = l->random ? 0 : index * part / JOURNAL_BLOCK * JOURNAL_BLOCK, .size = part,
		.journal = data, .journal_size = JOURNAL_BYTES };
	longest = l->write_bytes > l->journal_bytes ? l->write_bytes : l->journal_bytes;
	s->data = calloc(1, longest > JOURNAL_BLOCK ? longest : JOURNAL_BLOCK);
	if (!s->data || figures_init(&s->f) < 0)
		return -ENOMEM;
	for (uint64_t i = 0; i + 8 <= longest; i += 8) {
		uint64_t word = next_random(&s->random);

		memcpy(s->data + i, &word, sizeof(word));
	}
	return 0;
}

static int warm_up(struct group *g)
{
	struct stream *s = &g->stream[0];
	int r = write_at(s, s->base, g->l->write_bytes);

	r = r < 0 ? r : flush(s);
	s->f.bytes = 0;
	return r;
}

static int start_all(struct group *g)
{
	sigset_t all, old;
	int r = 0;

	(void)sigfillset(&all); /* signals are for the main thread */
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; i < g->l->streams && r == 0; i++) {
		r = -pthread_create(&g->stream[i].thread, NULL, run_stream, &g->stream[i]);
		g->stream[i].started = r == 0;
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r < 0)
		atomic_store(&g->over, true);
	return r;
}

static int run_group(struct group *g, struct rbd_load_figures *ret)
{
	uint64_t start;
	int r = warm_up(g);

	if (r < 0)
		return r;
	start = clock_ns();
	g->end_ns = start + g->l->runtime_ns;
	r = start_all(g);
	for (uint32_t i = 0; i < g->l->streams; i++)
		if (g->stream[i].started)
			(void)pthread_join(g->stream[i].thread, NULL);
	for (uint32_t i = 0; i < g->l->streams; i++) {
		int merged = rbd_load_merge(ret, &g->stream[i].f);

		r = r < 0 ? r : merged;
		r = r < 0 ? r : g->stream[i].error;
	}
	ret->runtime_ns = clock_ns() - start;
	ret->limited = atomic_load(&g->limited);
	return r;
}

int rbd_load_run(const struct rbd_load *l, struct rbd_load_figures *ret, struct err *reterr)
{
	struct group *g = calloc(1, sizeof(*g));
	struct rbd_load_figures f = { .writes = 0 };
	int r = 0;

	if (!g)
		return err_nomem(reterr);
	g->l = l;
	for (uint32_t i = 0; i < l->streams && r == 0; i++)
		r = stream_init(g, i);
	if (r == 0)
		r = run_group(g, &f);
	for (uint32_t i = 0; i < l->streams; i++) {
		free(g->stream[i].data);
		rbd_load_done(&g->stream[i].f);
	}
	free(g);
	*ret = f;
	if (r == -ENOMEM)
		return err_nomem(reterr);
	return r < 0 ? err_set(reterr, ERR_DEVICE, r, "image %s: %s", rbd_image_name(l->image),
		strerror(-r)) : 0;
}
