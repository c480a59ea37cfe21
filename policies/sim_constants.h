/* sim_constants.h - constants of the simulator, each with where it comes from.
 *
 * Two kinds. From Ceph's source: facts. Fitted: on which cells of tests/measured, and what they
 * stand for; sim_fitted[] lists them for `make accuracy` and docs/simulator.md.
 */
#ifndef SSDQUAL_POLICIES_SIM_CONSTANTS_H
#define SSDQUAL_POLICIES_SIM_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>

/* Half-way pause of the cold client: after a pause p its first operation pays the cold time
 * x p / (p + this). Fitted: medians of the write in pair*-writearound at pauses 0 to 10 ms. */
#define SIM_COLD_HALF_NS 300e3

/* Smoothing of the gap between operations (sim_config.hot_gap_ns): the last eight or so. */
#define SIM_GAP_SMOOTH 8

/* ObjectCacher's flusher wakes each second (ObjectCacher.cc, flusher_entry). */
#define SIM_OC_FLUSHER_NS UINT64_C(1000000000)
/* Hops of a write-through write and of a flush that had something to write: client to librbd,
 * cache to dispatch, commit to the cache's finisher, finisher to client. */
#define SIM_OC_THROUGH_HOPS 4
#define SIM_OC_FLUSH_HOPS 4

struct sim_fitted {
	const char *name;
	double value;
	const char *unit;
	const char *meaning;
	const char *fitted_on;
};
extern const struct sim_fitted sim_fitted[]; /* .name NULL: the end */

#endif
