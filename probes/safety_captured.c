/* safety_captured.c - what a capture tells of signatures: nothing of this machine is looked at.
 *
 * Sources, all optional: NAME/head.hex below the replay folder (the first bytes of the disk or
 * partition NAME); blkid.txt (what `blkid` printed) and other helpers' output HELPER.txt, in the
 * sysroot, in the replay folder or in its NAME. A helper that ran and failed ("exit status: 1") has
 * not said that the disk is free.
 */
#include "probes/safety_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/hextext.h"
#include "probes/sig.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)

static int unreadable(struct safety_report *rep, const char *name, const char *why)
{
	return safety_use_add(&rep->uses, &rep->use_count, "unreadable", name, "%s", why);
}

/* -- head.hex -------------------------------------------------------------------------------- */

/* The bytes in a file of memory that is as long as the device: beyond them it reads as zeros. */
static int file_of(const uint8_t *bytes, size_t len, uint64_t size)
{
	int fd = memfd_create("head", MFD_CLOEXEC), r = 0;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)(size > len ? size : len)) < 0)
		r = -errno;
	for (size_t done = 0; r == 0 && done < len;) {
		ssize_t n = pwrite(fd, bytes + done, len - done, (off_t)done);

		if (n < 0)
			r = -errno;
		else
			done += (size_t)n;
	}
	if (r < 0)
		(void)close(fd); /* only memory */
	return r < 0 ? r : fd;
}

/* 1: there is such a file, and what it shows is in @rep; 0: none. */
static int judge_head(const struct safety_facts *f, const struct target *t, const char *name,
	bool parent, struct safety_report *rep)
{
	struct target device = *t;
	char path[sizeof(f->root.replay) + SYSFS_NAME_MAX + 16];
	struct err why = ERR_INIT;
	uint8_t *bytes;
	size_t len;
	int fd, r;

	if (!f->root.replay[0])
		return 0;
	(void)snprintf(path, sizeof(path), "%s/%s/head.hex", f->root.replay, name); /* fits */
	r = hextext_load(path, &bytes, &len, &why);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r == -ENOMEM ? r : unreadable(rep, name, why.msg) < 0 ? -ENOMEM : 1;
	device.sysname = (char *)name;
	if (strcmp(name, t->sysname) != 0 || device.size_bytes < len)
		device.size_bytes = len;
	fd = file_of(bytes, len, device.size_bytes);
	free(bytes);
	r = fd;
	if (r >= 0 && !parent) {
		r = safety_probe_spans(f, &device, fd, rep, &why);
	} else if (r >= 0) {
		struct sig *sigs = NULL;
		size_t count = 0;

		r = sig_probe(fd, 0, device.size_bytes, &sigs, &count, &why);
		for (size_t i = 0; i < count && r == 0; i++)
			r = safety_add_sig(f, rep, name, &sigs[i], true);
		free(sigs);
	}
	if (fd >= 0)
		(void)close(fd); /* only memory */
	if (r < 0 && r != -ENOMEM)
		r = unreadable(rep, name, why.msg[0] ? why.msg : strerror(-r));
	return r < 0 ? -ENOMEM : 1;
}

/* -- what helpers printed ---------------------------------------------------------------------- */

/* KEY="VALUE" in @line, with \" for a quote inside; false: not there, or not closed. */
static bool tag_value(const char *line, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key), used = 0;
	const char *p = line;

	for (;; p++) {
		p = strstr(p, key);
		if (!p)
			return false;
		if (p > line && p[-1] == ' ' && p[key_len] == '=' && p[key_len + 1] == '"')
			break;
	}
	for (p += key_len + 2; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
		if (used + 1 < len)
			buf[used++] = *p; /* a cut label is still a hint */
	}
	buf[used] = '\0';
	return *p == '"';
}

/* Is @name a partition of @disk by its name: sda2, nvme0n1p2? The capture's sysfs may lack it. */
static bool is_part_of(const char *name, const char *disk)
{
	size_t len = strlen(disk);
	const char *rest = name + len;

	if (len == 0 || strncmp(name, disk, len) != 0)
		return false;
	if (disk[len - 1] >= '0' && disk[len - 1] <= '9' && *rest++ != 'p')
		return false;
	return *rest != '\0' && rest[strspn(rest, "0123456789")] == '\0';
}

static int judge_blkid_line(const struct safety_facts *f, const struct target *t,
	const char *disk, char *line, struct safety_report *rep)
{
	char *colon = strstr(line, ": "), *name = line + strlen("/dev/");
	struct sig sig = { .type = "" };
	bool parent;

	if (strncmp(line, "/dev/", 5) != 0 || !colon)
		return 0; /* of a mapping, or no device: not the one that was asked for */
	*colon = '\0';
	sysfs_node_to_name(name);
	parent = strcmp(name, t->sysname) != 0 && strcmp(name, disk) == 0;
	if (!parent && strcmp(name, t->sysname) != 0 && !is_part_of(name, t->sysname))
		return 0;
	(void)tag_value(colon + 1, "LABEL", sig.label, sizeof(sig.label));
	if (tag_value(colon + 1, "TYPE", sig.type, sizeof(sig.type)))
		return safety_add_sig(f, rep, name, &sig, parent);
	sig.table = true;
	sig.label[0] = '\0';
	if (tag_value(colon + 1, "PTTYPE", sig.type, sizeof(sig.type)))
		return safety_add_sig(f, rep, name, &sig, parent);
	return 0; /* neither: a partition without a signature */
}

static int judge_blkid(const struct safety_facts *f, const struct target *t, const char *disk,
	char *text, struct safety_report *rep)
{
	char *save = NULL;
	int r = 0;

	for (char *line = strtok_r(text, "\n", &save); line && r == 0;
		line = strtok_r(NULL, "\n", &save))
		r = judge_blkid_line(f, t, disk, line, rep);
	return r;
}

/* @ret_blkid: set where there was a blkid.txt that could be read. */
static int judge_helper(const struct safety_facts *f, const struct target *t, const char *disk,
	const struct sysroot *dir, const char *file, struct safety_report *rep, bool *ret_blkid)
{
	char path[SYSFS_NAME_MAX + 4], why[SYSFS_NAME_MAX + 128], name[SYSFS_NAME_MAX], *text;
	int r;

	(void)snprintf(path, sizeof(path), "/%s", file); /* fits */
	(void)snprintf(name, sizeof(name), "%.*s", (int)(strlen(file) - strlen(".txt")), file);
	r = sysroot_slurp(dir, path, TEXT_MAX_BYTES, &text, NULL);
	if (r < 0) {
		if (r == -ENOMEM)
			return r;
		(void)snprintf(why, sizeof(why), "%s cannot be read (%s)", file, strerror(-r));
		return unreadable(rep, t->sysname, why);
	}
	if (strncmp(text, "exit status:", 12) == 0 && strtol(text + 12, NULL, 10) != 0) {
		(void)snprintf(why, sizeof(why),
			"%s was asked and failed (%.40s), so that nothing says it is free", name,
			strtok(text, "\n")); /* fits */
		r = unreadable(rep, t->sysname, why);
	} else if (strcmp(name, "blkid") == 0) {
		*ret_blkid = true;
		r = judge_blkid(f, t, disk, text, rep);
	}
	free(text);
	return r;
}

static int judge_helpers(const struct safety_facts *f, const struct target *t, const char *disk,
	const char *folder, struct safety_report *rep, bool *ret_blkid)
{
	static const char *const known[] = { "blkid.txt", "zpool.txt", "pvs.txt", "mdadm.txt",
		"multipath.txt", "ceph-volume.txt", "bcache-super-show.txt", "dmsetup.txt",
		"btrfs.txt", NULL };
	struct sysroot dir = { .prefix = "" };
	int r = 0;

	if (!folder[0] || strlen(folder) >= sizeof(dir.prefix))
		return 0; /* longer: no such folder */
	strcpy(dir.prefix, folder);
	for (size_t i = 0; known[i] && r == 0; i++) {
		if (sysfs_exists(&dir, "/%s", known[i]))
			r = judge_helper(f, t, disk, &dir, known[i], rep, ret_blkid);
	}
	return r;
}

int safety_judge_captured(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	char disk[SYSFS_NAME_MAX], own[sizeof(f->root.replay) + SYSFS_NAME_MAX + 2] = "";
	bool partition, blkid = false, known;
	struct sysfs_names parts = { .count = 0 };
	const char *pool;
	int r;

	partition = sysfs_block_parent(&f->root, t->sysname, disk, sizeof(disk)) == 0;
	if (!partition)
		(void)snprintf(disk, sizeof(disk), "%s", t->sysname); /* a kernel name: fits */
	r = judge_head(f, t, t->sysname, false, rep);
	known = r > 0;
	if (r >= 0 && partition)
		r = judge_head(f, t, disk, true, rep);
	if (r >= 0 && !partition && sysfs_block_partitions(&f->root, disk, &parts) == 0) {
		for (size_t i = 0; i < parts.count && r >= 0; i++)
			r = judge_head(f, t, parts.name[i], false, rep);
		sysfs_names_done(&parts);
	}
	if (f->root.replay[0])
		(void)snprintf(own, sizeof(own), "%s/%s", f->root.replay, disk); /* fits */
	r = r < 0 ? r : judge_helpers(f, t, disk, f->root.prefix, rep, &blkid);
	if (r == 0 && strcmp(f->root.replay, f->root.prefix) != 0)
		r = judge_helpers(f, t, disk, f->root.replay, rep, &blkid);
	if (r == 0)
		r = judge_helpers(f, t, disk, own, rep, &blkid);
	/* The members of a pool are in no table; only their signatures tell them. */
	if (r == 0 && !known && !blkid && safety_zfs_imported(f, NULL, &pool))
		r = safety_use_add(&rep->uses, &rep->use_count, "unreadable", t->sysname,
			"could be a zfs_member of the imported pool %.*s: the capture has no "
			"signatures of it", (int)strcspn(pool, "/"), pool);
	return r;
}
