/* sim_rng.h - the simulator's random numbers: xoshiro256++, seeded through splitmix64.
 *
 * Source: S. Vigna and D. Blackman, "Scrambled linear pseudorandom number generators", ACM TOMS 47
 * (2021), and G. Steele et al., "Fast splittable pseudorandom number generators", OOPSLA 2014; both
 * algorithms are in the public domain. The same seed gives the same numbers on every machine.
 */
#ifndef SSDQUAL_POLICIES_SIM_RNG_H
#define SSDQUAL_POLICIES_SIM_RNG_H

#include <stdint.h>

struct sim_rng {
	uint64_t s[4];
};

static inline uint64_t sim_splitmix(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* sim_rng_seed - stream number @stream of seed @seed; different streams are independent. */
static inline void sim_rng_seed(struct sim_rng *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed ^ (stream * UINT64_C(0xd1342543de82ef95));

	for (unsigned i = 0; i < 4; i++)
		r->s[i] = sim_splitmix(&state);
}

static inline uint64_t sim_rotl(uint64_t x, unsigned k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t sim_rng_next(struct sim_rng *r)
{
	uint64_t ret = sim_rotl(r->s[0] + r->s[3], 23) + r->s[0];
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = sim_rotl(r->s[3], 45);
	return ret;
}

/* sim_rng_below - uniform in [0, @n), @n > 0; the bias of the multiplication is below n / 2^64. */
static inline uint64_t sim_rng_below(struct sim_rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)sim_rng_next(r) * n) >> 64);
}

/* sim_rng_unit - uniform in [0, 1). */
static inline double sim_rng_unit(struct sim_rng *r)
{
	return (double)(sim_rng_next(r) >> 11) * 0x1.0p-53;
}

#endif
