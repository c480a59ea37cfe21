/* model_writeback.c - ObjectCacher: write 2c while there is room, flush b + c.
 *
 * Room is max_dirty (dirty data and data being written). Memory: clean data up to the size, and
 * dirty data up to max_dirty beside it. Until the first flush of the guest it is write-through.
 */
#include "policies/model.h"

#include <stdio.h>

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	static const struct memory_cache cache = {
		.ack_hops = 2,
		.flush_hops = 1,
		/* Measured: a write that finds the cache full has 1.5 to 2 x the p99 of none. */
		.blocked_factor = 1.5,
		.absorbs = true,
	};

	if (in->set->until_flush && in->load->syncs_per_write == 0) {
		model_direct(in, 1, ret);
		ret->regime = "until-flush";
		snprintf(ret->why, sizeof(ret->why), "the guest never flushes, so "
			"rbd_cache_writethrough_until_flush keeps it write-through");
	} else {
		model_memory_cache(in, &cache, ret);
	}
	ret->memory_bytes = in->set->size_bytes + in->set->max_dirty_bytes;
}

const struct model_ops model_writeback = {
	.name = "writeback",
	.summary = "writes kept in memory and written later; overwrites absorbed",
	.mode = CACHE_WRITEBACK,
	.evaluate = evaluate,
};
