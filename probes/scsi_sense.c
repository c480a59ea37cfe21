/* scsi_sense.c - sense data in both formats, and its words. */
#include "probes/scsi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SENSE_INFORMATION = 0x00 }; /* descriptor type */

const uint8_t *scsi_sense_find(const uint8_t *buf, size_t len, uint8_t type, size_t *ret_len)
{
	size_t at = 8, end;

	if (len < 8 || (buf[0] & 0x7e) != 0x72)
		return NULL;
	end = 8u + buf[7] < len ? 8u + buf[7] : len;
	while (end - at >= 2 && at < end) {
		size_t whole = 2u + buf[at + 1];

		if (whole > end - at)
			return NULL;
		if (buf[at] == type) {
			*ret_len = whole;
			return buf + at;
		}
		at += whole;
	}
	return NULL;
}

static int fixed_decode(const uint8_t *buf, size_t len, struct scsi_sense *s, struct err *reterr)
{
	size_t end;

	if (len < 8)
		return err_set(reterr, ERR_DEVICE, -EBADMSG, "sense: %zu of 8 bytes; it is cut",
			len);
	end = 8u + buf[7] < len ? 8u + buf[7] : len;
	s->key = buf[2] & 0x0f;
	s->has_info = buf[0] & 0x80;
	if (s->has_info)
		s->info = be32(buf + 3);
	/* Short sense without ASC is allowed; bridges leave ADDITIONAL LENGTH 0 and send it. */
	if (end >= 14 || (buf[7] == 0 && len >= 14)) {
		s->asc = buf[12];
		s->ascq = buf[13];
	}
	return 0;
}

int scsi_sense_decode(const uint8_t *buf, size_t len, struct scsi_sense *ret, struct err *reterr)
{
	struct scsi_sense s = { 0 };
	const uint8_t *info;
	size_t info_len;
	int rc = 0;

	if (len == 0 || (buf[0] & 0x7f) == 0)
		return err_set(reterr, ERR_DEVICE, -ENODATA, "sense: the device sent none");
	s.deferred = buf[0] & 0x01;
	switch (buf[0] & 0x7f) {
	case 0x70:
	case 0x71:
		rc = fixed_decode(buf, len, &s, reterr);
		break;
	case 0x72:
	case 0x73:
		if (len < 4)
			return err_set(reterr, ERR_DEVICE, -EBADMSG,
				"sense: %zu of 8 bytes; it is cut", len);
		s.descriptor = true;
		s.key = buf[1] & 0x0f;
		s.asc = buf[2];
		s.ascq = buf[3];
		info = scsi_sense_find(buf, len, SENSE_INFORMATION, &info_len);
		if (info && info_len >= 12 && (info[2] & 0x80)) {
			s.has_info = true;
			s.info = be64(info + 4);
		}
		break;
	default:
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"sense: byte 0: unknown response code %02xh", buf[0] & 0x7f);
	}
	if (rc == 0)
		*ret = s;
	return rc;
}

const char *scsi_sense_key_text(uint8_t key)
{
	static const char *const words[16] = {
		"no sense", "recovered error", "not ready", "medium error", "hardware error",
		"illegal request", "unit attention", "data protect", "blank check",
		"vendor specific", "copy aborted", "aborted command", "reserved", "volume overflow",
		"miscompare", "completed",
	};

	return words[key & 0x0f];
}

const char *scsi_asc_text(uint8_t asc, uint8_t ascq)
{
	static const struct {
		uint8_t asc, ascq;
		const char *text;
	} table[] = { /* SPC-4, table D.2: the ones that drives, bridges and controllers do send */
		{ 0x00, 0x00, "no additional sense" },
		{ 0x00, 0x1d, "ATA pass-through information available" },
		{ 0x03, 0x00, "peripheral device write fault" },
		{ 0x04, 0x00, "logical unit not ready" },
		{ 0x04, 0x01, "logical unit becoming ready" },
		{ 0x04, 0x02, "initializing command required" },
		{ 0x04, 0x04, "format in progress" },
		{ 0x04, 0x1b, "sanitize in progress" },
		{ 0x08, 0x00, "logical unit communication failure" },
		{ 0x0c, 0x00, "write error" },
		{ 0x0c, 0x02, "write error, auto reallocation failed" },
		{ 0x11, 0x00, "unrecovered read error" },
		{ 0x1a, 0x00, "parameter list length error" },
		{ 0x20, 0x00, "invalid command operation code" },
		{ 0x21, 0x00, "logical block address out of range" },
		{ 0x24, 0x00, "invalid field in CDB" },
		{ 0x25, 0x00, "logical unit not supported" },
		{ 0x26, 0x00, "invalid field in parameter list" },
		{ 0x26, 0x01, "parameter not supported" },
		{ 0x26, 0x02, "parameter value invalid" },
		{ 0x27, 0x00, "write protected" },
		{ 0x28, 0x00, "medium may have changed" },
		{ 0x29, 0x00, "power on, reset, or bus device reset occurred" },
		{ 0x2a, 0x01, "mode parameters changed" },
		{ 0x2a, 0x03, "reservations preempted" },
		{ 0x31, 0x00, "medium format corrupted" },
		{ 0x39, 0x00, "saving parameters not supported" },
		{ 0x3a, 0x00, "medium not present" },
		{ 0x3f, 0x0e, "reported LUNs data has changed" },
		{ 0x44, 0x00, "internal target failure" },
		{ 0x47, 0x00, "SCSI parity error" },
		{ 0x4b, 0x00, "data phase error" },
		{ 0x5d, 0x00, "failure prediction threshold exceeded" },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].asc == asc && table[i].ascq == ascq)
			return table[i].text;
	return NULL;
}

char *scsi_sense_text(char *buf, size_t size, const struct scsi_sense *s)
{
	const char *detail = scsi_asc_text(s->asc, s->ascq);

	(void)snprintf(buf, size, "%s%s%s (%x/%02x/%02x)", scsi_sense_key_text(s->key),
		detail ? ", " : "", detail ? detail : "", s->key, s->asc, s->ascq); /* may be cut */
	return buf;
}

bool scsi_sense_is_unsupported(const struct scsi_sense *s)
{
	return s->key == 0x05 && (s->asc == 0x20 || s->asc == 0x24 || s->asc == 0x25 ||
		s->asc == 0x26 || s->asc == 0x39);
}
