/* cmd_decode.c - ssdqual decode KIND FILE: the fields of one raw device answer (a hidden command).
 *
 * For bug reports and field cases: what would the program make of these bytes? Reads hex text
 * (data/hextext.h) and nothing else. Unknown fields are null. Malformed bytes are exit status 6.
 */
#include "cli/decode.h"

#include "data/hextext.h"
#include "probes/ata.h"
#include "probes/nvme.h"
#include "probes/scsi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_fact(struct json *o, const char *key, enum fact f)
{
	if (f == FACT_UNKNOWN)
		(void)json_set_null(o, key); /* memory is checked by cli_emit_json()'s caller */
	else
		(void)json_set_bool(o, key, f == FACT_YES);
}

/* Device fields in which 0 or "" says "not given". */
static void set_known(struct json *o, const char *key, uint64_t v)
{
	if (v)
		(void)json_set_u64(o, key, v);
	else
		(void)json_set_null(o, key);
}

static void set_text(struct json *o, const char *key, const char *text)
{
	(void)json_set_str(o, key, text && text[0] ? text : NULL);
}

static void set_hex(struct json *o, const char *key, const char *prefix, const uint8_t *bytes,
	size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char text[80];
	size_t used = strlen(prefix), i;

	memcpy(text, prefix, used);
	for (i = 0; i < len && used + 3 <= sizeof(text); i++) {
		text[used++] = digits[bytes[i] >> 4];
		text[used++] = digits[bytes[i] & 15];
	}
	text[used] = '\0';
	(void)json_set_str(o, key, text);
}

static void set_hex64(struct json *o, const char *key, const char *prefix, uint64_t v)
{
	uint8_t bytes[8];

	for (int i = 7; i >= 0; i--, v >>= 8)
		bytes[i] = (uint8_t)v;
	set_hex(o, key, prefix, bytes, sizeof(bytes));
}

static int decode_nvme_ctrl(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct nvm_ctrl c;
	int rc = nvm_ctrl_decode(in->buf, in->len, &c, reterr);

	if (rc < 0)
		return rc;
	set_text(o, "model", c.model);
	set_text(o, "serial", c.serial);
	set_text(o, "firmware", c.firmware);
	set_text(o, "subsystem", c.subsystem);
	(void)json_set_bool(o, "vwc_present", c.vwc);
	(void)json_set_bool(o, "multi_port", c.multi_port);
	(void)json_set_bool(o, "multi_controller", c.multi_controller);
	(void)json_set_bool(o, "reservations", c.reservations);
	(void)json_set_bool(o, "saves_features", c.saves_features);
	set_known(o, "namespaces", c.namespaces);
	set_known(o, "capacity_bytes", c.capacity_bytes);
	return 0;
}

static int decode_nvme_ns(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct nvm_ns ns;
	struct json *formats = json_new_array();
	char wwn[40];
	int rc = nvm_ns_decode(in->buf, in->len, &ns, reterr);

	if (rc < 0) {
		json_free(formats);
		return rc;
	}
	(void)json_set_u64(o, "capacity_bytes", ns.size_bytes);
	(void)json_set_u64(o, "logical_block_bytes", ns.format[ns.format_in_use].data_bytes);
	(void)json_set_u64(o, "format_in_use", ns.format_in_use);
	(void)json_set_bool(o, "shared", ns.shared);
	set_text(o, "wwn", nvm_ns_wwn(wwn, sizeof(wwn), &ns));
	for (size_t i = 0; i < ns.format_count; i++) {
		struct json *f = json_new_object();

		set_known(f, "data_bytes", ns.format[i].data_bytes);
		(void)json_set_u64(f, "metadata_bytes", ns.format[i].metadata_bytes);
		(void)json_set_u64(f, "performance", ns.format[i].performance);
		(void)json_append(formats, f);
	}
	return json_set(o, "formats", formats);
}

static int decode_identify(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct ata_identity id;
	int rc;

	/* NVMe controllers answer "identify", too, with 4096 bytes. */
	if (in->len == NVM_IDENTIFY_BYTES)
		return decode_nvme_ctrl(in, o, reterr);
	rc = ata_identify_decode(in->buf, in->len, &id, reterr);
	if (rc < 0)
		return rc;
	set_text(o, "model", id.model);
	set_text(o, "serial", id.serial);
	set_text(o, "firmware", id.firmware);
	if (id.has_wwn)
		set_hex64(o, "wwn", "naa.", id.wwn);
	else
		(void)json_set_null(o, "wwn");
	(void)json_set_str(o, "checksum",
		id.checksum == ATA_CHECKSUM_GOOD ? "good" : "not provided");
	set_known(o, "sectors", id.sectors);
	set_known(o, "capacity_bytes", id.sectors * id.logical_bytes);
	(void)json_set_u64(o, "logical_block_bytes", id.logical_bytes);
	(void)json_set_u64(o, "physical_block_bytes", id.physical_bytes);
	(void)json_set_bool(o, "block_sizes_stated", id.sector_sizes_stated);
	set_fact(o, "rotational", id.rotational);
	set_known(o, "rpm", id.rpm);
	(void)json_set_u64(o, "word217", id.rotation_raw);
	set_fact(o, "write_cache_supported", id.wc_supported);
	set_fact(o, "write_cache_enabled", id.wc_enabled);
	(void)json_set_str(o, "write_cache", id.wc_supported == FACT_NO ? "unsupported" :
		id.wc_enabled == FACT_YES ? "on" : id.wc_enabled == FACT_NO ? "off" : NULL);
	set_fact(o, "fua", id.fua);
	set_fact(o, "flush_cache_ext", id.flush_ext);
	set_fact(o, "smart_supported", id.smart_supported);
	set_fact(o, "smart_enabled", id.smart_enabled);
	set_fact(o, "trim", id.trim);
	set_text(o, "link", ata_link_text(id.link_gen));
	set_text(o, "link_max", ata_link_text(id.link_max_gen));
	return 0;
}

static int decode_inquiry(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_inquiry q;
	int rc = scsi_inquiry_decode(in->buf, in->len, &q, reterr);

	if (rc < 0)
		return rc;
	set_text(o, "vendor", q.vendor);
	set_text(o, "model", q.product);
	set_text(o, "firmware", q.revision);
	(void)json_set_u64(o, "device_type", q.device_type);
	(void)json_set_bool(o, "removable", q.removable);
	return 0;
}

static int decode_vpd_00(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_vpd_pages pages;
	struct json *list = json_new_array();
	int rc = scsi_vpd_pages_decode(in->buf, in->len, &pages, reterr);

	if (rc < 0) {
		json_free(list);
		return rc;
	}
	for (unsigned i = 0; i < 256; i++) {
		char page[4];

		(void)snprintf(page, sizeof(page), "%02x", i); /* fits */
		if (pages.has[i])
			(void)json_append(list, json_new_str(page));
	}
	return json_set(o, "pages", list);
}

static int decode_vpd_80(const struct decode_input *in, struct json *o, struct err *reterr)
{
	char serial[SCSI_SERIAL_MAX];
	int rc = scsi_serial_decode(in->buf, in->len, serial, reterr);

	if (rc == 0)
		set_text(o, "serial", serial);
	return rc;
}

static int decode_vpd_83(const struct decode_input *in, struct json *o, struct err *reterr)
{
	static const char *const kinds[] = { NULL, "naa", "eui64", "name", "t10" };
	struct scsi_id id;
	int rc = scsi_id_decode(in->buf, in->len, &id, reterr);

	if (rc < 0)
		return rc;
	set_text(o, "wwn", id.text);
	(void)json_set_str(o, "designator", kinds[id.kind]);
	return 0;
}

static int decode_vpd_b1(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_rotation r;
	int rc = scsi_rotation_decode(in->buf, in->len, &r, reterr);

	if (rc < 0)
		return rc;
	set_fact(o, "rotational", r.rotational);
	set_known(o, "rpm", r.rpm);
	(void)json_set_u64(o, "medium_rotation_rate", r.raw);
	set_known(o, "form_factor", r.form_factor);
	return 0;
}

static int decode_mode_08(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_caching p;
	int rc = scsi_caching_decode(in->buf, in->len, !in->cfg->six, &p, reterr);

	if (rc < 0)
		return rc;
	(void)json_set_bool(o, "wce", p.wce);
	(void)json_set_bool(o, "rcd", p.rcd);
	(void)json_set_bool(o, "saveable", p.saveable);
	(void)json_set_bool(o, "dpofua", p.dpofua);
	(void)json_set_bool(o, "write_protected", p.protected);
	(void)json_set_u64(o, "page_offset", p.offset);
	return 0;
}

static int decode_sense(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_sense s;
	struct ata_registers r;
	char text[160];
	int rc = scsi_sense_decode(in->buf, in->len, &s, reterr);

	(void)json_set_bool(o, "present", rc != -ENODATA);
	if (rc == -ENODATA)
		return 0; /* bridges send none; that is an answer, too */
	if (rc < 0)
		return rc;
	(void)json_set_str(o, "format", s.descriptor ? "descriptor" : "fixed");
	(void)json_set_u64(o, "key", s.key);
	(void)json_set_u64(o, "asc", s.asc);
	(void)json_set_u64(o, "ascq", s.ascq);
	(void)json_set_bool(o, "deferred", s.deferred);
	(void)json_set_str(o, "text", scsi_sense_text(text, sizeof(text), &s));
	(void)json_set_bool(o, "unsupported", scsi_sense_is_unsupported(&s));
	if (ata_sense_decode(in->buf, in->len, &r, NULL) == 0) {
		(void)json_set_u64(o, "ata_status", r.status);
		(void)json_set_u64(o, "ata_error", r.error);
		(void)json_set_u64(o, "ata_device", r.device);
		(void)json_set_u64(o, "ata_count", r.count);
		(void)json_set_str(o, "result", ata_registers_ok(&r) ? "success" : "failed");
	} else {
		if (s.has_info)
			(void)json_set_u64(o, "information", s.info);
		(void)json_set_str(o, "result", s.key <= 1 ? "success" : "failed");
	}
	return 0;
}

static int decode_reserve_keys(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_keys k;
	int rc = scsi_keys_decode(in->buf, in->len, &k, reterr);

	if (rc < 0)
		return rc;
	(void)json_set_u64(o, "generation", k.generation);
	return json_set_u64(o, "registered", k.total);
}

static int decode_reserve(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct scsi_reservation r;
	int rc = scsi_reservation_decode(in->buf, in->len, &r, reterr);

	if (rc < 0)
		return rc;
	(void)json_set_bool(o, "held", r.held);
	if (r.held)
		set_hex64(o, "key", "0x", r.key);
	return json_set_str(o, "type", r.held ? scsi_reservation_text(r.type) : NULL);
}

static int decode_nvme_reserve(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct nvm_reservations r;
	int rc = nvm_reservations_decode(in->buf, in->len, true, &r, reterr);

	if (rc < 0)
		return rc;
	(void)json_set_u64(o, "registered", r.total);
	return json_set_str(o, "type", r.type ? nvm_reservation_text(r.type) : NULL);
}

static const struct {
	const char *kind;
	int (*decode)(const struct decode_input *in, struct json *o, struct err *reterr);
} kinds[] = {
	{ "identify", decode_identify },
	{ "identify-ns", decode_nvme_ns },
	{ "inquiry", decode_inquiry },
	{ "vpd-00", decode_vpd_00 },
	{ "vpd-80", decode_vpd_80 },
	{ "vpd-83", decode_vpd_83 },
	{ "vpd-b1", decode_vpd_b1 },
	{ "mode-08", decode_mode_08 },
	{ "sense", decode_sense },
	{ "smart", decode_smart },
	{ "devstat", decode_devstat },
	{ "log-02", decode_log_02 },
	{ "log-c0", decode_log_c0 },
	{ "log-page", decode_log_page },
	{ "reserve-keys", decode_reserve_keys },
	{ "reserve", decode_reserve },
	{ "nvme-reserve", decode_nvme_reserve },
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static int unknown_kind(const char *kind, struct err *reterr)
{
	char known[320] = "";
	size_t used = 0;

	for (size_t i = 0; i < KIND_COUNT && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, " %s", kinds[i].kind);
	return err_set(reterr, ERR_USAGE, -EINVAL, "unknown kind '%s'; known:%s", kind, known);
}

/* "key: value" lines, for people; values as JSON has them. */
static int print_text(FILE *out, const struct json *o, struct err *reterr)
{
	const struct json *m;

	for (m = json_first(o); m; m = json_next(m)) {
		char *value = json_str(m) ? NULL : json_print(m, false);

		if (!value && !json_str(m))
			return err_nomem(reterr);
		fprintf(out, "%s: %s\n", json_key(m), value ? value : json_str(m));
		free(value);
	}
	return EXIT_DONE;
}

static int run_decode(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	struct decode_input in = { .cfg = cfg };
	struct json *o;
	uint8_t *buf;
	size_t i;
	int rc;

	if (argc != 2)
		return err_set(reterr, ERR_USAGE, -EINVAL, "needs a kind and a file, %d operand%s "
			"given", argc, argc == 1 ? "" : "s");
	for (i = 0; i < KIND_COUNT && strcmp(kinds[i].kind, argv[0]) != 0; i++)
		;
	if (i == KIND_COUNT)
		return unknown_kind(argv[0], reterr);
	rc = hextext_load(argv[1], &buf, &in.len, reterr);
	if (rc < 0)
		return rc;
	in.buf = buf;
	o = json_new_object();
	(void)json_set_str(o, "kind", kinds[i].kind);
	(void)json_set_u64(o, "bytes", in.len);
	rc = o ? kinds[i].decode(&in, o, reterr) : err_nomem(reterr);
	free(buf);
	if (rc < 0) {
		json_free(o);
		/* The bytes came from a file, not from a device: the input is at fault. */
		if (rc != -ENOMEM && reterr)
			reterr->kind = ERR_INPUT;
		(void)err_prefix(reterr, "%s", argv[1]);
		return rc;
	}
	if (cli->json)
		return cli_emit_json(cli, o, reterr);
	rc = print_text(cli->out, o, reterr);
	json_free(o);
	return rc;
}

static const struct opt decode_opts[] = {
	{ .type = OPT_FLAG, .name = "six", .off = offsetof(struct decode_cfg, six),
		.help = "mode-08: the answer of MODE SENSE(6) instead of (10)" },
	{ .type = OPT_STRING, .name = "model", .arg = "MODEL",
		.off = offsetof(struct decode_cfg, model),
		.help = "smart: the drive's model, which says what its attributes mean" },
	OPT_END,
};

extern const struct command cmd_decode;
const struct command cmd_decode = {
	.name = "decode",
	.summary = "Show the fields of one raw device answer",
	.operands = "KIND FILE",
	.opts = decode_opts,
	.cfg_size = sizeof(struct decode_cfg),
	.details = "FILE is hex text: two digits a byte, # starts a comment. Kinds: identify (ATA, "
		"or NVMe where it has 4096 bytes), identify-ns, inquiry, vpd-00, vpd-80, vpd-83, "
		"vpd-b1, mode-08, sense, smart (ATA SMART data), devstat (a page of the ATA device "
		"statistics), log-02 and log-c0 (NVMe), log-page (SCSI), reserve-keys, reserve, nvme-reserve.",
	.run = run_decode,
	.hidden = true,
};
