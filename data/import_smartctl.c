/* import_smartctl.c - `smartctl --json` of SATA, SAS and NVMe drives. */
#include "data/import_health.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 1, EXIT_OPEN = 2 };

static bool recognises(const struct json *doc)
{
	return json_type(json_get(doc, "smartctl")) == JSON_OBJECT;
}

/* -- who it is --------------------------------------------------------------------------------- */

/* Blank names are none. */
static const char *name_at(const struct json *doc, const char *dotted)
{
	const char *s = json_str(json_path(doc, dotted));

	return s && s[strspn(s, " \t")] ? s : NULL;
}

static const char *model_of(const struct json *doc, char *buf, size_t size)
{
	const char *model = name_at(doc, "model_name");
	const char *vendor = name_at(doc, "scsi_vendor"), *product = name_at(doc, "scsi_product");

	if (model || (model = name_at(doc, "scsi_model_name")))
		return model;
	if (!product)
		return NULL;
	(void)snprintf(buf, size, "%s%s%s", vendor ? vendor : "", vendor ? " " : "", product);
	return buf; /* may be cut */
}

/* The access path in few letters: "sdb", "megaraid,0" for a drive behind a controller. */
static int add_alias(const struct json *doc, struct json *target)
{
	const char *name = name_at(doc, "device.name"), *type = name_at(doc, "device.type");
	struct json *list = json_new_array();
	const char *comma = type ? strchr(type, ',') : NULL, *slash;
	int bad = 0;

	if (comma) {
		const char *word = comma;

		while (word > type && word[-1] != '+')
			word--;
		bad |= json_append(list, json_new_str(word));
	} else if (name) {
		slash = strrchr(name, '/');
		bad |= json_append(list, json_new_str(slash ? slash + 1 : name));
	}
	return bad | json_set(target, "aliases", list);
}

static int add_wwn(const struct json *doc, struct json *target)
{
	uint64_t naa, oui, id;
	char text[32];

	if (!json_u64(json_path(doc, "wwn.naa"), &naa) || naa > 15 ||
		!json_u64(json_path(doc, "wwn.oui"), &oui) || oui > 0xffffff ||
		!json_u64(json_path(doc, "wwn.id"), &id) || id > UINT64_C(0xfffffffff))
		return json_set_null(target, "wwn");
	(void)snprintf(text, sizeof(text), "naa.%llx%06llx%09llx", (unsigned long long)naa,
		(unsigned long long)oui, (unsigned long long)id); /* fits */
	return json_set_str(target, "wwn", text);
}

static int add_rotation(const struct json *doc, struct json *target)
{
	struct json *o = json_new_object();
	uint64_t rpm;
	bool known = json_u64(json_get(doc, "rotation_rate"), &rpm);
	int bad = 0;

	bad |= json_set_null(o, "claimed");
	bad |= json_set(o, "reported", known ? json_new_bool(rpm > 0) : json_new_null());
	bad |= json_set(o, "rpm", known && rpm ? json_new_u64(rpm) : json_new_null());
	bad |= json_set_str(o, "reported_by", known ? "smartctl" : NULL);
	return bad | json_set(target, "rotational", o);
}

static const char *transport_of(const struct json *doc)
{
	const char *protocol = name_at(doc, "device.protocol");
	const char *scsi = name_at(doc, "scsi_transport_protocol.name");

	if (protocol && strcmp(protocol, "NVMe") == 0)
		return "nvme";
	if (protocol && strcmp(protocol, "ATA") == 0)
		return "sata";
	return scsi && strncmp(scsi, "SAS", 3) == 0 ? "sas" : NULL;
}

static int add_size(const struct json *doc, struct json *target, const char *key,
	const char *dotted)
{
	uint64_t v;

	if (!json_u64(json_path(doc, dotted), &v) || v == 0)
		return json_is_null(json_get(target, key)) ? json_set_null(target, key) : 0;
	return json_set_u64(target, key, v);
}

static struct json *target_of(const struct json *doc, const char *model)
{
	struct json *t = json_new_object();
	const char *firmware = name_at(doc, "firmware_version");
	int bad = 0;

	bad |= json_set_str(t, "kind", "block");
	bad |= json_set_str(t, "path", name_at(doc, "device.name"));
	bad |= json_set_str(t, "model", model);
	bad |= json_set_str(t, "serial", name_at(doc, "serial_number"));
	bad |= json_set_str(t, "firmware", firmware ? firmware : name_at(doc, "scsi_revision"));
	bad |= json_set_str(t, "transport", transport_of(doc));
	bad |= add_wwn(doc, t);
	bad |= add_size(doc, t, "capacity_bytes", "nvme_total_capacity");
	bad |= add_size(doc, t, "capacity_bytes", "user_capacity.bytes");
	bad |= add_size(doc, t, "logical_block_bytes", "logical_block_size");
	bad |= add_size(doc, t, "physical_block_bytes", "physical_block_size");
	bad |= add_rotation(doc, t);
	bad |= add_alias(doc, t);
	if (bad) {
		json_free(t);
		return NULL;
	}
	return t;
}

/* -- how smartctl ended ------------------------------------------------------------------------ */

/* smartctl(8), EXIT STATUS: a command line or an open that failed leaves nothing to import; the
 * rest is told beside data that are good. */
static int note_exit(struct result *r, uint64_t status)
{
	static const struct {
		unsigned bit;
		const char *code, *text;
	} rows[] = {
		{ 2, "exit-4", "a command failed, or a checksum of the drive's data is wrong" },
		{ 3, "exit-8", "the drive itself says that it is failing" },
		{ 4, "exit-16", "a pre-failure attribute is at or below its threshold" },
		{ 5, "exit-32", "an attribute was at or below its threshold in the past" },
		{ 6, "exit-64", "the error log has entries" },
		{ 7, "exit-128", "the self-test log has errors" },
	};
	int bad = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (status >> rows[i].bit & 1)
			bad |= import_note(r, rows[i].code, "smartctl ended with %llu: %s",
				(unsigned long long)status, rows[i].text);
	return bad;
}

static int note_messages(struct result *r, const struct json *doc)
{
	const struct json *m = json_first(json_path(doc, "smartctl.messages"));
	int bad = 0;

	for (; m; m = json_next(m))
		if (json_str(json_get(m, "string")))
			bad |= import_note(r, "message", "%s", json_str(json_get(m, "string")));
	return bad;
}

static bool has_data(const struct json *doc)
{
	static const char *const keys[] = { "ata_smart_attributes", "ata_device_statistics",
		"nvme_smart_health_information_log", "smart_status", "model_name",
		"scsi_model_name", "scsi_product", "serial_number" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!json_is_null(json_get(doc, keys[i])))
			return true;
	return false;
}

static int refuse_failed(const struct json *doc, const struct import_source *src, uint64_t status,
	struct err *reterr)
{
	const char *why = json_str(json_path(json_first(json_path(doc, "smartctl.messages")),
		"string"));

	if (has_data(doc))
		return 0;
	return err_set(reterr, ERR_INPUT, -ENODATA, "%s: smartctl: %s (exit status %llu)%s%s; run it "
		"as root on the right device", src->name,
		status & EXIT_OPEN ? "open failed" : status & EXIT_USAGE ?
		"its command line was wrong" : "it read nothing",
		(unsigned long long)status, why ? ": " : "", why ? why : "");
}

/* -- findings ---------------------------------------------------------------------------------- */

/* The kernel takes blocks of 512 B to its page size, in powers of two. */
static int find_block_size(struct result *r)
{
	uint64_t lb;
	char text[160];

	if (!json_u64(json_path(r->doc, "target.logical_block_bytes"), &lb) ||
		(lb >= 512 && (lb & (lb - 1)) == 0))
		return 0;
	(void)snprintf(text, sizeof(text), "its logical block has %llu B: not usable by the kernel "
		"as is; sg_format --format --size=512 makes it so and erases it",
		(unsigned long long)lb); /* fits */
	return result_add_finding(r, "block-size-unusable", text,
		"Linux sd driver: sector sizes that it takes");
}

static const char *version_of(const struct json *doc, char *buf, size_t size)
{
	uint64_t major, minor;

	if (!json_u64(json_at(json_path(doc, "smartctl.version"), 0), &major) ||
		!json_u64(json_at(json_path(doc, "smartctl.version"), 1), &minor))
		return NULL;
	(void)snprintf(buf, size, "smartctl-%llu.%llu", (unsigned long long)major,
		(unsigned long long)minor); /* fits */
	return buf;
}

extern const struct importer import_smartctl;

static int convert(const struct json *doc, const struct import_source *src, struct result **ret,
	struct err *reterr)
{
	char buf[128], version[64];
	const char *model = model_of(doc, buf, sizeof(buf));
	struct smart_health h;
	struct result *r;
	uint64_t status = 0, capacity = 0;
	int rc;

	(void)json_u64(json_path(doc, "smartctl.exit_status"), &status); /* absent: 0 */
	rc = refuse_failed(doc, src, status, reterr);
	if (rc < 0)
		return rc;
	if (!json_u64(json_path(doc, "user_capacity.bytes"), &capacity))
		(void)json_u64(json_get(doc, "nvme_total_capacity"), &capacity);
	rc = smartctl_health(doc, model, capacity, &h, reterr);
	if (rc < 0)
		return rc;
	r = import_result_new(&import_smartctl, src, version_of(doc, version, sizeof(version)));
	if (!r)
		return err_nomem(reterr);
	(void)snprintf(h.model, sizeof(h.model), "%.63s", model ? model : "");
	if (name_at(doc, "serial_number"))
		(void)snprintf(h.serial, sizeof(h.serial), "%.63s", name_at(doc, "serial_number"));
	rc = import_attach(r, target_of(doc, model), &h, reterr);
	if (rc == 0 && (note_exit(r, status) | note_messages(r, doc) | find_block_size(r)))
		rc = err_nomem(reterr);
	if (rc == 0 && !name_at(doc, "serial_number"))
		rc = import_note(r, "no-serial", "the file has no serial number: another reading of "
			"this drive cannot be told from one of another drive") < 0 ?
			err_nomem(reterr) : 0;
	if (rc < 0)
		result_free(r);
	else
		*ret = r;
	return rc;
}

const struct importer import_smartctl = {
	.name = "smartctl",
	.summary = "health and identity as smartctl --json prints them",
	.recognises = recognises,
	.convert = convert,
};
