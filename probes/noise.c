/* noise.c - what else the machine did meanwhile. */
#include "probes/noise.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Sectors in block statistics are 512 bytes whatever the device's are. */
#define STAT_SECTOR 512

/* The first @count numbers behind @prefix in the first line of @path. */
static bool read_numbers(const char *path, const char *prefix, uint64_t *v, size_t count)
{
	FILE *f = fopen(path, "re");
	char line[512], *p;
	bool got;

	if (!f)
		return false;
	got = fgets(line, sizeof(line), f) && strncmp(line, prefix, strlen(prefix)) == 0;
	(void)fclose(f);
	p = line + strlen(prefix);
	for (size_t i = 0; i < count && got; i++) {
		char *end;

		errno = 0;
		v[i] = strtoull(p, &end, 10);
		got = end != p && errno == 0;
		p = end;
	}
	return got;
}

static bool read_disk(const char *root, dev_t dev, struct noise_snapshot *s)
{
	/* reads, merged, sectors, ms; writes, merged, sectors */
	enum { READ_SECTORS = 2, WRITE_SECTORS = 6, COUNT = 7 };
	char dir[PATH_MAX], path[PATH_MAX + 16];
	uint64_t v[COUNT];
	struct stat st;

	(void)snprintf(dir, sizeof(dir), "%s/sys/dev/block/%u:%u", root, major(dev), minor(dev));
	(void)snprintf(path, sizeof(path), "%s/partition", dir);
	(void)snprintf(path, sizeof(path), "%s%s/stat", dir, stat(path, &st) == 0 ? "/.." : "");
	if (!read_numbers(path, "", v, COUNT))
		return false;
	s->read_bytes = v[READ_SECTORS] * STAT_SECTOR;
	s->write_bytes = v[WRITE_SECTORS] * STAT_SECTOR;
	return true;
}

static bool read_cpu(const char *root, struct noise_snapshot *s)
{
	/* user nice system idle iowait irq softirq steal; guest time is in user already */
	enum { STEAL = 7, COUNT = 8 };
	char path[PATH_MAX];
	uint64_t v[COUNT];

	(void)snprintf(path, sizeof(path), "%s/proc/stat", root);
	if (!read_numbers(path, "cpu ", v, COUNT))
		return false;
	s->steal = v[STEAL];
	s->total = 0;
	for (size_t i = 0; i < COUNT; i++)
		s->total += v[i];
	return true;
}

void noise_take(const char *root, dev_t dev, struct noise_snapshot *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->disk_known = read_disk(root, dev, ret);
	ret->cpu_known = read_cpu(root, ret);
}

/* Counters run on while both are read, so a small negative rest is none. */
static uint64_t rest(uint64_t all, uint64_t own)
{
	return all > own ? all - own : 0;
}

struct json *noise_between(const struct noise_snapshot *before, const struct noise_snapshot *after,
	uint64_t own_read, uint64_t own_write, bool direct, bool through_fs)
{
	struct json *j = json_new_object();
	bool disk = before->disk_known && after->disk_known &&
		after->read_bytes >= before->read_bytes &&
		after->write_bytes >= before->write_bytes;
	bool cpu = before->cpu_known && after->cpu_known && after->total > before->total &&
		after->steal >= before->steal;
	uint64_t rd = after->read_bytes - before->read_bytes;
	uint64_t wr = after->write_bytes - before->write_bytes;

	if (!j)
		return NULL;
	(void)json_set(j, "device_read_bytes", disk ? json_new_u64(rd) : json_new_null());
	(void)json_set(j, "device_write_bytes", disk ? json_new_u64(wr) : json_new_null());
	(void)json_set(j, "other_read_bytes", disk && direct ?
		json_new_u64(rest(rd, own_read)) : json_new_null());
	(void)json_set(j, "other_write_bytes", disk && direct && !through_fs ?
		json_new_u64(rest(wr, own_write)) : json_new_null());
	(void)json_set(j, "cpu_steal_ratio", cpu ?
		json_new_f64((double)(after->steal - before->steal) /
			(double)(after->total - before->total)) : json_new_null());
	return j;
}
