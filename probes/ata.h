/* ata.h - what ATA drives answer, decoded; ATA commands packed for SCSI transport. Pure: no I/O.
 *
 * Words are little-endian, strings have the first character of each word in its high byte. Words
 * that the drive does not declare valid are unknown: word 82/83 only with bits 15:14 of word 83 =
 * 01b, word 85..87 only with those of word 87.
 * Sources: ACS-3 7.12 (IDENTIFY DEVICE), SAT-3 12.2 (ATA PASS-THROUGH, return descriptor 09h).
 */
#ifndef SSDQUAL_PROBES_ATA_H
#define SSDQUAL_PROBES_ATA_H

#include "data/err.h"
#include "probes/wire.h"

#include <stdbool.h>
#include <stddef.h>

#define ATA_IDENTIFY_BYTES 512

enum ata_checksum { ATA_CHECKSUM_NOT_PROVIDED, ATA_CHECKSUM_GOOD };

struct ata_identity {
	char model[41], serial[21], firmware[9]; /* cleaned; "" where the drive gives none */
	bool has_wwn;
	uint64_t wwn;               /* words 108..111; has_wwn: words 84/87 bit 8 and a NAA of 5h */
	enum ata_checksum checksum; /* a wrong one is an error, not a value */
	uint64_t sectors;           /* logical sectors; 0: unknown */
	bool lba48;
	uint32_t logical_bytes, physical_bytes; /* 512/512, 512/4096 (512e), 4096/4096 (4Kn) */
	bool sector_sizes_stated;   /* word 106 is valid; else 512/512 is the standard's default */
	uint16_t rotation_raw;      /* word 217 */
	enum fact rotational;
	uint16_t rpm;               /* 0: unknown, or it does not rotate */
	enum fact wc_supported;     /* word 82 bit 5 */
	enum fact wc_enabled;       /* word 85 bit 5; unknown unless supported */
	enum fact lookahead_enabled;
	enum fact flush_ext;        /* word 83 bit 13 */
	enum fact fua;              /* WRITE DMA FUA EXT: word 84 bit 6 */
	enum fact smart_supported, smart_enabled;
	enum fact trim;             /* word 169 bit 0 */
	enum fact trim_deterministic, trim_zeroes; /* word 69 bits 14, 5 */
	uint8_t link_max_gen, link_gen; /* SATA generation 1..3 (1.5, 3, 6 Gb/s); 0: unknown */
};

/* ata_identify_decode - @len: bytes that arrived, 512 needed.
 * -EBADMSG, ERR_DEVICE: cut, checksum wrong, ATAPI, or (without a checksum) no plausible text:
 * bridges answer with zeros or noise. */
int ata_identify_decode(const uint8_t *buf, size_t len, struct ata_identity *ret,
	struct err *reterr);
const char *ata_link_text(uint8_t gen); /* "6.0 Gb/s"; NULL: unknown */
/* word 0..255 of an IDENTIFY buffer of 512 bytes */
static inline uint16_t ata_word(const uint8_t *buf, unsigned n)
{
	return le16(buf + (size_t)n * 2);
}

/* The registers that a drive left after a command. */
struct ata_registers {
	uint8_t error, status, device;
	uint16_t count; /* fixed format: its low byte */
	uint64_t lba;   /* fixed format: its low 24 bits */
};

/* ata_sense_decode - registers out of sense data of either format: descriptor 09h, or the fixed
 * format's INFORMATION bytes (error, status, device, count) with ASC/ASCQ 00h/1Dh.
 * -ENODATA: no sense, or sense that carries no registers (*ret untouched). */
int ata_sense_decode(const uint8_t *sense, size_t len, struct ata_registers *ret,
	struct err *reterr);
bool ata_registers_ok(const struct ata_registers *r); /* neither ERR nor DF in the status */

/* -- commands: @cdb is 16 bytes; each returns 16 -------------------------------------------- */

enum ata_feature { ATA_WRITE_CACHE_ON = 0x02, ATA_WRITE_CACHE_OFF = 0x82 };

unsigned ata_cdb_identify(uint8_t *cdb);                        /* 512 bytes in */
unsigned ata_cdb_set_features(uint8_t *cdb, enum ata_feature f); /* no data, registers back */
unsigned ata_cdb_smart_data(uint8_t *cdb);                      /* 512 bytes in */
unsigned ata_cdb_smart_thresholds(uint8_t *cdb);                /* 512 bytes in */
unsigned ata_cdb_smart_status(uint8_t *cdb);                    /* no data, registers back */
unsigned ata_cdb_read_log(uint8_t *cdb, uint8_t log, uint8_t page);     /* 512 bytes in */

#endif
