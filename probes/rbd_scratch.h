/* rbd_scratch.h - images of our own to measure on, and what is left of them after a crash.
 *
 * A scratch image is named ssdqual-scratch-XXXXXXXXXXXXXXXX and carries in its metadata who made it
 * ("ssdqual.owner": boot, process and its start time). It is removed on every way out that this
 * program lives to see. What a killed run or a lost host leaves behind is found by its name at the
 * next run in the same pool: it is removed when nobody has it open and its maker is known to be
 * dead, or it is older than RBD_SCRATCH_OLD_S; else it is reported and left alone.
 */
#ifndef SSDQUAL_PROBES_RBD_SCRATCH_H
#define SSDQUAL_PROBES_RBD_SCRATCH_H

#include "probes/rbd_image.h"

#define RBD_SCRATCH_PREFIX "ssdqual-scratch-"
#define RBD_SCRATCH_OLD_S 3600

struct rbd_scratch {
	char name[RBD_LIB_NAME_MAX + 1]; /* "": none */
	struct rbd_spec spec;            /* its pool and namespace */
};

/* rbd_scratch_create - a new image of @bytes beside @like's: the same object size, striping and
 * data pool; its features but for journaling (a scratch image is not mirrored). @like NULL: the
 * cluster's defaults. ERR_DEVICE. */
int rbd_scratch_create(const struct rbd_conn *c, const struct rbd_spec *s,
	const struct rbd_facts *like, uint64_t bytes, struct rbd_scratch *ret, struct err *reterr);
/* rbd_scratch_sign - note the maker in the open image. 0, -errno. */
int rbd_scratch_sign(const struct rbd_image *i);
/* rbd_scratch_remove - 0, also where there is none; -errno with the command that removes it. */
int rbd_scratch_remove(const struct rbd_conn *c, struct rbd_scratch *s, struct err *reterr);

/* rbd_scratch_leftovers - look for earlier runs' images. @ret: [{"name", "removed", "why"}]. */
int rbd_scratch_leftovers(const struct rbd_conn *c, const struct rbd_spec *s, struct json **ret,
	struct err *reterr);

#endif
