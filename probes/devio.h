/* devio.h - the one way by which commands reach a device, and what a test puts in its place.
 *
 * `struct devio_ops` is the seam: dev_sg.c issues SG_IO, dev_nvme.c goes through libnvme,
 * devio_replay.c answers from a folder of captured bytes, and unit tests use a scripted list. What
 * a device answered (also: "no") is data and returns 0; only a command that could not be issued or
 * got lost on the way is -errno.
 *
 * A drive is spoken to in its own language only: an NVMe namespace has no `scsi` hook, so that it
 * never sees SG_IO, and the reverse. Calling the wrong one is our bug (ERR_INTERNAL).
 *
 * To add a transport: probes/dev_NAME.c with one const instance last, a branch in devio_open().
 */
#ifndef SSDQUAL_PROBES_DEVIO_H
#define SSDQUAL_PROBES_DEVIO_H

#include "data/err.h"
#include "probes/nvme.h"
#include "probes/scsi.h"

enum devio_dir { DEVIO_NO_DATA, DEVIO_FROM_DEVICE, DEVIO_TO_DEVICE };

/* One SCSI command (ATA goes through SCSI pass-through) and its answer. */
struct devio_scsi {
	uint8_t cdb[SCSI_CDB_MAX];
	unsigned cdb_len;
	enum devio_dir dir;
	void *data; /* @len bytes, the caller's */
	size_t len;
	unsigned timeout_ms; /* 0: 20 s */
	/* answer */
	size_t received; /* bytes that arrived in @data */
	uint8_t status;  /* SCSI_GOOD, SCSI_CHECK_CONDITION, ... */
	uint8_t sense[SCSI_SENSE_MAX];
	size_t sense_len;
};

/* One NVMe command and its completion. */
struct devio_nvme {
	uint8_t opcode;
	uint32_t nsid;
	uint32_t cdw10, cdw11, cdw12, cdw13, cdw14;
	enum devio_dir dir;
	void *data;
	uint32_t len;
	unsigned timeout_ms; /* 0: 20 s */
	/* answer */
	uint32_t result; /* DW0 */
	uint16_t status; /* 0: success; nvm_status_of() tells the rest */
};

struct devio_ops {
	const char *name; /* "sg", "nvme", "replay" */
	/* Each may block for its timeout; NULL: this device does not speak it. */
	int (*scsi)(void *ctx, struct devio_scsi *c, struct err *reterr);
	int (*nvme_admin)(void *ctx, struct devio_nvme *c, struct err *reterr);
	int (*nvme_io)(void *ctx, struct devio_nvme *c, struct err *reterr);
	void (*close)(void *ctx); /* required; frees @ctx */
};

struct devio {
	const struct devio_ops *ops;
	void *ctx;
	uint32_t nsid; /* NVMe: of the namespace; 0 otherwise */
};

/* devio_open - the whole disk at @path ("/dev/sda", "/dev/nvme0n1"), opened read-only.
 * -EACCES, -EPERM: ERR_DEVICE "needs root"; other errors of open(2). Close with devio_close(). */
int devio_open(const char *path, struct devio *ret, struct err *reterr);

/* devio_open_replay - answers from the folder @dir/@sysname; nothing of the machine is opened.
 * Files, all optional (hex text, see data/hextext.h, unless said): identify.hex (ATA: 512 bytes;
 * NVMe: 4096, the controller), identify-ns.hex (NVMe namespace), inquiry.hex, vpd-XX.hex,
 * mode-08.N.hex, mode-08.saved.hex, mode-08.default.hex, sense.N.hex, smart.hex,
 * smart-thresholds.hex, smart-status.hex (sense data), devstat-XX.hex (page of the device
 * statistics), log-XX.hex (of NVMe, of SCSI), reserve-keys.hex, reserve.hex, nvme.json.
 *
 * N counts commands from 1. mode-08.N.hex: the lowest N answers MODE SENSE (PC 0) until the first
 * change command (MODE SELECT, SET FEATURES), the next higher N after it, and so on; the last one
 * stays. sense.N.hex: where there is identify.hex, N = 1 goes with ATA IDENTIFY and N = 2, 3, ...
 * with the 1st, 2nd, ... change; without it, the lowest N goes with the first change, and so on.
 * A file without bytes is GOOD status without sense, no file is success; after the last file a
 * refusal (illegal request, ABRT) goes on. identify.N.hex (N from 2) replaces identify.hex after the
 * (N-1)th change. Nothing is imagined: a change alters an answer only if a file says so.
 * nvme.json: "vwc"; "get_feature_06", "get_feature_06_before", "get_feature_06_after" (after a Set
 * Features), "get_feature_06_default", "get_feature_06_saved" and "set_feature_06": {"sct", "sc",
 * "result"}, absent ones 0; "model", "serial", "firmware".
 * ERR_INPUT: -ENOENT no such folder, or a file of it that cannot be read. */
int devio_open_replay(const char *dir, const char *sysname, struct devio *ret, struct err *reterr);

void devio_close(struct devio *io); /* zeroed ones allowed */

/* -- issuing ---------------------------------------------------------------------------------
 * All of these return 0, or: -EOPNOTSUPP, ERR_UNSUPPORTED: the device does not know the command,
 * page or feature (what it said is in the message); -EIO, ERR_DEVICE: it failed otherwise;
 * -EBUSY, ERR_REFUSED: reserved by another host; -errno of the way there. Unit attentions are
 * taken note of and the command is sent again, at most three times. */

int devio_scsi(struct devio *io, struct devio_scsi *c, const char *what, struct err *reterr);
int devio_nvme_admin(struct devio *io, struct devio_nvme *c, const char *what, struct err *reterr);

int devio_inquiry(struct devio *io, struct scsi_inquiry *ret, struct err *reterr);
/* @buf: up to @size (<= 65535) bytes of the page; @ret_len: how many arrived. */
int devio_vpd(struct devio *io, uint8_t page, uint8_t *buf, size_t size, size_t *ret_len,
	struct err *reterr);
/* The page is in @buf; MODE SENSE(10), or (6) where the device does not know that. */
int devio_caching(struct devio *io, enum scsi_pc pc, uint8_t *buf, size_t size,
	struct scsi_caching *ret, struct err *reterr);
/* Current (and, with @save, saved) WCE, by MODE SELECT of what @page and @sense said. */
int devio_caching_select(struct devio *io, const uint8_t *sense, const struct scsi_caching *page,
	bool wce, bool save, struct err *reterr);

/* @buf: 512 bytes of IDENTIFY DEVICE; GOOD status without any sense is success, too (bridges). */
int devio_ata_identify(struct devio *io, uint8_t *buf, struct err *reterr);
int devio_ata_write_cache(struct devio *io, bool on, struct err *reterr);
int devio_ata_smart_data(struct devio *io, uint8_t *buf, struct err *reterr);
int devio_ata_smart_thresholds(struct devio *io, uint8_t *buf, struct err *reterr);
/* The drive's own verdict. -ENODATA, ERR_UNSUPPORTED: the registers that tell did not come back. */
int devio_ata_smart_status(struct devio *io, bool *ret_failing, struct err *reterr);
/* 512 bytes: page @page of the general purpose log @log. */
int devio_ata_log(struct devio *io, uint8_t log, uint8_t page, uint8_t *buf, struct err *reterr);
/* Log page @page, up to @size bytes; @ret_len: how many arrived. */
int devio_log_sense(struct devio *io, uint8_t page, uint8_t *buf, size_t size, size_t *ret_len,
	struct err *reterr);

enum { DEVIO_CNS_NAMESPACE = 0, DEVIO_CNS_CONTROLLER = 1 };
int devio_nvme_identify(struct devio *io, uint8_t cns, uint8_t *buf, struct err *reterr);
enum { DEVIO_FEATURE_WRITE_CACHE = 0x06 };
enum devio_sel { DEVIO_SEL_CURRENT, DEVIO_SEL_DEFAULT, DEVIO_SEL_SAVED };
int devio_nvme_get_feature(struct devio *io, uint8_t feature, enum devio_sel sel, uint32_t *ret,
	struct err *reterr);
/* @value goes into CDW11 as it is; @save: also over a reset, where the controller can. */
int devio_nvme_set_feature(struct devio *io, uint8_t feature, uint32_t value, bool save,
	struct err *reterr);
int devio_nvme_log(struct devio *io, uint8_t log, uint8_t *buf, uint32_t len, struct err *reterr);
int devio_nvme_reservations(struct devio *io, struct nvm_reservations *ret, struct err *reterr);

/* Transports, for devio_open() and tests. */
int dev_sg_open(const char *path, struct devio *ret, struct err *reterr);
int dev_nvme_open(const char *path, struct devio *ret, struct err *reterr);

#endif
