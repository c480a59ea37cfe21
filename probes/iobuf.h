/* iobuf.h - the data that is written: one buffer an I/O in flight, never the same data twice.
 *
 * Buffers are filled with random bytes once. Before each write the data is changed cheaply, so
 * that neither a compressing nor a deduplicating drive saves anything:
 *   up to IOBUF_XOR_MAX bytes a block: every 64-bit word is XORed with a new random word. No
 *     8 bytes of it stay, so no compressor finds the buffer's former content, whatever its window;
 *   larger blocks: the first word of every 512-byte sector is XORed with it. No sector is ever
 *     repeated; former content is at least a block (more than 64 KiB) back, and half a KiB long.
 * tests/probes/test_iobuf.c counts duplicate sectors and repeated strings of 8 bytes. Measured on
 * 64 MiB written at depth 1: in blocks of 4096, 8000 and 65536 bytes they do not shrink under
 * lz4 -1, gzip -6, zstd -3 and zstd -3 --long=27, and hold no duplicate sector; in blocks of 1 MiB
 * they do not under lz4 and gzip (windows of 64 and 32 KiB), but do to a ninth under zstd, whose
 * window is 2 MiB.
 */
#ifndef SSDQUAL_PROBES_IOBUF_H
#define SSDQUAL_PROBES_IOBUF_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IOBUF_XOR_MAX 65536u
#define IOBUF_SECTOR  512u
#define IOBUF_CHUNK   4096u /* compressible data is random bytes, then zeros, in each 4 KiB, or in
			     * each block where that is less */

enum iobuf_mode {
	IOBUF_STILL, /* never changed: reads, zeros */
	IOBUF_XOR,
	IOBUF_STAMP,
	IOBUF_REFILL, /* wholly new random data every time (fio: refill_buffers) */
};

struct iobuf_spec {
	uint32_t count; /* buffers */
	uint32_t bs;    /* bytes used of each */
	uint32_t align; /* of each buffer's address, a power of two */
	bool writes;    /* false: for reading into */
	bool zero, refill;
	uint32_t compress_pct; /* 0 .. 100: this share of each chunk is zeros */
	uint64_t seed;
};

typedef void iobuf_xor_fn(unsigned char *p, size_t bytes, uint64_t key); /* bytes: times 32 */

struct iobuf {
	void *map; /* the mapping, every page touched */
	size_t map_bytes;
	unsigned char *mem; /* the first buffer in it */
	size_t mem_bytes, stride;
	uint32_t bs, chunk, random_bytes; /* random_bytes of each chunk are random; multiples of 32 */
	enum iobuf_mode mode;
	iobuf_xor_fn *xor_words; /* the fastest that this processor has */
	uint64_t random;
};

uint64_t iobuf_bytes(const struct iobuf_spec *spec); /* of the buffers; pages come on top */

/* iobuf_init - map and fill. 0 or -ENOMEM with @reterr. Release with iobuf_done(). */
int iobuf_init(struct iobuf *b, const struct iobuf_spec *spec, struct err *reterr);
void iobuf_done(struct iobuf *b); /* a zeroed one is allowed */

static inline unsigned char *iobuf_at(const struct iobuf *b, uint32_t i)
{
	return b->mem + (size_t)i * b->stride;
}

/* iobuf_refresh - make the data of buffer @buf new. Nothing of it may be in flight. */
void iobuf_refresh(struct iobuf *b, unsigned char *buf);

#endif
