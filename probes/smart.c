/* smart.c - read a drive's health in the language that it speaks. */
#include "probes/smart.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probes/answers.h"
#include "probes/ata.h"
#include "probes/controller.h"
#include "probes/drive.h"

static void stamp(struct smart_health *h)
{
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		(void)strftime(h->taken_at, sizeof(h->taken_at), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* libata and the adaptors that translate say so in INQUIRY; USB bridges say anything, and captures
 * may hold IDENTIFY data alone. Others are SCSI drives and arrays, which would log an unknown
 * command. */
static bool speaks_ata(struct devio *io, const char *transport)
{
	uint8_t identify[ATA_IDENTIFY_BYTES];
	struct ata_identity id;
	struct scsi_inquiry q;

	if (devio_inquiry(io, &q, NULL) == 0) {
		if (strcmp(q.vendor, "ATA") == 0)
			return true;
		if (!transport || strcmp(transport, "usb") != 0)
			return false;
	}
	return devio_ata_identify(io, identify, NULL) == 0 &&
		ata_identify_decode(identify, sizeof(identify), &id, NULL) == 0;
}

int smart_ask(struct devio *io, const char *transport, bool raid, struct smart_health *ret,
	struct err *reterr)
{
	if (raid)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"a RAID controller's virtual disk has no SMART of its own; the controller's "
			"tool and `smartctl -d megaraid,N` ask the drives behind it");
	if (io->ops->nvme_admin)
		return smart_ask_nvme(io, ret, reterr);
	if (speaks_ata(io, transport))
		return smart_ask_ata(io, ret, reterr);
	return smart_ask_scsi(io, ret, reterr);
}

static bool is_raid(const struct sysroot *root, const char *disk)
{
	struct json *controller = controller_detect(root, disk);
	const char *kind = json_str(json_get(controller, "kind"));
	bool raid = kind && strcmp(kind, "raid") == 0;

	json_free(controller);
	return raid;
}

int smart_read(const struct sysroot *root, const char *sysname, struct smart_health *ret,
	struct err *reterr)
{
	char disk[SYSFS_NAME_MAX], word[48];
	const char *transport;
	struct devio io;
	int rc;

	if (sysfs_block_parent(root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a kernel name: fits */
	rc = answers_open(root, disk, &io, reterr);
	if (rc < 0)
		return rc;
	transport = drive_transport(root, disk, word, sizeof(word));
	rc = smart_ask(&io, transport, is_raid(root, disk), ret, reterr);
	devio_close(&io);
	if (rc < 0) {
		(void)err_prefix(reterr, "%s", disk);
		return rc;
	}
	if (sysroot_is_machine(root))
		stamp(ret);
	return 0;
}
