/* sim_input.h - service times of the simulator from a resolved backend and drive (model.h).
 *
 * Where histograms were measured, tables are made from them directly (sim_table_from_hist()); this
 * is for latencies that are known by their quantiles: stated ones, and results' summaries.
 */
#ifndef SSDQUAL_POLICIES_SIM_INPUT_H
#define SSDQUAL_POLICIES_SIM_INPUT_H

#include "policies/model.h"
#include "policies/sim.h"

/* sim_input_tables - fills @ret[SIM_SERVICE_COUNT]. @drive NULL: log times stay unknown.
 * @refresh_measured: @b->refresh is a whole stall, of which each read is a part (its spread is that
 * of a sum); else it is five times one read.
 *   write        b less the two hops of the client, which every model adds itself
 *   meta read    one read of a refresh
 *   meta write   as a write: both are one replicated commit; its median not below
 *                SIM_META_WRITE_READS metadata reads
 *   notify       as a metadata read
 *   hop          lognormal, SIM_HOP_SIGMA; unknown times stay unknown. */
void sim_input_tables(const struct model_backend *b, const struct model_drive *drive,
	bool refresh_measured, struct sim_table *ret);

#endif
