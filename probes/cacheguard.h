/* cacheguard.h - changes a drive's write cache so that it can always be put back.
 *
 * Joins the three things that a change needs: the commands (writecache.h), the lock against another
 * ssdqual, and the state journal, which is on the disk before the drive is told anything.
 *
 *	cacheguard_open(&root, "sda", &io, &e, &g, reterr);  asks; changes nothing
 *	cacheguard_set(g, false, "run", reterr);             lock, journal, change, proof
 *	...
 *	cacheguard_restore(g, reterr);                       back, proof, entry removed
 *	cacheguard_free(g);                                  never changes the drive
 *
 * A drive that a killed process left changed keeps the state recorded then: it is what a restore
 * puts back. Not thread-safe.
 */
#ifndef SSDQUAL_PROBES_CACHEGUARD_H
#define SSDQUAL_PROBES_CACHEGUARD_H

#include "probes/journal.h"

struct cacheguard;

/* cacheguard_open - the whole disk @disk of @root.
 * @io: taken; zeroed where the drive cannot be asked (no privilege, no drive), which is no failure:
 * its state is unknown, and cacheguard_state() says @why_not. @root: borrowed.
 * Of a captured tree nothing is locked or recorded, and the kernel is imagined (wc_kernel_replay).
 */
int cacheguard_open(const struct sysroot *root, const char *disk, struct devio *io,
	const struct err *why_not, struct cacheguard **ret, struct err *reterr);
/* cacheguard_new - for tests: any drive and kernel. @folder: the journal's; NULL: not recorded.
 * @drive: taken, also on failure. @dev: its members are borrowed. */
int cacheguard_new(const char *folder, struct json *drive, const struct wc_dev *dev,
	struct cacheguard **ret, struct err *reterr);
void cacheguard_free(struct cacheguard *g); /* NULL allowed; drops the lock */

const struct wc_state *cacheguard_state(const struct cacheguard *g); /* as read last */
const struct json *cacheguard_drive(const struct cacheguard *g);     /* journal_drive() */
/* What a restore puts back; NULL: nothing, neither cacheguard_set() nor _adopt() took effect. */
const struct wc_state *cacheguard_before(const struct cacheguard *g);
/* cacheguard_refresh - ask drive and kernel again. */
int cacheguard_refresh(struct cacheguard *g, struct err *reterr);

/* cacheguard_can_toggle - the drive has a volatile cache that answers on or off. */
bool cacheguard_can_toggle(const struct cacheguard *g);

/* cacheguard_set - as wc_set(). @by: "run", "cache". A drive whose state cannot be
 * proven is not recorded, because it is not changed. Besides: ERR_REFUSED, -EBUSY locked by
 * another; ERR_DEVICE the journal cannot be written (the drive was not touched). */
int cacheguard_set(struct cacheguard *g, bool on, const char *by, struct err *reterr);

/* cacheguard_restore - undo all changes since the first, and prove it. 0: restored, or nothing was
 * changed; 1: restored, and the kernel was left safer than it was (wc_restore()). <0: not restored:
 * the journal's entry stays, and the message says how to repeat it. */
int cacheguard_restore(struct cacheguard *g, struct err *reterr);

/* cacheguard_keep - the change was deliberate and stays. The state before it can still be put back
 * later (JOURNAL_PREVIOUS); the oldest one recorded is kept, and none where the drive is as that
 * says. */
int cacheguard_keep(struct cacheguard *g, const char *by, struct err *reterr);

/* cacheguard_adopt - take over what the journal recorded for this drive: lock, and set what
 * cacheguard_restore() puts back. @ret_kind: which entry. -ENOENT, ERR_INPUT: none is recorded;
 * -ENOTUNIQ, ERR_REFUSED: another present drive could as well be meant. */
int cacheguard_adopt(struct cacheguard *g, enum journal_kind *ret_kind, struct err *reterr);

#endif
