/* devio_nvme.c - issues NVMe commands through the seam and translates refusals once. */
#include "probes/devio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPC_GET_LOG = 0x02,
	OPC_IDENTIFY = 0x06,
	OPC_SET_FEATURES = 0x09,
	OPC_GET_FEATURES = 0x0a,
	OPC_RESERVATION_REPORT = 0x0e, /* I/O command set */
	RESERVATION_CONFLICT = 0x83,
	REPORT_BYTES = 4096,
};

static int judge(const struct devio_nvme *c, const char *what, struct err *reterr)
{
	struct nvm_status s = nvm_status_of(c->status);
	char text[96];

	if (s.sct == 0 && s.sc == 0)
		return 0;
	nvm_status_text(text, sizeof(text), s);
	if (nvm_status_is_unsupported(s))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP, "%s: not supported: %s", what,
			text);
	if (s.sct == 0 && s.sc == RESERVATION_CONFLICT)
		return err_set(reterr, ERR_REFUSED, -EBUSY,
			"%s: reservation conflict; another host has reserved this drive", what);
	return err_set(reterr, ERR_DEVICE, -EIO, "%s: %s", what, text);
}

static int wrong_device(const struct devio *io, const char *what, struct err *reterr)
{
	return err_set(reterr, ERR_INTERNAL, -ENOTTY,
		"%s: sent to a device that is spoken to by '%s'", what, io->ops->name);
}

int devio_nvme_admin(struct devio *io, struct devio_nvme *c, const char *what, struct err *reterr)
{
	int rc;

	if (!io->ops->nvme_admin)
		return wrong_device(io, what, reterr);
	c->status = 0;
	c->result = 0;
	rc = io->ops->nvme_admin(io->ctx, c, reterr);
	return rc < 0 ? rc : judge(c, what, reterr);
}

int devio_nvme_identify(struct devio *io, uint8_t cns, uint8_t *buf, struct err *reterr)
{
	struct devio_nvme c = {
		.opcode = OPC_IDENTIFY,
		.nsid = cns == DEVIO_CNS_NAMESPACE ? io->nsid : 0,
		.cdw10 = cns,
		.dir = DEVIO_FROM_DEVICE,
		.data = buf,
		.len = NVM_IDENTIFY_BYTES,
	};

	memset(buf, 0, NVM_IDENTIFY_BYTES);
	return devio_nvme_admin(io, &c,
		cns == DEVIO_CNS_NAMESPACE ? "Identify Namespace" : "Identify Controller", reterr);
}

int devio_nvme_get_feature(struct devio *io, uint8_t feature, enum devio_sel sel, uint32_t *ret,
	struct err *reterr)
{
	struct devio_nvme c = {
		.opcode = OPC_GET_FEATURES,
		.cdw10 = feature | (uint32_t)sel << 8,
	};
	int rc = devio_nvme_admin(io, &c, "Get Features", reterr);

	if (rc == 0)
		*ret = c.result;
	return rc;
}

int devio_nvme_set_feature(struct devio *io, uint8_t feature, uint32_t value, bool save,
	struct err *reterr)
{
	struct devio_nvme c = {
		.opcode = OPC_SET_FEATURES,
		.cdw10 = feature | (save ? UINT32_C(1) << 31 : 0),
		.cdw11 = value,
	};

	return devio_nvme_admin(io, &c, "Set Features", reterr);
}

int devio_nvme_log(struct devio *io, uint8_t log, uint8_t *buf, uint32_t len, struct err *reterr)
{
	uint32_t dwords = len / 4 - 1; /* 0-based */
	struct devio_nvme c = {
		.opcode = OPC_GET_LOG,
		.nsid = UINT32_MAX, /* the controller's, not one namespace's */
		.cdw10 = log | (dwords & 0xffff) << 16,
		.cdw11 = dwords >> 16,
		.dir = DEVIO_FROM_DEVICE,
		.data = buf,
		.len = len,
	};

	memset(buf, 0, len);
	return devio_nvme_admin(io, &c, "Get Log Page", reterr);
}

int devio_nvme_reservations(struct devio *io, struct nvm_reservations *ret, struct err *reterr)
{
	uint8_t *buf = calloc(1, REPORT_BYTES);
	bool extended = true;
	int rc;

	if (!buf)
		return err_nomem(reterr);
	if (!io->ops->nvme_io) {
		free(buf);
		return wrong_device(io, "Reservation Report", reterr);
	}
	/* The extended form first: controllers with 128-bit host ids refuse the other one. */
	for (;; extended = false) {
		struct devio_nvme c = {
			.opcode = OPC_RESERVATION_REPORT,
			.nsid = io->nsid,
			.cdw10 = REPORT_BYTES / 4 - 1,
			.cdw11 = extended,
			.dir = DEVIO_FROM_DEVICE,
			.data = buf,
			.len = REPORT_BYTES,
		};

		rc = io->ops->nvme_io(io->ctx, &c, reterr);
		if (rc == 0)
			rc = judge(&c, "Reservation Report", reterr);
		if (rc == 0 || !extended || c.status == 0)
			break;
	}
	if (rc == 0)
		rc = nvm_reservations_decode(buf, REPORT_BYTES, extended, ret, reterr);
	free(buf);
	return rc;
}
