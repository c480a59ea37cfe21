/* dev_nvme.c - NVMe commands through libnvme (1.3: positive is NVMe status, -1 is errno). */
#include "probes/devio.h"

#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_MS = 20000 };

static struct nvme_passthru_cmd to_libnvme(const struct devio_nvme *c)
{
	struct nvme_passthru_cmd cmd = {
		.opcode = c->opcode,
		.nsid = c->nsid,
		.addr = (uint64_t)(uintptr_t)c->data,
		.data_len = c->dir == DEVIO_NO_DATA ? 0 : c->len,
		.cdw10 = c->cdw10,
		.cdw11 = c->cdw11,
		.cdw12 = c->cdw12,
		.cdw13 = c->cdw13,
		.cdw14 = c->cdw14,
		.timeout_ms = c->timeout_ms ? c->timeout_ms : DEFAULT_TIMEOUT_MS,
	};

	return cmd;
}

static int translate(int rc, struct devio_nvme *c, uint32_t result, struct err *reterr)
{
	int code = -errno;

	if (rc >= 0) {
		c->status = (uint16_t)rc;
		c->result = result;
		return 0;
	}
	if (code == -EPERM || code == -EACCES)
		return err_set(reterr, ERR_DEVICE, code, "NVMe command: %s; run as root",
			strerror(-code));
	return err_set(reterr, ERR_DEVICE, code, "NVMe command: %s", strerror(-code));
}

static int nvme_dev_admin(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	struct nvme_passthru_cmd cmd = to_libnvme(c);
	uint32_t result = 0;
	int rc;

	rc = nvme_submit_admin_passthru((int)(intptr_t)ctx, &cmd, &result);
	return translate(rc, c, result, reterr);
}

static int nvme_dev_io(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	struct nvme_passthru_cmd cmd = to_libnvme(c);
	uint32_t result = 0;
	int rc;

	rc = nvme_submit_io_passthru((int)(intptr_t)ctx, &cmd, &result);
	return translate(rc, c, result, reterr);
}

static void nvme_dev_close(void *ctx)
{
	(void)close((int)(intptr_t)ctx); /* opened read-only: nothing to lose */
}

static const struct devio_ops dev_nvme_ops = {
	.name = "nvme",
	.nvme_admin = nvme_dev_admin,
	.nvme_io = nvme_dev_io,
	.close = nvme_dev_close,
};

int dev_nvme_open(const char *path, struct devio *ret, struct err *reterr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;
	__u32 nsid = 0;

	if (fd < 0) {
		code = -errno;
		return err_set(reterr, ERR_DEVICE, code, "%s: %s%s", path, strerror(-code),
			code == -EACCES || code == -EPERM ? "; run as root" : "");
	}
	if (nvme_get_nsid(fd, &nsid) < 0) {
		code = -errno;
		(void)close(fd);
		return err_set(reterr, ERR_DEVICE, code,
			"%s: no NVMe namespace: %s", path, strerror(-code));
	}
	*ret = (struct devio){ .ops = &dev_nvme_ops, .ctx = (void *)(intptr_t)fd, .nsid = nsid };
	return 0;
}
