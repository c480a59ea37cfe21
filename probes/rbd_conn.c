/* rbd_conn.c - a connection to a Ceph cluster, with client options of its own. */
#include "probes/rbd_conn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- names ---------------------------------------------------------------------------------- */

bool rbd_spec_is(const char *arg)
{
	return strncmp(arg, "rbd:", 4) == 0;
}

static int bad_spec(const char *arg, const char *why, struct err *reterr)
{
	return err_set(reterr, ERR_USAGE, -EINVAL, "%s: %s; write rbd:POOL/IMAGE, "
		"rbd:POOL/NAMESPACE/IMAGE or rbd:POOL", arg, why);
}

int rbd_spec_parse(const char *arg, struct rbd_spec *ret, struct err *reterr)
{
	const char *p = rbd_spec_is(arg) ? arg + 4 : arg;
	char word[3][RBD_WORD_MAX];
	size_t n = 0;

	for (;;) {
		size_t len = strcspn(p, "/");

		if (n == 3)
			return bad_spec(arg, "more than three names", reterr);
		if (len == 0)
			return bad_spec(arg, "an empty name", reterr);
		if (len >= RBD_WORD_MAX)
			return bad_spec(arg, "a name longer than 95 characters", reterr);
		memcpy(word[n], p, len);
		word[n++][len] = '\0';
		if (p[len] == '\0')
			break;
		p += len + 1;
	}
	if (strchr(word[n - 1], '@'))
		return bad_spec(arg, "a snapshot cannot be written", reterr);
	*ret = (struct rbd_spec){ .pool = "" };
	strcpy(ret->pool, word[0]);
	if (n == 3)
		strcpy(ret->ns, word[1]);
	if (n > 1)
		strcpy(ret->image, word[n - 1]);
	return 0;
}

char *rbd_spec_text(const struct rbd_spec *s, const char *image, char *buf, size_t len)
{
	(void)snprintf(buf, len, "%s%s%s%s%s", s->pool, s->ns[0] ? "/" : "", s->ns,
		image[0] ? "/" : "", image);
	return buf;
}

/* -- connecting ----------------------------------------------------------------------------- */

/* Where the client library knows no such option there is nothing to limit. */
static void limit_waiting(const struct rbd_lib *lib, void *cluster)
{
	static const char *const options[] = { "client_mount_timeout", "rados_mount_timeout",
		"rados_mon_op_timeout", "rados_osd_op_timeout" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)lib->rados_conf_set(cluster, options[i], i < 2 ? "15" : "60");
}

static int configure(const struct rbd_lib *lib, void *cluster, const struct rbd_login *login,
	const struct rbd_setting *set, size_t count, struct err *reterr)
{
	int r = lib->rados_conf_read_file(cluster, login->conf);

	if (r < 0)
		return err_set(reterr, ERR_USAGE, r, "ceph configuration %s: %s; name it with "
			"--ceph-conf FILE, or in CEPH_CONF", login->conf ? login->conf :
			getenv("CEPH_CONF") ? getenv("CEPH_CONF") : "/etc/ceph/ceph.conf",
			strerror(-r));
	r = lib->rados_conf_parse_env(cluster, NULL);
	if (r < 0)
		return err_set(reterr, ERR_USAGE, r, "CEPH_ARGS: %s", strerror(-r));
	limit_waiting(lib, cluster);
	for (size_t i = 0; i < count; i++) {
		r = lib->rados_conf_set(cluster, set[i].option, set[i].value);
		if (r < 0)
			return err_set(reterr, ERR_UNSUPPORTED, r, "this librbd does not take %s=%s: %s",
				set[i].option, set[i].value, strerror(-r));
	}
	return 0;
}

int rbd_conn_open(const struct rbd_login *login, const struct rbd_setting *set, size_t count,
	struct rbd_conn *ret, struct err *reterr)
{
	const struct rbd_lib *lib = NULL;
	void *cluster = NULL;
	int r = rbd_lib_get(&lib, reterr);

	if (r < 0)
		return r;
	r = lib->rados_create(&cluster, login->id);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "ceph client %s: %s",
			login->id ? login->id : "admin", strerror(-r));
	r = configure(lib, cluster, login, set, count, reterr);
	if (r == 0) {
		r = lib->rados_connect(cluster);
		if (r < 0)
			(void)err_set(reterr, ERR_DEVICE, r, "the cluster cannot be reached as "
				"client.%s: %s; `ceph -s` should work from here with the same "
				"configuration and key", login->id ? login->id : "admin",
				r == -ETIMEDOUT ? "no monitor answers" : strerror(-r));
	}
	if (r < 0) {
		lib->rados_shutdown(cluster);
		return r;
	}
	*ret = (struct rbd_conn){ .lib = lib, .cluster = cluster };
	return 0;
}

void rbd_conn_close(struct rbd_conn *c)
{
	if (c->cluster)
		c->lib->rados_shutdown(c->cluster);
	*c = (struct rbd_conn){ .lib = NULL };
}

int rbd_conn_ask(const struct rbd_conn *c, const char *command, struct json **ret,
	struct err *reterr)
{
	char *out = NULL, *text = NULL;
	size_t out_len = 0, text_len = 0;
	int r = c->lib->rados_mon_command(c->cluster, &command, 1, NULL, 0, &out, &out_len, &text,
		&text_len);

	if (r < 0)
		(void)err_set(reterr, ERR_DEVICE, r, "the monitors, asked %s: %s", command,
			strerror(-r));
	else
		r = json_parse(out, out_len, "the monitors' answer", ret, reterr);
	if (out)
		c->lib->rados_buffer_free(out);
	if (text)
		c->lib->rados_buffer_free(text);
	return r;
}

int rbd_conn_io(const struct rbd_conn *c, const struct rbd_spec *s, void **ret,
	struct err *reterr)
{
	void *io = NULL;
	int r = c->lib->rados_ioctx_create(c->cluster, s->pool, &io);

	if (r == -ENOENT)
		return err_set(reterr, ERR_USAGE, r, "no pool of the name %s; `ceph osd pool ls` "
			"lists them", s->pool);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "pool %s: %s", s->pool, strerror(-r));
	if (s->ns[0])
		c->lib->rados_ioctx_set_namespace(io, s->ns);
	*ret = io;
	return 0;
}
