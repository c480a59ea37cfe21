/* target_path.c - folders and files as targets: which file system, and is it a disk? */
#include "probes/target_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probes/drive.h"
#include "probes/mountinfo.h"
#include "probes/sysfs.h"

static const char *const memory_fs[] = { "tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs", NULL };
static const char *const kernel_fs[] = { "proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs",
	"devpts", "mqueue", "configfs", "securityfs", "bpf", "efivarfs", "pstore", "nsfs", NULL };
static const char *const overlay_fs[] = { "overlay", "overlayfs", "aufs", "fuse.fuse-overlayfs",
	"fuse.unionfs", "fuse.mergerfs", NULL };

static bool is_one_of(const char *fs, const char *const *list)
{
	for (; *list; list++) {
		if (strcmp(fs, *list) == 0)
			return true;
	}
	return false;
}

/* The number of the mount that @path is on (since Linux 5.8); false where it is not told. */
static bool mount_id(const struct sysroot *root, const char *path, uint64_t *ret)
{
	struct statx sx;

	if (!sysroot_is_machine(root) ||
		statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_MNT_ID, &sx) < 0 ||
		!(sx.stx_mask & STATX_MNT_ID))
		return false;
	*ret = sx.stx_mnt_id;
	return true;
}

/* The mount that @path is on: by the mount's number where the kernel tells it, which also sees
 * through mounts that hide each other; else by the longest mount point. */
static const struct mount *find_mount(const struct sysroot *root, const struct mountinfo *m,
	const char *path)
{
	const struct mount *found = NULL;
	uint64_t id;

	if (mount_id(root, path, &id))
		found = mountinfo_by_id(m, id);
	return found ? found : mountinfo_covering(m, path);
}

/* In a chroot whose root is no mount point, our own table leaves out the mount that holds it (proc
 * shows what can be reached from a task's root); a task outside of the chroot has it under the same
 * number. Replaces @table by that task's. */
static const struct mount *find_mount_outside(const struct sysroot *root, struct mountinfo *table,
	const char *path)
{
	const struct mount *found = NULL;
	struct sysfs_names tasks;
	uint64_t id;

	if (!mount_id(root, path, &id) || sysfs_list(root, &tasks, "/proc") < 0)
		return NULL;
	for (size_t i = 0; i < tasks.count && !found; i++) {
		char name[SYSFS_NAME_MAX];
		struct mountinfo other;

		if (tasks.name[i][0] < '1' || tasks.name[i][0] > '9')
			continue;
		(void)snprintf(name, sizeof(name), "/proc/%s/mountinfo", tasks.name[i]);
		if (mountinfo_read(root, name, &other, NULL) < 0)
			continue; /* it ended, or is somebody else's */
		found = mountinfo_by_id(&other, id);
		if (found) {
			mountinfo_done(table);
			*table = other;
		} else {
			mountinfo_done(&other);
		}
	}
	sysfs_names_done(&tasks);
	return found;
}

/* Kernel name of the device below a mount: by its number, or by the number of its source where
 * files have an anonymous one (btrfs). */
static int mount_device(const struct sysroot *root, const struct mount *m, char *buf, size_t len)
{
	const char *slash;
	struct stat st;

	if (major(m->dev) != 0 && sysfs_block_name(root, m->dev, buf, len) == 0)
		return 0;
	if (strncmp(m->source, "/dev/", 5) != 0)
		return -ENOENT;
	if (sysroot_is_machine(root))
		return stat(m->source, &st) == 0 && S_ISBLK(st.st_mode) ?
			sysfs_block_name(root, st.st_rdev, buf, len) : -ENOENT;
	slash = m->source + 5;
	if (strlen(slash) >= len || strlen(slash) >= SYSFS_NAME_MAX)
		return -ENAMETOOLONG;
	strcpy(buf, slash);
	sysfs_node_to_name(buf);
	return 0;
}

static int refuse_overlay(const struct sysroot *root, const struct target *t,
	const struct mountinfo *table, const struct mount *m, struct err *reterr)
{
	char upper[SYSFS_PATH_MAX], device[SYSFS_NAME_MAX];
	const struct mount *below;

	if (!mount_option(m->super, "upperdir", upper, sizeof(upper)))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: is on %s, which is no disk and names no upper directory; name a "
			"directory of the file system below it", t->given, m->fs);
	below = find_mount(root, table, upper);
	if (!below || below == m)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: is an overlay, no disk; name its upper directory %s or the device "
			"that holds it", t->given, upper);
	/* Some kernels name the root file system's source "/dev/root", which is no node. */
	if (strcmp(below->source, "/dev/root") != 0 ||
		mount_device(root, below, device, sizeof(device)) < 0)
		(void)snprintf(device, sizeof(device), "%s", below->source); /* cut is still a hint */
	return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
		"%s: is an overlay, no disk; name its upper directory %s (%s on %s)", t->given,
		upper, below->fs, device);
}

static int check_file_system(const struct sysroot *root, const struct target *t,
	const struct mountinfo *table, const struct mount *m, struct err *reterr)
{
	if (is_one_of(m->fs, memory_fs))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: is on %s, which is memory, not a disk; name a directory on the drive",
			t->given, m->fs);
	if (is_one_of(m->fs, kernel_fs))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: is on %s, which is the kernel's, not a disk; name a directory on the "
			"drive", t->given, m->fs);
	if (is_one_of(m->fs, overlay_fs))
		return refuse_overlay(root, t, table, m, reterr);
	if (mount_option(m->opts, "ro", NULL, 0) || mount_option(m->super, "ro", NULL, 0))
		return err_set(reterr, ERR_UNSUPPORTED, -EROFS,
			"%s: the file system is mounted read-only (%s); remount it read-write or "
			"name another directory", t->given, m->point);
	return 0;
}

static int check_room(struct target *t, struct err *reterr)
{
	struct statvfs vfs;

	if (statvfs(t->path, &vfs) < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "%s: %s", t->given, strerror(errno));
	t->read_only = (vfs.f_flag & ST_RDONLY) != 0;
	if (t->read_only)
		return err_set(reterr, ERR_UNSUPPORTED, -EROFS,
			"%s: the file system is read-only; remount it read-write or name another "
			"directory", t->given);
	/* effective ids, as open(2) will use */
	if (faccessat(AT_FDCWD, t->path, t->kind == TARGET_DIR ? W_OK | X_OK : R_OK | W_OK,
			AT_EACCESS) < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "%s: no permission to write there: %s",
			t->given, strerror(errno));
	if (t->kind != TARGET_DIR)
		return 0;
	t->size_bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (t->size_bytes == 0)
		return target_require(t, 0, reterr);
	if (vfs.f_files > 0 && vfs.f_favail == 0)
		return err_set(reterr, ERR_DEVICE, -ENOSPC,
			"%s: the file system has no free inode for a scratch file", t->given);
	return 0;
}

/* The drive below, seen from the folder: its identity, with the folder's path. */
static int describe_identity(const struct sysroot *root, struct target *t, const struct mount *m,
	struct err *reterr)
{
	static const char *const keys[] = { "by_id", "model", "serial", "firmware", "wwn",
		"transport", "capacity_bytes", "logical_block_bytes", "physical_block_bytes",
		"rotational", "write_cache", "scheduler", "nr_requests", "in_use", NULL };
	char device[SYSFS_NAME_MAX] = "";
	struct json *fs = json_new_object();
	uint64_t v;

	if (mount_device(root, m, device, sizeof(device)) < 0 ||
		drive_identity(root, device, &t->identity, NULL) < 0) {
		t->identity = json_new_object();
		for (size_t i = 0; keys[i]; i++)
			(void)json_set_null(t->identity, keys[i]);
	}
	if (json_u64(json_get(t->identity, "logical_block_bytes"), &v) && v >= 512 &&
		v <= UINT32_MAX)
		t->logical_block = (uint32_t)v;
	if (json_u64(json_get(t->identity, "physical_block_bytes"), &v) && v >= 512 &&
		v <= UINT32_MAX)
		t->physical_block = (uint32_t)v;
	(void)json_set_str(t->identity, "path", t->path);
	(void)json_set_str(t->identity, "kind", t->kind == TARGET_DIR ? "directory" : "file");
	(void)json_set_str(fs, "type", m->fs);
	(void)json_set_str(fs, "source", m->source);
	(void)json_set_str(fs, "device", device[0] ? device : NULL);
	(void)json_set_str(fs, "options", m->super);
	if (json_set(t->identity, "file_system", fs) < 0)
		return err_nomem(reterr);
	return 0;
}

static int describe_on(const struct sysroot *root, struct target *t, struct mountinfo *table,
	struct err *reterr)
{
	const struct mount *m = find_mount(root, table, t->path);
	int r;

	if (!m)
		m = find_mount_outside(root, table, t->path);
	if (!m)
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"%s: no mount in /proc/self/mountinfo holds it, so its file system is "
			"unknown", t->given);
	r = check_file_system(root, t, table, m, reterr);
	if (r == 0 && sysroot_is_machine(root))
		r = check_room(t, reterr);
	if (r < 0)
		return r;
	t->fs_type = strdup(m->fs);
	t->fs_source = strdup(m->source);
	if (!t->fs_type || !t->fs_source)
		return err_nomem(reterr);
	return describe_identity(root, t, m, reterr);
}

int target_path_describe(const struct sysroot *root, struct target *t, struct err *reterr)
{
	struct mountinfo table;
	int r = mountinfo_read(root, "/proc/self/mountinfo", &table, reterr);

	if (r < 0)
		return r;
	r = describe_on(root, t, &table, reterr);
	mountinfo_done(&table);
	return r;
}
