/* engine.h - how an I/O reaches the target: one const table of operations an engine.
 *
 * An engine belongs to one job, which is one thread: no call is concurrent with another on the
 * same state. The job owns the engine_io objects and their buffers; between submit() accepting one
 * and reap() returning it they are the engine's. No hook but open() and close() allocates.
 *
 * To add an engine: probes/engine_NAME.c with static functions and one const instance last, one
 * extern and one row in probes/engine_table.c, one test file tests/probes/test_engine_NAME.c.
 */
#ifndef SSDQUAL_PROBES_ENGINE_H
#define SSDQUAL_PROBES_ENGINE_H

#include "data/err.h"
#include "probes/engine_sys.h"

#include <stdbool.h>
#include <stdint.h>

/* One I/O. An engine transfers bytes [done, len) of it: a short transfer is returned by reap() as
 * it is, the job adds it to `done` and submits the rest. */
struct engine_io {
	unsigned char *buf;
	uint64_t offset; /* of the first byte of the whole I/O, bytes into the target */
	uint32_t len, done;
	uint32_t index; /* 0 .. depth - 1, fixed: the engine's place for it */
	bool write;
	int64_t res;       /* set by reap(): bytes transferred by this submission, or -errno */
	uint64_t issue_ns; /* the job's: CLOCK_MONOTONIC at the first attempt to submit; 0: none */
	uint64_t due_ns;   /* the job's: when a paced load wanted it */
};

struct rbd_image;

struct engine_cfg {
	int fd;          /* borrowed; -1 for engine rbd */
	uint32_t depth;  /* most I/Os in flight */
	int write_flags; /* RWF_DSYNC or RWF_SYNC where each write must be durable by itself and
			  * the descriptor's open flags do not say so already; else 0 */
	uint64_t null_latency_ns;    /* engine null */
	struct rbd_image *image;     /* engine rbd: borrowed; it takes a reference of its own */
	const struct engine_sys *sys; /* system calls; tests script them */
};

#define ENGINE_NO_TIMEOUT UINT64_MAX

struct engine_ops {
	const char *name;    /* fio's ioengine= word where fio has it; never renamed */
	const char *summary; /* one line for help, no full stop */
	uint32_t max_depth;  /* most I/Os in flight */
	/* Required. 0 and *ret_state, or -errno with @reterr. */
	int (*open)(const struct engine_cfg *cfg, void **ret_state, struct err *reterr);
	/* Required. Accepts NULL. Waits for I/Os in flight where the kernel makes it wait. */
	void (*close)(void *state);
	/* Required. Hands over ios[0 .. n-1] in order. Returns how many were accepted (fewer than
	 * @n, also 0, when the kernel has no room now: reap, then try again), or -errno of the
	 * first one, which was not accepted. May block (sync: for the whole I/O). */
	int (*submit)(void *state, struct engine_io *const *ios, unsigned n);
	/* Required. At least one of the I/Os in flight, at most @max (>= 1), into @done; waits at
	 * most @timeout_ns (ENGINE_NO_TIMEOUT: for ever). Returns their number, 0 when the time is
	 * over or a signal came, or -errno when completions cannot be read at all. */
	int (*reap)(void *state, struct engine_io **done, unsigned max, uint64_t timeout_ns);
	/* Required. fdatasync (@data_only) or fsync of the target; 0 or -errno. Blocks. */
	int (*sync)(void *state, bool data_only);
	/* Required. Use @fd from now on; nothing is in flight. */
	void (*set_fd)(void *state, int fd);
};

extern const struct engine_ops engine_aio, engine_sync, engine_null, engine_rbd;
extern const struct engine_ops *const engine_table[]; /* NULL-terminated, in display order */

const struct engine_ops *engine_find(const char *name); /* NULL: none of that name */

#endif
