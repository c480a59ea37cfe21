/* rbd_session.c - carry out the battery `rbd` on a site, into a result document. */
#include "probes/rbd_session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "probes/noise.h"
#include "probes/rbd_calm.h"
#include "probes/rbd_note.h"
#include "probes/rbd_probe.h"

/* Deeper by a step, and not a tenth more, twice in a row: the cluster has no more to give. Once may
 * be a disturbance. */
#define SWEEP_GAIN 1.10
#define SWEEP_FLAT 2
#define BASELINE_S 1.0

struct session {
	const struct rbd_site *site;
	const struct rbd_run *run;
	const struct rbd_watch *watch;
	struct result *res;
	struct rbd_ground ground;
	struct rbd_image *image;
	struct rbd_calm *calm;
	atomic_bool halt;       /* the user's stop, or the cluster's latency */
	uint64_t written;       /* bytes, the filling included */
	double left_s;          /* of the rows that follow */
	double best_iops;       /* of the depths so far; 0: none */
	unsigned flat_steps;    /* of the sweep, in a row */
	bool sweep_over, held;  /* held: I/O that did not come back keeps the image open */
};

/* -- the run's figures ---------------------------------------------------------------------- */

uint64_t rbd_run_row_ns(const struct rbd_run *run)
{
	return run->runtime_ns ? run->runtime_ns : run->impact->row_ns;
}

uint64_t rbd_run_span(const struct rbd_run *run)
{
	return run->span_bytes ? run->span_bytes : run->impact->span_bytes;
}

bool rbd_run_wants(const struct rbd_run *run, const struct rbd_row *row)
{
	if (row->depth > run->impact->depth)
		return false;
	for (size_t i = 0; i < run->row_count; i++)
		if (!strcmp(run->rows[i], row->key))
			return true;
	return run->row_count == 0;
}

int rbd_run_check(const struct rbd_run *run, struct err *reterr)
{
	for (size_t i = 0; i < run->row_count; i++) {
		const struct rbd_row *row = rbd_row_find(run->rows[i]);

		if (!row)
			return err_set(reterr, ERR_USAGE, -EINVAL, "--row %s: no row of the battery "
				"rbd; `ssdqual run --dry-run rbd:POOL` lists them", run->rows[i]);
		if (row->depth > run->impact->depth)
			return err_set(reterr, ERR_USAGE, -EINVAL, "--row %s: deeper than impact %s "
				"allows (%u); see --impact", row->key, run->impact->name,
				run->impact->depth);
	}
	if (rbd_run_span(run) % RBD_SPAN_UNIT)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--size: whole MiB on an image");
	if (rbd_run_span(run) > run->impact->write_bytes)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--size: more than impact %s may write "
			"(%llu MiB)", run->impact->name,
			(unsigned long long)(run->impact->write_bytes >> 20));
	return 0;
}

/* -- stopping ------------------------------------------------------------------------------- */

static bool stop_asked(const struct session *s)
{
	return s->watch->stop && atomic_load(s->watch->stop);
}

static int stopped(struct err *reterr)
{
	return err_set(reterr, ERR_STOPPED, -EINTR,
		"stopped by a signal; what was measured is kept");
}

/* The load watches one flag: the user's stop goes into it here, once a second. */
static void on_tick(void *ctx, const struct load_tick *t)
{
	struct session *s = ctx;

	if (stop_asked(s))
		atomic_store(&s->halt, true);
	if (s->watch->tick)
		s->watch->tick(s->watch->ctx, t);
}

static void begin(struct session *s, const char *what, double seconds)
{
	if (s->watch->begin)
		s->watch->begin(s->watch->ctx, what, seconds, s->left_s);
}

/* -- rows ----------------------------------------------------------------------------------- */

static uint64_t writes_left(const struct session *s)
{
	uint64_t cap = s->run->impact->write_bytes;

	return s->written < cap ? (cap - s->written) / RBD_BLOCK : 0;
}

static int keep(struct session *s, struct measurement *m, struct err *reterr)
{
	if (strstr(m->probe, "read") == NULL)
		s->written += m->bytes;
	if (!strcmp(m->stop ? m->stop : "", "signal") && !stop_asked(s)) {
		char *word = strdup("cluster-latency");

		if (!word) {
			measurement_free(m);
			return err_nomem(reterr);
		}
		free(m->stop);
		m->stop = word;
	}
	if (s->watch->row_end)
		s->watch->row_end(s->watch->ctx, m);
	return result_take_measurement(s->res, m) < 0 ? err_nomem(reterr) : 0;
}

static int judge(struct session *s, const char *key, const char *error, struct err *reterr)
{
	if (rbd_image_is_held(s->image)) {
		s->held = true;
		return err_set(reterr, ERR_DEVICE, -EIO, "row %s: the cluster does not answer: I/O "
			"in flight did not come back", key);
	}
	if (stop_asked(s))
		return stopped(reterr);
	if (error)
		return err_set(reterr, ERR_DEVICE, -EIO, "row %s: %s", key, error);
	return 0;
}

static int run_load(struct session *s, const struct rbd_row *row, struct err *reterr)
{
	struct load_watch watch = { .tick = on_tick, .ctx = s, .stop = &s->halt };
	struct measurement *m = measurement_new("rbd", row->key, row->label);
	struct noise_snapshot before, after;
	struct load_params p;
	char error[256] = "";
	int r;

	if (!m)
		return err_nomem(reterr);
	rbd_row_params(row, s->ground.span, rbd_run_row_ns(s->run), s->run->randseed, &p);
	p.image = s->image;
	p.filename = s->site->spec.pool;
	p.io_limit = p.rw == RW_RANDREAD ? 0 : writes_left(s);
	noise_take("", 0, &before);
	r = load_run(&p, &watch, m, reterr);
	if (r < 0) {
		measurement_free(m);
		return err_prefix(reterr, "row %s", row->key);
	}
	noise_take("", 0, &after);
	m->noise = noise_between(&before, &after, 0, 0, true, true);
	m->write_cache = WC_NONE;
	if (row->depth > 1) {
		s->flat_steps = m->iops < s->best_iops * SWEEP_GAIN ? s->flat_steps + 1 : 0;
		s->sweep_over = s->flat_steps >= SWEEP_FLAT;
		s->best_iops = fmax(s->best_iops, m->iops);
	} else if (!strcmp(row->key, "write-4k")) {
		s->best_iops = m->iops;
	}
	(void)snprintf(error, sizeof(error), "%.255s", m->error ? m->error : "");
	r = keep(s, m, reterr);
	return r < 0 ? r : judge(s, row->key, error[0] ? error : NULL, reterr);
}

static int run_probe(struct session *s, const struct rbd_row *row, struct err *reterr)
{
	struct measurement *m[RBD_PROBE_MAX];
	size_t n = 0;
	struct rbd_probe p = { .row = row, .image = s->image,
		.header_id = row->kind == RBD_ROW_IMAGE_META ? s->site->facts.id :
			s->ground.facts.id,
		.runtime_ns = rbd_run_row_ns(s->run), .span = s->ground.span,
		.io_limit = row->kind == RBD_ROW_REFRESH ? writes_left(s) / 2 : 0,
		.randseed = s->run->randseed, .stop = { &s->halt, s->watch->stop } };
	struct err e = ERR_INIT;
	int r = 0, code;

	/* The header is the named image's, in its pool. */
	if (row->kind == RBD_ROW_IMAGE_META)
		p.image = s->site->image;
	code = rbd_probe_run(&p, m, &n, &e);
	for (size_t i = 0; i < n; i++) {
		int k = keep(s, m[i], reterr);

		r = r < 0 ? r : k;
	}
	if (r < 0)
		return r;
	if (code < 0 && !stop_asked(s)) {
		if (reterr)
			*reterr = e;
		return code;
	}
	return judge(s, row->key, NULL, reterr);
}

/* Why a row that is wanted cannot run or need not; NULL: it runs. */
static const char *reason_to_skip(const struct session *s, const struct rbd_row *row)
{
	bool writes = (row->kind == RBD_ROW_LOAD && row->rw != RW_RANDREAD) ||
		row->kind == RBD_ROW_REFRESH;

	if (row->kind == RBD_ROW_IMAGE_META && (!s->site->image || !s->ground.scratch.name[0]))
		return "there is no other image";
	if (writes && writes_left(s) < 16)
		return "the bytes that this impact may write are used up";
	if (row->depth > 1 && s->sweep_over)
		return "the two depths before it gained less than a tenth: the concurrency limit";
	return NULL;
}

static int run_row(struct session *s, const struct rbd_row *row, struct err *reterr)
{
	const char *why = reason_to_skip(s, row);
	double seconds = (double)rbd_run_row_ns(s->run) / 1e9;
	char text[320];
	int r;

	s->left_s -= seconds;
	if (why) {
		(void)snprintf(text, sizeof(text), "%s: not run: %s", row->key, why);
		return result_add_finding(s->res, "not-applicable", text, "probes/rbd_session.c") ?
			err_nomem(reterr) : 0;
	}
	rbd_calm_forget(s->calm);
	atomic_store(&s->halt, stop_asked(s));
	begin(s, row->label, seconds);
	r = row->kind == RBD_ROW_LOAD ? run_load(s, row, reterr) : run_probe(s, row, reterr);
	if (r == 0 && rbd_calm_is_disturbed(s->calm)) {
		s->sweep_over = true;
		(void)snprintf(text, sizeof(text), "%s: ended early: a read beside it took more than "
			"%.3g x the %.3g ms of before", row->key, s->run->latency_stop,
			rbd_calm_baseline_ns(s->calm) / 1e6);
		if (result_add_finding(s->res, "cluster-latency", text, "probes/rbd_calm.h"))
			return err_nomem(reterr);
		/* At depth 1 it is not us: the cluster is busy with others, or ill. */
		if (row->depth == 1)
			r = err_set(reterr, ERR_UNSURE, -EAGAIN, "%s; what was measured is kept, try "
				"again when the cluster is at rest (--latency-stop)", text);
	}
	return r;
}

static int run_rows(struct session *s, struct err *reterr)
{
	int r = 0;

	s->left_s = 0;
	for (size_t i = 0; i < RBD_ROW_COUNT; i++)
		if (rbd_run_wants(s->run, &rbd_rows[i]))
			s->left_s += (double)rbd_run_row_ns(s->run) / 1e9;
	begin(s, "baseline", BASELINE_S);
	r = rbd_calm_begin(&s->site->conn, &s->site->spec, s->ground.name, s->ground.span,
		s->run->latency_stop, &s->halt, &s->calm, reterr);
	for (size_t i = 0; i < RBD_ROW_COUNT && r == 0; i++) {
		if (stop_asked(s))
			r = stopped(reterr);
		else if (rbd_run_wants(s->run, &rbd_rows[i]))
			r = run_row(s, &rbd_rows[i], reterr);
	}
	return r;
}

static int note_calm(struct session *s, struct err *reterr)
{
	struct json *settings = result_section(s->res, "settings");

	if (!s->calm)
		return 0;
	return json_set_f64(settings, "baseline_read_ns", rbd_calm_baseline_ns(s->calm)) ||
		json_set_f64(settings, "worst_read_ns", rbd_calm_worst_ns(s->calm)) ?
		err_nomem(reterr) : 0;
}

/* -- the whole ------------------------------------------------------------------------------ */

static int prepare(struct session *s, struct err *reterr)
{
	struct load_watch watch = { .tick = on_tick, .ctx = s, .stop = s->watch->stop };
	int r = rbd_note_settings(s->res, s->run, "rbd", reterr);

	if (r == 0)
		r = rbd_note_target(s->res, s->site, NULL, reterr);
	if (r == 0)
		r = rbd_note_leftovers(s->res, s->site, reterr);
	if (r == 0)
		r = rbd_ground_make(s->site, s->run->existing, rbd_run_span(s->run), &s->ground,
			reterr);
	if (r == 0)
		r = rbd_ground_open(s->site, &s->site->conn, rbd_no_cache, rbd_no_cache_count,
			&s->ground, &s->image, reterr);
	if (r == 0)
		r = rbd_note_target(s->res, s->site, &s->ground, reterr);
	if (r < 0)
		return r;
	begin(s, "filling", 0);
	r = rbd_ground_fill(&s->ground, s->image, s->run->randseed, &watch, reterr);
	s->written = s->ground.span;
	return r;
}

/* Close and remove; what is left is said, and becomes the error where there is no other. */
static int clean_up(struct session *s, int code, struct err *reterr)
{
	struct err e = ERR_INIT;
	char text[3 * RBD_WORD_MAX];
	int r = 0;

	s->held = s->held || rbd_image_is_held(s->image);
	rbd_calm_end(s->calm);
	if (s->held)
		r = s->ground.scratch.name[0] ? err_set(&e, ERR_DEVICE, -EBUSY, "scratch image %s "
			"is left: its I/O did not come back; remove it with: rbd rm %s",
			s->ground.name, rbd_spec_text(&s->ground.scratch.spec, s->ground.name, text,
				sizeof(text))) : 0;
	(void)rbd_image_close(s->image); /* held: the other reference keeps it */
	if (!s->held)
		r = rbd_ground_drop(s->site, &s->ground, &e);
	if (r == 0)
		return code;
	if (result_add_finding(s->res, "scratch-image-left", e.msg, "rbd_remove()"))
		return err_nomem(reterr);
	if (code == 0 && reterr)
		*reterr = e;
	return code < 0 ? code : r;
}

int rbd_session_run(const struct rbd_site *site, const struct rbd_run *run,
	const struct rbd_watch *watch, struct result *res, struct err *reterr)
{
	static const struct rbd_watch nobody;
	struct session s = { .site = site, .run = run, .watch = watch ? watch : &nobody,
		.res = res };
	const char *ended;
	int r;

	atomic_init(&s.halt, false);
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* else every pause is 50 us too long */
	r = prepare(&s, reterr);
	if (r == 0)
		r = run_rows(&s, reterr);
	if (r == 0)
		r = note_calm(&s, reterr);
	else
		(void)note_calm(&s, NULL); /* the first error counts */
	ended = r == 0 ? "complete" : r == -EINTR ? "signal" :
		r == -EAGAIN ? "cluster-latency" : "error";
	r = clean_up(&s, r, reterr);
	(void)prctl(PR_SET_TIMERSLACK, 0UL, 0, 0, 0);
	if (rbd_note_end(res, ended, r < 0 ? NULL : reterr) < 0 && r == 0)
		r = -ENOMEM;
	return r;
}
