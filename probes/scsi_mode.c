/* scsi_mode.c - the caching mode page: where it stands, what it says, how it is changed. */
#include "probes/scsi.h"

#include <errno.h>
#include <string.h>

enum {
	CACHING_PAGE = 0x08,
	SELECT_HEADER_6 = 4,
	SELECT_HEADER_10 = 8,
};

/* Header of either form. @ret_end: first byte after the mode data that the device promises. */
static int header_decode(const uint8_t *buf, size_t len, struct scsi_caching *page,
	size_t *ret_end, struct err *reterr)
{
	size_t header = page->ten ? 8 : 4, descriptors;
	const char *form = page->ten ? "MODE SENSE(10)" : "MODE SENSE(6)";

	if (len < header)
		return err_set(reterr, ERR_DEVICE, -EBADMSG, "%s: %zu of %zu header bytes", form,
			len, header);
	*ret_end = page->ten ? 2u + be16(buf) : 1u + buf[0];
	descriptors = page->ten ? be16(buf + 6) : buf[3];
	page->medium_type = buf[page->ten ? 2 : 1];
	page->protected = buf[page->ten ? 3 : 2] & 0x80;
	page->dpofua = buf[page->ten ? 3 : 2] & 0x10;
	page->longlba = page->ten && (buf[4] & 0x01);
	page->offset = header + descriptors;
	if (*ret_end > len)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"%s: the header promises %zu bytes, %zu arrived; the answer is cut", form,
			*ret_end, len);
	if (page->offset > *ret_end)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"%s: block descriptors of %zu bytes reach beyond the %zu of the answer",
			form, descriptors, *ret_end);
	return 0;
}

int scsi_caching_decode(const uint8_t *buf, size_t len, bool ten, struct scsi_caching *ret,
	struct err *reterr)
{
	struct scsi_caching page = { .ten = ten };
	size_t end = 0;
	int rc = header_decode(buf, len, &page, &end, reterr);

	if (rc < 0)
		return rc;
	while (end - page.offset >= 2) {
		const uint8_t *p = buf + page.offset;
		bool subpage = p[0] & 0x40;
		size_t head = subpage ? 4 : 2;

		if (end - page.offset < head)
			break;
		page.page_len = head + (subpage ? be16(p + 2) : p[1]);
		if (page.page_len > end - page.offset)
			return err_set(reterr, ERR_DEVICE, -EBADMSG,
				"mode page %02xh at byte %zu: %zu of %zu bytes; the answer is cut",
				p[0] & 0x3f, page.offset, end - page.offset, page.page_len);
		if (!subpage && (p[0] & 0x3f) == CACHING_PAGE) {
			if (page.page_len < 3)
				return err_set(reterr, ERR_DEVICE, -EBADMSG,
					"mode page 08h at byte %zu: no flags in it", page.offset);
			page.saveable = p[0] & 0x80;
			page.wce = p[2] & 0x04;
			page.rcd = p[2] & 0x01;
			*ret = page;
			return 0;
		}
		page.offset += page.page_len;
	}
	return err_set(reterr, ERR_DEVICE, -EBADMSG,
		"MODE SENSE: no caching page (08h) in the %zu bytes of the answer", end);
}

int scsi_caching_select(const uint8_t *sense, const struct scsi_caching *page, bool wce,
	uint8_t *out, size_t size)
{
	size_t header = page->ten ? SELECT_HEADER_10 : SELECT_HEADER_6;

	/* The list length of MODE SELECT(6) is one byte; both forms keep to it. */
	if (header + page->page_len > size || header + page->page_len > 255)
		return -ENOSPC;
	memset(out, 0, header);
	out[page->ten ? 2 : 1] = page->medium_type;
	memcpy(out + header, sense + page->offset, page->page_len);
	out[header] &= 0x7f; /* PS is reserved in MODE SELECT */
	if (wce)
		out[header + 2] |= 0x04;
	else
		out[header + 2] &= (uint8_t)~0x04;
	return (int)(header + page->page_len);
}
