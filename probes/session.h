/* session.h - carry out a plan: prepare the span, run row after row, fill a result document.
 *
 * Whatever ends a session early, everything measured so far is in the result, and `settings.ended`
 * says why: "complete", "signal", "error", "device-gone". Scratch files have no name (scratch.h),
 * so nothing is left behind. The caller stores the document.
 */
#ifndef SSDQUAL_PROBES_SESSION_H
#define SSDQUAL_PROBES_SESSION_H

#include "probes/cacheguard.h"
#include "probes/plan.h"

/* A row whose IOPS changed by more than this within its last third was not flat. */
#define SESSION_FLAT_CHANGE 0.05
/* Findings about other users of the machine: share of our own bytes, share of the CPU time. */
#define SESSION_OTHER_IO 0.05
#define SESSION_CPU_STEAL 0.02

/* What a display wants to know; every hook may be NULL. Called from the thread of session_run(). */
struct session_watch {
	/* @what: "fill" or "layout"; @bytes: how much will be written */
	void (*fill_begin)(void *ctx, const char *what, uint64_t bytes);
	/* One leg of a row. @cache: "on", "off", "none" or "unknown"; @number: of @of legs in all.
	 */
	void (*row_begin)(void *ctx, const struct plan_row *row, const char *cache, size_t number,
		size_t of);
	void (*tick)(void *ctx, const struct load_tick *t); /* of the fill or row that began last */
	void (*row_end)(void *ctx, const struct measurement *m);
	void *ctx;
	const atomic_bool *stop; /* true: end after the I/Os in flight; may be NULL */
};

/* session_run - run @p on @t into @res (sections target, settings; measurements; findings).
 * @fd: the device or file, held open by target_open(); -1 for a directory
 * @guard: of the drive that @t is or lies on; NULL: it cannot be asked (only with PLAN_CACHE_KEEP).
 *   The write cache is put back before this returns, whatever ends the session, and the document
 *   says whether that was proven (settings.write_cache_restored).
 * 0: every applicable row ran, and the cache is as before. Else the document holds what was
 * measured until then: -EINTR ERR_STOPPED (watch->stop), -ENODEV ERR_DEVICE (device gone), -errno
 * (I/O error, file system full, cannot open, no direct I/O: ERR_UNSUPPORTED). */
int session_run(const struct target *t, const struct plan *p, int fd, struct cacheguard *guard,
	const struct session_watch *watch, struct result *res, struct err *reterr);

/* session_precondition - the word for settings.precondition: "none"; "filled" after a complete
 * fill; "steady" where, besides, the last third of every writing row is known to be flat. */
const char *session_precondition(const struct result *r, bool filled);

#endif
