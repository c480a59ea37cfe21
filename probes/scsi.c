/* scsi.c - INQUIRY, vital product data, persistent reservations, and the CDBs. */
#include "probes/scsi.h"

#include "probes/devstr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int too_short(struct err *reterr, const char *what, size_t have, size_t need)
{
	return err_set(reterr, ERR_DEVICE, -EBADMSG, "%s: %zu of %zu bytes; the answer is cut",
		what, have, need);
}

int scsi_inquiry_decode(const uint8_t *buf, size_t len, struct scsi_inquiry *ret,
	struct err *reterr)
{
	struct scsi_inquiry q = { 0 };
	size_t end;

	if (len < 5)
		return too_short(reterr, "INQUIRY", len, 36);
	/* ADDITIONAL LENGTH may promise more than was asked for; what arrived counts. */
	end = 5u + buf[4] < len ? 5u + buf[4] : len;
	if ((buf[0] >> 5) == 3)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"INQUIRY: byte 0 is 0x%02x: no device at this address", buf[0]);
	q.device_type = buf[0] & 0x1f;
	q.qualifier = buf[0] >> 5;
	q.removable = buf[1] & 0x80;
	q.version = buf[2];
	if (end >= 16)
		devstr_clean(q.vendor, sizeof(q.vendor), buf + 8, 8);
	if (end >= 32)
		devstr_clean(q.product, sizeof(q.product), buf + 16, 16);
	if (end >= 36)
		devstr_clean(q.revision, sizeof(q.revision), buf + 32, 4);
	*ret = q;
	return 0;
}

/* The header that all VPD pages share. Devices that do not know a page may send another one, or
 * standard INQUIRY data: the page code is the proof. */
static int vpd_open(const uint8_t *buf, size_t len, uint8_t page, size_t need, size_t *ret_len,
	struct err *reterr)
{
	char what[24];
	size_t page_len;

	(void)snprintf(what, sizeof(what), "VPD page %02xh", page); /* fits */
	if (len < 4)
		return too_short(reterr, what, len, 4);
	if (buf[1] != page)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"%s: byte 1: the device sent page %02xh instead", what, buf[1]);
	page_len = be16(buf + 2);
	if (4 + page_len > len)
		return too_short(reterr, what, len, 4 + page_len);
	if (page_len < need)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"%s: byte 2: page length %zu, at least %zu expected", what, page_len, need);
	*ret_len = page_len;
	return 0;
}

int scsi_vpd_pages_decode(const uint8_t *buf, size_t len, struct scsi_vpd_pages *ret,
	struct err *reterr)
{
	struct scsi_vpd_pages pages = { { false } };
	size_t page_len, i;
	int rc = vpd_open(buf, len, 0x00, 0, &page_len, reterr);

	if (rc < 0)
		return rc;
	for (i = 0; i < page_len; i++)
		pages.has[buf[4 + i]] = true;
	*ret = pages;
	return 0;
}

int scsi_serial_decode(const uint8_t *buf, size_t len, char *ret, struct err *reterr)
{
	size_t page_len;
	int rc = vpd_open(buf, len, 0x80, 0, &page_len, reterr);

	if (rc < 0)
		return rc;
	devstr_clean(ret, SCSI_SERIAL_MAX, buf + 4, page_len);
	return 0;
}

/* How well a designator names the unit: higher wins, 0 is not used. Code sets: 1 binary, 2 ASCII,
 * 3 UTF-8. Source: SPC-4 7.8.6. */
static int designator_rank(const uint8_t *d, size_t len, struct scsi_id *id)
{
	uint8_t code_set = d[0] & 0x0f, type = d[1] & 0x0f, association = (d[1] >> 4) & 3;

	if (association != 0 || len == 0)
		return 0;
	switch (type) {
	case 3:
		if (code_set != 1 || (len != 8 && len != 16))
			return 0;
		id->kind = SCSI_ID_NAA;
		switch (d[4] >> 4) {
		case 6: return len == 16 ? 90 : 0; /* registered extended: unique by unit */
		case 5: return len == 8 ? 80 : 0;  /* registered */
		case 2: return len == 8 ? 60 : 0;  /* extended */
		case 3: return len == 8 ? 20 : 0;  /* locally assigned: unique only here */
		default: return 0;
		}
	case 2:
		if (code_set != 1 || (len != 8 && len != 12 && len != 16))
			return 0;
		id->kind = SCSI_ID_EUI64;
		return 70;
	case 8:
		id->kind = SCSI_ID_NAME;
		return code_set == 3 ? 50 : 0;
	case 1:
		id->kind = SCSI_ID_T10;
		return code_set == 2 || code_set == 3 ? 40 : 0;
	default:
		return 0;
	}
}

static void designator_text(const uint8_t *d, size_t len, struct scsi_id *id)
{
	static const char *const prefix[] = {
		[SCSI_ID_NONE] = "", [SCSI_ID_NAA] = "naa.", [SCSI_ID_EUI64] = "eui.",
		[SCSI_ID_NAME] = "", [SCSI_ID_T10] = "t10.",
	};
	size_t used = (size_t)snprintf(id->text, sizeof(id->text), "%s", prefix[id->kind]), i;

	if (id->kind == SCSI_ID_NAME || id->kind == SCSI_ID_T10) {
		devstr_clean(id->text + used, sizeof(id->text) - used, d + 4, len);
		return;
	}
	for (i = 0; i < len; i++)
		used += (size_t)snprintf(id->text + used, sizeof(id->text) - used, "%02x",
			d[4 + i]);
}

int scsi_id_decode(const uint8_t *buf, size_t len, struct scsi_id *ret, struct err *reterr)
{
	struct scsi_id best = { .kind = SCSI_ID_NONE };
	size_t page_len, at = 0;
	int best_rank = 0, rc = vpd_open(buf, len, 0x83, 0, &page_len, reterr);

	if (rc < 0)
		return rc;
	while (at < page_len) {
		const uint8_t *d = buf + 4 + at;
		struct scsi_id one = { .kind = SCSI_ID_NONE };
		int rank;

		if (page_len - at < 4 || page_len - at < 4u + d[3])
			return err_set(reterr, ERR_DEVICE, -EBADMSG,
				"VPD page 83h: byte %zu: a designator reaches beyond the page",
				4 + at);
		rank = designator_rank(d, d[3], &one);
		if (rank > best_rank) {
			designator_text(d, d[3], &one);
			best = one;
			best_rank = rank;
		}
		at += 4u + d[3];
	}
	*ret = best;
	return 0;
}

enum fact scsi_rotation_fact(uint16_t raw, uint16_t *ret_rpm)
{
	*ret_rpm = 0;
	if (raw == 0x0001)
		return FACT_NO;
	if (raw < 0x0401 || raw == 0xffff)
		return FACT_UNKNOWN;
	*ret_rpm = raw;
	return FACT_YES;
}

int scsi_rotation_decode(const uint8_t *buf, size_t len, struct scsi_rotation *ret,
	struct err *reterr)
{
	struct scsi_rotation r = { 0 };
	size_t page_len;
	int rc = vpd_open(buf, len, 0xb1, 2, &page_len, reterr);

	if (rc < 0)
		return rc;
	r.raw = be16(buf + 4);
	r.rotational = scsi_rotation_fact(r.raw, &r.rpm);
	if (page_len >= 4)
		r.form_factor = buf[7] & 0x0f;
	*ret = r;
	return 0;
}

int scsi_keys_decode(const uint8_t *buf, size_t len, struct scsi_keys *ret, struct err *reterr)
{
	struct scsi_keys k = { 0 };
	uint32_t bytes;
	size_t at;

	if (len < 8)
		return too_short(reterr, "READ KEYS", len, 8);
	k.generation = be32(buf);
	bytes = be32(buf + 4);
	if (bytes % 8 != 0)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"READ KEYS: byte 4: length %u is no multiple of 8", bytes);
	k.total = bytes / 8;
	for (at = 8; at + 8 <= len && k.count < k.total && k.count < SCSI_KEYS_MAX; at += 8)
		k.key[k.count++] = be64(buf + at);
	*ret = k;
	return 0;
}

int scsi_reservation_decode(const uint8_t *buf, size_t len, struct scsi_reservation *ret,
	struct err *reterr)
{
	struct scsi_reservation r = { 0 };
	uint32_t bytes;

	if (len < 8)
		return too_short(reterr, "READ RESERVATION", len, 8);
	r.generation = be32(buf);
	bytes = be32(buf + 4);
	if (bytes != 0) {
		if (bytes < 16 || len < 24)
			return too_short(reterr, "READ RESERVATION",
				len < 8 + bytes ? len : 8 + bytes, 24);
		r.held = true;
		r.key = be64(buf + 8);
		r.type = buf[21] & 0x0f;
	}
	*ret = r;
	return 0;
}

const char *scsi_reservation_text(uint8_t type)
{
	switch (type) {
	case 1: return "write exclusive";
	case 3: return "exclusive access";
	case 5: return "write exclusive, registrants only";
	case 6: return "exclusive access, registrants only";
	case 7: return "write exclusive, all registrants";
	case 8: return "exclusive access, all registrants";
	default: return "of an unknown type";
	}
}

static void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

unsigned scsi_cdb_inquiry(uint8_t *cdb, uint16_t alloc)
{
	memset(cdb, 0, SCSI_CDB_MAX);
	cdb[0] = 0x12;
	put_be16(cdb + 3, alloc);
	return 6;
}

unsigned scsi_cdb_vpd(uint8_t *cdb, uint8_t page, uint16_t alloc)
{
	(void)scsi_cdb_inquiry(cdb, alloc); /* 6 as well */
	cdb[1] = 0x01;
	cdb[2] = page;
	return 6;
}

unsigned scsi_cdb_mode_sense(uint8_t *cdb, bool ten, enum scsi_pc pc, uint8_t page, uint8_t alloc)
{
	memset(cdb, 0, SCSI_CDB_MAX);
	cdb[0] = ten ? 0x5a : 0x1a;
	cdb[2] = (uint8_t)((unsigned)pc << 6 | (page & 0x3f));
	cdb[ten ? 8 : 4] = alloc;
	return ten ? 10 : 6;
}

unsigned scsi_cdb_mode_select(uint8_t *cdb, bool ten, bool save, uint8_t list_len)
{
	memset(cdb, 0, SCSI_CDB_MAX);
	cdb[0] = ten ? 0x55 : 0x15;
	cdb[1] = (uint8_t)(0x10 | (save ? 0x01 : 0x00)); /* PF: pages as the standard has them */
	cdb[ten ? 8 : 4] = list_len;
	return ten ? 10 : 6;
}

unsigned scsi_cdb_log_sense(uint8_t *cdb, uint8_t page, uint16_t alloc)
{
	memset(cdb, 0, SCSI_CDB_MAX);
	cdb[0] = 0x4d;
	cdb[2] = (uint8_t)(0x40 | (page & 0x3f));
	put_be16(cdb + 7, alloc);
	return 10;
}

static unsigned cdb_reserve_in(uint8_t *cdb, uint8_t action, uint16_t alloc)
{
	memset(cdb, 0, SCSI_CDB_MAX);
	cdb[0] = 0x5e;
	cdb[1] = action;
	put_be16(cdb + 7, alloc);
	return 10;
}

unsigned scsi_cdb_read_keys(uint8_t *cdb, uint16_t alloc)
{
	return cdb_reserve_in(cdb, 0x00, alloc);
}

unsigned scsi_cdb_read_reservation(uint8_t *cdb, uint16_t alloc)
{
	return cdb_reserve_in(cdb, 0x01, alloc);
}
