/* wa_osd.c - an OSD's counters as levels of its devices' chains. */
#include "cli/wa_osd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"
#include "probes/ceph_asok.h"

static const char *const roles[3] = { "data", "db", "wal" };

static int split(struct wa_osd_side *o, const char *list, struct err *reterr)
{
	char *copy = strdup(list), *at = copy, *word;
	int n = 0;

	if (!copy)
		return err_nomem(reterr);
	for (; n < 3 && (word = strsep(&at, ",")); n++)
		if (word[0] != '\0' && !(o->device[n] = strdup(word))) {
			free(copy);
			return err_nomem(reterr);
		}
	n = at != NULL || !o->device[0];
	free(copy);
	return n ? err_set(reterr, ERR_USAGE, -EINVAL,
			   "--osd %u=%s: takes DATA or DATA,DB or DATA,DB,WAL (DB may be empty)",
			   o->id, list)
		 : 0;
}

int wa_osd_side_init(struct wa_osd_side *o, const char *arg, const char *asok,
	struct err *reterr)
{
	size_t digits = strspn(arg, "0123456789");
	char number[16];
	uint64_t id;
	int r;

	if (digits == 0 || digits >= sizeof(number) || (arg[digits] != '\0' && arg[digits] != '='))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--osd %s: takes the number of an OSD, and its devices: 3 or "
			"3=/dev/sdb,/dev/nvme0n1p1", arg);
	memcpy(number, arg, digits);
	number[digits] = '\0';
	if (units_parse_u64(number, &id) < 0 || id > INT32_MAX)
		return err_set(
			reterr, ERR_USAGE, -ERANGE, "--osd %s: there is no such OSD", number);
	o->used = true;
	o->id = (unsigned)id;
	if (arg[digits] == '=') {
		r = split(o, arg + digits + 1, reterr);
		if (r < 0)
			return r;
	}
	if (asok)
		r = (o->asok = strdup(asok)) ? 0 : err_nomem(reterr);
	else
		r = ceph_asok_find("/run/ceph", o->id, &o->asok, reterr);
	if (r == 0 && !o->device[0])
		r = wa_osd_devices(o->asok, o->id, o->device, reterr);
	o->before.db = o->after.db = o->device[1] != NULL;
	o->before.wal = o->after.wal = o->device[2] != NULL;
	return r;
}

void wa_osd_side_done(struct wa_osd_side *o)
{
	free(o->asok);
	for (int i = 0; i < 3; i++)
		free(o->device[i]);
	wa_osd_done(&o->before);
	wa_osd_done(&o->after);
}

int wa_osd_side_read(struct wa_osd_side *o, bool after, struct err *reterr)
{
	struct err e = ERR_INIT;
	int r = wa_osd_read(o->asok, o->id, after ? &o->after : &o->before, after ? &e : reterr);

	if (!after || r == -ENOMEM)
		return r;
	o->lack.known = r == 0;
	if (r == 0)
		wa_osd_pair(&o->before, &o->after);
	if (r < 0)
		wa_reading_lack(&o->lack, "%s", e.msg);
	return 0;
}

/* One of the readings before and after; that the OSD has gone in between is in @o->lack. */
static void set_counter(const struct wa_osd_side *o, const struct wa_reading *before,
	const struct wa_reading *after, struct wa_counter *ret)
{
	ret->before = *before;
	ret->after = o->lack.known ? *after : o->lack;
}

static struct wa_reading given(const struct wa_osd *o, const struct wa_spread *spread)
{
	struct wa_reading r = { .known = false };

	if (!o->counters)
		return r;
	wa_reading_set(&r, (uint64_t)wa_osd_in(spread, (double)o->client_bytes,
		(double)o->subop_bytes), 0, "perf dump: op_w, op_rw and subop_w in_bytes");
	strcpy(r.whose, o->whose);
	return r;
}

static struct wa_reading stored(const struct wa_osd *o, const char *role)
{
	struct wa_reading all = { .known = false };

	if (strcmp(role, "data") == 0)
		return o->data;
	if (strcmp(role, "db") == 0)
		return o->db_dev;
	if (strcmp(role, "wal") == 0)
		return o->wal_dev;
	wa_reading_add(&all, &o->data);
	if (o->db)
		wa_reading_add(&all, &o->db_dev);
	if (o->wal)
		wa_reading_add(&all, &o->wal_dev);
	return all;
}

/* What each counter moved by. */
static struct json *moved(const struct wa_osd_side *o)
{
	struct json *all = json_new_object();
	uint64_t a, b;

	for (const struct json *j = json_first(o->before.counters); j; j = json_next(j))
		if (json_u64(j, &a) && json_u64(json_get(o->after.counters, json_key(j)), &b) &&
			b >= a)
			(void)json_set_u64(all, json_key(j), b - a); /* no memory: see below */
		else
			(void)json_set_null(all, json_key(j));
	return all;
}

static void set_moved(struct json *j, const char *key, uint64_t before, uint64_t after, bool known)
{
	if (known && after >= before)
		(void)json_set_u64(j, key, after - before);
	else
		(void)json_set_null(j, key);
}

int wa_osd_side_fill(const struct wa_osd_side *o, const struct wa_spread *spread,
	struct wa_chain *chain, size_t count, struct json *doc)
{
	struct wa_reading in[2] = { given(&o->before, spread), given(&o->after, spread) };
	struct json *j = json_new_object();

	for (size_t i = 0; i < count; i++) {
		struct wa_reading a = stored(&o->before, chain[i].role);
		struct wa_reading b = stored(&o->after, chain[i].role);

		set_counter(o, &in[0], &in[1], &chain[i].level[WA_CLIENT]);
		set_counter(o, &a, &b, &chain[i].level[WA_STORE]);
	}
	(void)json_set_u64(j, "id", o->id);
	(void)json_set_str(j, "process", o->before.whose);
	set_moved(j, "client_bytes", o->before.client_bytes, o->after.client_bytes, o->lack.known);
	set_moved(j, "subop_bytes", o->before.subop_bytes, o->after.subop_bytes, o->lack.known);
	for (int i = 0; i < 3; i++)
		(void)json_set_str(j, roles[i], o->device[i]);
	if (json_set(j, "counters", moved(o)) < 0) {
		json_free(j);
		return -ENOMEM;
	}
	return json_set(doc, "osd", j);
}
