/* smart_nvme.c - SMART / Health log 02h and OCP's extended log C0h, decoded.
 *
 * Sources: NVM Express Base 2.0c, figure 207; OCP Datacenter NVMe SSD Specification 2.0, 4.8.6.
 */
#include "probes/smart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 512, LOG_HEALTH = 0x02, LOG_OCP = 0xc0, UNIT_BYTES = 512000 };

static bool all_bytes(const uint8_t *buf, size_t len, uint8_t value)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != value)
			return false;
	return true;
}

static int check_length(const char *what, size_t len, struct err *reterr)
{
	if (len >= LOG_BYTES)
		return 0;
	return err_set(reterr, ERR_DEVICE, -EBADMSG, "%s: %zu of %u bytes; the answer is cut", what,
		len, LOG_BYTES);
}

/* Kelvin; 0: not reported. Below 273 is cold, not an error. */
static void take_kelvin(double *where, uint16_t kelvin)
{
	if (kelvin)
		smart_set_temperature(where, (double)kelvin - 273);
}

/* A controller that is gone answers with one value; one with a fault in its firmware with a log
 * that was never filled. */
static bool is_empty(const uint8_t *buf)
{
	return all_bytes(buf, LOG_BYTES, 0x00) || all_bytes(buf, LOG_BYTES, 0xff) ||
		(le16(buf + 1) == 0 && buf[3] == 0 && u128_le(buf + 128) == 0 &&
			u128_le(buf + 112) == 0) ||
		(le16(buf + 1) == 0xffff && buf[5] == 0xff);
}

int smart_decode_log_02(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr)
{
	static const char source[] = "NVMe SMART / Health log 02h";
	int rc = check_length(source, len, reterr);

	if (rc < 0)
		return rc;
	if (is_empty(buf))
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"%s: no valid SMART data: %s; has the drive fallen off the bus?", source,
			all_bytes(buf, LOG_BYTES, buf[0]) ? buf[0] ? "all ones" : "all zeros" :
			"no spare, no temperature and no hours");
	h->kind = SMART_KIND_NVME;
	h->critical_warning = buf[0];
	take_kelvin(&h->temperature_c, le16(buf + 1));
	h->spare_percent = buf[3];
	h->spare_threshold_percent = buf[4];
	smart_set_used(h, buf[5], source);
	smart_set_bytes(&h->host_reads, u128_le(buf + 32), UNIT_BYTES, "%s, units of 512,000 B",
		source);
	smart_set_bytes(&h->host_writes, u128_le(buf + 48), UNIT_BYTES, "%s, units of 512,000 B",
		source);
	smart_set_count(&h->power_cycles, u128_le(buf + 112));
	smart_set_count(&h->power_on_hours, u128_le(buf + 128));
	smart_set_count(&h->unsafe_shutdowns, u128_le(buf + 144));
	smart_set_count(&h->media_errors, u128_le(buf + 160));
	smart_set_count(&h->error_log_entries, u128_le(buf + 176));
	for (size_t i = 0; i < SMART_SENSORS; i++)
		take_kelvin(&h->sensor_c[i], le16(buf + 200 + 2 * i));
	return 0;
}

int smart_decode_log_c0(const uint8_t *buf, size_t len, struct smart_health *h,
	struct err *reterr)
{
	static const char source[] = "OCP SMART / Health extended log C0h";
	/* AFD514C97C6F4F9CA4F2BFEA2810AFC5h, lowest byte first */
	static const uint8_t guid[16] = { 0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c,
		0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf };
	uint16_t capacitor;
	int rc = check_length(source, len, reterr);

	if (rc < 0)
		return rc;
	if (memcmp(buf + 496, guid, sizeof(guid)) != 0)
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"%s: not supported (GUID mismatch): the page is another vendor's or empty",
			source);
	smart_set_bytes(&h->nand_writes, u128_le(buf), 1, "%s, physical media units written",
		source);
	/* FFFFh: it has no capacitor. 0 is a failure, or what drives that do not measure leave there;
	 * a failed backup is told by critical warning bit 4 as well. */
	capacitor = le16(buf + 128);
	if (!capacitor) {
		smart_note(h, "capacitor-zero", "OCP capacitor health reads 0: no energy is left, or "
			"it is not measured; critical warning bit 4 would tell a failure");
	} else {
		h->capacitor = capacitor == 0xffff ? SMART_CAPACITOR_NONE : SMART_CAPACITOR_OK;
		(void)snprintf(h->capacitor_source, sizeof(h->capacitor_source),
			"%s, capacitor health", source); /* fits */
	}
	return 0;
}

/* Its absence is no fault, and another vendor's page is worth a note. */
static void ask_ocp(struct devio *io, uint8_t *buf, struct smart_health *h)
{
	struct err e = ERR_INIT;

	if (devio_nvme_log(io, LOG_OCP, buf, LOG_BYTES, NULL) < 0)
		return;
	if (smart_decode_log_c0(buf, LOG_BYTES, h, &e) < 0)
		smart_note(h, "ocp-log", "%.190s", e.msg);
}

static void ask_names(struct devio *io, uint8_t *buf, struct smart_health *h)
{
	struct nvm_ctrl c;

	if (devio_nvme_identify(io, DEVIO_CNS_CONTROLLER, buf, NULL) < 0 ||
		nvm_ctrl_decode(buf, NVM_IDENTIFY_BYTES, &c, NULL) < 0)
		return;
	(void)snprintf(h->model, sizeof(h->model), "%s", c.model); /* fits */
	(void)snprintf(h->serial, sizeof(h->serial), "%s", c.serial); /* fits */
}

int smart_ask_nvme(struct devio *io, struct smart_health *ret, struct err *reterr)
{
	uint8_t *buf = malloc(NVM_IDENTIFY_BYTES);
	struct smart_health h;
	int rc;

	if (!buf)
		return err_nomem(reterr);
	smart_init(&h);
	rc = devio_nvme_log(io, LOG_HEALTH, buf, LOG_BYTES, reterr);
	if (rc == 0)
		rc = smart_decode_log_02(buf, LOG_BYTES, &h, reterr);
	if (rc == 0) {
		ask_ocp(io, buf, &h);
		ask_names(io, buf, &h);
		smart_finish(&h);
		*ret = h;
	}
	free(buf);
	return rc;
}
