/* rbd_conn.h - a connection to a Ceph cluster, with client options of its own.
 *
 * Options set here hold for this connection and the images opened through it alone: nothing of the
 * cluster, the pool or the image is changed. Operations end after RBD_CONN_TIMEOUT_S at the latest,
 * so that a program whose cluster has gone away can still say so.
 */
#ifndef SSDQUAL_PROBES_RBD_CONN_H
#define SSDQUAL_PROBES_RBD_CONN_H

#include "data/json.h"
#include "probes/rbd_lib.h"

#define RBD_CONN_TIMEOUT_S 60

/* POOL, POOL/IMAGE or POOL/NAMESPACE/IMAGE. */
#define RBD_WORD_MAX 96
struct rbd_spec {
	char pool[RBD_WORD_MAX], ns[RBD_WORD_MAX], image[RBD_WORD_MAX]; /* ns, image: "" where none */
};

/* rbd_spec_is - does @arg name an image ("rbd:...")? */
bool rbd_spec_is(const char *arg);
/* rbd_spec_parse - with or without "rbd:" in front. -EINVAL, ERR_USAGE: a word is empty, too long,
 * or there are too many; a snapshot (IMAGE@SNAP) is not writable and refused. */
int rbd_spec_parse(const char *arg, struct rbd_spec *ret, struct err *reterr);
/* rbd_spec_text - "POOL/NAMESPACE/IMAGE" with @image in its place; 3 x RBD_WORD_MAX fit. */
char *rbd_spec_text(const struct rbd_spec *s, const char *image, char *buf, size_t len);

/* Who connects, and how. */
struct rbd_login {
	const char *conf; /* ceph.conf; NULL: CEPH_CONF, /etc/ceph/ceph.conf, ~/.ceph/config */
	const char *id;   /* of client.ID; NULL: admin */
};

struct rbd_setting {
	const char *option, *value;
};

struct rbd_conn {
	const struct rbd_lib *lib;
	void *cluster;
};

/* rbd_conn_open - connect with @count client options set. ERR_USAGE: no configuration, an option
 * that this client does not know; ERR_DEVICE: no monitor answers, no permission. */
int rbd_conn_open(const struct rbd_login *login, const struct rbd_setting *set, size_t count,
	struct rbd_conn *ret, struct err *reterr);
void rbd_conn_close(struct rbd_conn *c); /* zeroed ones, too; no image may be open */

/* rbd_conn_ask - a command to the monitors, {"prefix": ..., "format": "json"}. ERR_DEVICE. */
int rbd_conn_ask(const struct rbd_conn *c, const char *command, struct json **ret,
	struct err *reterr);
/* rbd_conn_io - the pool and namespace of @s, to be released with lib->rados_ioctx_destroy(). */
int rbd_conn_io(const struct rbd_conn *c, const struct rbd_spec *s, void **ret,
	struct err *reterr);

#endif
