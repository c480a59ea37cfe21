/* smart_scsi.c - log pages of SCSI and SAS drives, decoded.
 *
 * Sources: SPC-5 7.3 (log pages, temperature, non-medium errors, start-stop cycles, informational
 * exceptions, error counters), SBC-4 6.4 (background scan, solid state media).
 */
#include "probes/smart.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/scsi.h"

enum { PAGE_BYTES = 1024, PAGE_SUPPORTED = 0x00 };

struct parameter {
	uint16_t code;
	const uint8_t *data;
	size_t len;
};

/* Big-endian counters of 1 to 8 bytes; longer ones are no counters of ours. */
static bool counter(const struct parameter *p, uint64_t *ret)
{
	uint64_t v = 0;

	if (p->len == 0 || p->len > 8)
		return false;
	for (size_t i = 0; i < p->len; i++)
		v = v << 8 | p->data[i];
	*ret = v;
	return true;
}

static void take_errors(const struct parameter *p, bool writes, struct smart_health *h)
{
	uint64_t v;

	if (!counter(p, &v))
		return;
	if (p->code == 5)
		smart_set_bytes(writes ? &h->host_writes : &h->host_reads, v, 1,
			"SCSI %s error counter log, total bytes processed",
			writes ? "write" : "read");
	else if (p->code == 6 && writes)
		smart_set_count(&h->uncorrectable, v);
}

static void take_exceptions(const struct parameter *p, struct smart_health *h)
{
	if (p->code != 0 || p->len < 2)
		return;
	/* ASC 5Dh: failure prediction threshold exceeded; 0Bh: a warning, no prediction. */
	h->passed = p->data[0] == 0x5d ? SMART_NO : SMART_YES;
}

static void take(uint8_t page, const struct parameter *p, struct smart_health *h)
{
	uint64_t v;

	switch (page) {
	case 0x02:
	case 0x03:
		take_errors(p, page == 0x02, h);
		break;
	case 0x06:
		if (p->code == 0 && counter(p, &v))
			smart_set_count(&h->non_medium_errors, v);
		break;
	case 0x0d:
		if (p->code == 0 && p->len >= 2 && p->data[1] != 0xff)
			smart_set_temperature(&h->temperature_c, p->data[1]);
		break;
	case 0x0e:
		if (p->code == 4 && counter(p, &v))
			smart_set_count(&h->power_cycles, v);
		break;
	case 0x11:
		if (p->code == 1 && p->len >= 4)
			smart_set_used(h, p->data[3], "SCSI solid state media log 11h");
		break;
	case 0x15:
		if (p->code == 0 && p->len >= 4)
			smart_set_count(&h->power_on_hours, be32(p->data) / 60);
		break;
	case 0x2f:
		take_exceptions(p, h);
		break;
	default:
		break;
	}
}

static const uint8_t pages[] = { 0x02, 0x03, 0x06, 0x0d, 0x0e, 0x11, 0x15, 0x2f };

int smart_decode_scsi_page(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr)
{
	size_t end, at = 4;
	uint8_t page;

	if (len < 4)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"log page: %zu bytes; the answer is cut", len);
	page = buf[0] & 0x3f;
	if (!memchr(pages, page, sizeof(pages)))
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA, "log page %02xh: not looked at",
			page);
	end = 4 + (size_t)be16(buf + 2);
	end = end < len ? end : len;
	while (at + 4 <= end && at + 4 + buf[at + 3] <= end) {
		struct parameter p = { .code = be16(buf + at), .data = buf + at + 4,
			.len = buf[at + 3] };

		take(page, &p, h);
		at += 4 + p.len;
	}
	return 0;
}

static void ask_names(struct devio *io, struct smart_health *h)
{
	struct scsi_inquiry q;
	char serial[SCSI_SERIAL_MAX];
	uint8_t page[252];
	size_t len;

	if (devio_inquiry(io, &q, NULL) == 0)
		(void)snprintf(h->model, sizeof(h->model), "%s", q.product); /* fits */
	if (devio_vpd(io, 0x80, page, sizeof(page), &len, NULL) == 0 &&
		scsi_serial_decode(page, len, serial, NULL) == 0)
		(void)snprintf(h->serial, sizeof(h->serial), "%.63s", serial);
}

int smart_ask_scsi(struct devio *io, struct smart_health *ret, struct err *reterr)
{
	uint8_t list[260], buf[PAGE_BYTES];
	struct smart_health h;
	size_t len, n, count = 0;
	int rc = devio_log_sense(io, PAGE_SUPPORTED, list, sizeof(list), &n, reterr);

	if (rc < 0)
		return rc;
	if (n < 4 || (list[0] & 0x3f) != PAGE_SUPPORTED)
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"LOG SENSE: the answer is no list of log pages");
	if (n > 4 + (size_t)be16(list + 2))
		n = 4 + (size_t)be16(list + 2);
	smart_init(&h);
	h.kind = SMART_KIND_SCSI;
	for (size_t i = 0; i < sizeof(pages); i++) {
		if (!memchr(list + 4, pages[i], n - 4) ||
			devio_log_sense(io, pages[i], buf, sizeof(buf), &len, NULL) < 0 ||
			len < 4 || (buf[0] & 0x3f) != pages[i])
			continue;
		if (smart_decode_scsi_page(buf, len, &h, NULL) == 0)
			count++;
	}
	if (!count)
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"the drive has no log page of health");
	ask_names(io, &h);
	smart_finish(&h);
	*ret = h;
	return 0;
}
