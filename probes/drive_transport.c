/* drive_transport.c - how a disk is attached, read from where sysfs hangs it. */
#include "probes/drive.h"

#include <stdio.h>
#include <string.h>

/* Kernel names that say it all; the longest prefix comes first where one begins another. */
static const struct {
	const char *prefix, *transport;
} by_name[] = {
	{ "nvme", "nvme" },     { "vd", "virtio" },   { "xvd", "xen" },    { "mmcblk", "mmc" },
	{ "loop", "loop" },     { "zram", "zram" },   { "ram", "ram" },    { "nbd", "nbd" },
	{ "rbd", "rbd" },       { "dm-", "dm" },      { "md", "md" },      { "bcache", "bcache" },
	{ "drbd", "drbd" },     { "zd", "zvol" },     { "pmem", "pmem" },  { "mtdblock", "mtd" },
	{ "cciss!", "cciss" },  { "dasd", "dasd" },   { "ublkb", "ublk" },
};

/* Parts of a SCSI disk's folder in /sys/devices, most telling first: an ATA disk on a USB bridge is
 * a USB disk, an ATA disk of libata hangs below ataN. */
static const struct {
	const char *part, *transport;
} by_path[] = {
	{ "/usb", "usb" },           { "/rport-", "fc" },     { "/session", "iscsi" },
	{ "/end_device-", "sas" },   { "/ata", "sata" },      { "/fw", "firewire" },
	{ "/virtio", "virtio" },
	{ "/vmbus", "hyperv" },
};

static const char *nvme_transport(const struct sysroot *root, const char *disk, char *buf,
	size_t len)
{
	char word[32];

	/* Its "device" is the controller, or a subsystem where the kernel multipaths. */
	if (sysfs_read(root, word, sizeof(word), "/sys/block/%s/device/transport", disk) <= 0 ||
		strcmp(word, "pcie") == 0)
		return "nvme";
	(void)snprintf(buf, len, "nvme-%s", word); /* a cut word is still a word */
	drive_clean_string(buf);
	return buf;
}

static const char *scsi_transport(const struct sysroot *root, const char *disk, const char *path)
{
	char vendor[32];

	for (size_t i = 0; i < sizeof(by_path) / sizeof(by_path[0]); i++) {
		if (!strstr(path, by_path[i].part))
			continue;
		/* A SATA drive behind a SAS adaptor or expander speaks ATA all the same. */
		if (strcmp(by_path[i].transport, "sas") == 0 &&
			sysfs_read(root, vendor, sizeof(vendor), "/sys/block/%s/device/vendor",
				disk) > 0 &&
			strcmp(vendor, "ATA") == 0)
			return "sata";
		return by_path[i].transport;
	}
	return NULL;
}

const char *drive_transport(const struct sysroot *root, const char *disk, char *buf, size_t len)
{
	char path[SYSFS_PATH_MAX];

	if (strncmp(disk, "nvme", 4) == 0)
		return nvme_transport(root, disk, buf, len);
	for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		if (strncmp(disk, by_name[i].prefix, strlen(by_name[i].prefix)) == 0)
			return by_name[i].transport;
	}
	if (sysfs_readlink(root, path, sizeof(path), "/sys/block/%s", disk) < 0)
		return NULL;
	return scsi_transport(root, disk, path);
}
