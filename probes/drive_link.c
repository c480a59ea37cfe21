/* drive_link.c - speed and width of the link to a drive, negotiated and possible. */
#include "probes/drive_part.h"

#include "probes/digits.h"

#include <stdio.h>
#include <string.h>

#include "probes/target.h"

static bool read_text(const struct sysroot *root, const char *dir, const char *name, char *buf,
	size_t len)
{
	if (sysfs_read(root, buf, len, "%s/%s", dir, name) <= 0 ||
		strncmp(buf, "Unknown", 7) == 0 || strcmp(buf, "<unknown>") == 0)
		return false;
	drive_clean_string(buf);
	return true;
}

static struct json *link_from(const struct sysroot *root, const char *dir,
	const char *const names[4])
{
	static const char *const keys[] = { "speed", "max_speed", "width", "max_width" };
	struct json *o = json_new_object();
	char text[64];
	bool any = false;

	for (size_t i = 0; i < 4; i++) {
		uint64_t lanes;
		bool known = false;

		if (i < 2 && names[i] && read_text(root, dir, names[i], text, sizeof(text))) {
			(void)json_set_str(o, keys[i], text);
			known = true;
		} else if (i >= 2 && names[i] &&
			sysfs_read_u64(root, &lanes, "%s/%s", dir, names[i]) == 0 && lanes > 0) {
			(void)json_set_u64(o, keys[i], lanes);
			known = true;
		}
		if (!known)
			(void)json_set_null(o, keys[i]);
		any |= known;
	}
	if (!any) {
		json_free(o);
		return NULL;
	}
	return o;
}

/* The namespace's device is its controller, whose device is the PCI function. With the kernel's
 * multipathing it is a subsystem, and the first controller of it stands for all. */
static struct json *nvme_link(const struct sysroot *root, const char *disk)
{
	static const char *const names[4] = { "current_link_speed", "max_link_speed",
		"current_link_width", "max_link_width" };
	char dir[SYSFS_PATH_MAX];
	struct sysfs_names controllers;
	struct json *o;
	const char *rest;
	unsigned n;

	(void)snprintf(dir, sizeof(dir), "/sys/block/%s/device/device", disk); /* fits */
	o = link_from(root, dir, names);
	if (o)
		return o;
	if (sysfs_list(root, &controllers, "/sys/block/%s/device", disk) < 0)
		return NULL;
	for (size_t i = 0; i < controllers.count && !o; i++) {
		rest = digits_after(controllers.name[i], "nvme", &n);
		if (!rest || *rest != '\0')
			continue;
		(void)snprintf(dir, sizeof(dir), "/sys/block/%s/device/%s/device", disk,
			controllers.name[i]); /* fits */
		o = link_from(root, dir, names);
	}
	sysfs_names_done(&controllers);
	return o;
}

/* .../host0/port-0:0/end_device-0:0/target.../block/sda: the phys hang below the port. */
static struct json *sas_link(const struct sysroot *root, const char *disk)
{
	static const char *const names[4] = { "negotiated_linkrate", "maximum_linkrate" };
	char path[SYSFS_PATH_MAX], dir[SYSFS_PATH_MAX + SYSFS_NAME_MAX], *end;
	struct sysfs_names phys;
	struct json *o = NULL;
	uint64_t width = 0;

	if (sysfs_readlink(root, path, sizeof(path), "/sys/block/%s", disk) <= 0)
		return NULL;
	end = strstr(path, "/end_device-");
	if (!end)
		return NULL;
	*end = '\0';
	if (sysfs_list(root, &phys, "/sys/block/%s", path) < 0)
		return NULL;
	for (size_t i = 0; i < phys.count; i++) {
		if (strncmp(phys.name[i], "phy-", 4) != 0)
			continue;
		width++;
		(void)snprintf(dir, sizeof(dir), "/sys/class/sas_phy/%s", phys.name[i]); /* fits */
		if (!o)
			o = link_from(root, dir, names);
	}
	sysfs_names_done(&phys);
	if (o)
		(void)json_set_u64(o, "width", width);
	return o;
}

struct json *drive_link_object(const struct sysroot *root, const char *disk)
{
	if (strncmp(disk, "nvme", 4) == 0)
		return nvme_link(root, disk);
	return strncmp(disk, "sd", 2) == 0 ? sas_link(root, disk) : NULL;
}
