/* capture_tree.c - which devices belong to a capture, and their sysfs attributes. */
#include "probes/capture_part.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/digits.h"
#include "probes/drive.h"
#include "probes/scrub.h"
#include "probes/target.h"

enum { ATTRIBUTE_MAX = 4096 };

/* -- which devices ---------------------------------------------------------------------------- */

/* The whole devices named in a folder of holders, slaves or partitions. */
static int add_listed(struct capture *c, const char *fmt, const char *disk, const char *part)
{
	char dir[SYSFS_PATH_MAX], parent[SYSFS_NAME_MAX];
	struct sysfs_names names;
	int r = 0;

	(void)snprintf(dir, sizeof(dir), "/sys/block/%s%s%s/%s", disk, part ? "/" : "",
		part ? part : "", fmt); /* a cut path is not found */
	if (sysfs_list(c->root, &names, "%s", dir) < 0)
		return 0;
	for (size_t i = 0; i < names.count && r == 0; i++) {
		bool is_part = sysfs_block_parent(c->root, names.name[i], parent,
			sizeof(parent)) == 0;

		r = sysfs_names_add(&c->disks, is_part ? parent : names.name[i]);
	}
	sysfs_names_done(&names);
	return r;
}

static int add_names(struct capture *c, struct sysfs_names *names)
{
	int r = 0;

	for (size_t i = 0; i < names->count && r == 0; i++)
		r = sysfs_names_add(&c->disks, names->name[i]);
	sysfs_names_done(names);
	return r;
}

static int add_around(struct capture *c, const char *disk)
{
	struct sysfs_names names;
	int r = add_listed(c, "slaves", disk, NULL);

	if (r == 0)
		r = add_listed(c, "holders", disk, NULL);
	if (r == 0 && sysfs_block_partitions(c->root, disk, &names) == 0) {
		for (size_t i = 0; i < names.count && r == 0; i++)
			r = add_listed(c, "holders", disk, names.name[i]);
		sysfs_names_done(&names);
	}
	if (r == 0)
		r = drive_paths(c->root, disk, &names, NULL);
	return r == 0 ? add_names(c, &names) : r;
}

int capture_related(struct capture *c, const char *sysname, struct err *reterr)
{
	char dir[SYSFS_PATH_MAX], disk[SYSFS_NAME_MAX];
	int r = sysfs_block_dir(c->root, sysname, dir, sizeof(dir));

	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: sysfs does not know it: %s", sysname,
			strerror(-r));
	if (sysfs_block_parent(c->root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a checked name: it fits */
	r = sysfs_names_add(&c->disks, disk);
	/* The list grows while it is walked, until nothing new is above, below or beside. */
	for (size_t i = 0; i < c->disks.count && r == 0; i++) {
		memcpy(disk, c->disks.name[i], sizeof(disk));
		r = add_around(c, disk);
	}
	return r < 0 ? err_nomem(reterr) : 0;
}

/* -- attributes ------------------------------------------------------------------------------- */

/* A device: where sysfs has it on this machine, and where it goes in the capture. */
struct place {
	char from[SYSFS_PATH_MAX]; /* "/sys/block/sda" */
	char to[SYSFS_PATH_MAX];   /* "sys/devices/.../block/sda" */
};

static int copy(struct capture *c, const struct place *p, const char *name,
	enum capture_kind kind)
{
	char buf[ATTRIBUTE_MAX];
	int n = sysfs_read_raw(c->root, buf, sizeof(buf), "%s/%s", p->from, name);

	return n < 0 ? 0 : capture_add(c, kind, buf, (size_t)n, "%s/%s", p->to, name);
}

static int copy_list(struct capture *c, const struct place *p, const char *const *names,
	enum capture_kind kind)
{
	int r = 0;

	for (; *names && r == 0; names++)
		r = copy(c, p, *names, kind);
	return r;
}

/* The regular files of a folder of numbers and words. */
static int copy_folder(struct capture *c, const struct place *p, const char *folder)
{
	struct sysfs_names names;
	char name[SYSFS_PATH_MAX];
	int r = 0;

	if (sysfs_list(c->root, &names, "%s/%s", p->from, folder) < 0)
		return 0;
	for (size_t i = 0; i < names.count && r == 0; i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", folder, names.name[i]);
		r = copy(c, p, name, CAPTURE_NUMBER); /* a folder cannot be read: left out */
	}
	sysfs_names_done(&names);
	return r;
}

/* Only the names count: an empty folder stands for each link. */
static int copy_names(struct capture *c, const struct place *p, const char *folder)
{
	struct sysfs_names names;
	int r = 0;

	if (sysfs_list(c->root, &names, "%s/%s", p->from, folder) < 0)
		return 0;
	for (size_t i = 0; i < names.count && r == 0; i++)
		r = capture_add(c, CAPTURE_NUMBER, "", 0, "%s/%s/%s/.keep", p->to, folder,
			names.name[i]);
	sysfs_names_done(&names);
	return r;
}

static const char *const pci_names[] = { "vendor", "device", "class", "current_link_speed",
	"max_link_speed", "current_link_width", "max_link_width", NULL };

static int copy_below(struct capture *c, const struct place *p, const char *below,
	const char *const *names, enum capture_kind kind)
{
	struct place inner;

	if ((size_t)snprintf(inner.from, sizeof(inner.from), "%s/%s", p->from, below) >=
			sizeof(inner.from) ||
		(size_t)snprintf(inner.to, sizeof(inner.to), "%s/%s", p->to, below) >=
			sizeof(inner.to))
		return 0; /* no device is that deep */
	return copy_list(c, &inner, names, kind);
}

static int copy_device(struct capture *c, const struct place *p)
{
	static const char *const texts[] = { "model", "vendor", "rev", "serial", "firmware_rev",
		"wwid", "state", "type", "transport", "raid_level", "driver_name", "name", "fwrev",
		"subsysnqn", NULL };
	static const char *const pages[] = { "vpd_pg0", "vpd_pg00", "vpd_pg80", "vpd_pg83",
		"vpd_pgb0", "vpd_pgb1", "vpd_pgb2", "inquiry", NULL };
	static const char *const scsi[] = { "cache_type", "FUA", "protection_type",
		"provisioning_mode", NULL };
	static const char *const controller[] = { "transport", "state", "model", "serial",
		"firmware_rev", NULL };
	struct sysfs_names names;
	char below[SYSFS_PATH_MAX];
	int r = copy_below(c, p, "device", texts, CAPTURE_TEXT);

	if (r == 0)
		r = copy_below(c, p, "device", pages, CAPTURE_RAW);
	if (r == 0)
		r = copy_below(c, p, "device/device", pci_names, CAPTURE_NUMBER);
	if (r == 0 && sysfs_list(c->root, &names, "%s/device/scsi_disk", p->from) == 0) {
		for (size_t i = 0; i < names.count && r == 0; i++) {
			(void)snprintf(below, sizeof(below), "device/scsi_disk/%s", names.name[i]);
			r = copy_below(c, p, below, scsi, CAPTURE_NUMBER);
		}
		sysfs_names_done(&names);
	}
	/* Controllers of a subsystem, where the kernel multipaths. */
	if (r == 0 && sysfs_list(c->root, &names, "%s/device", p->from) == 0) {
		for (size_t i = 0; i < names.count && r == 0; i++) {
			if (strncmp(names.name[i], "nvme", 4) != 0 ||
				strchr(names.name[i] + 4, 'n'))
				continue;
			(void)snprintf(below, sizeof(below), "device/%s", names.name[i]);
			r = copy_below(c, p, below, controller, CAPTURE_TEXT);
			(void)snprintf(below, sizeof(below), "device/%s/device", names.name[i]);
			if (r == 0)
				r = copy_below(c, p, below, pci_names, CAPTURE_NUMBER);
		}
		sysfs_names_done(&names);
	}
	return r;
}

/* What hangs above the disk in /sys/devices: the SCSI host's driver, the phys of a SAS port. */
static int copy_above(struct capture *c, const char *devices)
{
	static const char *const rates[] = { "negotiated_linkrate", "maximum_linkrate",
		"minimum_linkrate", NULL };
	const char *target = strstr(devices, "/target"), *end = strstr(devices, "/end_device-");
	struct sysfs_names names;
	struct place p;
	unsigned host;
	int r = 0;

	if (digits_after(target, "/target", &host)) {
		(void)snprintf(p.from, sizeof(p.from), "/sys/class/scsi_host/host%u", host);
		(void)snprintf(p.to, sizeof(p.to), "sys/class/scsi_host/host%u", host);
		r = copy(c, &p, "proc_name", CAPTURE_NUMBER);
	}
	if (!end || r < 0 || sysfs_list(c->root, &names, "/sys/%.*s", (int)(end - devices),
			devices) < 0)
		return r;
	for (size_t i = 0; i < names.count && r == 0; i++) {
		if (strncmp(names.name[i], "phy-", 4) != 0)
			continue;
		r = capture_add(c, CAPTURE_NUMBER, "", 0, "sys/%.*s/%s/.keep",
			(int)(end - devices), devices, names.name[i]);
		(void)snprintf(p.from, sizeof(p.from), "/sys/class/sas_phy/%s", names.name[i]);
		(void)snprintf(p.to, sizeof(p.to), "sys/class/sas_phy/%s", names.name[i]);
		if (r == 0)
			r = copy_list(c, &p, rates, CAPTURE_NUMBER);
	}
	sysfs_names_done(&names);
	return r;
}

/* /sys/dev/block and /sys/class/block point to each device: readers take the name off the end. */
static int add_links(struct capture *c, const struct place *p, const char *name, const char *below)
{
	char number[64];
	int r = capture_add_text(c, CAPTURE_LINK, below, "sys/class/block/%s", name);

	if (r == 0 && sysfs_read(c->root, number, sizeof(number), "%s/dev", p->from) > 0 &&
		!strpbrk(number, "/ "))
		r = capture_add_text(c, CAPTURE_LINK, below, "sys/dev/block/%s", number);
	return r;
}

static int copy_partition(struct capture *c, const struct place *disk, const char *name,
	const char *part)
{
	static const char *const numbers[] = { "partition", "start", "size", "ro", "dev", NULL };
	char below[SYSFS_PATH_MAX];
	struct place p;
	int r;

	(void)snprintf(p.from, sizeof(p.from), "%.700s/%s", disk->from, part);
	(void)snprintf(p.to, sizeof(p.to), "%.700s/%s", disk->to, part);
	r = copy_list(c, &p, numbers, CAPTURE_NUMBER);
	if (r == 0)
		r = copy_names(c, &p, "holders");
	if (r == 0 && sysfs_exists(c->root, "%s/bcache", p.from))
		r = capture_add(c, CAPTURE_NUMBER, "", 0, "%s/bcache/.keep", p.to);
	(void)snprintf(below, sizeof(below), "../../block/%s/%s", name, part);
	return r == 0 ? add_links(c, &p, part, below) : r;
}

static int copy_block(struct capture *c, const struct place *p, const char *name)
{
	static const char *const numbers[] = { "size", "ro", "dev", "removable", "hidden",
		"diskseq", "nsid", "md/level", "md/array_state", "md/metadata_version",
		"md/raid_disks", 		"dm/suspended", "loop/autoclear", NULL };
	static const char *const texts[] = { "wwid", "serial", "nguid", "uuid", "eui", "dm/name",
		"dm/uuid", "md/uuid", "loop/backing_file", NULL };
	char below[SYSFS_PATH_MAX];
	struct sysfs_names parts;
	int r = copy_list(c, p, numbers, CAPTURE_NUMBER);

	if (r == 0)
		r = copy_list(c, p, texts, CAPTURE_TEXT);
	if (r == 0)
		r = copy_folder(c, p, "queue");
	if (r == 0)
		r = copy_device(c, p);
	if (r == 0)
		r = copy_names(c, p, "holders");
	if (r == 0)
		r = copy_names(c, p, "slaves");
	if (r == 0 && sysfs_exists(c->root, "%s/bcache", p->from))
		r = capture_add(c, CAPTURE_NUMBER, "", 0, "%s/bcache/.keep", p->to);
	if (r == 0 && sysfs_block_partitions(c->root, name, &parts) == 0) {
		for (size_t i = 0; i < parts.count && r == 0; i++)
			r = copy_partition(c, p, name, parts.name[i]);
		sysfs_names_done(&parts);
	}
	(void)snprintf(below, sizeof(below), "../../block/%s", name);
	return r == 0 ? add_links(c, p, name, below) : r;
}

/* Texts that are identifiers as a whole, or from a prefix on. */
static int know(struct capture *c, const char *disk)
{
	static const char *const names[] = { "wwid", "serial", "nguid", "uuid", "eui", "md/uuid",
		"dm/name", "dm/uuid", "loop/backing_file", "device/wwid", "device/serial",
		"device/subsysnqn", NULL };
	static const char *const prefixes[] = { "naa.", "eui.", "uuid.", "LVM-", "mpath-",
		"CRYPT-LUKS1-", "CRYPT-LUKS2-", "CRYPT-PLAIN-", "nqn.", "0x", NULL };
	char text[512];
	int r = 0;

	for (size_t i = 0; names[i] && r == 0; i++) {
		const char *s = text;

		if (sysfs_read(c->root, text, sizeof(text), "/sys/block/%s/%s", disk,
				names[i]) <= 0)
			continue;
		/* "t10." holds vendor, model and serial: the serial is known by itself. */
		if (strncmp(s, "t10.", 4) == 0)
			continue;
		for (size_t k = 0; prefixes[k]; k++)
			if (strncmp(s, prefixes[k], strlen(prefixes[k])) == 0) {
				s += strlen(prefixes[k]);
				break;
			}
		r = scrub_add(c->scrub, s, strlen(s));
	}
	return r;
}

int capture_sysfs(struct capture *c, const char *disk)
{
	char link[SYSFS_PATH_MAX];
	struct place p;
	int r = know(c, disk);

	if (r < 0)
		return r;
	(void)snprintf(p.from, sizeof(p.from), "/sys/block/%s", disk); /* fits */
	(void)snprintf(p.to, sizeof(p.to), "sys/block/%s", disk);
	/* On a machine it is a link into /sys/devices, which says how the disk is attached. */
	if (sysfs_readlink(c->root, link, sizeof(link), "/sys/block/%s", disk) > 0 &&
		strncmp(link, "../devices/", 11) == 0 && !strstr(link + 3, "..")) {
		r = capture_add_text(c, CAPTURE_LINK, link, "sys/block/%s", disk);
		(void)snprintf(p.to, sizeof(p.to), "sys/%.1000s", link + 3);
		if (r == 0)
			r = copy_above(c, link + 3);
	}
	return r == 0 ? copy_block(c, &p, disk) : r;
}
