/* result.c - life and parts of a result document; its JSON form is in result_json.c. */
#include "data/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double lat_pct_value[LAT_PCT_COUNT] = { 50.0, 90.0, 99.0, 99.9, 99.99 };
const char *const lat_pct_key[LAT_PCT_COUNT] = { "p50", "p90", "p99", "p999", "p9999" };

void latency_from_hist(struct latency *l, struct hist *h)
{
	*l = (struct latency){ .present = true, .hist = h, .count = h->count };
	l->min_ns = h->count ? (double)h->min_ns : NAN;
	l->max_ns = h->count ? (double)h->max_ns : NAN;
	l->mean_ns = hist_mean(h);
	l->stddev_ns = hist_stddev(h);
	for (int i = 0; i < LAT_PCT_COUNT; i++) {
		uint64_t ns;

		l->pct_ns[i] = hist_percentile(h, lat_pct_value[i], &ns) == 0 ? (double)ns : NAN;
	}
}

void latency_done(struct latency *l)
{
	hist_free(l->hist);
	*l = (struct latency){ .present = false };
}

const char *write_cache_word(enum write_cache_state s)
{
	static const char *const words[] = { [WC_UNKNOWN] = "unknown", [WC_ON] = "on",
		[WC_OFF] = "off", [WC_NONE] = "none" };

	return (unsigned)s < sizeof(words) / sizeof(words[0]) ? words[s] : "unknown";
}

const char *source_word(enum source_kind k)
{
	static const char *const words[] = { [SOURCE_MEASURED] = "measured",
		[SOURCE_IMPORTED] = "imported", [SOURCE_STATED] = "stated" };

	return (unsigned)k < sizeof(words) / sizeof(words[0]) ? words[k] : "stated";
}

struct measurement *measurement_new(const char *battery, const char *probe, const char *label)
{
	struct measurement *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->battery = strdup(battery);
	m->probe = strdup(probe);
	m->label = strdup(label);
	m->params = json_new_object();
	if (!m->battery || !m->probe || !m->label || !m->params) {
		measurement_free(m);
		return NULL;
	}
	m->iops = m->bw_bytes = m->last_third_change = NAN;
	return m;
}

void measurement_free(struct measurement *m)
{
	if (!m)
		return;
	free(m->battery);
	free(m->probe);
	free(m->label);
	json_free(m->params);
	latency_done(&m->lat);
	latency_done(&m->write_lat);
	latency_done(&m->sync_lat);
	latency_done(&m->lat_uncorrected);
	free(m->timeline);
	free(m->stop);
	free(m->error);
	json_free(m->noise);
	json_free(m->extra);
	free(m);
}

static struct json *format_version(void)
{
	struct json *list = json_new_array();

	if (json_append(list, json_new_u64(RESULT_MAJOR)) < 0 ||
		json_append(list, json_new_u64(RESULT_MINOR)) < 0) {
		json_free(list);
		return NULL;
	}
	return list;
}

struct result *result_new(void)
{
	static const char *const sections[] = { "host", "target", "settings" };
	struct result *r = calloc(1, sizeof(*r));
	struct json *tool, *smart;
	int bad = 0;

	if (!r)
		return NULL;
	r->doc = json_new_object();
	bad |= json_set(r->doc, "format_version", format_version());
	tool = json_new_object();
	bad |= json_set_str(tool, "name", "ssdqual");
	bad |= json_set_str(tool, "version", SSDQUAL_VERSION);
	bad |= json_set(r->doc, "tool", tool);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		bad |= json_set(r->doc, sections[i], json_new_object());
	smart = json_new_object();
	bad |= json_set_null(smart, "before");
	bad |= json_set_null(smart, "after");
	bad |= json_set(r->doc, "smart", smart);
	bad |= json_set(r->doc, "findings", json_new_array());
	bad |= json_set(r->doc, "verdicts", json_new_array());
	if (bad) {
		result_free(r);
		return NULL;
	}
	return r;
}

void result_free(struct result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->measurement_count; i++)
		measurement_free(r->measurements[i]);
	free(r->measurements);
	json_free(r->doc);
	free(r);
}

struct json *result_section(struct result *r, const char *name)
{
	struct json *section = json_get_mut(r->doc, name);

	if (json_type(section) == JSON_OBJECT)
		return section;
	if (json_set(r->doc, name, json_new_object()) < 0)
		return NULL;
	return json_get_mut(r->doc, name);
}

int result_take_measurement(struct result *r, struct measurement *m)
{
	struct measurement **list;

	if (!m)
		return -ENOMEM;
	/* a list of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
	list = realloc(r->measurements, (r->measurement_count + 1) * sizeof(*list));
	if (!list) {
		measurement_free(m);
		return -ENOMEM;
	}
	r->measurements = list;
	r->measurements[r->measurement_count++] = m;
	return 0;
}

const struct measurement *result_find(const struct result *r, const char *battery,
	const char *probe)
{
	for (size_t i = 0; i < r->measurement_count; i++) {
		const struct measurement *m = r->measurements[i];

		if ((!battery || strcmp(m->battery, battery) == 0) &&
			(!probe || strcmp(m->probe, probe) == 0))
			return m;
	}
	return NULL;
}

/* Appends @entry (taken) to the list @name, which is made when absent. */
static int append_to(struct result *r, const char *name, struct json *entry)
{
	struct json *list = json_get_mut(r->doc, name);

	if (json_type(list) != JSON_ARRAY) {
		if (json_set(r->doc, name, json_new_array()) < 0) {
			json_free(entry);
			return -ENOMEM;
		}
		list = json_get_mut(r->doc, name);
	}
	return json_append(list, entry);
}

int result_add_finding(struct result *r, const char *code, const char *text, const char *source)
{
	struct json *f = json_new_object();

	if (json_set_str(f, "code", code) < 0 || json_set_str(f, "text", text) < 0 ||
		json_set_str(f, "source", source) < 0) {
		json_free(f);
		return -ENOMEM;
	}
	return append_to(r, "findings", f);
}

int result_add_verdict(struct result *r, const char *subject, const char *grade,
	const char *bound_by, const char *threshold, const char *source, const char *would_change)
{
	struct json *v = json_new_object();
	int bad = 0;

	bad |= json_set_str(v, "subject", subject);
	bad |= json_set_str(v, "grade", grade);
	bad |= json_set_str(v, "bound_by", bound_by);
	bad |= json_set_str(v, "threshold", threshold);
	bad |= json_set_str(v, "source", source);
	bad |= json_set_str(v, "would_change", would_change);
	if (bad) {
		json_free(v);
		return -ENOMEM;
	}
	return append_to(r, "verdicts", v);
}
