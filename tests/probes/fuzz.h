/* fuzz.h - seeded truncations and bit flips of a good buffer, for decoders that take (buf, len).
 *
 * Every round hands out a heap copy of exactly the length it claims, so that AddressSanitizer sees
 * a read of one byte too many. Deterministic: the same seed, the same buffers.
 */
#ifndef SSDQUAL_TESTS_PROBES_FUZZ_H
#define SSDQUAL_TESTS_PROBES_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void fuzz(const uint8_t *good, size_t len, int rounds,
	void (*decode)(const uint8_t *buf, size_t len))
{
	unsigned seed = 20260101;

	for (int round = 0; round < rounds; round++) {
		size_t cut = round % 3 == 0 ? (size_t)rand_r(&seed) % (len + 1) : len;
		size_t flips = (size_t)rand_r(&seed) % 8;
		uint8_t *copy = malloc(cut ? cut : 1);

		memcpy(copy, good, cut);
		for (size_t i = 0; i < flips && cut > 0; i++) {
			/* half of them near the start, where headers and lengths are */
			size_t span = i % 2 && cut > 24 ? 24 : cut;

			copy[(size_t)rand_r(&seed) % span] = (uint8_t)rand_r(&seed);
		}
		decode(copy, cut);
		free(copy);
	}
}

#endif
