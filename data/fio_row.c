/* fio_row.c - jobs of fio against the rows of our batteries. */
#include "data/fio_row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"

#define CEPH(word) .battery = "ceph", .direct = true, .sync = word
#define PWL  .battery = "pwl", .direct = true, .sync = "none", .depth = 1
#define ETCD .battery = "etcd", .sync = "none", .rw = "write", .depth = 1, .fdatasync = 1
#define SIZE .battery = "sync-size", .direct = true, .rw = "write", .depth = 1
#define DSYNC(key, bytes)                                                                          \
	{ SIZE, .probe = "dsync-" key, .label = "O_DSYNC write, " key, .bs = (bytes),              \
	  .sync = "dsync" }
#define FDATASYNC(key, bytes)                                                                      \
	{ SIZE, .probe = "fdatasync-" key, .label = "Write + fdatasync, " key, .bs = (bytes),      \
	  .sync = "none", .fdatasync = 1 }
#define RBD .battery = "rbd", .rbd = true, .bs = 4096, .sync = "none"
#define DEPTH(d)                                                                                   \
	{ RBD, .probe = "depth-" #d, .label = "4 KiB writes, depth " #d, .rw = "randwrite",        \
	  .depth = (d) }

const struct fio_row fio_row_table[] = {
	{ CEPH("sync"), .probe = "journal-sync", .label = "Journal IOPS (sync=1)",
	  .rw = "write", .bs = 4096, .depth = 1 },
	{ CEPH("none"), .probe = "journal-fsync", .label = "Journal IOPS (fsync=1)",
	  .rw = "write", .bs = 4096, .depth = 1, .fsync = 1 },
	{ CEPH("sync"), .probe = "parallel-sync", .label = "Parallel random (sync)",
	  .rw = "randwrite", .bs = 4096, .depth = 32 },
	{ CEPH("none"), .probe = "parallel-fsync", .label = "Parallel random (fsync)",
	  .rw = "randwrite", .bs = 4096, .depth = 32, .fsync = 1 },
	{ CEPH("none"), .probe = "random-nosync", .label = "Non-txn random",
	  .rw = "randwrite", .bs = 4096, .depth = 128 },
	{ CEPH("none"), .probe = "linear-write", .label = "Linear write",
	  .rw = "write", .bs = 4 << 20, .depth = 32 },
	{ CEPH("none"), .probe = "randread-1", .label = "Random read, depth 1",
	  .rw = "randread", .bs = 4096, .depth = 1 },
	{ CEPH("none"), .probe = "randread-32", .label = "Random read, depth 32",
	  .rw = "randread", .bs = 4096, .depth = 32 },
	{ CEPH("none"), .probe = "t1q1-fsync", .label = "Durable random, depth 1",
	  .rw = "randwrite", .bs = 4096, .depth = 1, .fsync = 1 },
	{ PWL, .probe = "overwrite-4k", .label = "Log root, one 4k block",
	  .rw = "write", .bs = 4096, .size = 4096 },
	{ PWL, .probe = "write-4k", .label = "Log append, 4k", .rw = "write", .bs = 4096 },
	{ PWL, .probe = "write-8k", .label = "Log append, 8k", .rw = "write", .bs = 8192 },
	{ PWL, .probe = "write-12k", .label = "Log append, 12k", .rw = "write", .bs = 12288 },
	{ PWL, .probe = "write-64k", .label = "Log append, 64k", .rw = "write", .bs = 65536 },
	{ ETCD, .probe = "fio-8000-first-lap", .label = "fio 8000 B, first lap", .bs = 8000,
	  .size = 100 << 20, .laps = 1 },
	{ ETCD, .probe = "fio-8000-overwrite", .label = "fio 8000 B, overwrite", .bs = 8000,
	  .size = 100 << 20, .laps = 2 },
	{ ETCD, .probe = "etcd-2300", .label = "etcd log, 2300 B", .bs = 2300 },
	{ ETCD, .probe = "etcd-8000", .label = "etcd log, 8000 B", .bs = 8000 },
	DSYNC("512", 512), DSYNC("1k", 1024), DSYNC("2k", 2048), DSYNC("4k", 4096),
	DSYNC("8k", 8192), DSYNC("16k", 16384), DSYNC("32k", 32768), DSYNC("64k", 65536),
	DSYNC("128k", 131072),
	FDATASYNC("512", 512), FDATASYNC("1k", 1024), FDATASYNC("2k", 2048), FDATASYNC("4k", 4096),
	FDATASYNC("8k", 8192), FDATASYNC("16k", 16384), FDATASYNC("32k", 32768),
	FDATASYNC("64k", 65536), FDATASYNC("128k", 131072),
	{ RBD, .probe = "write-4k", .label = "4 KiB write", .rw = "randwrite", .depth = 1 },
	{ RBD, .probe = "read-4k", .label = "4 KiB read", .rw = "randread", .depth = 1 },
	DEPTH(2), DEPTH(4), DEPTH(8), DEPTH(16), DEPTH(32), DEPTH(64), DEPTH(96), DEPTH(128),
	{ .battery = NULL },
};

static bool is_pattern(const struct fio_row *row, const struct fio_plan *p)
{
	return strcmp(p->rw, row->rw) == 0;
}

/* Did the job go over its file once, or again? */
static bool is_laps(const struct fio_row *row, const struct fio_job *job, const struct fio_plan *p)
{
	return row->laps == 0 || (row->laps == 1) == (job->write.bytes <= p->size);
}

static bool is_row(const struct fio_row *row, const struct fio_plan *p, uint64_t bs)
{
	if (!is_pattern(row, p) || row->bs != bs || row->depth != p->depth ||
		row->rbd != p->is_rbd || row->fsync != p->fsync || row->fdatasync != p->fdatasync)
		return false;
	if (!row->rbd && (row->direct != p->direct || strcmp(row->sync, p->sync) != 0))
		return false;
	return row->size == 0 || row->size == p->size;
}

static void say(struct fio_match *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct fio_match *m, const char *fmt, ...)
{
	size_t used = strlen(m->why);
	va_list ap;

	if (used)
		used += (size_t)snprintf(m->why + used, sizeof(m->why) - used, "; ");
	if (used >= sizeof(m->why))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(m->why + used, sizeof(m->why) - used, fmt, ap); /* a cut text says most */
	va_end(ap);
}

/* What keeps the job from being any row; false: nothing. */
static bool is_none(const struct fio_job *job, const struct fio_plan *p, uint64_t bs,
	struct fio_match *m)
{
	if (job->error)
		say(m, "its job failed");
	if (job->beside_others)
		say(m, "other jobs ran beside it");
	if (p->jobs > 1 || job->entries > 1)
		say(m, "%llu jobs ran together; the rows are one job each", (unsigned long long)
			(p->jobs > job->entries ? p->jobs : job->entries));
	if (p->mixed)
		say(m, "reads and writes are mixed");
	if (bs == 0)
		say(m, "blocks of several sizes");
	if (p->paced)
		say(m, "it is paced (thinktime or rate); the rows go as fast as they can");
	if (!p->options_known || !p->rw)
		say(m, "the file does not tell %s", p->options_known ? "rw" : "its options");
	if (p->options_known && !p->is_rbd && !p->direct && strcmp(p->sync, "none") == 0 &&
		p->fsync != 1 && p->fdatasync != 1)
		say(m, "buffered%s: the page cache was measured, not the drive",
			p->fsync || p->fdatasync ? " with rare syncs" : " without syncs");
	return m->why[0] != '\0';
}

static bool is_log_sync(const struct fio_job *job, const struct fio_plan *p,
	const struct fio_match *m)
{
	return job->sync.present && !job->error && fabs(m->writes_per_sync - 1) < 0.01 &&
		p->depth == 1 && p->jobs == 1 && job->entries == 1 && !job->beside_others &&
		p->kind != FIO_ENGINE_LIBAIO && !p->mixed;
}

static void explain_row(struct fio_match *m)
{
	const char *probe = m->row->probe;

	if (strcmp(probe, "parallel-fsync") == 0)
		say(m, "no journal of depth 1: a sync waits for the writes around it");
	if (strncmp(probe, "etcd-", 5) == 0 || strncmp(probe, "fio-8000", 8) == 0)
		say(m, "judged by the sync section, never by the write's clat");
	if (strcmp(probe, "fio-8000-overwrite") == 0)
		say(m, "its first lap is in it");
	else if (strcmp(m->row->battery, "etcd") == 0)
		say(m, "whether the file was written before is not told: overwriting is faster than "
			"etcd's fresh segments");
	if (m->row->rbd)
		say(m, "whether librbd's cache or write log was on is not in fio's output: with one, "
			"it is that latency and not the cluster's");
}

static void describe(const struct fio_job *job, const struct fio_plan *p, bool write, uint64_t bs,
	struct fio_match *m)
{
	char size[UNITS_BUF] = "several sizes";

	if (bs)
		(void)units_format_bytes(size, sizeof(size), (double)bs);
	(void)snprintf(m->label, sizeof(m->label), "%.20s: %.9s%s %s, depth %llu%s", job->name,
		p->rw && !p->mixed ? p->rw : write ? "write" : "read",
		p->mixed ? " of mixed" : "", size, (unsigned long long)p->depth,
		p->fsync == 1 ? ", fsync" : p->fdatasync == 1 ? ", fdatasync" : "");
}

static void no_row(const struct fio_job *job, const struct fio_plan *p, uint64_t bs,
	struct fio_match *m)
{
	if (job->sync.present && m->writes_per_sync > 1.01)
		say(m, "not a per-write journal test: %.3g writes a sync", m->writes_per_sync);
	else if (p->depth > 1 && (p->fsync || p->fdatasync))
		say(m, "depth %llu with syncs is no journal of depth 1",
			(unsigned long long)p->depth);
	else
		say(m, "no row does rw=%s bs=%llu iodepth=%llu direct=%d sync=%s fsync=%llu "
			"fdatasync=%llu", p->rw, (unsigned long long)bs,
			(unsigned long long)p->depth, p->direct, p->sync,
			(unsigned long long)p->fsync, (unsigned long long)p->fdatasync);
}

void fio_match(const struct fio_job *job, const struct fio_plan *plan, bool write, uint64_t bs,
	struct fio_match *ret)
{
	struct fio_match m = { .battery = "import", .probe = "other", .writes_per_sync = NAN };

	if (write && job->sync.present && job->write.ios)
		m.writes_per_sync = (double)job->write.ios / (double)job->sync.n;
	describe(job, plan, write, bs, &m);
	if (!is_none(job, plan, bs, &m)) {
		for (const struct fio_row *row = fio_row_table; row->battery && !m.row; row++)
			if (is_row(row, plan, bs) && is_laps(row, job, plan))
				m.row = row;
		if (m.row)
			explain_row(&m);
		else
			no_row(job, plan, bs, &m);
	} else if (job->sync.present && m.writes_per_sync > 1.01) {
		say(&m, "not a per-write journal test: %.3g writes a sync", m.writes_per_sync);
	}
	m.log_sync = write && is_log_sync(job, plan, &m);
	if (m.row) {
		m.battery = m.row->battery;
		m.probe = m.row->probe;
	} else if (m.log_sync) {
		m.probe = "log-sync";
		say(&m, "a log that syncs each write is judged by its sync section");
	}
	*ret = m;
}
