/* rbd_cluster.h - what state a cluster is in, for the document and for the decision to run.
 *
 * {"fsid_hash" or "fsid", "health": {"status", "checks": [{"code", "severity", "summary"}]},
 *  "recovery": {"active", "degraded_objects", "misplaced_objects", "recovering_bytes_per_s"},
 *  "osds": {"count", "up", "in"}, "pool": {"name", "id", "type", "size", "min_size",
 *  "ec_profile", "pg_num"}, "data_pool": the same or null,
 *  "releases": {"librbd", "client", "daemons": {kind: {version: count}}}}
 * Unknown is null: a monitor without a manager knows nothing of objects.
 */
#ifndef SSDQUAL_PROBES_RBD_CLUSTER_H
#define SSDQUAL_PROBES_RBD_CLUSTER_H

#include "probes/rbd_conn.h"

/* rbd_cluster_ask - @pool, @data_pool ("" none): whose replication is described. @plain_fsid: as it
 * is, else a 64-bit FNV-1a of it (tells clusters apart without naming one). ERR_DEVICE, -ENOMEM. */
int rbd_cluster_ask(const struct rbd_conn *c, const char *pool, const char *data_pool,
	bool plain_fsid, struct json **ret, struct err *reterr);

/* rbd_cluster_decide - may a benchmark run on a cluster in this state? 0; -EPERM, ERR_REFUSED with
 * the health, what is wrong, and --force. */
int rbd_cluster_decide(const struct json *cluster, struct err *reterr);

/* rbd_cluster_release - of the client's librbd, "16.2.15" or, known less exactly, "16"; "" where
 * unknown. @buf of 32 bytes. */
char *rbd_cluster_release(const struct rbd_conn *c, char *buf);

#endif
