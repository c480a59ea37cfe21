/* rbd_calm.h - does the cluster still answer as fast as before we came?
 *
 * A thread reads a random 4 KiB block of the image through a read-only handle of its own, four
 * times a second, whatever load goes on beside it: others' requests take that way too. The median
 * of the last two seconds is held against the median of RBD_CALM_BASE reads before the load.
 * (`ceph osd perf` would need a manager, is an average over seconds, and of OSDs, not of requests.)
 */
#ifndef SSDQUAL_PROBES_RBD_CALM_H
#define SSDQUAL_PROBES_RBD_CALM_H

#include "probes/rbd_image.h"

#include <stdatomic.h>

#define RBD_CALM_BASE 40
#define RBD_CALM_LAST 8
#define RBD_CALM_NAP_MS 250

struct rbd_calm; /* opaque */

/* rbd_calm_begin - open the image @name once more, take the baseline (half a second), start the
 * thread. @span: bytes that were written; @ratio: raise @halt when the median passes that multiple
 * of the baseline; 0: only look. @halt outlives it. ERR_DEVICE, -ENOMEM. */
int rbd_calm_begin(const struct rbd_conn *c, const struct rbd_spec *s, const char *name,
	uint64_t span, double ratio, atomic_bool *halt, struct rbd_calm **ret, struct err *reterr);
void rbd_calm_end(struct rbd_calm *calm); /* accepts NULL; waits for a read that goes on */

void rbd_calm_forget(struct rbd_calm *calm); /* a new row begins: only what comes now counts */
bool rbd_calm_is_disturbed(const struct rbd_calm *calm); /* since the last rbd_calm_forget() */
double rbd_calm_baseline_ns(const struct rbd_calm *calm);
double rbd_calm_worst_ns(const struct rbd_calm *calm); /* highest median so far; NAN: none yet */

#endif
