/* devio.c - opens devices, issues SCSI and ATA commands, and translates refusals once. */
#include "probes/devio.h"

#include "probes/ata.h"

#include <errno.h>
#include <string.h>

enum {
	UNIT_ATTENTION = 0x06,
	RECOVERED = 0x01,
	ATTENTION_TRIES = 4,
	MODE_SENSE_10_ALLOC = 252,
	MODE_SENSE_6_ALLOC = 192, /* as the kernel asks: some bridges fail on other lengths */
};

int devio_open(const char *path, struct devio *ret, struct err *reterr)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strncmp(name, "nvme", 4) == 0)
		return dev_nvme_open(path, ret, reterr);
	return dev_sg_open(path, ret, reterr);
}

void devio_close(struct devio *io)
{
	if (io->ops)
		io->ops->close(io->ctx);
	memset(io, 0, sizeof(*io));
}

/* What a status other than GOOD means. @c has the sense; 0: success after all. */
static int judge_scsi(const struct devio_scsi *c, const char *what, bool *ret_again,
	struct err *reterr)
{
	struct scsi_sense s;
	char text[160];

	*ret_again = false;
	if (c->status == SCSI_RESERVATION_CONFLICT)
		return err_set(reterr, ERR_REFUSED, -EBUSY,
			"%s: reservation conflict; another host has reserved this drive", what);
	if (c->status != SCSI_GOOD && c->status != SCSI_CHECK_CONDITION)
		return err_set(reterr, ERR_DEVICE, -EIO, "%s: SCSI status %02xh", what, c->status);
	if (scsi_sense_decode(c->sense, c->sense_len, &s, NULL) < 0) {
		/* Bridges that break SAT: GOOD and no sense. The data is judged by its decoder. */
		if (c->status == SCSI_GOOD)
			return 0;
		return err_set(reterr, ERR_DEVICE, -EIO, "%s: failed without a readable reason",
			what);
	}
	if (s.key <= RECOVERED || s.deferred)
		return 0;
	*ret_again = s.key == UNIT_ATTENTION;
	scsi_sense_text(text, sizeof(text), &s);
	if (scsi_sense_is_unsupported(&s))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP, "%s: not supported: %s", what,
			text);
	return err_set(reterr, ERR_DEVICE, -EIO, "%s: %s", what, text);
}

int devio_scsi(struct devio *io, struct devio_scsi *c, const char *what, struct err *reterr)
{
	bool again = true;
	int tries, rc = 0;

	if (!io->ops->scsi)
		return err_set(reterr, ERR_INTERNAL, -ENOTTY,
			"%s: sent to a device that is spoken to by '%s'", what, io->ops->name);
	for (tries = 0; tries < ATTENTION_TRIES && again; tries++) {
		c->received = c->sense_len = 0;
		c->status = SCSI_GOOD;
		rc = io->ops->scsi(io->ctx, c, reterr);
		if (rc < 0)
			return rc;
		rc = judge_scsi(c, what, &again, reterr);
	}
	return rc;
}

int devio_inquiry(struct devio *io, struct scsi_inquiry *ret, struct err *reterr)
{
	uint8_t buf[96] = { 0 };
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = sizeof(buf) };
	int rc;

	c.cdb_len = scsi_cdb_inquiry(c.cdb, sizeof(buf));
	rc = devio_scsi(io, &c, "INQUIRY", reterr);
	if (rc < 0)
		return rc;
	return scsi_inquiry_decode(buf, c.received, ret, reterr);
}

int devio_vpd(struct devio *io, uint8_t page, uint8_t *buf, size_t size, size_t *ret_len,
	struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = size };
	char what[] = "VPD page 00h";
	static const char hex[] = "0123456789abcdef";
	int rc;

	what[9] = hex[page >> 4];
	what[10] = hex[page & 15];
	c.cdb_len = scsi_cdb_vpd(c.cdb, page, (uint16_t)size);
	rc = devio_scsi(io, &c, what, reterr);
	if (rc == 0)
		*ret_len = c.received;
	return rc;
}

int devio_caching(struct devio *io, enum scsi_pc pc, uint8_t *buf, size_t size,
	struct scsi_caching *ret, struct err *reterr)
{
	bool ten = true;

	for (;;) {
		size_t alloc = ten ? MODE_SENSE_10_ALLOC : MODE_SENSE_6_ALLOC;
		struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf };
		int rc;

		c.len = alloc < size ? alloc : size;
		memset(buf, 0, c.len);
		c.cdb_len = scsi_cdb_mode_sense(c.cdb, ten, pc, 0x08, (uint8_t)c.len);
		rc = devio_scsi(io, &c, ten ? "MODE SENSE(10)" : "MODE SENSE(6)", reterr);
		/* Only "no such command" asks for the older form: any other answer stands. */
		if (rc == -EOPNOTSUPP && ten && c.sense_len > 0) {
			struct scsi_sense s;

			if (scsi_sense_decode(c.sense, c.sense_len, &s, NULL) == 0 &&
			    s.asc == 0x20) {
				ten = false;
				continue;
			}
		}
		if (rc < 0)
			return rc;
		return scsi_caching_decode(buf, c.received, ten, ret, reterr);
	}
}

int devio_caching_select(struct devio *io, const uint8_t *sense, const struct scsi_caching *page,
	bool wce, bool save, struct err *reterr)
{
	uint8_t list[255];
	struct devio_scsi c = { .dir = DEVIO_TO_DEVICE, .data = list };
	int len = scsi_caching_select(sense, page, wce, list, sizeof(list));

	if (len < 0)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"MODE SELECT: a caching page of %zu bytes is too long to send back",
			page->page_len);
	c.len = (size_t)len;
	c.cdb_len = scsi_cdb_mode_select(c.cdb, page->ten, save, (uint8_t)len);
	return devio_scsi(io, &c, page->ten ? "MODE SELECT(10)" : "MODE SELECT(6)", reterr);
}

/* A pass-through command: registers, where the answer has any, decide over the sense key. */
static int ata_command(struct devio *io, struct devio_scsi *c, const char *what,
	struct err *reterr)
{
	struct ata_registers r;
	int rc = devio_scsi(io, c, what, reterr);

	if (rc < 0 && rc != -EIO)
		return rc;
	if (ata_sense_decode(c->sense, c->sense_len, &r, NULL) < 0)
		return rc; /* no registers: the SCSI status stands */
	if (ata_registers_ok(&r))
		return 0;
	if (r.error & 0x04) /* ABRT: command, feature or argument not supported */
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: aborted by the drive (status %02xh, error %02xh)", what, r.status,
			r.error);
	return err_set(reterr, ERR_DEVICE, -EIO, "%s: failed (status %02xh, error %02xh)", what,
		r.status, r.error);
}

int devio_ata_identify(struct devio *io, uint8_t *buf, struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = ATA_IDENTIFY_BYTES };
	int rc;

	memset(buf, 0, ATA_IDENTIFY_BYTES);
	c.cdb_len = ata_cdb_identify(c.cdb);
	rc = ata_command(io, &c, "IDENTIFY DEVICE", reterr);
	if (rc == 0 && c.received < ATA_IDENTIFY_BYTES)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"IDENTIFY DEVICE: %zu of 512 bytes; the answer is cut", c.received);
	return rc;
}

int devio_ata_write_cache(struct devio *io, bool on, struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_NO_DATA };

	c.cdb_len = ata_cdb_set_features(c.cdb, on ? ATA_WRITE_CACHE_ON : ATA_WRITE_CACHE_OFF);
	return ata_command(io, &c, on ? "SET FEATURES 02h" : "SET FEATURES 82h", reterr);
}

/* A read of one block of 512 bytes. */
static int ata_block(struct devio *io, struct devio_scsi *c, const char *what, struct err *reterr)
{
	int rc;

	memset(c->data, 0, 512);
	rc = ata_command(io, c, what, reterr);
	if (rc == 0 && c->received < 512)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"%s: %zu of 512 bytes; the answer is cut", what, c->received);
	return rc;
}

int devio_ata_smart_data(struct devio *io, uint8_t *buf, struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = 512 };

	c.cdb_len = ata_cdb_smart_data(c.cdb);
	return ata_block(io, &c, "SMART READ DATA", reterr);
}

int devio_ata_smart_thresholds(struct devio *io, uint8_t *buf, struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = 512 };

	c.cdb_len = ata_cdb_smart_thresholds(c.cdb);
	return ata_block(io, &c, "SMART READ THRESHOLDS", reterr);
}

int devio_ata_log(struct devio *io, uint8_t log, uint8_t page, uint8_t *buf, struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = 512 };

	c.cdb_len = ata_cdb_read_log(c.cdb, log, page);
	return ata_block(io, &c, "READ LOG EXT", reterr);
}

int devio_ata_smart_status(struct devio *io, bool *ret_failing, struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_NO_DATA };
	struct ata_registers r;
	unsigned mid, high;
	int rc;

	c.cdb_len = ata_cdb_smart_status(c.cdb);
	rc = ata_command(io, &c, "SMART RETURN STATUS", reterr);
	if (rc < 0)
		return rc;
	if (ata_sense_decode(c.sense, c.sense_len, &r, NULL) == 0) {
		mid = r.lba >> 8 & 0xff;
		high = r.lba >> 16 & 0xff;
		if ((mid == 0x4f && high == 0xc2) || (mid == 0xf4 && high == 0x2c)) {
			*ret_failing = mid == 0xf4;
			return 0;
		}
	}
	return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
		"SMART RETURN STATUS: the registers did not come back");
}

int devio_log_sense(struct devio *io, uint8_t page, uint8_t *buf, size_t size, size_t *ret_len,
	struct err *reterr)
{
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = size };
	int rc;

	memset(buf, 0, size);
	c.cdb_len = scsi_cdb_log_sense(c.cdb, page, (uint16_t)size);
	rc = devio_scsi(io, &c, "LOG SENSE", reterr);
	if (rc == 0)
		*ret_len = c.received;
	return rc;
}
