/* load_stats.h - what a job measures, on its way to the thread that reports it, without a lock.
 *
 * Each job records into the open slot of a small ring. When a completion falls into a new second
 * the job closes the slot (release store of `head`) and goes on in the next one. The collector
 * (load_run's thread) adds closed slots to the totals and the timeline, empties them and gives
 * them back (release store of `tail`). Where the collector is late and no slot is free the job
 * keeps its slot, which then covers several seconds.
 */
#ifndef SSDQUAL_PROBES_LOAD_STATS_H
#define SSDQUAL_PROBES_LOAD_STATS_H

#include "data/hist.h"
#include "data/result.h"

#include <stdatomic.h>
#include <stdbool.h>

enum load_kind { LK_LAT, LK_WRITE, LK_SYNC, LK_UNCORRECTED, LK_COUNT };

#define LOAD_SLOTS 4u
#define NS_PER_S   UINT64_C(1000000000)

struct load_slot {
	uint64_t first_s, last_s; /* seconds since the start that it covers */
	uint64_t ios, bytes;
	struct hist *hist[LK_COUNT]; /* NULL: not measured */
};

/* The job's side. */
struct load_stats {
	struct load_slot slot[LOAD_SLOTS];
	struct load_slot *open;
	uint64_t start_ns, next_second_ns; /* the open slot ends before next_second_ns */
	atomic_uint head; /* slots closed */
	atomic_uint tail; /* slots given back */
};

int load_stats_init(struct load_stats *s, const bool kinds[LK_COUNT]); /* 0, -ENOMEM */
void load_stats_done(struct load_stats *s);
void load_stats_start(struct load_stats *s, uint64_t start_ns);
void load_stats_turn(struct load_stats *s, uint64_t now_ns); /* a new second has begun */

/* To be called with the time of a completion before it is recorded. */
static inline void load_stats_at(struct load_stats *s, uint64_t now_ns)
{
	if (__builtin_expect(now_ns >= s->next_second_ns, 0))
		load_stats_turn(s, now_ns);
}

/* The collector's side. */
#define LOAD_PENDING 4u

struct load_total {
	struct hist *hist[LK_COUNT];
	uint64_t ios, bytes;
	struct timeline_second *second; /* iops and bw_bytes hold counts until load_total_close() */
	size_t seconds, capacity;
	uint64_t closed; /* seconds below this have their percentiles */
	struct hist *pending[LOAD_PENDING]; /* LK_LAT of seconds closed .. closed + LOAD_PENDING - 1 */
};

int load_total_init(struct load_total *t, const bool kinds[LK_COUNT], uint64_t seconds_expected);
void load_total_done(struct load_total *t);

/* load_total_collect - take the closed slots of @s; @with_open: the open one too (its job is over,
 * or has not begun). 0, or -ENOMEM (the timeline could not grow; totals are right). */
int load_total_collect(struct load_total *t, struct load_stats *s, bool with_open);

/* load_total_second - second @index as it is known now, zeros and NAN where nothing completed. */
struct timeline_second load_total_second(struct load_total *t, uint64_t index);

/* load_total_close - the whole timeline of a run that took @runtime_ns: counts become rates, absent
 * seconds zeros; a rest of under 50 ms counts with the second before it. */
int load_total_close(struct load_total *t, uint64_t runtime_ns);

/* load_last_third_change - struct measurement's last_third_change; NAN under 6 whole seconds. */
double load_last_third_change(const struct timeline_second *second, size_t count);

#endif
