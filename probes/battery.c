/* battery.c - what is true of every battery: finding rows, their parameters, their fio options. */
#include "probes/battery.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct battery *battery_find(const char *name)
{
	for (size_t i = 0; battery_table[i]; i++)
		if (!strcmp(battery_table[i]->name, name))
			return battery_table[i];
	return NULL;
}

const struct battery *battery_default(enum target_kind kind)
{
	return battery_find(kind == TARGET_DIR ? "etcd" : "ceph");
}

const struct battery_row *battery_row_find(const struct battery *b, const char *key)
{
	for (size_t i = 0; i < b->row_count; i++)
		if (!strcmp(b->rows[i].key, key))
			return &b->rows[i];
	return NULL;
}

bool battery_row_fits(const struct battery_row *row, enum target_kind kind)
{
	return row->on & (kind == TARGET_DIR ? ROW_ON_DIR : ROW_ON_BLOCK);
}

void battery_row_params(const struct battery_row *row, struct load_params *p)
{
	load_params_init(p);
	p->engine = row->engine;
	p->rw = row->rw;
	p->bs = row->bs;
	p->iodepth = row->iodepth;
	p->numjobs = 1;
	p->sync = row->sync;
	p->fsync = row->fsync;
	p->fdatasync = row->fdatasync;
	p->direct = row->direct;
	p->size = row->size;
	p->runtime_ns = (uint64_t)row->runtime_s * 1000000000;
	/* A first lap ends with the file: going round would be an overwrite. */
	p->time_based = row->kind != ROW_FIRST_LAP;
	p->norandommap = true;
}

static void add(char *buf, size_t len, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t len, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf + used, len - used, fmt, ap);
	va_end(ap);
}

/* Sizes as people write them for fio: 4k, 4M, 100m stay readable, 2300 stays 2300. */
static const char *fio_size(char *buf, size_t len, uint64_t bytes)
{
	if (bytes && bytes % (1 << 20) == 0)
		(void)snprintf(buf, len, "%" PRIu64 "M", bytes >> 20);
	else if (bytes && bytes % 1024 == 0)
		(void)snprintf(buf, len, "%" PRIu64 "k", bytes >> 10);
	else
		(void)snprintf(buf, len, "%" PRIu64, bytes);
	return buf;
}

char *battery_row_fio(const struct battery_row *row, char *buf, size_t len)
{
	static const char *const rw_word[] = {
		[RW_WRITE] = "write",
		[RW_RANDWRITE] = "randwrite",
		[RW_READ] = "read",
		[RW_RANDREAD] = "randread",
	};
	char size[24];
	bool random = row->rw == RW_RANDWRITE || row->rw == RW_RANDREAD;

	buf[0] = '\0';
	add(buf, len, "rw=%s bs=%s iodepth=%" PRIu32, rw_word[row->rw],
		fio_size(size, sizeof(size), row->bs), row->iodepth);
	if (row->sync != SYNC_NONE)
		add(buf, len, " sync=%s", row->sync == SYNC_DSYNC ? "dsync" : "1");
	if (row->fsync)
		add(buf, len, " fsync=%" PRIu32, row->fsync);
	if (row->fdatasync)
		add(buf, len, " fdatasync=%" PRIu32, row->fdatasync);
	if (row->size)
		add(buf, len, " size=%s", fio_size(size, sizeof(size), row->size));
	/* fio's psync is pwrite(2), which is what our sync engine does. */
	add(buf, len, " ioengine=%s direct=%d runtime=%" PRIu32,
		!strcmp(row->engine, "sync") ? "psync" : row->engine, row->direct, row->runtime_s);
	if (row->kind != ROW_FIRST_LAP)
		add(buf, len, " time_based=1");
	if (random)
		add(buf, len, " norandommap=1");
	if (row->kind != ROW_SPAN)
		add(buf, len, " fallocate=native");
	return buf;
}
