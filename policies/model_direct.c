/* model_direct.c - without a cache, and the write-through cache: every write waits for the cluster.
 *
 * b is what a client of the image measured, so that its own hop is inside already.
 * At fs-append a sync has three writes, one after another.
 */
#include "policies/model.h"

#include <math.h>
#include <stdio.h>

void model_direct(const struct model_input *in, double hops, struct prediction *ret)
{
	const struct workload *w = in->load;
	const struct model_backend *b = in->backend;
	struct dist one;

	model_unknown(ret, "every write waits for the cluster");
	ret->write = dist_shift(model_queued_write(in), hops * b->hop_ns);
	ret->flush = b->flush;
	ret->pair = dist_sum(ret->write, ret->flush);
	if (w->syncs_per_write > 0) {
		one = ret->pair;
		if (w->stack == STACK_FS_APPEND)
			one = dist_sum(dist_times(ret->write, MODEL_APPEND_WRITES),
				dist_times(b->flush, 2));
		/* Measured in the guest: nothing to compose. Which policy it was measured with is
		 * not known, so all in-memory policies get it. */
		if (dist_known(b->guest_sync))
			one = dist_shift(b->guest_sync, hops * b->hop_ns);
		ret->guest_sync = one;
	}
	ret->iops = model_direct_iops(in, ret->write,
		w->syncs_per_write > 0 ? dist_mean(b->flush) : 0);
	ret->at_risk_bytes = 0;
	ret->regime = "direct";
	ret->certainty = CERTAINTY_DERIVED;
}
