/* fio_figures.c - from fio's sections to our latencies. */
#include "data/fio_figures.h"

#include <math.h>
#include <string.h>

/* A write and its sync may come out this much longer than the time there was: rounding, and a few
 * I/Os at the edges of the measured time. */
#define OVERLAP 1.02

static const struct latency absent = { .present = false };

static struct latency latency_of(const struct fio_lat *l, bool percentiles)
{
	struct latency r = { .present = l->present, .count = l->n, .min_ns = l->min,
		.mean_ns = l->mean, .stddev_ns = l->stddev, .max_ns = l->max };

	for (int i = 0; i < LAT_PCT_COUNT; i++)
		r.pct_ns[i] = percentiles && l->has_pct ? l->pct[i] : NAN;
	return r;
}

/* The latency of one I/O, without syncs. */
static struct latency io_latency(const struct fio_side *s, struct fio_figures *f)
{
	double whole = s->lat.present ? s->lat.mean : s->slat.present ? s->slat.mean + s->clat.mean :
		s->clat.mean;

	f->slat_share = s->slat.present ? s->slat.mean / whole : s->clat.present ?
		1 - s->clat.mean / whole : NAN;
	f->clat_too_short = s->clat.present && s->slat.present && s->clat.mean < s->slat.mean / 2;
	if (!s->lat.present && !s->clat.present)
		return absent;
	if (s->lat.present && s->lat.has_pct) {
		f->io_of = "lat";
		return latency_of(&s->lat, true);
	}
	if (s->clat.present && (!s->lat.present || f->slat_share <= FIO_SLAT_SHARE)) {
		f->io_of = "clat";
		return latency_of(&s->clat, true);
	}
	f->io_of = "lat";
	return latency_of(&s->lat, false);
}

/* Submission, then the sync section: the whole of a durable write with libaio at depth 1. */
static struct latency whole_by_libaio(const struct fio_job *job, struct fio_figures *f)
{
	double slat = job->write.slat.present ? job->write.slat.mean : 0;
	bool small = slat <= FIO_SLAT_SHARE * (slat + job->sync.mean);
	struct latency l = latency_of(&job->sync, small);

	f->lat_of = "sync";
	if (!small) {
		l.mean_ns += slat;
		l.min_ns = l.max_ns = l.stddev_ns = NAN;
		f->lat_of = "write + sync";
	}
	return l;
}

/* Of a sum of two only the mean is known. */
static struct latency sum_of(double write_ns, const struct latency *sync)
{
	struct latency l = { .present = true, .count = sync->count, .min_ns = NAN, .max_ns = NAN,
		.stddev_ns = NAN, .mean_ns = write_ns + sync->mean_ns };

	for (int i = 0; i < LAT_PCT_COUNT; i++)
		l.pct_ns[i] = NAN;
	return l;
}

static const char *why_no_sync(const struct fio_job *job, unsigned major)
{
	if (job->has_sync_section)
		return job->sync.present ? "not available (reads and writes are mixed)" :
			"not available (0 syncs)";
	if (major && major < 3)
		return "not available (fio 2.x has no sync section)";
	return "not available (no sync section in the file)";
}

static void with_syncs(const struct fio_job *job, const struct fio_plan *p, struct fio_figures *f)
{
	double per_write = (double)job->sync.n / (double)job->write.ios;
	double period = (double)p->jobs * 1e9 / job->write.iops;
	double write_ns = job->write.lat.present ? job->write.lat.mean : f->write_lat.mean_ns;
	double took = write_ns + per_write * job->sync.mean;
	bool one_each = fabs(per_write - 1) < 0.01;
	bool single = p->depth == 1 && job->entries == 1;

	if (!single) {
		f->sync_of = p->depth > 1 ? "not available (above depth 1 the sync section counts "
			"from earlier I/Os)" : "not available (several jobs together)";
		if (p->depth == 1) { /* each job's syncs are its own */
			f->sync_lat = latency_of(&job->sync, true);
			f->sync_of = NULL;
		}
		return;
	}
	if (took > OVERLAP * period) {
		bool libaio = p->kind == FIO_ENGINE_LIBAIO && one_each;

		f->sync_of = libaio ? "not available alone (libaio counts it from the submission of "
			"the write before it)" : "not available (write and sync overlap: together "
			"they take longer than a write has time)";
		if (libaio)
			f->lat = whole_by_libaio(job, f);
		return;
	}
	if (p->kind == FIO_ENGINE_LIBAIO && took < 0.9 * period) {
		f->sync_of = "not available alone (libaio counts it from the submission of the write "
			"before it, or not: the times of this job do not tell)";
		return;
	}
	f->sync_lat = latency_of(&job->sync, true);
	if (one_each) {
		f->lat = sum_of(write_ns, &f->sync_lat);
		f->lat_of = "write + sync";
	}
}

void fio_figures(const struct fio_run *run, const struct fio_job *job, const struct fio_plan *plan,
	bool write, struct fio_figures *ret)
{
	const struct fio_side *s = write ? &job->write : &job->read;
	struct fio_figures f = { .lat = absent, .write_lat = absent, .sync_lat = absent,
		.slat_share = NAN, .implied_ns = NAN };
	struct latency io = io_latency(s, &f);
	uint64_t jobs = plan->jobs > job->entries ? plan->jobs : job->entries;

	if (!plan->paced && s->iops > 0)
		f.implied_ns = (double)jobs * (double)plan->depth * 1e9 / s->iops;
	if (write && job->sync.present && !plan->mixed) {
		f.write_lat = io;
		with_syncs(job, plan, &f);
	} else {
		f.lat = io;
		f.lat_of = f.io_of;
		f.sync_of = write ? why_no_sync(job, run->major) : NULL;
	}
	*ret = f;
}
