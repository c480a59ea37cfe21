/* pattern.c - offsets without memory a block. */
#include "probes/pattern.h"

static void permutation_rekey(struct pattern *p)
{
	for (unsigned i = 0; i < PATTERN_ROUNDS; i++)
		p->key[i] = random_next(&p->random);
}

void pattern_init(struct pattern *p, enum pattern_kind kind, uint64_t base, uint64_t blocks,
	uint32_t bs, uint64_t seed)
{
	uint32_t bits = 2;

	*p = (struct pattern){
		.kind = kind, .bs = bs, .base = base, .blocks = blocks, .random = seed,
	};
	while (bits < 64 && (UINT64_C(1) << bits) < blocks)
		bits++;
	p->half_bits = (bits + 1) / 2;
	permutation_rekey(p);
}

/* A Feistel network is a bijection whatever its round function is; four rounds with a
 * multiplicative one look random enough for offsets. */
static uint64_t feistel(const struct pattern *p, uint64_t x)
{
	const uint32_t half = p->half_bits;
	const uint64_t mask = (UINT64_C(1) << half) - 1;
	uint64_t left = x >> half, right = x & mask;

	for (unsigned i = 0; i < PATTERN_ROUNDS; i++) {
		uint64_t f = (right ^ p->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
		uint64_t next = left ^ ((f >> 31) & mask);

		left = right;
		right = next;
	}
	return (left << half) | right;
}

/* Cycle walking: the network permutes a power of four, at most four times (8 for less than 4
 * blocks) as many numbers as there are blocks. Following the cycle until it is back among the
 * blocks gives a permutation of these alone. Source: Black, Rogaway, "Ciphers with arbitrary
 * finite domains", 2002. */
static uint64_t permutation_at(const struct pattern *p, uint64_t k)
{
	do {
		k = feistel(p, k);
	} while (k >= p->blocks);
	return k;
}

/* Lemire's multiply-shift; its bias is blocks / 2^64, too small to be seen in any run. */
static uint64_t uniform_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)random_next(state) * n) >> 64);
}

uint64_t pattern_next(struct pattern *p)
{
	uint64_t k = p->pos;

	if (p->kind == PATTERN_UNIFORM)
		k = uniform_below(&p->random, p->blocks);
	else if (p->kind == PATTERN_PERMUTATION)
		k = permutation_at(p, k);
	if (++p->pos == p->blocks) {
		p->pos = 0;
		if (p->kind == PATTERN_PERMUTATION)
			permutation_rekey(p);
	}
	return p->base + k * p->bs;
}
