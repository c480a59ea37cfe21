/* wa_osd.c - what an OSD says that it was given, and that it gave to its devices. */
#include "probes/wa.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/ceph_asok.h"

/* A counter under the names that releases gave it: up to Pacific, then from Quincy on. Sources:
 * `perf dump` of 16.2.15; ceph src/os/bluestore/bluestore_counters of later releases. */
struct counter {
	const char *key; /* ours */
	const char *section, *name, *newer;
};

static const struct counter counters[] = {
	{ "op_w_in_bytes", "osd", "op_w_in_bytes", NULL },
	{ "op_rw_in_bytes", "osd", "op_rw_in_bytes", NULL },
	{ "subop_w_in_bytes", "osd", "subop_w_in_bytes", NULL },
	{ "write_big_bytes", "bluestore", "bluestore_write_big_bytes", "write_big_bytes" },
	{ "write_small_bytes", "bluestore", "bluestore_write_small_bytes", "write_small_bytes" },
	{ "write_pad_bytes", "bluestore", "write_pad_bytes", NULL },
	/* Writes that went into RocksDB first, and what was later written of them. */
	{ "deferred_queued_bytes", "bluestore", "bluestore_write_deferred_bytes",
		"issued_deferred_write_bytes" },
	{ "deferred_written_bytes", "bluestore", "deferred_write_bytes",
		"submitted_deferred_write_bytes" },
	{ "bluefs_wal_bytes", "bluefs", "bytes_written_wal", NULL },
	{ "bluefs_log_bytes", "bluefs", "logged_bytes", NULL },
	{ "bluefs_sst_bytes", "bluefs", "bytes_written_sst", NULL },
	{ "bluefs_slow_bytes", "bluefs", "bytes_written_slow", NULL },
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

static bool find(const struct json *dump, const struct counter *c, uint64_t *ret)
{
	const struct json *section = json_get(dump, c->section);

	return json_u64(json_get(section, c->name), ret) ||
		(c->newer && json_u64(json_get(section, c->newer), ret));
}

/* Sums of our counters, of which one may be missing. */
struct sum {
	const struct json *from;
	uint64_t bytes;
	const char *missing;
};

static void add(struct sum *s, const char *key)
{
	uint64_t v = 0;

	if (!json_u64(json_get(s->from, key), &v))
		s->missing = key;
	s->bytes += v; /* bytes that were written: no sum of them is near 2^64 */
}

static void set(struct wa_reading *r, const struct sum *s, const char *whose, const char *source)
{
	if (s->missing)
		wa_reading_lack(r, "this release of Ceph does not count %s", s->missing);
	else
		wa_reading_set(r, s->bytes, 0, "%s", source);
	(void)snprintf(r->whose, sizeof(r->whose), "%s", whose); /* the same size */
}

/* Where RocksDB's files are: its log, and BlueFS's own, on the WAL's device, else on the DB's, else
 * on the data's; its tables on the DB's, else the data's; "slow" are those that did not fit
 * there. */
static void share_out(struct wa_osd *o)
{
	struct sum data = { .from = o->counters }, db = data, wal = data;
	struct sum objects = data, queued = data;
	struct sum *logs = o->wal ? &wal : o->db ? &db : &data;

	add(&objects, "write_big_bytes");
	add(&objects, "write_small_bytes");
	add(&objects, "write_pad_bytes");
	add(&queued, "deferred_queued_bytes");
	o->direct = (int64_t)objects.bytes - (int64_t)queued.bytes;
	data.missing = objects.missing ? objects.missing : queued.missing;
	add(&data, "deferred_written_bytes");
	add(&data, "bluefs_slow_bytes");
	add(o->db ? &db : &data, "bluefs_sst_bytes");
	add(logs, "bluefs_wal_bytes");
	add(logs, "bluefs_log_bytes");
	set(&o->data, &data, o->whose, o->db ? "perf dump: bluestore, bluefs slow" :
						"perf dump: bluestore, bluefs");
	set(&o->db_dev, &db, o->whose, "perf dump: bluefs");
	set(&o->wal_dev, &wal, o->whose, "perf dump: bluefs wal and log");
}

int wa_osd_decode(const struct json *dump, const char *name, struct wa_osd *ret,
	struct err *reterr)
{
	struct json *all = json_new_object();
	uint64_t v, client = 0, rw = 0, subop = 0;
	int bad = 0;

	for (size_t i = 0; i < COUNTERS; i++)
		if (find(dump, &counters[i], &v))
			bad |= json_set_u64(all, counters[i].key, v);
		else
			bad |= json_set_null(all, counters[i].key);
	if (bad) {
		json_free(all);
		return err_nomem(reterr);
	}
	if (!json_u64(json_get(all, "op_w_in_bytes"), &client) ||
		!json_u64(json_get(all, "subop_w_in_bytes"), &subop)) {
		json_free(all);
		return err_set(reterr, ERR_DEVICE, -ENODATA,
			"%s: its perf dump has no osd.op_w_in_bytes and subop_w_in_bytes; is it an "
			"OSD's?", name);
	}
	(void)json_u64(json_get(all, "op_rw_in_bytes"), &rw);
	json_free(ret->counters);
	ret->counters = all;
	ret->client_bytes = client + rw;
	ret->subop_bytes = subop;
	share_out(ret);
	return 0;
}

int wa_osd_read(const char *path, unsigned id, struct wa_osd *ret, struct err *reterr)
{
	struct json *dump;
	pid_t pid;
	int r = ceph_asok_ask(path, "{\"prefix\": \"perf dump\"}", &dump, &pid, reterr);

	if (r < 0)
		return r;
	(void)snprintf(ret->whose, sizeof(ret->whose), "osd.%u, process %d", id, (int)pid);
	r = wa_osd_decode(dump, path, ret, reterr);
	json_free(dump);
	return r;
}

void wa_osd_done(struct wa_osd *o)
{
	json_free(o->counters);
	o->counters = NULL;
}

void wa_osd_pair(const struct wa_osd *before, struct wa_osd *after)
{
	if (after->data.known && after->direct > before->direct)
		after->data.bytes += (uint64_t)(after->direct - before->direct);
}

int wa_osd_devices(const char *path, unsigned id, char *ret[static 3], struct err *reterr)
{
	static const char *const links[3] = { "block", "block.db", "block.wal" };
	char *found[3] = { NULL, NULL, NULL }, link[PATH_MAX];
	struct json *answer;
	const char *folder;
	int r = ceph_asok_ask(path, "{\"prefix\": \"config get\", \"var\": \"osd_data\"}", &answer,
		NULL, reterr);

	if (r < 0)
		return r;
	folder = json_str(json_get(answer, "osd_data"));
	for (int i = 0; i < 3 && folder; i++) {
		if ((size_t)snprintf(link, sizeof(link), "%s/%s", folder, links[i]) < sizeof(link))
			found[i] = realpath(link, NULL);
	}
	if (!found[0]) {
		r = err_set(reterr, ERR_INPUT, -ENOENT,
			"osd.%u: %s/block is not there; name its devices: --osd %u=DATA,DB,WAL", id,
			folder ? folder : "osd_data", id);
		free(found[1]);
		free(found[2]);
	} else {
		memcpy(ret, found, sizeof(found));
	}
	json_free(answer);
	return r;
}
