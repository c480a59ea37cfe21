/* sim_stated.h - service times of the simulator from a resolved backend and drive (model.h).
 *
 * For latencies that are known by their quantiles: stated ones, and summaries of results. Where a
 * client without cache was measured, sim_inputs.h takes its histograms apart.
 */
#ifndef SSDQUAL_POLICIES_SIM_STATED_H
#define SSDQUAL_POLICIES_SIM_STATED_H

#include "policies/model.h"
#include "policies/sim_inputs.h"

/* sim_stated_tables - fills @ret[SIM_SERVICE_COUNT]. @drive NULL: log times stay unknown.
 * @refresh_measured: @b->refresh is a whole stall, of which each read is a part (its spread is that
 * of a sum); else it is five times one read.
 * A metadata write is a write, its median not below SIM_META_WRITE_READS metadata reads; a hop is
 * lognormal (SIM_HOP_SIGMA) about @b->hop_ns. What is unknown stays unknown. */
void sim_stated_tables(const struct model_backend *b, const struct model_drive *drive,
	bool refresh_measured, struct sim_table *ret);
/* sim_stated_meta_floor - @write becomes slower by a constant until its median is SIM_META_WRITE_READS of
 * @read's. Unknown tables stay as they are. */
void sim_stated_meta_floor(struct sim_table *write, const struct sim_table *read);

#endif
