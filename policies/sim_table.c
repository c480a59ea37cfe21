/* sim_table.c - the cache models that are simulated, in display order; and the fitted constants. */
#include "policies/sim_constants.h"
#include "policies/sim_model.h"

const struct sim_model_ops *const sim_model_table[] = {
	&sim_none,
	&sim_writethrough,
	&sim_writeback,
	&sim_writearound,
	&sim_pwl_ssd,
	NULL,
};

const struct sim_model_ops *sim_model_of(enum cache_mode mode)
{
	for (unsigned i = 0; sim_model_table[i]; i++)
		if (sim_model_table[i]->mode == mode)
			return sim_model_table[i];
	return NULL;
}

const struct sim_fitted sim_fitted[] = {
	{ "SIM_COLD_HALF_NS", SIM_COLD_HALF_NS, "ns", "pause after which half of the cold time is paid",
		"write p50 of pair*-writearound, pauses 0 to 10 ms" },
	{ NULL, 0, NULL, NULL, NULL },
};
