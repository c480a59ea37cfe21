/* rbd_rows.c - the battery `rbd`: what a model of librbd's caches needs to know of a cluster. */
#include "probes/rbd_rows.h"

#include <string.h>

#define MS UINT64_C(1000000)
#define MIB (UINT64_C(1) << 20)

#define PAIR(k, l, pause) { .key = (k), .label = (l), .rw = RW_WRITE, .depth = 1, \
	.flush = true, .pause_ns = (pause) }
#define DEPTH(k, l, d) { .key = (k), .label = (l), .rw = RW_RANDWRITE, .depth = (d) }

const struct rbd_row rbd_rows[RBD_ROW_COUNT] = {
	{ .key = "write-4k", .label = "4 KiB write", .rw = RW_RANDWRITE, .depth = 1 },
	{ .key = "read-4k", .label = "4 KiB read", .rw = RW_RANDREAD, .depth = 1 },
	PAIR("pair-0us", "Write + flush, no pause", 0),
	PAIR("pair-200us", "Write + flush, 0.2 ms", MS / 5),
	PAIR("pair-3ms", "Write + flush, 3 ms", 3 * MS),
	PAIR("pair-10ms", "Write + flush, 10 ms", 10 * MS),
	{ .key = "flush", .label = "Flush, nothing to write", .kind = RBD_ROW_FLUSH, .depth = 1 },
	{ .key = "meta", .label = "Header read", .kind = RBD_ROW_META, .depth = 1 },
	{ .key = "meta-3ms", .label = "Header read, each 3 ms", .kind = RBD_ROW_META, .depth = 1,
	  .pause_ns = 3 * MS },
	{ .key = "meta-20ms", .label = "Header read, each 20 ms", .kind = RBD_ROW_META, .depth = 1,
	  .pause_ns = 20 * MS },
	{ .key = "image-meta", .label = "Header read, the image's", .kind = RBD_ROW_IMAGE_META,
	  .depth = 1 },
	{ .key = "refresh", .label = "Refresh stall", .kind = RBD_ROW_REFRESH, .depth = 1 },
	DEPTH("depth-2", "4 KiB writes, depth 2", 2),
	DEPTH("depth-4", "4 KiB writes, depth 4", 4),
	DEPTH("depth-8", "4 KiB writes, depth 8", 8),
	DEPTH("depth-16", "4 KiB writes, depth 16", 16),
	DEPTH("depth-32", "4 KiB writes, depth 32", 32),
	DEPTH("depth-64", "4 KiB writes, depth 64", 64),
	DEPTH("depth-96", "4 KiB writes, depth 96", 96),
	DEPTH("depth-128", "4 KiB writes, depth 128", 128),
};

const struct rbd_impact rbd_impacts[RBD_IMPACT_COUNT] = {
	[RBD_IMPACT_LOW] = { .name = "low", .depth = 8, .row_ns = 5000 * MS,
		.span_bytes = 64 * MIB, .write_bytes = 256 * MIB },
	[RBD_IMPACT_MEDIUM] = { .name = "medium", .depth = 32, .row_ns = 15000 * MS,
		.span_bytes = 512 * MIB, .write_bytes = 4096 * MIB },
	[RBD_IMPACT_HIGH] = { .name = "high", .depth = 128, .row_ns = 60000 * MS,
		.span_bytes = 2048 * MIB, .write_bytes = 65536 * MIB },
};

const struct rbd_row *rbd_row_find(const char *key)
{
	for (size_t i = 0; i < RBD_ROW_COUNT; i++)
		if (strcmp(rbd_rows[i].key, key) == 0)
			return &rbd_rows[i];
	return NULL;
}

void rbd_row_params(const struct rbd_row *row, uint64_t span, uint64_t runtime_ns,
	uint64_t randseed, struct load_params *ret)
{
	load_params_init(ret);
	ret->engine = "rbd";
	ret->rw = row->rw;
	ret->bs = RBD_BLOCK;
	ret->iodepth = row->depth;
	ret->size = span;
	ret->runtime_ns = runtime_ns;
	ret->time_based = true;
	ret->direct = true;
	ret->fsync = row->flush ? 1 : 0;
	ret->thinktime_ns = row->pause_ns;
	ret->randseed = randseed;
}
