/* mountinfo.h - a mount table as the kernel prints it (proc(5), /proc/PID/mountinfo).
 *
 * A table is parsed as a whole or refused: a line that is not understood could be the mount that
 * protects a disk. Octal escapes (\040 space, \011 tab, \012 newline, \134 backslash, \043 '#')
 * are undone. Nothing is opened but the file itself.
 */
#ifndef SSDQUAL_PROBES_MOUNTINFO_H
#define SSDQUAL_PROBES_MOUNTINFO_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroot;

struct mount {
	uint64_t id, parent;
	dev_t dev;          /* st_dev of its files; anonymous (major 0) for btrfs, tmpfs, overlay */
	const char *root;   /* folder of the file system that is mounted */
	const char *point;  /* where; with "//deleted" behind when that folder is gone */
	const char *opts;   /* of the mount: "rw,relatime" */
	const char *fs;     /* "ext4" */
	const char *source; /* "/dev/sda2", "tank", "none" */
	const char *super;  /* options of the file system, still escaped: commas are \054 in values */
};

struct mountinfo {
	char *text; /* owns the strings of the mounts */
	struct mount *mounts;
	size_t count;
};

/* mountinfo_parse - @text (heap, taken also on failure) of one table; @name is for messages.
 * -EBADMSG, ERR_DEVICE with "NAME: line N" for a line that is not understood; -ENOMEM. */
int mountinfo_parse(char *text, const char *name, struct mountinfo *ret, struct err *reterr);
/* mountinfo_read - read and parse the file @path below @root. -errno of the open, read or parse. */
int mountinfo_read(const struct sysroot *root, const char *path, struct mountinfo *ret,
	struct err *reterr);
void mountinfo_done(struct mountinfo *m);

/* mount_option - is @key among the comma-separated @options, as "key" or "key=value"?
 * @buf (may be NULL) gets the value, unescaped, empty when there is none; true also when it was
 * cut. */
bool mount_option(const char *options, const char *key, char *buf, size_t len);

/* mountinfo_covering - the mount that @path (absolute, no links) lies on, by the longest mount
 * point; of several on one point the last, which hides the others. NULL: none. */
const struct mount *mountinfo_covering(const struct mountinfo *m, const char *path);
const struct mount *mountinfo_by_id(const struct mountinfo *m, uint64_t id);

/* Undo \ooo in place, as mountinfo and /proc/swaps write it. */
void mount_unescape(char *s);

#endif
