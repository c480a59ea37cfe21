/* fio_doc.c - reading fio's JSON, version by version. */
#include "data/fio_doc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

static const struct json *entries_of(const struct json *doc)
{
	const struct json *list = json_get(doc, "jobs");

	if (json_type(list) != JSON_ARRAY)
		list = json_get(doc, "client_stats");
	return json_type(list) == JSON_ARRAY ? list : NULL;
}

bool fio_recognise(const struct json *doc)
{
	const struct json *list = entries_of(doc);

	return json_str(json_get(doc, "fio version")) ||
		(list && json_str(json_get(json_first(list), "jobname")));
}

static uint64_t u64_or_0(const struct json *obj, const char *key)
{
	uint64_t v = 0;
	double d;

	if (!json_u64(json_get(obj, key), &v) && json_f64(json_get(obj, key), &d) && d >= 0 &&
		d < 9e15)
		v = (uint64_t)d;
	return v;
}

static double f64_or_nan(const struct json *obj, const char *key)
{
	double v = NAN;

	(void)json_f64(json_get(obj, key), &v); /* absent: NAN */
	return v >= 0 ? v : NAN;
}

/* -- latencies --------------------------------------------------------------------------------- */

/* Percentiles by their value: "99.000000" and "99.00" are the 99th. No other stands in for one. */
static void read_percentiles(const struct json *list, double unit, struct fio_lat *l)
{
	size_t used = 0;

	for (int i = 0; i < LAT_PCT_COUNT; i++)
		l->pct[i] = NAN;
	for (const struct json *p = json_first(list); p; p = json_next(p)) {
		const char *key = json_key(p);
		double at, v;

		if (!key || units_parse_f64(key, &at) < 0 || !json_f64(p, &v) || v < 0 ||
			!(at > 0 && at <= 100))
			continue;
		l->has_pct = true;
		if (used < sizeof(l->keys) - 12)
			used += (size_t)snprintf(l->keys + used, sizeof(l->keys) - used, "%s%.7g",
				used ? ", " : "", at);
		for (int i = 0; i < LAT_PCT_COUNT; i++)
			if (fabs(at - lat_pct_value[i]) < 1e-7)
				l->pct[i] = v * unit;
	}
}

/* fio 3.x left max at 0 in some versions; a figure that another one contradicts is unknown. */
static void drop_contradictions(struct fio_lat *l)
{
	double first = NAN, last = NAN;

	for (int i = 0; i < LAT_PCT_COUNT; i++) {
		if (isnan(l->pct[i]))
			continue;
		/* a percentile below the one before it: which of them is wrong cannot be told */
		if (l->pct[i] < last) {
			l->pct[i] = NAN;
			l->odd = true;
			continue;
		}
		first = isnan(first) ? l->pct[i] : first;
		last = l->pct[i];
	}
	if (l->max < l->min || l->max < last * 0.98) {
		l->max = NAN;
		l->odd = true;
	}
	if (l->min > first * 1.02) {
		l->min = NAN;
		l->odd = true;
	}
	if (l->mean < l->min * (1 - 1e-6) || l->mean > l->max * (1 + 1e-6)) {
		l->mean = NAN;
		l->odd = true;
	}
	if (l->stddev == 0 && last > first) {
		l->stddev = NAN;
		l->odd = true;
	}
}

/* The section @name, "clat" or "lat": in ns where "NAME_ns" is there, else in us. @ios: how many
 * samples where the section does not say. */
static struct fio_lat read_lat(const struct json *side, const char *name, uint64_t ios)
{
	struct fio_lat l = { .n = ios };
	char key[16];
	const struct json *j;
	double unit = 1;

	(void)snprintf(key, sizeof(key), "%s_ns", name); /* our own names: fits */
	j = json_get(side, key);
	if (json_type(j) != JSON_OBJECT) {
		j = json_get(side, name);
		unit = 1000;
	}
	l.section = json_type(j) == JSON_OBJECT;
	read_percentiles(json_get(j, "percentile"), unit, &l);
	if (!json_is_null(json_get(j, "N")))
		l.n = u64_or_0(j, "N");
	l.min = f64_or_nan(j, "min") * unit;
	l.mean = f64_or_nan(j, "mean") * unit;
	l.stddev = f64_or_nan(j, "stddev") * unit;
	l.max = f64_or_nan(j, "max") * unit;
	/* fio 2.x has no N: a section of zeros has no samples */
	l.present = l.section && l.n > 0 && l.mean > 0;
	if (l.present)
		drop_contradictions(&l);
	return l;
}

static void read_side(const struct json *j, unsigned major, struct fio_side *s)
{
	bool kib = json_is_null(json_get(j, "io_kbytes")) && major > 0 && major < 3;

	s->ios = u64_or_0(j, "total_ios");
	s->bytes = u64_or_0(j, "io_bytes");
	if (kib)
		s->bytes *= 1024;
	s->runtime_ns = u64_or_0(j, "runtime");
	s->runtime_ns = s->runtime_ns < UINT64_MAX / 1000000 ? s->runtime_ns * 1000000 : 0;
	s->iops = f64_or_nan(j, "iops");
	s->bw_bytes = f64_or_nan(j, "bw_bytes");
	if (isnan(s->bw_bytes))
		s->bw_bytes = f64_or_nan(j, "bw") * 1024;
	s->slat = read_lat(j, "slat", s->ios);
	s->clat = read_lat(j, "clat", s->ios);
	s->lat = read_lat(j, "lat", s->ios);
}

/* -- entries ------------------------------------------------------------------------------------ */

static void read_entry(const struct json *e, const struct json *doc, unsigned major,
	struct fio_job *ret)
{
	struct fio_job j = { .name = json_str(json_get(e, "jobname")), .entries = 1 };

	j.options.job = json_get(e, "job options");
	j.options.global = json_get(doc, "global options");
	j.groupid = u64_or_0(e, "groupid");
	j.error = u64_or_0(e, "error");
	j.total_err = u64_or_0(e, "total_err");
	j.eta_s = u64_or_0(e, "eta");
	j.elapsed_s = u64_or_0(e, "elapsed");
	j.all_clients = j.name && strcmp(j.name, "All clients") == 0;
	if (!j.name)
		j.name = "";
	read_side(json_get(e, "read"), major, &j.read);
	read_side(json_get(e, "write"), major, &j.write);
	j.has_trims = u64_or_0(json_get(e, "trim"), "total_ios") > 0;
	j.has_sync_section = json_type(json_get(e, "sync")) == JSON_OBJECT;
	j.sync = read_lat(json_get(e, "sync"), "lat",
		u64_or_0(json_get(e, "sync"), "total_ios"));
	*ret = j;
}

/* -- summing up -------------------------------------------------------------------------------- */

/* Mean and spread of two sets of samples together; their percentiles cannot be told. */
static struct fio_lat merge_lat(const struct fio_lat *a, const struct fio_lat *b)
{
	struct fio_lat l = *a;
	double na = (double)a->n, nb = (double)b->n, da, db;

	if (!b->present)
		return *a;
	if (!a->present)
		return *b;
	l.n = a->n + b->n;
	l.min = a->min < b->min ? a->min : b->min;
	l.max = a->max > b->max ? a->max : b->max;
	l.mean = (a->mean * na + b->mean * nb) / (na + nb);
	da = a->mean - l.mean;
	db = b->mean - l.mean;
	l.stddev = sqrt((na * (a->stddev * a->stddev + da * da) +
		nb * (b->stddev * b->stddev + db * db)) / (na + nb));
	for (int i = 0; i < LAT_PCT_COUNT; i++)
		l.pct[i] = NAN;
	l.has_pct = false;
	l.odd = a->odd || b->odd;
	return l;
}

static void merge_side(struct fio_side *a, const struct fio_side *b)
{
	if (b->ios == 0)
		return;
	if (a->ios == 0) {
		*a = *b;
		return;
	}
	a->ios += b->ios;
	a->bytes += b->bytes;
	a->runtime_ns = a->runtime_ns > b->runtime_ns ? a->runtime_ns : b->runtime_ns;
	a->iops += b->iops;
	a->bw_bytes += b->bw_bytes;
	a->slat = merge_lat(&a->slat, &b->slat);
	a->clat = merge_lat(&a->clat, &b->clat);
	a->lat = merge_lat(&a->lat, &b->lat);
}

static void merge_job(struct fio_job *a, const struct fio_job *b)
{
	a->entries++;
	a->error = a->error ? a->error : b->error;
	a->total_err += b->total_err;
	a->eta_s = a->eta_s > b->eta_s ? a->eta_s : b->eta_s;
	a->has_trims |= b->has_trims;
	a->has_sync_section |= b->has_sync_section;
	merge_side(&a->read, &b->read);
	merge_side(&a->write, &b->write);
	a->sync = merge_lat(&a->sync, &b->sync);
}

static bool is_copy(const struct fio_job *a, const struct fio_job *b)
{
	return a->groupid == b->groupid && strcmp(a->name, b->name) == 0;
}

/* One name all over: then "All clients" is their sum, with percentiles, which a sum of ours lacks. */
static bool prefer_all_clients(const struct fio_job *all, size_t n)
{
	size_t sums = 0;
	const char *name = NULL;

	for (size_t i = 0; i < n; i++) {
		if (all[i].all_clients)
			sums++;
		else if (name && strcmp(name, all[i].name) != 0)
			return false;
		else
			name = all[i].name;
	}
	return sums == 1 && name;
}

/* numjobs without group_reporting gives an entry for each clone: of one name and group. */
static void sum_up(struct fio_run *r, const struct fio_job *all, size_t n)
{
	bool only_sum = r->clients && prefer_all_clients(all, n);
	const struct json *options = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		if (!all[i].all_clients && !options)
			options = all[i].options.job;
		if (r->clients && all[i].all_clients != only_sum)
			continue;
		while (k < r->count && !is_copy(&r->job[k], &all[i]))
			k++;
		if (k < r->count)
			merge_job(&r->job[k], &all[i]);
		else
			r->job[r->count++] = all[i];
	}
	if (only_sum && r->count) {
		r->job[0].entries = n - 1;
		r->job[0].options.job = options;
	}
	for (size_t i = 0; i < r->count; i++)
		for (size_t k = 0; k < r->count; k++)
			if (i != k && r->job[i].groupid == r->job[k].groupid &&
				fio_option_flag(&r->job[i > k ? i : k].options, "stonewall") != 1)
				r->job[i].beside_others = true;
}

int fio_run_read(const struct json *doc, const char *name, struct fio_run *ret,
	struct err *reterr)
{
	const struct json *list = entries_of(doc);
	size_t n = json_len(list), i = 0;
	struct fio_run r = { .version = json_str(json_get(doc, "fio version")) };
	struct fio_job *all;

	if (n == 0)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: fio's output lists no job; it ended "
			"before it began one", name);
	if (n > FIO_JOBS_MAX)
		return err_set(reterr, ERR_INPUT, -EFBIG, "%s: %zu jobs, more than the limit of %d; "
			"use group_reporting", name, n, FIO_JOBS_MAX);
	if (r.version && strncmp(r.version, "fio-", 4) == 0)
		r.major = (unsigned)strtoul(r.version + 4, NULL, 10);
	r.clients = json_type(json_get(doc, "jobs")) != JSON_ARRAY;
	r.ended_at = u64_or_0(doc, "timestamp");
	all = calloc(n, sizeof(*all));
	r.job = calloc(n, sizeof(*r.job));
	if (!all || !r.job) {
		free(all);
		free(r.job);
		return err_nomem(reterr);
	}
	for (const struct json *e = json_first(list); e; e = json_next(e))
		read_entry(e, doc, r.major, &all[i++]);
	sum_up(&r, all, n);
	free(all);
	*ret = r;
	return 0;
}

void fio_run_done(struct fio_run *r)
{
	free(r->job);
	*r = (struct fio_run){ .count = 0 };
}
