/* sim_queue.h - the event queue: a 4-ary heap ordered by time, then by order of insertion.
 *
 * Storage is given once, at setup; nothing allocates while a simulation runs. Inline: it stands on
 * the path of every event. Two events at one time leave in the order they came, which is what
 * makes a simulation repeatable.
 */
#ifndef SSDQUAL_POLICIES_SIM_QUEUE_H
#define SSDQUAL_POLICIES_SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_event {
	uint64_t at_ns;
	uint64_t order; /* insertion number << 24 | image << 8 | kind: unique, 2^40 events a run */
	uint64_t arg;
};

#define SIM_QUEUE_SPARE 3u

struct sim_queue {
	struct sim_event *heap; /* [capacity + SIM_QUEUE_SPARE]; behind len come that many of "never" */
	uint32_t len, capacity;
	uint64_t inserted;
	bool hole;     /* heap[0] was taken, and its place is still free */
	bool overflow; /* an event found no room: a bug in somebody's bound, reported by sim_run() */
};

static inline unsigned sim_event_kind(const struct sim_event *e)
{
	return (unsigned)(e->order & 0xff);
}

static inline unsigned sim_event_image(const struct sim_event *e)
{
	return (unsigned)(e->order >> 8 & 0xffff);
}

/* As one number of 128 bits, and computed, not branched on: which of two events comes first is a
 * coin's toss to the processor. */
static inline bool sim_event_before(const struct sim_event *a, const struct sim_event *b)
{
	return ((unsigned __int128)a->at_ns << 64 | a->order) <
		((unsigned __int128)b->at_ns << 64 | b->order);
}

/* sim_queue_init - on @storage of @capacity + SIM_QUEUE_SPARE events. */
static inline void sim_queue_init(struct sim_queue *q, struct sim_event *storage, uint32_t capacity)
{
	*q = (struct sim_queue){ .heap = storage, .capacity = capacity };
	for (unsigned i = 0; i < SIM_QUEUE_SPARE; i++)
		storage[i].at_ns = UINT64_MAX;
}

/* sim_queue_sink - put @e, for which the first place is free, where it belongs. */
static inline void sim_queue_sink(struct sim_queue *q, const struct sim_event *e)
{
	struct sim_event *at = q->heap;
	size_t n = q->len, child = 1;

	while (child < n) {
		struct sim_event *c = &q->heap[child];
		size_t a = sim_event_before(c + 1, c), b = 2 + sim_event_before(c + 3, c + 2);
		struct sim_event *low = c + a + ((b - a) & -(size_t)sim_event_before(c + b, c + a));

		if (!sim_event_before(low, e))
			break;
		*at = *low;
		at = low;
		child = 4 * (size_t)(low - q->heap) + 1;
	}
	*at = *e;
}

static inline void sim_queue_push(struct sim_queue *q, uint64_t at_ns, unsigned kind,
	unsigned image, uint64_t arg)
{
	struct sim_event e = { at_ns, q->inserted << 24 | (uint64_t)image << 8 | kind, arg };
	uint32_t i;

	if (q->hole) {
		q->hole = false;
		q->inserted++;
		sim_queue_sink(q, &e);
		return;
	}
	if (__builtin_expect(q->len == q->capacity, 0)) {
		q->overflow = true;
		return;
	}
	q->inserted++;
	q->heap[q->len + SIM_QUEUE_SPARE].at_ns = UINT64_MAX;
	for (i = q->len++; i > 0;) {
		uint32_t up = (i - 1) >> 2;

		if (!sim_event_before(&e, &q->heap[up]))
			break;
		q->heap[i] = q->heap[up];
		i = up;
	}
	q->heap[i] = e;
}

static inline bool sim_queue_empty(const struct sim_queue *q)
{
	return q->len == q->hole;
}

/* sim_queue_pop - take the earliest event; @q must not be empty. Its place stays free for the next
 * event that comes: most events end in one. */
static inline struct sim_event sim_queue_pop(struct sim_queue *q)
{
	if (q->hole) {
		struct sim_event last = q->heap[--q->len];

		q->heap[q->len].at_ns = UINT64_MAX;
		sim_queue_sink(q, &last);
	}
	q->hole = true;
	return q->heap[0];
}

#endif
