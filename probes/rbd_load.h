/* rbd_load.h - the write side of an application on an image: writes, flushes, pauses.
 *
 * A stream writes `writes` times, makes them durable as its guest would, pauses, and starts again;
 * `streams` of them share the image, each a thread with one call in flight. A guest's sync is
 *   raw, overwrite   the flush
 *   append           a journal write, a flush, a commit block, a flush
 * after the last write, which counts with it: a guest's fdatasync writes the data first. The journal
 * lies in objects of its own, at the end of the span.
 * Source of the phases: policies/model.h's guest stacks, ext4's ordered journal.
 */
#ifndef SSDQUAL_PROBES_RBD_LOAD_H
#define SSDQUAL_PROBES_RBD_LOAD_H

#include "data/hist.h"
#include "probes/rbd_image.h"

#include <stdatomic.h>

#define RBD_LOAD_STREAMS 128

struct rbd_load {
	struct rbd_image *image;
	uint64_t span;          /* bytes of the image used; written before */
	uint32_t streams;       /* 1 to RBD_LOAD_STREAMS */
	uint64_t write_bytes;   /* of one write: 512 to 4 MiB */
	uint64_t writes;        /* between two syncs, >= 1 */
	bool syncs;
	uint64_t journal_bytes; /* > 0: the sync has a journal, and its first write is so long, at most 1 MiB */
	bool random;            /* offsets; else in order, each stream in a part of its own */
	uint64_t hot_bytes;     /* random offsets fall into the first so many bytes; 0: the span */
	uint64_t think_ns;      /* after each sync, or each write without syncs */
	uint64_t burst_writes;  /* of a stream, then gap_ns; 0: no bursts */
	uint64_t gap_ns;
	uint64_t runtime_ns, write_limit; /* write_limit: bytes, all streams; 0: none */
	uint64_t randseed;
	const atomic_bool *stop;
};

struct rbd_load_figures {
	/* A write; the flush (the first one) after it; the two together; the whole sync. */
	struct hist *write, *flush, *pair, *sync; /* owned */
	uint64_t writes, bytes, runtime_ns; /* writes of data; bytes of all */
	bool limited; /* ended by write_limit */
};

/* rbd_load_run - run it. One write and flush before anything is timed (the first takes the
 * exclusive lock, and tells the caches that the client flushes). 0, also when stopped; -errno,
 * ERR_DEVICE: a call failed, *ret then holds what was measured until then, or nothing (hists NULL).
 * Free with rbd_load_done(). */
int rbd_load_run(const struct rbd_load *l, struct rbd_load_figures *ret, struct err *reterr);
/* rbd_load_merge - add @from's figures to @to (zeroed at first). 0, -ENOMEM. */
int rbd_load_merge(struct rbd_load_figures *to, const struct rbd_load_figures *from);
void rbd_load_done(struct rbd_load_figures *f);

#endif
