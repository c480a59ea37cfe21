/* session_note.h - what a session writes into the document beside the figures: sections, noise,
 * findings. Used by session.c only. */
#ifndef SSDQUAL_PROBES_SESSION_NOTE_H
#define SSDQUAL_PROBES_SESSION_NOTE_H

#include "probes/session.h"

/* session_note_begin - fill the sections host, target and settings. */
int session_note_begin(struct result *res, const struct target *t, const struct plan *p,
	struct err *reterr);

/* session_note_run - load_run() with the machine watched meanwhile: sets m->noise. */
int session_note_run(const struct target *t, const struct load_params *lp,
	const struct load_watch *watch, struct measurement *m, struct err *reterr);

/* session_note_skipped - the finding "not-applicable" for a row that did not run. */
int session_note_skipped(struct result *res, const char *key, const char *why, struct err *reterr);

/* session_note_end - settings.ended, settings.precondition and the findings about the figures.
 * @code: what session_run() is about to return */
int session_note_end(struct result *res, const struct plan *p, bool filled, int code,
	struct err *reterr);

#endif
