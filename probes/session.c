/* session.c - carry out a plan, row by row, into a result document. */
#include "probes/session.h"

#include "probes/fill.h"
#include "probes/scratch.h"
#include "probes/session_cache.h"
#include "probes/session_note.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct session {
	const struct target *t;
	const struct plan *p;
	struct cacheguard *guard; /* NULL: the drive's cache cannot be asked */
	const struct session_watch *watch;
	struct load_watch load_watch;
	struct result *res;
	int fd;         /* the device, file or scratch file; -1: none */
	bool fd_owned;
	uint32_t align; /* for direct I/O on fd */
	int lap_fd;     /* the file of the lap rows; -1: none yet */
	bool lap_written;
	bool filled;
	struct segments segments; /* of the row that goes on */
};

static bool stop_asked(const struct session *s)
{
	return s->watch->stop && atomic_load(s->watch->stop);
}

static int stopped(struct err *reterr)
{
	return err_set(reterr, ERR_STOPPED, -EINTR,
		"stopped by a signal; what was measured is kept");
}

/* -- preparing ------------------------------------------------------------------------------ */

/* Write @bytes into what @fd is (any number of laps of [offset, offset + size)). */
static int write_span(struct session *s, int fd, bool direct, uint64_t offset, uint64_t size,
	uint64_t bytes, const char *what, struct err *reterr)
{
	struct fill f = { .engine = direct ? "libaio" : "sync", .filename = s->t->given,
		.offset = offset, .size = size, .bytes = bytes, .direct = direct,
		.align = s->align, .zero_buffers = s->p->zero_buffers,
		.randseed = s->p->randseed };
	uint64_t written = 0;
	int r;

	if (s->watch->fill_begin)
		s->watch->fill_begin(s->watch->ctx, what, fill_lap_bytes(size, bytes));
	r = scratch_reopen(fd, s->t->given, O_WRONLY | (direct ? O_DIRECT : 0), &f.fd, reterr);
	if (r < 0)
		return r;
	r = fill_run(&f, &s->load_watch, &written, reterr);
	(void)close(f.fd);
	/* also where a slow drive did not finish what was in flight when it was stopped */
	return stop_asked(s) ? stopped(reterr) : r;
}

static bool needs_span(const struct plan *p)
{
	for (size_t i = 0; i < p->row_count; i++)
		if (p->rows[i].applicable && p->rows[i].row->kind == ROW_SPAN)
			return true;
	return p->fill;
}

/* The scratch file of a directory. */
static int open_scratch(struct session *s, struct err *reterr)
{
	int r = scratch_open(s->t->path, &s->fd, reterr);

	if (r < 0)
		return r;
	s->fd_owned = true;
	return scratch_allocate(s->fd, s->t->given, s->p->size, reterr);
}

static int check_direct(struct session *s, struct err *reterr)
{
	s->align = scratch_dio_align(s->fd, s->align);
	if (s->align)
		return 0;
	return err_set(reterr, ERR_UNSUPPORTED, -EINVAL,
		"%s: no direct I/O on %s; use another folder or the device itself", s->t->given,
		s->t->fs_type ? s->t->fs_type : "this file system");
}

/* All of a file is written before anything is measured: an overwrite of a block that was only
 * allocated costs a journal commit, a read of one never reaches the drive. */
static int prepare(struct session *s, struct err *reterr)
{
	const struct plan *p = s->p;
	bool layout = s->t->kind != TARGET_BLOCK && needs_span(p);
	int r = 0;

	if (layout && s->t->kind == TARGET_DIR)
		r = open_scratch(s, reterr);
	if (r == 0 && layout)
		r = check_direct(s, reterr);
	if (r == 0 && (p->fill || layout))
		r = write_span(s, s->fd, true, p->offset, p->size, p->fill ? p->fill_bytes : 0,
			p->fill ? "fill" : "layout", reterr);
	s->filled = r == 0 && p->fill;
	return r;
}

/* -- rows ----------------------------------------------------------------------------------- */

static int open_lap(struct session *s, const struct plan_row *row, struct err *reterr)
{
	int r = 0;

	if (s->lap_fd < 0 || row->row->kind == ROW_FIRST_LAP) {
		if (s->lap_fd >= 0)
			(void)close(s->lap_fd);
		s->lap_fd = -1;
		s->lap_written = false;
		r = scratch_open(s->t->path, &s->lap_fd, reterr);
		if (r == 0)
			r = scratch_allocate(s->lap_fd, s->t->given, row->row->size, reterr);
	}
	if (r == 0 && row->row->kind == ROW_OVERWRITE && !s->lap_written) {
		r = write_span(s, s->lap_fd, false, 0, row->row->size, 0, "layout", reterr);
		s->lap_written = r == 0;
	}
	return r;
}

/* Older dirty data, ours and other people's, would be written back during the row. */
static void settle(const struct session *s, int fd)
{
	if (s->t->kind == TARGET_DIR)
		(void)syncfs(fd); /* best effort: the row's own syncs report errors */
	else
		(void)fsync(fd);
}

static int measure(struct session *s, const struct plan_row *row, struct load_params *lp,
	struct measurement *m, struct err *reterr)
{
	int r, fd = -1, base = row->row->kind == ROW_SPAN ? s->fd : s->lap_fd;

	segments_init(&s->segments, s->t->path, SEGMENT_BYTES);
	if (row->row->kind == ROW_SEGMENTS) {
		r = segments_next(&s->segments, &lp->fd, reterr);
		lp->files = &s->segments.source;
	} else {
		r = scratch_reopen(base, s->t->given, load_open_flags(lp), &fd, reterr);
		lp->fd = fd;
	}
	if (r == 0) {
		settle(s, lp->fd);
		r = session_note_run(s->t, lp, &s->load_watch, m, reterr);
	}
	if (fd >= 0)
		(void)close(fd);
	segments_done(&s->segments);
	return r;
}

/* What the end of a row means for the session: 0 to go on. */
static int judge_stop(const struct session *s, const struct measurement *m, struct err *reterr)
{
	const char *stop = m->stop ? m->stop : "";

	if (!strcmp(stop, "device-gone"))
		return err_set(reterr, ERR_DEVICE, -ENODEV, "%s: row %s: the device is gone",
			s->t->given, m->probe);
	if (!strcmp(stop, "error") && !stop_asked(s))
		return err_set(reterr, ERR_DEVICE, -EIO, "%s: row %s: %s", s->t->given, m->probe,
			m->error ? m->error : "I/O error");
	if (!strcmp(stop, "signal") || stop_asked(s))
		return stopped(reterr);
	return 0;
}

/* @leg: from 0 */
static int run_row(struct session *s, const struct plan_row *row, unsigned leg,
	struct err *reterr)
{
	struct load_params lp = row->params;
	struct measurement *m;
	int r = 0;

	if (row->row->kind == ROW_SPAN)
		lp.buffer_align = s->align;
	if (lp.direct && lp.bs % s->align)
		return session_note_skipped(s->res, row->row->key,
			"below the smallest direct I/O of this file system", reterr);
	if (row->row->kind == ROW_FIRST_LAP || row->row->kind == ROW_OVERWRITE)
		r = open_lap(s, row, reterr);
	if (r < 0)
		return r;
	m = measurement_new(s->p->battery->name, row->row->key, row->row->label);
	if (!m)
		return err_nomem(reterr);
	r = measure(s, row, &lp, m, reterr);
	if (r < 0) {
		measurement_free(m);
		return err_prefix(reterr, "row %s", row->row->key);
	}
	/* A lap that ran out of time leaves blocks that were never written. */
	if (row->row->kind == ROW_FIRST_LAP)
		s->lap_written = m->bytes >= lp.size;
	r = judge_stop(s, m, reterr);
	session_cache_note(s->guard, s->t, s->p, leg, m, s->res);
	if (s->watch->row_end)
		s->watch->row_end(s->watch->ctx, m);
	if (result_take_measurement(s->res, m) < 0)
		return err_nomem(reterr);
	return r;
}

static int run_legs(struct session *s, const struct plan_row *row, size_t *number,
	struct err *reterr)
{
	int r = 0;

	for (unsigned leg = 0; leg < s->p->legs && r == 0; leg++) {
		if (stop_asked(s))
			return stopped(reterr);
		r = session_cache_set(s->guard, s->p, leg, reterr);
		if (r < 0)
			return err_prefix(reterr, "row %s", row->row->key);
		if (s->watch->row_begin)
			s->watch->row_begin(s->watch->ctx, row,
				write_cache_word(session_cache_state(s->guard, s->t)), ++*number,
				s->p->applicable_count * s->p->legs);
		/* Whatever ends a row before its time because its figures are certain enough does
		 * so from load_watch.tick, where they arrive, by way of load_watch.stop. */
		r = run_row(s, row, leg, reterr);
	}
	return r;
}

static int run_rows(struct session *s, struct err *reterr)
{
	size_t number = 0;

	for (size_t i = 0; i < s->p->row_count; i++) {
		const struct plan_row *row = &s->p->rows[i];
		int r = row->applicable ? run_legs(s, row, &number, reterr) :
			session_note_skipped(s->res, row->row->key, row->why, reterr);

		if (r < 0)
			return r;
	}
	return 0;
}

int session_run(const struct target *t, const struct plan *p, int fd, struct cacheguard *guard,
	const struct session_watch *watch, struct result *res, struct err *reterr)
{
	static const struct session_watch nobody;
	struct session s = { .t = t, .p = p, .guard = guard, .watch = watch ? watch : &nobody,
		.res = res, .fd = fd, .lap_fd = -1,
		.align = t->logical_block ? t->logical_block : 512 };
	struct err noted = ERR_INIT;
	int r, n;

	s.load_watch = (struct load_watch){ .tick = s.watch->tick, .ctx = s.watch->ctx,
		.stop = s.watch->stop };
	r = session_note_begin(res, t, p, reterr);
	if (r == 0)
		r = session_cache_begin(guard, p, res, reterr);
	if (r == 0)
		r = prepare(&s, reterr);
	if (r == 0)
		r = run_rows(&s, reterr);
	r = session_cache_restore(guard, res, r, reterr);
	n = session_note_end(res, p, s.filled, r, &noted);
	if (s.lap_fd >= 0)
		(void)close(s.lap_fd);
	if (s.fd_owned)
		(void)close(s.fd);
	if (r == 0 && n < 0) {
		if (reterr)
			*reterr = noted;
		return n;
	}
	return r;
}
