/* sim_objectcacher.h - librbd's ObjectCacher: what write-back and write-through share.
 *
 * A buffer head is one extent as it was written: dirty, being written (tx), or clean. An overwrite
 * of the same extent is absorbed while it is dirty; one that comes while it is tx makes a new dirty
 * head beside it. Heads that merely overlap do not join (the workloads here write one block size).
 *   Write: into a head, then the finisher, one thread: it answers unless dirty + tx >= max_dirty +
 *   waiting, or heads (dirty, tx) >= max_dirty / 4096 + waiters; then it and all behind it wait.
 *   Flusher: woken each second and by writes that push dirty above target: writes the oldest heads,
 *   (dirty + waiting - target) bytes; else the heads above target / 4096; else those not written
 *   for max_dirty_age. Flush: every dirty head at once, then waits for all that are under way.
 *   Clean heads stay until size bytes or size / 4096 heads; reads find all three kinds.
 *   max_dirty = 0 is write-through: each write goes out alone and is answered when committed.
 * Source: ceph 18.2.7 src/osdc/ObjectCacher.cc (writex, _maybe_wait_for_writeback, flusher_entry,
 * flush_set, trim), src/librbd/cache/ObjectCacherObjectDispatch.cc (writethrough_until_flush).
 */
#ifndef SSDQUAL_POLICIES_SIM_OBJECTCACHER_H
#define SSDQUAL_POLICIES_SIM_OBJECTCACHER_H

#include "policies/sim_cover.h"

#define SIM_OC_SIZE 512 /* bytes of state */

void sim_oc_bound(const struct sim_handle *h, struct sim_bound *ret);
/* sim_oc_init - @writeback: false has max_dirty = 0 for good. */
int sim_oc_init(struct sim_handle *h, bool writeback);
void sim_oc_write(struct sim_handle *h, struct sim_op *op);
void sim_oc_flush(struct sim_handle *h, struct sim_op *op);
void sim_oc_read(struct sim_handle *h, struct sim_op *op);
void sim_oc_done(struct sim_handle *h, enum sim_service service, uint64_t cookie);
void sim_oc_written(struct sim_handle *h, uint64_t cookie);
void sim_oc_event(struct sim_handle *h, unsigned what, uint64_t arg);
void sim_oc_space(const struct sim_handle *h, struct sim_space *ret);
const char *sim_oc_check(const struct sim_handle *h);

#endif
