/* sysfs_block.c - where sysfs keeps a block device, its number, its disk and its partitions. */
#include "probes/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "data/units.h"
#include "probes/target.h"

static bool is_kernel_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && !strchr(name, '/') &&
		strlen(name) < SYSFS_NAME_MAX;
}

static int try_dir(const struct sysroot *root, char *buf, size_t len, const char *above,
	const char *name)
{
	int n = snprintf(buf, len, "%s/%s", above, name);

	if (n < 0 || (size_t)n >= len)
		return -ENAMETOOLONG;
	return sysfs_exists(root, "%s", buf) ? 0 : -ENOENT;
}

/* The disk below whose folder a partition's folder lies; @parent has SYSFS_NAME_MAX bytes. */
static int find_disk_of(const struct sysroot *root, const char *name, char *parent)
{
	struct sysfs_names disks;
	int r = sysfs_list(root, &disks, "/sys/block");

	if (r < 0)
		return r;
	r = -ENOENT;
	for (size_t i = 0; i < disks.count && r != 0; i++) {
		/* Partitions are named after their disk, which spares looking below every one. */
		if (strncmp(name, disks.name[i], strlen(disks.name[i])) != 0)
			continue;
		if (sysfs_exists(root, "/sys/block/%s/%s/partition", disks.name[i], name) ||
			sysfs_exists(root, "/sys/block/%s/%s/dev", disks.name[i], name)) {
			strcpy(parent, disks.name[i]);
			r = 0;
		}
	}
	sysfs_names_done(&disks);
	return r;
}

int sysfs_block_dir(const struct sysroot *root, const char *name, char *buf, size_t len)
{
	char parent[SYSFS_NAME_MAX], above[SYSFS_PATH_MAX];
	int r;

	if (!is_kernel_name(name))
		return -EINVAL;
	if (try_dir(root, buf, len, "/sys/class/block", name) == 0)
		return 0;
	if (try_dir(root, buf, len, "/sys/block", name) == 0)
		return 0;
	r = find_disk_of(root, name, parent);
	if (r < 0)
		return r;
	(void)snprintf(above, sizeof(above), "/sys/block/%s", parent); /* a name always fits */
	return try_dir(root, buf, len, above, name);
}

int sysfs_block_number(const struct sysroot *root, const char *name, dev_t *ret)
{
	char dir[SYSFS_PATH_MAX], line[64], *colon;
	uint64_t maj, min;
	int r;

	r = sysfs_block_dir(root, name, dir, sizeof(dir));
	if (r < 0)
		return r;
	if (sysfs_read(root, line, sizeof(line), "%s/dev", dir) <= 0)
		return -ENODATA;
	colon = strchr(line, ':');
	if (!colon)
		return -ENODATA;
	*colon = '\0';
	if (units_parse_u64(line, &maj) < 0 || units_parse_u64(colon + 1, &min) < 0 ||
		maj > UINT32_MAX || min > UINT32_MAX)
		return -ENODATA;
	*ret = makedev((unsigned)maj, (unsigned)min);
	return 0;
}

int sysfs_block_name(const struct sysroot *root, dev_t number, char *buf, size_t len)
{
	char link[SYSFS_PATH_MAX];
	const char *name;
	int r;

	r = sysfs_readlink(root, link, sizeof(link), "/sys/dev/block/%u:%u", major(number),
		minor(number));
	if (r < 0)
		return r;
	name = strrchr(link, '/');
	name = name ? name + 1 : link;
	if (!is_kernel_name(name) || strlen(name) >= len)
		return -EINVAL;
	strcpy(buf, name);
	return 0;
}

int sysfs_block_parent(const struct sysroot *root, const char *name, char *buf, size_t len)
{
	char dir[SYSFS_PATH_MAX], parent[SYSFS_NAME_MAX];
	int r;

	r = sysfs_block_dir(root, name, dir, sizeof(dir));
	if (r < 0)
		return r;
	if (sysfs_exists(root, "/sys/block/%s", name))
		return -ENOENT;
	r = find_disk_of(root, name, parent);
	if (r < 0)
		return r;
	if (strlen(parent) >= len)
		return -ENAMETOOLONG;
	strcpy(buf, parent);
	return 0;
}

int sysfs_block_partitions(const struct sysroot *root, const char *name, struct sysfs_names *ret)
{
	struct sysfs_names all, parts = { .count = 0 };
	char dir[SYSFS_PATH_MAX];
	int r;

	r = sysfs_block_dir(root, name, dir, sizeof(dir));
	if (r == 0)
		r = sysfs_list(root, &all, "%s", dir);
	if (r < 0)
		return r;
	for (size_t i = 0; i < all.count && r == 0; i++) {
		/* A captured tree may lack `partition` or the number, hardly both. */
		if (sysfs_exists(root, "%s/%s/partition", dir, all.name[i]) ||
			(strncmp(all.name[i], name, strlen(name)) == 0 &&
				sysfs_exists(root, "%s/%s/dev", dir, all.name[i])))
			r = sysfs_names_add(&parts, all.name[i]);
	}
	sysfs_names_done(&all);
	if (r < 0) {
		sysfs_names_done(&parts);
		return r;
	}
	*ret = parts;
	return 0;
}

static void swap_characters(char *s, char from, char to)
{
	for (; *s; s++) {
		if (*s == from)
			*s = to;
	}
}

void sysfs_name_to_node(char *name)
{
	swap_characters(name, '!', '/');
}

void sysfs_node_to_name(char *name)
{
	swap_characters(name, '/', '!');
}
