/* advise_tables.c - service times of what is known: quantiles, or the measured histograms. */
#include "policies/advise.h"

#include <math.h>

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

/* writes - the histogram of the row whose median model_backend_resolve() took. */
static const struct hist *writes(const struct advise_case *c)
{
	const struct backend_samples *s = c->in->samples;
	const struct backend_pair *pair = model_paced(&c->in->backend, &c->load);

	for (size_t i = 0; pair != NULL && i < s->pair_count; i++)
		if (s->pair[i].pause_ns == pair->pause_ns)
			return s->pair[i].write;
	return s->in[BACKEND_WRITE];
}

void advise_tables(const struct advise_case *c, struct sim_table *ret)
{
	const struct backend *b = &c->in->backend;
	double hop = c->backend.hop_ns;

	sim_stated_tables(&c->backend, c->in->has_drive ? &c->drive : NULL,
		b->in[BACKEND_REFRESH].known, ret);
	/* A guest's sync is taken apart into phases: its histogram is of no single write. */
	if (c->in->samples == NULL || b->at_guest)
		return;
	shape(&ret[SIM_B_WRITE], writes(c), c->backend.write, hop);
	ret[SIM_B_WRITE_AWAKE] = ret[SIM_B_WRITE];
	shape(&ret[SIM_B_READ], c->in->samples->in[BACKEND_READ], c->backend.read, hop);
}

void advise_retable(struct advise_case *moved)
{
	advise_tables(moved, moved->spare);
	moved->service = moved->spare;
	moved->budget = &advise_brief;
}
