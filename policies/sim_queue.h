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

struct sim_queue {
	struct sim_event *heap; /* [capacity] */
	uint32_t len, capacity;
	uint64_t inserted;
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

static inline bool sim_event_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static inline void sim_queue_push(struct sim_queue *q, uint64_t at_ns, unsigned kind,
	unsigned image, uint64_t arg)
{
	struct sim_event e = { at_ns, q->inserted << 24 | (uint64_t)image << 8 | kind, arg };
	uint32_t i;

	if (__builtin_expect(q->len == q->capacity, 0)) {
		q->overflow = true;
		return;
	}
	q->inserted++;
	for (i = q->len++; i > 0;) {
		uint32_t up = (i - 1) >> 2;

		if (!sim_event_before(&e, &q->heap[up]))
			break;
		q->heap[i] = q->heap[up];
		i = up;
	}
	q->heap[i] = e;
}

/* sim_queue_pop - take the earliest event; @q must not be empty. */
static inline struct sim_event sim_queue_pop(struct sim_queue *q)
{
	struct sim_event top = q->heap[0], last = q->heap[--q->len];
	uint32_t n = q->len, i = 0;

	for (;;) {
		uint32_t child = 4 * i + 1, least, end;

		if (child >= n)
			break;
		end = child + 4 < n ? child + 4 : n;
		least = child;
		for (uint32_t k = child + 1; k < end; k++)
			if (sim_event_before(&q->heap[k], &q->heap[least]))
				least = k;
		if (!sim_event_before(&q->heap[least], &last))
			break;
		q->heap[i] = q->heap[least];
		i = least;
	}
	if (n)
		q->heap[i] = last;
	return top;
}

#endif
