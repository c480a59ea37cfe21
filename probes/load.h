/* load.h - the load generator: one set of fio-named parameters in, one measurement out.
 *
 * Closed loop (iodepth outstanding I/Os a job) or paced (rate_iops: latency counts from when the
 * I/O was due, beside the uncorrected one from the actual submit). Between the start and the end
 * of a run nothing is allocated, locked or logged; buffers and histograms are made and touched
 * before. Jobs are threads; load_run() itself only sleeps, publishes ticks and joins them.
 *
 * A durable write is the write and the sync that follows it; its latency runs from submit of the
 * write to return of the sync. With fsync=N > 1 the sync's time belongs to the Nth write.
 */
#ifndef SSDQUAL_PROBES_LOAD_H
#define SSDQUAL_PROBES_LOAD_H

#include "data/err.h"
#include "data/result.h"

#include <stdatomic.h>

struct rbd_image;

enum load_rw { RW_WRITE, RW_RANDWRITE, RW_READ, RW_RANDREAD };
enum load_sync { SYNC_NONE, SYNC_DSYNC, SYNC_SYNC }; /* sync=: open flag O_DSYNC / O_SYNC */

/* Where a file-set workload (etcd's segments) gets its next file. Called between two I/Os when the
 * sequential position reaches `size`; its time is in no latency. Returns 0 and an open descriptor
 * that the source keeps owning, or -errno. */
struct load_file_source {
	int (*next)(void *ctx, int *ret_fd, struct err *reterr);
	void *ctx;
};

/* Names, meaning and defaults are fio's (HOWTO, "I/O type", "Block size", ...) unless said. */
struct load_params {
	const char *engine;    /* "libaio", "sync", "null", "rbd" (engine_table) */
	const char *filename;  /* for messages and the document */
	int fd;                /* open, flags as load_open_flags() says; stays the caller's */
	struct rbd_image *image; /* engine rbd: instead of fd; held by a reference during the run */
	const struct load_file_source *files; /* NULL: only fd */
	uint64_t offset, size; /* span of the target used, bytes; multiples of bs */
	enum load_rw rw;
	uint32_t bs;
	uint32_t iodepth;      /* >= 1, at most 1024; sync engine: 1 */
	uint32_t numjobs;      /* >= 1, at most 64; random jobs share the span, linear ones split it */
	uint64_t runtime_ns;   /* 0: until `size` bytes (per job) are done */
	uint64_t io_limit;     /* most I/Os over all jobs; 0: none */
	bool time_based;       /* start over at the end of the span until runtime_ns */
	enum load_sync sync;
	uint32_t fsync, fdatasync; /* sync after every N writes; 0: never; not both */
	bool direct;
	uint64_t thinktime_ns; /* idle after each I/O and its sync (fio's falls before the sync) */
	uint32_t rate_iops;    /* paced, over one job; 0: closed loop */
	bool norandommap;      /* true: uniform offsets, repeats allowed (our default); false: a
				* permutation of the span's blocks, each once a pass */
	uint64_t randseed;
	bool zero_buffers, refill_buffers;
	uint32_t buffer_compress_percentage; /* 0..100 */
	uint32_t batch_submit, batch_complete_max; /* iodepth_batch_submit, ..._complete_max; 0: 1 */
	uint32_t buffer_align; /* logical block size, power of two */
	uint64_t null_latency_ns; /* engine null: how long an I/O takes */
};

void load_params_init(struct load_params *p); /* the defaults */
int load_params_check(const struct load_params *p, struct err *reterr); /* ERR_USAGE, -EINVAL */
int load_open_flags(const struct load_params *p); /* O_* for open(2): direct, sync, mode, O_CLOEXEC */
int load_params_to_json(const struct load_params *p, struct json *obj); /* fio's names */
/* Bytes of buffers that a run with @p holds, for plans and the memory limit. */
uint64_t load_buffer_bytes(const struct load_params *p);

/* What is known while a run goes on: figures of the seconds that are over. */
struct load_tick {
	double elapsed_s, total_s; /* total_s: 0 when the end is not known in time */
	uint64_t ios, bytes;       /* so far */
	struct timeline_second last; /* the newest whole second */
	const struct hist *lat;    /* latencies so far; during the call only; NULL: not known */
};
struct load_watch {
	void (*tick)(void *ctx, const struct load_tick *t); /* about once a second; may be NULL */
	void *ctx;
	const atomic_bool *stop; /* true ends the run after the I/Os in flight; may be NULL */
};

/* load_run - run @p and fill @m (params, figures, timeline, stop, error).
 * Returns 0 when the run measured something, also when it was stopped or ended on an I/O error
 * (m->stop says so); -errno with @reterr when it could not start. */
int load_run(const struct load_params *p, const struct load_watch *watch, struct measurement *m,
	struct err *reterr);

#endif
