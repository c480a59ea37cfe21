/* session_cache.h - the drive's write cache over a session: set for each leg, noted, put back. Used
 * by session.c only. In all of them @g may be NULL: the drive cannot be asked, and is not changed.
 */
#ifndef SSDQUAL_PROBES_SESSION_CACHE_H
#define SSDQUAL_PROBES_SESSION_CACHE_H

#include "probes/session.h"

/* session_cache_begin - settings.write_cache_mode, .write_cache_before, .write_cache_restored (null
 * until something was changed). */
int session_cache_begin(const struct cacheguard *g, const struct plan *p, struct result *res,
	struct err *reterr);

/* session_cache_set - what the plan says for leg number @leg (from 0). As cacheguard_set(). */
int session_cache_set(struct cacheguard *g, const struct plan *p, unsigned leg,
	struct err *reterr);

/* session_cache_state - as the drive said last; without @g as @t's identity has it. */
enum write_cache_state session_cache_state(const struct cacheguard *g, const struct target *t);

/* session_cache_note - m->write_cache and, where there is more than one, the leg's number (key
 * "leg", from 1) after leg @leg. The drive is asked again: one that changed its state meanwhile (a
 * reset) makes the measurement's "unknown", with a finding. */
void session_cache_note(struct cacheguard *g, const struct target *t, const struct plan *p,
	unsigned leg, struct measurement *m, struct result *res);

/* session_cache_restore - put it back, and say so in the document.
 * @code: how the session ended so far; @reterr has its message where it is < 0.
 * Returns @code, or, where that was 0, how the restore went; its message is added in any case. */
int session_cache_restore(struct cacheguard *g, struct result *res, int code, struct err *reterr);

#endif
