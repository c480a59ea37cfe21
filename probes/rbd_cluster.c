/* rbd_cluster.c - what state a cluster is in, for the document and for the decision to run. */
#include "probes/rbd_cluster.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Copies the member @key of @from to @key of @to, null where it is absent. */
static int take(struct json *to, const char *key, const struct json *from, const char *from_key)
{
	const struct json *v = json_get(from, from_key);

	return json_set(to, key, v ? json_copy(v) : json_new_null());
}

static struct json *health_json(const struct json *health)
{
	struct json *j = json_new_object(), *checks = json_new_array();
	const struct json *c = json_first(json_get(health, "checks"));
	int r = take(j, "status", health, "status");

	for (; c; c = json_next(c)) {
		struct json *item = json_new_object();
		const struct json *text = json_path(c, "summary.message");

		r |= json_set_str(item, "code", json_key(c));
		r |= take(item, "severity", c, "severity");
		r |= json_set_str(item, "summary", json_str(text));
		r |= json_append(checks, item);
	}
	r |= json_set(j, "checks", checks);
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

/* The monitors leave out what is 0; without placement groups (no manager) all is unknown. */
static int take_count(struct json *to, const char *key, const struct json *pgmap,
	const char *from_key)
{
	uint64_t v = 0, pgs = 0;

	if (!json_u64(json_get(pgmap, "num_pgs"), &pgs) || pgs == 0)
		return json_set_null(to, key);
	(void)json_u64(json_get(pgmap, from_key), &v); /* absent is 0 */
	return json_set_u64(to, key, v);
}

static struct json *recovery_json(const struct json *status)
{
	const struct json *pgmap = json_get(status, "pgmap");
	struct json *j = json_new_object();
	uint64_t degraded, misplaced, rate;
	int r = take_count(j, "degraded_objects", pgmap, "degraded_objects");

	r |= take_count(j, "misplaced_objects", pgmap, "misplaced_objects");
	r |= take_count(j, "recovering_bytes_per_s", pgmap, "recovering_bytes_per_sec");
	if (json_u64(json_get(j, "degraded_objects"), &degraded) &&
		json_u64(json_get(j, "misplaced_objects"), &misplaced) &&
		json_u64(json_get(j, "recovering_bytes_per_s"), &rate))
		r |= json_set_bool(j, "active", degraded || misplaced || rate);
	else
		r |= json_set_null(j, "active");
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

static struct json *osds_json(const struct json *status)
{
	const struct json *map = json_get(status, "osdmap");
	struct json *j = json_new_object();
	int r;

	if (json_get(map, "osdmap")) /* before Octopus */
		map = json_get(map, "osdmap");
	r = take(j, "count", map, "num_osds");
	r |= take(j, "up", map, "num_up_osds");
	r |= take(j, "in", map, "num_in_osds");
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

static struct json *pool_json(const struct json *pools, const char *name)
{
	struct json *j;
	const struct json *p;
	const char *this, *profile;
	uint64_t type = 0;
	int r;

	for (p = json_first(pools); p; p = json_next(p)) {
		this = json_str(json_get(p, "pool_name"));
		if (this && !strcmp(this, name))
			break;
	}
	if (!p)
		return json_new_null();
	(void)json_u64(json_get(p, "type"), &type); /* 0: neither of the two below */
	profile = json_str(json_get(p, "erasure_code_profile"));
	j = json_new_object();
	r = json_set_str(j, "name", name);
	r |= take(j, "id", p, json_get(p, "pool_id") ? "pool_id" : "pool");
	r |= json_set_str(j, "type", type == 1 ? "replicated" : type == 3 ? "erasure" : NULL);
	r |= take(j, "size", p, "size");
	r |= take(j, "min_size", p, "min_size");
	r |= json_set_str(j, "ec_profile", type == 3 && profile && profile[0] ? profile : NULL);
	r |= take(j, "pg_num", p, "pg_num");
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

char *rbd_cluster_release(const struct rbd_conn *c, char *buf)
{
	int major = 0, minor = 0, extra = 0;

	buf[0] = '\0';
	if (c->lib->version) {
		(void)snprintf(buf, 32, "%.31s", c->lib->version);
		return buf;
	}
	/* librbd.h: 1.16 came with Ceph 16, and each release since has counted on. */
	c->lib->rbd_version(&major, &minor, &extra);
	if (major == 1 && minor >= 16)
		(void)snprintf(buf, 32, "%d", minor);
	return buf;
}

static struct json *releases_json(const struct rbd_conn *c, const struct json *versions)
{
	struct json *j = json_new_object(), *daemons = json_copy(versions);
	char text[48], release[32];
	int major = 0, minor = 0, extra = 0, r;

	c->lib->rbd_version(&major, &minor, &extra);
	(void)snprintf(text, sizeof(text), "%d.%d.%d", major, minor, extra);
	r = json_set_str(j, "librbd", text);
	rbd_cluster_release(c, release);
	r |= json_set_str(j, "client", release[0] ? release : NULL);
	r |= json_set(j, "daemons", daemons ? daemons : json_new_null());
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

static int set_fsid(const struct rbd_conn *c, bool plain, struct json *j)
{
	char fsid[64] = "", text[32];
	uint64_t hash = UINT64_C(14695981039346656037);
	int n = c->lib->rados_cluster_fsid(c->cluster, fsid, sizeof(fsid));

	if (n < 0)
		return json_set_null(j, "fsid_hash");
	if (plain)
		return json_set_str(j, "fsid", fsid);
	for (const char *p = fsid; *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
	(void)snprintf(text, sizeof(text), "%016" PRIx64, hash);
	return json_set_str(j, "fsid_hash", text);
}

int rbd_cluster_ask(const struct rbd_conn *c, const char *pool, const char *data_pool,
	bool plain_fsid, struct json **ret, struct err *reterr)
{
	struct json *health = NULL, *status = NULL, *pools = NULL, *versions = NULL;
	struct json *j = json_new_object();
	int r = rbd_conn_ask(c, "{\"prefix\": \"health\", \"detail\": \"detail\", \"format\": "
		"\"json\"}", &health, reterr);

	if (r == 0)
		r = rbd_conn_ask(c, "{\"prefix\": \"status\", \"format\": \"json\"}", &status,
			reterr);
	if (r == 0)
		r = rbd_conn_ask(c, "{\"prefix\": \"osd pool ls\", \"detail\": \"detail\", "
			"\"format\": \"json\"}", &pools, reterr);
	if (r == 0 && rbd_conn_ask(c, "{\"prefix\": \"versions\", \"format\": \"json\"}", &versions,
		NULL) < 0)
		versions = NULL; /* unknown is worth no failure */
	if (r == 0) {
		r |= set_fsid(c, plain_fsid, j);
		r |= json_set(j, "health", health_json(health));
		r |= json_set(j, "recovery", recovery_json(status));
		r |= json_set(j, "osds", osds_json(status));
		r |= json_set(j, "pool", pool_json(pools, pool));
		r |= json_set(j, "data_pool", data_pool[0] ? pool_json(pools, data_pool) :
			json_new_null());
		r |= json_set(j, "releases", releases_json(c, versions));
		if (r)
			r = err_nomem(reterr);
	}
	json_free(health);
	json_free(status);
	json_free(pools);
	json_free(versions);
	if (r < 0)
		json_free(j);
	else
		*ret = j;
	return r;
}

int rbd_cluster_decide(const struct json *cluster, struct err *reterr)
{
	const char *status = json_str(json_path(cluster, "health.status"));
	const struct json *check = json_first(json_path(cluster, "health.checks"));
	char codes[256] = "";
	size_t used = 0;

	if (status && !strcmp(status, "HEALTH_OK"))
		return 0;
	for (; check && used + 64 < sizeof(codes); check = json_next(check)) {
		const char *code = json_str(json_get(check, "code"));
		int n = snprintf(codes + used, sizeof(codes) - used, "%s%.60s", used ? ", " : "",
			code ? code : "?");

		used += (size_t)n;
	}
	return err_set(reterr, ERR_REFUSED, -EPERM, "the cluster is %s%s%s%s: a benchmark is no help "
		"there, and its figures would not be those of a healthy cluster; see `ceph health "
		"detail`, or --force", status ? status : "of unknown health",
		codes[0] ? " (" : "", codes, codes[0] ? ")" : "");
}
