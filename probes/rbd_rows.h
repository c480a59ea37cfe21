/* rbd_rows.h - the battery `rbd`: what a model of librbd's caches needs to know of a cluster.
 *
 * All rows run without any cache, on blocks that were written before. Keys are never renamed;
 * data/backend_result.c reads them.
 *   write-4k, read-4k        one at a time, back to back
 *   pair-0us .. pair-10ms    a 4 KiB write, a flush, then a pause: latency depends on the pace
 *   flush                    a flush with nothing to write
 *   meta, meta-3ms, meta-20ms  one omap read of the image's header, at three paces
 *   image-meta               the same of the image that was named, where a scratch image is used
 *   refresh                  the stall that a metadata change makes: rbd_metadata_set(), then at
 *                            once a 4 KiB write, less the plain write that follows it; 1 ns where
 *                            the first was not slower. Its parts: metadata-set, refresh-write,
 *                            refresh-plain
 *   depth-2 .. depth-128     random 4 KiB writes, until two steps deeper gain less than a tenth
 *
 * To add a row: one line in rbd_rows.c; the text above; docs/ssdqual.8; tests/ceph/run-rbd.sh.
 */
#ifndef SSDQUAL_PROBES_RBD_ROWS_H
#define SSDQUAL_PROBES_RBD_ROWS_H

#include "probes/load.h"

enum rbd_row_kind { RBD_ROW_LOAD, RBD_ROW_FLUSH, RBD_ROW_META, RBD_ROW_IMAGE_META,
	RBD_ROW_REFRESH };

struct rbd_row {
	const char *key, *label;
	enum rbd_row_kind kind;
	enum load_rw rw;
	uint32_t depth;
	bool flush;
	uint64_t pause_ns;
};

#define RBD_ROW_COUNT 20
extern const struct rbd_row rbd_rows[RBD_ROW_COUNT]; /* in the order in which they run */
const struct rbd_row *rbd_row_find(const char *key); /* NULL: none */

/* How much of a cluster that others use may be taken. */
struct rbd_impact {
	const char *name;
	uint32_t depth;        /* most I/Os in flight */
	uint64_t row_ns;       /* time of a row, at most */
	uint64_t span_bytes;   /* of the scratch image, or of the start of an existing one */
	uint64_t write_bytes;  /* written in all, at most, the first filling included */
};
enum { RBD_IMPACT_LOW, RBD_IMPACT_MEDIUM, RBD_IMPACT_HIGH, RBD_IMPACT_COUNT };
extern const struct rbd_impact rbd_impacts[RBD_IMPACT_COUNT];

#define RBD_BLOCK 4096u

/* rbd_row_params - what load_run() needs for a row of RBD_ROW_LOAD; the image is the caller's. */
void rbd_row_params(const struct rbd_row *row, uint64_t span, uint64_t runtime_ns,
	uint64_t randseed, struct load_params *ret);

#endif
