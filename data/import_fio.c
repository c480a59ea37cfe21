/* import_fio.c - fio --output-format=json, json+: one result document a run, one measurement a job
 * and direction. What fio's figures mean is decided in fio_figures.c, what they answer in
 * fio_row.c. */
#include "data/import.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/fio_figures.h"
#include "data/units.h"

static bool recognises(const struct json *doc)
{
	return fio_recognise(doc);
}

/* -- intervals of one run ---------------------------------------------------------------------- */

static bool same_text(const struct json *a, const struct json *b)
{
	char *x = a ? json_print(a, false) : NULL, *y = b ? json_print(b, false) : NULL;
	bool same = a && b ? x && y && strcmp(x, y) == 0 : a == b;

	free(x);
	free(y);
	return same;
}

static const struct json *jobs_of(const struct json *doc)
{
	const struct json *list = json_get(doc, "jobs");

	return list ? list : json_get(doc, "client_stats");
}

/* --status-interval prints the whole document again and again, each newer than the one before. */
static bool continues(const struct json *earlier, const struct json *later)
{
	const struct json *a = json_first(jobs_of(earlier)), *b = json_first(jobs_of(later));
	double before = 0, after = 0, left = 0;

	if (!same_text(json_get(earlier, "fio version"), json_get(later, "fio version")) ||
		!same_text(json_get(earlier, "global options"), json_get(later, "global options")))
		return false;
	(void)json_f64(json_get(a, "eta"), &left); /* of the first job: 0 where it was over */
	(void)json_f64(json_get(earlier, "timestamp"), &before);
	(void)json_f64(json_get(later, "timestamp"), &after);
	if (after < before || left <= 0)
		return false;
	for (; a && b; a = json_next(a), b = json_next(b))
		if (!same_text(json_get(a, "jobname"), json_get(b, "jobname")) ||
			!same_text(json_get(a, "job options"), json_get(b, "job options")))
			return false;
	return true;
}

/* -- what a job was asked to do ----------------------------------------------------------------- */

static const char *const kept_options[] = { "filename", "directory", "pool", "rbdname",
	"clientname" };

static struct json *str_or_null(const char *s)
{
	return json_new_str(s);
}

static int put_params(struct measurement *m, const struct fio_job *job, const struct fio_plan *p,
	uint64_t bs)
{
	struct json *o = m->params;
	int bad = 0;

	bad |= json_set_str(o, "ioengine", p->engine);
	bad |= json_set(o, "rw", str_or_null(p->rw));
	bad |= json_set(o, "bs", bs ? json_new_u64(bs) : json_new_null());
	bad |= json_set_u64(o, "iodepth", p->depth);
	bad |= json_set_u64(o, "numjobs", p->jobs > job->entries ? p->jobs : job->entries);
	if (p->options_known) {
		bad |= json_set_bool(o, "direct", p->direct);
		bad |= json_set_str(o, "sync", p->sync);
		bad |= json_set_u64(o, "fsync", p->fsync);
		bad |= json_set_u64(o, "fdatasync", p->fdatasync);
		bad |= json_set_bool(o, "zero_buffers", p->zero_buffers);
	}
	if (p->size)
		bad |= json_set_u64(o, "size", p->size);
	if (p->runtime_ns)
		bad |= json_set_u64(o, "runtime", p->runtime_ns);
	if (p->thinktime_ns)
		bad |= json_set_u64(o, "thinktime", p->thinktime_ns);
	if (p->rate_iops)
		bad |= json_set_u64(o, "rate_iops", p->rate_iops);
	for (size_t i = 0; i < sizeof(kept_options) / sizeof(kept_options[0]); i++)
		if (fio_option(&job->options, kept_options[i]))
			bad |= json_set_str(o, kept_options[i],
				fio_option(&job->options, kept_options[i]));
	return bad ? -ENOMEM : 0;
}

/* The section `import` of a measurement. */
static int put_import(struct measurement *m, const struct fio_job *job, bool write,
	const struct fio_match *match, const struct fio_figures *f)
{
	struct json *o = json_new_object();
	int bad = 0;

	bad |= json_set_str(o, "job", job->name);
	bad |= json_set_str(o, "direction", write ? "write" : "read");
	bad |= json_set(o, "equivalent", match->row ? json_new_bool(true) : json_new_bool(false));
	bad |= json_set(o, "why", str_or_null(match->why[0] ? match->why : NULL));
	bad |= json_set(o, "lat_of", str_or_null(f->lat_of));
	bad |= json_set(o, "io_of", str_or_null(f->io_of));
	bad |= json_set(o, "sync", str_or_null(f->sync_of));
	bad |= json_set_f64(o, "writes_per_sync", match->writes_per_sync);
	bad |= json_set_f64(o, "implied_lat_ns", f->implied_ns);
	bad |= json_set_u64(o, "entries", job->entries);
	m->extra = json_new_object();
	bad |= json_set(m->extra, "import", o);
	return bad ? -ENOMEM : 0;
}

/* -- notes ------------------------------------------------------------------------------------- */

static const char *errno_name(uint64_t code)
{
	const char *name = code < 4096 ? strerrorname_np((int)code) : NULL;

	return name ? name : "unknown error";
}

static bool is_unaligned(const struct fio_plan *p)
{
	return p->direct && p->bs && p->bs % 512 != 0;
}

/* "O_DIRECT ..." for EINVAL, else "". */
static const char *hint(const struct fio_job *job, const struct fio_plan *p, char *buf, size_t len)
{
	const char *base = fio_option(&job->options, "kb_base"), *bs = fio_option(&job->options, "bs");
	bool decimal = base && strcmp(base, "1000") == 0;

	buf[0] = '\0';
	if (job->error != EINVAL)
		return buf;
	if (is_unaligned(p))
		(void)snprintf(buf, len, "; bs=%.20s is %" PRIu64 " bytes%s, not sector aligned: "
			"O_DIRECT needs a multiple of 512 or 4096", bs ? bs : "?", p->bs,
			decimal ? " with kb_base=1000" : "");
	else
		(void)snprintf(buf, len, "; O_DIRECT or the block size is not supported there");
	return buf;
}

static int note_job(struct result *r, const struct fio_job *job, const struct fio_plan *p)
{
	const char *shown = job->name;
	int bad = 0;

	if (job->eta_s)
		bad |= import_note(r, "not-finished", "job %s: incomplete run (eta %" PRIu64 "): the "
			"figures are those up to then", shown, job->eta_s);
	if (!p->options_known)
		bad |= import_note(r, "options-unknown", "job %s: its options are not in the file; "
			"fio's defaults are assumed (depth 1, psync, buffered)", shown);
	else if (!p->engine_known)
		bad |= import_note(r, "engine-assumed", "job %s: no ioengine in the file; psync, fio's "
			"default on Linux, is assumed", shown);
	if (p->depth_asked > p->depth)
		bad |= import_note(r, "iodepth-ignored", "job %s: iodepth=%" PRIu64 " has no effect "
			"with %s, which does one I/O at a time", shown, p->depth_asked, p->engine);
	if (job->has_trims)
		bad |= import_note(r, "trims", "job %s: its discards are left out", shown);
	if (job->total_err)
		bad |= import_note(r, "io-errors", "job %s: %" PRIu64 " I/Os failed", shown,
			job->total_err);
	if (p->zero_buffers)
		bad |= import_note(r, "zero-buffers", "job %s: wrote zeros, which drives and file "
			"systems may not store: no verdict", shown);
	return bad ? -ENOMEM : 0;
}

static int note_percentiles(struct result *r, const char *job, const char *what,
	const struct fio_lat *l)
{
	int bad = 0;

	if (l->present && l->has_pct && isnan(l->pct[LAT_P99]))
		bad |= import_note(r, "percentile-absent", "job %s: %s p99 is not available: the file "
			"lists %s (percentile_list); no other percentile stands in for it", job, what,
			l->keys);
	if (l->present && l->odd)
		bad |= import_note(r, "odd-figures", "job %s: some of the %s figures contradict each "
			"other (as a maximum of 0); those are taken as unknown", job, what);
	return bad ? -ENOMEM : 0;
}

static int note_figures(struct result *r, const struct fio_job *job, const struct fio_plan *p,
	bool write, const struct fio_figures *f)
{
	const struct fio_side *s = write ? &job->write : &job->read;
	const struct latency *io = f->write_lat.present ? &f->write_lat : &f->lat;
	const char *side = write ? "write" : "read";
	char clat[UNITS_BUF], slat[UNITS_BUF], implied[UNITS_BUF];
	int bad = 0;

	(void)units_format_ns(clat, sizeof(clat), s->clat.mean);
	(void)units_format_ns(slat, sizeof(slat), s->slat.mean);
	(void)units_format_ns(implied, sizeof(implied), f->implied_ns);
	if (f->clat_too_short)
		bad |= import_note(r, "clat-too-short", "job %s: clat (%.1f us) cannot be the device "
			"latency: the %s blocked in its submission (slat %s)%s%s", job->name,
			s->clat.mean / 1000, side, slat,
			p->depth == 1 && !p->paced ? "; the IOPS imply " : "",
			p->depth == 1 && !p->paced ? implied : "");
	else if (io->present && isnan(io->pct_ns[LAT_P50]) && s->clat.has_pct)
		bad |= import_note(r, "clat-only", "job %s: fio's percentiles are of clat, which leaves "
			"out %.0f %% of the %s's time, its submission (slat %s): not used; "
			"lat_percentiles=1 gives those of the whole", job->name, f->slat_share * 100,
			side, slat);
	if (job->entries > 1 && io->present && isnan(io->pct_ns[LAT_P50]))
		bad |= import_note(r, "summed-up", "job %s: %zu entries are summed up; percentiles "
			"cannot be (group_reporting gives them)", job->name, job->entries);
	bad |= note_percentiles(r, job->name, side, s->lat.has_pct ? &s->lat : &s->clat);
	if (write)
		bad |= note_percentiles(r, job->name, "sync", &job->sync);
	return bad ? -ENOMEM : 0;
}

/* -- measurements ------------------------------------------------------------------------------ */

/* Bytes of one I/O as they were, whatever the option's text means. */
static uint64_t block_bytes(const struct fio_side *s, const struct fio_plan *p)
{
	if (p->bs_varies || s->ios == 0)
		return 0;
	if (s->bytes % s->ios == 0)
		return s->bytes / s->ios;
	/* the last one may have been short; KiB of fio 2.x are rounded */
	return p->bs && fabs((double)s->bytes / (double)s->ios / (double)p->bs - 1) < 0.01 ? p->bs : 0;
}

static int fill(struct measurement *m, const struct fio_job *job, const struct fio_side *s)
{
	m->source = SOURCE_IMPORTED;
	m->ios = s->ios;
	m->bytes = s->bytes;
	m->runtime_ns = s->runtime_ns;
	m->errors = job->total_err;
	m->iops = s->iops;
	m->bw_bytes = s->bw_bytes;
	if (!job->error)
		return 0;
	m->stop = strdup("error");
	m->errors = m->errors ? m->errors : 1;
	if (!m->stop || asprintf(&m->error, "job %s: error %" PRIu64 " (%s)", job->name, job->error,
		errno_name(job->error)) < 0) {
		m->error = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int add_side(struct result *r, const struct fio_run *run, const struct fio_job *job,
	const struct fio_plan *p, bool write)
{
	const struct fio_side *s = write ? &job->write : &job->read;
	uint64_t bs = block_bytes(s, p);
	struct fio_figures f;
	struct fio_match match;
	struct measurement *m;
	int bad = 0;

	fio_match(job, p, write, bs, &match);
	fio_figures(run, job, p, write, &f);
	/* "log-sync" rests on the sync's figures: without them it is nothing */
	if (match.log_sync && !match.row && !f.sync_lat.present)
		match.probe = "other";
	m = measurement_new(match.battery, match.probe, match.row ? match.row->label : match.label);
	if (!m)
		return -ENOMEM;
	bad |= fill(m, job, s);
	m->lat = f.lat;
	m->write_lat = f.write_lat;
	m->sync_lat = f.sync_lat;
	bad |= put_params(m, job, p, bs);
	bad |= put_import(m, job, write, &match, &f);
	if (bad) {
		measurement_free(m);
		return -ENOMEM;
	}
	bad |= result_take_measurement(r, m);
	bad |= note_figures(r, job, p, write, &f);
	return bad ? -ENOMEM : 0;
}

static int add_job(struct result *r, const struct fio_run *run, const struct fio_job *job)
{
	struct fio_plan plan;
	char text[200];
	int rc;

	fio_plan_read(&job->options, &plan);
	rc = note_job(r, job, &plan);
	if (rc == 0 && job->error)
		rc = import_failed(r, "job %s failed: error %" PRIu64 " (%s: %s)%s: not qualified",
			job->name, job->error, errno_name(job->error),
			strerror((int)(job->error < 4096 ? job->error : 4095)),
			hint(job, &plan, text, sizeof(text)));
	if (rc == 0 && plan.zero_buffers)
		rc = json_set_bool(result_section(r, "settings"), "zero_buffers", true);
	if (rc == 0 && job->write.ios)
		rc = add_side(r, run, job, &plan, true);
	if (rc == 0 && job->read.ios)
		rc = add_side(r, run, job, &plan, false);
	return rc;
}

/* -- the document ------------------------------------------------------------------------------ */

static int put_target(struct result *r, const struct fio_run *run)
{
	const struct fio_options *o = &run->job[0].options;
	const char *path = fio_option(o, "filename"), *pool = fio_option(o, "pool");
	const char *engine = fio_option(o, "ioengine"), *image = fio_option(o, "rbdname");
	struct json *target = result_section(r, "target");
	char *name = NULL;
	int rc;

	if (engine && strcmp(engine, "rbd") == 0 && image) {
		if (asprintf(&name, "rbd:%s/%s", pool ? pool : "rbd", image) < 0)
			return -ENOMEM;
		path = name;
		rc = json_set_str(target, "kind", "rbd");
		if (rc < 0) {
			free(name);
			return rc;
		}
	}
	rc = json_set_str(target, "path", path ? path : fio_option(o, "directory"));
	free(name);
	return rc;
}

static int put_settings(struct result *r, const struct fio_run *run)
{
	time_t started = (time_t)(run->ended_at - run->job[0].elapsed_s);
	char text[32];
	struct tm tm;

	/* a clock before 2001, or after 2286, was not set */
	if (run->ended_at < 1000000000 || run->ended_at > 10000000000 || !gmtime_r(&started, &tm) ||
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return 0;
	return json_set_str(result_section(r, "settings"), "started_at", text);
}

/* Nothing to import: the first job that failed says why. */
static int refuse_empty(const struct fio_run *run, const char *name, struct err *reterr)
{
	const struct fio_job *job = run->job;
	struct fio_plan plan;
	char text[200];

	while (job < run->job + run->count && !job->error)
		job++;
	if (job == run->job + run->count)
		return err_set(reterr, ERR_INPUT, -ENODATA, "%s: no data: its jobs did no I/O", name);
	fio_plan_read(&job->options, &plan);
	return err_set(reterr, ERR_INPUT, -ENODATA, "%s: job %s failed: error %" PRIu64
		" (%s): no data%s", name, job->name, job->error, errno_name(job->error),
		hint(job, &plan, text, sizeof(text)));
}

static bool is_empty(const struct fio_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->job[i].read.ios || run->job[i].write.ios)
			return false;
	return true;
}

extern const struct importer import_fio;

static int convert(const struct json *doc, const struct import_source *src, struct result **ret,
	struct err *reterr)
{
	struct result *result;
	struct fio_run run;
	int r = fio_run_read(doc, src->name, &run, reterr);

	if (r < 0)
		return r;
	if (is_empty(&run)) {
		r = refuse_empty(&run, src->name, reterr);
		fio_run_done(&run);
		return r;
	}
	result = import_result_new(&import_fio, src, run.version);
	r = result ? put_target(result, &run) : -ENOMEM;
	if (r == 0)
		r = put_settings(result, &run);
	if (r == 0 && src->documents > 1 && src->number == src->documents)
		r = import_note(result, "documents", "%zu complete JSON documents in the file; this is "
			"the last", src->documents);
	for (size_t i = 0; i < run.count && r == 0; i++)
		r = add_job(result, &run, &run.job[i]);
	fio_run_done(&run);
	if (r < 0) {
		result_free(result);
		return err_nomem(reterr);
	}
	*ret = result;
	return 0;
}

const struct importer import_fio = {
	.name = "fio",
	.summary = "fio --output-format=json or json+, 2.x and 3.x",
	.recognises = recognises,
	.continues = continues,
	.convert = convert,
};
