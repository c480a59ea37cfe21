/* fill.h - write a span from start to end, once or round and round, before something is measured.
 *
 * Used for --fill (a drive whose flash is empty or whose fast cache is free tells little about its
 * later life) and to lay out scratch files: an overwrite of a block that was never written costs a
 * file system's journal commit, and a read of one costs nothing at all.
 */
#ifndef SSDQUAL_PROBES_FILL_H
#define SSDQUAL_PROBES_FILL_H

#include "probes/load.h"

#define FILL_BS ((uint32_t)1 << 20)

struct fill {
	const char *engine;   /* "libaio" for direct, "sync" for buffered; "null" in tests */
	const char *filename; /* for messages */
	int fd;               /* open for writing, O_DIRECT where @direct */
	uint64_t offset, size; /* the span, bytes; with direct multiples of @align */
	uint64_t bytes;       /* how much is written: a multiple of size, or one lap when 0 */
	bool direct;
	uint32_t align;       /* logical block */
	bool zero_buffers;
	uint64_t randseed;
};

/* fill_lap_bytes - @bytes rounded up to whole laps of @size, at least one. */
uint64_t fill_lap_bytes(uint64_t size, uint64_t bytes);

/* fill_run - write, then sync. @watch as for load_run(): ticks count over all laps (total_s 0).
 * Returns 0 and *ret_written; when stopped by @watch, 0 with less than asked for. -errno on the
 * first I/O error, with the place in the message (ERR_DEVICE); *ret_written is set then, too. */
int fill_run(const struct fill *f, const struct load_watch *watch, uint64_t *ret_written,
	struct err *reterr);

#endif
