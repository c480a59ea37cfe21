/* safety_block.c - who uses a block device: itself, its partitions, its disk, what holds it.
 *
 * Devices are compared by number. Names are compared only where no number is known (a capture) or
 * where the number says nothing (btrfs gives its files an anonymous one).
 */
#include "probes/safety_facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define HOLDER_DEPTH_MAX 16

struct judge {
	const struct safety_facts *f;
	const struct sysroot *root;
	struct safety_report *rep;
	struct sysfs_names seen; /* devices looked at, which ends loops */
};

struct node {
	const char *name; /* kernel name */
	bool numbered;
	dev_t dev;
};

static struct node node_of(const struct judge *j, const char *name)
{
	struct node n = { .name = name };

	n.numbered = sysfs_block_number(j->root, name, &n.dev) == 0;
	return n;
}

static int add(struct judge *j, const char *kind, const char *name, const char *detail)
{
	return safety_use_add(&j->rep->uses, &j->rep->use_count, kind, name, "%s", detail);
}

/* Does the path @source of length @len, from a mount or swap table, name the device @n? */
static bool names_node(const struct judge *j, const struct node *n, const char *source, size_t len)
{
	char path[SYSFS_PATH_MAX];
	struct stat st;

	if (len <= strlen("/dev/") || len >= sizeof(path) || memcmp(source, "/dev/", 5) != 0)
		return false;
	memcpy(path, source, len);
	path[len] = '\0';
	if (n->numbered && sysroot_is_machine(j->root) && stat(path, &st) == 0 &&
		S_ISBLK(st.st_mode) && st.st_rdev == n->dev)
		return true;
	sysfs_node_to_name(path + 5);
	return strcmp(path + 5, n->name) == 0;
}

/* bcachefs lists its devices with colons between. */
static bool source_names(const struct judge *j, const struct node *n, const char *source)
{
	while (*source) {
		size_t len = strcspn(source, ":");

		if (names_node(j, n, source, len))
			return true;
		source += len + (source[len] == ':');
	}
	return false;
}

/* Devices among the options: logdev= and rtdev= of XFS, journal_path= of ext4, device= of btrfs. */
static bool options_name(const struct judge *j, const struct node *n, const char *options)
{
	while (*options) {
		size_t len = strcspn(options, ",");
		const char *value = memchr(options, '=', len);

		if (value && names_node(j, n, value + 1, len - (size_t)(value + 1 - options)))
			return true;
		options += len + (options[len] == ',');
	}
	return false;
}

static bool mount_uses(const struct judge *j, const struct node *n, const struct mount *m)
{
	if (n->numbered && major(m->dev) != 0) {
		if (m->dev == n->dev)
			return true;
	} else if (source_names(j, n, m->source)) {
		return true;
	}
	return strstr(m->super, "=/dev/") && options_name(j, n, m->super);
}

/* The mount of @n that is told about: our own namespace's first. */
static const struct mount *find_mount(const struct judge *j, const struct node *n,
	const char **ret_who)
{
	for (size_t s = 0; s < j->f->space_count; s++) {
		const struct mount_space *space = &j->f->spaces[s];

		for (size_t i = 0; i < space->table.count; i++) {
			if (mount_uses(j, n, &space->table.mounts[i])) {
				*ret_who = space->who;
				return &space->table.mounts[i];
			}
		}
	}
	return NULL;
}

/* "mounted on /mnt" or "mounted on /mnt (process 7 (bash))"; false when it is not mounted. */
static bool mount_text(const struct judge *j, const struct node *n, char *buf, size_t len)
{
	const char *who;
	const struct mount *m = find_mount(j, n, &who);

	if (!m)
		return false;
	(void)snprintf(buf, len, "mounted on %s%s%s", m->point,
		who[0] ? ", in the mount namespace of " : "", who); /* cut is still a reason */
	return true;
}

static bool is_swap(const struct judge *j, const struct node *n)
{
	for (size_t i = 0; i < j->f->swap_count; i++) {
		const struct swap_area *swap = &j->f->swaps[i];

		if (swap->is_file)
			continue;
		if (n->numbered && swap->rdev != 0 ? swap->rdev == n->dev :
						     names_node(j, n, swap->path, strlen(swap->path)))
			return true;
	}
	return false;
}

static int judge_loops(struct judge *j, const struct node *n)
{
	char detail[SYSFS_NAME_MAX + 32];
	int r = 0;

	for (size_t i = 0; i < j->f->loop_count && r == 0; i++) {
		const struct loop_fact *loop = &j->f->loops[i];
		bool backed;

		if (loop->identified && n->numbered)
			backed = loop->rdev != 0 && loop->rdev == n->dev;
		else
			backed = names_node(j, n, loop->backing, strlen(loop->backing));
		if (!backed)
			continue;
		(void)snprintf(detail, sizeof(detail), "backs %s", loop->name); /* fits */
		r = add(j, "loop", n->name, detail);
	}
	return r;
}

static int judge_openers(struct judge *j, const struct node *n)
{
	char detail[128];
	int r = 0;

	for (size_t i = 0; i < j->f->opener_count && r == 0 && n->numbered; i++) {
		if (j->f->openers[i].rdev != n->dev)
			continue;
		(void)snprintf(detail, sizeof(detail), "open for writing in %s%s",
			j->f->openers[i].who,
			strstr(j->f->openers[i].who, "(ceph-osd") ? ", a Ceph OSD" : ""); /* fits */
		r = add(j, "process", n->name, detail);
	}
	return r;
}

/* Mounted file systems over several devices: only the first one's number is in the mount table. */
static int judge_members(struct judge *j, const struct node *n)
{
	char detail[SYSFS_NAME_MAX + 64], dir[SYSFS_PATH_MAX];
	struct sysfs_names sets;
	int r = 0;

	if (sysfs_list(j->root, &sets, "/sys/fs/btrfs") == 0) {
		for (size_t i = 0; i < sets.count && r == 0; i++) {
			if (!sysfs_exists(j->root, "/sys/fs/btrfs/%s/devices/%s", sets.name[i],
					n->name))
				continue;
			(void)snprintf(detail, sizeof(detail), "member of the mounted btrfs %s",
				sets.name[i]); /* fits */
			r = add(j, "mount", n->name, detail);
		}
		sysfs_names_done(&sets);
	}
	if (r == 0 && sysfs_block_dir(j->root, n->name, dir, sizeof(dir)) == 0 &&
		sysfs_exists(j->root, "%s/bcache", dir))
		r = add(j, "holder", n->name, "in use by bcache");
	return r;
}

/* What uses the node itself, without what is built on it. */
static int judge_direct(struct judge *j, const char *name)
{
	struct node n = node_of(j, name);
	char detail[512];
	int r = 0;

	if (mount_text(j, &n, detail, sizeof(detail)))
		r = add(j, "mount", name, detail);
	if (r == 0 && is_swap(j, &n))
		r = add(j, "swap", name, "in use as swap space");
	if (r == 0)
		r = judge_members(j, &n);
	if (r == 0)
		r = judge_loops(j, &n);
	if (r == 0)
		r = judge_openers(j, &n);
	return r;
}

/* -- holders -------------------------------------------------------------------------------- */

/* LVM joins the names of group and volume with '-' and doubles the dashes inside them. */
static bool is_ceph_volume(const char *dm_name)
{
	return strncmp(dm_name, "ceph--", 6) == 0;
}

/* Who made a device-mapper device: the part of its uuid before the dash ("part1-mpath-..." of a
 * partition made by kpartx). */
static const char *dm_owner(const char *uuid)
{
	static const struct {
		const char *prefix, *words;
	} rows[] = {
		{ "LVM-", ", LVM" },
		{ "mpath-", ", multipath: name that device instead" },
		{ "CRYPT-", ", encrypted" },
		{ "DMRAID-", ", firmware RAID" },
		{ "VDO-", ", VDO" },
		{ "stratis-", ", Stratis" },
	};
	const char *dash;

	if (strncmp(uuid, "part", 4) == 0 && (dash = strchr(uuid, '-')))
		uuid = dash + 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strncmp(uuid, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].words;
	}
	return "";
}

static const char *describe_holder(const struct judge *j, const char *holder, char *buf, size_t len)
{
	char name[160] = "", uuid[160] = "";
	const char *kind = "holder", *what;

	(void)sysfs_read(j->root, name, sizeof(name), "/sys/block/%s/dm/name", holder);
	(void)sysfs_read(j->root, uuid, sizeof(uuid), "/sys/block/%s/dm/uuid", holder);
	what = is_ceph_volume(name) ? ", a Ceph OSD's volume" : dm_owner(uuid);
	if (strncmp(uuid, "LVM-", 4) == 0)
		kind = "lvm";
	else if (strncmp(holder, "md", 2) == 0)
		kind = "md";
	if (name[0])
		(void)snprintf(buf, len, "holder %s (%s%s)", holder, name, what); /* cut is a hint */
	else
		(void)snprintf(buf, len, "holder %s", holder);
	return kind;
}

static int judge_holders(struct judge *j, const char *name, int depth);

/* The holder, its mounts told in the same breath; then what is built on it in turn. */
static int judge_holder(struct judge *j, const char *name, const char *holder, int depth)
{
	struct node n = node_of(j, holder);
	char detail[512], more[320];
	struct sysfs_names parts;
	const char *kind;
	size_t used;
	int r;

	kind = describe_holder(j, holder, detail, sizeof(detail));
	used = strlen(detail);
	if (mount_text(j, &n, more, sizeof(more)))
		(void)snprintf(detail + used, sizeof(detail) - used, ", %s", more);
	else if (is_swap(j, &n))
		(void)snprintf(detail + used, sizeof(detail) - used, ", in use as swap space");
	r = add(j, kind, name, detail);
	if (r < 0 || sysfs_names_has(&j->seen, holder) || depth >= HOLDER_DEPTH_MAX)
		return r;
	r = sysfs_names_add(&j->seen, holder);
	if (r == 0)
		r = judge_direct(j, holder);
	if (r == 0)
		r = judge_holders(j, holder, depth + 1);
	if (r == 0 && sysfs_block_partitions(j->root, holder, &parts) == 0) { /* md0p1 */
		for (size_t i = 0; i < parts.count && r == 0; i++) {
			r = judge_direct(j, parts.name[i]);
			if (r == 0)
				r = judge_holders(j, parts.name[i], depth + 1);
		}
		sysfs_names_done(&parts);
	}
	return r;
}

static int judge_holders(struct judge *j, const char *name, int depth)
{
	char dir[SYSFS_PATH_MAX];
	struct sysfs_names holders;
	int r;

	r = sysfs_block_dir(j->root, name, dir, sizeof(dir));
	if (r == 0)
		r = sysfs_list(j->root, &holders, "%s/holders", dir);
	if (r == -ENOMEM)
		return r;
	/* Every block device of a running kernel has the folder; a capture may have left it out. */
	if (r < 0)
		return !sysroot_is_machine(j->root) && r == -ENOENT ? 0 :
			add(j, "unreadable", name, "its holders cannot be read; they could hide a user");
	for (size_t i = 0; i < holders.count && r == 0; i++)
		r = judge_holder(j, name, holders.name[i], depth);
	sysfs_names_done(&holders);
	return r;
}

/* -- around the device ---------------------------------------------------------------------- */

static int judge_node(struct judge *j, const char *name)
{
	int r;

	if (sysfs_names_has(&j->seen, name))
		return 0;
	r = sysfs_names_add(&j->seen, name);
	if (r == 0)
		r = judge_direct(j, name);
	return r == 0 ? judge_holders(j, name, 0) : r;
}

static int judge_partitions(struct judge *j, const char *name)
{
	struct sysfs_names parts;
	int r = sysfs_block_partitions(j->root, name, &parts);

	if (r < 0)
		return r == -ENOMEM ? r : add(j, "unreadable", name, "its partitions cannot be read");
	for (size_t i = 0; i < parts.count && r == 0; i++)
		r = judge_node(j, parts.name[i]);
	sysfs_names_done(&parts);
	return r;
}

/* What a stacked device is made of: a user of a part is one of the whole (but a sibling volume on
 * the same part is not, so holders are not asked). */
static int judge_slaves(struct judge *j, const char *name, int depth)
{
	char dir[SYSFS_PATH_MAX];
	struct sysfs_names slaves;
	int r;

	r = sysfs_block_dir(j->root, name, dir, sizeof(dir));
	if (r == 0)
		r = sysfs_list(j->root, &slaves, "%s/slaves", dir);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < slaves.count && r == 0; i++) {
		if (sysfs_names_has(&j->seen, slaves.name[i]) || depth >= HOLDER_DEPTH_MAX)
			continue;
		r = sysfs_names_add(&j->seen, slaves.name[i]);
		if (r == 0)
			r = judge_direct(j, slaves.name[i]);
		if (r == 0)
			r = judge_slaves(j, slaves.name[i], depth + 1);
	}
	sysfs_names_done(&slaves);
	return r;
}

static int judge_twins(struct judge *j, const char *disk)
{
	/* Other ways to the same drive. */
	struct sysfs_names twins;
	int r = safety_twins(j->f, disk, &twins);

	if (r < 0 && r != -ENOMEM)
		r = add(j, "unreadable", disk, "other paths to it cannot be looked for");

	for (size_t i = 0; i < twins.count && r == 0; i++) {
		r = judge_node(j, twins.name[i]);
		if (r == 0)
			r = judge_partitions(j, twins.name[i]);
	}
	sysfs_names_done(&twins);
	return r;
}

/* A loop device's file: attached twice, or swap as well. The file itself is no user of the loop
 * device; a block device below it is one with it. */
static int judge_loop_backing(struct judge *j, const char *name)
{
	const struct loop_fact *own = NULL;
	char below[SYSFS_NAME_MAX];
	int r = 0;

	for (size_t i = 0; i < j->f->loop_count; i++) {
		if (strcmp(j->f->loops[i].name, name) == 0)
			own = &j->f->loops[i];
	}
	if (!own || !own->identified)
		return 0;
	for (size_t i = 0; i < j->f->swap_count && r == 0; i++) {
		if (own->rdev == 0 && j->f->swaps[i].ino == own->ino &&
			j->f->swaps[i].dev == own->dev)
			r = add(j, "swap", name, "its backing file is in use as swap space");
	}
	for (size_t i = 0; i < j->f->loop_count && r == 0; i++) {
		const struct loop_fact *twin = &j->f->loops[i];

		if (twin == own || !twin->identified || twin->dev != own->dev ||
			twin->ino != own->ino)
			continue;
		r = judge_node(j, twin->name);
		if (r == 0)
			r = judge_partitions(j, twin->name);
	}
	if (r == 0 && own->rdev != 0 &&
		sysfs_block_name(j->root, own->rdev, below, sizeof(below)) == 0 &&
		!sysfs_names_has(&j->seen, below)) {
		r = sysfs_names_add(&j->seen, below);
		if (r == 0)
			r = judge_direct(j, below);
		if (r == 0)
			r = judge_holders(j, below, 0);
	}
	return r;
}

int safety_judge_block(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	struct judge j = { .f = f, .root = &f->root, .rep = rep };
	char parent[SYSFS_NAME_MAX];
	bool partition;
	uint64_t ro = 0;
	int r = 0;

	partition = sysfs_block_parent(j.root, t->sysname, parent, sizeof(parent)) == 0;
	if (partition)
		(void)sysfs_read_u64(j.root, &ro, "/sys/block/%s/ro", parent);
	if (t->read_only || ro != 0)
		r = add(&j, "read-only", t->read_only ? t->sysname : parent, "is read-only");
	if (r == 0)
		r = judge_node(&j, t->sysname);
	if (r == 0)
		r = partition ? judge_node(&j, parent) : judge_partitions(&j, t->sysname);
	if (r == 0)
		r = judge_slaves(&j, t->sysname, 0);
	if (r == 0)
		r = judge_loop_backing(&j, partition ? parent : t->sysname);
	if (r == 0)
		r = judge_twins(&j, partition ? parent : t->sysname);
	sysfs_names_done(&j.seen);
	return r;
}
