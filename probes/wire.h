/* wire.h - integers in device buffers, and the three-valued answer that decoders give.
 *
 * SCSI is big-endian, ATA words and NVMe are little-endian. The caller has checked the bounds.
 */
#ifndef SSDQUAL_PROBES_WIRE_H
#define SSDQUAL_PROBES_WIRE_H

#include <stdint.h>

/* What a device says about itself. A field that is absent, invalid or reserved is unknown, not no. */
enum fact { FACT_UNKNOWN, FACT_NO, FACT_YES };

static inline enum fact fact_of(int condition)
{
	return condition ? FACT_YES : FACT_NO;
}

static inline uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static inline uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

static inline uint16_t le16(const uint8_t *p)
{
	return (uint16_t)(p[1] << 8 | p[0]);
}

static inline uint32_t le32(const uint8_t *p)
{
	return (uint32_t)le16(p + 2) << 16 | le16(p);
}

static inline uint64_t le64(const uint8_t *p)
{
	return (uint64_t)le32(p + 4) << 32 | le32(p);
}

#endif
