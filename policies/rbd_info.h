/* rbd_info.h - what an image is: features, snapshots, parent, encryption.
 *
 * Reads `rbd info POOL/IMAGE --format json`. Source: ceph src/tools/rbd/action/Info.cc.
 * refresh_reads: the serial OSD reads of one image refresh: mutable metadata, parent, image
 * metadata, pool metadata, group; one more with snapshots, with op features, with migration, and
 * the parent's own chain besides. Source: ceph src/librbd/image/RefreshRequest.cc.
 * Pure.
 */
#ifndef SSDQUAL_POLICIES_RBD_INFO_H
#define SSDQUAL_POLICIES_RBD_INFO_H

#include "policies/rbd_status.h"

#define RBD_INFO_FEATURES 24
#define RBD_INFO_TEXT 32

struct rbd_info {
	char name[RBD_STATUS_TEXT], id[64], data_pool[64], parent[3 * RBD_STATUS_TEXT];
	char encryption[RBD_INFO_TEXT]; /* "luks2"; "" none named */
	double size_bytes, object_bytes; /* NAN: not given */
	unsigned format;                 /* 1, 2; 0: not given */
	char feature[RBD_INFO_FEATURES][RBD_INFO_TEXT];
	size_t features;
	bool features_known;
	char op_feature[RBD_INFO_FEATURES][RBD_INFO_TEXT];
	size_t op_features;
	double snapshots;                /* NAN: not given */
	enum answer mirroring, migration;
	unsigned refresh_reads;
};

/* rbd_info_parse - -EBADMSG, ERR_INPUT when @doc is no such document. */
int rbd_info_parse(const struct json *doc, const char *file, struct rbd_info *ret,
	struct err *reterr);
/* rbd_info_feature - is it on? ANSWER_UNKNOWN where the document has no features. */
enum answer rbd_info_feature(const struct rbd_info *i, const char *name);

#endif
