/* sysfs.h - reading /sys, /proc and /dev links under a root that can be set.
 *
 * Every path is given as on a machine ("/sys/block/sda/size") and read below the sysroot's prefix.
 * With a prefix, symbolic links are resolved inside it (openat2, RESOLVE_IN_ROOT): a captured tree
 * cannot lead out to this machine. Functions return a negative errno and print nothing.
 */
#ifndef SSDQUAL_PROBES_SYSFS_H
#define SSDQUAL_PROBES_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroot;

#define SYSFS_PATH_MAX 1024
#define SYSFS_NAME_MAX 256 /* kernel name of a device, with its NUL */

/* sysroot_is_machine - no prefix: device nodes may be opened, ioctls issued. */
bool sysroot_is_machine(const struct sysroot *root);

/* sysroot_open - open @path below @root; O_CLOEXEC is added. A descriptor, or -errno. Of a capture,
 * regular files and folders only (others: -EINVAL); with O_PATH, anything. */
int sysroot_open(const struct sysroot *root, const char *path, int flags);

/* sysroot_slurp - the whole file, NUL-terminated, of at most @max bytes (more: -EFBIG). */
int sysroot_slurp(const struct sysroot *root, const char *path, size_t max, char **ret,
	size_t *ret_len);

/* The functions below build the path from a format; one that does not fit is -ENAMETOOLONG. */

/* sysfs_read - first line without surrounding blanks; cut to @len. Its length, or -errno. */
int sysfs_read(const struct sysroot *root, char *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* sysfs_read_raw - the bytes of a binary attribute, at most @len. Their count, or -errno. */
int sysfs_read_raw(const struct sysroot *root, void *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* sysfs_read_u64 - a whole decimal number; -EINVAL for anything else. */
int sysfs_read_u64(const struct sysroot *root, uint64_t *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* sysfs_readlink - text of a symbolic link; -EINVAL when it is none, -ENAMETOOLONG when cut. */
int sysfs_readlink(const struct sysroot *root, char *buf, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool sysfs_exists(const struct sysroot *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct sysfs_names {
	char (*name)[SYSFS_NAME_MAX];
	size_t count;
};
/* sysfs_list - names in a folder, sorted naturally ("sda2" before "sda10"), without those that
 * start with a dot. An absent folder is -ENOENT. Release with sysfs_names_done(). */
int sysfs_list(const struct sysroot *root, struct sysfs_names *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int sysfs_names_add(struct sysfs_names *n, const char *name); /* no-op when present */
bool sysfs_names_has(const struct sysfs_names *n, const char *name);
void sysfs_names_done(struct sysfs_names *n);

/* -- block devices -------------------------------------------------------------------------- */

/* sysfs_block_dir - folder of the block device with kernel name @name ("/sys/class/block/sda2",
 * or "/sys/block/sda/sda2" in a capture). -ENOENT; -EINVAL for what cannot be a kernel name. */
int sysfs_block_dir(const struct sysroot *root, const char *name, char *buf, size_t len);
/* sysfs_block_number - its device number; -ENODATA when the tree does not say. */
int sysfs_block_number(const struct sysroot *root, const char *name, dev_t *ret);
/* sysfs_block_name - the kernel name behind a number, from /sys/dev/block. */
int sysfs_block_name(const struct sysroot *root, dev_t number, char *buf, size_t len);
/* sysfs_block_parent - the whole disk of a partition; -ENOENT when @name is no partition. */
int sysfs_block_parent(const struct sysroot *root, const char *name, char *buf, size_t len);
/* sysfs_block_partitions - kernel names of the partitions of @name (none: count 0). */
int sysfs_block_partitions(const struct sysroot *root, const char *name, struct sysfs_names *ret);

/* "cciss!c0d0" <-> "cciss/c0d0": sysfs writes '!' where the node's name has a slash. */
void sysfs_name_to_node(char *name);
void sysfs_node_to_name(char *name);

#endif
