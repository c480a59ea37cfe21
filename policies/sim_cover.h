/* sim_cover.h - which extents of an image are under way or cached; and the oldest write under way.
 *
 * A sim_cover finds extents that overlap a given one: a hash by page, where a page is at least as
 * long as the longest extent, so that an overlapping one starts in one of at most three pages.
 * A sim_tids is a list in order of issue, whose head is the oldest that is not over: a flush waits
 * until that is younger than itself. Both are intrusive and allocate only in their init.
 */
#ifndef SSDQUAL_POLICIES_SIM_COVER_H
#define SSDQUAL_POLICIES_SIM_COVER_H

#include "policies/sim_model.h"

struct sim_cover_node {
	struct sim_cover_node *next;
	uint64_t offset, bytes;
	uint64_t born; /* larger is younger */
};

struct sim_cover {
	struct sim_cover_node **slot;
	uint64_t mask;
	unsigned shift; /* a page is 2^shift bytes */
};

/* sim_cover_slots - of the hash for @count extents; 8 bytes each. */
static inline uint64_t sim_cover_slots(uint64_t count)
{
	uint64_t n = 16;

	while (n < count)
		n *= 2;
	return n;
}

static inline int sim_cover_init(struct sim_handle *h, struct sim_cover *c, uint64_t count)
{
	uint64_t slots = sim_cover_slots(count);

	c->mask = slots - 1;
	c->shift = 12;
	while (UINT64_C(1) << c->shift < h->max_bytes)
		c->shift++;
	c->slot = sim_alloc(h, slots * sizeof(struct sim_cover_node *));
	return c->slot ? 0 : -1;
}

static inline struct sim_cover_node **sim_cover_slot(const struct sim_cover *c, uint64_t page)
{
	return &c->slot[(page * UINT64_C(0x9e3779b97f4a7c15) >> 20) & c->mask];
}

static inline void sim_cover_add(struct sim_cover *c, struct sim_cover_node *n)
{
	struct sim_cover_node **slot = sim_cover_slot(c, n->offset >> c->shift);

	n->next = *slot;
	*slot = n;
}

static inline void sim_cover_remove(struct sim_cover *c, struct sim_cover_node *n)
{
	struct sim_cover_node **at = sim_cover_slot(c, n->offset >> c->shift);

	while (*at && *at != n)
		at = &(*at)->next;
	if (*at)
		*at = n->next;
}

static inline struct sim_cover_node *sim_cover_same(const struct sim_cover *c, uint64_t offset,
	uint64_t bytes)
{
	struct sim_cover_node *n = *sim_cover_slot(c, offset >> c->shift);

	while (n && (n->offset != offset || n->bytes != bytes))
		n = n->next;
	return n;
}

/* sim_cover_overlap - some extent born before @before that overlaps; NULL: none does. */
static inline struct sim_cover_node *sim_cover_overlap(const struct sim_cover *c,
	uint64_t offset, uint64_t bytes, uint64_t before)
{
	uint64_t first = offset >> c->shift, last = (offset + bytes - 1) >> c->shift;

	for (uint64_t page = first ? first - 1 : 0; page <= last; page++) {
		struct sim_cover_node *n = *sim_cover_slot(c, page);

		for (; n; n = n->next)
			if (n->born < before && n->offset < offset + bytes &&
				offset < n->offset + n->bytes)
				return n;
	}
	return NULL;
}

struct sim_tid {
	struct sim_tid *prev, *next;
	uint64_t tid;
};

struct sim_tids {
	struct sim_tid end; /* of a ring; end.next is the oldest */
	uint64_t last;
};

static inline void sim_tids_init(struct sim_tids *l)
{
	l->end.prev = l->end.next = &l->end;
}

static inline void sim_tids_add(struct sim_tids *l, struct sim_tid *t)
{
	t->tid = ++l->last;
	t->prev = l->end.prev;
	t->next = &l->end;
	t->prev->next = t;
	l->end.prev = t;
}

static inline void sim_tids_remove(struct sim_tid *t)
{
	t->prev->next = t->next;
	t->next->prev = t->prev;
}

/* sim_tids_over - is every one up to @tid over? */
static inline bool sim_tids_over(const struct sim_tids *l, uint64_t tid)
{
	return l->end.next == &l->end || l->end.next->tid > tid;
}

#endif
