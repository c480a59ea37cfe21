/* noise.c - what else the machine did meanwhile. */
#include "probes/noise.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Sectors in block statistics are 512 bytes whatever the device's are. */
#define STAT_SECTOR 512

static bool read_disk(const char *root, dev_t dev, struct noise_snapshot *s)
{
	char dir[PATH_MAX], path[PATH_MAX + 16];
	uint64_t reads, read_sectors, writes, write_sectors;
	struct stat st;
	FILE *f;
	int n;

	(void)snprintf(dir, sizeof(dir), "%s/sys/dev/block/%u:%u", root, major(dev), minor(dev));
	(void)snprintf(path, sizeof(path), "%s/partition", dir);
	(void)snprintf(path, sizeof(path), "%s%s/stat", dir, stat(path, &st) == 0 ? "/.." : "");
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fscanf(f, "%" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64, &reads,
		&read_sectors, &writes, &write_sectors);
	(void)fclose(f);
	if (n != 4)
		return false;
	s->read_bytes = read_sectors * STAT_SECTOR;
	s->write_bytes = write_sectors * STAT_SECTOR;
	return true;
}

static bool read_cpu(const char *root, struct noise_snapshot *s)
{
	char path[PATH_MAX];
	uint64_t t[8];
	FILE *f;
	int n;

	(void)snprintf(path, sizeof(path), "%s/proc/stat", root);
	f = fopen(path, "re");
	if (!f)
		return false;
	/* user nice system idle iowait irq softirq steal; guest time is in user already */
	n = fscanf(f, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		" %" SCNu64 " %" SCNu64, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
	(void)fclose(f);
	if (n != 8)
		return false;
	s->steal = t[7];
	s->total = 0;
	for (size_t i = 0; i < 8; i++)
		s->total += t[i];
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
