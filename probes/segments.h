/* segments.h - an endless supply of fresh, preallocated files in a folder, as etcd's log uses them.
 *
 * Each segment is a scratch file (no name: scratch.h) whose blocks are allocated up to its full
 * size (fallocate, mode 0: the size grows too) and which is synced before it is handed out, as etcd
 * syncs a new file before it appends to it. A segment is never handed out twice. The newest
 * SEGMENTS_KEPT stay, older ones are given back to the file system: etcd keeps five by default
 * (--max-wals), so the space in use is bounded in the same way.
 * Source: etcd, server/storage/wal/wal.go (SegmentSizeBytes), file_pipeline.go.
 */
#ifndef SSDQUAL_PROBES_SEGMENTS_H
#define SSDQUAL_PROBES_SEGMENTS_H

#include "probes/load.h"

#define SEGMENT_BYTES ((uint64_t)64 << 20)
#define SEGMENTS_KEPT 5

struct segments {
	const char *dir;  /* borrowed */
	uint64_t bytes;   /* of one segment */
	int fd[SEGMENTS_KEPT];
	uint64_t made;    /* segments handed out so far */
	struct load_file_source source; /* for load_params.files */
};

/* segments_init - no file is made yet. @s must not move while its source is in use. */
void segments_init(struct segments *s, const char *dir, uint64_t bytes);

/* segments_next - the next segment's descriptor, which @s keeps owning. The oldest of SEGMENTS_KEPT
 * is closed first. -ENOSPC and others: scratch_open(), scratch_allocate(), or the sync. */
int segments_next(struct segments *s, int *ret_fd, struct err *reterr);

void segments_done(struct segments *s); /* closes, and so removes, every segment */

#endif
