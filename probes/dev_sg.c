/* dev_sg.c - SCSI commands by SG_IO, for SCSI, SAS, SATA and USB disks. */
#include "probes/devio.h"

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_MS = 20000 };

/* Host bytes of the kernel's result (include/scsi/scsi_status.h) that have an errno. */
static int host_errno(unsigned host_status)
{
	switch (host_status) {
	case 0x01: return -ENODEV;    /* DID_NO_CONNECT */
	case 0x02: return -EBUSY;     /* DID_BUS_BUSY */
	case 0x03: return -ETIMEDOUT; /* DID_TIME_OUT */
	case 0x04: return -ENODEV;    /* DID_BAD_TARGET */
	default: return -EIO;
	}
}

static int sg_scsi(void *ctx, struct devio_scsi *c, struct err *reterr)
{
	int fd = (int)(intptr_t)ctx;
	struct sg_io_hdr h = {
		.interface_id = 'S',
		.cmd_len = (unsigned char)c->cdb_len,
		.cmdp = c->cdb,
		.dxfer_direction = c->dir == DEVIO_NO_DATA ? SG_DXFER_NONE :
			c->dir == DEVIO_FROM_DEVICE ? SG_DXFER_FROM_DEV : SG_DXFER_TO_DEV,
		.dxferp = c->data,
		.dxfer_len = (unsigned)c->len,
		.sbp = c->sense,
		.mx_sb_len = sizeof(c->sense),
		.timeout = c->timeout_ms ? c->timeout_ms : DEFAULT_TIMEOUT_MS,
	};

	if (ioctl(fd, SG_IO, &h) < 0) {
		int code = -errno;

		if (code == -ENOTTY || code == -EINVAL)
			return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
				"SG_IO: this device takes no SCSI commands");
		if (code == -EPERM || code == -EACCES)
			return err_set(reterr, ERR_DEVICE, code, "SG_IO: %s; run as root",
				strerror(-code));
		return err_set(reterr, ERR_DEVICE, code, "SG_IO: %s", strerror(-code));
	}
	if (h.host_status != 0)
		return err_set(reterr, ERR_DEVICE, host_errno(h.host_status),
			"SG_IO: the command did not reach the device (host status %02xh)",
			h.host_status);
	c->status = h.status;
	c->sense_len = h.sb_len_wr < sizeof(c->sense) ? h.sb_len_wr : sizeof(c->sense);
	c->received = c->len;
	if (h.resid > 0)
		c->received = (size_t)h.resid < c->len ? c->len - (size_t)h.resid : 0;
	return 0;
}

static void sg_close(void *ctx)
{
	(void)close((int)(intptr_t)ctx); /* opened read-only: nothing to lose */
}

static const struct devio_ops dev_sg_ops = {
	.name = "sg",
	.scsi = sg_scsi,
	.close = sg_close,
};

int dev_sg_open(const char *path, struct devio *ret, struct err *reterr)
{
	/* Read-only: closing a descriptor that was open for writing makes udev probe the disk. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		int code = -errno;

		return err_set(reterr, ERR_DEVICE, code, "%s: %s%s", path, strerror(-code),
			code == -EACCES || code == -EPERM ? "; run as root" : "");
	}
	*ret = (struct devio){ .ops = &dev_sg_ops, .ctx = (void *)(intptr_t)fd };
	return 0;
}
