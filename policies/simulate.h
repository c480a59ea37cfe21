/* simulate.h - from a load, settings and latencies to a prediction, by simulation.
 *
 *	sim_stated_tables(&backend, drive, measured, tables)   once for a backend
 *	simulate(&input, tables, &budget, &prediction)
 *
 * What is simulated: up to SIMULATE_IMAGES images of the host on their share of the backend's
 * servers, each with the streams of the profile, whose guest turns a sync into its writes and
 * flushes (policies/sim_guest.h). Everything in the prediction that is a time or a rate is read off
 * the simulated histograms; what a setting costs in memory and puts at risk follows from the
 * setting. docs/simulator.md says what the models hold and leave out.
 * Pure: the same input and budget give the same bytes.
 */
#ifndef SSDQUAL_POLICIES_SIMULATE_H
#define SSDQUAL_POLICIES_SIMULATE_H

#include "policies/model.h"
#include "policies/sim.h"

#define SIMULATE_IMAGES 8u

struct simulate_budget {
	unsigned seeds;   /* runs, their histograms merged; >= 1 */
	uint64_t ops;     /* client operations of each run */
};

/* simulate - fill @ret wholly. What cannot be simulated (no model, an unknown latency that the
 * model needs, no memory) gives model_unknown() with the reason in why. */
void simulate(const struct model_input *in, const struct sim_table *service,
	const struct simulate_budget *budget, struct prediction *ret);

#endif
