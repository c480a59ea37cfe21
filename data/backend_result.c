/* backend_result.c - the latencies that a result document holds. */
#include "data/backend.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const struct latency *row_latency(const struct measurement *m, bool sync_only)
{
	if (m == NULL)
		return NULL;
	if (sync_only && m->sync_lat.present)
		return &m->sync_lat;
	return m->lat.present ? &m->lat : NULL;
}

/* find_row - the first measurement of @probe; one with the cache off only where there is no other,
 * since the drive is used as it stands. Rows without a sample are passed over. */
static const struct measurement *find_row(const struct result *r, const char *battery,
	const char *probe)
{
	const struct measurement *off = NULL;

	for (size_t i = 0; i < r->measurement_count; i++) {
		const struct measurement *m = r->measurements[i];

		if ((battery != NULL && strcmp(m->battery, battery) != 0) ||
		    strcmp(m->probe, probe) != 0 || m->ios == 0)
			continue;
		if (m->write_cache != WC_OFF)
			return m;
		if (off == NULL)
			off = m;
	}
	return off;
}

static double tail_of(const struct latency *l, int which, double pct)
{
	uint64_t ns;

	if (l->hist != NULL && hist_percentile(l->hist, pct, &ns) == 0)
		return (double)ns;
	return l->pct_ns[which];
}

static bool take_row(struct stat_input *s, const struct measurement *m, bool sync_only)
{
	const struct latency *l = row_latency(m, sync_only);
	double p50, p999;

	if (l == NULL)
		return false;
	p50 = tail_of(l, LAT_P50, 50);
	/* of another tool's figures often the mean alone is that of the whole */
	if (isnan(p50) && m->source == SOURCE_IMPORTED && l->mean_ns > 0) {
		stat_set(s, l->mean_ns, NAN, NAN);
		s->median_is_mean = true;
		return true;
	}
	if (isnan(p50) || p50 <= 0)
		return false;
	/* A 99.9th percentile of under a thousand samples is the maximum by another name. */
	p999 = l->count >= 1000 ? tail_of(l, LAT_P999, 99.9) : NAN;
	stat_set(s, p50, tail_of(l, LAT_P99, 99), p999);
	return true;
}

struct row {
	const char *battery, *probe; /* battery NULL: any */
	bool sync_only;
};

static bool take_first(struct stat_input *s, const struct result *r, const struct row *rows,
	size_t n, enum source_kind *source)
{
	for (size_t i = 0; i < n; i++) {
		const struct measurement *m = find_row(r, rows[i].battery, rows[i].probe);

		if (m != NULL && take_row(s, m, rows[i].sync_only)) {
			*source = m->source;
			return true;
		}
	}
	return false;
}

#define ROWS(...) (const struct row[]){ __VA_ARGS__ }, \
	sizeof((const struct row[]){ __VA_ARGS__ }) / sizeof(struct row)

/* any_sync - the first row whose syncs were timed: what an importer made of fio's fdatasync=1. */
static const struct measurement *any_sync(const struct result *r)
{
	for (size_t i = 0; i < r->measurement_count; i++)
		if (r->measurements[i]->sync_lat.present && r->measurements[i]->ios > 0)
			return r->measurements[i];
	return NULL;
}

/* A run inside the guest, on a file system of the image: the sync is the guest's whole fdatasync. */
static bool guest_rows(const struct result *r, struct backend *b)
{
	const struct measurement *m;

	if (!take_first(&b->in[BACKEND_WRITE], r, ROWS({ "etcd", "etcd-8000", true },
		    { "etcd", "etcd-2300", true }, { "etcd", "fio-8000-first-lap", true }),
		    &b->source)) {
		m = any_sync(r);
		if (m == NULL || !take_row(&b->in[BACKEND_WRITE], m, true))
			return false;
		b->source = m->source;
	}
	b->at_guest = true;
	return true;
}

/* Rows with many 4 KiB writes in flight, of a drive's battery or an image's. */
static bool is_deep(const struct measurement *m)
{
	static const char *const rows[] = { "random-nosync", "parallel-sync", "parallel-fsync" };

	if (strcmp(m->battery, "rbd") == 0)
		return strncmp(m->probe, "depth-", 6) == 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(m->probe, rows[i]) == 0)
			return true;
	return false;
}

int backend_take_depth(const struct result *r, struct backend *b)
{
	double best = 0, k;

	for (size_t i = 0; i < r->measurement_count; i++) {
		const struct measurement *m = r->measurements[i];

		if (is_deep(m) && m->ios > 0 && m->iops > best)
			best = m->iops;
	}
	if (!(best > 0))
		return -ENODATA;
	k = best * b->in[BACKEND_WRITE].dist.p50_ns / 1e9;
	b->concurrency = k < 1 ? 1 : k > 65536 ? 65536 : (unsigned)lround(k);
	b->concurrency_known = true;
	return 0;
}

/* -- rows of the battery rbd -------------------------------------------------------------------- */

static bool is_rbd(const struct result *r)
{
	const char *kind = json_str(json_path(r->doc, "target.kind"));

	return kind != NULL && strcmp(kind, "rbd") == 0;
}

static bool is_pair(const struct measurement *m, double *ret_pause_ns)
{
	uint64_t pause = 0;

	if (strcmp(m->battery, "rbd") != 0 || strncmp(m->probe, "pair-", 5) != 0 || m->ios == 0 ||
	    !m->sync_lat.present || !m->write_lat.present ||
	    !json_u64(json_get(m->params, "thinktime"), &pause))
		return false;
	*ret_pause_ns = (double)pause;
	return true;
}

static bool take_latency(struct stat_input *s, const struct latency *l)
{
	double p50 = tail_of(l, LAT_P50, 50);

	if (isnan(p50) || p50 <= 0)
		return false;
	stat_set(s, p50, tail_of(l, LAT_P99, 99),
		l->count >= 1000 ? tail_of(l, LAT_P999, 99.9) : NAN);
	return true;
}

static void take_pairs(struct backend *b, const struct result *r)
{
	for (size_t i = 0; i < r->measurement_count && b->pair_count < BACKEND_PAIRS_MAX; i++) {
		const struct measurement *m = r->measurements[i];
		struct backend_pair p = { .pause_ns = 0 };
		size_t at = b->pair_count;

		if (!is_pair(m, &p.pause_ns) || !take_latency(&p.write, &m->write_lat) ||
		    !take_latency(&p.flush, &m->sync_lat) || !take_latency(&p.pair, &m->lat))
			continue;
		for (; at > 0 && b->pair[at - 1].pause_ns > p.pause_ns; at--)
			b->pair[at] = b->pair[at - 1];
		b->pair[at] = p;
		b->pair_count++;
	}
}

static void take_wake(struct backend *b, const struct result *r)
{
	struct stat_input rested = { .known = false };
	enum source_kind ignored;

	if (b->in[BACKEND_META].known &&
	    take_first(&rested, r, ROWS({ "rbd", "meta-3ms", false }), &ignored))
		b->wake_ns = fmax(0, rested.dist.p50_ns - b->in[BACKEND_META].dist.p50_ns);
}

/* A refresh is a chain of reads: one with other snapshots or op features has more of them. */
static void scale_refresh(struct backend *b, const struct result *r)
{
	struct stat_input *s = &b->in[BACKEND_REFRESH];
	uint64_t reads = 0, measured = 0;
	double factor;

	if (!json_u64(json_path(r->doc, "target.rbd.refresh_reads"), &reads) || reads == 0 ||
	    reads > 64)
		return;
	b->refresh_reads = (unsigned)reads;
	if (!s->known ||
	    !json_u64(json_path(r->doc, "target.rbd.refresh_reads_measured"), &measured) ||
	    measured == 0 || measured == reads)
		return;
	factor = (double)reads / (double)measured;
	s->dist.p50_ns *= factor;
	s->dist.p99_ns *= factor;
	s->dist.p999_ns *= factor;
	b->refresh_scaled = true;
}

/* First match first; sync_only false: the whole of a durable write. */
static const struct row write_rows[] = { { "rbd", "write-4k", false },
	{ NULL, "journal-sync", false }, { NULL, "journal-fsync", false },
	{ NULL, "t1q1-fsync", false } };
static const struct row read_rows[] = { { "rbd", "read-4k", false },
	{ NULL, "randread-1", false } };

int backend_from_result(const struct result *r, struct backend *ret, struct err *reterr)
{
	struct backend b = { .source = SOURCE_MEASURED };
	enum source_kind ignored;

	if (!take_first(&b.in[BACKEND_WRITE], r, write_rows,
		    sizeof(write_rows) / sizeof(write_rows[0]), &b.source) && !guest_rows(r, &b))
		return err_set(reterr, ERR_INPUT, -ENODATA, "no row of single durable writes "
			"(write-4k of an image; journal-sync, journal-fsync, t1q1-fsync; etcd-8000 inside "
			"the guest); measure the image with `ssdqual run rbd:POOL/IMAGE`, or state "
			"--backend write=MEDIAN:P99");
	(void)take_first(&b.in[BACKEND_READ], r, read_rows,
		sizeof(read_rows) / sizeof(read_rows[0]), &ignored);
	(void)take_first(&b.in[BACKEND_META], r, ROWS({ "rbd", "meta", false }), &ignored);
	(void)take_first(&b.in[BACKEND_REFRESH], r, ROWS({ "rbd", "refresh", false }), &ignored);
	(void)take_first(&b.in[BACKEND_FLUSH], r, ROWS({ "rbd", "flush", false }), &ignored);
	take_pairs(&b, r);
	take_wake(&b, r);
	scale_refresh(&b, r);
	b.cache_unknown = b.source == SOURCE_IMPORTED && !b.at_guest &&
		find_row(r, "rbd", "write-4k") != NULL;
	/* Little's law at the latency of one write alone: how many it served at once. */
	if (!b.at_guest)
		(void)backend_take_depth(r, &b); /* no deep row: unknown */
	*ret = b;
	return 0;
}

/* -- histograms --------------------------------------------------------------------------------- */

static int copy_hist(struct hist **ret, const struct hist *from)
{
	if (from == NULL)
		return 0;
	*ret = hist_new();
	if (*ret == NULL)
		return -ENOMEM;
	hist_merge(*ret, from);
	return 0;
}

static const struct hist *first_hist(const struct result *r, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct latency *l = row_latency(find_row(r, rows[i].battery, rows[i].probe),
			rows[i].sync_only);

		if (l != NULL && l->hist != NULL)
			return l->hist;
	}
	return NULL;
}

static int copy_pairs(struct backend_samples *s, const struct result *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->measurement_count && s->pair_count < BACKEND_PAIRS_MAX &&
	     rc == 0; i++) {
		const struct measurement *m = r->measurements[i];
		double pause;

		if (!is_pair(m, &pause) || m->write_lat.hist == NULL || m->sync_lat.hist == NULL)
			continue;
		s->pair[s->pair_count].pause_ns = pause;
		rc = copy_hist(&s->pair[s->pair_count].write, m->write_lat.hist);
		if (rc == 0)
			rc = copy_hist(&s->pair[s->pair_count].flush, m->sync_lat.hist);
		s->pair_count++;
	}
	return rc;
}

int backend_samples_from_result(const struct result *r, struct backend_samples *ret)
{
	struct backend_samples s = { .pair_count = 0 };
	int rc = copy_hist(&s.in[BACKEND_WRITE], first_hist(r, write_rows,
		sizeof(write_rows) / sizeof(write_rows[0])));

	if (rc == 0)
		rc = copy_hist(&s.in[BACKEND_READ], first_hist(r, read_rows,
			sizeof(read_rows) / sizeof(read_rows[0])));
	if (rc == 0)
		rc = copy_hist(&s.in[BACKEND_META],
			first_hist(r, ROWS({ "rbd", "meta", false })));
	if (rc == 0)
		rc = copy_hist(&s.in[BACKEND_REFRESH],
			first_hist(r, ROWS({ "rbd", "refresh", false })));
	if (rc == 0)
		rc = copy_hist(&s.in[BACKEND_FLUSH],
			first_hist(r, ROWS({ "rbd", "flush", false })));
	if (rc == 0)
		rc = copy_pairs(&s, r);
	if (rc < 0)
		backend_samples_done(&s);
	else
		*ret = s;
	return rc;
}

void backend_samples_done(struct backend_samples *s)
{
	for (int i = 0; i < BACKEND_KEY_COUNT; i++)
		hist_free(s->in[i]);
	for (size_t i = 0; i < s->pair_count; i++) {
		hist_free(s->pair[i].write);
		hist_free(s->pair[i].flush);
	}
	*s = (struct backend_samples){ .pair_count = 0 };
}

/* -- a local drive ------------------------------------------------------------------------------ */

static bool has_zero_buffers(const struct result *r)
{
	for (size_t i = 0; i < r->measurement_count; i++) {
		bool zero = false;

		if (json_bool(json_get(r->measurements[i]->params, "zero_buffers"), &zero) && zero)
			return true;
	}
	return false;
}

int drive_from_result(const struct result *r, struct drive_lat *ret, struct err *reterr)
{
	struct drive_lat d = { .source = SOURCE_MEASURED };
	enum source_kind ignored;

	if (is_rbd(r))
		return err_set(reterr, ERR_INPUT, -ENODATA, "a result of an RBD image, not of a local "
			"drive; it is for --backend");
	if (!take_first(&d.in[DRIVE_SYNC], r, ROWS({ "etcd", "etcd-8000", true },
		    { "etcd", "etcd-2300", true }, { "etcd", "fio-8000-first-lap", true },
		    { NULL, "journal-fsync", false }, { NULL, "t1q1-fsync", false },
		    { NULL, "journal-sync", false }), &d.source)) {
		const struct measurement *m = any_sync(r);

		if (m == NULL || !take_row(&d.in[DRIVE_SYNC], m, true))
			return err_set(reterr, ERR_INPUT, -ENODATA, "no row of durable writes "
				"(etcd-8000, etcd-2300, journal-fsync, t1q1-fsync or journal-sync); "
				"measure the drive's folder with `ssdqual run DIRECTORY`, or state "
				"--drive sync=MEDIAN:P99");
		d.source = m->source;
	}
	(void)take_first(&d.in[DRIVE_WRITE4K], r, ROWS({ NULL, "write-4k", false }), &ignored);
	(void)take_first(&d.in[DRIVE_WRITE12K], r, ROWS({ NULL, "write-12k", false }), &ignored);
	(void)take_first(&d.in[DRIVE_READ4K], r, ROWS({ NULL, "read-4k", false },
		{ NULL, "randread-1", false }), &ignored);
	d.zero_buffers = has_zero_buffers(r);
	*ret = d;
	return 0;
}
