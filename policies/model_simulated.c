/* model_simulated.c - the settings that are simulated, and what all models share. */
#include "policies/sim_stated.h"
#include "policies/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A p99 of 3,000 syncs has 30 of them above it; two seeds, since a run may fall into one regime. */
static const struct simulate_budget usual = { .seeds = 2, .ops = 6000 };

void model_unknown(struct prediction *ret, const char *why)
{
	*ret = (struct prediction){ .write = DIST_UNKNOWN, .flush = DIST_UNKNOWN,
		.pair = DIST_UNKNOWN, .guest_sync = DIST_UNKNOWN, .iops = NAN,
		.fill_seconds = NAN, .stall_seconds = NAN, .memory_bytes = NAN,
		.at_risk_bytes = NAN, .regime = "unknown", .certainty = CERTAINTY_UNSURE };
	for (int i = 0; i < SIM_PLACE_COUNT; i++)
		ret->place_ns[i] = NAN;
	snprintf(ret->why, sizeof(ret->why), "%s", why);
}

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	struct sim_table *own = NULL;

	if (in->service == NULL) {
		own = malloc(SIM_SERVICE_COUNT * sizeof(*own));
		if (own == NULL) {
			model_unknown(ret, "no memory for a simulation");
			return;
		}
		sim_stated_tables(in->backend, in->drive, in->refresh_measured, own);
	}
	simulate(in, own != NULL ? own : in->service, in->budget != NULL ? in->budget : &usual, ret);
	free(own);
}

const struct model_ops model_none = {
	.name = "none",
	.summary = "no cache: each write waits for the cluster",
	.mode = CACHE_NONE,
	.evaluate = evaluate,
};

const struct model_ops model_writethrough = {
	.name = "writethrough",
	.summary = "reads from memory, each write waits for the cluster",
	.mode = CACHE_WRITETHROUGH,
	.evaluate = evaluate,
};

const struct model_ops model_writeback = {
	.name = "writeback",
	.summary = "writes kept in memory and written later; overwrites absorbed",
	.mode = CACHE_WRITEBACK,
	.evaluate = evaluate,
};

const struct model_ops model_writearound = {
	.name = "writearound",
	.summary = "writes go out at once and are acknowledged at once; nothing is kept",
	.mode = CACHE_WRITEAROUND,
	.evaluate = evaluate,
};

const struct model_ops model_pwl_ssd = {
	.name = "pwl-ssd",
	.summary = "persistent write log on a local SSD",
	.mode = CACHE_PWL_SSD,
	.evaluate = evaluate,
};
