/* pattern.h - which offset comes next: sequential, uniform, or each block once a pass.
 *
 * Everything is a pure function of the seed: the same seed gives the same offsets. The state is a
 * few words whatever the size of the span is (fio keeps a bit a block for its random map).
 * One thread a pattern. No call allocates or fails after pattern_init().
 */
#ifndef SSDQUAL_PROBES_PATTERN_H
#define SSDQUAL_PROBES_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

/* random_next - 64 random bits from a state that any value may start.
 * Source: splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

enum pattern_kind {
	PATTERN_SEQUENTIAL,  /* block 0, 1, 2, ..., and again from 0 */
	PATTERN_UNIFORM,     /* independent, repeats allowed (fio: norandommap) */
	PATTERN_PERMUTATION, /* every block once a pass, another order in every pass */
};

#define PATTERN_ROUNDS 4

struct pattern {
	enum pattern_kind kind;
	uint32_t bs;
	uint64_t base, blocks; /* blocks of bs bytes from byte base on */
	uint64_t pos;          /* blocks given out in this pass */
	uint64_t random;
	uint32_t half_bits;    /* permutation: the Feistel network is over 2 * half_bits bits */
	uint64_t key[PATTERN_ROUNDS];
};

/* pattern_init - @bs >= 1, @blocks >= 1, base + blocks * bs fits 63 bits. */
void pattern_init(struct pattern *p, enum pattern_kind kind, uint64_t base, uint64_t blocks,
	uint32_t bs, uint64_t seed);

/* pattern_next - the next offset in bytes: base + k * bs, 0 <= k < blocks. */
uint64_t pattern_next(struct pattern *p);

/* pattern_pass_is_over - true when the last pattern_next() ended a pass (or none has begun). */
static inline bool pattern_pass_is_over(const struct pattern *p)
{
	return p->pos == 0;
}

#endif
