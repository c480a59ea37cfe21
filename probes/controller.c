/* controller.c - is there a RAID controller in front of this disk? */
#include "probes/controller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/digits.h"
#include "probes/drive.h"
#include "probes/sysfs.h"
#include "probes/target.h"

enum rule { BY_CHANNEL_0_1_BARE, BY_CHANNEL_1_RAID, BY_CHANNEL_0_RAID, BY_LEVEL, BY_MODEL };

static const struct {
	const char *driver;
	enum rule rule;
	const char *bare; /* what a disk that is no virtual disk is behind */
} drivers[] = {
	{ "megaraid_sas", BY_CHANNEL_0_1_BARE, "jbod" }, { "mpi3mr", BY_MODEL, "jbod" },
	{ "mpt3sas", BY_CHANNEL_1_RAID, "hba" },         { "mpt2sas", BY_CHANNEL_1_RAID, "hba" },
	{ "smartpqi", BY_LEVEL, "hba" },                 { "hpsa", BY_LEVEL, "hba" },
	{ "aacraid", BY_CHANNEL_0_RAID, "jbod" },
};

/* What INQUIRY says of virtual disks; the vendor alone where @model is NULL. A model ends where the
 * table's text ends: these names go on with sizes and generations. */
static const struct {
	const char *vendor, *model;
} volumes[] = {
	{ "HP", "LOGICAL VOLUME" },  { "HPE", "LOGICAL VOLUME" }, { "COMPAQ", "LOGICAL VOLUME" },
	{ "DELL", "PERC" },          { "DELL", "Virtual Disk" },  { "LSI", "Logical Volume" },
	{ "LSI", "MR" },             { "LSI", "MegaRAID" },       { "AVAGO", NULL },
	{ "BROADCOM", "MR" },        { "Broadcom", "MR" },        { "Lenovo", "RAID" },
	{ "LENOVO", "RAID" },        { "IBM", "ServeRAID" },      { "IBM", "RAID" },
	{ "FTS", "PRAID" },          { "CISCO", "UCSC" },         { "SMC", "SMC" },
	{ "Intel", "RS3" },          { "INTEL", "RS3" },          { "Adaptec", NULL },
	{ "ASR", NULL },             { "Areca", NULL },           { "AMCC", NULL },
	{ "MSCC", "LOGICAL VOLUME" }, { "Microsemi", "LOGICAL VOLUME" },
};

static bool names_volume(const char *vendor, const char *model)
{
	for (size_t i = 0; i < sizeof(volumes) / sizeof(volumes[0]); i++)
		if (strcmp(vendor, volumes[i].vendor) == 0 &&
			(!volumes[i].model || strncmp(model, volumes[i].model,
				strlen(volumes[i].model)) == 0))
			return true;
	return strncmp(model, "PERC ", 5) == 0 || strcmp(model, "LOGICAL VOLUME") == 0;
}

static bool read_attribute(const struct sysroot *root, const char *disk, const char *name,
	char *buf, size_t len)
{
	if (sysfs_read(root, buf, len, "/sys/block/%s/device/%s", disk, name) <= 0) {
		buf[0] = '\0';
		return false;
	}
	drive_clean_string(buf);
	return true;
}

/* The SCSI host's driver, and the channel, from where sysfs hangs the disk:
 * .../host2/target2:1:0/2:1:0:0/block/sda. @driver: 64 bytes; "" where it is not said. */
static bool read_host(const struct sysroot *root, const char *disk, char *driver,
	unsigned *ret_channel)
{
	char path[SYSFS_PATH_MAX];
	const char *part;
	unsigned host;

	driver[0] = '\0';
	if (sysfs_readlink(root, path, sizeof(path), "/sys/block/%s", disk) <= 0)
		return false;
	part = digits_after(strstr(path, "/target"), "/target", &host);
	part = digits_after(part, ":", ret_channel);
	if (!part || *part != ':')
		return false;
	if (sysfs_read(root, driver, 64, "/sys/class/scsi_host/host%u/proc_name", host) <= 0)
		driver[0] = '\0';
	return true;
}

static bool is_volume(enum rule rule, bool by_name, const char *level, unsigned channel,
	const char **ret_source)
{
	*ret_source = "driver and channel";
	switch (rule) {
	case BY_CHANNEL_0_1_BARE:
		return channel > 1;
	case BY_CHANNEL_1_RAID:
		return channel == 1;
	case BY_CHANNEL_0_RAID:
		return channel == 0;
	case BY_LEVEL:
		*ret_source = level[0] ? "driver and raid_level" : "driver, vendor and model";
		return level[0] ? strcmp(level, "N/A") != 0 : by_name;
	case BY_MODEL:
	default:
		*ret_source = "driver, vendor and model";
		return by_name;
	}
}

static struct json *object(const char *driver, const char *kind, const char *source)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "driver", driver);
	(void)json_set_str(o, "kind", kind);
	if (json_set_str(o, "source", source) < 0) {
		json_free(o);
		return NULL;
	}
	return o;
}

struct json *controller_detect(const struct sysroot *root, const char *disk)
{
	char driver[64], vendor[64], model[128], level[32];
	const char *source;
	unsigned channel = 0;
	bool placed, by_name;

	placed = read_host(root, disk, driver, &channel);
	(void)read_attribute(root, disk, "vendor", vendor, sizeof(vendor));
	(void)read_attribute(root, disk, "model", model, sizeof(model));
	(void)read_attribute(root, disk, "raid_level", level, sizeof(level));
	by_name = names_volume(vendor, model);
	for (size_t i = 0; placed && i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		bool raid;

		if (strcmp(driver, drivers[i].driver) != 0)
			continue;
		raid = is_volume(drivers[i].rule, by_name, level, channel, &source);
		return object(driver, raid || by_name ? "raid" : drivers[i].bare,
			raid || !by_name ? source : "vendor and model");
	}
	/* A capture without links, or a driver that is not listed: the name is all there is. */
	if (by_name)
		return object(driver[0] ? driver : NULL, "raid", "vendor and model");
	if (level[0] && strcmp(level, "N/A") != 0)
		return object(driver[0] ? driver : NULL, "raid", "raid_level");
	return NULL;
}

bool controller_is_raid(const struct json *identity)
{
	const char *kind = json_str(json_path(identity, "controller.kind"));

	return kind && strcmp(kind, "raid") == 0;
}
