/* rbd_image.h - an open RBD image, and what can be known of it.
 *
 * An image is counted: whoever has I/O in flight on it holds a reference, so that one whose I/O
 * never comes back is never closed (librbd would wait for ever) and never removed.
 * The connection must outlive the image.
 */
#ifndef SSDQUAL_PROBES_RBD_IMAGE_H
#define SSDQUAL_PROBES_RBD_IMAGE_H

#include "probes/rbd_conn.h"

struct rbd_image; /* opaque */

/* rbd_image_open - the image @name in the pool of @s. -ENOENT, ERR_USAGE: no such image;
 * ERR_DEVICE otherwise. A read-only handle is no watcher, takes no lock and changes nothing. */
int rbd_image_open(const struct rbd_conn *c, const struct rbd_spec *s, const char *name,
	bool read_only, struct rbd_image **ret, struct err *reterr);
/* rbd_image_close - give up a reference; the last one closes. Accepts NULL. -EBUSY: others hold
 * it still (I/O that does not come back), it stays open. */
int rbd_image_close(struct rbd_image *i);
bool rbd_image_is_held(const struct rbd_image *i); /* by others, too; NULL: no */
struct rbd_image *rbd_image_hold(struct rbd_image *i); /* one more reference; returns @i */

/* For those who do I/O: librbd's handle, and the functions that take it. */
void *rbd_image_handle(const struct rbd_image *i);
const struct rbd_lib *rbd_image_lib(const struct rbd_image *i);
const char *rbd_image_name(const struct rbd_image *i);

#define RBD_FEATURE_LAYERING  (UINT64_C(1) << 0)
#define RBD_FEATURE_STRIPING  (UINT64_C(1) << 1)
#define RBD_FEATURE_LOCK      (UINT64_C(1) << 2)
#define RBD_FEATURE_MAP       (UINT64_C(1) << 3)
#define RBD_FEATURE_DIFF      (UINT64_C(1) << 4)
#define RBD_FEATURE_FLATTEN   (UINT64_C(1) << 5)
#define RBD_FEATURE_JOURNAL   (UINT64_C(1) << 6)
#define RBD_FEATURE_DATA_POOL (UINT64_C(1) << 7)
#define RBD_FEATURE_MIGRATING (UINT64_C(1) << 9)
#define RBD_FEATURE_COUNT 12
extern const char *const rbd_feature_name[RBD_FEATURE_COUNT]; /* by bit; as `rbd info` has them */

struct rbd_facts {
	uint64_t size_bytes, object_bytes, stripe_unit, stripe_count;
	uint64_t features, op_features;
	unsigned order;      /* log2 of object_bytes */
	char id[64];
	char data_pool[RBD_WORD_MAX]; /* "" where the data lies in the image's own pool */
	size_t watchers, snapshots, children;
	bool parent;
};

/* rbd_image_ask - fill @ret. Watchers are those of others when @i is read-only. ERR_DEVICE. */
int rbd_image_ask(const struct rbd_conn *c, const struct rbd_image *i, struct rbd_facts *ret,
	struct err *reterr);
/* rbd_facts_refresh_reads - k: serial reads that a refresh of the image makes. @ret_more: a parent
 * may add to it. Source: ceph src/librbd/image/RefreshRequest.cc, 18.2.7 and 20.2.4: mutable
 * metadata, parent, image metadata, pool metadata, group; then snapshots, op features, migration
 * header where there are any. */
unsigned rbd_facts_refresh_reads(const struct rbd_facts *f, bool *ret_more);
struct json *rbd_facts_json(const struct rbd_facts *f); /* the document's target.rbd.image */

/* rbd_image_config - the effective option of the open image, with the level that set it ("config",
 * "pool", "image"). -ENOENT: librbd has no such option. */
int rbd_image_config(const struct rbd_image *i, const char *option, char *value, size_t len,
	const char **ret_level);
/* rbd_image_config_json - all of them, as `rbd config image list --format json` prints them. */
int rbd_image_config_json(const struct rbd_image *i, struct json **ret, struct err *reterr);

/* rbd_image_header_read - one omap read of the header object of image @id. 0, -errno. */
int rbd_image_header_read(const struct rbd_image *i, const char *id);

#endif
