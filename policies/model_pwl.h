/* model_pwl.h - what the two modes of the persistent write log share. */
#ifndef SSDQUAL_POLICIES_MODEL_PWL_H
#define SSDQUAL_POLICIES_MODEL_PWL_H

#include "policies/model.h"

/* The log path alone, without refreshes. */
struct pwl_path {
	struct dist write, flush;
	double ring_bytes; /* a: bytes of the log that one write takes */
	double read_ns;    /* d_r: reading an entry back for writeback; 0 where it stays mapped */
};
/* pwl_evaluate - the metadata refresh, the writeback law and the full log on top of @p. */
void pwl_evaluate(const struct model_input *in, const struct pwl_path *p, struct prediction *ret);

/* pwl_fit_bytes - the smallest log, whole GiB, that keeps a burst below half full (from half full
 * on librbd retires entries, which shares the log's superblock with the appends). Where the load
 * outruns the cluster without bursts no size helps: MODEL_PWL_MIN_BYTES. */
double pwl_fit_bytes(const struct workload *w);

#endif
