/* wa_osd.h - `ssdqual wa --osd`: the OSD's side of the chain. */
#ifndef SSDQUAL_CLI_WA_OSD_H
#define SSDQUAL_CLI_WA_OSD_H

#include "cli/command.h"
#include "policies/wa.h"
#include "probes/wa.h"

struct wa_osd_side {
	bool used;
	unsigned id;
	char *asok;
	char *device[3]; /* data, db, wal: paths; NULL where it has none */
	struct wa_osd before, after;
	struct wa_reading lack; /* why there is no second reading; known: there is one */
};

/* wa_osd_side_init - from "N" or "N=DATA,DB,WAL" (DB and WAL may be left out or empty) and the
 * socket's path (NULL: it is looked for). Without devices the OSD is asked for them. ERR_USAGE, or
 * as ceph_asok_find() and wa_osd_devices(). */
int wa_osd_side_init(struct wa_osd_side *o, const char *arg, const char *asok,
	struct err *reterr);
void wa_osd_side_done(struct wa_osd_side *o);

/* wa_osd_side_read - the first reading must succeed; of the second a failure is a reason in the
 * chain. */
int wa_osd_side_read(struct wa_osd_side *o, bool after, struct err *reterr);

/* wa_osd_side_fill - the client and store levels of @count chains, by their roles; one without a
 * role is all of them. Adds `osd` to @doc. -ENOMEM. */
int wa_osd_side_fill(const struct wa_osd_side *o, const struct wa_spread *spread,
	struct wa_chain *chain, size_t count, struct json *doc);

#endif
