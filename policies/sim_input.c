/* sim_input.c - service times from quantiles. */
#include "policies/sim_input.h"

#include "policies/sim_constants.h"

#include <math.h>
#include <string.h>

static struct dist hop_of(double median_ns)
{
	return (struct dist){ median_ns, median_ns * exp(2.3263 * SIM_HOP_SIGMA),
		median_ns * exp(3.0902 * SIM_HOP_SIGMA) };
}

void sim_input_tables(const struct model_backend *b, const struct model_drive *drive,
	bool refresh_measured, struct sim_table *ret)
{
	double hops = 2 * b->hop_ns, least;
	struct dist meta = refresh_measured ? dist_part(b->refresh, MODEL_REFRESH_READS) :
		dist_scale(b->refresh, 1 / MODEL_REFRESH_READS);

	memset(ret, 0, SIM_SERVICE_COUNT * sizeof(*ret));
	sim_table_from_dist(&ret[SIM_B_WRITE], b->write);
	sim_table_shift(&ret[SIM_B_WRITE], -hops, (uint64_t)(b->write.p50_ns / 4));
	sim_table_from_dist(&ret[SIM_B_READ], b->read);
	sim_table_shift(&ret[SIM_B_READ], -hops, (uint64_t)(b->read.p50_ns / 4));
	sim_table_from_dist(&ret[SIM_B_META_READ], meta);
	ret[SIM_B_META_WRITE] = ret[SIM_B_WRITE];
	least = SIM_META_WRITE_READS * meta.p50_ns -
		sim_table_quantile(&ret[SIM_B_META_WRITE], 0.5);
	if (least > 0)
		sim_table_shift(&ret[SIM_B_META_WRITE], least, 0);
	ret[SIM_B_NOTIFY] = ret[SIM_B_META_READ];
	sim_table_from_dist(&ret[SIM_T_HOP], hop_of(b->hop_ns));
	if (!drive)
		return;
	sim_table_from_dist(&ret[SIM_L_WRITE4K], drive->write4k);
	sim_table_from_dist(&ret[SIM_L_WRITE12K], drive->write12k);
	sim_table_from_dist(&ret[SIM_L_READ4K], drive->read4k);
}
