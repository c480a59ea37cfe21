/* safety_sig.c - signatures on a device, its partitions and its disk, read from the device.
 *
 * What lies on the target and in it may be overruled (--wipe-signatures); what lies on the disk
 * that a partition is part of, and what is in use all the same, may not.
 */
#include "probes/safety_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/sig.h"

bool safety_zfs_imported(const struct safety_facts *f, const char *pool, const char **ret_pool)
{
	size_t len = pool ? strlen(pool) : 0;

	for (size_t s = 0; s < f->space_count; s++) {
		const struct mountinfo *table = &f->spaces[s].table;

		for (size_t i = 0; i < table->count; i++) {
			const char *source = table->mounts[i].source;

			/* "tank" or "tank/home" */
			if (strcmp(table->mounts[i].fs, "zfs") != 0 || (pool &&
				(strncmp(source, pool, len) != 0 ||
					(source[len] != '\0' && source[len] != '/'))))
				continue;
			if (ret_pool)
				*ret_pool = source;
			return true;
		}
	}
	return false;
}

int safety_add_sig(const struct safety_facts *f, struct safety_report *rep, const char *name,
	const struct sig *sig, bool parent)
{
	bool zfs = strcmp(sig->type, "zfs_member") == 0;

	if (parent && sig->table)
		return 0; /* the one that the target itself is from */
	if (zfs && sig->label[0] && safety_zfs_imported(f, sig->label, NULL))
		return safety_use_add(&rep->uses, &rep->use_count, "holder", name,
			"is a zfs_member of the imported pool %s", sig->label);
	return safety_use_add(parent ? &rep->uses : &rep->signatures,
		parent ? &rep->use_count : &rep->signature_count, "signature", name, "%s %s%s%s",
		sig->type, sig->table ? "partition table" : "signature",
		!sig->label[0] ? "" : zfs ? ", pool " : ", label ", sig->label);
}

static int add_signatures(const struct safety_facts *f, struct safety_report *rep, const char *name,
	int fd, uint64_t offset, uint64_t size, bool parent, struct err *reterr)
{
	struct sig *sigs = NULL;
	size_t n = 0;
	int r = sig_probe(fd, offset, size, &sigs, &n, reterr);

	for (size_t i = 0; i < n && r == 0; i++)
		r = safety_add_sig(f, rep, name, &sigs[i], parent);
	free(sigs);
	return r;
}

int safety_partition_span(const struct sysroot *root, const char *disk, const char *part,
	uint64_t *ret_offset, uint64_t *ret_size)
{
	uint64_t start, size;
	int r;

	r = sysfs_read_u64(root, &start, "/sys/block/%s/%s/start", disk, part);
	if (r == 0)
		r = sysfs_read_u64(root, &size, "/sys/block/%s/%s/size", disk, part);
	if (r < 0)
		return r;
	*ret_offset = start * 512;
	*ret_size = size * 512;
	return 0;
}

/* Opened for reading only, and checked to be the device that was resolved. */
int safety_open_node(const char *path, dev_t rdev, int flags)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags), r = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISBLK(st.st_mode) || st.st_rdev != rdev)
		r = -ESTALE;
	if (r < 0)
		(void)close(fd); /* nothing was read */
	return r < 0 ? r : fd;
}

int safety_probe_spans(const struct safety_facts *f, const struct target *t, int fd,
	struct safety_report *rep, struct err *reterr)
{
	struct sysfs_names parts;
	uint64_t offset, size;
	int r;

	r = add_signatures(f, rep, t->sysname, fd, 0, t->size_bytes, false, reterr);
	if (r == 0)
		r = sysfs_block_partitions(&f->root, t->sysname, &parts);
	if (r < 0)
		return r;
	for (size_t i = 0; i < parts.count && r == 0; i++) {
		r = safety_partition_span(&f->root, t->sysname, parts.name[i], &offset, &size);
		if (r < 0 && !sysroot_is_machine(&f->root))
			r = 0;
		else if (r == 0 && size > 0)
			r = add_signatures(f, rep, parts.name[i], fd, offset, size, false, reterr);
	}
	sysfs_names_done(&parts);
	return r;
}

/* A disk with partitions may itself be a member of something (firmware RAID keeps its data at the
 * end): nothing that a test of one partition may override. */
static int judge_parent(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep, struct err *reterr)
{
	char parent[SYSFS_NAME_MAX], path[SYSFS_NAME_MAX + 8];
	uint64_t sectors;
	dev_t number;
	int fd, r;

	if (sysfs_block_parent(&f->root, t->sysname, parent, sizeof(parent)) < 0)
		return 0;
	r = sysfs_block_number(&f->root, parent, &number);
	if (r == 0)
		r = sysfs_read_u64(&f->root, &sectors, "/sys/block/%s/size", parent);
	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/dev/%s", parent); /* fits */
	sysfs_name_to_node(path);
	fd = safety_open_node(path, number, 0);
	if (fd < 0)
		return fd;
	r = add_signatures(f, rep, parent, fd, 0, sectors * 512, true, reterr);
	(void)close(fd); /* opened for reading */
	return r;
}

int safety_judge_signatures(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	struct err why = ERR_INIT;
	int fd, r;

	fd = safety_open_node(t->path, t->rdev, 0);
	r = fd < 0 ? fd : safety_probe_spans(f, t, fd, rep, &why);
	if (fd >= 0)
		(void)close(fd); /* opened for reading */
	if (r == 0)
		r = judge_parent(f, t, rep, &why);
	if (r == 0 || r == -ENOMEM)
		return r;
	return safety_use_add(&rep->uses, &rep->use_count, "unreadable", t->sysname,
		"its signatures cannot be read (%s)%s", strerror(-r),
		(r == -EACCES || r == -EPERM) && geteuid() != 0 ? "; run as root" : "");
}
