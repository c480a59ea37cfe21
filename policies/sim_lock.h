/* sim_lock.h - exclusive-lock hand-over between handles of one image; see sim_lock.c.
 *
 * struct sim_config: .gate = &sim_exclusive_lock. Handles (struct sim_image) with the same `shared`
 * and without `no_lock` are one image; they have the lock in turns. Handles that are alone pass.
 */
#ifndef SSDQUAL_POLICIES_SIM_LOCK_H
#define SSDQUAL_POLICIES_SIM_LOCK_H

#include "policies/sim_model.h"

extern const struct sim_gate_ops sim_exclusive_lock;

/* sim_lock_known - can a hand-over be simulated? Giving the lock up empties the cache first (PWL:
 * the whole log); that was not measured, so with a cache that holds data the answer is unknown. */
bool sim_lock_known(const struct sim_config *c);

#endif
