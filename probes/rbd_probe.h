/* rbd_probe.h - single calls on an image, timed one by one: flushes, header reads, refreshes. */
#ifndef SSDQUAL_PROBES_RBD_PROBE_H
#define SSDQUAL_PROBES_RBD_PROBE_H

#include "data/result.h"
#include "probes/rbd_image.h"
#include "probes/rbd_rows.h"

#include <stdatomic.h>

struct rbd_probe {
	const struct rbd_row *row;
	struct rbd_image *image;   /* written by the refresh row; the headers are read through it */
	const char *header_id;     /* the header's image, for the rows that read one */
	uint64_t runtime_ns, span; /* span: bytes of the image that may be written */
	uint64_t io_limit;         /* most calls */
	uint64_t randseed;
	const atomic_bool *stop[2]; /* either ends it; may be NULL */
};

/* Most measurements that a row makes. */
#define RBD_PROBE_MAX 4

/* rbd_probe_run - repeat the row's call until its time or @p->io_limit is over. @ret: the
 * measurements, the caller's, *ret_count of them (0 where not one call came to its end).
 * 0; -errno, ERR_DEVICE of the call that failed, beside what was measured until then. */
int rbd_probe_run(const struct rbd_probe *p, struct measurement *ret[RBD_PROBE_MAX],
	size_t *ret_count, struct err *reterr);

#endif
