/* result_json.c - the typed result document to JSON and back. */
#include "data/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json_keep.h"
#include "data/result_check.h"

/* -- writing -------------------------------------------------------------------------------- */

static struct json *latency_to_json(const struct latency *l)
{
	struct json *j;
	int bad = 0;

	if (!l->present)
		return json_new_null();
	j = json_new_object();
	bad |= json_set_u64(j, "count", l->count);
	bad |= json_set_f64(j, "min", l->min_ns);
	bad |= json_set_f64(j, "mean", l->mean_ns);
	bad |= json_set_f64(j, "stddev", l->stddev_ns);
	bad |= json_set_f64(j, "max", l->max_ns);
	for (int i = 0; i < LAT_PCT_COUNT; i++)
		bad |= json_set_f64(j, lat_pct_key[i], l->pct_ns[i]);
	bad |= json_set(j, "histogram", l->hist ? hist_to_json(l->hist) : json_new_null());
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

static struct json *second_to_json(const struct timeline_second *s)
{
	struct json *j = json_new_object();
	int bad = 0;

	bad |= json_set_f64(j, "t_s", s->t_s);
	bad |= json_set_f64(j, "iops", s->iops);
	bad |= json_set_f64(j, "bw_bytes", s->bw_bytes);
	bad |= json_set_f64(j, "p50_ns", s->p50_ns);
	bad |= json_set_f64(j, "p99_ns", s->p99_ns);
	bad |= json_set_f64(j, "max_ns", s->max_ns);
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

static struct json *timeline_to_json(const struct measurement *m)
{
	struct json *list = json_new_array();

	for (size_t i = 0; list && i < m->timeline_count; i++) {
		if (json_append(list, second_to_json(&m->timeline[i])) < 0) {
			json_free(list);
			return NULL;
		}
	}
	return list;
}

static struct json *source_to_json(enum source_kind kind)
{
	struct json *j = json_new_object();

	if (json_set_str(j, "kind", source_word(kind)) < 0) {
		json_free(j);
		return NULL;
	}
	return j;
}

/* A copy, or null for nothing. */
static struct json *copy_or_null(const struct json *j)
{
	return j ? json_copy(j) : json_new_null();
}

static struct json *measurement_to_json(const struct measurement *m)
{
	struct json *j = json_new_object();
	int bad = 0;

	bad |= json_set_str(j, "battery", m->battery);
	bad |= json_set_str(j, "probe", m->probe);
	bad |= json_set_str(j, "label", m->label);
	bad |= json_set_str(j, "write_cache", write_cache_word(m->write_cache));
	bad |= json_set(j, "source", source_to_json(m->source));
	bad |= json_set(j, "params", m->params ? json_copy(m->params) : json_new_object());
	bad |= json_set_u64(j, "ios", m->ios);
	bad |= json_set_u64(j, "bytes", m->bytes);
	bad |= json_set_u64(j, "runtime_ns", m->runtime_ns);
	bad |= json_set_u64(j, "errors", m->errors);
	bad |= json_set_f64(j, "iops", m->iops);
	bad |= json_set_f64(j, "bw_bytes", m->bw_bytes);
	bad |= json_set(j, "lat_ns", latency_to_json(&m->lat));
	bad |= json_set(j, "write_lat_ns", latency_to_json(&m->write_lat));
	bad |= json_set(j, "sync_lat_ns", latency_to_json(&m->sync_lat));
	bad |= json_set(j, "uncorrected_lat_ns", latency_to_json(&m->lat_uncorrected));
	bad |= json_set_str(j, "stop", m->stop);
	bad |= json_set_str(j, "error", m->error);
	bad |= json_set_f64(j, "last_third_change", m->last_third_change);
	bad |= json_set(j, "noise", copy_or_null(m->noise));
	bad |= json_set(j, "timeline", timeline_to_json(m));
	if (!bad)
		bad |= json_lay_over(j, m->extra);
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

static struct json *measurements_to_json(const struct result *r)
{
	struct json *list = json_new_array();

	for (size_t i = 0; list && i < r->measurement_count; i++) {
		if (json_append(list, measurement_to_json(r->measurements[i])) < 0) {
			json_free(list);
			return NULL;
		}
	}
	return list;
}

struct json *result_to_json(const struct result *r)
{
	/* What a person looks for first stands first; "measurements" is long. */
	static const char *const order[] = { "format_version", "tool", "host", "target", "settings",
		"findings", "verdicts", "measurements", "smart" };
	struct json *j = json_new_object();
	int bad = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const struct json *section = json_get(r->doc, order[i]);

		if (strcmp(order[i], "measurements") == 0)
			bad |= json_set(j, order[i], measurements_to_json(r));
		else if (section)
			bad |= json_set(j, order[i], json_copy(section));
	}
	for (const struct json *m = json_first(r->doc); m && !bad; m = json_next(m)) {
		if (!json_get(j, json_key(m)))
			bad |= json_set(j, json_key(m), json_copy(m));
	}
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

/* -- reading: the document has passed result_validate() ----------------------------------------- */

static void read_f64(const struct json *obj, const char *key, double *ret)
{
	if (!json_f64(json_get(obj, key), ret))
		*ret = NAN;
}

static void read_u64(const struct json *obj, const char *key, uint64_t *ret)
{
	if (!json_u64(json_get(obj, key), ret))
		*ret = 0;
}

static int read_str(const struct json *obj, const char *key, char **ret)
{
	const char *s = json_str(json_get(obj, key));

	if (!s)
		return 0;
	free(*ret);
	*ret = strdup(s);
	return *ret ? 0 : -ENOMEM;
}

/* Figures without a histogram; the others came with it from result_examine(). */
static void read_latency(const struct json *j, struct latency *l)
{
	if (json_is_null(j) || l->present)
		return;
	l->present = true;
	read_u64(j, "count", &l->count);
	read_f64(j, "min", &l->min_ns);
	read_f64(j, "mean", &l->mean_ns);
	read_f64(j, "stddev", &l->stddev_ns);
	read_f64(j, "max", &l->max_ns);
	for (int i = 0; i < LAT_PCT_COUNT; i++)
		read_f64(j, lat_pct_key[i], &l->pct_ns[i]);
}

static int read_timeline(const struct json *list, struct measurement *m)
{
	size_t n = json_len(list), i = 0;

	if (json_type(list) != JSON_ARRAY || n == 0)
		return 0;
	m->timeline = calloc(n, sizeof(*m->timeline));
	if (!m->timeline)
		return -ENOMEM;
	for (const struct json *e = json_first(list); e; e = json_next(e)) {
		struct timeline_second *s = &m->timeline[i++];

		read_f64(e, "t_s", &s->t_s);
		read_f64(e, "iops", &s->iops);
		read_f64(e, "bw_bytes", &s->bw_bytes);
		read_f64(e, "p50_ns", &s->p50_ns);
		read_f64(e, "p99_ns", &s->p99_ns);
		read_f64(e, "max_ns", &s->max_ns);
	}
	m->timeline_count = n;
	return 0;
}

static enum write_cache_state write_cache_from(const char *word)
{
	for (int s = WC_ON; word && s <= WC_NONE; s++) {
		if (strcmp(word, write_cache_word((enum write_cache_state)s)) == 0)
			return (enum write_cache_state)s;
	}
	return WC_UNKNOWN;
}

static enum source_kind source_from(const char *word)
{
	for (int k = SOURCE_MEASURED; word && k <= SOURCE_STATED; k++) {
		if (strcmp(word, source_word((enum source_kind)k)) == 0)
			return (enum source_kind)k;
	}
	return SOURCE_STATED;
}

static int read_noise_and_params(const struct json *j, struct measurement *m)
{
	if (json_type(json_get(j, "params")) == JSON_OBJECT) {
		json_free(m->params);
		m->params = json_copy(json_get(j, "params"));
		if (!m->params)
			return -ENOMEM;
	}
	if (!json_is_null(json_get(j, "noise"))) {
		m->noise = json_copy(json_get(j, "noise"));
		if (!m->noise)
			return -ENOMEM;
	}
	return 0;
}

/* What measurement_to_json() writes: other keys are of a newer minor version, and are kept. */
#define KEY(name) { name, NULL }
static const struct json_known known_hist[] = { KEY("scheme"), KEY("bits"), KEY("count"),
	KEY("under"), KEY("over"), KEY("min_ns"), KEY("max_ns"), KEY("sum_ns"), KEY("sumsq_ns"),
	KEY("buckets"), KEY(NULL) };
static const struct json_known known_latency[] = { KEY("count"), KEY("min"), KEY("mean"),
	KEY("stddev"), KEY("max"), KEY("p50"), KEY("p90"), KEY("p99"), KEY("p999"), KEY("p9999"),
	{ "histogram", known_hist }, KEY(NULL) };
static const struct json_known known_second[] = { KEY("t_s"), KEY("iops"), KEY("bw_bytes"),
	KEY("p50_ns"), KEY("p99_ns"), KEY("max_ns"), KEY(NULL) };
static const struct json_known known_source[] = { KEY("kind"), KEY(NULL) };
static const struct json_known known_measurement[] = { KEY("battery"), KEY("probe"), KEY("label"),
	KEY("write_cache"), { "source", known_source }, KEY("params"), KEY("ios"), KEY("bytes"),
	KEY("runtime_ns"), KEY("errors"), KEY("iops"), KEY("bw_bytes"),
	{ "lat_ns", known_latency }, { "write_lat_ns", known_latency },
	{ "sync_lat_ns", known_latency }, { "uncorrected_lat_ns", known_latency }, KEY("stop"),
	KEY("error"), KEY("last_third_change"), KEY("noise"), { "timeline", known_second },
	KEY(NULL) };
#undef KEY

/* @lat: with their histograms, taken. */
static int measurement_from_json(const struct json *j, struct latencies *lat,
	struct measurement **ret, struct err *reterr)
{
	struct measurement *m = measurement_new("", "", "");
	struct latency *of[PART_COUNT];

	if (!m)
		return err_nomem(reterr);
	m->write_cache = write_cache_from(json_str(json_get(j, "write_cache")));
	m->source = source_from(json_str(json_path(j, "source.kind")));
	read_u64(j, "ios", &m->ios);
	read_u64(j, "bytes", &m->bytes);
	read_u64(j, "runtime_ns", &m->runtime_ns);
	read_u64(j, "errors", &m->errors);
	read_f64(j, "iops", &m->iops);
	read_f64(j, "bw_bytes", &m->bw_bytes);
	read_f64(j, "last_third_change", &m->last_third_change);
	of[PART_LAT] = &m->lat;
	of[PART_WRITE] = &m->write_lat;
	of[PART_SYNC] = &m->sync_lat;
	of[PART_UNCORRECTED] = &m->lat_uncorrected;
	for (int i = 0; i < PART_COUNT; i++) {
		*of[i] = lat->part[i];
		lat->part[i] = (struct latency){ .present = false };
		read_latency(json_get(j, latency_key[i]), of[i]);
	}
	if (read_str(j, "battery", &m->battery) < 0 || read_str(j, "probe", &m->probe) < 0 ||
		read_str(j, "label", &m->label) < 0 || read_str(j, "stop", &m->stop) < 0 ||
		read_str(j, "error", &m->error) < 0 ||
		read_timeline(json_get(j, "timeline"), m) < 0 || read_noise_and_params(j, m) < 0 ||
		json_left_over(j, known_measurement, &m->extra) < 0) {
		measurement_free(m);
		return err_nomem(reterr);
	}
	*ret = m;
	return 0;
}

static int read_measurements(const struct json *list, struct latencies *lat, struct result *r,
	struct err *reterr)
{
	for (const struct json *e = json_first(list); e; e = json_next(e), lat++) {
		struct measurement *m = NULL;
		int e_code = measurement_from_json(e, lat, &m, reterr);

		if (e_code < 0)
			return e_code;
		if (result_take_measurement(r, m) < 0)
			return err_nomem(reterr);
	}
	return 0;
}

static void latencies_free(struct latencies *lat, size_t count)
{
	for (size_t i = 0; lat && i < count; i++) {
		for (int k = 0; k < PART_COUNT; k++)
			latency_done(&lat[i].part[k]);
	}
	free(lat);
}

/* The first complaint, and how many more there are. */
static int report(const struct complaints *c, const char *name, struct err *reterr)
{
	size_t more = c->count + c->uncounted - 1;

	if (more == 0)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: %s", name, c->line[0]);
	return err_set(reterr, ERR_INPUT, -EBADMSG,
		"%s: %s (and %zu more; see `ssdqual validate`)", name, c->line[0], more);
}

int result_from_json(struct json *doc, const char *name, struct result **ret, struct err *reterr)
{
	const struct json *list = json_get(doc, "measurements");
	size_t count = json_len(list);
	struct latencies *lat = calloc(count + 1, sizeof(*lat));
	struct complaints wrong = COMPLAINTS_INIT;
	struct result *result = calloc(1, sizeof(*result));
	int r = lat && result ? result_examine(doc, &wrong, lat, reterr) : err_nomem(reterr);

	if (r == 0 && wrong.count)
		r = report(&wrong, name, reterr);
	complaints_done(&wrong);
	if (r == 0)
		r = read_measurements(list, lat, result, reterr);
	latencies_free(lat, count);
	if (r < 0 || !result) {
		result_free(result);
		json_free(doc);
		return r;
	}
	json_remove(doc, "measurements");
	result->doc = json_copy(doc); /* @doc keeps the memory of all that was parsed */
	json_free(doc);
	if (!result->doc) {
		result_free(result);
		return err_nomem(reterr);
	}
	*ret = result;
	return 0;
}

int result_load(const char *path, struct result **ret, struct err *reterr)
{
	struct json *doc;
	int r = json_load(path, JSON_FILE_MAX, &doc, reterr);

	if (r < 0)
		return r;
	return result_from_json(doc, strcmp(path, "-") == 0 ? "standard input" : path, ret, reterr);
}
