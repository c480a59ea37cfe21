/* drive_ask.c - what the drive says of itself, merged into what the kernel says of it. */
#include "probes/drive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/smart.h"
#include "probes/ata.h"
#include "probes/controller.h"
#include "probes/devio.h"
#include "probes/drive_part.h"

static void set_text(struct json *o, const char *key, const char *text)
{
	if (text[0])
		(void)json_set_str(o, key, text); /* memory is checked once, at the end */
}

static void set_serial(struct json *o, const char *serial)
{
	const char *kernel = json_str(json_get(o, "serial"));

	if (!serial[0] || (kernel && strcmp(kernel, serial) == 0))
		return;
	(void)json_set_str(o, "serial_kernel", kernel);
	(void)json_set_str(o, "serial", serial);
}

/* sysfs knows it by the same words; what udev's links and twins are found by stays. */
static void set_wwn(struct json *o, const char *wwn)
{
	if (json_is_null(json_get(o, "wwn")))
		set_text(o, "wwn", wwn);
}

static void set_known(struct json *o, const char *key, uint64_t v)
{
	if (v && json_is_null(json_get(o, key)))
		(void)json_set_u64(o, key, v);
}

/* -- ATA, SCSI -------------------------------------------------------------------------------- */

static void merge_ata(struct json *o, const struct ata_identity *id)
{
	struct json *link = json_new_object();
	char wwn[24];

	set_text(o, "model", id->model);
	set_serial(o, id->serial);
	set_text(o, "firmware", id->firmware);
	if (id->has_wwn) {
		(void)snprintf(wwn, sizeof(wwn), "naa.%016llx", (unsigned long long)id->wwn);
		set_wwn(o, wwn);
	}
	if (id->sectors && id->logical_bytes)
		set_known(o, "capacity_bytes", id->sectors * id->logical_bytes);
	if (id->sector_sizes_stated) {
		set_known(o, "logical_block_bytes", id->logical_bytes);
		set_known(o, "physical_block_bytes", id->physical_bytes);
	}
	if (id->rotational != FACT_UNKNOWN)
		drive_set_reported(json_get_mut(o, "rotational"), id->rotational, id->rpm,
			"ATA word 217");
	if (!ata_link_text(id->link_gen) && !ata_link_text(id->link_max_gen)) {
		json_free(link);
		return;
	}
	(void)json_set_str(link, "speed", ata_link_text(id->link_gen));
	(void)json_set_str(link, "max_speed", ata_link_text(id->link_max_gen));
	(void)json_set_null(link, "width");
	(void)json_set_null(link, "max_width");
	(void)json_set(o, "link", link);
}

/* Word 217 first: a bridge that makes up a VPD page passes IDENTIFY through as it is. */
static bool ask_ata(struct devio *io, struct json *o)
{
	uint8_t buf[ATA_IDENTIFY_BYTES];
	struct ata_identity id;

	if (devio_ata_identify(io, buf, NULL) < 0 ||
		ata_identify_decode(buf, sizeof(buf), &id, NULL) < 0)
		return false;
	merge_ata(o, &id);
	return true;
}

static void ask_vpd(struct devio *io, struct json *o, bool ata)
{
	uint8_t page[512];
	char serial[SCSI_SERIAL_MAX];
	struct scsi_rotation rotation;
	struct scsi_id id;
	size_t len;

	if (!ata && devio_vpd(io, 0x80, page, 252, &len, NULL) == 0 &&
		scsi_serial_decode(page, len, serial, NULL) == 0)
		set_serial(o, serial);
	if (devio_vpd(io, 0x83, page, sizeof(page), &len, NULL) == 0 &&
		scsi_id_decode(page, len, &id, NULL) == 0 && id.kind != SCSI_ID_NONE)
		set_wwn(o, id.text);
	if (json_is_null(json_path(o, "rotational.reported")) &&
		devio_vpd(io, 0xb1, page, 64, &len, NULL) == 0 &&
		scsi_rotation_decode(page, len, &rotation, NULL) == 0 &&
		rotation.rotational != FACT_UNKNOWN)
		drive_set_reported(json_get_mut(o, "rotational"), rotation.rotational,
			rotation.rpm, "VPD page B1h");
}

/* Whether ATA commands are fit for it: libata's and SAS adaptors' translation says "ATA", USB
 * bridges say anything; a capture may hold IDENTIFY data alone. Virtual disks are never asked. */
static bool may_speak_ata(const struct json *o, bool inquired, const struct scsi_inquiry *q)
{
	const char *transport = json_str(json_get(o, "transport"));

	if (controller_is_raid(o))
		return false;
	return !inquired || strcmp(q->vendor, "ATA") == 0 ||
		(transport && strcmp(transport, "usb") == 0);
}

static void ask_scsi(struct devio *io, struct json *o)
{
	struct scsi_inquiry q;
	bool inquired = devio_inquiry(io, &q, NULL) == 0;
	bool ata = may_speak_ata(o, inquired, &q) && ask_ata(io, o);

	if (inquired) {
		set_text(o, "vendor", q.vendor);
		if (!ata) {
			set_text(o, "model", q.product);
			set_text(o, "firmware", q.revision);
		}
	}
	ask_vpd(io, o, ata);
}

/* -- NVMe ------------------------------------------------------------------------------------- */

static void set_hex(struct json *o, const char *key, bool has, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char text[40];

	for (size_t i = 0; i < len; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * len] = '\0';
	(void)json_set_str(o, key, has ? text : NULL);
}

static void merge_namespace(struct json *o, struct json *nvme, const struct nvm_ns *ns)
{
	struct json *formats = json_new_array();
	char wwn[40];

	set_hex(nvme, "nguid", ns->has_nguid, ns->nguid, sizeof(ns->nguid));
	set_hex(nvme, "eui64", ns->has_eui64, ns->eui64, sizeof(ns->eui64));
	(void)json_set_bool(nvme, "shared", ns->shared);
	(void)json_set_u64(nvme, "format_in_use", ns->format_in_use);
	for (size_t i = 0; i < ns->format_count; i++) {
		struct json *f = json_new_object();

		if (ns->format[i].data_bytes)
			(void)json_set_u64(f, "data_bytes", ns->format[i].data_bytes);
		else
			(void)json_set_null(f, "data_bytes");
		(void)json_set_u64(f, "metadata_bytes", ns->format[i].metadata_bytes);
		(void)json_set_u64(f, "performance", ns->format[i].performance);
		(void)json_append(formats, f);
	}
	(void)json_set(nvme, "formats", formats);
	set_wwn(o, nvm_ns_wwn(wwn, sizeof(wwn), ns));
	set_known(o, "capacity_bytes", ns->size_bytes);
}

/* Bits of the SMART log that say what the drive no longer does; read now, not remembered. */
static void ask_warnings(struct devio *io, struct json *nvme, uint8_t *buf)
{
	struct json *words;
	uint8_t bits;

	if (devio_nvme_log(io, 0x02, buf, 512, NULL) < 0 ||
		nvm_critical_decode(buf, 512, &bits, NULL) < 0) {
		(void)json_set_null(nvme, "critical_warnings");
		return;
	}
	words = json_new_array();
	for (unsigned bit = 0; bit < 8; bit++)
		if ((bits >> bit & 1) && smart_critical_text(bit))
			(void)json_append(words, json_new_str(smart_critical_text(bit)));
	(void)json_set(nvme, "critical_warnings", words);
}

static int ask_nvme(struct devio *io, struct json *o, struct err *reterr)
{
	uint8_t *buf = malloc(NVM_IDENTIFY_BYTES);
	struct json *nvme = json_new_object();
	struct nvm_ctrl c;
	struct nvm_ns ns;

	if (!buf || !nvme) {
		free(buf);
		json_free(nvme);
		return err_nomem(reterr);
	}
	if (devio_nvme_identify(io, DEVIO_CNS_CONTROLLER, buf, NULL) == 0 &&
		nvm_ctrl_decode(buf, NVM_IDENTIFY_BYTES, &c, NULL) == 0) {
		set_text(o, "model", c.model);
		set_serial(o, c.serial);
		set_text(o, "firmware", c.firmware);
		(void)json_set_bool(nvme, "vwc", c.vwc);
		(void)json_set_bool(nvme, "multi_port", c.multi_port);
		(void)json_set_bool(nvme, "multi_controller", c.multi_controller);
		(void)json_set_bool(nvme, "reservations", c.reservations);
		(void)json_set_u64(nvme, "namespaces", c.namespaces);
		(void)json_set_str(nvme, "subsystem", c.subsystem[0] ? c.subsystem : NULL);
	}
	if (devio_nvme_identify(io, DEVIO_CNS_NAMESPACE, buf, NULL) == 0 &&
		nvm_ns_decode(buf, NVM_IDENTIFY_BYTES, &ns, NULL) == 0)
		merge_namespace(o, nvme, &ns);
	ask_warnings(io, nvme, buf);
	free(buf);
	return json_set(o, "nvme", nvme) < 0 ? err_nomem(reterr) : 0;
}

/* -- all of it -------------------------------------------------------------------------------- */

int drive_ask(const struct sysroot *root, const char *disk, struct devio *io,
	struct json *identity, struct err *reterr)
{
	int r = 0;

	if (io->ops->nvme_admin)
		r = ask_nvme(io, identity, reterr);
	else if (io->ops->scsi)
		ask_scsi(io, identity);
	if (r == 0)
		r = drive_set_write_cache(root, disk, io, identity, reterr);
	if (r < 0)
		return r;
	drive_judge_rotation(identity);
	return json_set_null(identity, "not_asked") < 0 ? err_nomem(reterr) : 0;
}
