/* rbd_site.h - where an RBD run takes place: cluster, pool, the image named, and an image to write.
 *
 *	rbd_site_open()     connect, look; nothing is changed
 *	rbd_site_decide()   may it run here?
 *	rbd_ground_make()   a scratch image, or the start of the named one
 *	rbd_ground_open()   ... under certain client options, proven to hold
 *	rbd_ground_fill()
 *	rbd_ground_drop()   remove the scratch image
 *	rbd_site_close()
 */
#ifndef SSDQUAL_PROBES_RBD_SITE_H
#define SSDQUAL_PROBES_RBD_SITE_H

#include "probes/load.h"
#include "probes/rbd_cluster.h"
#include "probes/rbd_scratch.h"

struct rbd_site {
	struct rbd_login login;
	struct rbd_spec spec;     /* image "": a pool alone was named */
	struct rbd_spec header;   /* the image whose header is looked at; image "": none */
	struct rbd_conn conn;     /* with every cache off */
	struct json *cluster;     /* rbd_cluster_ask() */
	struct rbd_image *image;  /* the one of @header, read-only; NULL: there is none */
	struct rbd_facts facts;   /* of it */
	struct json *config;      /* its options with this client's own configuration; NULL: unknown */
	char config_why[256];     /* why unknown; "" else */
	char release[32];         /* of this client's librbd; "" unknown */
};

/* The client options that a run without any cache needs. */
extern const struct rbd_setting rbd_no_cache[];
extern const size_t rbd_no_cache_count;

/* rbd_site_open - @header_of: image whose header is looked at instead of the target's; NULL: the
 * target's. A target without that image is no error (image NULL), a @header_of without it is. */
int rbd_site_open(const struct rbd_login *login, const struct rbd_spec *spec,
	const struct rbd_spec *header_of, bool plain_fsid, struct rbd_site *ret,
	struct err *reterr);
void rbd_site_close(struct rbd_site *s); /* zeroed and half-built ones, too */

/* rbd_site_decide - @force: over the cluster's health; @existing: the named image itself shall be
 * overwritten: refused while others watch it, and where it has a parent, snapshots or clones, or is
 * mirrored by its journal. ERR_REFUSED, -EPERM; ERR_USAGE: there is no such image. */
int rbd_site_decide(const struct rbd_site *s, bool force, bool existing, struct err *reterr);

/* rbd_site_config - the options that this client's configuration, the pool and the image @name in
 * the pool of @where give together, as of `rbd config image list`. */
int rbd_site_config(const struct rbd_site *s, const struct rbd_spec *where, const char *name,
	struct json **ret, struct err *reterr);

#define RBD_SPAN_UNIT (1u << 20)

struct rbd_ground {
	struct rbd_scratch scratch; /* name "": the named image is written */
	char name[RBD_LIB_NAME_MAX + 1];
	struct rbd_facts facts;     /* of what is written; set by the first rbd_ground_open() */
	uint64_t span;              /* bytes from its start that are used */
};

/* rbd_ground_make - @existing: the start of the named image (span cut to its size), else a new
 * scratch image of @span bytes beside it. */
int rbd_ground_make(const struct rbd_site *s, bool existing, uint64_t span,
	struct rbd_ground *ret, struct err *reterr);
/* rbd_ground_open - open it for writing through @c, which was opened with @set; a setting that the
 * pool overrides is set on the scratch image itself, one that an existing image overrides refuses
 * the run (ERR_REFUSED). */
int rbd_ground_open(const struct rbd_site *s, const struct rbd_conn *c,
	const struct rbd_setting *set, size_t count, struct rbd_ground *g,
	struct rbd_image **ret, struct err *reterr);
/* rbd_ground_fill - write the span once. ERR_STOPPED, ERR_DEVICE. */
int rbd_ground_fill(const struct rbd_ground *g, struct rbd_image *i, uint64_t randseed,
	const struct load_watch *watch, struct err *reterr);
/* rbd_ground_drop - remove what was made; nothing for an existing image. */
int rbd_ground_drop(const struct rbd_site *s, struct rbd_ground *g, struct err *reterr);

#endif
