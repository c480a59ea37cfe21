/* smart_ata.c - SMART of ATA drives: attributes by libatasmart, device statistics by ourselves.
 *
 * libatasmart never touches a device here: the answers come through devio and are loaded as a blob,
 * so that a capture reads as the drive did. Its names and units are guesses by number: only values,
 * thresholds and raw bytes are taken, and what they mean is data/smart_table.h's.
 * A blob: tags of four letters, each with a length in network order: IDFY (IDENTIFY, 512), SMDT
 * (SMART data, 512), SMTH (thresholds, 512).
 * Sources: ACS-3 7.12 and 9.4 (device statistics: general 01h, temperature 05h, solid state 07h).
 */
#include "probes/smart.h"

#include <errno.h>
#include <math.h>
#include <stddef.h> /* atasmart.h takes it for granted */
#include <stdio.h>
#include <string.h>

#include <atasmart.h>

#include "data/smart_table.h"
#include "probes/ata.h"
#include "probes/devstr.h"

enum { BLOCK = 512, BLOB_MAX = 3 * (8 + BLOCK), LOG_STATISTICS = 0x04 };

/* Of a failed call: libatasmart leaves errno of either sign. */
static int sk_error(void)
{
	int e = errno;

	return e < 0 ? e : e > 0 ? -e : -EIO;
}

static size_t put(uint8_t *blob, size_t at, const char *tag, const uint8_t *block)
{
	static const uint8_t length[4] = { 0, 0, BLOCK >> 8, BLOCK & 0xff };

	memcpy(blob + at, tag, 4);
	memcpy(blob + at + 4, length, sizeof(length));
	memcpy(blob + at + 8, block, BLOCK);
	return at + 8 + BLOCK;
}

static void take_attribute(SkDisk *d, const SkSmartAttributeParsedData *a, void *userdata)
{
	struct smart_health *h = userdata;
	struct smart_attribute *t = &h->attribute[h->attribute_count];

	(void)d;
	if (h->attribute_count == SMART_ATTRIBUTES || a->id == 0)
		return;
	*t = (struct smart_attribute){ .id = a->id, .value = a->current_value,
		.worst = a->worst_value,
		.threshold = a->threshold_valid ? a->threshold : -1,
		.failing = a->prefailure && a->good_now_valid && !a->good_now };
	for (int i = 5; i >= 0; i--)
		t->raw = t->raw << 8 | a->raw[i];
	devstr_clean(t->name, sizeof(t->name), (const uint8_t *)a->name,
		a->name ? strlen(a->name) : 0);
	h->attribute_count++;
}

static bool sums_to_zero(const uint8_t *block)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum = (uint8_t)(sum + block[i]);
	return sum == 0;
}

int smart_decode_attributes(const uint8_t *identify, const uint8_t *data,
	const uint8_t *thresholds, struct smart_health *h, struct err *reterr)
{
	/* words 82 and 85, bit 0: SMART is there and on; libatasmart reads nothing without */
	static const uint8_t anybodys[BLOCK] = { [164] = 1, [170] = 1 };
	uint8_t blob[BLOB_MAX];
	struct smart_health found = *h;
	size_t len = put(blob, 0, "IDFY", identify ? identify : anybodys);
	SkDisk *d;
	int rc = 0;

	if (!sums_to_zero(data))
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"SMART READ DATA: the checksum is wrong; the data are not used");
	len = put(blob, len, "SMDT", data);
	if (thresholds && sums_to_zero(thresholds))
		len = put(blob, len, "SMTH", thresholds);
	else if (thresholds)
		smart_note(&found, "thresholds-checksum",
			"the checksum of the thresholds is wrong; they are not used");
	if (sk_disk_open(NULL, &d) < 0)
		return err_set(reterr, ERR_INTERNAL, sk_error(), "libatasmart: cannot be opened");
	found.attribute_count = 0;
	if (sk_disk_set_blob(d, blob, len) < 0 ||
		sk_disk_smart_parse_attributes(d, take_attribute, &found) < 0)
		rc = sk_error();
	sk_disk_free(d);
	if (rc < 0)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"SMART READ DATA: libatasmart cannot read it (%s)", strerror(-rc));
	found.kind = SMART_KIND_ATA;
	*h = found;
	return 0;
}

/* -- device statistics ------------------------------------------------------------------------- */

/* A statistic: flags in the highest byte (supported, valid), the value in the @bytes lowest. */
static bool statistic(const uint8_t *page, size_t offset, unsigned bytes, uint64_t *ret)
{
	uint64_t q = le64(page + offset);

	if ((q >> 56 & 0xc0) != 0xc0)
		return false;
	*ret = q & (bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1);
	return true;
}

int smart_decode_statistics(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr)
{
	static const char source[] = "device statistics (ATA log 04h)";
	uint64_t v;

	if (len < BLOCK)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"device statistics: %zu of 512 bytes; the answer is cut", len);
	switch (buf[2]) { /* the page's number is in its header */
	case 0x01:
		if (statistic(buf, 8, 4, &v))
			smart_set_count(&h->power_cycles, v);
		if (statistic(buf, 16, 4, &v))
			smart_set_count(&h->power_on_hours, v);
		if (statistic(buf, 24, 6, &v))
			smart_set_bytes(&h->host_writes, v, 512, "%s", source);
		if (statistic(buf, 40, 6, &v))
			smart_set_bytes(&h->host_reads, v, 512, "%s", source);
		return 0;
	case 0x05:
		if (statistic(buf, 8, 1, &v))
			smart_set_temperature(&h->temperature_c, (int8_t)v);
		return 0;
	case 0x07:
		if (statistic(buf, 8, 1, &v))
			smart_set_used(h, (double)v, source);
		return 0;
	default:
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"device statistics: page %02xh is not looked at", buf[2]);
	}
}

static void ask_statistics(struct devio *io, struct smart_health *h)
{
	static const uint8_t pages[] = { 0x01, 0x05, 0x07 };
	uint8_t buf[BLOCK];

	for (size_t i = 0; i < sizeof(pages); i++) {
		if (devio_ata_log(io, LOG_STATISTICS, pages[i], buf, NULL) < 0)
			return; /* a drive without the log has no other page of it either */
		if (buf[2] == pages[i])
			(void)smart_decode_statistics(buf, sizeof(buf), h, NULL); /* whole */
	}
}

/* -- the drive --------------------------------------------------------------------------------- */

/* IDENTIFY word 84 and 87 bit 5, where they are valid: general purpose logging. */
static bool has_logs(const uint8_t *identify)
{
	uint16_t supported = ata_word(identify, 84);

	return (supported & 0xc000) == 0x4000 && (supported & 0x20);
}

static int check_smart(const struct ata_identity *id, struct err *reterr)
{
	if (id->smart_supported == FACT_NO)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP, "the drive has no SMART");
	if (id->smart_enabled == FACT_NO)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"SMART is switched off in the drive; `smartctl -s on` turns it on");
	return 0;
}

static int ask_attributes(struct devio *io, const uint8_t *identify, struct smart_health *h,
	struct err *reterr)
{
	uint8_t data[BLOCK], thresholds[BLOCK];
	int rc = devio_ata_smart_data(io, data, reterr);
	bool has_thresholds;

	if (rc < 0)
		return rc;
	has_thresholds = devio_ata_smart_thresholds(io, thresholds, NULL) == 0;
	return smart_decode_attributes(identify, data, has_thresholds ? thresholds : NULL, h, reterr);
}

int smart_ask_ata(struct devio *io, struct smart_health *ret, struct err *reterr)
{
	uint8_t identify[ATA_IDENTIFY_BYTES];
	struct ata_identity id;
	struct smart_health h;
	bool failing;
	int rc = devio_ata_identify(io, identify, reterr);

	if (rc == 0)
		rc = ata_identify_decode(identify, sizeof(identify), &id, reterr);
	if (rc == 0)
		rc = check_smart(&id, reterr);
	if (rc < 0)
		return rc;
	smart_init(&h);
	if (has_logs(identify))
		ask_statistics(io, &h);
	rc = ask_attributes(io, identify, &h, reterr);
	if (rc < 0)
		return rc;
	if (!h.attribute_count && !h.host_writes.known && isnan(h.percent_used))
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"SMART READ DATA: no attribute in it; no valid SMART data");
	if (devio_ata_smart_status(io, &failing, NULL) == 0)
		h.passed = failing ? SMART_NO : SMART_YES;
	(void)snprintf(h.model, sizeof(h.model), "%s", id.model); /* fits */
	(void)snprintf(h.serial, sizeof(h.serial), "%s", id.serial); /* fits */
	rc = smart_table_apply(&h, id.model, id.sectors * id.logical_bytes, false, reterr);
	smart_finish(&h);
	if (rc == 0)
		*ret = h;
	return rc;
}
