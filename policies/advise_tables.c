/* advise_tables.c - service times of what is known: quantiles, or the measured histograms. */
#include "policies/advise.h"

#include <math.h>

#include "policies/sim_constants.h"
#include "policies/sim_stated.h"
#include "policies/simulate.h"

const struct simulate_budget advise_brief = { .seeds = 1, .ops = 4000 };

/* What is left of an operation at least when the client's two hops are taken out. */
#define LEAST_SHARE 0.25

/* shape - the table of @h with the median of @d, which may be scaled or come from another row; less
 * the two hops that every model adds itself. */
static void shape(struct sim_table *t, const struct hist *h, struct dist d, double hop_ns)
{
	double median;

	if (h == NULL || h->count == 0 || !dist_known(d))
		return;
	sim_table_from_hist(t, h);
	median = sim_table_quantile(t, 0.5);
	if (median > 0)
		sim_table_scale(t, d.p50_ns / median);
	sim_table_shift(t, -2 * hop_ns, (uint64_t)(d.p50_ns * LEAST_SHARE));
}

static const struct hist *writes_of(const struct backend_samples *s, const struct backend_pair *pair)
{
	for (size_t i = 0; pair != NULL && i < s->pair_count; i++)
		if (s->pair[i].pause_ns == pair->pause_ns)
			return s->pair[i].write;
	return NULL;
}

/* next_writes - what follows another write closely is as fast as the pairs without a pause. */
static void next_writes(const struct advise_case *c, const struct backend_pair *pair,
	struct sim_table *ret)
{
	const struct backend_pair *hasty = &c->in->backend.pair[0]; /* the shortest pause */

	if (pair == NULL || pair == hasty)
		return;
	shape(ret, writes_of(c->in->samples, hasty), dist_scale(hasty->write.dist,
		c->backend.write.p50_ns / pair->write.dist.p50_ns), c->backend.hop_ns);
}

/* awake - of a client that does not sleep meanwhile. */
static void awake(struct sim_table *ret, const struct sim_table *t, double spared_ns)
{
	*ret = *t;
	sim_table_shift(ret, -spared_ns,
		(uint64_t)fmax(0, sim_table_quantile(t, 0.5) * LEAST_SHARE));
}

void advise_tables(const struct advise_case *c, struct sim_table *ret)
{
	const struct backend *b = &c->in->backend;
	const struct backend_pair *pair = model_paced(b, &c->load);
	double hop = c->backend.hop_ns;
	const struct hist *writes;

	sim_stated_tables(&c->backend, c->in->has_drive ? &c->drive : NULL,
		b->in[BACKEND_REFRESH].known, ret);
	/* A guest's sync is taken apart into phases: its histogram is of no single write. */
	if (c->in->samples == NULL || b->at_guest)
		return;
	writes = writes_of(c->in->samples, pair);
	shape(&ret[SIM_B_WRITE], writes ? writes : c->in->samples->in[BACKEND_WRITE],
		c->backend.write, hop);
	next_writes(c, pair, &ret[SIM_B_NEXT]);
	awake(&ret[SIM_B_WRITE_AWAKE], &ret[SIM_B_WRITE], SIM_AWAKE_SHARE * b->wake_ns);
	awake(&ret[SIM_B_NEXT_AWAKE], &ret[SIM_B_NEXT], SIM_AWAKE_NEXT * b->wake_ns);
	/* A metadata change is committed right behind other operations. Measured in refresh/: 1.7 ms
	 * for a write there, 1.9 for the pairs at 0.2 ms less what is spared of the wake-up. */
	if (ret[SIM_B_NEXT_AWAKE].known) {
		ret[SIM_B_META_WRITE] = ret[SIM_B_NEXT_AWAKE];
		sim_stated_meta_floor(&ret[SIM_B_META_WRITE], &ret[SIM_B_META_READ]);
	}
	shape(&ret[SIM_B_READ], c->in->samples->in[BACKEND_READ], c->backend.read, hop);
}

void advise_retable(struct advise_case *moved)
{
	advise_tables(moved, moved->spare);
	moved->service = moved->spare;
	moved->budget = &advise_brief;
}
