/* rbd_session.h - carry out the battery `rbd` on a site, into a result document.
 *
 * Whatever ends it early, what was measured is in the result, settings.ended says why ("complete",
 * "signal", "error", "cluster-latency"), and the scratch image is removed; where that fails, or its
 * I/O never came back, the finding scratch-image-left names it.
 */
#ifndef SSDQUAL_PROBES_RBD_SESSION_H
#define SSDQUAL_PROBES_RBD_SESSION_H

#include "data/result.h"
#include "probes/rbd_rows.h"
#include "probes/rbd_site.h"

struct rbd_run {
	const struct rbd_impact *impact;
	uint64_t runtime_ns;      /* of each row; 0: the impact's */
	uint64_t span_bytes;      /* 0: the impact's */
	uint64_t randseed;
	double latency_stop;      /* rbd_calm_begin()'s ratio */
	bool existing;            /* overwrite the named image */
	const char *const *rows;  /* keys; row_count 0: all that the impact allows */
	size_t row_count;
};

/* rbd_run_check - ERR_USAGE: a row that is not known, or deeper than the impact allows; a size that
 * is no multiple of 1 MiB. */
int rbd_run_check(const struct rbd_run *run, struct err *reterr);
bool rbd_run_wants(const struct rbd_run *run, const struct rbd_row *row);
uint64_t rbd_run_row_ns(const struct rbd_run *run);
uint64_t rbd_run_span(const struct rbd_run *run);

/* What a display wants to know; every hook may be NULL. Called from rbd_session_run()'s thread. */
struct rbd_watch {
	/* @what: a row's label, or "filling", "baseline"; @seconds: of it, 0 unknown; @left_s: after it */
	void (*begin)(void *ctx, const char *what, double seconds, double left_s);
	void (*tick)(void *ctx, const struct load_tick *t);
	void (*row_end)(void *ctx, const struct measurement *m);
	void *ctx;
	const atomic_bool *stop; /* true: end after what is in flight; may be NULL */
};

/* rbd_session_run - sections target, settings, host; measurements; findings. 0; -EINTR ERR_STOPPED;
 * -EAGAIN ERR_UNSURE (the cluster's latency passed latency_stop); -errno. */
int rbd_session_run(const struct rbd_site *site, const struct rbd_run *run,
	const struct rbd_watch *watch, struct result *res, struct err *reterr);

#endif
