/* stack.c - what a block device is made of. */
#include "probes/stack.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/target.h"

enum { DEPTH_MAX = 16 }; /* real stacks have four or five layers */

static const struct {
	const char *prefix, *layer;
} by_name[] = {
	{ "dm-", "dm" },     { "md", "md" },     { "bcache", "bcache" }, { "drbd", "drbd" },
	{ "loop", "loop" },  { "zram", "zram" }, { "ram", "ram" },       { "nbd", "nbd" },
	{ "rbd", "rbd" },    { "zd", "zvol" },   { "ublkb", "ublk" },    { "vd", "virtual" },
	{ "xvd", "virtual" },
};

/* Prefixes of dm/uuid, which the tool that made the mapping sets. */
static const struct {
	const char *prefix, *layer;
} by_uuid[] = {
	{ "LVM-", "lvm" }, { "CRYPT-", "crypt" }, { "mpath-", "mpath" },
};

static const char *dm_layer(const struct sysroot *root, const char *sysname)
{
	char uuid[256];

	if (sysfs_read(root, uuid, sizeof(uuid), "/sys/block/%s/dm/uuid", sysname) > 0)
		for (size_t i = 0; i < sizeof(by_uuid) / sizeof(by_uuid[0]); i++)
			if (strncmp(uuid, by_uuid[i].prefix, strlen(by_uuid[i].prefix)) == 0)
				return by_uuid[i].layer;
	return "dm";
}

/* Disks of hypervisors that come as SCSI disks. QEMU's own say what medium they stand for and are
 * taken at their word. */
static bool is_virtual_scsi(const struct sysroot *root, const char *sysname)
{
	static const char *const vendors[] = { "VMware", "Msft", "VBOX", "Google", "Amazon", NULL };
	char vendor[64];

	if (sysfs_read(root, vendor, sizeof(vendor), "/sys/block/%s/device/vendor", sysname) <= 0)
		return false;
	for (size_t i = 0; vendors[i]; i++)
		if (strcmp(vendor, vendors[i]) == 0)
			return true;
	return false;
}

const char *stack_layer(const struct sysroot *root, const char *sysname)
{
	char parent[SYSFS_NAME_MAX];

	if (sysfs_block_parent(root, sysname, parent, sizeof(parent)) == 0)
		return "partition";
	for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		size_t len = strlen(by_name[i].prefix);

		/* "mdt" is no md: a digit follows, or a letter after vd and xvd. */
		if (strncmp(sysname, by_name[i].prefix, len) == 0 &&
			(isdigit((unsigned char)sysname[len]) || strstr(by_name[i].prefix, "vd")))
			return strcmp(by_name[i].layer, "dm") == 0 ? dm_layer(root, sysname) :
								      by_name[i].layer;
	}
	return is_virtual_scsi(root, sysname) ? "virtual" : "disk";
}

bool stack_is_volume(const char *layer)
{
	static const char *const volumes[] = { "loop", "zram", "ram", "nbd", "rbd", "drbd", "zvol",
		"ublk", "virtual", NULL };

	for (size_t i = 0; volumes[i]; i++)
		if (strcmp(layer, volumes[i]) == 0)
			return true;
	return false;
}

static int walk(const struct sysroot *root, const char *sysname, int depth,
	struct sysfs_names *found, bool *whole);

/* A loop device that is set up on a block device; on a file the walk ends. */
static int walk_loop(const struct sysroot *root, const char *sysname, int depth,
	struct sysfs_names *found, bool *whole)
{
	char path[SYSFS_PATH_MAX], dir[SYSFS_PATH_MAX];

	if (sysfs_read(root, path, sizeof(path), "/sys/block/%s/loop/backing_file", sysname) > 5 &&
		strncmp(path, "/dev/", 5) == 0) {
		sysfs_node_to_name(path + 5);
		if (sysfs_block_dir(root, path + 5, dir, sizeof(dir)) == 0)
			return walk(root, path + 5, depth + 1, found, whole);
	}
	*whole = false;
	return 0;
}

static int walk(const struct sysroot *root, const char *sysname, int depth,
	struct sysfs_names *found, bool *whole)
{
	char parent[SYSFS_NAME_MAX];
	const char *layer = stack_layer(root, sysname);
	struct sysfs_names slaves;
	int r;

	if (depth > DEPTH_MAX)
		return -ELOOP;
	if (strcmp(layer, "partition") == 0) {
		r = sysfs_block_parent(root, sysname, parent, sizeof(parent));
		return r < 0 ? r : walk(root, parent, depth + 1, found, whole);
	}
	if (strcmp(layer, "loop") == 0)
		return walk_loop(root, sysname, depth, found, whole);
	if (strcmp(layer, "disk") == 0 || strcmp(layer, "virtual") == 0)
		return sysfs_names_add(found, sysname);
	if (sysfs_list(root, &slaves, "/sys/block/%s/slaves", sysname) < 0)
		memset(&slaves, 0, sizeof(slaves));
	r = 0;
	for (size_t i = 0; i < slaves.count && r == 0; i++)
		r = walk(root, slaves.name[i], depth + 1, found, whole);
	if (slaves.count == 0)
		*whole = false;
	sysfs_names_done(&slaves);
	return r;
}

int stack_below(const struct sysroot *root, const char *sysname, struct sysfs_names *ret,
	bool *ret_whole, struct err *reterr)
{
	struct sysfs_names found = { .count = 0 };
	bool whole = true;
	int r = walk(root, sysname, 0, &found, &whole);

	if (r < 0) {
		sysfs_names_done(&found);
		return err_set(reterr, ERR_DEVICE, r, "%s: its slaves cannot be followed: %s",
			sysname, strerror(-r));
	}
	*ret = found;
	*ret_whole = whole;
	return 0;
}
