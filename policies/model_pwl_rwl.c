/* model_pwl_rwl.c - the log path of PWL in rwl mode (persistent memory): a closed form only.
 *
 * A write is copied and made persistent before it is acknowledged, a flush is one transaction
 * more: 10 to 30 us each, from the structure of the code; no figure was measured, and the hardware
 * is no longer made. Every candidate of this kind carries a blocker.
 * Source: ceph src/librbd/cache/pwl/rwl/WriteLog.cc, 18.2.7.
 */
#include "policies/model_pwl.h"

#include <math.h>

#define PERSIST_NS  20000.0
#define USABLE      0.70  /* of the pool */
#define MIN_ALLOC   512.0

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	struct cache_settings usable = *in->set;
	struct model_input rwl = *in;
	struct pwl_path p;

	usable.pwl_bytes *= USABLE;
	rwl.set = &usable;
	p.write = dist_shift(model_ack(in, 2), PERSIST_NS);
	p.flush = dist_shift(model_ack(in, 1), PERSIST_NS);
	p.ring_bytes = fmax(MIN_ALLOC, in->load->write_bytes);
	p.read_ns = 0;
	pwl_evaluate(&rwl, &p, ret);
	ret->at_risk_bytes = in->set->pwl_bytes;
}

const struct model_ops model_pwl_rwl = {
	.name = "pwl-rwl",
	.summary = "persistent write log in persistent memory",
	.mode = CACHE_PWL_RWL,
	.evaluate = evaluate,
};
