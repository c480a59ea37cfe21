/* accuracy_read.c - the files of a set: pairs, fio's JSON, refreshes, header reads, the log's drive.
 */
#include "tests/bench/accuracy.h"

#include "data/json.h"
#include "data/units.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEADY 0.5 /* standard deviation of a steady rate's samples, in their mean, at most */
#define FILE_MAX ((size_t)64 << 20)
#define OPTIONS_DEFAULT_MIB { 32, 24, 16 }

static char *slurp(const char *path, size_t *ret_len, struct err *reterr)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *text = NULL;
	size_t n = 0;

	if (f && fstat(fileno(f), &st) == 0 && st.st_size >= 0 && (size_t)st.st_size < FILE_MAX) {
		text = malloc((size_t)st.st_size + 1);
		if (text)
			n = fread(text, 1, (size_t)st.st_size, f);
	}
	if (f)
		fclose(f);
	if (!text) {
		err_set(reterr, ERR_INPUT, -EIO, "%s: cannot be read; check the folder", path);
		return NULL;
	}
	text[n] = '\0';
	*ret_len = n;
	return text;
}

/* columns_read - lines of @width numbers of ns each. */
static int columns_read(const char *path, unsigned width, uint64_t **ret, size_t *ret_rows,
	struct err *reterr)
{
	size_t len, rows = 0, room = 1024;
	char *text = slurp(path, &len, reterr), *at = text, *end;
	uint64_t *v = malloc(room * width * sizeof(*v));

	if (!text || !v)
		goto bad;
	for (;;) {
		if (rows == room) {
			uint64_t *more = realloc(v, 2 * room * width * sizeof(*v));

			if (!more)
				goto bad;
			v = more;
			room *= 2;
		}
		for (unsigned i = 0; i < width; i++) {
			errno = 0;
			v[rows * width + i] = strtoull(at, &end, 10);
			if (end == at || errno) {
				if (i == 0 && at[strspn(at, " \t\r\n")] == '\0' && rows > 0)
					goto done;
				err_set(reterr, ERR_INPUT, -EBADMSG, "%s: line %zu is not %u "
					"numbers of nanoseconds", path, rows + 1, width);
				goto bad;
			}
			at = end;
		}
		rows++;
	}
done:
	free(text);
	*ret = v;
	*ret_rows = rows;
	return 0;
bad:
	free(text);
	free(v);
	return -EBADMSG;
}

static struct hist *hist_of(const uint64_t *v, size_t n, size_t stride)
{
	struct hist *h = hist_new();

	for (size_t i = 0; h && i < n; i++)
		hist_record(h, v[i * stride]);
	return h;
}

int pair_read(struct cell *c, const char *path, struct err *reterr)
{
	uint64_t *v;
	int r = columns_read(path, 2, &v, &c->pairs, reterr);

	if (r < 0)
		return r;
	c->write_ns = malloc(c->pairs * sizeof(*c->write_ns));
	c->flush_ns = malloc(c->pairs * sizeof(*c->flush_ns));
	c->write = hist_of(v, c->pairs, 2);
	c->flush = hist_of(v + 1, c->pairs, 2);
	if (!c->write_ns || !c->flush_ns || !c->write || !c->flush) {
		free(v);
		return err_nomem(reterr);
	}
	for (size_t i = 0; i < c->pairs; i++) {
		c->write_ns[i] = v[2 * i];
		c->flush_ns[i] = v[2 * i + 1];
	}
	free(v);
	return 0;
}

/* -- fio -------------------------------------------------------------------------------------- */

/* fio writes warnings in front of its document. */
static struct json *fio_doc(const char *path, struct err *reterr)
{
	size_t len;
	char *text = slurp(path, &len, reterr), *brace = text ? strchr(text, '{') : NULL;
	struct json *j = NULL;

	if (brace)
		(void)json_parse(brace, len - (size_t)(brace - text), path, &j, reterr);
	else if (text)
		err_set(reterr, ERR_INPUT, -EBADMSG, "%s: no JSON document", path);
	free(text);
	return j;
}

static struct hist *bins(const struct json *lat)
{
	const struct json *j = json_get(lat, "bins");
	struct hist *h = json_len(j) ? hist_new() : NULL;
	uint64_t ns, n;

	for (const struct json *b = h ? json_first(j) : NULL; b; b = json_next(b)) {
		if (units_parse_u64(json_key(b), &ns) < 0 || !json_u64(b, &n) || n == 0)
			continue;
		if (ns == 0)
			ns = 1;
		hist_record(h, ns);
		h->bucket[hist_index(ns)] += n - 1;
		h->count += n - 1;
		h->sum_ns += (double)ns * (double)(n - 1);
	}
	return h;
}

static const struct json *direction(const struct json *job)
{
	const struct json *w = json_get(job, "write");
	uint64_t n = 0;

	return json_u64(json_get(w, "total_ios"), &n) && n ? w : json_get(job, "read");
}

int fio_hist(const char *path, struct hist **ret, struct err *reterr)
{
	struct json *j = fio_doc(path, reterr);
	struct hist *h = NULL;

	if (j)
		h = bins(json_get(direction(json_at(json_get(j, "jobs"), 0)), "clat_ns"));
	json_free(j);
	if (!h)
		return -EBADMSG;
	*ret = h;
	return 0;
}

static const char *option(const struct json *doc, const char *name)
{
	const struct json *job = json_at(json_get(doc, "jobs"), 0);
	const char *s = json_str(json_get(json_get(job, "job options"), name));

	return s ? s : json_str(json_get(json_get(doc, "global options"), name));
}

static void fio_load(struct cell *c, const struct json *doc)
{
	const char *rw = option(doc, "rw"), *s;
	uint64_t v = 0;

	c->bytes = 4096;
	c->depth = 1;
	c->span_bytes = UINT64_C(1) << 30;
	c->runtime_ns = UINT64_C(10000000000);
	if ((s = option(doc, "bs")) && units_parse_bytes(s, &v) == 0)
		c->bytes = (uint32_t)v;
	if ((s = option(doc, "size")) && units_parse_bytes(s, &v) == 0)
		c->span_bytes = v;
	if ((s = option(doc, "iodepth")) && units_parse_u64(s, &v) == 0)
		c->depth = (unsigned)v;
	if ((s = option(doc, "runtime")) && units_parse_duration_ns(s, &v) == 0)
		c->runtime_ns = v;
	c->sequential = rw && strncmp(rw, "rand", 4) != 0;
	c->reads = rw && (strcmp(rw, "randread") == 0 || strcmp(rw, "read") == 0);
	if (rw && strstr(rw, "rw")) {
		c->read_fraction = 0.5;
		if ((s = option(doc, "rwmixread")) && units_parse_u64(s, &v) == 0)
			c->read_fraction = (double)v / 100;
	}
	if (((s = option(doc, "fsync")) || (s = option(doc, "fdatasync"))) &&
		units_parse_u64(s, &v) == 0)
		c->writes_per_flush = (unsigned)v;
	c->burst_ops = c->burst_gap_ns = 0;
	if ((s = option(doc, "thinktime"))) {
		/* fio's unit is the microsecond where none is given. */
		if (units_parse_u64(s, &v) == 0)
			c->burst_gap_ns = v * 1000;
		else
			(void)units_parse_duration_ns(s, &c->burst_gap_ns);
		c->burst_ops = 1;
		if ((s = option(doc, "thinktime_blocks")) && units_parse_u64(s, &v) == 0)
			c->burst_ops = v;
	}
}

/* fio_clients - how many handles, and on how many images. With group_reporting one entry stands
 * for all jobs, whose number is in the summed run time. */
static void fio_clients(struct cell *c, const struct json *doc)
{
	const struct json *job = json_at(json_get(doc, "jobs"), 0);
	double summed;

	c->handles = c->images = 1;
	if (option(doc, "group_reporting") && json_f64(json_get(job, "job_runtime"), &summed) &&
		c->runtime_ns)
		c->handles = (unsigned)(summed * 1e6 / (double)c->runtime_ns + 0.5);
	if (c->handles == 0)
		c->handles = 1;
	/* numjobs: jobs of one image; else each job names its own. */
	if (!option(doc, "numjobs"))
		c->images = c->handles;
}

int fio_read(struct cell *c, const char *path, struct err *reterr)
{
	struct json *doc = fio_doc(path, reterr);
	const struct json *job = json_at(json_get(doc, "jobs"), 0), *d = direction(job);
	double samples = 0, sd = NAN;

	if (!doc)
		return -EBADMSG;
	if (!job) {
		json_free(doc);
		return 1;
	}
	c->kind = CELL_FIO;
	fio_load(c, doc);
	fio_clients(c, doc);
	c->write = bins(json_get(d, "clat_ns"));
	c->flush = bins(json_path(job, "sync.lat_ns"));
	c->iops = NAN;
	(void)json_f64(json_get(d, "iops"), &c->iops);
	(void)json_f64(json_get(d, "iops_stddev"), &sd);
	(void)json_f64(json_get(d, "iops_samples"), &samples);
	/* fio's rate by half seconds. Where it jumps (bursts, laps, a log that drains) the samples are
	 * phases of the load and not draws of one thing: they say nothing on how well the mean is known. */
	c->iops_spread = samples > 1 && sd < STEADY * c->iops ? sd / sqrt(samples) : 0;
	json_free(doc);
	return c->write ? 0 : 1;
}

/* -- the folder ------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), t = strlen(tail);

	return n >= t && strcmp(s + n - t, tail) == 0;
}

static int read_refresh(struct set *s, const char *path, struct err *reterr)
{
	uint64_t *v;
	size_t n;
	int r = columns_read(path, 3, &v, &n, reterr);
	struct hist *h, **to = strstr(path, "nosnap") ? &s->refresh : &s->refresh_snapshot;

	if (r < 0)
		return r;
	h = hist_new();
	for (size_t i = 0; h && i < n; i++)
		hist_record(h, v[3 * i + 1] > v[3 * i + 2] ? v[3 * i + 1] - v[3 * i + 2] : 1);
	hist_free(*to);
	*to = h;
	if (to == &s->refresh) {
		hist_free(s->metaset);
		s->metaset = hist_of(v + 2, n, 3);
	}
	free(v);
	return h ? 0 : err_nomem(reterr);
}

static int read_meta(struct set *s, const char *path, struct err *reterr)
{
	const char *think = strstr(path, "think");
	struct pacing *p = &s->meta[s->metas];
	uint64_t *v;
	size_t n;
	int r;

	if (!think || s->metas == sizeof(s->meta) / sizeof(s->meta[0]))
		return 1;
	r = columns_read(path, 1, &v, &n, reterr);
	if (r < 0)
		return r;
	p->think_ns = strtoull(think + 5, NULL, 10) * 1000;
	p->h = hist_of(v, n, 1);
	free(v);
	s->metas += p->h != NULL;
	return p->h ? 0 : err_nomem(reterr);
}

static int read_device(struct set *s, const char *path, struct err *reterr)
{
	struct hist **to = strstr(path, "write4k") ? &s->log4k :
		strstr(path, "write12k") ? &s->log12k :
		strstr(path, "read4k") ? &s->logread : NULL;

	if (!to)
		return 0;
	hist_free(*to);
	*to = NULL;
	return fio_hist(path, to, reterr);
}

static int read_cell(struct set *s, const char *path, const char *name, struct err *reterr)
{
	static const unsigned mib[3] = OPTIONS_DEFAULT_MIB;
	struct cell *c = &s->cell[s->cells];
	size_t n = strcspn(name, ".");
	int r;

	if (s->cells == CELLS_MAX || n >= CELL_NAME_MAX)
		return 1;
	*c = (struct cell){ .set = { .size_bytes = mib[0] << 20, .max_dirty_bytes = mib[1] << 20,
		.target_dirty_bytes = mib[2] << 20, .max_dirty_age_s = 1,
		.pwl_bytes = 1 << 30 }, .depth = 1, .handles = 1, .images = 1 };
	snprintf(c->path, sizeof(c->path), "%s", path);
	memcpy(c->name, name, n);
	if (ends_with(name, ".json")) {
		c->kind = CELL_FIO;
		(void)name_read(c); /* no candidate in the name: no cache */
		r = fio_read(c, path, reterr);
	} else {
		c->kind = CELL_PAIR;
		c->writes_per_flush = 1;
		c->sequential = true;
		c->span_bytes = 100 << 20;
		r = strncmp(name, "pair", 4) == 0 && name_read(c) ? pair_read(c, path, reterr) : 1;
	}
	if (r == 0)
		s->cells++;
	return r;
}

static void cell_free(struct cell *c)
{
	free(c->write_ns);
	free(c->flush_ns);
	hist_free(c->write);
	hist_free(c->flush);
}

/* Files that are no cells, and are read by others or by people. */
static bool passed_over(const char *path, const char *name)
{
	static const char *const ends[] = { ".md", ".py", ".log", ".csv" };
	static const char *const folders[] = { "/perf/", "/rbd/", "/guest/" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_with(name, ends[i]))
			return true;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strstr(path, folders[i]))
			return true;
	return false;
}

/* read_known - 0: read or passed over; 1: not understood; <0: broken. */
static int read_known(struct set *s, const char *path, const char *name, struct err *reterr)
{
	if (passed_over(path, name))
		return 0;
	if (strstr(path, "/refresh/"))
		return read_refresh(s, path, reterr);
	if (strncmp(name, "metaread", 8) == 0)
		return read_meta(s, path, reterr);
	if (strstr(path, "/device/") || strncmp(name, "dev-", 4) == 0)
		return read_device(s, path, reterr);
	return read_cell(s, path, name, reterr);
}

/* read_file - what is not understood, or broken, is listed and does not stop the rest. */
static void read_file(struct set *s, const char *path, const char *name)
{
	struct err e = ERR_INIT;
	int r = read_known(s, path, name, &e);

	if (r != 0 && s->unknowns < CELLS_MAX)
		snprintf(s->unknown[s->unknowns++], sizeof(s->unknown[0]), "%.511s",
			r < 0 && e.code ? e.msg : path);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int walk(struct set *s, const char *dir, unsigned deep, struct err *reterr)
{
	struct dirent **list;
	int n = scandir(dir, &list, visible, alphasort), r = 0;

	if (n < 0)
		return err_set(reterr, ERR_INPUT, -errno, "%s: no such folder; name one of measured "
			"runs", dir);
	for (int i = 0; i < n; i++) {
		char path[512];
		struct stat st;

		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name) >=
			sizeof(path) || stat(path, &st) < 0)
			r = r < 0 ? r : 1;
		else if (S_ISDIR(st.st_mode) && deep < 3)
			r = r < 0 ? r : walk(s, path, deep + 1, reterr);
		else if (S_ISREG(st.st_mode) && r >= 0)
			read_file(s, path, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return r < 0 ? r : 0;
}

/* read_log - fio's log of a second a line: when nothing completed, and how long. */
static void read_log(struct cell *c)
{
	char path[600];
	struct err e = ERR_INIT;
	size_t len, n = strlen(c->path);
	char *text, *at, *end;
	double before = 0, ms;

	c->measured_stall_at_s = c->measured_stall_s = NAN;
	if (c->kind != CELL_FIO || n < 5)
		return;
	snprintf(path, sizeof(path), "%.*s_iops.log", (int)(n - 5), c->path);
	if (access(path, R_OK) < 0 && ends_with(path, "-ssd_iops.log"))
		snprintf(path, sizeof(path), "%.*s_iops.log", (int)(n - 9), c->path);
	if (access(path, R_OK) < 0)
		return;
	text = slurp(path, &len, &e);
	for (at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		ms = strtod(at, &end);
		if (end == at)
			break;
		if (ms - before > 2500 && isnan(c->measured_stall_s)) {
			c->measured_stall_at_s = before / 1e3;
			c->measured_stall_s = (ms - before) / 1e3 - 1;
		}
		before = ms;
	}
	free(text);
}

int set_read(struct set *s, const char *dir, struct err *reterr)
{
	int r;

	*s = (struct set){ .cell = calloc(CELLS_MAX, sizeof(*s->cell)),
		.unknown = calloc(CELLS_MAX, sizeof(*s->unknown)) };
	if (!s->cell || !s->unknown)
		return err_nomem(reterr);
	r = walk(s, dir, 0, reterr);
	for (size_t i = 0; i < s->cells; i++)
		read_log(&s->cell[i]);
	return r;
}

void set_free(struct set *s)
{
	for (size_t i = 0; i < s->cells; i++)
		cell_free(&s->cell[i]);
	for (unsigned i = 0; i < s->metas; i++)
		hist_free(s->meta[i].h);
	hist_free(s->refresh);
	hist_free(s->refresh_snapshot);
	hist_free(s->metaset);
	hist_free(s->log4k);
	hist_free(s->log12k);
	hist_free(s->logread);
	free(s->cell);
	free(s->unknown);
}
