/* rbd_site.c - where an RBD run takes place: cluster, pool, and the image named. */
#include "probes/rbd_site.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct rbd_setting rbd_no_cache[] = {
	{ "rbd_cache", "false" },
	{ "rbd_persistent_cache_mode", "disabled" },
	{ "rbd_plugins", "" },
};
const size_t rbd_no_cache_count = sizeof(rbd_no_cache) / sizeof(rbd_no_cache[0]);

int rbd_site_config(const struct rbd_site *s, const struct rbd_spec *where, const char *name,
	struct json **ret, struct err *reterr)
{
	struct rbd_conn plain = { .lib = NULL };
	struct rbd_image *image = NULL;
	int r = rbd_conn_open(&s->login, NULL, 0, &plain, reterr);

	if (r == 0)
		r = rbd_image_open(&plain, where, name, true, &image, reterr);
	if (r == 0)
		r = rbd_image_config_json(image, ret, reterr);
	(void)rbd_image_close(image); /* nobody else holds it */
	rbd_conn_close(&plain);
	return r;
}

/* The named image, read-only. That there is none is an answer, but not for --header-of. */
static int look_at_image(struct rbd_site *s, bool must_be, struct err *reterr)
{
	struct err e = ERR_INIT;
	int r;

	if (!s->header.image[0])
		return 0;
	r = rbd_image_open(&s->conn, &s->header, s->header.image, true, &s->image, &e);
	if (r == -ENOENT && !must_be)
		return 0;
	if (r < 0) {
		if (reterr)
			*reterr = e;
		return r;
	}
	r = rbd_image_ask(&s->conn, s->image, &s->facts, reterr);
	if (r < 0)
		return r;
	e = (struct err)ERR_INIT;
	if (rbd_site_config(s, &s->header, s->header.image, &s->config, &e) < 0)
		(void)snprintf(s->config_why, sizeof(s->config_why), "%.250s", e.msg);
	return 0;
}

int rbd_site_open(const struct rbd_login *login, const struct rbd_spec *spec,
	const struct rbd_spec *header_of, bool plain_fsid, struct rbd_site *ret,
	struct err *reterr)
{
	struct rbd_site s = { .login = *login, .spec = *spec,
		.header = header_of ? *header_of : *spec };
	void *io = NULL;
	int r = rbd_conn_open(login, rbd_no_cache, rbd_no_cache_count, &s.conn, reterr);

	if (r == 0)
		r = rbd_conn_io(&s.conn, spec, &io, reterr); /* does the pool exist? */
	if (io)
		s.conn.lib->rados_ioctx_destroy(io);
	if (r == 0) {
		rbd_cluster_release(&s.conn, s.release);
		r = look_at_image(&s, header_of != NULL, reterr);
	}
	if (r == 0)
		r = rbd_cluster_ask(&s.conn, s.spec.pool, s.facts.data_pool, plain_fsid,
			&s.cluster, reterr);
	if (r < 0)
		rbd_site_close(&s);
	else
		*ret = s;
	return r;
}

void rbd_site_close(struct rbd_site *s)
{
	(void)rbd_image_close(s->image); /* nobody else holds it */
	json_free(s->cluster);
	json_free(s->config);
	rbd_conn_close(&s->conn);
	*s = (struct rbd_site){ .image = NULL };
}

static int refuse_image(const char *image, const char *why, struct err *reterr)
{
	return err_set(reterr, ERR_REFUSED, -EPERM, "image %s %s; without --destroy-data a scratch "
		"image beside it is used", image, why);
}

int rbd_site_decide(const struct rbd_site *s, bool force, bool existing, struct err *reterr)
{
	const struct rbd_facts *f = &s->facts;
	char name[3 * RBD_WORD_MAX], why[160];

	rbd_spec_text(&s->spec, s->spec.image, name, sizeof(name));
	if (existing && !s->image)
		return err_set(reterr, ERR_USAGE, -ENOENT, "image %s: there is none of this name; "
			"--destroy-data is for an image that exists", name);
	if (existing && f->watchers) {
		(void)snprintf(why, sizeof(why), "is in use: %zu client%s it open "
			"(`rbd status %.60s`)", f->watchers, f->watchers == 1 ? " has" : "s have",
			name);
		return refuse_image(name, why, reterr);
	}
	if (existing && f->parent)
		return refuse_image(name, "is a clone: writing would copy its parent's data into it",
			reterr);
	if (existing && (f->snapshots || f->children)) {
		(void)snprintf(why, sizeof(why), "has %zu snapshots and %zu clones: each write would "
			"first copy what they keep", f->snapshots, f->children);
		return refuse_image(name, why, reterr);
	}
	if (existing && (f->features & (RBD_FEATURE_JOURNAL | RBD_FEATURE_MIGRATING)))
		return refuse_image(name, "is journaled (perhaps mirrored) or migrating", reterr);
	return force ? 0 : rbd_cluster_decide(s->cluster, reterr);
}

/* -- the image that is written -------------------------------------------------------------- */

int rbd_ground_make(const struct rbd_site *s, bool existing, uint64_t span,
	struct rbd_ground *ret, struct err *reterr)
{
	struct rbd_ground g = { .span = span };
	int r;

	if (existing) {
		if (g.span > s->facts.size_bytes)
			g.span = s->facts.size_bytes / RBD_SPAN_UNIT * RBD_SPAN_UNIT;
		if (g.span == 0)
			return err_set(reterr, ERR_USAGE, -EINVAL, "image %s: smaller than 1 MiB",
				s->spec.image);
		strcpy(g.name, s->spec.image);
		*ret = g;
		return 0;
	}
	r = rbd_scratch_create(&s->conn, &s->spec, s->image ? &s->facts : NULL, span, &g.scratch,
		reterr);
	strcpy(g.name, g.scratch.name);
	*ret = g; /* also on failure: it may have been made all the same */
	return r;
}

/* Of a list, or a word of it. */
static bool holds(const char *option, const char *is, const char *wanted)
{
	/* Other plugins may stay; what counts is the log. */
	if (!strcmp(option, "rbd_plugins"))
		return !strstr(is, "pwl_cache") == !strstr(wanted, "pwl_cache");
	return !strcmp(is, wanted);
}

/* Sizes read back as plain numbers, so only words are compared: what selects a cache. */
static bool is_word(const char *option)
{
	static const char *const words[] = { "rbd_cache", "rbd_cache_policy", "rbd_plugins",
		"rbd_persistent_cache_mode" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(option, words[i]))
			return true;
	return false;
}

/* A setting that the pool or the image overrides; -1: none. */
static int overridden(const struct rbd_image *i, const struct rbd_setting *set, size_t count,
	const char **ret_level, char *value, size_t len)
{
	for (size_t k = 0; k < count; k++) {
		const char *level = "config";

		if (rbd_image_config(i, set[k].option, value, len, &level) < 0)
			continue; /* no such option, so no such cache */
		if (strcmp(level, "config") != 0 &&
			!(is_word(set[k].option) && holds(set[k].option, value, set[k].value))) {
			*ret_level = level;
			return (int)k;
		}
	}
	return -1;
}

static int override_here(const struct rbd_image *i, const struct rbd_setting *set, size_t count)
{
	const struct rbd_lib *lib = rbd_image_lib(i);
	char key[128];

	for (size_t k = 0; k < count; k++) {
		int r;

		(void)snprintf(key, sizeof(key), "conf_%s", set[k].option);
		r = lib->rbd_metadata_set(rbd_image_handle(i), key, set[k].value);
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_proven(const struct rbd_site *s, const struct rbd_conn *c,
	const struct rbd_setting *set, size_t count, struct rbd_ground *g,
	struct rbd_image **ret, struct err *reterr)
{
	char value[128];
	const char *level = NULL;
	int r = rbd_image_open(c, &s->spec, g->name, false, ret, reterr), k;

	if (r < 0)
		return r;
	k = overridden(*ret, set, count, &level, value, sizeof(value));
	if (k >= 0 && g->scratch.name[0]) {
		r = override_here(*ret, set, count);
		(void)rbd_image_close(*ret); /* nobody else holds it */
		*ret = NULL;
		if (r < 0)
			return err_set(reterr, ERR_DEVICE, r, "scratch image %s: its options: %s",
				g->name, strerror(-r));
		r = rbd_image_open(c, &s->spec, g->name, false, ret, reterr);
		if (r < 0)
			return r;
		k = -1;
	}
	if (k >= 0) {
		(void)rbd_image_close(*ret); /* nobody else holds it */
		*ret = NULL;
		return err_set(reterr, ERR_REFUSED, -EPERM, "the %s sets %s=%s, which wins over a "
			"client's own %s; without --destroy-data a scratch image is measured",
			level, set[k].option, value, set[k].value[0] ? set[k].value : "\"\"");
	}
	return 0;
}

int rbd_ground_open(const struct rbd_site *s, const struct rbd_conn *c,
	const struct rbd_setting *set, size_t count, struct rbd_ground *g,
	struct rbd_image **ret, struct err *reterr)
{
	struct rbd_image *i = NULL;
	int r = open_proven(s, c, set, count, g, &i, reterr);

	if (r == 0 && !g->facts.id[0]) {
		r = g->scratch.name[0] ? rbd_scratch_sign(i) : 0;
		if (r < 0)
			(void)err_set(reterr, ERR_DEVICE, r, "scratch image %s: %s", g->name,
				strerror(-r));
		if (r == 0)
			r = rbd_image_ask(c, i, &g->facts, reterr);
	}
	if (r < 0)
		(void)rbd_image_close(i); /* nobody else holds it */
	else
		*ret = i;
	return r;
}

int rbd_ground_fill(const struct rbd_ground *g, struct rbd_image *i, uint64_t randseed,
	const struct load_watch *watch, struct err *reterr)
{
	struct measurement *m = measurement_new("rbd", "fill", "fill");
	struct load_params p;
	int r;

	if (!m)
		return err_nomem(reterr);
	load_params_init(&p);
	p.engine = "rbd";
	p.image = i;
	p.rw = RW_WRITE;
	p.bs = RBD_SPAN_UNIT;
	p.size = g->span;
	p.direct = true;
	p.randseed = randseed;
	r = load_run(&p, watch, m, reterr);
	if (r == 0 && watch->stop && atomic_load(watch->stop))
		r = err_set(reterr, ERR_STOPPED, -EINTR, "stopped by a signal");
	else if (r == 0 && m->bytes < g->span)
		r = err_set(reterr, ERR_DEVICE, -EIO, "image %s: filling it: %s", g->name,
			m->error ? m->error : "ended early");
	measurement_free(m);
	return r;
}

int rbd_ground_drop(const struct rbd_site *s, struct rbd_ground *g, struct err *reterr)
{
	return rbd_scratch_remove(&s->conn, &g->scratch, reterr);
}
