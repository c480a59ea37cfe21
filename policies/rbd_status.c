/* rbd_status.c - reading `rbd status`. */
#include "policies/rbd_status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "policies/rbd_input.h"

/* No log is larger than this; what is, went through a cast. 2^50: 1 PiB. */
#define PLAUSIBLE_BYTES 1125899906842624.0

/* The first of two names that is there. */
static const struct json *either(const struct json *o, const char *name, const char *alias)
{
	const struct json *j = json_get(o, name);

	return j != NULL ? j : json_get(o, alias);
}

static void copy_text(char *buf, size_t len, const struct json *j)
{
	const char *s = json_str(j);

	if (s != NULL)
		snprintf(buf, len, "%s", s);
}

static enum answer answer_of(const struct json *j)
{
	bool b;

	if (!json_bool(j, &b))
		return ANSWER_UNKNOWN;
	return b ? ANSWER_YES : ANSWER_NO;
}

/* A count or a size: NAN when absent. Texts of digits are what other tools write large ones as. */
static double number(const struct json *j)
{
	uint64_t u;
	double d;

	if (json_u64(j, &u))
		return (double)u;
	return json_f64(j, &d) ? d : NAN;
}

static bool is_impossible(double bytes)
{
	return bytes < 0 || bytes > PLAUSIBLE_BYTES || bytes != floor(bytes);
}

static void distrust(struct rbd_status *s, const char *what)
{
	s->log = LOG_UNTRUSTED;
	snprintf(s->problem, sizeof(s->problem), "%s", what);
}

static void read_timestamp(struct rbd_status *s, const struct json *j)
{
	uint64_t epoch;
	struct tm tm;
	time_t t;

	copy_text(s->timestamp, sizeof(s->timestamp), j);
	if (s->timestamp[0] != '\0' || !json_u64(j, &epoch) || epoch > 253402300799ULL)
		return;
	t = (time_t)epoch;
	if (gmtime_r(&t, &tm) != NULL)
		(void)strftime(s->timestamp, sizeof(s->timestamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static double share(double part, double whole)
{
	return whole > 0 && part >= 0 && part <= whole ? round(100 * part / whole) : NAN;
}

static void read_hits(struct rbd_status *s, const struct json *o)
{
	double reads, given;

	s->hits_full = number(json_get(o, "hits_full"));
	s->hits_partial = number(json_get(o, "hits_partial"));
	s->misses = number(json_get(o, "misses"));
	s->hit_bytes = number(json_get(o, "hit_bytes"));
	s->miss_bytes = number(json_get(o, "miss_bytes"));
	/* Not the given percentages: without reads they are a 0, and builds differ. */
	reads = s->hits_full + (isnan(s->hits_partial) ? 0 : s->hits_partial) + s->misses;
	s->hits_full_pct = share(s->hits_full, reads);
	s->hits_partial_pct = share(s->hits_partial, reads);
	given = number(json_get(o, "hits_full_percent"));
	if (given < 0 || given > 100)
		snprintf(s->problem, sizeof(s->problem), "hits_full_percent is no percentage; "
			"recomputed from the counts");
}

static void check_sizes(struct rbd_status *s)
{
	const double all[] = { s->size_bytes, s->allocated_bytes, s->cached_bytes, s->dirty_bytes,
		s->free_bytes };

	if (is_impossible(s->size_bytes) && !isnan(s->size_bytes)) {
		distrust(s, "size invalid");
		return;
	}
	for (size_t i = 1; i < sizeof(all) / sizeof(all[0]); i++)
		if (!isnan(all[i]) && (is_impossible(all[i]) || all[i] > s->size_bytes))
			distrust(s, i == 3 ? "dirty bytes invalid" : "a figure is invalid");
}

static void read_section(struct rbd_status *s, const struct json *o)
{
	copy_text(s->host, sizeof(s->host), either(o, "host", "pwl_host"));
	copy_text(s->path, sizeof(s->path), either(o, "path", "pwl_path"));
	copy_text(s->mode, sizeof(s->mode), either(o, "mode", "cache_type"));
	read_timestamp(s, json_get(o, "stats_timestamp"));
	s->present = answer_of(json_get(o, "present"));
	s->empty = answer_of(json_get(o, "empty"));
	s->clean = answer_of(json_get(o, "clean"));
	s->size_bytes = number(either(o, "size", "pwl_size"));
	s->allocated_bytes = number(either(o, "allocated_bytes", "pwl_bytes_allocated"));
	s->cached_bytes = number(either(o, "cached_bytes", "pwl_bytes_cached"));
	s->dirty_bytes = number(either(o, "dirty_bytes", "pwl_bytes_dirty"));
	s->free_bytes = number(either(o, "free_bytes", "pwl_bytes_available"));
	read_hits(s, o);
	check_sizes(s);
}

static void read_log(struct rbd_status *s, const struct json *doc)
{
	const struct json *o = json_get(doc, "persistent_cache");
	const struct json *first = json_get(doc, "image_cache_state");

	if (json_is_null(o) && json_is_null(first))
		return;
	s->log = LOG_READ;
	s->generation = json_is_null(o) ? "image_cache_state" :
		json_get(o, "pwl_size") != NULL || json_get(o, "pwl_host") != NULL ? "pwl" :
		"persistent_cache";
	if (json_is_null(o))
		o = first;
	if (json_type(o) != JSON_OBJECT) {
		distrust(s, "not an object");
		return;
	}
	read_section(s, o);
	if (o == first && s->log == LOG_READ) {
		/* There `clean` is always false, and `present` is what `clean` should be. */
		s->clean = ANSWER_UNKNOWN;
		s->present = ANSWER_UNKNOWN;
		snprintf(s->problem, sizeof(s->problem), "written by a first Pacific build, whose "
			"clean and present are wrong");
	}
}

static int read_watchers(struct rbd_status *s, const struct json *doc, const char *file,
	struct err *reterr)
{
	const struct json *list = json_get(doc, "watchers");

	if (json_is_null(list))
		return 0;
	/* Before Nautilus an object: {"watcher": {...}}; its members are the watchers all the same. */
	if (json_type(list) != JSON_ARRAY && json_type(list) != JSON_OBJECT)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: watchers: not a list; make the file "
			"with `%s`", file, rbd_input_command(RBD_INPUT_STATUS));
	s->watchers_known = true;
	for (const struct json *w = json_first(list); w != NULL; w = json_next(w)) {
		if (s->watchers < RBD_STATUS_WATCHERS)
			copy_text(s->watcher[s->watchers], sizeof(s->watcher[0]),
				json_get(w, "address"));
		s->watchers++;
	}
	return 0;
}

int rbd_status_parse(const struct json *doc, const char *file, struct rbd_status *ret,
	struct err *reterr)
{
	int r = rbd_input_expect(doc, RBD_INPUT_STATUS, file, reterr);

	*ret = (struct rbd_status){ .generation = "", .size_bytes = NAN, .allocated_bytes = NAN,
		.cached_bytes = NAN, .dirty_bytes = NAN, .free_bytes = NAN, .hits_full = NAN,
		.hits_partial = NAN, .misses = NAN, .hit_bytes = NAN, .miss_bytes = NAN,
		.hits_full_pct = NAN, .hits_partial_pct = NAN };
	if (r < 0)
		return r;
	if (rbd_input_of_json(doc) != RBD_INPUT_STATUS)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: neither watchers nor a persistent "
			"cache in it; make the file with `%s`", file,
			rbd_input_command(RBD_INPUT_STATUS));
	r = read_watchers(ret, doc, file, reterr);
	if (r < 0)
		return r;
	read_log(ret, doc);
	return 0;
}

enum answer rbd_status_dirty(const struct rbd_status *s)
{
	if (s->log == LOG_NONE)
		return ANSWER_NO;
	if (s->log == LOG_UNTRUSTED)
		return ANSWER_UNKNOWN;
	/* A log that is not there any more and was not clean has lost data: it counts as dirty. */
	if (s->dirty_bytes > 0 || s->clean == ANSWER_NO)
		return ANSWER_YES;
	return s->clean == ANSWER_YES || s->dirty_bytes == 0 ? ANSWER_NO : ANSWER_UNKNOWN;
}

void rbd_status_text(const struct rbd_status *s, char *buf, size_t len)
{
	static const char *const dirty[] = { "dirty data unknown", "clean", "dirty" };
	static const char *const present[] = { "presence unknown", "not present", "present" };

	if (s->log == LOG_NONE)
		snprintf(buf, len, "none active");
	else if (s->log == LOG_UNTRUSTED)
		snprintf(buf, len, "state untrusted (%s)", s->problem);
	else
		snprintf(buf, len, "%s, %s", present[s->present], dirty[rbd_status_dirty(s)]);
}
