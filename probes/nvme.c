/* nvme.c - Identify, reservation report, critical warnings and status words. */
#include "probes/nvme.h"

#include "probes/devstr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool all_bytes(const uint8_t *buf, size_t len, uint8_t value)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (buf[i] != value)
			return false;
	return true;
}

static int check_length(const char *what, size_t len, size_t need, struct err *reterr)
{
	if (len >= need)
		return 0;
	return err_set(reterr, ERR_DEVICE, -EBADMSG, "%s: %zu of %zu bytes; the answer is cut",
		what, len, need);
}

int nvm_ctrl_decode(const uint8_t *buf, size_t len, struct nvm_ctrl *ret, struct err *reterr)
{
	struct nvm_ctrl c = { 0 };
	uint16_t oncs;
	int rc = check_length("Identify Controller", len, NVM_IDENTIFY_BYTES, reterr);

	if (rc < 0)
		return rc;
	if (all_bytes(buf, 72, 0x00) || all_bytes(buf, 72, 0xff))
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"Identify Controller: bytes 0 to 71 are all %02xh; no answer in it",
			buf[0]);
	c.vendor_id = le16(buf);
	devstr_clean(c.serial, sizeof(c.serial), buf + 4, 20);
	devstr_clean(c.model, sizeof(c.model), buf + 24, 40);
	devstr_clean(c.firmware, sizeof(c.firmware), buf + 64, 8);
	c.multi_port = buf[76] & 0x01;
	c.multi_controller = buf[76] & 0x02;
	c.max_transfer_shift = buf[77];
	c.controller_id = le16(buf + 78);
	c.version = le32(buf + 80);
	c.warning_temp_kelvin = le16(buf + 266);
	if (le64(buf + 288) == 0)
		c.capacity_bytes = le64(buf + 280);
	c.namespaces = le32(buf + 516);
	oncs = le16(buf + 520);
	c.dsm = oncs & 0x04;
	c.write_zeroes = oncs & 0x08;
	c.saves_features = oncs & 0x10;
	c.reservations = oncs & 0x20;
	c.vwc = buf[525] & 0x01;
	/* A NUL ends the name; what follows it is undefined. */
	devstr_clean(c.subsystem, sizeof(c.subsystem), buf + 768,
		strnlen((const char *)buf + 768, 223));
	*ret = c;
	return 0;
}

int nvm_ns_decode(const uint8_t *buf, size_t len, struct nvm_ns *ret, struct err *reterr)
{
	struct nvm_ns ns = { 0 };
	size_t i;
	int rc = check_length("Identify Namespace", len, NVM_IDENTIFY_BYTES, reterr);

	if (rc < 0)
		return rc;
	if (all_bytes(buf, 128, 0x00))
		return err_set(reterr, ERR_DEVICE, -ENODATA,
			"Identify Namespace: all zero; the namespace is not active");
	ns.size_blocks = le64(buf);
	ns.capacity_blocks = le64(buf + 8);
	ns.used_blocks = le64(buf + 16);
	ns.format_count = (size_t)buf[25] + 1;
	if (ns.format_count > NVM_FORMATS_MAX)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"Identify Namespace: byte 25: %zu LBA formats, at most 64 allowed",
			ns.format_count);
	/* FLBAS bits 6:5 count only where more than 16 formats are reported. */
	ns.format_in_use = buf[26] & 0x0fu;
	if (ns.format_count > 16)
		ns.format_in_use |= (buf[26] >> 5 & 3u) << 4;
	for (i = 0; i < ns.format_count; i++) {
		uint32_t f = le32(buf + 128 + i * 4);
		unsigned shift = f >> 16 & 0xff;

		ns.format[i].metadata_bytes = (uint16_t)f;
		ns.format[i].data_bytes = shift >= 9 && shift <= 24 ? UINT32_C(1) << shift : 0;
		ns.format[i].performance = f >> 24 & 3;
	}
	if (ns.format_in_use >= ns.format_count || !ns.format[ns.format_in_use].data_bytes)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"Identify Namespace: byte 26: LBA format %zu is in use but not described",
			ns.format_in_use);
	if (__builtin_mul_overflow(ns.size_blocks, (uint64_t)ns.format[ns.format_in_use].data_bytes,
			&ns.size_bytes))
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"Identify Namespace: byte 0: a size above 2^64 bytes");
	ns.metadata_in_lba = buf[26] & 0x10;
	ns.protection = buf[29] & 0x07;
	ns.shared = buf[30] & 0x01;
	ns.reservations = buf[31];
	memcpy(ns.nguid, buf + 104, 16);
	memcpy(ns.eui64, buf + 120, 8);
	ns.has_nguid = !all_bytes(ns.nguid, 16, 0);
	ns.has_eui64 = !all_bytes(ns.eui64, 8, 0);
	*ret = ns;
	return 0;
}

char *nvm_ns_wwn(char *buf, size_t size, const struct nvm_ns *ns)
{
	const uint8_t *id = ns->has_nguid ? ns->nguid : ns->eui64;
	size_t len = ns->has_nguid ? 16 : 8, used, i;

	buf[0] = '\0';
	if (!ns->has_nguid && !ns->has_eui64)
		return buf;
	used = (size_t)snprintf(buf, size, "eui.");
	for (i = 0; i < len && used + 2 < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%02x", id[i]);
	return buf;
}

int nvm_critical_decode(const uint8_t *buf, size_t len, uint8_t *ret, struct err *reterr)
{
	int rc = check_length("SMART log 02h", len, 512, reterr);

	if (rc == 0)
		*ret = buf[0];
	return rc;
}

int nvm_reservations_decode(const uint8_t *buf, size_t len, bool extended,
	struct nvm_reservations *ret, struct err *reterr)
{
	struct nvm_reservations r = { 0 };
	size_t at = extended ? 64 : 24, step = extended ? 64 : 24;
	int rc = check_length("Reservation Report", len, at, reterr);

	if (rc < 0)
		return rc;
	r.generation = le32(buf);
	r.type = buf[4];
	r.total = le16(buf + 5);
	for (; r.count < r.total && r.count < NVM_REGISTRANTS_MAX && at + step <= len; at += step) {
		struct nvm_registrant *one = &r.registrant[r.count++];
		const uint8_t *p = buf + at;

		one->controller_id = le16(p);
		one->holder = p[2] & 0x01;
		if (extended) {
			one->key = le64(p + 8);
			memcpy(one->host_id, p + 16, 16);
		} else {
			memcpy(one->host_id, p + 8, 8);
			one->key = le64(p + 16);
		}
	}
	*ret = r;
	return 0;
}

const char *nvm_reservation_text(uint8_t type)
{
	static const char *const text[] = {
		"none", "write exclusive", "exclusive access", "write exclusive, registrants only",
		"exclusive access, registrants only", "write exclusive, all registrants",
		"exclusive access, all registrants",
	};

	return type < sizeof(text) / sizeof(text[0]) ? text[type] : "of an unknown type";
}

static const struct {
	uint8_t sct, sc;
	const char *text;
} status_table[] = {
	{ 0, 0x00, "success" },
	{ 0, 0x01, "invalid command opcode" },
	{ 0, 0x02, "invalid field in command" },
	{ 0, 0x04, "data transfer error" },
	{ 0, 0x05, "aborted: power loss notification" },
	{ 0, 0x06, "internal error" },
	{ 0, 0x07, "abort requested" },
	{ 0, 0x0b, "invalid namespace or format" },
	{ 0, 0x0c, "command sequence error" },
	{ 0, 0x15, "operation denied" },
	{ 0, 0x1c, "sanitize failed" },
	{ 0, 0x1d, "sanitize in progress" },
	{ 0, 0x20, "namespace is write protected" },
	{ 0, 0x21, "command interrupted" },
	{ 0, 0x80, "LBA out of range" },
	{ 0, 0x81, "capacity exceeded" },
	{ 0, 0x82, "namespace not ready" },
	{ 0, 0x83, "reservation conflict" },
	{ 0, 0x84, "format in progress" },
	{ 1, 0x09, "invalid log page" },
	{ 1, 0x0d, "feature cannot be saved" },
	{ 1, 0x0e, "feature cannot be changed" },
	{ 1, 0x0f, "feature is not specific to a namespace" },
	{ 2, 0x80, "write fault" },
	{ 2, 0x81, "unrecovered read error" },
	{ 2, 0x82, "end-to-end guard check error" },
	{ 2, 0x86, "access denied" },
	{ 2, 0x87, "deallocated or unwritten block" },
	{ 3, 0x00, "internal path error" },
	{ 3, 0x02, "asymmetric access inaccessible" },
	{ 3, 0x70, "host path error" },
};

char *nvm_status_text(char *buf, size_t size, struct nvm_status s)
{
	static const char *const types[8] = {
		"generic", "command specific", "media error", "path", "reserved", "reserved",
		"reserved", "vendor specific",
	};
	const char *text = NULL;
	size_t i;

	for (i = 0; i < sizeof(status_table) / sizeof(status_table[0]); i++)
		if (status_table[i].sct == s.sct && status_table[i].sc == s.sc)
			text = status_table[i].text;
	if (text)
		(void)snprintf(buf, size, "%s (%xh/%02xh)", text, s.sct, s.sc); /* may be cut */
	else
		(void)snprintf(buf, size, "%s status (%xh/%02xh)", types[s.sct & 7], s.sct, s.sc);
	return buf;
}

bool nvm_status_is_unsupported(struct nvm_status s)
{
	return (s.sct == 0 && (s.sc == 0x01 || s.sc == 0x02)) ||
		(s.sct == 1 && (s.sc == 0x09 || s.sc == 0x0d || s.sc == 0x0e || s.sc == 0x0f));
}
