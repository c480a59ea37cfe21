/* devio_replay.c - answers from a folder of captured bytes; opens nothing of the machine. */
#include "probes/devio.h"

#include "data/hextext.h"
#include "data/json.h"
#include "probes/ata.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPC_GET_LOG = 0x02, OPC_IDENTIFY = 0x06, OPC_SET_FEATURES = 0x09, OPC_GET_FEATURES = 0x0a };

struct replay {
	char *dir;         /* DIR/SYSNAME */
	struct json *nvme; /* nvme.json, or NULL */
	unsigned changes;  /* MODE SELECT, SET FEATURES, Set Features 06h so far */
	bool ata;          /* identify.hex of 512 bytes is there */
};

/* -- files ---------------------------------------------------------------------------------- */

/* 0 and the bytes; 1: no such file; <0: it cannot be read. */
static int load(const struct replay *r, const char *name, uint8_t **ret, size_t *ret_len,
	struct err *reterr)
{
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", r->dir, name) >= sizeof(path))
		return err_set(reterr, ERR_INPUT, -ENAMETOOLONG, "%s: name too long", r->dir);
	if (stat(path, &st) < 0 && errno == ENOENT)
		return 1;
	return hextext_load(path, ret, ret_len, reterr);
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

#define NUMBERED_MAX 256

/* Numbers N of the files PREFIX.N.hex, ascending, each once. Returns how many. */
static size_t numbers_of(const struct replay *r, const char *prefix, unsigned *ret)
{
	size_t n = 0, prefix_len = strlen(prefix);
	struct dirent *entry;
	DIR *d = opendir(r->dir);

	if (!d)
		return 0;
	while ((entry = readdir(d)) && n < NUMBERED_MAX) {
		unsigned number;
		char rest[8];

		if (strncmp(entry->d_name, prefix, prefix_len) != 0 ||
		    /* five digits cannot overflow: NOLINTNEXTLINE(cert-err34-c) */
		    sscanf(entry->d_name + prefix_len, ".%5u%7s", &number, rest) != 2 ||
		    strcmp(rest, ".hex") != 0)
			continue;
		ret[n++] = number;
	}
	(void)closedir(d); /* only read from */
	qsort(ret, n, sizeof(*ret), by_number);
	return n;
}

/* -- answers -------------------------------------------------------------------------------- */

static int answer_data(struct devio_scsi *c, const uint8_t *buf, size_t len)
{
	c->received = len < c->len ? len : c->len;
	memcpy(c->data, buf, c->received);
	return 0;
}

static int answer_sense(struct devio_scsi *c, uint8_t key, uint8_t asc, uint8_t ascq)
{
	const uint8_t fixed[18] = { 0x70, 0, key, [7] = 10, [12] = asc, [13] = ascq };

	memcpy(c->sense, fixed, sizeof(fixed));
	c->sense_len = sizeof(fixed);
	c->status = SCSI_CHECK_CONDITION;
	return 0;
}

/* The file's bytes as data; without the file what a device without that page says. */
static int answer_file(const struct replay *r, struct devio_scsi *c, const char *name, uint8_t asc,
	struct err *reterr)
{
	uint8_t *buf;
	size_t len;
	int rc = load(r, name, &buf, &len, reterr);

	if (rc > 0)
		return answer_sense(c, 0x05, asc, 0x00);
	if (rc < 0)
		return rc;
	rc = answer_data(c, buf, len);
	free(buf);
	return rc;
}

static int answer_sense_file(const struct replay *r, struct devio_scsi *c, unsigned number,
	struct err *reterr)
{
	char name[40];
	uint8_t *buf;
	size_t len;
	int rc;

	(void)snprintf(name, sizeof(name), "sense.%u.hex", number); /* fits */
	rc = load(r, name, &buf, &len, reterr);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	c->sense_len = len < sizeof(c->sense) ? len : sizeof(c->sense);
	memcpy(c->sense, buf, c->sense_len);
	c->status = len ? SCSI_CHECK_CONDITION : SCSI_GOOD;
	free(buf);
	return 0;
}

/* A drive that does not know a command will not know it the next time either. */
static bool is_refusal(const struct devio_scsi *c)
{
	struct scsi_sense s;
	struct ata_registers regs;

	if (ata_sense_decode(c->sense, c->sense_len, &regs, NULL) == 0)
		return !ata_registers_ok(&regs) && (regs.error & 0x04);
	return scsi_sense_decode(c->sense, c->sense_len, &s, NULL) == 0 &&
		scsi_sense_is_unsupported(&s);
}

/* A change command took place: it is the @changes-th, and its sense is looked up. After the last
 * file only a refusal goes on. */
static int answer_change(struct replay *r, struct devio_scsi *c, struct err *reterr)
{
	unsigned numbers[NUMBERED_MAX], first = 0, wanted;
	size_t n = numbers_of(r, "sense", numbers);
	int rc;

	r->changes++;
	if (r->ata) {
		while (first < n && numbers[first] < 2)
			first++;
		wanted = r->changes + 1;
	} else {
		wanted = r->changes <= n ? numbers[r->changes - 1] : UINT_MAX;
	}
	if (first == n)
		return 0;
	if (wanted <= numbers[n - 1])
		return answer_sense_file(r, c, wanted, reterr);
	rc = answer_sense_file(r, c, numbers[n - 1], reterr);
	if (rc == 0 && !is_refusal(c)) {
		c->sense_len = 0;
		c->status = SCSI_GOOD;
	}
	return rc;
}

static int answer_mode_sense(struct replay *r, struct devio_scsi *c, struct err *reterr)
{
	static const char *const fixed[4] = {
		NULL, "mode-08.changeable.hex", "mode-08.default.hex", "mode-08.saved.hex",
	};
	unsigned pc = c->cdb[2] >> 6, numbers[NUMBERED_MAX];
	char name[40];
	size_t n;

	if ((c->cdb[2] & 0x3f) != 0x08)
		return answer_sense(c, 0x05, 0x24, 0x00);
	/* Captures hold the ten-byte form: the six-byte command is unknown to this device. */
	if (c->cdb[0] != 0x5a)
		return answer_sense(c, 0x05, 0x20, 0x00);
	if (pc != SCSI_PC_CURRENT)
		return answer_file(r, c, fixed[pc], pc == SCSI_PC_SAVED ? 0x39 : 0x24, reterr);
	n = numbers_of(r, "mode-08", numbers);
	if (n == 0)
		return answer_file(r, c, "mode-08.hex", 0x24, reterr);
	(void)snprintf(name, sizeof(name), "mode-08.%u.hex",
		numbers[r->changes < n ? r->changes : n - 1]); /* fits */
	return answer_file(r, c, name, 0x24, reterr);
}

static int answer_identify(struct replay *r, struct devio_scsi *c, struct err *reterr)
{
	unsigned numbers[NUMBERED_MAX], newest = 0;
	size_t n = numbers_of(r, "identify", numbers), i;
	char name[40] = "identify.hex";
	int rc;

	for (i = 0; i < n; i++)
		if (numbers[i] >= 2 && numbers[i] <= r->changes + 1)
			newest = numbers[i];
	if (newest)
		(void)snprintf(name, sizeof(name), "identify.%u.hex", newest); /* fits */
	rc = answer_sense_file(r, c, 1, reterr);
	if (rc < 0)
		return rc;
	return answer_file(r, c, name, 0x20, reterr);
}

static int answer_smart(const struct replay *r, struct devio_scsi *c, struct err *reterr)
{
	uint8_t *buf;
	size_t len;
	int rc;

	switch (c->cdb[4]) {
	case 0xd0:
		return answer_file(r, c, "smart.hex", 0x24, reterr);
	case 0xd1:
		return answer_file(r, c, "smart-thresholds.hex", 0x24, reterr);
	case 0xda:
		rc = load(r, "smart-status.hex", &buf, &len, reterr);
		if (rc != 0)
			return rc < 0 ? rc : answer_sense(c, 0x05, 0x24, 0x00);
		c->sense_len = len < sizeof(c->sense) ? len : sizeof(c->sense);
		memcpy(c->sense, buf, c->sense_len);
		c->status = SCSI_CHECK_CONDITION;
		free(buf);
		return 0;
	default:
		return answer_sense(c, 0x05, 0x24, 0x00);
	}
}

/* READ LOG EXT: the device statistics alone are kept. */
static int answer_ata_log(const struct replay *r, struct devio_scsi *c, struct err *reterr)
{
	char name[40];

	if (c->cdb[8] != 0x04)
		return answer_sense(c, 0x05, 0x24, 0x00);
	(void)snprintf(name, sizeof(name), "devstat-%02x.hex", c->cdb[10]); /* fits */
	return answer_file(r, c, name, 0x24, reterr);
}

static int answer_ata(struct replay *r, struct devio_scsi *c, struct err *reterr)
{
	if (!r->ata)
		return answer_sense(c, 0x05, 0x20, 0x00);
	switch (c->cdb[14]) {
	case 0xec:
		return answer_identify(r, c, reterr);
	case 0xb0:
		return answer_smart(r, c, reterr);
	case 0x2f:
		return answer_ata_log(r, c, reterr);
	case 0xef:
		return answer_change(r, c, reterr);
	case 0xea:
		return 0;
	default:
		return answer_sense(c, 0x05, 0x20, 0x00);
	}
}

static int replay_scsi(void *ctx, struct devio_scsi *c, struct err *reterr)
{
	struct replay *r = ctx;
	char name[40];

	switch (c->cdb[0]) {
	case 0x12:
		if (!(c->cdb[1] & 1))
			return answer_file(r, c, "inquiry.hex", 0x20, reterr);
		(void)snprintf(name, sizeof(name), "vpd-%02x.hex", c->cdb[2]); /* fits */
		return answer_file(r, c, name, 0x24, reterr);
	case 0x4d:
		(void)snprintf(name, sizeof(name), "log-%02x.hex", c->cdb[2] & 0x3f); /* fits */
		return answer_file(r, c, name, 0x24, reterr);
	case 0x1a:
	case 0x5a:
		return answer_mode_sense(r, c, reterr);
	case 0x15:
	case 0x55:
		return answer_change(r, c, reterr);
	case 0x5e:
		return answer_file(r, c, c->cdb[1] & 0x1f ? "reserve.hex" : "reserve-keys.hex",
			0x20, reterr);
	case 0x85:
		return answer_ata(r, c, reterr);
	default:
		return answer_sense(c, 0x05, 0x20, 0x00);
	}
}

/* -- NVMe ----------------------------------------------------------------------------------- */

static uint64_t number_or_zero(const struct json *obj, const char *key)
{
	uint64_t v = 0;

	(void)json_u64(json_get(obj, key), &v); /* absent: 0, as the format says */
	return v;
}

static int answer_feature(const struct json *answer, struct devio_nvme *c)
{
	if (json_type(answer) != JSON_OBJECT) {
		c->status = 0x4002; /* not in the capture: invalid field, do not retry */
		return 0;
	}
	c->status = (uint16_t)((number_or_zero(answer, "sct") & 7) << 8 |
		(number_or_zero(answer, "sc") & 0xff));
	c->result = (uint32_t)number_or_zero(answer, "result");
	return 0;
}

static int answer_get_feature(const struct replay *r, struct devio_nvme *c)
{
	const struct json *answer;

	if ((c->cdw10 & 0xff) != 0x06)
		return answer_feature(NULL, c);
	switch (c->cdw10 >> 8 & 7) {
	case DEVIO_SEL_CURRENT:
		break;
	case DEVIO_SEL_DEFAULT:
		return answer_feature(json_get(r->nvme, "get_feature_06_default"), c);
	case DEVIO_SEL_SAVED:
		return answer_feature(json_get(r->nvme, "get_feature_06_saved"), c);
	default:
		return answer_feature(NULL, c);
	}
	answer = json_get(r->nvme,
		r->changes ? "get_feature_06_after" : "get_feature_06_before");
	return answer_feature(answer ? answer : json_get(r->nvme, "get_feature_06"), c);
}

static int answer_set_feature(struct replay *r, struct devio_nvme *c)
{
	if ((c->cdw10 & 0xff) != 0x06)
		return answer_feature(NULL, c);
	r->changes++;
	return answer_feature(json_get(r->nvme, "set_feature_06"), c);
}

static void put_text(uint8_t *field, size_t len, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	memset(field, ' ', len);
	if (text)
		memcpy(field, text, n < len ? n : len);
}

/* A controller that only nvme.json describes: the fields it names, spaces and zeros elsewhere. */
static void made_up_controller(const struct replay *r, uint8_t *buf)
{
	memset(buf, 0, NVM_IDENTIFY_BYTES);
	put_text(buf + 4, 20, json_str(json_get(r->nvme, "serial")));
	put_text(buf + 24, 40, json_str(json_get(r->nvme, "model")));
	put_text(buf + 64, 8, json_str(json_get(r->nvme, "firmware")));
	buf[525] = (uint8_t)number_or_zero(r->nvme, "vwc");
}

static int answer_nvme_file(const struct replay *r, struct devio_nvme *c, const char *name,
	uint16_t absent, struct err *reterr)
{
	uint8_t *buf;
	size_t len;
	int rc = load(r, name, &buf, &len, reterr);

	if (rc < 0)
		return rc;
	if (rc > 0) {
		c->status = absent;
		return 0;
	}
	memcpy(c->data, buf, len < c->len ? len : c->len);
	free(buf);
	return 0;
}

static int replay_nvme_admin(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	struct replay *r = ctx;
	char name[40];
	int rc;

	switch (c->opcode) {
	case OPC_IDENTIFY:
		if (c->cdw10 != DEVIO_CNS_CONTROLLER)
			return answer_nvme_file(r, c, "identify-ns.hex", 0x4002, reterr);
		rc = answer_nvme_file(r, c, "identify.hex", 0x4002, reterr);
		if (rc == 0 && c->status != 0 && r->nvme && c->len >= NVM_IDENTIFY_BYTES) {
			made_up_controller(r, c->data);
			c->status = 0;
		}
		return rc;
	case OPC_GET_FEATURES:
		return answer_get_feature(r, c);
	case OPC_SET_FEATURES:
		return answer_set_feature(r, c);
	case OPC_GET_LOG:
		(void)snprintf(name, sizeof(name), "log-%02x.hex", c->cdw10 & 0xff); /* fits */
		return answer_nvme_file(r, c, name, 0x4109, reterr);
	default:
		c->status = 0x4001;
		return 0;
	}
}

static int replay_nvme_io(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	if (c->opcode == 0x0e && (c->cdw11 & 1))
		return answer_nvme_file(ctx, c, "reserve.hex", 0x4001, reterr);
	c->status = 0x4001;
	return 0;
}

/* -- life cycle ----------------------------------------------------------------------------- */

static void replay_close(void *ctx)
{
	struct replay *r = ctx;

	json_free(r->nvme);
	free(r->dir);
	free(r);
}

static const struct devio_ops replay_scsi_ops = {
	.name = "replay",
	.scsi = replay_scsi,
	.close = replay_close,
};

static const struct devio_ops replay_nvme_ops = {
	.name = "replay",
	.nvme_admin = replay_nvme_admin,
	.nvme_io = replay_nvme_io,
	.close = replay_close,
};

static int load_nvme_json(struct replay *r, struct err *reterr)
{
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/nvme.json", r->dir) >= sizeof(path))
		return err_set(reterr, ERR_INPUT, -ENAMETOOLONG, "%s: name too long", r->dir);
	if (stat(path, &st) < 0 && errno == ENOENT)
		return 0;
	return json_load(path, JSON_FILE_MAX, &r->nvme, reterr);
}

/* identify.hex is read once at the start: its length tells ATA from NVMe, and a damaged file is
 * reported before anything is decided on. */
static int look_at_identify(struct replay *r, struct err *reterr)
{
	uint8_t *buf;
	size_t len;
	int rc = load(r, "identify.hex", &buf, &len, reterr);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	free(buf);
	r->ata = len <= ATA_IDENTIFY_BYTES;
	return 0;
}

int devio_open_replay(const char *dir, const char *sysname, struct devio *ret, struct err *reterr)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct stat st;
	int rc;

	if (!r || asprintf(&r->dir, "%s/%s", dir, sysname) < 0) {
		free(r);
		return err_nomem(reterr);
	}
	if (stat(r->dir, &st) < 0 || !S_ISDIR(st.st_mode)) {
		rc = err_set(reterr, ERR_INPUT, -ENOENT,
			"%s: no such folder; --replay needs one a device", r->dir);
	} else {
		rc = load_nvme_json(r, reterr);
		if (rc == 0)
			rc = look_at_identify(r, reterr);
	}
	if (rc < 0) {
		replay_close(r);
		return rc;
	}
	*ret = (struct devio){ .ctx = r, .ops = &replay_scsi_ops };
	if (strncmp(sysname, "nvme", 4) == 0) {
		ret->ops = &replay_nvme_ops;
		ret->nsid = 1;
	}
	return 0;
}
