/* writecache_drive.c - asks the drive for its cache state, and commands it. */
#include "probes/writecache_drive.h"

#include "probes/ata.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_ROOM = 252 };

static int unknown(struct wc_state *s, const char *why)
{
	s->drive = WC_DRIVE_UNKNOWN;
	(void)snprintf(s->why, sizeof(s->why), "%.223s", why); /* may be cut */
	return 0;
}

static int read_ata(struct devio *io, struct wc_state *s, struct err *e)
{
	uint8_t buf[ATA_IDENTIFY_BYTES];
	struct ata_identity id;
	int rc = devio_ata_identify(io, buf, e);

	if (rc == 0)
		rc = ata_identify_decode(buf, sizeof(buf), &id, e);
	if (rc < 0)
		return rc;
	s->method = WC_BY_ATA;
	if (id.wc_supported == FACT_NO) {
		s->drive = WC_DRIVE_UNSUPPORTED;
		(void)snprintf(s->why, sizeof(s->why),
			"the drive does not support the write cache feature set (word 82 bit 5)");
		return 0;
	}
	if (id.wc_enabled == FACT_UNKNOWN)
		return unknown(s, "IDENTIFY DEVICE does not declare words 82 to 87 valid");
	s->drive = id.wc_enabled == FACT_YES ? WC_DRIVE_ON : WC_DRIVE_OFF;
	return 0;
}

static enum fact read_page_control(struct devio *io, enum scsi_pc pc)
{
	uint8_t buf[PAGE_ROOM];
	struct scsi_caching page;

	if (devio_caching(io, pc, buf, sizeof(buf), &page, NULL) < 0)
		return FACT_UNKNOWN;
	return fact_of(page.wce);
}

static int read_scsi(struct devio *io, struct wc_state *s, struct err *e)
{
	uint8_t buf[PAGE_ROOM];
	struct scsi_caching page;
	int rc = devio_caching(io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, e);

	if (rc < 0)
		return rc;
	s->method = WC_BY_SCSI;
	s->drive = page.wce ? WC_DRIVE_ON : WC_DRIVE_OFF;
	s->rcd = page.rcd;
	s->saveable = page.saveable;
	s->saved = read_page_control(io, SCSI_PC_SAVED);
	s->initial = read_page_control(io, SCSI_PC_DEFAULT);
	return 0;
}

static enum fact read_selected(struct devio *io, enum devio_sel sel)
{
	uint32_t value;

	if (devio_nvme_get_feature(io, DEVIO_FEATURE_WRITE_CACHE, sel, &value, NULL) < 0)
		return FACT_UNKNOWN;
	return fact_of(nvm_wce(value));
}

static int read_nvme(struct devio *io, struct wc_state *s, struct err *e)
{
	uint8_t *buf = malloc(NVM_IDENTIFY_BYTES);
	struct nvm_ctrl c;
	uint32_t value;
	int rc;

	if (!buf)
		return err_nomem(e);
	rc = devio_nvme_identify(io, DEVIO_CNS_CONTROLLER, buf, e);
	if (rc == 0)
		rc = nvm_ctrl_decode(buf, NVM_IDENTIFY_BYTES, &c, e);
	free(buf);
	if (rc < 0)
		return rc;
	s->method = WC_BY_NVME;
	/* Without a cache feature 06h is not there either: asking for it earns an error. */
	if (!c.vwc) {
		s->drive = WC_DRIVE_NONE;
		(void)snprintf(s->why, sizeof(s->why),
			"no volatile write cache (nothing to toggle)");
		return 0;
	}
	rc = devio_nvme_get_feature(io, DEVIO_FEATURE_WRITE_CACHE, DEVIO_SEL_CURRENT, &value, e);
	if (rc < 0)
		return rc;
	s->drive = nvm_wce(value) ? WC_DRIVE_ON : WC_DRIVE_OFF;
	if (c.saves_features) {
		s->saved = read_selected(io, DEVIO_SEL_SAVED);
		s->initial = read_selected(io, DEVIO_SEL_DEFAULT);
	}
	return 0;
}

/* ATA disks behind a translation layer say so in INQUIRY. RAID volumes and SAS disks are not sent
 * ATA commands; where INQUIRY itself has no answer, both ways are tried. */
static bool speaks_ata(const struct wc_dev *d)
{
	struct scsi_inquiry q;

	if (d->try_ata || devio_inquiry(d->io, &q, NULL) < 0)
		return true;
	return strcmp(q.vendor, "ATA") == 0;
}

int wc_read_drive(const struct wc_dev *d, struct wc_state *s, struct err *reterr)
{
	struct err e = ERR_INIT;
	int rc;

	s->method = WC_BY_NOTHING;
	s->drive = WC_DRIVE_UNKNOWN;
	s->saved = s->initial = FACT_UNKNOWN;
	s->saveable = s->rcd = false;
	s->why[0] = '\0';
	if (!d->io)
		return unknown(s, "the drive was not asked; run as root");
	if (d->io->ops->nvme_admin) {
		rc = read_nvme(d->io, s, &e);
	} else if (!d->io->ops->scsi) {
		return unknown(s, "this device takes neither SCSI nor NVMe commands");
	} else {
		struct err ata = ERR_INIT;

		rc = speaks_ata(d) ? read_ata(d->io, s, &ata) : -EOPNOTSUPP;
		if (rc < 0)
			rc = read_scsi(d->io, s, &e);
		/* Of two failures the one that is no plain "unknown command" tells more. */
		if (rc < 0 && ata.code != 0 && ata.kind != ERR_UNSUPPORTED)
			e = ata;
	}
	if (rc == -ENOMEM)
		return err_nomem(reterr);
	return rc < 0 ? unknown(s, e.msg) : 0;
}

int wc_command(const struct wc_dev *d, const struct wc_state *s, bool on, bool save,
	struct err *reterr)
{
	uint8_t buf[PAGE_ROOM];
	struct scsi_caching page;
	int rc;

	switch (s->method) {
	case WC_BY_ATA:
		return devio_ata_write_cache(d->io, on, reterr);
	case WC_BY_NVME:
		return devio_nvme_set_feature(d->io, DEVIO_FEATURE_WRITE_CACHE, on ? 1 : 0, save,
			reterr);
	case WC_BY_SCSI:
		/* Read anew: what is sent back must be what the drive says now. */
		rc = devio_caching(d->io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, reterr);
		if (rc < 0)
			return rc;
		return devio_caching_select(d->io, buf, &page, on, save && page.saveable, reterr);
	case WC_BY_NOTHING:
	default:
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"no command is known that sets this drive's write cache");
	}
}
