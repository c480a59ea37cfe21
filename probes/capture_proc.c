/* capture_proc.c - of /proc, /dev/disk/by-id and /sys/fs the lines that name captured devices. */
#include "probes/capture_part.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/digits.h"
#include "probes/scrub.h"
#include "probes/target.h"

enum { PROC_MAX = 4 << 20 };

/* -- lines ------------------------------------------------------------------------------------ */

static bool is_captured(const struct capture *c, const char *name)
{
	char parent[SYSFS_NAME_MAX];

	if (sysfs_names_has(&c->disks, name))
		return true;
	return sysfs_block_parent(c->root, name, parent, sizeof(parent)) == 0 &&
		sysfs_names_has(&c->disks, parent);
}

/* "8:1" of a captured device? */
static bool is_captured_number(const struct capture *c, const char *text)
{
	char name[SYSFS_NAME_MAX];
	unsigned major, minor;

	return digits_after(digits_after(text, "", &major), ":", &minor) &&
		sysfs_block_name(c->root, makedev(major, minor), name, sizeof(name)) == 0 &&
		is_captured(c, name);
}

/* "/dev/sda1", or a dm device by its name below /dev/mapper. */
static bool is_captured_path(const struct capture *c, const char *path)
{
	char name[SYSFS_NAME_MAX], dm[SYSFS_NAME_MAX];

	if (strncmp(path, "/dev/mapper/", 12) == 0) {
		for (size_t i = 0; i < c->disks.count; i++)
			if (sysfs_read(c->root, dm, sizeof(dm), "/sys/block/%s/dm/name",
					c->disks.name[i]) > 0 && strcmp(dm, path + 12) == 0)
				return true;
		return false;
	}
	if (strncmp(path, "/dev/", 5) != 0 || strlen(path + 5) >= sizeof(name))
		return false;
	strcpy(name, path + 5);
	sysfs_node_to_name(name);
	return is_captured(c, name);
}

/* The @n-th field of @line (from 0), blanks between. @buf "" where there is none. */
static const char *field(const char *line, unsigned n, char *buf, size_t len)
{
	for (;; n--) {
		size_t width;

		line += strspn(line, " \t");
		width = strcspn(line, " \t\n");
		if (n == 0) {
			(void)snprintf(buf, len, "%.*s", (int)width, line);
			return buf;
		}
		line += width;
		if (width == 0) {
			buf[0] = '\0';
			return buf;
		}
	}
}

static bool wants_mount(const struct capture *c, const char *line)
{
	char number[64], source[SYSFS_PATH_MAX];
	const char *dash = strstr(line, " - ");

	if (is_captured_number(c, field(line, 2, number, sizeof(number))))
		return true;
	return dash && is_captured_path(c, field(dash + 3, 1, source, sizeof(source)));
}

static bool wants_swap(const struct capture *c, const char *line)
{
	char path[SYSFS_PATH_MAX];

	return strncmp(line, "Filename", 8) == 0 ||
		is_captured_path(c, field(line, 0, path, sizeof(path)));
}

static bool wants_partition(const struct capture *c, const char *line)
{
	char name[SYSFS_NAME_MAX];

	(void)field(line, 3, name, sizeof(name));
	sysfs_node_to_name(name);
	return strncmp(line, "major", 5) == 0 || (name[0] && is_captured(c, name));
}

/* An array is its line and the indented ones below it. */
static bool wants_md(const struct capture *c, const char *line)
{
	char name[SYSFS_NAME_MAX];

	return strncmp(line, "Personalities", 13) == 0 ||
		is_captured(c, field(line, 0, name, sizeof(name)));
}

static int copy_lines(struct capture *c, const char *path, const char *to,
	bool (*wants)(const struct capture *c, const char *line), enum capture_kind kind)
{
	char *text, *kept, *end, *line;
	size_t len, used = 0;
	bool wanted = false;
	int r = sysroot_slurp(c->root, path, PROC_MAX, &text, &len);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	kept = malloc(len + 1);
	for (line = text; kept && *line; line = end) {
		size_t n;

		end = line + strcspn(line, "\n");
		end += *end == '\n';
		n = (size_t)(end - line);
		if (!isspace((unsigned char)*line) || wants != wants_md)
			wanted = wants(c, line);
		if (wanted) {
			memcpy(kept + used, line, n);
			used += n;
		}
	}
	r = kept ? capture_add(c, kind, kept, used, "%s", to) : -ENOMEM;
	free(kept);
	free(text);
	return r;
}

/* -- mount tables ----------------------------------------------------------------------------- */

/* A name between slashes, without the kernel's escapes ("\\040" is a blank). */
static int hide_name(struct scrub *points, char *s, size_t n)
{
	while (n > 0) {
		size_t run = 0;

		while (run < n && s[run] != '/' && s[run] != '\\')
			run++;
		if (scrub_add(points, s, run) < 0)
			return -ENOMEM;
		scrub_text(points, s, run);
		if (run < n)
			run += s[run] == '\\' && n - run >= 4 ? 4 : 1;
		s += run;
		n -= run;
	}
	return 0;
}

int capture_hide_points(struct scrub *points, struct capture_file *f)
{
	char *line = (char *)f->bytes, *end = line + f->len;
	int r = 0;

	while (line < end && r == 0) {
		char *next = memchr(line, '\n', (size_t)(end - line)), *s = line;

		if (!next)
			next = end;
		/* Fields from 0: the folder of a bind mount is 3, the mount point 4. */
		for (unsigned i = 0; i <= 4 && s < next && r == 0; i++) {
			size_t n = strcspn(s, " \n");

			if (i >= 3)
				r = hide_name(points, s, n);
			s += n + (s + n < next);
		}
		line = next + 1;
	}
	return r;
}

/* Is the newest file empty, or the same as a mount table that is there already? */
static bool says_nothing(const struct capture *c)
{
	const struct capture_file *f = &c->files[c->count - 1];

	for (size_t i = 0; i + 1 < c->count; i++)
		if (strstr(c->files[i].path, "/mountinfo") && f->len == c->files[i].len &&
			memcmp(f->bytes, c->files[i].bytes, f->len) == 0)
			return true;
	return f->len == 0;
}

/* The mount tables of other processes, where they hold a captured device that ours does not. */
static int copy_other_mounts(struct capture *c)
{
	char path[SYSFS_PATH_MAX];
	struct sysfs_names tasks;
	int r = 0;

	if (sysfs_list(c->root, &tasks, "/proc") < 0)
		return 0;
	for (size_t i = 0; i < tasks.count && r == 0; i++) {
		size_t before = c->count;

		if (!isdigit((unsigned char)tasks.name[i][0]))
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/mountinfo", tasks.name[i]);
		r = copy_lines(c, path, path + 1, wants_mount, CAPTURE_TEXT);
		if (r == 0 && c->count > before && says_nothing(c)) {
			c->count--;
			free(c->files[c->count].path);
			free(c->files[c->count].bytes);
		}
	}
	sysfs_names_done(&tasks);
	return r;
}

/* -- btrfs, by-id ----------------------------------------------------------------------------- */

static int copy_btrfs(struct capture *c)
{
	struct sysfs_names sets, members;
	int r = 0;

	if (sysfs_list(c->root, &sets, "/sys/fs/btrfs") < 0)
		return 0;
	for (size_t i = 0; i < sets.count && r == 0; i++) {
		if (sysfs_list(c->root, &members, "/sys/fs/btrfs/%s/devices", sets.name[i]) < 0)
			continue;
		for (size_t k = 0; k < members.count && r == 0; k++)
			if (is_captured(c, members.name[k])) /* the UUID is no use: a number */
				r = capture_add(c, CAPTURE_NUMBER, "", 0,
					"sys/fs/btrfs/%zu/devices/%s/.keep", i, members.name[k]);
		sysfs_names_done(&members);
	}
	sysfs_names_done(&sets);
	return r;
}

/* Names whose end is an identifier of its own; md-name- begins with a host's name: never copied. */
static int know_id(struct capture *c, const char *name)
{
	static const char *const prefixes[] = { "wwn-0x", "nvme-eui.", "nvme-uuid.", "nvme-nvme.",
		"lvm-pv-uuid-", "md-uuid-", "dm-name-", "scsi-3", "scsi-2", "scsi-8", NULL };

	for (size_t i = 0; prefixes[i]; i++) {
		size_t n = strlen(prefixes[i]), len = strlen(name);
		const char *part = strstr(name, "-part");

		if (strncmp(name, prefixes[i], n) != 0)
			continue;
		if (part && part > name + n)
			len = (size_t)(part - name);
		return scrub_add(c->scrub, name + n, len - n);
	}
	return 0;
}

int capture_by_id(struct capture *c)
{
	char link[SYSFS_PATH_MAX];
	struct sysfs_names ids;
	int r = 0;

	if (sysfs_list(c->root, &ids, "/dev/disk/by-id") < 0)
		return 0;
	for (size_t i = 0; i < ids.count && r == 0; i++) {
		const char *tail;

		if (strncmp(ids.name[i], "md-name-", 8) == 0 ||
			sysfs_readlink(c->root, link, sizeof(link), "/dev/disk/by-id/%s",
				ids.name[i]) <= 0)
			continue;
		tail = strrchr(link, '/');
		if (!tail || !is_captured(c, tail + 1))
			continue;
		r = know_id(c, ids.name[i]);
		if (r == 0)
			r = capture_add_text(c, CAPTURE_LINK, link, "dev/disk/by-id/%s",
				ids.name[i]);
	}
	sysfs_names_done(&ids);
	return r;
}

int capture_proc(struct capture *c)
{
	int r = copy_lines(c, "/proc/self/mountinfo", "proc/self/mountinfo", wants_mount,
		CAPTURE_TEXT);

	if (r == 0)
		r = copy_other_mounts(c);
	if (r == 0)
		r = copy_lines(c, "/proc/swaps", "proc/swaps", wants_swap, CAPTURE_TEXT);
	if (r == 0)
		r = copy_lines(c, "/proc/partitions", "proc/partitions", wants_partition,
			CAPTURE_NUMBER);
	if (r == 0)
		r = copy_lines(c, "/proc/mdstat", "proc/mdstat", wants_md, CAPTURE_NUMBER);
	if (r == 0)
		r = copy_btrfs(c);
	return r == 0 ? capture_by_id(c) : r;
}
