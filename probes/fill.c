/* fill.c - write a span from start to end. */
#include "probes/fill.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

uint64_t fill_lap_bytes(uint64_t size, uint64_t bytes)
{
	uint64_t laps = bytes / size + (bytes % size != 0);

	return size * (laps ? laps : 1);
}

/* Ticks of one part are passed on as ticks of the whole. */
struct parts {
	const struct load_watch *watch;
	uint64_t ios, bytes;
	double elapsed_s;
};

static void part_tick(void *ctx, const struct load_tick *t)
{
	struct parts *p = ctx;
	struct load_tick sum = *t;

	sum.ios += p->ios;
	sum.bytes += p->bytes;
	sum.elapsed_s += p->elapsed_s;
	sum.total_s = 0;
	if (p->watch && p->watch->tick)
		p->watch->tick(p->watch->ctx, &sum);
}

static bool stopped(const struct load_watch *w)
{
	return w && w->stop && atomic_load(w->stop);
}

/* One sequential write of [offset, offset + size) in blocks of @bs, which divides size. */
static int fill_part(const struct fill *f, struct parts *parts, uint64_t offset, uint64_t size,
	uint32_t bs, struct err *reterr)
{
	struct load_watch watch = { .tick = part_tick, .ctx = parts,
		.stop = parts->watch ? parts->watch->stop : NULL };
	struct measurement *m = measurement_new("", "fill", "fill");
	struct load_params p;
	int r;

	if (!m)
		return err_nomem(reterr);
	load_params_init(&p);
	p.engine = f->engine;
	p.filename = f->filename;
	p.fd = f->fd;
	p.offset = offset;
	p.size = size;
	p.rw = RW_WRITE;
	p.bs = bs;
	p.iodepth = !strcmp(f->engine, "sync") ? 1 : 8;
	p.direct = f->direct;
	p.buffer_align = f->align;
	p.zero_buffers = f->zero_buffers;
	p.refill_buffers = !f->zero_buffers; /* nothing for a drive that removes duplicates */
	p.randseed = f->randseed;
	r = load_run(&p, &watch, m, reterr);
	parts->ios += m->ios;
	parts->bytes += m->bytes;
	parts->elapsed_s += (double)m->runtime_ns / 1e9;
	if (r == 0 && m->stop && (!strcmp(m->stop, "error") || !strcmp(m->stop, "device-gone")))
		r = err_set(reterr, ERR_DEVICE, !strcmp(m->stop, "error") ? -EIO : -ENODEV,
			"%s", m->error ? m->error : "the device is gone");
	measurement_free(m);
	return r;
}

static int fill_lap(const struct fill *f, struct parts *parts, struct err *reterr)
{
	uint64_t bulk = f->size / FILL_BS * FILL_BS, tail = f->size - bulk;
	int r = 0;

	if (bulk)
		r = fill_part(f, parts, f->offset, bulk, FILL_BS, reterr);
	/* The rest in the smallest blocks: with direct I/O they must be whole logical blocks. */
	if (r == 0 && tail && !stopped(parts->watch))
		r = fill_part(f, parts, f->offset + bulk, tail,
			f->direct ? f->align : (uint32_t)tail, reterr);
	return r;
}

int fill_run(const struct fill *f, const struct load_watch *watch, uint64_t *ret_written,
	struct err *reterr)
{
	struct parts parts = { .watch = watch };
	uint64_t laps = fill_lap_bytes(f->size, f->bytes) / f->size;
	int r = 0;

	for (uint64_t i = 0; i < laps && r == 0 && !stopped(watch); i++)
		r = fill_lap(f, &parts, reterr);
	*ret_written = parts.bytes;
	if (r == 0 && f->fd >= 0 && !stopped(watch) && fsync(f->fd) < 0)
		r = err_set(reterr, ERR_DEVICE, -errno, "%s: sync after filling: %s", f->filename,
			strerror(errno));
	return r;
}
