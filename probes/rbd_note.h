/* rbd_note.h - what an RBD session writes into the document beside the figures. */
#ifndef SSDQUAL_PROBES_RBD_NOTE_H
#define SSDQUAL_PROBES_RBD_NOTE_H

#include "probes/rbd_session.h"

/* rbd_note_target - the sections host and target. @ground: NULL before there is one. */
int rbd_note_target(struct result *res, const struct rbd_site *site,
	const struct rbd_ground *ground, struct err *reterr);
/* rbd_note_settings - the section settings, ended "error" until rbd_note_end() knows better. */
int rbd_note_settings(struct result *res, const struct rbd_run *run, const char *battery,
	struct err *reterr);
/* rbd_note_leftovers - look for scratch images of killed runs; a finding for each. */
int rbd_note_leftovers(struct result *res, const struct rbd_site *site, struct err *reterr);
int rbd_note_end(struct result *res, const char *ended, struct err *reterr);

#endif
