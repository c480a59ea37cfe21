/* load_stats.c - interval histograms: from the jobs to the totals and the timeline. */
#include "probes/load_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REST_NS 50000000u /* a rest of the run below this is no second of its own */

int load_stats_init(struct load_stats *s, const bool kinds[LK_COUNT])
{
	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < LOAD_SLOTS; i++) {
		for (unsigned k = 0; k < LK_COUNT; k++) {
			if (!kinds[k])
				continue;
			s->slot[i].hist[k] = hist_new();
			if (!s->slot[i].hist[k])
				return -ENOMEM;
		}
	}
	s->open = &s->slot[0];
	return 0;
}

void load_stats_done(struct load_stats *s)
{
	for (unsigned i = 0; i < LOAD_SLOTS; i++) {
		for (unsigned k = 0; k < LK_COUNT; k++)
			hist_free(s->slot[i].hist[k]);
	}
}

void load_stats_start(struct load_stats *s, uint64_t start_ns)
{
	s->start_ns = start_ns;
	s->next_second_ns = start_ns + NS_PER_S;
	s->open->first_s = s->open->last_s = 0;
}

void load_stats_turn(struct load_stats *s, uint64_t now_ns)
{
	uint64_t second = (now_ns - s->start_ns) / NS_PER_S;
	unsigned head = atomic_load_explicit(&s->head, memory_order_relaxed);

	s->next_second_ns = s->start_ns + (second + 1) * NS_PER_S;
	if (s->open->ios == 0) {
		s->open->first_s = s->open->last_s = second;
		return;
	}
	if (head + 1 - atomic_load_explicit(&s->tail, memory_order_acquire) >= LOAD_SLOTS) {
		s->open->last_s = second;
		return;
	}
	atomic_store_explicit(&s->head, head + 1, memory_order_release);
	s->open = &s->slot[(head + 1) % LOAD_SLOTS];
	s->open->first_s = s->open->last_s = second;
}

int load_total_init(struct load_total *t, const bool kinds[LK_COUNT], uint64_t seconds_expected)
{
	memset(t, 0, sizeof(*t));
	for (unsigned k = 0; k < LK_COUNT; k++) {
		if (kinds[k] && !(t->hist[k] = hist_new()))
			return -ENOMEM;
	}
	for (unsigned i = 0; i < LOAD_PENDING; i++) {
		t->pending[i] = hist_new();
		if (!t->pending[i])
			return -ENOMEM;
	}
	t->capacity = seconds_expected < 86400 ? (size_t)seconds_expected + 16 : 86400;
	t->second = calloc(t->capacity, sizeof(*t->second));
	return t->second ? 0 : -ENOMEM;
}

void load_total_done(struct load_total *t)
{
	for (unsigned k = 0; k < LK_COUNT; k++)
		hist_free(t->hist[k]);
	for (unsigned i = 0; i < LOAD_PENDING; i++)
		hist_free(t->pending[i]);
	free(t->second);
	memset(t, 0, sizeof(*t));
}

/* Make seconds up to @index exist, empty. */
static int timeline_reach(struct load_total *t, uint64_t index)
{
	if (index >= t->capacity) {
		size_t capacity = (size_t)index + index / 2 + 16;
		struct timeline_second *p = realloc(t->second, capacity * sizeof(*p));

		if (!p)
			return -ENOMEM;
		t->second = p;
		t->capacity = capacity;
	}
	for (; t->seconds <= index; t->seconds++) {
		t->second[t->seconds] = (struct timeline_second){
			.t_s = (double)(t->seconds + 1),
			.p50_ns = NAN, .p99_ns = NAN, .max_ns = NAN,
		};
	}
	return 0;
}

static void second_percentiles(struct timeline_second *s, const struct hist *h)
{
	uint64_t ns;

	if (hist_percentile(h, 50.0, &ns) == 0)
		s->p50_ns = (double)ns;
	if (hist_percentile(h, 99.0, &ns) == 0)
		s->p99_ns = (double)ns;
	if (h->count)
		s->max_ns = (double)h->max_ns;
}

/* Give the oldest pending second its percentiles. */
static void close_oldest(struct load_total *t)
{
	struct hist *h = t->pending[t->closed % LOAD_PENDING];

	if (t->closed < t->seconds)
		second_percentiles(&t->second[t->closed], h);
	hist_reset(h);
	t->closed++;
}

/* Latencies of a job that is seconds late count in the totals, and here in the maximum only. */
static void add_latencies(struct load_total *t, uint64_t index, const struct hist *h)
{
	if (index < t->closed) {
		struct timeline_second *s = &t->second[index];

		if (h->count && !(s->max_ns >= (double)h->max_ns))
			s->max_ns = (double)h->max_ns;
		if (isnan(s->p50_ns))
			second_percentiles(s, h);
		return;
	}
	while (index >= t->closed + LOAD_PENDING)
		close_oldest(t);
	hist_merge(t->pending[index % LOAD_PENDING], h);
}

static int add_slot(struct load_total *t, struct load_slot *slot)
{
	uint64_t span = slot->last_s - slot->first_s + 1;
	int r = timeline_reach(t, slot->last_s);

	t->ios += slot->ios;
	t->bytes += slot->bytes;
	for (uint64_t i = 0; r == 0 && i < span; i++) {
		struct timeline_second *s = &t->second[slot->first_s + i];

		s->iops += (double)slot->ios / (double)span;
		s->bw_bytes += (double)slot->bytes / (double)span;
	}
	if (r == 0)
		add_latencies(t, slot->last_s, slot->hist[LK_LAT]);
	for (unsigned k = 0; k < LK_COUNT; k++) {
		if (!slot->hist[k])
			continue;
		hist_merge(t->hist[k], slot->hist[k]);
		hist_reset(slot->hist[k]);
	}
	slot->ios = slot->bytes = 0;
	return r;
}

int load_total_collect(struct load_total *t, struct load_stats *s, bool with_open)
{
	unsigned head = atomic_load_explicit(&s->head, memory_order_acquire);
	unsigned tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
	int r = 0;

	for (; tail != head; tail++) {
		int r1 = add_slot(t, &s->slot[tail % LOAD_SLOTS]);

		r = r1 < 0 ? r1 : r;
		atomic_store_explicit(&s->tail, tail + 1, memory_order_release);
	}
	if (with_open && s->open->ios) {
		int r1 = add_slot(t, s->open);

		r = r1 < 0 ? r1 : r;
	}
	return r;
}

struct timeline_second load_total_second(struct load_total *t, uint64_t index)
{
	struct timeline_second s = {
		.t_s = (double)(index + 1), .p50_ns = NAN, .p99_ns = NAN, .max_ns = NAN,
	};

	if (index >= t->seconds)
		return s;
	s = t->second[index];
	if (index >= t->closed && index < t->closed + LOAD_PENDING)
		second_percentiles(&s, t->pending[index % LOAD_PENDING]);
	return s;
}

/* The rest after the last whole second: its rate, or nothing where it is too short for one. */
static void close_rest(struct load_total *t, uint64_t runtime_ns)
{
	uint64_t whole = runtime_ns / NS_PER_S, rest_ns = runtime_ns % NS_PER_S;
	struct timeline_second *s;
	double length_s = (double)rest_ns / (double)NS_PER_S;

	if (t->seconds <= whole || whole >= t->capacity)
		return;
	s = &t->second[whole];
	s->t_s = (double)runtime_ns / (double)NS_PER_S;
	if (whole > 0 && rest_ns < REST_NS) {
		s[-1].iops = (s[-1].iops + s->iops) / (1.0 + length_s);
		s[-1].bw_bytes = (s[-1].bw_bytes + s->bw_bytes) / (1.0 + length_s);
		s[-1].max_ns = fmax(s[-1].max_ns, s->max_ns);
		s[-1].t_s = s->t_s;
		t->seconds = (size_t)whole;
	} else if (rest_ns > 0) {
		s->iops /= length_s;
		s->bw_bytes /= length_s;
	}
}

int load_total_close(struct load_total *t, uint64_t runtime_ns)
{
	int r = runtime_ns ? timeline_reach(t, (runtime_ns - 1) / NS_PER_S) : 0;

	while (t->closed < t->seconds)
		close_oldest(t);
	close_rest(t, runtime_ns);
	return r;
}

static double mean_iops(const struct timeline_second *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s[i].iops;
	return sum / (double)n;
}

double load_last_third_change(const struct timeline_second *second, size_t count)
{
	size_t whole = count, third, half;
	double first, last, mean;

	/* the last interval may be a rest of a second, whose rate is noisy */
	if (whole && second[whole - 1].t_s - (whole > 1 ? second[whole - 2].t_s : 0) < 0.999)
		whole--;
	if (whole < 6)
		return NAN;
	third = whole / 3;
	half = third / 2;
	first = mean_iops(second + whole - third, half);
	last = mean_iops(second + whole - half, half);
	mean = mean_iops(second + whole - third, third);
	return mean > 0 ? (last - first) / mean : NAN;
}
