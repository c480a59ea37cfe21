/* rbd_lib.h - librbd and librados, loaded when they are first needed.
 *
 * The program neither links nor builds with Ceph: most drives are tested on hosts without it, and
 * a package of ours must not draw in 60 MB of libraries. So the few prototypes that are used stand
 * here, written from the public C interface (librados.so.2, librbd.so.1: the names and types below
 * are the same from Pacific, 16.2, to Tentacle, 20.2). tests/ceph/prototypes.sh compares them with
 * the installed headers, where there are any. Handles are void *, as there.
 *
 * Thread-safe; the libraries are never unloaded (their threads would lose their code).
 */
#ifndef SSDQUAL_PROBES_RBD_LIB_H
#define SSDQUAL_PROBES_RBD_LIB_H

#include "data/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Layouts of the public interface. */
struct rbd_lib_spec {   /* rbd_image_spec_t */
	char *id, *name;
};
struct rbd_lib_option { /* rbd_config_option_t */
	char *name, *value;
	int source; /* 0 config, 1 pool, 2 image */
};
struct rbd_lib_info {   /* rbd_image_info_t */
	uint64_t size, obj_size, num_objs;
	int order;
	char block_name_prefix[24];
	int64_t parent_pool;
	char parent_name[96];
};
typedef void (*rbd_lib_callback)(void *completion, void *arg);

enum { /* names of rbd_image_options_set_*() */
	RBD_LIB_FORMAT = 0, RBD_LIB_FEATURES = 1, RBD_LIB_ORDER = 2, RBD_LIB_STRIPE_UNIT = 3,
	RBD_LIB_STRIPE_COUNT = 4, RBD_LIB_DATA_POOL = 10,
};
#define RBD_LIB_NAME_MAX 96 /* of an image, RBD_MAX_IMAGE_NAME_SIZE */

#define RBD_LIB_RADOS(X) \
	X(int, rados_create, (void **cluster, const char *id)) \
	X(int, rados_conf_read_file, (void *cluster, const char *path)) \
	X(int, rados_conf_parse_env, (void *cluster, const char *var)) \
	X(int, rados_conf_set, (void *cluster, const char *option, const char *value)) \
	X(int, rados_conf_get, (void *cluster, const char *option, char *buf, size_t len)) \
	X(int, rados_connect, (void *cluster)) \
	X(void, rados_shutdown, (void *cluster)) \
	X(int, rados_cluster_fsid, (void *cluster, char *buf, size_t len)) \
	X(int, rados_mon_command, (void *cluster, const char **cmd, size_t cmdlen, \
		const char *inbuf, size_t inbuflen, char **outbuf, size_t *outbuflen, \
		char **outs, size_t *outslen)) \
	X(void, rados_buffer_free, (char *buf)) \
	X(int, rados_ioctx_create, (void *cluster, const char *pool, void **io)) \
	X(void, rados_ioctx_destroy, (void *io)) \
	X(int64_t, rados_ioctx_get_id, (void *io)) \
	X(void, rados_ioctx_set_namespace, (void *io, const char *ns)) \
	X(int, rados_pool_reverse_lookup, (void *cluster, int64_t id, char *buf, size_t len)) \
	X(void *, rados_create_read_op, (void)) \
	X(void, rados_release_read_op, (void *op)) \
	X(void, rados_read_op_omap_get_vals2, (void *op, const char *start, const char *prefix, \
		uint64_t max, void **iter, unsigned char *more, int *rval)) \
	X(int, rados_read_op_operate, (void *op, void *io, const char *oid, int flags)) \
	X(void, rados_omap_get_end, (void *iter))

#define RBD_LIB_RBD(X) \
	X(void, rbd_version, (int *major, int *minor, int *extra)) \
	X(int, rbd_list2, (void *io, struct rbd_lib_spec *images, size_t *max)) \
	X(void, rbd_image_spec_list_cleanup, (struct rbd_lib_spec *images, size_t n)) \
	X(void, rbd_image_options_create, (void **opts)) \
	X(void, rbd_image_options_destroy, (void *opts)) \
	X(int, rbd_image_options_set_uint64, (void *opts, int name, uint64_t value)) \
	X(int, rbd_image_options_set_string, (void *opts, int name, const char *value)) \
	X(int, rbd_create4, (void *io, const char *name, uint64_t size, void *opts)) \
	X(int, rbd_remove, (void *io, const char *name)) \
	X(int, rbd_open, (void *io, const char *name, void **image, const char *snap)) \
	X(int, rbd_open_read_only, (void *io, const char *name, void **image, const char *snap)) \
	X(int, rbd_close, (void *image)) \
	X(int, rbd_stat, (void *image, struct rbd_lib_info *info, size_t len)) \
	X(int, rbd_get_features, (void *image, uint64_t *features)) \
	X(int, rbd_get_op_features, (void *image, uint64_t *features)) \
	X(int, rbd_get_stripe_unit, (void *image, uint64_t *unit)) \
	X(int, rbd_get_stripe_count, (void *image, uint64_t *count)) \
	X(int, rbd_get_id, (void *image, char *id, size_t len)) \
	X(int64_t, rbd_get_data_pool_id, (void *image)) \
	X(int, rbd_get_create_timestamp, (void *image, struct timespec *t)) \
	X(int, rbd_get_overlap, (void *image, uint64_t *overlap)) \
	X(int, rbd_get_parent, (void *image, void *parent, void *snap)) \
	X(void, rbd_linked_image_spec_cleanup, (void *image)) \
	X(void, rbd_snap_spec_cleanup, (void *snap)) \
	X(int, rbd_snap_list, (void *image, void *snaps, int *max)) \
	X(int, rbd_list_children3, (void *image, void *images, size_t *max)) \
	X(int, rbd_watchers_list, (void *image, void *watchers, size_t *max)) \
	X(int, rbd_config_image_list, (void *image, struct rbd_lib_option *options, int *max)) \
	X(void, rbd_config_image_list_cleanup, (struct rbd_lib_option *options, int max)) \
	X(int, rbd_metadata_get, (void *image, const char *key, char *value, size_t *len)) \
	X(int, rbd_metadata_set, (void *image, const char *key, const char *value)) \
	X(ssize_t, rbd_read, (void *image, uint64_t offset, size_t len, char *buf)) \
	X(ssize_t, rbd_write, (void *image, uint64_t offset, size_t len, const char *buf)) \
	X(int, rbd_flush, (void *image)) \
	X(int, rbd_aio_create_completion, (void *arg, rbd_lib_callback cb, void **completion)) \
	X(ssize_t, rbd_aio_get_return_value, (void *completion)) \
	X(void, rbd_aio_release, (void *completion)) \
	X(int, rbd_aio_write, (void *image, uint64_t offset, size_t len, const char *buf, \
		void *completion)) \
	X(int, rbd_aio_read, (void *image, uint64_t offset, size_t len, char *buf, \
		void *completion))

#define RBD_LIB_MEMBER(type, name, args) type (*name) args;
struct rbd_lib {
	RBD_LIB_RADOS(RBD_LIB_MEMBER)
	RBD_LIB_RBD(RBD_LIB_MEMBER)
	const char *version; /* of the libraries: "16.2.15"; NULL: they do not tell */
};
#undef RBD_LIB_MEMBER

/* rbd_lib_get - the libraries, loaded at the first call. -EOPNOTSUPP, ERR_UNSUPPORTED: absent, or
 * older than the functions above; says which, and what to install. The environment's
 * SSDQUAL_LIBRBD and SSDQUAL_LIBRADOS name other files (for tests, and builds of one's own). */
int rbd_lib_get(const struct rbd_lib **ret, struct err *reterr);

#endif
