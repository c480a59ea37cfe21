/* ata.c - IDENTIFY DEVICE, ATA registers in sense data, and pass-through CDBs. */
#include "probes/ata.h"

#include "probes/devstr.h"
#include "probes/scsi.h"

#include <errno.h>
#include <string.h>

static bool bit(uint16_t word, unsigned n)
{
	return word >> n & 1;
}

/* Words that declare themselves valid have bit 15 zero and bit 14 one. */
static bool declared_valid(uint16_t word)
{
	return (word & 0xc000) == 0x4000;
}

static int check_integrity(const uint8_t *buf, struct ata_identity *id, struct err *reterr)
{
	uint16_t w0 = ata_word(buf, 0);
	uint8_t sum = 0;
	size_t i;

	if (buf[510] == 0xa5) {
		for (i = 0; i < ATA_IDENTIFY_BYTES; i++)
			sum = (uint8_t)(sum + buf[i]);
		if (sum != 0)
			return err_set(reterr, ERR_DEVICE, -EBADMSG,
				"IDENTIFY DEVICE: word 255: checksum %02xh, %02xh expected; the "
				"answer is damaged", buf[511], (uint8_t)(buf[511] - sum));
		id->checksum = ATA_CHECKSUM_GOOD;
	} else if (id->model[0] == '\0' || strchr(id->model, '?')) {
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"IDENTIFY DEVICE: words 27 to 46: no readable model and no checksum; the "
			"answer cannot be trusted");
	}
	/* CompactFlash cards set bit 15 too, in the one value 848Ah. */
	if (bit(w0, 15) && w0 != 0x848a)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"IDENTIFY DEVICE: word 0 is %04xh: a packet (ATAPI) device, no disk", w0);
	return 0;
}

static void decode_size(const uint8_t *buf, struct ata_identity *id)
{
	uint16_t w106 = ata_word(buf, 106);
	uint64_t lba28 = le32(buf + 120), lba48 = le64(buf + 200);

	id->lba48 = declared_valid(ata_word(buf, 83)) && bit(ata_word(buf, 83), 10);
	id->sectors = id->lba48 && lba48 ? lba48 : lba28;
	/* Word 69 bit 3: the size of 48-bit drives is in words 230..233 besides. */
	if (id->lba48 && bit(ata_word(buf, 69), 3) && le64(buf + 460))
		id->sectors = le64(buf + 460);
	id->sectors &= (UINT64_C(1) << 48) - 1;
	id->logical_bytes = 512;
	id->sector_sizes_stated = declared_valid(w106);
	if (id->sector_sizes_stated && bit(w106, 12)) {
		uint64_t bytes = (uint64_t)le32(buf + 234) * 2;

		/* 4Kn is the only other size sold; nonsense falls back to the default. */
		if (bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) == 0)
			id->logical_bytes = (uint32_t)bytes;
		else
			id->sector_sizes_stated = false;
	}
	id->physical_bytes = id->logical_bytes;
	if (id->sector_sizes_stated && bit(w106, 13))
		id->physical_bytes = id->logical_bytes << (w106 & 0x0f);
}

static void decode_features(const uint8_t *buf, struct ata_identity *id)
{
	bool supported = declared_valid(ata_word(buf, 83));
	bool enabled = declared_valid(ata_word(buf, 87));
	bool ext = declared_valid(ata_word(buf, 84));
	uint16_t w82 = ata_word(buf, 82), w83 = ata_word(buf, 83), w85 = ata_word(buf, 85);

	if (supported) {
		id->wc_supported = fact_of(bit(w82, 5));
		id->smart_supported = fact_of(bit(w82, 0));
		id->flush_ext = fact_of(bit(w83, 13));
	}
	if (ext)
		id->fua = fact_of(bit(ata_word(buf, 84), 6));
	if (enabled && id->wc_supported == FACT_YES)
		id->wc_enabled = fact_of(bit(w85, 5));
	if (enabled && supported && bit(w82, 6))
		id->lookahead_enabled = fact_of(bit(w85, 6));
	if (enabled && id->smart_supported == FACT_YES)
		id->smart_enabled = fact_of(bit(w85, 0));
	id->wwn = (uint64_t)ata_word(buf, 108) << 48 | (uint64_t)ata_word(buf, 109) << 32 |
		(uint64_t)ata_word(buf, 110) << 16 | ata_word(buf, 111);
	id->has_wwn = id->wwn >> 60 == 5 &&
		((ext && bit(ata_word(buf, 84), 8)) || (enabled && bit(ata_word(buf, 87), 8)));
}

static uint8_t highest_generation(uint16_t w76)
{
	if (w76 == 0xffff)
		return 0;
	return bit(w76, 3) ? 3 : bit(w76, 2) ? 2 : bit(w76, 1) ? 1 : 0;
}

int ata_identify_decode(const uint8_t *buf, size_t len, struct ata_identity *ret,
	struct err *reterr)
{
	struct ata_identity id = { 0 };
	uint16_t w76, w77, w69;
	int rc;

	if (len < ATA_IDENTIFY_BYTES)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"IDENTIFY DEVICE: %zu of 512 bytes; the answer is cut", len);
	devstr_clean_ata(id.serial, sizeof(id.serial), buf + 20, 20);
	devstr_clean_ata(id.firmware, sizeof(id.firmware), buf + 46, 8);
	devstr_clean_ata(id.model, sizeof(id.model), buf + 54, 40);
	rc = check_integrity(buf, &id, reterr);
	if (rc < 0)
		return rc;
	decode_size(buf, &id);
	decode_features(buf, &id);
	id.rotation_raw = ata_word(buf, 217);
	id.rotational = scsi_rotation_fact(id.rotation_raw, &id.rpm);
	/* Words 69 and 169 have no validity bits; 0000h and FFFFh are "not reported". */
	w69 = ata_word(buf, 69);
	if (ata_word(buf, 169) != 0xffff)
		id.trim = fact_of(bit(ata_word(buf, 169), 0));
	if (id.trim == FACT_YES && w69 != 0xffff) {
		id.trim_deterministic = fact_of(bit(w69, 14));
		id.trim_zeroes = fact_of(bit(w69, 14) && bit(w69, 5));
	}
	w76 = ata_word(buf, 76);
	w77 = ata_word(buf, 77);
	id.link_max_gen = highest_generation(w76);
	if (id.link_max_gen && w77 != 0xffff && (w77 >> 1 & 7) <= 3)
		id.link_gen = w77 >> 1 & 7;
	*ret = id;
	return 0;
}

const char *ata_link_text(uint8_t gen)
{
	static const char *const text[] = { NULL, "1.5 Gb/s", "3.0 Gb/s", "6.0 Gb/s" };

	return gen < 4 ? text[gen] : NULL;
}

int ata_sense_decode(const uint8_t *sense, size_t len, struct ata_registers *ret,
	struct err *reterr)
{
	struct ata_registers r = { 0 };
	struct scsi_sense s;
	const uint8_t *d;
	size_t d_len = 0;
	int rc = scsi_sense_decode(sense, len, &s, reterr);

	if (rc < 0)
		return rc;
	if (s.descriptor) {
		d = scsi_sense_find(sense, len, 0x09, &d_len);
		if (!d || d_len < 14)
			return err_set(reterr, ERR_DEVICE, -ENODATA,
				"sense: no ATA status return descriptor in it");
		r.error = d[3];
		r.count = (uint16_t)((d[2] & 1 ? d[4] << 8 : 0) | d[5]);
		r.lba = (uint64_t)d[11] << 16 | (uint64_t)d[9] << 8 | d[7];
		if (d[2] & 1)
			r.lba |= (uint64_t)d[10] << 40 | (uint64_t)d[8] << 32 |
				(uint64_t)d[6] << 24;
		r.device = d[12];
		r.status = d[13];
	} else {
		if (s.asc != 0x00 || s.ascq != 0x1d)
			return err_set(reterr, ERR_DEVICE, -ENODATA,
				"sense: no ATA registers in it (ASC/ASCQ %02xh/%02xh)", s.asc,
				s.ascq);
		r.error = sense[3];
		r.status = sense[4];
		r.device = sense[5];
		r.count = sense[6];
		r.lba = (uint64_t)sense[11] << 16 | (uint64_t)sense[10] << 8 | sense[9];
	}
	*ret = r;
	return 0;
}

bool ata_registers_ok(const struct ata_registers *r)
{
	return (r->status & 0x21) == 0; /* ERR, DF */
}

enum {
	ATA_16 = 0x85,
	PROTOCOL_NON_DATA = 3 << 1,
	PROTOCOL_PIO_IN = 4 << 1,
	EXTEND = 1,
	/* Ask for the registers back. Only without data: there is nothing else to tell success by,
	 * while bridges are known to drop the data or the sense of a read that asks for both. */
	CK_COND = 0x20,
	FROM_DEVICE_COUNT_BLOCKS = 0x0e, /* T_DIR, BYT_BLOK, T_LENGTH = count */
	SMART_LBA_MID = 0x4f,
	SMART_LBA_HIGH = 0xc2,
};

static unsigned pass_through(uint8_t *cdb, uint8_t protocol, uint8_t flags, uint8_t command)
{
	memset(cdb, 0, 16);
	cdb[0] = ATA_16;
	cdb[1] = protocol;
	cdb[2] = flags;
	cdb[14] = command;
	return 16;
}

unsigned ata_cdb_identify(uint8_t *cdb)
{
	unsigned n = pass_through(cdb, PROTOCOL_PIO_IN, FROM_DEVICE_COUNT_BLOCKS, 0xec);

	cdb[6] = 1;
	return n;
}

unsigned ata_cdb_set_features(uint8_t *cdb, enum ata_feature f)
{
	unsigned n = pass_through(cdb, PROTOCOL_NON_DATA, CK_COND, 0xef);

	cdb[4] = (uint8_t)f;
	return n;
}

static unsigned cdb_smart(uint8_t *cdb, uint8_t feature, uint8_t log, uint8_t sectors)
{
	unsigned n = pass_through(cdb, PROTOCOL_PIO_IN, FROM_DEVICE_COUNT_BLOCKS, 0xb0);

	cdb[4] = feature;
	cdb[6] = sectors;
	cdb[8] = log;
	cdb[10] = SMART_LBA_MID;
	cdb[12] = SMART_LBA_HIGH;
	return n;
}

unsigned ata_cdb_smart_data(uint8_t *cdb)
{
	return cdb_smart(cdb, 0xd0, 0, 1);
}

unsigned ata_cdb_smart_thresholds(uint8_t *cdb)
{
	return cdb_smart(cdb, 0xd1, 0, 1);
}

unsigned ata_cdb_smart_status(uint8_t *cdb)
{
	unsigned n = pass_through(cdb, PROTOCOL_NON_DATA, CK_COND, 0xb0);

	cdb[4] = 0xda;
	cdb[10] = SMART_LBA_MID;
	cdb[12] = SMART_LBA_HIGH;
	return n;
}

unsigned ata_cdb_read_log(uint8_t *cdb, uint8_t log, uint8_t page)
{
	unsigned n = pass_through(cdb, PROTOCOL_PIO_IN | EXTEND, FROM_DEVICE_COUNT_BLOCKS, 0x2f);

	cdb[6] = 1;
	cdb[8] = log;   /* LBA 7:0 */
	cdb[10] = page; /* LBA 15:8 */
	return n;
}
