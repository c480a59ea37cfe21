/* rbd_cfg.h - the options that every command on an RBD image has, and what they amount to. */
#ifndef SSDQUAL_CLI_RBD_CFG_H
#define SSDQUAL_CLI_RBD_CFG_H

#include "cli/command.h"
#include "probes/rbd_session.h"

struct rbd_cfg {
	const char *ceph_conf, *id, *header_of;
	int impact; /* RBD_IMPACT_* */
	bool force, record_fsid;
	double latency_stop;
};
extern const char *const rbd_impact_words[]; /* NULL-terminated, by RBD_IMPACT_* */

#define RBD_CFG_DEFAULTS { .latency_stop = 2 }

/* Rows of a command's option table; @cfg_type has a member `struct rbd_cfg rbd`. */
#define RBD_CFG_OPTS(cfg_type) \
	{ .type = OPT_CHOICE, .name = "impact", .arg = "HOW", \
	  .off = offsetof(cfg_type, rbd.impact), .choices = rbd_impact_words, \
	  .help = "images: how much of the cluster may be taken, in depth, bytes and seconds: low " \
		  "(the default), medium, high" }, \
	{ .type = OPT_FLAG, .name = "force", .off = offsetof(cfg_type, rbd.force), \
	  .help = "images: run though the cluster is not HEALTH_OK" }, \
	{ .type = OPT_RATIO, .name = "latency-stop", .arg = "RATIO", \
	  .off = offsetof(cfg_type, rbd.latency_stop), \
	  .help = "images: stop when a read beside the load takes this many times what it took " \
		  "before (default 2; 0: never)" }, \
	{ .type = OPT_STRING, .name = "header-of", .arg = "POOL/IMAGE", \
	  .off = offsetof(cfg_type, rbd.header_of), \
	  .help = "images: the image whose header is read, and beside which the scratch image is " \
		  "made (default: the target's)" }, \
	{ .type = OPT_FLAG, .name = "record-fsid", .off = offsetof(cfg_type, rbd.record_fsid), \
	  .help = "images: keep the cluster's fsid as it is in the document, not a hash of it" }, \
	{ .type = OPT_STRING, .name = "ceph-conf", .arg = "FILE", \
	  .off = offsetof(cfg_type, rbd.ceph_conf), \
	  .help = "images: configuration of the cluster (default: CEPH_CONF, " \
		  "/etc/ceph/ceph.conf)" }, \
	{ .type = OPT_STRING, .name = "id", .arg = "NAME", .off = offsetof(cfg_type, rbd.id), \
	  .help = "images: connect as client.NAME (default: admin)" }

/* rbd_cfg_open - parse @target and --header-of, connect and look (rbd_site_open()). */
int rbd_cfg_open(const struct rbd_cfg *cfg, const char *target, struct rbd_site *ret,
	struct err *reterr);

/* rbd_cfg_consent - may the named image itself be overwritten? @tokens: of --confirm. The name is
 * asked for where a person can be asked. ERR_REFUSED. */
int rbd_cfg_consent(struct cli *cli, const struct rbd_site *site, const struct opt_list *tokens,
	struct err *reterr);

/* rbd_cfg_progress - hooks that show a session on the status line; @p lives as long. */
struct rbd_progress {
	struct cli *cli;
	char what[64];
	double seconds, left_s;
};
void rbd_cfg_progress(struct rbd_progress *p, struct cli *cli, struct rbd_watch *ret);

#endif
