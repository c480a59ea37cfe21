/* capture_answers.c - the raw answers of a drive, and the identifiers in them. */
#include "probes/capture_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "probes/ata.h"
#include "probes/controller.h"
#include "probes/drive.h"
#include "probes/scrub.h"
#include "probes/target.h"

enum { HEAD_BYTES = 64 << 10, PAGE_BYTES = 252 };

/* -- identifiers ------------------------------------------------------------------------------ */

/* The serial number is a field of ATA text, the name (words 108 to 111) big-endian by words. */
static int know_ata(struct scrub *s, const uint8_t *identify)
{
	uint8_t text[20], name[8];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = identify[20 + (i ^ 1)];
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = identify[216 + (i ^ 1)];
	if (scrub_add(s, text, sizeof(text)) < 0)
		return -ENOMEM;
	return name[0] ? scrub_add_binary(s, name, sizeof(name)) : 0;
}

/* Every designator, of targets and ports as well: they name the machine's wiring. */
static int know_vpd_83(struct scrub *s, const uint8_t *page, size_t len)
{
	size_t at = 4;

	while (at + 4 <= len && at + 4 + page[at + 3] <= len) {
		const uint8_t *d = page + at + 4, *dot;
		unsigned set = page[at] & 0x0f, type = page[at + 1] & 0x0f;
		size_t n = page[at + 3];
		int r = 0;

		if (set == 1 && (type == 2 || type == 3))
			r = scrub_add_binary(s, d, n);
		else if (set >= 2 && type == 8) {
			dot = memchr(d, '.', n);
			r = dot ? scrub_add(s, dot + 1, n - (size_t)(dot + 1 - d)) : 0;
		}
		if (r < 0)
			return r;
		at += 4 + n;
	}
	return 0;
}

static int know_reservation(struct scrub *s, const uint8_t *buf, size_t len, size_t stride)
{
	for (size_t at = 8; at + 8 <= len; at += stride)
		if (buf[at] | buf[at + 7])
			if (scrub_add_binary(s, buf + at, 8) < 0)
				return -ENOMEM;
	return 0;
}

/* -- SCSI and ATA ----------------------------------------------------------------------------- */

static int add_inquiry(struct capture *c, const char *name, struct devio *io, bool *ret_ata)
{
	uint8_t buf[96] = { 0 };
	struct devio_scsi cmd = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = sizeof(buf) };

	cmd.cdb_len = scsi_cdb_inquiry(cmd.cdb, sizeof(buf));
	*ret_ata = false;
	if (devio_scsi(io, &cmd, "INQUIRY", NULL) < 0)
		return 0;
	*ret_ata = cmd.received >= 16 && memcmp(buf + 8, "ATA     ", 8) == 0;
	/* Bytes 36 on are the vendor's; some put the serial number there. */
	if (cmd.received > 36 && scrub_add(c->scrub, buf + 36, cmd.received > 56 ? 20 :
			cmd.received - 36) < 0)
		return -ENOMEM;
	return capture_add(c, CAPTURE_HEX, buf, cmd.received, "%s/inquiry.hex", name);
}

static int add_vpd(struct capture *c, const char *name, struct devio *io)
{
	static const uint8_t pages[] = { 0x00, 0x80, 0x83, 0xb0, 0xb1 };
	uint8_t buf[512];
	size_t len;
	int r = 0;

	for (size_t i = 0; i < sizeof(pages) && r == 0; i++) {
		if (devio_vpd(io, pages[i], buf, pages[i] == 0x83 ? sizeof(buf) : PAGE_BYTES, &len,
				NULL) < 0 || len < 4)
			continue;
		/* Beyond the page's own length the answer is whatever the adaptor left there. */
		if (len > 4u + ((size_t)buf[2] << 8 | buf[3]))
			len = 4u + ((size_t)buf[2] << 8 | buf[3]);
		if (pages[i] == 0x80)
			r = scrub_add(c->scrub, buf + 4, len - 4);
		else if (pages[i] == 0x83)
			r = know_vpd_83(c->scrub, buf, len);
		if (r == 0)
			r = capture_add(c, CAPTURE_HEX, buf, len, "%s/vpd-%02x.hex", name,
				pages[i]);
	}
	return r;
}

static int add_mode(struct capture *c, const char *name, struct devio *io)
{
	static const struct {
		enum scsi_pc pc;
		const char *file;
	} rows[] = {
		{ SCSI_PC_CURRENT, "mode-08.1.hex" },
		{ SCSI_PC_CHANGEABLE, "mode-08.changeable.hex" },
		{ SCSI_PC_DEFAULT, "mode-08.default.hex" },
		{ SCSI_PC_SAVED, "mode-08.saved.hex" },
	};
	struct scsi_caching page;
	uint8_t buf[PAGE_BYTES];
	int r = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && r == 0; i++)
		/* A replay answers the ten-byte command only. */
		if (devio_caching(io, rows[i].pc, buf, sizeof(buf), &page, NULL) == 0 && page.ten)
			r = capture_add(c, CAPTURE_HEX, buf, page.offset + page.page_len, "%s/%s",
				name, rows[i].file);
	return r;
}

static int add_reservations(struct capture *c, const char *name, struct devio *io)
{
	uint8_t buf[520] = { 0 };
	struct devio_scsi cmd = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = sizeof(buf) };
	int r = 0;

	cmd.cdb_len = scsi_cdb_read_keys(cmd.cdb, sizeof(buf));
	if (devio_scsi(io, &cmd, "PERSISTENT RESERVE IN", NULL) == 0 && cmd.received >= 8) {
		size_t len = 8u + ((size_t)buf[6] << 8 | buf[7]);

		r = know_reservation(c->scrub, buf, len < cmd.received ? len : cmd.received, 8);
		if (r == 0)
			r = capture_add(c, CAPTURE_HEX, buf,
				len < cmd.received ? len : cmd.received, "%s/reserve-keys.hex",
				name);
	}
	cmd.len = 24;
	cmd.cdb_len = scsi_cdb_read_reservation(cmd.cdb, 24);
	if (r == 0 && devio_scsi(io, &cmd, "PERSISTENT RESERVE IN", NULL) == 0 &&
		cmd.received >= 8) {
		size_t len = 8u + ((size_t)buf[6] << 8 | buf[7]);

		r = capture_add(c, CAPTURE_HEX, buf, len < cmd.received ? len : cmd.received,
			"%s/reserve.hex", name);
	}
	return r;
}

/* The drive's verdict is in the registers that come back as sense data. */
static int add_smart_status(struct capture *c, const char *name, struct devio *io)
{
	struct devio_scsi cmd = { .dir = DEVIO_NO_DATA };

	cmd.cdb_len = ata_cdb_smart_status(cmd.cdb);
	if (devio_scsi(io, &cmd, "SMART RETURN STATUS", NULL) < 0 || cmd.sense_len == 0)
		return 0;
	return capture_add(c, CAPTURE_HEX, cmd.sense, cmd.sense_len, "%s/smart-status.hex", name);
}

static int add_statistics(struct capture *c, const char *name, struct devio *io,
	const uint8_t *identify)
{
	static const uint8_t pages[] = { 0x01, 0x05, 0x07 };
	uint8_t buf[512];
	int r = 0;

	/* word 84: valid, and general purpose logs are supported */
	if ((ata_word(identify, 84) & 0xc020) != 0x4020)
		return 0;
	for (size_t i = 0; i < sizeof(pages) && r == 0; i++)
		if (devio_ata_log(io, 0x04, pages[i], buf, NULL) == 0)
			r = capture_add(c, CAPTURE_HEX, buf, sizeof(buf), "%s/devstat-%02x.hex",
				name, pages[i]);
	return r;
}

static int add_smart(struct capture *c, const char *name, struct devio *io,
	const uint8_t *identify)
{
	uint8_t buf[512];
	int r = 0;

	if (devio_ata_smart_data(io, buf, NULL) == 0)
		r = capture_add(c, CAPTURE_HEX, buf, sizeof(buf), "%s/smart.hex", name);
	if (r == 0 && devio_ata_smart_thresholds(io, buf, NULL) == 0)
		r = capture_add(c, CAPTURE_HEX, buf, sizeof(buf), "%s/smart-thresholds.hex", name);
	if (r == 0)
		r = add_smart_status(c, name, io);
	if (r == 0)
		r = add_statistics(c, name, io, identify);
	return r;
}

static int add_log_pages(struct capture *c, const char *name, struct devio *io)
{
	static const uint8_t pages[] = { 0x00, 0x02, 0x03, 0x06, 0x0d, 0x0e, 0x11, 0x15, 0x2f };
	uint8_t buf[1024];
	size_t len;
	int r = 0;

	for (size_t i = 0; i < sizeof(pages) && r == 0; i++) {
		if (devio_log_sense(io, pages[i], buf, sizeof(buf), &len, NULL) < 0 || len < 4)
			continue;
		if (len > 4 + (size_t)be16(buf + 2))
			len = 4 + (size_t)be16(buf + 2);
		r = capture_add(c, CAPTURE_HEX, buf, len, "%s/log-%02x.hex", name, pages[i]);
	}
	return r;
}

static int add_ata(struct capture *c, const char *name, struct devio *io)
{
	uint8_t buf[ATA_IDENTIFY_BYTES];
	int r = 0;

	if (devio_ata_identify(io, buf, NULL) < 0)
		return 0;
	r = know_ata(c->scrub, buf);
	if (r == 0)
		r = capture_add(c, CAPTURE_HEX, buf, sizeof(buf), "%s/identify.hex", name);
	if (r == 0)
		r = add_smart(c, name, io, buf);
	return r;
}

static int add_scsi(struct capture *c, const char *name, struct devio *io)
{
	char word[48];
	const char *transport = drive_transport(c->root, name, word, sizeof(word));
	struct json *controller = controller_detect(c->root, name);
	const char *kind = json_str(json_get(controller, "kind"));
	bool raid = kind && strcmp(kind, "raid") == 0, ata;
	int r = add_inquiry(c, name, io, &ata);

	json_free(controller);
	if (r == 0)
		r = add_vpd(c, name, io);
	if (r == 0)
		r = add_mode(c, name, io);
	if (r == 0)
		r = add_reservations(c, name, io);
	if (r == 0 && !raid && !ata)
		r = add_log_pages(c, name, io);
	if (r == 0 && !raid && (ata || (transport && strcmp(transport, "usb") == 0)))
		r = add_ata(c, name, io);
	return r;
}

/* -- NVMe ------------------------------------------------------------------------------------- */

static void add_feature(struct json *o, const char *key, struct devio *io, enum devio_sel sel)
{
	struct json *answer = json_new_object();
	uint32_t value;

	if (devio_nvme_get_feature(io, DEVIO_FEATURE_WRITE_CACHE, sel, &value, NULL) < 0) {
		json_free(answer);
		return; /* absent: a replay answers "invalid field" */
	}
	(void)json_set_u64(answer, "result", value);
	(void)json_set(o, key, answer);
}

static int add_nvme_json(struct capture *c, const char *name, struct devio *io, bool vwc)
{
	struct json *o = json_new_object();
	char *text;
	int r;

	(void)json_set_u64(o, "vwc", vwc);
	if (vwc) {
		add_feature(o, "get_feature_06", io, DEVIO_SEL_CURRENT);
		add_feature(o, "get_feature_06_default", io, DEVIO_SEL_DEFAULT);
		add_feature(o, "get_feature_06_saved", io, DEVIO_SEL_SAVED);
	}
	text = json_print(o, true);
	json_free(o);
	if (!text)
		return -ENOMEM;
	r = capture_add_text(c, CAPTURE_NUMBER, text, "%s/nvme.json", name);
	free(text);
	return r;
}

static int know_nvme(struct scrub *s, const uint8_t *ctrl, const uint8_t *ns)
{
	int r = 0;

	if (ctrl) {
		r = scrub_add(s, ctrl + 4, 20);
		if (r == 0)
			r = scrub_add(s, ctrl + 768, strnlen((const char *)ctrl + 768, 256));
	}
	if (ns && r == 0 && (ns[104] | ns[111] | ns[119]))
		r = scrub_add_binary(s, ns + 104, 16);
	if (ns && r == 0 && (ns[120] | ns[127]))
		r = scrub_add_binary(s, ns + 120, 8);
	return r;
}

static int add_nvme(struct capture *c, const char *name, struct devio *io)
{
	static const uint8_t logs[] = { 0x02, 0xc0 };
	uint8_t *buf = malloc(NVM_IDENTIFY_BYTES);
	int r = 0;

	if (!buf)
		return -ENOMEM;
	if (devio_nvme_identify(io, DEVIO_CNS_CONTROLLER, buf, NULL) == 0) {
		r = know_nvme(c->scrub, buf, NULL);
		if (r == 0)
			r = capture_add(c, CAPTURE_HEX, buf, NVM_IDENTIFY_BYTES, "%s/identify.hex",
				name);
		if (r == 0)
			r = add_nvme_json(c, name, io, buf[525] & 1);
	}
	if (r == 0 && devio_nvme_identify(io, DEVIO_CNS_NAMESPACE, buf, NULL) == 0) {
		r = know_nvme(c->scrub, NULL, buf);
		if (r == 0)
			r = capture_add(c, CAPTURE_HEX, buf, NVM_IDENTIFY_BYTES,
				"%s/identify-ns.hex", name);
	}
	for (size_t i = 0; i < sizeof(logs) && r == 0; i++)
		if (devio_nvme_log(io, logs[i], buf, 512, NULL) == 0)
			r = capture_add(c, CAPTURE_HEX, buf, 512, "%s/log-%02x.hex", name, logs[i]);
	free(buf);
	return r;
}

/* -- the head --------------------------------------------------------------------------------- */

static int add_head(struct capture *c, const char *name)
{
	char path[SYSFS_NAME_MAX + 8];
	uint8_t *buf;
	ssize_t n;
	int fd, r;

	(void)snprintf(path, sizeof(path), "/dev/%s", name); /* fits */
	sysfs_name_to_node(path + strlen("/dev/"));
	fd = sysroot_is_machine(c->root) ? sysroot_open(c->root, path, O_RDONLY) : -ENOENT;
	if (fd < 0)
		return 0;
	buf = malloc(HEAD_BYTES);
	n = buf ? pread(fd, buf, HEAD_BYTES, 0) : 0;
	(void)close(fd); /* only read from */
	r = !buf ? -ENOMEM :
		n > 0 ? capture_add(c, CAPTURE_HEX, buf, (size_t)n, "%s/head.hex", name) : 0;
	free(buf);
	return r;
}

int capture_answers(struct capture *c, const char *name, struct devio *io)
{
	int r = 0;

	if (io->ops && io->ops->nvme_admin)
		r = add_nvme(c, name, io);
	else if (io->ops && io->ops->scsi)
		r = add_scsi(c, name, io);
	if (r == 0 && c->options->head)
		r = add_head(c, name);
	return r;
}
