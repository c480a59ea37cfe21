/* model_writearound.c - writes go out at once and are acknowledged at once: write c, flush b + c.
 *
 * Room is max_dirty bytes in flight; nothing is kept, so nothing is absorbed and nothing is read
 * from it. size and target_dirty have no meaning here.
 */
#include "policies/model.h"

#include <stdio.h>

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	static const struct memory_cache cache = {
		.ack_hops = 1,
		.flush_hops = 1,
		.blocked_factor = 1,
		.absorbs = false,
	};

	if (in->set->until_flush && in->load->syncs_per_write == 0) {
		model_direct(in, 0, ret);
		ret->regime = "until-flush";
		snprintf(ret->why, sizeof(ret->why), "the guest never flushes, so "
			"rbd_cache_writethrough_until_flush keeps it write-through");
	} else {
		model_memory_cache(in, &cache, ret);
	}
	ret->memory_bytes = in->set->max_dirty_bytes;
}

const struct model_ops model_writearound = {
	.name = "writearound",
	.summary = "writes go out at once and are acknowledged at once; nothing is kept",
	.mode = CACHE_WRITEAROUND,
	.evaluate = evaluate,
};
