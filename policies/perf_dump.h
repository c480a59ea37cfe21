/* perf_dump.h - what a running librbd client waits for, from its own counters.
 *
 * Reads `perf dump` of the client's admin socket: the sets librbd-ID-POOL-IMAGE (the image),
 * librbd-pwl-ID-POOL-IMAGE (its persistent write log, when it has one) and objecter (requests to
 * the OSDs). Two dumps give what happened between them, one what happened since the image was
 * opened. No load is made: the counters count what the client does anyway.
 *
 * With a log, librbd's wr_latency and flush_latency count the client's operations and those of
 * writeback together; what writeback took is subtracted:
 *   client's write  (wr_latency.sum - writeback_lat.sum) / pwl.wr
 *   client's flush  flush_latency.sum / pwl.aio_flush     (flushes of writeback are empty)
 *   outside the log (flush_latency.sum - aio_flush_lat.sum) / pwl.aio_flush
 * These are upper bounds: writeback's flushes take about 0.2 ms themselves. On a Reef cluster with
 * pauses of 0, 3 and 10 ms they came to 0.8, 6.0 and 1.5 ms a flush, where the client's own clock had
 * means of 0.7, 4.8 and 1.1 ms in other runs of the same cells (tests/measured/perf).
 * Sources: ceph src/librbd/ImageCtx.cc, perf_start; src/librbd/cache/pwl/AbstractWriteLog.cc,
 * perf_start; src/librbd/io/RefreshImageDispatch.cc. Pure.
 */
#ifndef SSDQUAL_POLICIES_PERF_DUMP_H
#define SSDQUAL_POLICIES_PERF_DUMP_H

#include "data/err.h"
#include "data/json.h"
#include "policies/notes.h"
#include "policies/rbd_status.h"

struct perf_time {
	double count, sum_s; /* NAN: no such counter */
};

#define PERF_NAME_MAX 160
struct perf_dump {
	char name[PERF_NAME_MAX];  /* "librbd-1075329f4ca8-rbd-p" */
	size_t images;             /* sets of images in the dump */
	bool has_pwl;
	double wr, flush, notify, opened_time, lock_time;
	struct perf_time wr_latency, flush_latency;
	/* Of the log; NAN without one. */
	double pwl_wr, deferred, aio_flush;
	struct perf_time aio_flush_lat, writeback_lat, append;
	/* Of all images of the client. */
	double op_r, op_w;
	struct perf_time op_latency; /* since Quincy */
};

/* perf_dump_parse - @image: "POOL/IMAGE", or NULL: the one with most writes. @file is for messages.
 * -EBADMSG, ERR_INPUT: no dump, no image in it, or not that image. */
int perf_dump_parse(const struct json *doc, const char *image, const char *file,
	struct perf_dump *ret, struct err *reterr);

enum perf_verdict { PERF_NONE, PERF_REFRESH, PERF_LOG_FULL, PERF_BACKEND };
const char *perf_verdict_word(enum perf_verdict v); /* "none of these" "image refresh" ... */

struct perf_diagnosis {
	enum perf_verdict verdict;
	bool since_open;           /* one dump, or the counters began anew between the two */
	bool has_pwl, idle;        /* idle: no write and no flush, nothing to judge */
	double writes, flushes, notifies, deferred, reads;
	double notify_per_write, deferred_share, reads_per_write;
	/* Mean latencies, ns; NAN: unknown. */
	double client_write_ns, client_flush_ns, librbd_write_ns, librbd_flush_ns;
	double log_flush_ns, outside_write_ns, outside_flush_ns, writeback_ns, append_ns, backend_ns;
	enum answer lock_changed;
	struct notes reasons, findings;
};

/* perf_diagnose - @a NULL: @b alone, since the image was opened. Free with perf_diagnosis_done().
 * 0 or -ENOMEM. */
int perf_diagnose(const struct perf_dump *a, const struct perf_dump *b,
	struct perf_diagnosis *ret, struct err *reterr);
void perf_diagnosis_done(struct perf_diagnosis *d);

#endif
