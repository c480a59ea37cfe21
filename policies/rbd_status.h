/* rbd_status.h - who has an image open, and what its persistent cache held.
 *
 * Reads `rbd status POOL/IMAGE --format json` of every generation:
 *   Quincy and later   persistent_cache {host, path, size, dirty_bytes, hits_full, ...}
 *   development builds persistent_cache {pwl_host, pwl_path, pwl_size, pwl_bytes_dirty, ...}
 *   first Pacific      image_cache_state {clean, size, host, path}: `clean` is always false there,
 *                      sizes above 2 GiB went through 32 bits
 * Source: ceph src/tools/rbd/action/Status.cc; ceph PR 41194 (tracker 50613), PR 45684.
 * Pure; figures up to 5 s old where a client has the image open.
 */
#ifndef SSDQUAL_POLICIES_RBD_STATUS_H
#define SSDQUAL_POLICIES_RBD_STATUS_H

#include "data/err.h"
#include "data/json.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

enum log_state {
	LOG_NONE,      /* no section: no persistent cache is active */
	LOG_READ,      /* the section below is filled */
	LOG_UNTRUSTED, /* there is a section, with figures that cannot be */
};

#define RBD_STATUS_TEXT 128
#define RBD_STATUS_WATCHERS 8 /* addresses kept; the count goes on */

struct rbd_status {
	size_t watchers;
	char watcher[RBD_STATUS_WATCHERS][64]; /* addresses */
	bool watchers_known;
	enum log_state log;
	const char *generation;   /* "persistent_cache", "pwl", "image_cache_state"; "" without */
	char problem[160];        /* what is not to be trusted, and the remedy; "" */
	char host[RBD_STATUS_TEXT], path[RBD_STATUS_TEXT * 2], mode[16];
	char timestamp[40];       /* as given; an epoch is written out in UTC */
	enum answer present, empty, clean;
	/* Bytes and counts; NAN: not given. */
	double size_bytes, allocated_bytes, cached_bytes, dirty_bytes, free_bytes;
	double hits_full, hits_partial, misses, hit_bytes, miss_bytes;
	/* Recomputed from the counts; NAN: nothing was read. Whole percent, [0, 100]. */
	double hits_full_pct, hits_partial_pct;
};

/* rbd_status_parse - @file is for messages. -EBADMSG, ERR_INPUT when @doc is no such document;
 * keys that are not known are passed over. @ret is undefined after a failure. */
int rbd_status_parse(const struct json *doc, const char *file, struct rbd_status *ret,
	struct err *reterr);

/* rbd_status_dirty - does a log hold data that the cluster has not? ANSWER_UNKNOWN where the
 * section is untrusted or does not say. */
enum answer rbd_status_dirty(const struct rbd_status *s);
/* rbd_status_text - "none active", "present, dirty", "state untrusted (size invalid)", ... */
void rbd_status_text(const struct rbd_status *s, char *buf, size_t len);

#endif
