/* sim_shuffle.c - a random order of n blocks without a table: a keyed permutation.
 *
 * A balanced Feistel network on the smallest even number of bits that covers n, walked until the
 * value falls below n (on average fewer than four steps). Source: J. Black and P. Rogaway,
 * "Ciphers with arbitrary finite domains", CT-RSA 2002. Not for secrets: the round function is a
 * multiplication.
 */
#include "policies/sim_part.h"

uint64_t sim_shuffle(uint64_t index, uint64_t n, const uint64_t key[4])
{
	unsigned half = 1;
	uint64_t mask;

	while (half < 31 && UINT64_C(1) << (2 * half) < n)
		half++;
	mask = (UINT64_C(1) << half) - 1;
	do {
		uint64_t left = index >> half, right = index & mask;

		for (unsigned round = 0; round < 4; round++) {
			uint64_t mixed = (right + key[round]) * UINT64_C(0x9e3779b97f4a7c15);
			uint64_t next = left ^ (mixed >> 40 & mask);

			left = right;
			right = next;
		}
		index = left << half | right;
	} while (index >= n);
	return index;
}
