/* rbd_image.c - an open RBD image, and what can be known of it. */
#include "probes/rbd_image.h"

#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rbd_image {
	const struct rbd_lib *lib;
	void *io, *handle;
	atomic_uint refs;
	char name[RBD_LIB_NAME_MAX + 1];
};

const char *const rbd_feature_name[RBD_FEATURE_COUNT] = { "layering", "striping",
	"exclusive-lock", "object-map", "fast-diff", "deep-flatten", "journaling", "data-pool",
	"operations", "migrating", "non-primary", "dirty-cache" };

int rbd_image_open(const struct rbd_conn *c, const struct rbd_spec *s, const char *name,
	bool read_only, struct rbd_image **ret, struct err *reterr)
{
	struct rbd_image *i = calloc(1, sizeof(*i));
	char text[3 * RBD_WORD_MAX];
	int r;

	if (!i)
		return err_nomem(reterr);
	i->lib = c->lib;
	atomic_init(&i->refs, 1);
	(void)snprintf(i->name, sizeof(i->name), "%s", name);
	r = rbd_conn_io(c, s, &i->io, reterr);
	if (r < 0) {
		free(i);
		return r;
	}
	r = read_only ? c->lib->rbd_open_read_only(i->io, name, &i->handle, NULL) :
			c->lib->rbd_open(i->io, name, &i->handle, NULL);
	if (r < 0) {
		c->lib->rados_ioctx_destroy(i->io);
		free(i);
		return err_set(reterr, r == -ENOENT ? ERR_USAGE : ERR_DEVICE, r,
			"image %s: %s", rbd_spec_text(s, name, text, sizeof(text)),
			r == -ENOENT ? "there is none of this name" : strerror(-r));
	}
	*ret = i;
	return 0;
}

struct rbd_image *rbd_image_hold(struct rbd_image *i)
{
	(void)atomic_fetch_add(&i->refs, 1);
	return i;
}

bool rbd_image_is_held(const struct rbd_image *i)
{
	return i && atomic_load(&i->refs) > 1;
}

int rbd_image_close(struct rbd_image *i)
{
	if (!i)
		return 0;
	if (atomic_fetch_sub(&i->refs, 1) != 1)
		return -EBUSY;
	(void)i->lib->rbd_close(i->handle); /* the image is gone for us either way */
	i->lib->rados_ioctx_destroy(i->io);
	free(i);
	return 0;
}

void *rbd_image_handle(const struct rbd_image *i)
{
	return i->handle;
}

const struct rbd_lib *rbd_image_lib(const struct rbd_image *i)
{
	return i->lib;
}

const char *rbd_image_name(const struct rbd_image *i)
{
	return i->name;
}

/* -- facts ---------------------------------------------------------------------------------- */

/* The lists' own count comes with -ERANGE where there is no room for them. */
static int count_of(int r, size_t told, size_t *ret)
{
	if (r < 0 && r != -ERANGE)
		return r;
	*ret = told;
	return 0;
}

static int ask_lists(const struct rbd_image *i, struct rbd_facts *f)
{
	size_t n = 0;
	int snaps = 0;
	int r = i->lib->rbd_watchers_list(i->handle, NULL, &n);

	r = count_of(r, n, &f->watchers);
	if (r == 0) {
		r = i->lib->rbd_snap_list(i->handle, NULL, &snaps);
		/* Room for one more than there are is asked for. */
		r = count_of(r, snaps > 0 ? (size_t)snaps - 1 : 0, &f->snapshots);
	}
	n = 0;
	if (r == 0) {
		r = i->lib->rbd_list_children3(i->handle, NULL, &n);
		r = count_of(r, n, &f->children);
	}
	return r;
}

static int ask_parent(const struct rbd_image *i, bool *ret)
{
	/* The structures are of 48 and 24 bytes; their contents are not looked at. */
	alignas(max_align_t) unsigned char parent[256] = { 0 }, snap[256] = { 0 };
	int r = i->lib->rbd_get_parent(i->handle, parent, snap);

	if (r == 0) {
		i->lib->rbd_linked_image_spec_cleanup(parent);
		i->lib->rbd_snap_spec_cleanup(snap);
	}
	*ret = r == 0;
	return r == -ENOENT ? 0 : r;
}

static int ask_shape(const struct rbd_image *i, struct rbd_facts *f)
{
	struct rbd_lib_info info;
	int r = i->lib->rbd_stat(i->handle, &info, sizeof(info));

	f->size_bytes = info.size;
	f->object_bytes = info.obj_size;
	f->order = (unsigned)info.order;
	r = r < 0 ? r : i->lib->rbd_get_features(i->handle, &f->features);
	r = r < 0 ? r : i->lib->rbd_get_op_features(i->handle, &f->op_features);
	r = r < 0 ? r : i->lib->rbd_get_stripe_unit(i->handle, &f->stripe_unit);
	r = r < 0 ? r : i->lib->rbd_get_stripe_count(i->handle, &f->stripe_count);
	return r < 0 ? r : i->lib->rbd_get_id(i->handle, f->id, sizeof(f->id));
}

int rbd_image_ask(const struct rbd_conn *c, const struct rbd_image *i, struct rbd_facts *ret,
	struct err *reterr)
{
	struct rbd_facts f = { .parent = false };
	int64_t pool;
	int r = ask_shape(i, &f);

	r = r < 0 ? r : ask_lists(i, &f);
	r = r < 0 ? r : ask_parent(i, &f.parent);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "image %s: its header: %s", i->name,
			strerror(-r));
	pool = i->lib->rbd_get_data_pool_id(i->handle);
	if ((f.features & RBD_FEATURE_DATA_POOL) && pool >= 0)
		(void)c->lib->rados_pool_reverse_lookup(c->cluster, pool, f.data_pool,
			sizeof(f.data_pool)); /* "" is then unknown, the feature bit tells */
	*ret = f;
	return 0;
}

unsigned rbd_facts_refresh_reads(const struct rbd_facts *f, bool *ret_more)
{
	*ret_more = f->parent;
	return 5 + (f->snapshots > 0) + (f->op_features != 0) +
		((f->features & RBD_FEATURE_MIGRATING) != 0);
}

struct json *rbd_facts_json(const struct rbd_facts *f)
{
	struct json *j = json_new_object(), *features = json_new_array();
	bool more;
	unsigned k = rbd_facts_refresh_reads(f, &more);
	int r = 0;

	for (unsigned bit = 0; bit < RBD_FEATURE_COUNT; bit++)
		if (f->features & UINT64_C(1) << bit)
			r |= json_append(features, json_new_str(rbd_feature_name[bit]));
	r |= json_set_u64(j, "size_bytes", f->size_bytes);
	r |= json_set_u64(j, "object_bytes", f->object_bytes);
	r |= json_set_u64(j, "stripe_unit", f->stripe_unit);
	r |= json_set_u64(j, "stripe_count", f->stripe_count);
	r |= json_set(j, "features", features);
	r |= json_set_u64(j, "op_features", f->op_features);
	r |= json_set_u64(j, "snapshots", f->snapshots);
	r |= json_set_u64(j, "children", f->children);
	r |= json_set_u64(j, "watchers", f->watchers);
	r |= json_set_bool(j, "parent", f->parent);
	r |= json_set(j, "data_pool", f->data_pool[0] ? json_new_str(f->data_pool) :
		json_new_null());
	r |= json_set_u64(j, "refresh_reads", k);
	r |= json_set_bool(j, "refresh_reads_at_least", more);
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

/* -- options -------------------------------------------------------------------------------- */

static int list_config(const struct rbd_image *i, struct rbd_lib_option **ret, int *ret_count)
{
	struct rbd_lib_option *o = NULL;
	int n = 0, r;

	do {
		free(o);
		o = n > 0 ? calloc((size_t)n, sizeof(*o)) : NULL;
		if (n > 0 && !o)
			return -ENOMEM;
		r = i->lib->rbd_config_image_list(i->handle, o, &n);
	} while (r == -ERANGE && n > 0);
	if (r < 0) {
		free(o);
		return r;
	}
	*ret = o;
	*ret_count = n;
	return 0;
}

static const char *level_word(int source)
{
	static const char *const word[] = { "config", "pool", "image" };

	return source >= 0 && source < 3 ? word[source] : "unknown";
}

int rbd_image_config(const struct rbd_image *i, const char *option, char *value, size_t len,
	const char **ret_level)
{
	struct rbd_lib_option *o = NULL;
	int n = 0, r = list_config(i, &o, &n);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (int k = 0; k < n && r < 0; k++) {
		if (strcmp(o[k].name, option) != 0)
			continue;
		(void)snprintf(value, len, "%s", o[k].value);
		*ret_level = level_word(o[k].source);
		r = 0;
	}
	i->lib->rbd_config_image_list_cleanup(o, n);
	free(o);
	return r;
}

int rbd_image_config_json(const struct rbd_image *i, struct json **ret, struct err *reterr)
{
	struct json *list = json_new_array();
	struct rbd_lib_option *o = NULL;
	int n = 0, r = list_config(i, &o, &n), failed = 0;

	if (r < 0) {
		json_free(list);
		return err_set(reterr, ERR_DEVICE, r, "image %s: its options: %s", i->name,
			strerror(-r));
	}
	for (int k = 0; k < n; k++) {
		struct json *item = json_new_object();

		failed |= json_set_str(item, "name", o[k].name);
		failed |= json_set_str(item, "value", o[k].value);
		failed |= json_set_str(item, "source", level_word(o[k].source));
		failed |= json_append(list, item);
	}
	i->lib->rbd_config_image_list_cleanup(o, n);
	free(o);
	if (failed) {
		json_free(list);
		return err_nomem(reterr);
	}
	*ret = list;
	return 0;
}

/* -- the header object ---------------------------------------------------------------------- */

#define HEADER_KEYS 64

int rbd_image_header_read(const struct rbd_image *i, const char *id)
{
	char oid[96];
	unsigned char more = 0;
	void *op = i->lib->rados_create_read_op(), *iter = NULL;
	int r, rval = 0;

	if (!op)
		return -ENOMEM;
	(void)snprintf(oid, sizeof(oid), "rbd_header.%s", id);
	i->lib->rados_read_op_omap_get_vals2(op, "", "", HEADER_KEYS, &iter, &more, &rval);
	r = i->lib->rados_read_op_operate(op, i->io, oid, 0);
	if (iter)
		i->lib->rados_omap_get_end(iter);
	i->lib->rados_release_read_op(op);
	return r < 0 ? r : rval;
}
