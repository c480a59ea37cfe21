/* drive_list.c - which drives there are, and the names they go by. */
#include "probes/drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/digits.h"
#include "probes/target.h"

/* Kinds of names udev gives, best first: those that show model and serial, then numbers. */
static const char *const id_order[] = {
	"ata-", "nvme-", "scsi-S", "scsi-0", "virtio-", "usb-", "mmc-", "md-name-", "dm-name-",
	"scsi-", "wwn-", "md-uuid-", "dm-uuid-", "",
};

static size_t id_rank(const char *name)
{
	size_t i = 0;

	/* A number in the namespace's clothes: the name with model and serial says more. */
	if (strncmp(name, "nvme-eui.", 9) == 0 || strncmp(name, "nvme-uuid.", 10) == 0 ||
		strncmp(name, "nvme-nvme.", 10) == 0)
		return sizeof(id_order) / sizeof(id_order[0]);
	while (strncmp(name, id_order[i], strlen(id_order[i])) != 0)
		i++;
	return i;
}

static bool is_better(const char *name, const char *best)
{
	size_t a = id_rank(name), b = id_rank(best);

	if (a != b)
		return a < b;
	if (strlen(name) != strlen(best)) /* nvme-MODEL_SERIAL rather than ..._SERIAL_1 */
		return strlen(name) < strlen(best);
	return strcmp(name, best) < 0;
}

int drive_by_id(const struct sysroot *root, const char *sysname, char *buf, size_t len)
{
	char link[SYSFS_PATH_MAX], node[SYSFS_NAME_MAX];
	const char *best = NULL;
	struct sysfs_names ids;
	int r;

	r = sysfs_list(root, &ids, "/dev/disk/by-id");
	if (r < 0)
		return r;
	(void)snprintf(node, sizeof(node), "/%s", sysname); /* compared from the last slash on */
	for (size_t i = 0; i < ids.count; i++) {
		const char *tail;

		if (strncmp(ids.name[i], "lvm-pv-uuid-", 12) == 0)
			continue;
		if (sysfs_readlink(root, link, sizeof(link), "/dev/disk/by-id/%s", ids.name[i]) < 0)
			continue;
		tail = strrchr(link, '/');
		if (tail && strcmp(tail, node) == 0 && (!best || is_better(ids.name[i], best)))
			best = ids.name[i];
	}
	r = best ? snprintf(buf, len, "/dev/disk/by-id/%s", best) : -ENOENT;
	sysfs_names_done(&ids);
	if (r < 0)
		return r;
	return (size_t)r < len ? 0 : -ENAMETOOLONG;
}

/* Devices made of other devices, of memory or of a network's: no drives to qualify by default. */
static bool is_made_up(const char *name)
{
	static const char *const prefixes[] = { "loop", "zram", "ram", "nbd", "rbd", "dm-", "md",
		"bcache", "drbd", "zd", "ublkb", "mtdblock", "fd", "sr", NULL };

	for (size_t i = 0; prefixes[i]; i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/* A path of a device that the kernel multipaths itself (nvme0c0n1). */
static bool is_hidden(const struct sysroot *root, const char *name)
{
	uint64_t hidden;

	return sysfs_read_u64(root, &hidden, "/sys/block/%s/hidden", name) == 0 && hidden != 0;
}

static bool has_size(const struct sysroot *root, const char *name)
{
	uint64_t size;

	return sysfs_read_u64(root, &size, "/sys/block/%s/size", name) < 0 || size > 0;
}

/* Is an earlier path to the same drive listed already? */
static bool is_twin(const struct sysroot *root, const struct sysfs_names *listed, const char *name)
{
	char wwn[256], other[256];

	if (drive_wwn(root, name, wwn, sizeof(wwn)) <= 0)
		return false;
	for (size_t i = 0; i < listed->count; i++) {
		if (drive_wwn(root, listed->name[i], other, sizeof(other)) > 0 &&
			strcmp(wwn, other) == 0)
			return true;
	}
	return false;
}

/* Held by a multipath device that stands for an earlier path, too. */
static bool shares_multipath(const struct sysroot *root, const struct sysfs_names *listed,
	const char *name)
{
	struct sysfs_names holders;
	char uuid[128];
	bool shared = false;

	if (sysfs_list(root, &holders, "/sys/block/%s/holders", name) < 0)
		return false;
	for (size_t h = 0; h < holders.count && !shared; h++) {
		if (sysfs_read(root, uuid, sizeof(uuid), "/sys/block/%s/dm/uuid",
				holders.name[h]) <= 0 ||
			strncmp(uuid, "mpath-", 6) != 0)
			continue;
		for (size_t i = 0; i < listed->count && !shared; i++)
			shared = sysfs_exists(root, "/sys/block/%s/holders/%s", listed->name[i],
				holders.name[h]);
	}
	sysfs_names_done(&holders);
	return shared;
}

int drive_scan(const struct sysroot *root, bool all, struct sysfs_names *ret, struct err *reterr)
{
	struct sysfs_names found, drives = { .count = 0 };
	int r = sysfs_list(root, &found, "/sys/block");

	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "/sys/block: %s; is sysfs mounted?",
			strerror(-r));
	for (size_t i = 0; i < found.count && r == 0; i++) {
		const char *name = found.name[i];

		if (is_hidden(root, name) || (is_made_up(name) && (!all || !has_size(root, name))))
			continue;
		if (!is_made_up(name) && (is_twin(root, &drives, name) ||
				shares_multipath(root, &drives, name)))
			continue;
		r = sysfs_names_add(&drives, name);
	}
	sysfs_names_done(&found);
	if (r < 0) {
		sysfs_names_done(&drives);
		return err_nomem(reterr);
	}
	*ret = drives;
	return 0;
}

/* nvme0c1n2 is a path of nvme0n2. */
static bool is_nvme_path(const char *path, const char *disk)
{
	unsigned subsystem, controller, ns, of_subsystem, of_ns;
	const char *end = digits_after(path, "nvme", &subsystem);

	end = digits_after(digits_after(end, "c", &controller), "n", &ns);
	return end && *end == '\0' &&
		digits_after(digits_after(disk, "nvme", &of_subsystem), "n", &of_ns) &&
		subsystem == of_subsystem && ns == of_ns;
}

int drive_paths(const struct sysroot *root, const char *disk, struct sysfs_names *ret,
	struct err *reterr)
{
	struct sysfs_names found, paths = { .count = 0 };
	int r = sysfs_names_add(&paths, disk);

	if (r == 0 && sysfs_list(root, &found, "/sys/block") == 0) {
		for (size_t i = 0; i < found.count && r == 0; i++) {
			const char *name = found.name[i];

			if (strcmp(name, disk) == 0 || is_made_up(name))
				continue;
			if (is_nvme_path(name, disk) || (!is_hidden(root, name) &&
					(is_twin(root, &paths, name) ||
						shares_multipath(root, &paths, name))))
				r = sysfs_names_add(&paths, name);
		}
		sysfs_names_done(&found);
	}
	if (r < 0) {
		sysfs_names_done(&paths);
		return err_nomem(reterr);
	}
	*ret = paths;
	return 0;
}
