/* plan.c - what a run will do, before it does it. */
#include "probes/plan.h"

#include "probes/fill.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* A page: spans of directories are whole pages, so that no file system's direct I/O refuses
 * them. */
#define PAGE 4096

/* The fastest that a transport's drives write; PCIe 5.0 x4 where it is not known. Source: SATA 3.x
 * (600 MB/s after 8b/10b), SAS-3 (12 Gbit/s, one lane), PCIe 5.0 x4 (15.75 GB/s). */
static const struct {
	const char *transport;
	double bytes_s;
	const char *source;
} links[] = {
	{ "sata", 600e6, "SATA 6 Gbit/s" },
	{ "ata", 600e6, "SATA 6 Gbit/s" },
	{ "sas", 1200e6, "SAS 12 Gbit/s" },
	{ "usb", 1250e6, "USB 10 Gbit/s" },
	{ NULL, 15750e6, "PCIe 5.0 x4, the fastest link known to us" },
};

static void set_link(struct plan *p, const struct target *t)
{
	const char *word = json_str(json_get(t->identity, "transport"));
	size_t i = 0;

	while (links[i].transport && (!word || strcasecmp(word, links[i].transport) != 0))
		i++;
	p->link_bytes_s = links[i].bytes_s;
	p->link_source = links[i].source;
}

const char *plan_cache_word(enum plan_cache c)
{
	static const char *const words[] = {
		[PLAN_CACHE_KEEP] = "keep", [PLAN_CACHE_BOTH] = "both",
		[PLAN_CACHE_ON] = "on", [PLAN_CACHE_OFF] = "off",
	};

	return words[c];
}

static bool is_write(const struct load_params *lp)
{
	return lp->rw == RW_WRITE || lp->rw == RW_RANDWRITE;
}

static uint64_t row_write_bytes(const struct plan *p, const struct plan_row *r)
{
	const struct load_params *lp = &r->params;
	double flight = (double)lp->bs * lp->iodepth / (PLAN_FASTEST_NS / 1e9);
	double bytes = fmin(flight, p->link_bytes_s) * (double)lp->runtime_ns / 1e9;

	if (!is_write(lp))
		return 0;
	if (!lp->time_based)
		bytes = fmin(bytes, (double)lp->size);
	return (uint64_t)bytes;
}

/* -- span ----------------------------------------------------------------------------------- */

static int check_span(const struct target *t, const struct plan *p, struct err *reterr)
{
	uint32_t block = t->logical_block ? t->logical_block : 512;

	if (p->offset % block || p->size % block)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: offset %" PRIu64 " and size %" PRIu64
			" must be multiples of its logical block, %" PRIu32 " bytes", t->given,
			p->offset, p->size, block);
	if (p->offset > t->size_bytes || p->size > t->size_bytes - p->offset)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: the span from %" PRIu64 " of %" PRIu64
			" bytes ends beyond its end at %" PRIu64
			"; give a smaller --size or --offset",
			t->given, p->offset, p->size, t->size_bytes);
	return 0;
}

static int set_span(const struct target *t, const struct plan_options *o, struct plan *p,
	struct err *reterr)
{
	uint32_t block = t->logical_block ? t->logical_block : 512;

	p->offset = o->offset;
	p->size = o->size;
	if (t->kind == TARGET_DIR) {
		if (o->offset)
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"%s: --offset is for devices and files; leave it out", t->given);
		p->size = (o->size ? o->size : PLAN_DIR_SPAN) / PAGE * PAGE;
		return 0;
	}
	if (!o->size && o->offset < t->size_bytes)
		p->size = (t->size_bytes - o->offset) / block * block;
	return check_span(t, p, reterr);
}

/* -- rows ----------------------------------------------------------------------------------- */

static bool wanted(const struct plan_options *o, const char *key)
{
	for (size_t i = 0; i < o->row_count; i++)
		if (!strcmp(o->rows[i], key))
			return true;
	return o->row_count == 0;
}

static int check_row_names(const struct plan_options *o, const struct battery *b,
	struct err *reterr)
{
	for (size_t i = 0; i < o->row_count; i++) {
		char known[512] = "";

		if (battery_row_find(b, o->rows[i]))
			continue;
		for (size_t k = 0; k < b->row_count; k++) {
			size_t used = strlen(known);

			(void)snprintf(known + used, sizeof(known) - used, "%s%s", k ? ", " : "",
				b->rows[k].key);
		}
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--row %s: battery %s has no such row; it has %s", o->rows[i], b->name,
			known);
	}
	return 0;
}

static void not_applicable(struct plan_row *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void not_applicable(struct plan_row *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
	r->applicable = false;
}

static void plan_row_set(const struct target *t, const struct plan_options *o,
	const struct plan *p, struct plan_row *r)
{
	struct load_params *lp = &r->params;
	uint32_t block = t->logical_block ? t->logical_block : 512;

	battery_row_params(r->row, lp);
	if (o->bs)
		lp->bs = o->bs;
	lp->rate_iops = o->rate_iops;
	lp->filename = t->given;
	lp->buffer_align = block;
	lp->randseed = o->randseed;
	lp->zero_buffers = o->zero_buffers;
	if (o->runtime_ns)
		lp->runtime_ns = o->runtime_ns;
	if (o->write_cache == PLAN_CACHE_BOTH)
		lp->runtime_ns /= p->battery->shares_time && !o->runtime_ns ? PLAN_LEGS :
			PLAN_LEGS / 2;
	if (r->row->kind == ROW_SPAN) {
		lp->offset = p->offset;
		lp->size = r->row->size && r->row->size < p->size ? r->row->size : p->size;
	} else if (r->row->kind == ROW_SEGMENTS) {
		lp->size = SEGMENT_BYTES;
	}
	lp->size = lp->size / lp->bs * lp->bs; /* as fio: no partial block at the end */
	r->applicable = true;
	if (lp->direct && lp->bs % block)
		not_applicable(r, "direct I/O of %" PRIu32
			" B is below the logical block of %" PRIu32 " B", lp->bs, block);
	else if (lp->rw == RW_RANDREAD && r->row->kind == ROW_SPAN && r->row->size > p->size)
		not_applicable(r, "its span of %" PRIu64 " MiB is larger than the target",
			r->row->size >> 20);
	else if (!battery_row_fits(r->row, t->kind))
		not_applicable(r, "needs %s", t->kind == TARGET_DIR ? "a block device" :
			"a directory");
	r->buffer_bytes = load_buffer_bytes(lp);
}

static int add_rows(const struct target *t, const struct plan_options *o, struct plan *p,
	struct err *reterr)
{
	const struct battery *b = p->battery;
	bool fits = false;

	p->rows = calloc(b->row_count, sizeof(*p->rows));
	if (!p->rows)
		return err_nomem(reterr);
	for (size_t i = 0; i < b->row_count; i++) {
		struct plan_row *r = &p->rows[p->row_count];

		fits = fits || battery_row_fits(&b->rows[i], t->kind);
		/* Rows of the other kind of target are left out unless they were asked for. */
		if (!wanted(o, b->rows[i].key) ||
			(!o->row_count && !battery_row_fits(&b->rows[i], t->kind)))
			continue;
		r->row = &b->rows[i];
		plan_row_set(t, o, p, r);
		p->row_count++;
		p->applicable_count += r->applicable;
	}
	if (!fits)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: battery %s needs a directory; give a directory on the drive, or "
			"--battery %s", t->given, b->name, battery_default(t->kind)->name);
	return 0;
}

/* The smallest span on which every row of the plan has at least one block a place in flight.
 * @given: the span's size was an option */
static int check_minimum(const struct target *t, const struct plan *p, bool given,
	struct err *reterr)
{
	uint64_t least = 0;

	for (size_t i = 0; i < p->row_count; i++) {
		const struct plan_row *r = &p->rows[i];
		uint64_t need = (uint64_t)r->params.bs * r->params.iodepth;

		if (r->row->size)
			need = r->row->size;
		if (r->applicable && r->row->kind == ROW_SPAN && need > least)
			least = need;
	}
	if (p->size >= least)
		return 0;
	return err_set(reterr, ERR_USAGE, -EINVAL,
		"%s: too small: the span is %" PRIu64 " bytes, battery %s needs at least %" PRIu64
		"; %s", t->given, p->size, p->battery->name, least,
		given ? "give a larger --size" :
			"use a larger target, or name rows that fit with --row");
}

/* -- sums ----------------------------------------------------------------------------------- */

/* Capacity behind a directory: what an assumed cache is a share of. 0: unknown. */
static uint64_t capacity(const struct target *t)
{
	struct statvfs st;

	if (t->kind == TARGET_BLOCK)
		return t->size_bytes;
	if (statvfs(t->path, &st) < 0)
		return 0;
	return (uint64_t)st.f_blocks * st.f_frsize;
}

static void set_fill(const struct target *t, const struct plan_options *o, struct plan *p)
{
	uint64_t cap, slc = o->slc_bytes;

	p->fill = o->fill;
	if (!o->fill)
		return;
	p->slc_assumed = slc == PLAN_SLC_ASSUMED;
	if (p->slc_assumed) {
		cap = capacity(t);
		slc = cap ? cap / PLAN_SLC_SHARE : PLAN_SLC_CAP;
		slc = slc < PLAN_SLC_CAP ? slc : PLAN_SLC_CAP;
	}
	p->slc_bytes = slc;
	p->fill_bytes = fill_lap_bytes(p->size, 2 * slc);
}

/* Scratch space and what is written into it before anything is measured. */
static void set_space(const struct target *t, struct plan *p)
{
	bool span = p->fill, segments = false, over = false;
	uint64_t lap = 0;

	for (size_t i = 0; i < p->row_count; i++) {
		const struct plan_row *r = &p->rows[i];

		if (!r->applicable)
			continue;
		span = span || r->row->kind == ROW_SPAN;
		segments = segments || r->row->kind == ROW_SEGMENTS;
		over = over || r->row->kind == ROW_OVERWRITE;
		if (r->row->kind == ROW_FIRST_LAP || r->row->kind == ROW_OVERWRITE)
			lap = r->row->size;
	}
	/* An existing file may have holes, which cost an allocation to write and nothing to
	 * read. */
	if (t->kind != TARGET_BLOCK && span)
		p->layout_bytes += p->fill ? 0 : p->size; /* filling lays out as well */
	if (t->kind != TARGET_DIR)
		return;
	p->space_bytes += span ? p->size : 0;
	if (segments)
		p->space_bytes += (SEGMENTS_KEPT + 1) * SEGMENT_BYTES;
	p->space_bytes += lap;
	/* Without the first-lap row, or where that row runs out of time, the rest is laid out. */
	if (over)
		p->layout_bytes += lap;
}

static int set_sums(const struct target *t, const struct plan_options *o, struct plan *p,
	struct err *reterr)
{
	set_fill(t, o, p);
	set_space(t, p);
	p->write_bytes = p->layout_bytes + p->fill_bytes;
	p->seconds_at_most = (double)p->write_bytes / PLAN_SLOWEST_BYTES_S;
	for (size_t i = 0; i < p->row_count; i++) {
		struct plan_row *r = &p->rows[i];

		if (!r->applicable)
			continue;
		r->write_bytes = p->legs * row_write_bytes(p, r);
		p->write_bytes += r->write_bytes;
		p->seconds += p->legs * (double)r->params.runtime_ns / 1e9;
		if (r->buffer_bytes > p->buffer_bytes)
			p->buffer_bytes = r->buffer_bytes;
	}
	p->seconds_at_most += p->seconds;
	p->endurance_share = (double)p->write_bytes / o->rated_tbw_bytes;
	if (t->kind == TARGET_DIR && p->space_bytes > t->size_bytes)
		return err_set(reterr, ERR_DEVICE, -ENOSPC,
			"%s: scratch files need %" PRIu64 " bytes, %" PRIu64
			" are free; free space or give a smaller --size", t->given, p->space_bytes,
			t->size_bytes);
	return 0;
}

int plan_make(const struct target *t, const struct plan_options *o, struct plan *ret,
	struct err *reterr)
{
	struct plan p = { .battery = o->battery ? o->battery : battery_default(t->kind),
		.kind = t->kind, .zero_buffers = o->zero_buffers, .randseed = o->randseed,
		.endurance_share = NAN, .write_cache = o->write_cache,
		.legs = o->write_cache == PLAN_CACHE_BOTH ? PLAN_LEGS : 1 };
	int r;

	set_link(&p, t);
	r = check_row_names(o, p.battery, reterr);
	if (r == 0)
		r = set_span(t, o, &p, reterr);
	if (r == 0)
		r = add_rows(t, o, &p, reterr);
	if (r == 0)
		r = check_minimum(t, &p, o->size != 0, reterr);
	if (r == 0)
		r = set_sums(t, o, &p, reterr);
	if (r < 0) {
		plan_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}

void plan_done(struct plan *p)
{
	free(p->rows);
	p->rows = NULL;
	p->row_count = 0;
}

static struct json *row_to_json(const struct plan *p, const struct plan_row *r)
{
	char fio[BATTERY_FIO_MAX];
	struct json *j = json_new_object();

	if (!j)
		return NULL;
	(void)json_set_str(j, "key", r->row->key);
	(void)json_set_str(j, "label", r->row->label);
	(void)json_set_str(j, "fio", battery_row_fio(r->row, fio, sizeof(fio)));
	(void)json_set_bool(j, "applicable", r->applicable);
	(void)json_set(j, "why_not", json_new_str(r->applicable ? NULL : r->why));
	(void)json_set_f64(j, "seconds", p->legs * (double)r->params.runtime_ns / 1e9);
	(void)json_set_u64(j, "legs", p->legs);
	(void)json_set_u64(j, "write_bytes_at_most", r->write_bytes);
	(void)json_set_u64(j, "buffer_bytes", r->buffer_bytes);
	return j;
}

struct json *plan_to_json(const struct plan *p)
{
	struct json *j = json_new_object(), *rows = json_new_array();

	if (!j || !rows) {
		json_free(j);
		json_free(rows);
		return NULL;
	}
	for (size_t i = 0; i < p->row_count; i++)
		(void)json_append(rows, row_to_json(p, &p->rows[i]));
	(void)json_set_str(j, "battery", p->battery->name);
	(void)json_set_str(j, "write_cache", plan_cache_word(p->write_cache));
	(void)json_set(j, "rows", rows);
	(void)json_set_u64(j, "offset", p->offset);
	(void)json_set_u64(j, "size", p->size);
	(void)json_set_f64(j, "seconds", p->seconds);
	(void)json_set_f64(j, "seconds_at_most", p->seconds_at_most);
	(void)json_set_u64(j, "layout_bytes", p->layout_bytes);
	(void)json_set_u64(j, "fill_bytes", p->fill_bytes);
	(void)json_set(j, "slc_cache_bytes", p->fill ? json_new_u64(p->slc_bytes) :
		json_new_null());
	(void)json_set(j, "slc_cache_assumed", p->fill ? json_new_bool(p->slc_assumed) :
		json_new_null());
	(void)json_set_u64(j, "write_bytes_at_most", p->write_bytes);
	(void)json_set_f64(j, "write_rate_assumed_bytes_s", p->link_bytes_s);
	(void)json_set_str(j, "write_rate_source", p->link_source);
	(void)json_set_f64(j, "endurance_share", p->endurance_share);
	(void)json_set_u64(j, "buffer_bytes", p->buffer_bytes);
	(void)json_set_u64(j, "space_bytes", p->space_bytes);
	return j;
}
