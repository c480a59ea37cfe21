/* fake_rbd.h - librbd and librados in memory, for tests: one pool, images by name, scripted faults. */
#ifndef SSDQUAL_TESTS_PROBES_FAKE_RBD_H
#define SSDQUAL_TESTS_PROBES_FAKE_RBD_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rbd_site.h"

#define FAKE_IMAGES 8
struct fake_image {
	char name[RBD_LIB_NAME_MAX + 1], owner[128];
	uint64_t size, features, op_features;
	int snapshots, watchers, children, opened;
	bool parent, old;
	char cache[16], level; /* of rbd_cache as opened: 'c', 'p', 'i' */
};

static struct fake {
	struct fake_image image[FAKE_IMAGES];
	int fail_write_at;   /* the Nth write of blocks fails; 0: none */
	int writes, flushes, sets, header_reads, removed;
	int remove_error, create_error;
	bool pool_cache_on;  /* the pool sets rbd_cache */
	pthread_mutex_t lock;
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct fake_completion {
	rbd_lib_callback cb;
	void *arg;
	ssize_t r;
};

static struct fake_image *fake_find(const char *name)
{
	for (int i = 0; i < FAKE_IMAGES; i++)
		if (fake.image[i].name[0] && !strcmp(fake.image[i].name, name))
			return &fake.image[i];
	return NULL;
}

static struct fake_image *fake_add(const char *name, uint64_t size)
{
	for (int i = 0; i < FAKE_IMAGES; i++) {
		struct fake_image *f = &fake.image[i];

		if (f->name[0])
			continue;
		*f = (struct fake_image){ .size = size, .features = RBD_FEATURE_LAYERING |
			RBD_FEATURE_LOCK, .level = 'c' };
		snprintf(f->name, sizeof(f->name), "%s", name);
		return f;
	}
	return NULL;
}

static void fake_reset(void)
{
	memset(fake.image, 0, sizeof(fake.image));
	fake.fail_write_at = fake.writes = fake.flushes = fake.sets = fake.header_reads = 0;
	fake.removed = fake.remove_error = fake.create_error = 0;
	fake.pool_cache_on = false;
}

/* -- librados ------------------------------------------------------------------------------- */

static int fk_io(void *cluster, const char *pool, void **io)
{
	(void)cluster;
	*io = &fake;
	return strcmp(pool, "rbd") ? -ENOENT : 0;
}

static void fk_io_done(void *io)
{
	(void)io;
}

static void fk_ns(void *io, const char *ns)
{
	(void)io;
	(void)ns;
}

static void *fk_op(void)
{
	return &fake;
}

static void fk_op_done(void *op)
{
	(void)op;
}

static void fk_vals(void *op, const char *start, const char *prefix, uint64_t max, void **iter,
	unsigned char *more, int *rval)
{
	(void)op, (void)start, (void)prefix, (void)max;
	*iter = NULL;
	*more = 0;
	*rval = 0;
}

static int fk_operate(void *op, void *io, const char *oid, int flags)
{
	(void)op, (void)io, (void)flags;
	fake.header_reads++;
	return strncmp(oid, "rbd_header.", 11) ? -ENOENT : 0;
}

/* -- librbd --------------------------------------------------------------------------------- */

static int fk_list(void *io, struct rbd_lib_spec *images, size_t *max)
{
	size_t n = 0;

	(void)io;
	for (int i = 0; i < FAKE_IMAGES; i++)
		n += fake.image[i].name[0] != '\0';
	if (*max < n) {
		*max = n;
		return -ERANGE;
	}
	*max = n;
	n = 0;
	for (int i = 0; i < FAKE_IMAGES; i++)
		if (fake.image[i].name[0])
			images[n++] = (struct rbd_lib_spec){ strdup("id"),
				strdup(fake.image[i].name) };
	return 0;
}

static void fk_list_done(struct rbd_lib_spec *images, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(images[i].id);
		free(images[i].name);
	}
}

static void fk_opts(void **opts)
{
	*opts = &fake;
}

static void fk_opts_done(void *opts)
{
	(void)opts;
}

static int fk_opt_u64(void *opts, int name, uint64_t value)
{
	(void)opts, (void)name, (void)value;
	return 0;
}

static int fk_opt_str(void *opts, int name, const char *value)
{
	(void)opts, (void)name, (void)value;
	return 0;
}

static int fk_create(void *io, const char *name, uint64_t size, void *opts)
{
	(void)io, (void)opts;
	return fake.create_error ? fake.create_error : fake_add(name, size) ? 0 : -ENOSPC;
}

static int fk_remove(void *io, const char *name)
{
	struct fake_image *f = fake_find(name);

	(void)io;
	if (fake.remove_error)
		return fake.remove_error;
	if (!f)
		return -ENOENT;
	if (f->opened)
		return -EBUSY;
	fake.removed++;
	f->name[0] = '\0';
	return 0;
}

static int fk_open(void *io, const char *name, void **image, const char *snap)
{
	struct fake_image *f = fake_find(name);

	(void)io, (void)snap;
	if (!f)
		return -ENOENT;
	f->opened++;
	if (f->level != 'i') {
		f->level = fake.pool_cache_on ? 'p' : 'c';
		strcpy(f->cache, fake.pool_cache_on ? "true" : "false");
	}
	*image = f;
	return 0;
}

static int fk_close(void *image)
{
	((struct fake_image *)image)->opened--;
	return 0;
}

static int fk_stat(void *image, struct rbd_lib_info *info, size_t len)
{
	memset(info, 0, len);
	info->size = ((struct fake_image *)image)->size;
	info->obj_size = 4 << 20;
	info->order = 22;
	return 0;
}

static int fk_features(void *image, uint64_t *v)
{
	*v = ((struct fake_image *)image)->features;
	return 0;
}

static int fk_op_features(void *image, uint64_t *v)
{
	*v = ((struct fake_image *)image)->op_features;
	return 0;
}

static int fk_stripe(void *image, uint64_t *v)
{
	(void)image;
	*v = 1;
	return 0;
}

static int fk_id(void *image, char *id, size_t len)
{
	snprintf(id, len, "%.40s", ((struct fake_image *)image)->name);
	return 0;
}

static int64_t fk_data_pool(void *image)
{
	(void)image;
	return 1;
}

static int fk_created(void *image, struct timespec *t)
{
	t->tv_sec = ((struct fake_image *)image)->old ? 0 : time(NULL);
	return 0;
}

static int fk_parent(void *image, void *parent, void *snap)
{
	(void)parent, (void)snap;
	return ((struct fake_image *)image)->parent ? 0 : -ENOENT;
}

static void fk_spec_done(void *spec)
{
	(void)spec;
}

static int fk_snaps(void *image, void *snaps, int *max)
{
	(void)snaps;
	*max = ((struct fake_image *)image)->snapshots + 1;
	return -ERANGE;
}

static int fk_children(void *image, void *images, size_t *max)
{
	(void)images;
	*max = (size_t)((struct fake_image *)image)->children;
	return *max ? -ERANGE : 0;
}

static int fk_watchers(void *image, void *watchers, size_t *max)
{
	(void)watchers;
	*max = (size_t)((struct fake_image *)image)->watchers;
	return *max ? -ERANGE : 0;
}

static int fk_config(void *image, struct rbd_lib_option *o, int *max)
{
	struct fake_image *f = image;

	if (*max < 1) {
		*max = 1;
		return -ERANGE;
	}
	o[0] = (struct rbd_lib_option){ strdup("rbd_cache"), strdup(f->cache),
		f->level == 'i' ? 2 : f->level == 'p' };
	*max = 1;
	return 0;
}

static void fk_config_done(struct rbd_lib_option *o, int max)
{
	for (int i = 0; i < max; i++) {
		free(o[i].name);
		free(o[i].value);
	}
}

static int fk_get(void *image, const char *key, char *value, size_t *len)
{
	struct fake_image *f = image;

	if (strcmp(key, "ssdqual.owner") || !f->owner[0])
		return -ENOENT;
	*len = (size_t)snprintf(value, *len, "%s", f->owner);
	return 0;
}

static int fk_set(void *image, const char *key, const char *value)
{
	struct fake_image *f = image;

	fake.sets++;
	if (!strcmp(key, "ssdqual.owner"))
		snprintf(f->owner, sizeof(f->owner), "%s", value);
	if (!strcmp(key, "conf_rbd_cache")) {
		snprintf(f->cache, sizeof(f->cache), "%s", value);
		f->level = 'i';
	}
	return 0;
}

static ssize_t fk_write(void *image, uint64_t offset, size_t len, const char *buf)
{
	struct fake_image *f = image;
	int n;

	(void)buf;
	if (offset + len > f->size)
		return -EINVAL;
	pthread_mutex_lock(&fake.lock);
	n = ++fake.writes;
	pthread_mutex_unlock(&fake.lock);
	return n == fake.fail_write_at ? -EIO : (ssize_t)len;
}

static ssize_t fk_read(void *image, uint64_t offset, size_t len, char *buf)
{
	(void)image, (void)offset;
	memset(buf, 0, len);
	return (ssize_t)len;
}

static int fk_flush(void *image)
{
	(void)image;
	fake.flushes++;
	return 0;
}

static int fk_completion(void *arg, rbd_lib_callback cb, void **ret)
{
	struct fake_completion *c = calloc(1, sizeof(*c));

	*c = (struct fake_completion){ .cb = cb, .arg = arg };
	*ret = c;
	return 0;
}

static ssize_t fk_result(void *completion)
{
	return ((struct fake_completion *)completion)->r;
}

static int fk_finish(struct fake_completion *c, ssize_t r)
{
	c->r = r;
	c->cb(c, c->arg);
	return 0;
}

static int fk_aio_write(void *image, uint64_t offset, size_t len, const char *buf, void *completion)
{
	ssize_t n = fk_write(image, offset, len, buf);

	return fk_finish(completion, n < 0 ? n : 0);
}

static int fk_aio_read(void *image, uint64_t offset, size_t len, char *buf, void *completion)
{
	return fk_finish(completion, fk_read(image, offset, len, buf));
}

static void fk_version(int *major, int *minor, int *extra)
{
	*major = 1;
	*minor = 18;
	*extra = 0;
}

static const struct rbd_lib fake_lib = {
	.rados_ioctx_create = fk_io, .rados_ioctx_destroy = fk_io_done,
	.rados_ioctx_set_namespace = fk_ns, .rados_create_read_op = fk_op,
	.rados_release_read_op = fk_op_done, .rados_read_op_omap_get_vals2 = fk_vals,
	.rados_read_op_operate = fk_operate, .rbd_version = fk_version, .rbd_list2 = fk_list,
	.rbd_image_spec_list_cleanup = fk_list_done, .rbd_image_options_create = fk_opts,
	.rbd_image_options_destroy = fk_opts_done, .rbd_image_options_set_uint64 = fk_opt_u64,
	.rbd_image_options_set_string = fk_opt_str, .rbd_create4 = fk_create,
	.rbd_remove = fk_remove, .rbd_open = fk_open, .rbd_open_read_only = fk_open,
	.rbd_close = fk_close, .rbd_stat = fk_stat, .rbd_get_features = fk_features,
	.rbd_get_op_features = fk_op_features, .rbd_get_stripe_unit = fk_stripe,
	.rbd_get_stripe_count = fk_stripe, .rbd_get_id = fk_id,
	.rbd_get_data_pool_id = fk_data_pool, .rbd_get_create_timestamp = fk_created,
	.rbd_get_parent = fk_parent, .rbd_linked_image_spec_cleanup = fk_spec_done,
	.rbd_snap_spec_cleanup = fk_spec_done, .rbd_snap_list = fk_snaps,
	.rbd_list_children3 = fk_children, .rbd_watchers_list = fk_watchers,
	.rbd_config_image_list = fk_config, .rbd_config_image_list_cleanup = fk_config_done,
	.rbd_metadata_get = fk_get, .rbd_metadata_set = fk_set, .rbd_read = fk_read,
	.rbd_write = fk_write, .rbd_flush = fk_flush,
	.rbd_aio_create_completion = fk_completion, .rbd_aio_get_return_value = fk_result,
	.rbd_aio_release = free, .rbd_aio_write = fk_aio_write, .rbd_aio_read = fk_aio_read,
};

#endif
