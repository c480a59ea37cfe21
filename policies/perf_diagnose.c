/* perf_diagnose.c - the cause, from the counters. */
#include "policies/perf_dump.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"
#include "policies/threshold.h"

static const char source_refresh[] = "ceph src/librbd/io/RefreshImageDispatch.cc; "
	"src/librbd/cache/pwl/AbstractWriteLog.cc";
static const char source_log[] = "ceph src/librbd/cache/pwl/AbstractWriteLog.cc; measured: 8 s of "
	"13,000 to 30,000 IOPS, then none for 23 s";

const char *perf_verdict_word(enum perf_verdict v)
{
	static const char *const word[] = { "none of these", "image refresh", "log full",
		"backend slow" };

	return word[v];
}

/* -- differences -------------------------------------------------------------------------------- */

static double minus(double b, double a)
{
	return b - (isnan(a) ? 0 : a);
}

static struct perf_time time_minus(struct perf_time b, struct perf_time a)
{
	return (struct perf_time){ minus(b.count, a.count), minus(b.sum_s, a.sum_s) };
}

static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* began_anew - did the counters start again between the two? */
static bool began_anew(const struct perf_dump *a, const struct perf_dump *b)
{
	return strcmp(a->name, b->name) != 0 || !is_same(a->opened_time, b->opened_time) ||
		b->wr_latency.count < a->wr_latency.count ||
		b->flush_latency.count < a->flush_latency.count || b->notify < a->notify ||
		b->pwl_wr < a->pwl_wr;
}

static struct perf_dump between(const struct perf_dump *a, const struct perf_dump *b)
{
	struct perf_dump d = *b;

	d.wr = minus(b->wr, a->wr);
	d.flush = minus(b->flush, a->flush);
	d.notify = minus(b->notify, a->notify);
	d.wr_latency = time_minus(b->wr_latency, a->wr_latency);
	d.flush_latency = time_minus(b->flush_latency, a->flush_latency);
	d.pwl_wr = minus(b->pwl_wr, a->pwl_wr);
	d.deferred = minus(b->deferred, a->deferred);
	d.aio_flush = minus(b->aio_flush, a->aio_flush);
	d.aio_flush_lat = time_minus(b->aio_flush_lat, a->aio_flush_lat);
	d.writeback_lat = time_minus(b->writeback_lat, a->writeback_lat);
	d.append = time_minus(b->append, a->append);
	d.op_r = minus(b->op_r, a->op_r);
	d.op_w = minus(b->op_w, a->op_w);
	d.op_latency = time_minus(b->op_latency, a->op_latency);
	return d;
}

/* -- figures ------------------------------------------------------------------------------------ */

static double per(double sum, double count)
{
	return count > 0 ? sum / count : NAN;
}

static double mean_ns(struct perf_time t)
{
	return per(t.sum_s, t.count) * 1e9;
}

/* fmax() would make a 0 of what is unknown. */
static double not_negative(double v)
{
	return v < 0 ? 0 : v;
}

static void figures(const struct perf_dump *d, struct perf_diagnosis *ret)
{
	ret->has_pwl = d->has_pwl;
	ret->librbd_write_ns = mean_ns(d->wr_latency);
	ret->librbd_flush_ns = mean_ns(d->flush_latency);
	ret->log_flush_ns = mean_ns(d->aio_flush_lat);
	ret->writeback_ns = mean_ns(d->writeback_lat);
	ret->append_ns = mean_ns(d->append);
	ret->backend_ns = mean_ns(d->op_latency);
	ret->notifies = d->notify;
	ret->reads = d->op_r;
	ret->deferred = d->deferred;
	if (d->has_pwl) {
		ret->writes = d->pwl_wr;
		ret->flushes = d->aio_flush;
		ret->client_write_ns = not_negative(per(d->wr_latency.sum_s - d->writeback_lat.sum_s,
			d->pwl_wr)) * 1e9;
		ret->client_flush_ns = per(d->flush_latency.sum_s, d->aio_flush) * 1e9;
		/* A write into the log is an entry in memory: all of its time is outside. */
		ret->outside_write_ns = ret->client_write_ns;
		ret->outside_flush_ns = not_negative(per(d->flush_latency.sum_s - d->aio_flush_lat.sum_s,
			d->aio_flush)) * 1e9;
	} else {
		ret->writes = d->wr_latency.count;
		ret->flushes = d->flush_latency.count;
		ret->client_write_ns = ret->librbd_write_ns;
		ret->client_flush_ns = ret->librbd_flush_ns;
		ret->outside_write_ns = ret->outside_flush_ns = NAN;
	}
	ret->notify_per_write = per(ret->notifies, ret->writes);
	ret->deferred_share = per(ret->deferred, ret->writes);
	ret->reads_per_write = per(ret->reads, ret->writes);
	ret->idle = !(ret->writes > 0) && !(ret->flushes > 0) && !(ret->deferred > 0);
}

/* -- the verdict -------------------------------------------------------------------------------- */

static double known(double v)
{
	return isnan(v) ? 0 : v;
}

static bool is_full(const struct perf_diagnosis *d)
{
	return d->has_pwl && d->deferred > 0 &&
		(!(d->writes > 0) || d->deferred_share >= threshold(THRESHOLD_PERF_DEFERRED));
}

/* Metadata changes once in two writes or oftener, and more time passes outside of the log than in
 * it: the image is refreshed in front of the client's operations. */
static bool is_refreshing(const struct perf_diagnosis *d)
{
	double outside = known(d->outside_write_ns) + known(d->outside_flush_ns);

	if (!(d->notify_per_write >= threshold(THRESHOLD_PERF_NOTIFY)))
		return false;
	return !d->has_pwl || outside > known(d->log_flush_ns);
}

static bool is_backend(const struct perf_diagnosis *d)
{
	double limit = threshold(THRESHOLD_PERF_BACKEND_NS);
	double client = fmax(known(d->client_write_ns), known(d->client_flush_ns));

	/* With a log the client does not wait for the cluster unless the log is full. */
	if (d->has_pwl)
		return false;
	/* Before Quincy the requests are not timed; without a log there is no one else to wait for. */
	if (isnan(d->backend_ns))
		return client >= limit;
	return d->backend_ns >= limit && client >= d->backend_ns / 2;
}

struct shown {
	char log[UNITS_BUF], flush[UNITS_BUF], outside[UNITS_BUF], write[UNITS_BUF], osd[UNITS_BUF];
	char notify[16];
};

static void show(const struct perf_diagnosis *d, struct shown *s)
{
	(void)units_format_ns(s->log, sizeof(s->log), d->log_flush_ns);
	(void)units_format_ns(s->flush, sizeof(s->flush), d->client_flush_ns);
	(void)units_format_ns(s->outside, sizeof(s->outside), d->outside_flush_ns);
	(void)units_format_ns(s->write, sizeof(s->write), d->client_write_ns);
	(void)units_format_ns(s->osd, sizeof(s->osd), d->backend_ns);
	if (isnan(d->notify_per_write))
		snprintf(s->notify, sizeof(s->notify), "unknown");
	else
		snprintf(s->notify, sizeof(s->notify), "%.2f", d->notify_per_write);
}

static void say_numbers(struct perf_diagnosis *d)
{
	struct shown s;

	show(d, &s);
	if (d->has_pwl)
		notes_add_as(&d->reasons, SEVERITY_INFO, "figures", "counters of the client", "%.0f "
			"writes and %.0f flushes; header notifies a write: %s; a flush in the log: %s; "
			"a flush for the client: %s (%s outside of the log); a write for the client: "
			"%s; writes deferred: %.0f", d->writes, d->flushes, s.notify, s.log, s.flush,
			s.outside, s.write, known(d->deferred));
	else
		notes_add_as(&d->reasons, SEVERITY_INFO, "figures", "counters of the client", "%.0f "
			"writes (%s each) and %.0f flushes (%s each); header notifies a write: %s; an "
			"OSD request: %s; no persistent log", d->writes, s.write, d->flushes, s.flush,
			s.notify, s.osd);
}

static void say_refresh(struct perf_diagnosis *d)
{
	struct shown s;

	show(d, &s);
	if (d->has_pwl)
		notes_add(&d->reasons, "image-refresh", source_refresh, "the log turns clean between "
			"the client's operations: each turn rewrites the image's metadata (%s "
			"notifies a write), and the next operation waits until the image is "
			"refreshed. The drive is not the cause (%s a flush). This load pauses longer "
			"than writeback needs; for such loads PWL is often slower than no PWL: compare "
			"with ssdqual verify, and leave PWL by its procedure", s.notify, s.log);
	else
		notes_add(&d->reasons, "image-refresh", source_refresh, "somebody changes the "
			"image's metadata all the time (%s notifies a write, without a persistent log "
			"of this client): snapshots, resizes, image options, or another client with a "
			"log; each change makes the next operation wait for a refresh", s.notify);
}

static void say_full(struct perf_diagnosis *d)
{
	char each[UNITS_BUF];

	(void)units_format_ns(each, sizeof(each), d->writeback_ns);
	notes_add(&d->reasons, "log-full", source_log, "%.0f writes found no room in the log and were "
		"held back, %.0f came through: it is full, and everything waits until the cluster "
		"has taken the oldest (%s a write, in order). A larger log only moves the moment: in "
		"the long run the load has the rate of writeback", d->deferred, d->writes, each);
}

static void say_backend(struct perf_diagnosis *d)
{
	struct shown s;

	show(d, &s);
	notes_add(&d->reasons, "backend-slow", "counters of the client: objecter op_latency",
		"requests to the OSDs take %s%s, and the client's operations are made of them: look "
		"at `ceph osd perf`, slow ops, recovery and the drives of the OSDs",
		isnan(d->backend_ns) ? s.write : s.osd, isnan(d->backend_ns) ? " (this release times "
		"the client's writes only)" : "");
}

static void say_verdict(struct perf_diagnosis *d)
{
	switch (d->verdict) {
	case PERF_REFRESH:
		say_refresh(d);
		break;
	case PERF_LOG_FULL:
		say_full(d);
		break;
	case PERF_BACKEND:
		say_backend(d);
		break;
	default:
		notes_add_as(&d->reasons, SEVERITY_INFO, "none", "", d->idle ? "no write and no flush "
			"between the dumps: nothing can be judged; take them while the load runs" :
			"neither refreshes, nor a full log, nor the OSDs explain a wait: if it is slow "
			"all the same, look above librbd (QEMU, the guest's file system)");
	}
}

static void find(struct perf_diagnosis *d, const struct perf_dump *a, const struct perf_dump *b)
{
	if (a != NULL && d->since_open)
		notes_add(&d->findings, "counters-reset", "opened_time", "the image was opened anew, "
			"or its counters were reset, between the dumps: the second one is judged alone, "
			"since it was opened");
	if (d->lock_changed == ANSWER_YES)
		notes_add(&d->findings, "lock-changed", "lock_acquired_time", "the exclusive lock was "
			"lost and taken again between the dumps: another client wants this image, and "
			"each hand-over writes the caches back first (2 clients had 330 IOPS where one "
			"had 4,372)");
	if (b->images > 1)
		notes_add_as(&d->findings, SEVERITY_INFO, "several-images", "", "the client has %zu "
			"images open; the busiest is judged, unless --image names one; OSD requests "
			"are those of all", b->images);
	if (d->has_pwl && d->log_flush_ns >= threshold(THRESHOLD_PERF_BACKEND_NS) &&
	    d->verdict != PERF_LOG_FULL) {
		char flush[UNITS_BUF], append[UNITS_BUF];

		notes_add(&d->findings, "log-device-slow", "aio_flush_lat", "the log itself takes %s a "
			"flush (an append %s): its drive, or what shares it, is slow",
			units_format_ns(flush, sizeof(flush), d->log_flush_ns),
			units_format_ns(append, sizeof(append), d->append_ns));
	}
}

int perf_diagnose(const struct perf_dump *a, const struct perf_dump *b,
	struct perf_diagnosis *ret, struct err *reterr)
{
	struct perf_dump d = *b;

	*ret = (struct perf_diagnosis){ .since_open = a == NULL || began_anew(a, b) };
	if (!ret->since_open)
		d = between(a, b);
	if (a != NULL && !ret->since_open && !isnan(b->lock_time))
		ret->lock_changed = a->lock_time == b->lock_time ? ANSWER_NO : ANSWER_YES;
	figures(&d, ret);
	if (is_full(ret))
		ret->verdict = PERF_LOG_FULL;
	else if (!ret->idle && is_refreshing(ret))
		ret->verdict = PERF_REFRESH;
	else if (!ret->idle && is_backend(ret))
		ret->verdict = PERF_BACKEND;
	say_verdict(ret);
	if (!ret->idle)
		say_numbers(ret);
	find(ret, a, b);
	if (ret->reasons.no_memory || ret->findings.no_memory) {
		perf_diagnosis_done(ret);
		return err_nomem(reterr);
	}
	return 0;
}

void perf_diagnosis_done(struct perf_diagnosis *d)
{
	notes_done(&d->reasons);
	notes_done(&d->findings);
}
