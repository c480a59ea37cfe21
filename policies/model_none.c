/* model_none.c - no cache: write b, and a flush finds nothing to write. */
#include "policies/model.h"

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	model_direct(in, 0, ret);
	ret->memory_bytes = 0;
}

const struct model_ops model_none = {
	.name = "none",
	.summary = "no cache: each write waits for the cluster",
	.mode = CACHE_NONE,
	.evaluate = evaluate,
};
