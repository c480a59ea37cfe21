/* sim_service.h - service times as inverse distribution functions, and what is served where.
 *
 * A sim_table holds the quantiles 0, 1/N, ... 1 of a latency; a draw takes one random number and
 * interpolates, so that the drawn times have the stored distribution (two draws are independent:
 * runs of slow operations are not modelled). A constant is drawn exactly.
 */
#ifndef SSDQUAL_POLICIES_SIM_SERVICE_H
#define SSDQUAL_POLICIES_SIM_SERVICE_H

#include "data/backend.h"
#include "data/hist.h"
#include "policies/sim_rng.h"

#include <stdbool.h>

#define SIM_TABLE_BITS 11
#define SIM_TABLE_CELLS (1u << SIM_TABLE_BITS)

struct sim_table {
	uint64_t q_ns[SIM_TABLE_CELLS + 1]; /* ascending */
	bool known;    /* false: nothing is known of this latency; a draw gives 0 */
	bool constant; /* all of them equal */
};

/* What takes time. The first ones queue at the backend's K servers, in one FIFO; the log ones at
 * the cache device of their image; hop and cold queue nowhere and are drawn by the models. */
enum sim_service {
	SIM_B_WRITE,      /* replicated write of up to 4 KiB, submit to commit, seen below librbd */
	SIM_B_WRITE_AWAKE, /* the same while its client is busy, not asleep; unknown: as SIM_B_WRITE */
	SIM_B_NEXT,       /* SIM_B_WRITE soon after other operations, not after the load's pause */
	SIM_B_NEXT_AWAKE, /* (sim_config.rest_ns); unknown: as those of a rested cluster */
	SIM_B_READ,
	SIM_B_META_READ,  /* one omap read of the image's header, as one step of a refresh */
	SIM_B_META_WRITE, /* omap write of the header: the commit of a metadata change */
	SIM_B_NOTIFY,     /* header-update notify: until the own watch callback has run */
	SIM_L_WRITE4K,    /* O_DIRECT writes to the cache device, by size */
	SIM_L_WRITE12K,   /* (between and beyond 4 and 12 KiB: on the line through both) */
	SIM_L_READ4K,
	SIM_T_HOP,        /* c: one hand-over from thread to thread */
	SIM_T_COLD,       /* what the first operation after a long pause pays in the client */
	SIM_T_WORK,       /* librbd's thread, for one operation that a cache answers */
	SIM_T_HEAD,       /* the same, on top, where ObjectCacher makes a new buffer head */
	SIM_T_LOG_WORK,   /* librbd's thread, for one operation that the persistent log takes */
	SIM_T_PAUSE,      /* length of a pause in which the whole machine stands still */
	SIM_SERVICE_COUNT
};
#define SIM_B_LAST SIM_B_NOTIFY
#define SIM_L_LAST SIM_L_READ4K

void sim_table_constant(struct sim_table *t, uint64_t ns);
/* sim_table_from_hist - from a stored histogram; uniform inside a bucket. An empty one is unknown. */
void sim_table_from_hist(struct sim_table *t, const struct hist *h);
/* sim_table_from_dist - from three quantiles, as policies/dist.h joins them; cut at 1 in 10,000
 * at either end, beyond which three quantiles say nothing. NAN is unknown. */
void sim_table_from_dist(struct sim_table *t, struct dist d);
/* sim_table_shift - adds @ns (may be negative) to every quantile; none falls below @floor_ns. */
void sim_table_shift(struct sim_table *t, double ns, uint64_t floor_ns);
void sim_table_scale(struct sim_table *t, double factor);
/* sim_table_split - take the slowest @share of @t out: @t keeps the rest, @ret_pause what those took
 * above the median. Returns how many of them there are a second of time spent waiting, or 0 where
 * @t is unknown or constant. */
double sim_table_split(struct sim_table *t, double share, struct sim_table *ret_pause);
double sim_table_mean(const struct sim_table *t);              /* NAN when unknown */
double sim_table_quantile(const struct sim_table *t, double p); /* @p in [0, 1]; NAN when unknown */

static inline uint64_t sim_table_draw(const struct sim_table *t, struct sim_rng *r)
{
	uint64_t u, low, span;
	uint32_t i;

	if (t->constant)
		return t->q_ns[0];
	u = sim_rng_next(r);
	i = (uint32_t)(u >> (64 - SIM_TABLE_BITS));
	low = t->q_ns[i];
	span = t->q_ns[i + 1] - low;
	/* 20 random bits below the cell's; span is below 2^42 (an hour). */
	return low + ((span * (u >> (44 - SIM_TABLE_BITS) & 0xfffff)) >> 20);
}

#endif
