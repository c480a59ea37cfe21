/* model_writethrough.c - reads from memory; write b + c. */
#include "policies/model.h"

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	model_direct(in, 1, ret);
	ret->memory_bytes = in->set->size_bytes;
}

const struct model_ops model_writethrough = {
	.name = "writethrough",
	.summary = "reads from memory, each write waits for the cluster",
	.mode = CACHE_WRITETHROUGH,
	.evaluate = evaluate,
};
