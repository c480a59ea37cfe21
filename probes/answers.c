/* answers.c - ask a drive who it is, over the machine or a capture. */
#include "probes/answers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/ata.h"
#include "probes/devstr.h"
#include "probes/drive.h"
#include "probes/target.h"

#define VPD_BYTES 252 /* as the kernel asks at first: some bridges fail on more */

static bool is_nvme(const char *sysname)
{
	return strncmp(sysname, "nvme", 4) == 0;
}

int answers_open(const struct sysroot *root, const char *sysname, struct devio *ret,
	struct err *reterr)
{
	char disk[SYSFS_NAME_MAX], path[SYSFS_NAME_MAX + 8];
	int r;

	memset(ret, 0, sizeof(*ret));
	if (sysfs_block_parent(root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a kernel name: fits */
	if (strncmp(disk, "sd", 2) != 0 && !is_nvme(disk))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: answers no drive commands", disk);
	if (sysroot_is_machine(root)) {
		(void)snprintf(path, sizeof(path), "/dev/%s", disk); /* fits */
		return devio_open(path, ret, reterr);
	}
	r = root->replay[0] ? devio_open_replay(root->replay, disk, ret, reterr) : -ENOENT;
	if (r == -ENOENT)
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"%s: the capture has no answers of it", disk);
	return r;
}

int answers_open_fd(int fd, const char *sysname, struct devio *ret, struct err *reterr)
{
	char self[64];

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (is_nvme(sysname))
		return dev_nvme_open(self, ret, reterr);
	if (strncmp(sysname, "sd", 2) == 0)
		return dev_sg_open(self, ret, reterr);
	return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP, "%s: answers no drive commands",
		sysname);
}

/* -- what it says --------------------------------------------------------------------------- */

/* A command that got lost says nothing about the drive; one that was answered with "no" does. */
static bool is_lost(int code)
{
	return code < 0 && code != -EOPNOTSUPP && code != -EBADMSG && code != -ENODATA;
}

static int scsi_names(struct devio *io, struct drive_names *ret, struct err *reterr)
{
	uint8_t page[VPD_BYTES], identify[ATA_IDENTIFY_BYTES];
	struct scsi_inquiry inquiry;
	struct ata_identity ata;
	struct scsi_id id;
	size_t len;
	int r, first;

	first = devio_inquiry(io, &inquiry, reterr);
	if (first == 0)
		(void)snprintf(ret->model, sizeof(ret->model), "%s", inquiry.product); /* fits */
	if (devio_vpd(io, 0x80, page, sizeof(page), &len, NULL) == 0)
		(void)scsi_serial_decode(page, len, ret->serial, NULL); /* "" where it is damaged */
	if (devio_vpd(io, 0x83, page, sizeof(page), &len, NULL) == 0 &&
		scsi_id_decode(page, len, &id, NULL) == 0 && id.kind != SCSI_ID_NONE)
		(void)snprintf(ret->wwn, sizeof(ret->wwn), "%s", id.text); /* fits */
	if (ret->serial[0] && ret->wwn[0])
		return 0;
	/* Only bridges and ATA drives answer this; others say that they do not know it. */
	r = devio_ata_identify(io, identify, NULL);
	if (r < 0)
		return is_lost(first) && is_lost(r) ? first : 0;
	if (ata_identify_decode(identify, sizeof(identify), &ata, NULL) < 0)
		return 0;
	if (!ret->serial[0])
		(void)snprintf(ret->serial, sizeof(ret->serial), "%s", ata.serial); /* fits */
	if (!ret->model[0])
		(void)snprintf(ret->model, sizeof(ret->model), "%s", ata.model); /* fits */
	if (!ret->wwn[0] && ata.has_wwn)
		(void)snprintf(ret->wwn, sizeof(ret->wwn), "naa.%016llx",
			(unsigned long long)ata.wwn); /* fits */
	return 0;
}

static int nvme_names(struct devio *io, struct drive_names *ret, struct err *reterr)
{
	uint8_t buf[NVM_IDENTIFY_BYTES];
	struct nvm_ctrl ctrl;
	struct nvm_ns ns;
	int r;

	r = devio_nvme_identify(io, DEVIO_CNS_CONTROLLER, buf, reterr);
	if (r == 0 && nvm_ctrl_decode(buf, sizeof(buf), &ctrl, NULL) == 0) {
		(void)snprintf(ret->serial, sizeof(ret->serial), "%s", ctrl.serial); /* fits */
		(void)snprintf(ret->model, sizeof(ret->model), "%s", ctrl.model); /* fits */
	}
	if (is_lost(r))
		return r;
	if (devio_nvme_identify(io, DEVIO_CNS_NAMESPACE, buf, NULL) == 0 &&
		nvm_ns_decode(buf, sizeof(buf), &ns, NULL) == 0)
		(void)nvm_ns_wwn(ret->wwn, sizeof(ret->wwn), &ns);
	return 0;
}

int answers_names(struct devio *io, struct drive_names *ret, struct err *reterr)
{
	struct drive_names names = { .model = "" };
	int r = io->ops->scsi ? scsi_names(io, &names, reterr) : nvme_names(io, &names, reterr);

	if (r == 0)
		*ret = names;
	return r;
}

void names_of_disk(const struct sysroot *root, const char *disk, struct drive_names *ret)
{
	struct drive_names told;
	struct devio io;

	memset(ret, 0, sizeof(*ret));
	(void)drive_wwn(root, disk, ret->wwn, sizeof(ret->wwn));
	(void)drive_serial(root, disk, ret->serial, sizeof(ret->serial));
	if (sysfs_read(root, ret->model, sizeof(ret->model), "/sys/block/%s/device/model",
			disk) > 0)
		drive_clean_string(ret->model);
	if (ret->wwn[0] && ret->serial[0])
		return;
	if (answers_open(root, disk, &io, NULL) < 0)
		return;
	if (answers_names(&io, &told, NULL) == 0) {
		if (!ret->wwn[0])
			memcpy(ret->wwn, told.wwn, sizeof(ret->wwn));
		if (!ret->serial[0])
			memcpy(ret->serial, told.serial, sizeof(ret->serial));
		if (!ret->model[0])
			memcpy(ret->model, told.model, sizeof(ret->model));
	}
	devio_close(&io);
}

/* -- the same drive? ------------------------------------------------------------------------ */

bool names_tell_wwn(const char *wwn)
{
	const char *dot = strchr(wwn, '.');

	if (!dot || dot[1] == '\0')
		return false;
	if (strncmp(wwn, "naa.", 4) != 0 && strncmp(wwn, "eui.", 4) != 0)
		return true;
	/* The first digit of an NAA is its kind. */
	return dot[2 + strspn(dot + 2, "0")] != '\0';
}

/* Two kinds of names can belong to one drive. */
static bool same_kind(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");

	return len == strcspn(b, ".") && strncmp(a, b, len) == 0;
}

enum same_drive names_compare(const struct drive_names *a, const struct drive_names *b,
	bool same_size)
{
	if (names_tell_wwn(a->wwn) && names_tell_wwn(b->wwn) && same_kind(a->wwn, b->wwn))
		return strcmp(a->wwn, b->wwn) == 0 ? SAME_YES : SAME_NO;
	return same_size && a->serial[0] && strcmp(a->serial, b->serial) == 0 &&
		strcmp(a->model, b->model) == 0 ? SAME_PERHAPS : SAME_NO;
}
