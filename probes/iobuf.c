/* iobuf.c - write buffers: mapped once, changed before every write. */
#include "probes/iobuf.h"

#include "probes/pattern.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define VEC_BYTES 32u

/* The compiler makes SIMD of it; buffers are aligned to 512 bytes at least. */
typedef uint64_t vec __attribute__((vector_size(VEC_BYTES), may_alias));

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static size_t stride_of(const struct iobuf_spec *spec)
{
	return round_up(spec->bs, spec->align > IOBUF_SECTOR ? spec->align : IOBUF_SECTOR);
}

uint64_t iobuf_bytes(const struct iobuf_spec *spec)
{
	return (uint64_t)spec->count * stride_of(spec);
}

static void fill_random(struct iobuf *b, unsigned char *p, size_t bytes)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t w = random_next(&b->random);

		memcpy(p + i, &w, 8);
	}
}

/* The random part of chunk @at of a buffer, in bytes. */
static size_t random_part(const struct iobuf *b, size_t at)
{
	size_t left = b->stride - at;

	return left < b->random_bytes ? left : b->random_bytes;
}

static void refill(struct iobuf *b, unsigned char *buf)
{
	for (size_t at = 0; at < b->bs; at += b->chunk)
		fill_random(b, buf + at, random_part(b, at));
}

static inline __attribute__((always_inline)) void xor_loop(
	unsigned char *p, size_t bytes, uint64_t key)
{
	const vec k = { key, key, key, key };
	vec *v = (vec *)(void *)p;

	for (size_t i = 0; i < bytes / VEC_BYTES; i++)
		v[i] ^= k;
}

static void xor_words(unsigned char *p, size_t bytes, uint64_t key)
{
	xor_loop(p, bytes, key);
}

#ifdef __x86_64__
/* The program is built for any x86-64, whose vectors are half as long. */
__attribute__((target("avx2"))) static void xor_words_avx2(
	unsigned char *p, size_t bytes, uint64_t key)
{
	xor_loop(p, bytes, key);
}
#endif

static iobuf_xor_fn *best_xor(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return xor_words_avx2;
#endif
	return xor_words;
}

int iobuf_init(struct iobuf *b, const struct iobuf_spec *spec, struct err *reterr)
{
	*b = (struct iobuf){ .bs = spec->bs, .stride = stride_of(spec), .random = spec->seed };
	b->mem_bytes = iobuf_bytes(spec);
	b->chunk = spec->bs < IOBUF_CHUNK ? (uint32_t)round_up(spec->bs, VEC_BYTES) : IOBUF_CHUNK;
	b->random_bytes = (uint32_t)round_up(
		(size_t)b->chunk * (100 - spec->compress_pct) / 100, VEC_BYTES);
	/* mmap aligns to pages of 4 KiB at least */
	b->map_bytes = b->mem_bytes + (spec->align > 4096 ? spec->align : 0);
	b->map = mmap(NULL, b->map_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (b->map == MAP_FAILED) {
		b->map = NULL;
		return err_set(reterr, ERR_INTERNAL, -ENOMEM,
			"buffers of %zu bytes: out of memory; lower iodepth, bs or numjobs",
			b->mem_bytes);
	}
	b->mem = (unsigned char *)round_up((uintptr_t)b->map, spec->align);
	b->mode = IOBUF_STILL;
	b->xor_words = best_xor();
	if (!spec->writes || spec->zero || b->random_bytes == 0) {
		memset(b->mem, 0, b->mem_bytes); /* populated is not promised: touch every page */
		return 0;
	}
	b->mode = spec->refill ? IOBUF_REFILL : spec->bs <= IOBUF_XOR_MAX ? IOBUF_XOR : IOBUF_STAMP;
	for (uint32_t i = 0; i < spec->count; i++)
		refill(b, iobuf_at(b, i));
	return 0;
}

void iobuf_done(struct iobuf *b)
{
	if (b->map)
		(void)munmap(b->map, b->map_bytes); /* fails for wrong arguments only */
	*b = (struct iobuf){ 0 };
}

static void stamp_sectors(struct iobuf *b, unsigned char *p, size_t bytes, uint64_t key)
{
	for (size_t at = 0; at < bytes; at += IOBUF_SECTOR) {
		uint64_t w;

		if (at % b->chunk >= b->random_bytes)
			continue; /* the compressible part stays zeros */
		memcpy(&w, p + at, 8);
		w ^= key;
		memcpy(p + at, &w, 8);
	}
}

void iobuf_refresh(struct iobuf *b, unsigned char *buf)
{
	switch (b->mode) {
	case IOBUF_STILL:
		break;
	case IOBUF_XOR: {
		uint64_t key = random_next(&b->random);

		for (size_t at = 0; at < b->bs; at += b->chunk)
			b->xor_words(buf + at, random_part(b, at), key);
		break;
	}
	case IOBUF_STAMP:
		stamp_sectors(b, buf, b->bs, random_next(&b->random));
		break;
	case IOBUF_REFILL:
		refill(b, buf);
		break;
	}
}
