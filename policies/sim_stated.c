/* sim_stated.c - service times from quantiles. */
#include "policies/sim_stated.h"

#include "policies/sim_constants.h"

#include <math.h>
#include <stdlib.h>

static struct dist hop_of(double median_ns)
{
	return (struct dist){ median_ns, median_ns * exp(2.3263 * SIM_HOP_SIGMA),
		median_ns * exp(3.0902 * SIM_HOP_SIGMA) };
}

/* without_client - a latency below librbd: less the two hops that every model adds itself. */
static void without_client(struct sim_table *t, struct dist d, double hop_ns)
{
	sim_table_from_dist(t, d);
	sim_table_shift(t, -2 * hop_ns, (uint64_t)(d.p50_ns > 0 ? d.p50_ns / 4 : 0));
}

void sim_stated_meta_floor(struct sim_table *write, const struct sim_table *read)
{
	double least = SIM_META_WRITE_READS * sim_table_quantile(read, 0.5) -
		sim_table_quantile(write, 0.5);

	if (least > 0)
		sim_table_shift(write, least, 0);
}

void sim_stated_tables(const struct model_backend *b, const struct model_drive *drive,
	bool refresh_measured, struct sim_table *ret)
{
	static const struct sim_inputs nothing;
	struct dist meta = refresh_measured ? dist_part(b->refresh, MODEL_REFRESH_READS) :
		dist_scale(b->refresh, 1 / MODEL_REFRESH_READS);

	sim_inputs_tables(&nothing, ret); /* the client's own constants */
	without_client(&ret[SIM_B_WRITE], b->write, b->hop_ns);
	without_client(&ret[SIM_B_READ], b->read, b->hop_ns);
	ret[SIM_B_WRITE_AWAKE] = ret[SIM_B_META_WRITE] = ret[SIM_B_WRITE];
	sim_table_from_dist(&ret[SIM_B_META_READ], meta);
	ret[SIM_B_NOTIFY] = ret[SIM_B_META_READ];
	sim_table_scale(&ret[SIM_B_NOTIFY], SIM_NOTIFY_READS);
	sim_stated_meta_floor(&ret[SIM_B_META_WRITE], &ret[SIM_B_META_READ]);
	/* The measured thread shared two cores with the OSD: its tail is not assumed elsewhere. */
	sim_table_from_dist(&ret[SIM_T_LOG_WORK], dist_scale((struct dist){ 1, SIM_CPU_P99,
		SIM_CPU_P999 }, SIM_LOG_WORK_NS * b->hop_ns / SIM_HOP_NS));
	sim_table_from_dist(&ret[SIM_T_HOP], hop_of(b->hop_ns));
	if (!drive)
		return;
	sim_table_from_dist(&ret[SIM_L_WRITE4K], drive->write4k);
	sim_table_from_dist(&ret[SIM_L_WRITE12K], drive->write12k);
	sim_table_from_dist(&ret[SIM_L_READ4K], drive->read4k);
}
