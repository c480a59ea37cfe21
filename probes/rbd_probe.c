/* rbd_probe.c - single calls on an image, timed one by one: flushes, header reads, refreshes. */
#include "probes/rbd_probe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_SEC UINT64_C(1000000000)
#define REFRESH_KEY "ssdqual.refresh"

enum { PART_MAIN, PART_SET, PART_AFTER, PART_PLAIN, PART_COUNT };
_Static_assert(PART_COUNT == RBD_PROBE_MAX, "one measurement a part");

struct timed {
	const struct rbd_probe *p;
	struct hist *hist[PART_COUNT]; /* NULL: the row has no such part */
	uint64_t start_ns, now_ns, done;
	uint64_t random;
	char data[RBD_BLOCK];
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail on Linux */
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static void pause_ns(uint64_t ns)
{
	uint64_t until = clock_ns() + ns;
	struct timespec t = { .tv_sec = (time_t)(until / NS_PER_SEC),
		.tv_nsec = (long)(until % NS_PER_SEC) };

	if (ns) /* a signal may shorten one pause */
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static uint64_t next_random(struct timed *t) /* splitmix64 */
{
	uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Time since the last reading, recorded as @part; the new reading. */
static uint64_t lap(struct timed *t, int part)
{
	uint64_t before = t->now_ns;

	t->now_ns = clock_ns();
	hist_record(t->hist[part], t->now_ns - before);
	return t->now_ns - before;
}

/* -- one call of each kind ------------------------------------------------------------------ */

static int write_block(struct timed *t)
{
	const struct rbd_probe *p = t->p;
	uint64_t offset = next_random(t) % (p->span / RBD_BLOCK) * RBD_BLOCK;
	ssize_t n;

	memcpy(t->data, &t->random, sizeof(t->random)); /* no two blocks alike */
	t->now_ns = clock_ns();
	n = rbd_image_lib(p->image)->rbd_write(rbd_image_handle(p->image), offset, RBD_BLOCK,
		t->data);
	return n < 0 ? (int)n : 0;
}

static int refresh_once(struct timed *t)
{
	const struct rbd_lib *lib = rbd_image_lib(t->p->image);
	uint64_t after, plain;
	char value[32];
	int r;

	(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)t->done);
	t->now_ns = clock_ns();
	r = lib->rbd_metadata_set(rbd_image_handle(t->p->image), REFRESH_KEY, value);
	if (r < 0)
		return r;
	(void)lap(t, PART_SET);
	r = write_block(t);
	if (r < 0)
		return r;
	after = lap(t, PART_AFTER);
	r = write_block(t);
	if (r < 0)
		return r;
	plain = lap(t, PART_PLAIN);
	hist_record(t->hist[PART_MAIN], after > plain ? after - plain : 1);
	return 0;
}

static int call_once(struct timed *t)
{
	const struct rbd_probe *p = t->p;
	int r;

	if (p->row->kind == RBD_ROW_REFRESH)
		return refresh_once(t);
	t->now_ns = clock_ns();
	if (p->row->kind == RBD_ROW_FLUSH)
		r = rbd_image_lib(p->image)->rbd_flush(rbd_image_handle(p->image));
	else
		r = rbd_image_header_read(p->image, p->header_id);
	if (r == 0)
		(void)lap(t, PART_MAIN);
	return r;
}

/* -- the measurements ----------------------------------------------------------------------- */

static const char *const part_key[PART_COUNT] = { NULL, "metadata-set", "refresh-write",
	"refresh-plain" };
static const char *const part_label[PART_COUNT] = { NULL, "Metadata change",
	"Write after the change", "Write after that" };

static struct measurement *make(struct timed *t, int part, const char *stop)
{
	const struct rbd_row *row = t->p->row;
	struct measurement *m = measurement_new("rbd", part ? part_key[part] : row->key,
		part ? part_label[part] : row->label);
	bool writes = part == PART_AFTER || part == PART_PLAIN;

	if (!m)
		return NULL;
	m->params = m->params ? m->params : json_new_object();
	m->write_cache = WC_NONE;
	m->ios = t->hist[part]->count + t->hist[part]->under + t->hist[part]->over;
	m->bytes = writes ? m->ios * RBD_BLOCK : 0;
	m->runtime_ns = t->now_ns > t->start_ns ? t->now_ns - t->start_ns : 1;
	m->iops = (double)m->ios * 1e9 / (double)m->runtime_ns;
	m->bw_bytes = (double)m->bytes * 1e9 / (double)m->runtime_ns;
	m->last_third_change = NAN;
	m->stop = strdup(stop);
	latency_from_hist(&m->lat, t->hist[part]);
	t->hist[part] = NULL;
	if (json_set_str(m->params, "ioengine", "rbd") < 0 ||
		json_set_u64(m->params, "iodepth", 1) < 0 ||
		json_set_u64(m->params, "thinktime", row->pause_ns) < 0 ||
		json_set_u64(m->params, "runtime", t->p->runtime_ns) < 0 ||
		json_set_u64(m->params, "bs", writes ? RBD_BLOCK : 0) < 0 || !m->stop) {
		measurement_free(m);
		return NULL;
	}
	return m;
}

static int make_all(struct timed *t, const char *stop, struct measurement *ret[RBD_PROBE_MAX],
	size_t *ret_count)
{
	*ret_count = 0;
	for (int part = 0; part < PART_COUNT; part++) {
		struct measurement *m;

		if (!t->hist[part] || t->hist[part]->count == 0)
			continue;
		m = make(t, part, stop);
		if (!m)
			return -ENOMEM;
		ret[(*ret_count)++] = m;
	}
	return 0;
}

static bool is_stopped(const struct rbd_probe *p)
{
	return (p->stop[0] && atomic_load(p->stop[0])) || (p->stop[1] && atomic_load(p->stop[1]));
}

static int repeat(struct timed *t, const char **ret_stop)
{
	const struct rbd_probe *p = t->p;
	int r = 0;

	*ret_stop = "runtime";
	t->start_ns = t->now_ns = clock_ns();
	while (r == 0 && t->now_ns - t->start_ns < p->runtime_ns) {
		if (is_stopped(p)) {
			*ret_stop = "signal";
			break;
		}
		if (p->io_limit && t->done >= p->io_limit) {
			*ret_stop = "io-limit";
			break;
		}
		r = call_once(t);
		t->done++;
		pause_ns(p->row->pause_ns);
	}
	if (r < 0)
		*ret_stop = "error";
	return r;
}

int rbd_probe_run(const struct rbd_probe *p, struct measurement *ret[RBD_PROBE_MAX],
	size_t *ret_count, struct err *reterr)
{
	struct timed t = { .p = p, .random = p->randseed };
	int parts = p->row->kind == RBD_ROW_REFRESH ? PART_COUNT : 1, r = 0, made;
	const char *stop = "error";

	*ret_count = 0;
	for (size_t i = 0; i < sizeof(t.data); i += sizeof(t.random)) {
		uint64_t word = next_random(&t);

		memcpy(t.data + i, &word, sizeof(word));
	}
	for (int part = 0; part < parts; part++) {
		t.hist[part] = hist_new();
		if (!t.hist[part])
			r = err_nomem(reterr);
	}
	if (r == 0) {
		r = repeat(&t, &stop);
		if (r < 0)
			(void)err_set(reterr, ERR_DEVICE, r, "row %s: %s", p->row->key, strerror(-r));
		made = make_all(&t, stop, ret, ret_count);
		if (made < 0 && r == 0)
			r = err_nomem(reterr);
	}
	for (int part = 0; part < parts; part++)
		hist_free(t.hist[part]);
	return r;
}
