/* target.c - what the user pointed at, resolved without opening it, opened without a gap. */
#include "probes/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "data/units.h"
#include "probes/drive.h"
#include "probes/sysfs.h"
#include "probes/target_path.h"

void target_free(struct target *t)
{
	if (!t)
		return;
	free(t->given);
	free(t->path);
	free(t->sysname);
	free(t->fs_type);
	free(t->fs_source);
	json_free(t->identity);
	free(t->token);
	free(t);
}

static bool is_under_dev(const char *path)
{
	return strcmp(path, "/dev") == 0 || strncmp(path, "/dev/", 5) == 0;
}

/* @arg made absolute, "." and ".." and double slashes removed, links kept. NULL: no memory or no
 * current folder. */
static char *lexical_path(const struct sysroot *root, const char *arg)
{
	char cwd[PATH_MAX] = "", *path, *out, *part, *save = NULL;
	size_t len;

	if (arg[0] != '/' && sysroot_is_machine(root) && !getcwd(cwd, sizeof(cwd)))
		return NULL;
	len = strlen(cwd) + strlen(arg) + 3;
	path = malloc(len);
	out = malloc(len);
	if (!path || !out) {
		free(path);
		free(out);
		return NULL;
	}
	(void)snprintf(path, len, "%s/%s", cwd, arg);
	out[0] = '\0';
	for (part = strtok_r(path, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		char *slash = strrchr(out, '/');

		if (strcmp(part, "..") == 0 && slash) {
			*slash = '\0';
		} else if (strcmp(part, ".") != 0 && strcmp(part, "..") != 0) {
			strcat(out, "/");
			strcat(out, part);
		}
	}
	if (out[0] == '\0')
		strcpy(out, "/");
	free(path);
	return out;
}

static int absent(const char *arg, int code, struct err *reterr)
{
	if (code == -ENOENT || code == -ENOTDIR)
		return err_set(reterr, ERR_USAGE, -ENOENT,
			"%s: does not exist, and a target is never created; name a block device, "
			"a directory or an existing file", arg);
	if (code == -ELOOP || code == -ENAMETOOLONG)
		return err_set(reterr, ERR_USAGE, code, "%s: %s", arg, strerror(-code));
	return err_set(reterr, ERR_DEVICE, code, "%s: %s%s", arg, strerror(-code),
		code == -EACCES || code == -EPERM ? "; run as root" : "");
}

static int wrong_kind(const char *arg, mode_t mode, bool under_dev, struct err *reterr)
{
	const char *what = S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" :
		S_ISCHR(mode) ? "a character device" : S_ISDIR(mode) ? "a directory" :
		S_ISREG(mode) ? "a regular file" : "neither device, directory nor file";
	const char *remedy = S_ISCHR(mode) ?
		"name the block device (of an NVMe controller, its namespace: /dev/nvme0n1)" :
		"name a block device, a directory or an existing file";

	/* A mistyped name under /dev would make us measure, or fill, the memory that /dev is. */
	if (under_dev)
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: is %s, and below /dev only block devices are tested; %s", arg, what,
			S_ISCHR(mode) ? remedy : "check the name");
	return err_set(reterr, ERR_USAGE, -EINVAL, "%s: is %s, which cannot be tested; %s", arg,
		what, remedy);
}

static uint32_t block_bytes(const struct json *identity, const char *key)
{
	uint64_t v;

	return json_u64(json_get(identity, key), &v) && v >= 512 && v <= UINT32_MAX ? (uint32_t)v :
										     512;
}

static int describe_block(const struct sysroot *root, struct target *t, struct err *reterr)
{
	bool read_only;
	uint64_t size;
	int r;

	r = drive_identity(root, t->sysname, &t->identity, reterr);
	if (r == 0)
		r = target_make_token(root, t, reterr);
	if (r < 0)
		return r;
	target_look(root, t->sysname, &t->seen);
	(void)json_set_str(t->identity, "kind", "block");
	if (!json_u64(json_get(t->identity, "capacity_bytes"), &size)) {
		if (!sysroot_is_machine(root))
			return 0; /* who uses it can be said without */
		return err_set(reterr, ERR_DEVICE, -ENODATA,
			"%s: sysfs does not tell its size; is the device still there?", t->given);
	}
	if (size == 0)
		return err_set(reterr, ERR_DEVICE, -ENOMEDIUM,
			"%s: has no medium, or is not set up: its size is 0", t->given);
	t->size_bytes = size;
	t->logical_block = block_bytes(t->identity, "logical_block_bytes");
	t->physical_block = block_bytes(t->identity, "physical_block_bytes");
	if (json_bool(json_get(t->identity, "read_only"), &read_only))
		t->read_only = read_only;
	return 0;
}

/* This machine: the number decides what the node is, not its name. */
static int resolve_here(const struct sysroot *root, struct target *t, const char *lexical,
	struct err *reterr)
{
	char name[SYSFS_NAME_MAX];
	struct stat st;
	bool under_dev;
	int r;

	if (stat(t->given, &st) < 0)
		return absent(t->given, -errno, reterr);
	t->path = realpath(t->given, NULL);
	if (!t->path)
		return absent(t->given, -errno, reterr);
	under_dev = is_under_dev(lexical) || is_under_dev(t->path);
	if (S_ISBLK(st.st_mode)) {
		t->kind = TARGET_BLOCK;
		t->rdev = st.st_rdev;
		r = sysfs_block_name(root, st.st_rdev, name, sizeof(name));
		if (r < 0)
			return err_set(reterr, ERR_REFUSED, r,
				"%s: sysfs knows no device %u:%u, so nothing proves it free; use "
				"the node in /dev", t->given, major(st.st_rdev),
				minor(st.st_rdev));
		t->sysname = strdup(name);
		return t->sysname ? describe_block(root, t, reterr) : err_nomem(reterr);
	}
	if (under_dev || (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
		return wrong_kind(t->given, st.st_mode, under_dev, reterr);
	t->kind = S_ISDIR(st.st_mode) ? TARGET_DIR : TARGET_FILE;
	t->fs_dev = st.st_dev;
	t->ino = st.st_ino;
	t->size_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return target_path_describe(root, t, reterr);
}

/* The links of a captured /dev, followed by their text: /dev/disk/by-id/X -> ../../sda. */
static char *follow_links(const struct sysroot *root, char *path)
{
	char link[SYSFS_PATH_MAX];

	for (int hops = 0; path && hops < 8; hops++) {
		char *joined, *next;
		size_t len;

		if (sysfs_readlink(root, link, sizeof(link), "%s", path) <= 0)
			return path;
		len = strlen(path) + strlen(link) + 8;
		joined = malloc(len);
		if (joined)
			(void)snprintf(joined, len, "%s%s%s", link[0] == '/' ? "" : path,
				link[0] == '/' ? "" : "/../", link);
		next = joined ? lexical_path(root, joined) : NULL;
		free(joined);
		free(path);
		path = next;
	}
	return path;
}

static int stat_capture(const struct sysroot *root, const char *path, struct stat *st)
{
	int fd = sysroot_open(root, path, O_PATH), r;

	if (fd < 0)
		return fd;
	r = fstat(fd, st) < 0 ? -errno : 0;
	(void)close(fd); /* only a handle */
	return r;
}

/* A captured tree: it has no device nodes, its sysfs says which names are block devices. */
static int resolve_capture(const struct sysroot *root, struct target *t, const char *lexical,
	struct err *reterr)
{
	char name[SYSFS_NAME_MAX], dir[SYSFS_PATH_MAX];
	struct stat st;
	int present, r;
	mode_t mode;

	t->path = strdup(lexical);
	t->path = t->path ? follow_links(root, t->path) : NULL;
	if (!t->path)
		return err_nomem(reterr);
	if (is_under_dev(t->path) && strlen(t->path) > 5 && strlen(t->path) < sizeof(name)) {
		(void)snprintf(name, sizeof(name), "%s", t->path + 5);
		sysfs_node_to_name(name);
		if (sysfs_block_dir(root, name, dir, sizeof(dir)) == 0) {
			t->kind = TARGET_BLOCK;
			t->sysname = strdup(name);
			if (sysfs_block_number(root, name, &t->rdev) < 0)
				t->rdev = 0;
			return t->sysname ? describe_block(root, t, reterr) : err_nomem(reterr);
		}
	}
	present = stat_capture(root, t->path, &st);
	mode = present == 0 ? st.st_mode : S_IFDIR;
	if (is_under_dev(t->path) || (!S_ISDIR(mode) && !S_ISREG(mode)))
		return present < 0 ? absent(t->given, present, reterr) :
				     wrong_kind(t->given, mode, is_under_dev(t->path), reterr);
	t->kind = S_ISREG(mode) ? TARGET_FILE : TARGET_DIR;
	t->size_bytes = S_ISREG(mode) ? (uint64_t)st.st_size : 0;
	/* The folder itself may be missing where the mount table was captured alone; whether its
	 * file system qualifies can be said all the same. */
	r = target_path_describe(root, t, reterr);
	if (r < 0)
		return r;
	return present < 0 ? absent(t->given, present, reterr) : 0;
}

int target_resolve(const struct sysroot *root, const char *arg, struct target **ret,
	struct err *reterr)
{
	struct target *t;
	char *lexical;
	int r;

	if (arg[0] == '\0')
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"the target is empty; name a block device, a directory or a file");
	t = calloc(1, sizeof(*t));
	lexical = t ? lexical_path(root, arg) : NULL;
	if (!lexical) {
		free(t);
		return err_nomem(reterr);
	}
	t->logical_block = t->physical_block = 512;
	t->given = strdup(arg);
	if (!t->given)
		r = err_nomem(reterr);
	else if (sysroot_is_machine(root))
		r = resolve_here(root, t, lexical, reterr);
	else
		r = resolve_capture(root, t, lexical, reterr);
	free(lexical);
	if (r < 0) {
		target_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

int target_require(const struct target *t, uint64_t bytes, struct err *reterr)
{
	char need[UNITS_BUF], have[UNITS_BUF];

	if (t->size_bytes > 0 && t->size_bytes >= bytes)
		return 0;
	if (t->kind == TARGET_DIR && t->size_bytes == 0)
		return err_set(reterr, ERR_DEVICE, -ENOSPC,
			"%s: the file system is full; free some space, or name another directory",
			t->given);
	(void)units_format_bytes(need, sizeof(need), (double)bytes);
	(void)units_format_bytes(have, sizeof(have), (double)t->size_bytes);
	return err_set(reterr, ERR_DEVICE, -ENOSPC, "%s: too small: %s needed, %s %s; use --size",
		t->given, need, have, t->kind == TARGET_DIR ? "free" : "there");
}
