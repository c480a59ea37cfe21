/* sim_inputs.c - service times from what a client without cache sees. */
#include "policies/sim_inputs.h"

#include "policies/sim_constants.h"

#include <math.h>
#include <string.h>

/* The least that can be left of a backend write: nothing is free. */
#define LEAST_NS 50000

static double hops(const struct sim_inputs *in, struct sim_table *ret_hop)
{
	if (in->flush.known) {
		*ret_hop = in->flush;
		sim_table_scale(ret_hop, 0.5);
	} else {
		sim_table_constant(ret_hop, SIM_HOP_NS);
	}
	return sim_table_quantile(ret_hop, 0.5);
}

/* tailed - the client's own steps have a tail of their own. */
static struct dist tailed(double p50_ns)
{
	return (struct dist){ p50_ns, p50_ns * SIM_CPU_P99, p50_ns * SIM_CPU_P999 };
}

void sim_inputs_tables(const struct sim_inputs *in, struct sim_table *t)
{
	double hop, cold, wake = in->meta_idle_ns - in->meta_busy_ns;
	unsigned reads = in->refresh_reads ? in->refresh_reads : SIM_REFRESH_READS;

	memset(t, 0, SIM_SERVICE_COUNT * sizeof(*t));
	hop = hops(in, &t[SIM_T_HOP]);
	cold = SIM_COLD_NS * (double)in->write_pause_ns /
		((double)in->write_pause_ns + SIM_COLD_HALF_NS);
	t[SIM_B_WRITE] = in->write;
	sim_table_shift(&t[SIM_B_WRITE], -2 * hop - cold, LEAST_NS);
	t[SIM_B_WRITE_AWAKE] = t[SIM_B_WRITE];
	if (isnan(wake))
		wake = SIM_AWAKE_ASSUMED * sim_table_quantile(&in->write, 0.5);
	t[SIM_B_NEXT] = in->next;
	sim_table_shift(&t[SIM_B_NEXT], -2 * hop, LEAST_NS);
	t[SIM_B_NEXT_AWAKE] = t[SIM_B_NEXT];
	if (wake > 0) {
		sim_table_shift(&t[SIM_B_WRITE_AWAKE], -SIM_AWAKE_SHARE * wake, LEAST_NS);
		sim_table_shift(&t[SIM_B_NEXT_AWAKE], -SIM_AWAKE_NEXT * wake, LEAST_NS);
	}
	t[SIM_B_READ] = in->read;
	sim_table_shift(&t[SIM_B_READ], -2 * hop, LEAST_NS);
	t[SIM_B_META_READ] = in->refresh;
	sim_table_scale(&t[SIM_B_META_READ], 1.0 / reads);
	t[SIM_B_META_WRITE] = t[SIM_B_WRITE];
	if (in->meta_write.known) {
		t[SIM_B_META_WRITE] = in->meta_write;
		sim_table_shift(&t[SIM_B_META_WRITE], -2 * hop, LEAST_NS);
	}
	t[SIM_B_NOTIFY] = t[SIM_B_META_READ];
	sim_table_scale(&t[SIM_B_NOTIFY], SIM_NOTIFY_READS);
	t[SIM_L_WRITE4K] = in->log4k;
	t[SIM_L_WRITE12K] = in->log12k;
	t[SIM_L_READ4K] = in->logread;
	sim_table_from_dist(&t[SIM_T_COLD], tailed(SIM_COLD_NS));
	sim_table_from_dist(&t[SIM_T_WORK], tailed(SIM_WORK_NS));
	sim_table_from_dist(&t[SIM_T_LOG_WORK], (struct dist){ SIM_LOG_WORK_NS,
		SIM_LOG_WORK_P99_NS, SIM_LOG_WORK_P999_NS });
	sim_table_from_dist(&t[SIM_T_HEAD], tailed(SIM_HEAD_NS));
}

double sim_inputs_pauses(struct sim_table *t)
{
	static const enum sim_service others[] = { SIM_B_WRITE_AWAKE, SIM_B_NEXT, SIM_B_NEXT_AWAKE,
		SIM_B_READ, SIM_B_META_READ, SIM_B_META_WRITE, SIM_B_NOTIFY };
	static const enum sim_service brief[] = { SIM_T_HOP, SIM_L_WRITE4K, SIM_L_WRITE12K,
		SIM_L_READ4K };
	struct sim_table lengths;
	double rate = sim_table_split(&t[SIM_B_WRITE], SIM_PAUSE_SHARE, &t[SIM_T_PAUSE]);

	for (unsigned i = 0; i < sizeof(brief) / sizeof(brief[0]); i++)
		sim_table_split(&t[brief[i]], SIM_PAUSE_SHARE_SHORT, &lengths);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		sim_table_split(&t[others[i]], SIM_PAUSE_SHARE, &lengths);
	return rate;
}
