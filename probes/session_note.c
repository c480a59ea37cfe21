/* session_note.c - sections, noise and findings of a session's document. */
#include "probes/session_note.h"

#include "probes/hostinfo.h"
#include "probes/noise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char source_flat[] =
	"probes/session.h: IOPS of the two halves of a row's last third, compared";
static const char source_noise[] =
	"kernel: /sys/dev/block/*/stat and /proc/stat before and after the row";

/* RFC 3339, UTC: the one wall-clock time in a document. */
static const char *now(char *buf, size_t len)
{
	time_t t = time(NULL);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, len, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return buf;
}

/* Flash is not read for a block that holds nothing; the drive answers from its tables. */
static int note_reads(struct result *res, const struct target *t, const struct plan *p)
{
	for (size_t i = 0; i < p->row_count && t->kind == TARGET_BLOCK && !p->fill; i++) {
		enum load_rw rw = p->rows[i].params.rw;

		if (p->rows[i].applicable && (rw == RW_READ || rw == RW_RANDREAD))
			return result_add_finding(res, "reads-not-filled",
				"reads of blocks that were never written, or were discarded, do "
				"not reach the flash and look too fast; --fill writes them first",
				"NVMe base specification, deallocated logical blocks; ATA ACS, "
				"DRAT");
	}
	return 0;
}

static int note_host(struct result *res, const struct target *t, struct err *reterr)
{
	static const struct sysroot here = { .prefix = "" };
	struct json *host = NULL;
	int r = hostinfo_json(&here, t->sysname, &host, reterr);

	if (r < 0)
		return r;
	return json_set(res->doc, "host", host) ? err_nomem(reterr) : 0;
}

int session_note_begin(struct result *res, const struct target *t, const struct plan *p,
	struct err *reterr)
{
	struct json *settings = result_section(res, "settings"), *rows = json_new_array();
	char stamp[32];
	int r = note_host(res, t, reterr);

	if (r < 0) {
		json_free(rows);
		return r;
	}

	if (t->identity)
		r = json_set(res->doc, "target", json_copy(t->identity));
	for (size_t i = 0; i < p->row_count && rows; i++)
		r |= json_append(rows, json_new_str(p->rows[i].row->key));
	r |= json_set_str(settings, "started_at", now(stamp, sizeof(stamp)));
	r |= json_set_str(settings, "battery", p->battery->name);
	r |= json_set(settings, "rows", rows);
	r |= json_set_u64(settings, "offset", p->offset);
	r |= json_set_u64(settings, "size", p->size);
	r |= json_set_bool(settings, "fill", p->fill);
	r |= json_set(settings, "fill_bytes", p->fill ? json_new_u64(p->fill_bytes) :
		json_new_null());
	r |= json_set(settings, "slc_cache_bytes", p->fill ? json_new_u64(p->slc_bytes) :
		json_new_null());
	r |= json_set(settings, "slc_cache_assumed", p->fill ? json_new_bool(p->slc_assumed) :
		json_new_null());
	r |= json_set_bool(settings, "zero_buffers", p->zero_buffers);
	r |= json_set_u64(settings, "randseed", p->randseed);
	r |= json_set_str(settings, "precondition", "none");
	r |= json_set_str(settings, "ended", "error"); /* until session_note_end() knows better */
	if (r == 0 && p->zero_buffers)
		r = result_add_finding(res, "zero-buffers",
			"the data written was all zeros: drives may compress or not store it, so "
			"this run yields no verdict", "fio HOWTO: zero_buffers");
	if (r == 0)
		r = note_reads(res, t, p);
	return r ? err_nomem(reterr) : 0;
}

int session_note_run(const struct target *t, const struct load_params *lp,
	const struct load_watch *watch, struct measurement *m, struct err *reterr)
{
	struct noise_snapshot before, after;
	bool reads = lp->rw == RW_READ || lp->rw == RW_RANDREAD;
	dev_t dev = t->kind == TARGET_BLOCK ? t->rdev : t->fs_dev;
	int r;

	noise_take("", dev, &before);
	r = load_run(lp, watch, m, reterr);
	if (r < 0)
		return r;
	noise_take("", dev, &after);
	m->noise = noise_between(&before, &after, reads ? m->bytes : 0, reads ? 0 : m->bytes,
		lp->direct, t->kind != TARGET_BLOCK);
	return 0;
}

int session_note_skipped(struct result *res, const char *key, const char *why, struct err *reterr)
{
	char text[320];

	(void)snprintf(text, sizeof(text), "%s: not applicable: %s", key, why);
	if (result_add_finding(res, "not-applicable", text, "block sizes and kind of the target"))
		return err_nomem(reterr);
	return 0;
}

/* -- after the rows ------------------------------------------------------------------------- */

static bool writes(const struct measurement *m)
{
	const char *rw = json_str(json_get(m->params, "rw"));

	return rw && strstr(rw, "write");
}

static bool is_flat(const struct measurement *m)
{
	return fabs(m->last_third_change) <= SESSION_FLAT_CHANGE; /* false for NAN: not known */
}

const char *session_precondition(const struct result *r, bool filled)
{
	size_t writing = 0;

	if (!filled)
		return "none";
	for (size_t i = 0; i < r->measurement_count; i++) {
		if (!writes(r->measurements[i]))
			continue;
		writing++;
		if (!is_flat(r->measurements[i]))
			return "filled";
	}
	return writing ? "steady" : "filled";
}

static int note_flatness(struct result *res, const struct measurement *m)
{
	char text[320];

	if (isnan(m->last_third_change) || is_flat(m))
		return 0;
	(void)snprintf(text, sizeof(text),
		"%s: IOPS changed by %+.0f %% within the last third of the row: not at rest, so a "
		"judgement of OSD data from it is provisional",
		m->probe, m->last_third_change * 100);
	return result_add_finding(res, "not-flat", text, source_flat);
}

/* One finding for all rows, about the worst of them: a noisy machine is noisy throughout. */
struct worst {
	const struct measurement *m;
	double share;
	size_t rows;
};

static void consider(struct worst *w, const struct measurement *m, double share, double limit)
{
	if (!(share > limit))
		return;
	w->rows++;
	if (share <= w->share)
		return;
	w->share = share;
	w->m = m;
}

static double other_share(const struct measurement *m)
{
	double rd = 0, wr = 0;

	(void)json_f64(json_get(m->noise, "other_read_bytes"), &rd);
	(void)json_f64(json_get(m->noise, "other_write_bytes"), &wr);
	return m->bytes ? (rd + wr) / (double)m->bytes : 0;
}

static int note_noise(struct result *res)
{
	struct worst other = { .m = NULL }, stolen = { .m = NULL };
	char text[256];
	int r = 0;

	for (size_t i = 0; i < res->measurement_count; i++) {
		const struct measurement *m = res->measurements[i];
		double steal = 0;

		(void)json_f64(json_get(m->noise, "cpu_steal_ratio"), &steal);
		consider(&stolen, m, steal, SESSION_CPU_STEAL);
		consider(&other, m, other_share(m), SESSION_OTHER_IO);
	}
	if (other.m) {
		(void)snprintf(text, sizeof(text),
			"others used the drive during %zu of %zu rows; worst in %s, %.0f %% of "
			"what the row itself moved", other.rows, res->measurement_count,
			other.m->probe, other.share * 100);
		r = result_add_finding(res, "other-io", text, source_noise);
	}
	if (stolen.m && r == 0) {
		(void)snprintf(text, sizeof(text),
			"the hypervisor took CPU time from this machine during %zu of %zu rows; "
			"worst in %s, %.0f %%", stolen.rows, res->measurement_count,
			stolen.m->probe, stolen.share * 100);
		r = result_add_finding(res, "cpu-steal", text, source_noise);
	}
	return r;
}

static const char *ended_word(int code)
{
	switch (code) {
	case 0:
		return "complete";
	case -EINTR:
		return "signal";
	case -ENODEV:
		return "device-gone";
	default:
		return "error";
	}
}

int session_note_end(struct result *res, const struct plan *p, bool filled, int code,
	struct err *reterr)
{
	struct json *settings = result_section(res, "settings");
	char text[160];
	int r = 0;

	for (size_t i = 0; i < res->measurement_count && r == 0; i++)
		r = note_flatness(res, res->measurements[i]);
	if (r == 0)
		r = note_noise(res);
	if (code < 0 && r == 0) {
		(void)snprintf(text, sizeof(text), "ended early (%s): %zu of %zu %s were begun",
			ended_word(code), res->measurement_count, p->applicable_count * p->legs,
			p->legs > 1 ? "legs" : "rows");
		r = result_add_finding(res, "ended-early", text, "this run");
	}
	r |= json_set_str(settings, "precondition", session_precondition(res, filled));
	r |= json_set_str(settings, "ended", ended_word(code));
	return r ? err_nomem(reterr) : 0;
}
