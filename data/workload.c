/* workload.c - reading and checking a workload profile. */
#include "data/workload.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "data/resource.h"

static const char *const stack_words[] = { "raw", "fs-overwrite", "fs-append", NULL };
static const char *const loss_words[] = { "nothing", "seconds", NULL };
static const char *const metric_words[] = { "guest_sync_ns", "write_ns", "iops", NULL };
static const char *const pct_words[] = { "p50", "p99", "p999", NULL };

const char *guest_stack_word(enum guest_stack s) { return stack_words[s]; }
const char *loss_word(enum loss_tolerance l) { return loss_words[l]; }
const char *slo_metric_word(enum slo_metric m) { return metric_words[m]; }
const char *slo_percentile_word(enum slo_percentile p) { return pct_words[p]; }

struct number_field {
	const char *key;
	size_t off;
	double min, max;
};

/* Ranges keep the models' arithmetic finite; nothing real lies outside them. */
static const struct number_field numbers[] = {
	{ "read_fraction", offsetof(struct workload, read_fraction), 0, 1 },
	{ "write_bytes", offsetof(struct workload, write_bytes), 1, 64.0 * 1024 * 1024 },
	{ "depth", offsetof(struct workload, depth), 1, 4096 },
	{ "syncs_per_write", offsetof(struct workload, syncs_per_write), 0, 1 },
	{ "think_ns", offsetof(struct workload, think_ns), 0, 3.6e12 },
	{ "burst_bytes", offsetof(struct workload, burst_bytes), 0, 1e15 },
	{ "burst_gap_ns", offsetof(struct workload, burst_gap_ns), 0, 8.64e13 },
	{ "working_set_bytes", offsetof(struct workload, working_set_bytes), 0, 1e15 },
	{ "images", offsetof(struct workload, images), 1, 10000 },
};
#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))

static const char *const other_keys[] = { "format_version", "name", "summary", "guest_stack",
	"rate_per_second", "loss_tolerance", "raft", "slo", "sources", NULL };

static bool is_known_key(const char *key)
{
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		if (strcmp(numbers[i].key, key) == 0)
			return true;
	for (size_t i = 0; other_keys[i] != NULL; i++)
		if (strcmp(other_keys[i], key) == 0)
			return true;
	return false;
}

static int take_word(const struct json *obj, const char *name, const char *key,
	const char *const *words, int *ret, struct err *reterr)
{
	const char *s = json_str(json_get(obj, key));
	char list[160] = "";

	for (int i = 0; s != NULL && words[i] != NULL; i++) {
		if (strcmp(words[i], s) == 0) {
			*ret = i;
			return 0;
		}
	}
	for (size_t i = 0; words[i] != NULL; i++) {
		strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, words[i], sizeof(list) - strlen(list) - 1);
	}
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: %s: %s%s%s; it is one of %s", name, key,
		s != NULL ? "'" : "", s != NULL ? s : "missing", s != NULL ? "' is unknown" : "",
		list);
}

static int need_source(const struct json *sources, const char *name, const char *key,
	struct err *reterr)
{
	const char *s = json_str(json_get(sources, key));

	if (s == NULL || s[0] == '\0')
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: sources.%s: missing; say where the number comes from, or \"assumed\"",
			name, key);
	return 0;
}

static int take_numbers(struct workload *w, const char *name, struct err *reterr)
{
	const struct json *sources = json_get(w->doc, "sources");
	int r;

	for (size_t i = 0; i < NUMBER_COUNT; i++) {
		const struct number_field *f = &numbers[i];
		double v;

		/* A rate stands in the place of a pause. */
		if (strcmp(f->key, "think_ns") == 0 && json_get(w->doc, "rate_per_second") != NULL) {
			if (json_get(w->doc, "think_ns") != NULL)
				return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: think_ns and "
					"rate_per_second exclude each other; keep one", name);
			if (!json_f64(json_get(w->doc, "rate_per_second"), &v) || !(v > 0.0003) ||
			    v > 1e9)
				return err_set(reterr, ERR_INPUT, -EBADMSG,
					"%s: rate_per_second: not a number above 0", name);
			w->think_ns = 1e9 / v;
			r = need_source(sources, name, "rate_per_second", reterr);
			if (r < 0)
				return r;
			continue;
		}
		if (!json_f64(json_get(w->doc, f->key), &v))
			return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: %s: %s", name, f->key,
				json_get(w->doc, f->key) != NULL ? "not a number" : "missing");
		if (!(v >= f->min && v <= f->max))
			return err_set(reterr, ERR_INPUT, -EBADMSG,
				"%s: %s: %g is outside %g to %g", name, f->key, v, f->min, f->max);
		memcpy((char *)w + f->off, &v, sizeof(v));
		r = need_source(sources, name, f->key, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_slo(struct workload *w, const char *name, struct err *reterr)
{
	const struct json *slo = json_get(w->doc, "slo");
	const struct json *limit = json_get(slo, "limit_ns");
	const char *source = json_str(json_get(slo, "source"));
	int metric, pct, r;

	if (json_type(slo) != JSON_OBJECT)
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: slo: missing; give metric, percentile, limit_ns (null: none) and source",
			name);
	r = take_word(slo, name, "metric", metric_words, &metric, reterr);
	if (r < 0)
		return r;
	r = take_word(slo, name, "percentile", pct_words, &pct, reterr);
	if (r < 0)
		return r;
	w->slo_metric = (enum slo_metric)metric;
	w->slo_pct = (enum slo_percentile)pct;
	w->slo_limit_ns = NAN;
	if (!json_is_null(limit) && (!json_f64(limit, &w->slo_limit_ns) || !(w->slo_limit_ns > 0)))
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: slo.limit_ns: neither null nor a number above 0", name);
	if (w->slo_metric == SLO_IOPS && !isnan(w->slo_limit_ns))
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: slo.limit_ns: must be null with the metric iops", name);
	if (w->slo_metric == SLO_GUEST_SYNC && w->syncs_per_write == 0)
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: slo.metric: guest_sync_ns of a load that never syncs; use write_ns",
			name);
	if (source == NULL || source[0] == '\0')
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: slo.source: missing; say who asks for the limit, or \"assumed\"", name);
	w->slo_source = strdup(source);
	return w->slo_source != NULL ? 0 : err_nomem(reterr);
}

static int take_all(struct workload *w, const char *name, struct err *reterr)
{
	const char *own_name = json_str(json_get(w->doc, "name"));
	const char *summary = json_str(json_get(w->doc, "summary"));
	int stack, loss, r;

	if (json_type(w->doc) != JSON_OBJECT)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: not a workload profile: no object",
			name);
	for (const struct json *m = json_first(w->doc); m != NULL; m = json_next(m))
		if (!is_known_key(json_key(m)))
			return err_set(reterr, ERR_INPUT, -EBADMSG,
				"%s: %s: unknown field; `ssdqual workload show etcd --json` prints a "
				"profile to start from", name, json_key(m));
	if (own_name == NULL || own_name[0] == '\0')
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: name: missing", name);
	r = take_numbers(w, name, reterr);
	if (r < 0)
		return r;
	r = take_word(w->doc, name, "guest_stack", stack_words, &stack, reterr);
	if (r < 0)
		return r;
	r = take_word(w->doc, name, "loss_tolerance", loss_words, &loss, reterr);
	if (r < 0)
		return r;
	if (!json_bool(json_get(w->doc, "raft"), &w->raft))
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: raft: not true or false", name);
	w->stack = (enum guest_stack)stack;
	w->loss = (enum loss_tolerance)loss;
	w->name = strdup(own_name);
	w->summary = strdup(summary != NULL ? summary : "");
	if (w->name == NULL || w->summary == NULL)
		return err_nomem(reterr);
	return take_slo(w, name, reterr);
}

int workload_from_json(struct json *doc, const char *name, struct workload **ret,
	struct err *reterr)
{
	struct workload *w = calloc(1, sizeof(*w));
	int r;

	if (w == NULL) {
		json_free(doc);
		return err_nomem(reterr);
	}
	w->doc = doc;
	r = take_all(w, name, reterr);
	if (r < 0) {
		workload_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

static bool is_file_name(const char *arg)
{
	size_t len = strlen(arg);

	return strchr(arg, '/') != NULL || (len > 5 && strcmp(arg + len - 5, ".json") == 0);
}

int workload_load(const char *arg, struct workload **ret, char **ret_origin, struct err *reterr)
{
	struct json *doc = NULL;
	char *origin = NULL;
	int r;

	if (is_file_name(arg)) {
		r = json_load(arg, JSON_FILE_MAX, &doc, reterr);
		if (r == 0) {
			origin = strdup(arg);
			if (origin == NULL) {
				json_free(doc);
				return err_nomem(reterr);
			}
		}
	} else {
		r = resource_load("workloads", arg, &doc, &origin, reterr);
	}
	if (r < 0)
		return r;
	r = workload_from_json(doc, strcmp(origin, "built in") == 0 ? arg : origin, ret, reterr);
	if (r < 0 || ret_origin == NULL)
		free(origin);
	else
		*ret_origin = origin;
	return r;
}

void workload_free(struct workload *w)
{
	if (w == NULL)
		return;
	free(w->name);
	free(w->summary);
	free(w->slo_source);
	json_free(w->doc);
	free(w);
}

double workload_writes(const struct workload *w)
{
	return w->syncs_per_write > 0 ? fmax(1, round(1 / w->syncs_per_write)) : 1;
}

double workload_sync_bytes(const struct workload *w)
{
	return w->write_bytes * workload_writes(w) * w->depth;
}
