/* sim_writeback.c - ObjectCacher with room for dirty data: a write 2c, a flush b + 4c. */
#include "policies/sim_objectcacher.h"

static int init(struct sim_handle *h)
{
	return sim_oc_init(h, true);
}

const struct sim_model_ops sim_writeback = {
	.name = "writeback",
	.mode = CACHE_WRITEBACK,
	.state_size = SIM_OC_SIZE,
	.bound = sim_oc_bound,
	.init = init,
	.write = sim_oc_write,
	.flush = sim_oc_flush,
	.read = sim_oc_read,
	.done = sim_oc_done,
	.written = sim_oc_written,
	.event = sim_oc_event,
	.space = sim_oc_space,
	.check = sim_oc_check,
};
