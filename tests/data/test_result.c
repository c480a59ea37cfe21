/* test_result.c - data/result.h: documents there and back, and what is not trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/result.h"
#include "tests/data/sample_result.h"

static struct json *reparse(const struct json *j)
{
	char *text = json_print(j, true);
	struct json *back = NULL;
	struct err e = ERR_INIT;

	assert_non_null(text);
	if (json_parse(text, strlen(text), "t", &back, &e) != 0)
		fail_msg("%s", e.msg);
	free(text);
	return back;
}

static void assert_same_json(const struct json *a, const struct json *b)
{
	char *x = json_print(a, false), *y = json_print(b, false);

	assert_string_equal(x, y);
	free(x);
	free(y);
}

static void a_document_survives_writing_and_reading(void **state)
{
	struct result *r = sample(), *back = NULL;
	struct json *first = result_to_json(r), *second;
	struct err e = ERR_INIT;
	const struct measurement *m;

	(void)state;
	if (result_from_json(reparse(first), "t", &back, &e) != 0)
		fail_msg("%s", e.msg);
	second = result_to_json(back);
	assert_same_json(first, second);
	m = result_find(back, "ceph", "random-nosync");
	assert_non_null(m);
	assert_int_equal(m->write_cache, WC_ON);
	assert_int_equal(m->source, SOURCE_MEASURED);
	assert_true(m->ios == 3000 && m->lat.count == 3000 && m->lat.hist);
	assert_false(m->sync_lat.present);
	assert_true(isnan(m->last_third_change));
	assert_int_equal(m->timeline_count, 2);
	assert_true(isnan(m->timeline[1].p50_ns));
	for (size_t i = 0; i < back->measurement_count; i++)
		if (back->measurements[i]->extra)
			fail_msg("a key that is written is not among those that are known: %s",
				json_print(back->measurements[i]->extra, false));
	assert_null(m->extra);
	assert_null(result_find(back, "etcd", NULL));
	assert_ptr_equal(result_find(back, NULL, NULL), back->measurements[0]);
	json_free(first);
	json_free(second);
	result_free(r);
	result_free(back);
}

static void keys_of_a_newer_minor_version_are_kept(void **state)
{
	static const char *const texts[] = { "\"new_section\":{\"a\":1}", "\"future\":[1,{\"x\":2}]",
		"\"queue_ns\":5", "\"p99999\":7", "\"kind_note\":\"n\"", "\"scheme_note\":\"s\"" };
	struct result *r = sample(), *back = NULL;
	struct json *doc = result_to_json(r), *m, *second;
	struct err e = ERR_INIT;
	char *text;

	(void)state;
	m = (struct json *)json_at(json_get(doc, "measurements"), 0);
	assert_int_equal(json_parse("{\"a\":1}", 7, "t", &second, &e), 0);
	assert_int_equal(json_set(doc, "new_section", second), 0);
	assert_int_equal(json_parse("[1,{\"x\":2}]", 11, "t", &second, &e), 0);
	assert_int_equal(json_set(m, "future", second), 0);
	second = (struct json *)json_at(json_get(m, "timeline"), 1);
	assert_int_equal(json_set_u64(second, "queue_ns", 5), 0);
	assert_int_equal(json_set_u64(json_get_mut(m, "lat_ns"), "p99999", 7), 0);
	assert_int_equal(json_set_str(json_get_mut(m, "source"), "kind_note", "n"), 0);
	assert_int_equal(json_set_str(json_get_mut(json_get_mut(m, "sync_lat_ns"), "histogram"),
				 "scheme_note", "s"), 0);
	json_remove(doc, "format_version");
	assert_int_equal(json_parse("[1, 3]", 6, "t", &second, &e), 0);
	assert_int_equal(json_set(doc, "format_version", second), 0);

	if (result_from_json(json_copy(doc), "t", &back, &e) != 0)
		fail_msg("%s", e.msg);
	second = result_to_json(back);
	text = json_print(second, false);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!strstr(text, texts[i]))
			fail_msg("%s is lost", texts[i]);
	}
	assert_non_null(strstr(text, "\"format_version\":[1,3]"));
	assert_non_null(strstr(text, "{\"t_s\":2,\"iops\":0,\"bw_bytes\":0,\"p50_ns\":null,"
				     "\"p99_ns\":null,\"max_ns\":null,\"queue_ns\":5}"));
	free(text);
	json_free(second);
	json_free(doc);
	result_free(r);
	result_free(back);
}

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2(); /* all 0 under the address sanitizer */

	return m.uordblks + m.hblkhd;
}

/* An export keeps a thousand results; each was read from a tree some ten times as large as what is
 * looked at later. */
static void a_result_keeps_no_memory_of_the_text_it_was_read_from(void **state)
{
	enum { SECONDS = 8000 };
	struct result *r = sample(), *back = NULL;
	struct measurement *m = r->measurements[0];
	struct json *doc, *parsed;
	size_t before, tree;

	(void)state;
	free(m->timeline);
	m->timeline = calloc(SECONDS, sizeof(*m->timeline));
	assert_non_null(m->timeline);
	m->timeline_count = SECONDS;
	for (size_t i = 0; i < SECONDS; i++)
		m->timeline[i] = (struct timeline_second){ (double)i + 1, 1, 4096, 1e5, 2e5, 3e6 };
	doc = result_to_json(r);
	before = in_use();
	parsed = reparse(doc);
	tree = in_use() - before;
	assert_int_equal(result_from_json(parsed, "t", &back, NULL), 0);
	assert_int_equal(back->measurements[0]->timeline_count, SECONDS);
	/* what stays, besides the seconds: the histograms */
	if (tree && in_use() - before > SECONDS * sizeof(*m->timeline) + tree / 3)
		fail_msg("%zu bytes stay of a tree of %zu", in_use() - before, tree);
	json_free(doc);
	result_free(r);
	result_free(back);
}

/* One change to a good document, and what must be said about it. */
struct change {
	const char *dotted; /* below measurements[0]; NULL: the whole document */
	const char *key, *value; /* value NULL: the key is removed */
	const char *says;
};

static const struct change changes[] = {
	{ NULL, "format_version", "[2,0]", "/format_version: made by a newer ssdqual (format 2.0" },
	{ NULL, "format_version", "[0,9]", "/format_version/0: must be 1" },
	{ NULL, "format_version", "[1]", "/format_version: has fewer elements than 2" },
	{ NULL, "tool", NULL, "the document: lacks the key tool" },
	{ NULL, "smart", "[]", "/smart: must be of type object" },
	{ NULL, "findings", "[{\"code\":\"x\"}]", "/findings/0: lacks the key text" },
	{ NULL, "settings", "{\"precondition\":\"empty\"}",
		"/settings/precondition: must be one of [\"none\",\"filled\",\"steady\",null]" },
	{ NULL, "target", "{\"capacity_bytes\":-1}", "/target/capacity_bytes: must not be below 0" },
	{ NULL, "target", "{\"capacity_bytes\":\"12x\"}", "/target/capacity_bytes: must match" },
	{ NULL, "target", "{\"rotational\":{\"claimed\":\"yes\"}}",
		"/target/rotational/claimed: must be of a type of [\"boolean\",\"null\"]" },
	{ "", "iops", "-1", "/measurements/0/iops: must not be below 0" },
	{ "", "iops", "600", "/measurements/0/iops: is not ios divided by runtime_ns" },
	{ "", "bw_bytes", "1", "/measurements/0/bw_bytes: is not bytes divided by runtime_ns" },
	{ "", "ios", "999", "/measurements/0/lat_ns/histogram: counts more I/Os than ios" },
	{ "", "battery", "\"Ceph\"", "/measurements/0/battery: must match" },
	{ "", "write_cache", "null", "/measurements/0/write_cache: must be one of" },
	{ "", "stop", "\"bored\"", "/measurements/0/stop: must be one of" },
	{ "", "sync_lat_ns", NULL, "/measurements/0: lacks the key sync_lat_ns" },
	{ "", "timeline", "[{\"t_s\":0}]", "/measurements/0/timeline/0/t_s: must be above 0" },
	{ "lat_ns", "p99", "1", "/measurements/0/lat_ns/p99: is below p90" },
	{ "lat_ns", "min", "1e9", "/measurements/0/lat_ns/min: is above max" },
	{ "lat_ns", "p9999", "1e9", "/measurements/0/lat_ns/p9999: is above max" },
	{ "lat_ns", "p50", "100001", "/measurements/0/lat_ns/p50: does not agree with the histogram" },
	{ "lat_ns", "mean", "null", "/measurements/0/lat_ns/mean: does not agree" },
	{ "lat_ns", "count", "3", "/measurements/0/lat_ns/count: is not the histogram's" },
	{ "lat_ns", "stddev", "1", "/measurements/0/lat_ns/stddev: does not agree" },
	{ "lat_ns", "histogram", "null", "/measurements/0/lat_ns/histogram: must be of type object" },
	{ "lat_ns.histogram", "count", "999",
		"/measurements/0/lat_ns/histogram: the buckets do not add up to count" },
	{ "lat_ns.histogram", "min_ns", "2",
		"/measurements/0/lat_ns/histogram: min_ns and max_ns are not in the outer buckets" },
	{ "lat_ns.histogram", "sum_ns", "1",
		"/measurements/0/lat_ns/histogram: sum_ns is not between" },
	{ "lat_ns.histogram", "bits", "8", "/measurements/0/lat_ns/histogram/bits: must be 7" },
	{ "lat_ns.histogram", "buckets", "[[5,500],[4,500]]",
		"/measurements/0/lat_ns/histogram: the buckets are not in ascending order" },
	{ "lat_ns.histogram", "buckets", "[[0,1000]]",
		"/measurements/0/lat_ns/histogram/buckets/0/0: must not be below 1" },
	{ "lat_ns.histogram", "buckets", "[[9,0],[10,1000]]",
		"/measurements/0/lat_ns/histogram: a bucket's count is out of range" },
	{ "lat_ns.histogram", "buckets", "[[9,\"18446744073709551615\"],[10,2]]",
		"/measurements/0/lat_ns/histogram: a bucket's count is out of range" },
};

static void apply(struct json *doc, const struct change *c)
{
	struct json *at = doc, *value;
	struct err e = ERR_INIT;

	if (c->dotted)
		at = (struct json *)json_path(json_at(json_get(doc, "measurements"), 0), c->dotted);
	assert_non_null(at);
	if (!c->value) {
		json_remove(at, c->key);
		return;
	}
	assert_int_equal(json_parse(c->value, strlen(c->value), c->key, &value, &e), 0);
	assert_int_equal(json_set(at, c->key, value), 0);
}

static void an_edited_document_is_refused_with_the_place(void **state)
{
	struct result *r = sample();
	struct json *good = result_to_json(r);

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct json *doc = json_copy(good);
		struct complaints wrong = COMPLAINTS_INIT;
		struct result *back = NULL;
		struct err e = ERR_INIT;
		bool said = false;

		apply(doc, &changes[i]);
		assert_int_equal(result_validate(doc, &wrong, &e), 0);
		for (size_t n = 0; n < wrong.count; n++)
			said = said || strstr(wrong.line[n], changes[i].says) == wrong.line[n];
		if (!said)
			fail_msg("row %zu: \"%s\" is missing, but: %s", i, changes[i].says,
				wrong.count ? wrong.line[0] : "nothing");
		assert_int_equal(result_from_json(doc, "t", &back, &e), -EBADMSG);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_null(back);
		complaints_done(&wrong);
	}
	json_free(good);
	result_free(r);
}

static void every_mistake_is_listed(void **state)
{
	struct result *r = sample();
	struct json *doc = result_to_json(r);
	struct complaints wrong = COMPLAINTS_INIT;
	struct err e = ERR_INIT;

	(void)state;
	apply(doc, &changes[4]);
	apply(doc, &changes[5]);
	apply(doc, &(struct change){ "", "iops", "-1", NULL });
	assert_int_equal(json_set_f64((struct json *)json_at(json_get(doc, "measurements"), 1), "iops",
				 7), 0);
	assert_int_equal(result_validate(doc, &wrong, &e), 0);
	assert_true(wrong.count >= 5);
	assert_true(complaints_about(&wrong, "/smart"));
	assert_true(complaints_about(&wrong, "/findings/0"));
	assert_true(complaints_about(&wrong, "/measurements/0/iops"));
	assert_true(complaints_about(&wrong, "/measurements/1/iops"));
	complaints_done(&wrong);
	json_free(doc);
	result_free(r);
}

static void imported_figures_need_no_histogram(void **state)
{
	struct result *r = sample(), *back = NULL;
	struct measurement *m = measurement_new("import", "fio", "job");
	struct json *doc;
	struct err e = ERR_INIT;

	(void)state;
	m->source = SOURCE_IMPORTED;
	m->lat = (struct latency){ .present = true, .count = 5, .min_ns = 10000, .mean_ns = 10100,
		.stddev_ns = NAN, .max_ns = 10200,
		.pct_ns = { 10300, 10300, 10300, NAN, NAN } }; /* middles of fio's buckets */
	assert_int_equal(result_take_measurement(r, m), 0);
	doc = result_to_json(r);
	if (result_from_json(doc, "t", &back, &e) != 0)
		fail_msg("%s", e.msg);
	m = back->measurements[3];
	assert_int_equal(m->source, SOURCE_IMPORTED);
	assert_null(m->lat.hist);
	assert_true(m->lat.pct_ns[LAT_P99] == 10300 && isnan(m->lat.pct_ns[LAT_P999]));
	assert_true(isnan(m->iops));
	assert_false(m->sync_lat.present);
	result_free(r);
	result_free(back);
}

static void an_empty_measurement_is_valid(void **state)
{
	struct result *r = result_new(), *back = NULL;
	struct measurement *m = measurement_new("ceph", "journal-sync", "");
	struct err e = ERR_INIT;

	(void)state;
	m->stop = strdup("error");
	m->error = strdup("write at 0: Input/output error");
	latency_from_hist(&m->lat, hist_new());
	assert_int_equal(result_take_measurement(r, m), 0);
	if (result_from_json(result_to_json(r), "t", &back, &e) != 0)
		fail_msg("%s", e.msg);
	assert_true(isnan(back->measurements[0]->lat.pct_ns[LAT_P50]));
	assert_string_equal(back->measurements[0]->error, "write at 0: Input/output error");
	result_free(r);
	result_free(back);
}

/* Seeded damage to a stored file: an error or a document, never a crash. */
static void survives_mutated_documents(void **state)
{
	struct result *r = sample();
	struct json *doc = result_to_json(r);
	char *base = json_print(doc, false);
	size_t len = strlen(base);
	unsigned accepted = 0;

	(void)state;
	for (unsigned s = 1; s <= 600; s++) {
		unsigned seed = s;
		char *text = strdup(base);
		struct json *j = NULL;
		struct result *back = NULL;
		struct err e = ERR_INIT;

		for (int n = rand_r(&seed) % 3; n >= 0; n--) {
			static const char bytes[] = "0123456789-.e\"[]{},:nulltrue ";
			size_t at = (size_t)rand_r(&seed) % len;

			text[at] = bytes[(size_t)rand_r(&seed) % (sizeof(bytes) - 1)];
		}
		if (json_parse(text, len, "t", &j, &e) == 0) {
			if (result_from_json(j, "t", &back, &e) == 0)
				accepted++;
			else if (e.code != -EBADMSG || e.kind != ERR_INPUT)
				fail_msg("seed %u: %d %s", s, e.code, e.msg);
		}
		result_free(back);
		free(text);
	}
	assert_in_range(accepted, 1, 599);
	free(base);
	json_free(doc);
	result_free(r);
}

/* Each value of the document in turn becomes one of another kind. */
static size_t count_values(const struct json *j)
{
	size_t n = 1;

	for (const struct json *m = json_first(j); m; m = json_next(m))
		n += count_values(m);
	return n;
}

static bool replace_value(struct json *parent, size_t *at, const char *with)
{
	for (const struct json *m = json_first(parent); m; m = json_next(m)) {
		if (json_key(m) && --*at == 0) {
			struct json *value = NULL;
			struct err e = ERR_INIT;

			assert_int_equal(json_parse(with, strlen(with), "t", &value, &e), 0);
			assert_int_equal(json_set(parent, json_key(m), value), 0);
			return true;
		}
		if (replace_value((struct json *)m, at, with))
			return true;
	}
	return false;
}

static void survives_values_of_another_kind(void **state)
{
	static const char *const kinds[] = { "null", "-1", "1e308", "\"x\"", "[[[1]]]", "{}" };
	struct result *r = sample();
	struct json *doc;
	size_t n;

	(void)state;
	doc = result_to_json(r);
	n = count_values(doc);
	for (size_t i = 1; i < n; i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			struct json *copy = json_copy(doc);
			struct result *back = NULL;
			struct err e = ERR_INIT;
			size_t at = i;

			if (!replace_value(copy, &at, kinds[k])) {
				json_free(copy);
				i = n;
				break;
			}
			if (result_from_json(copy, "t", &back, &e) != 0 && e.code != -EBADMSG)
				fail_msg("value %zu as %s: %d %s", i, kinds[k], e.code, e.msg);
			result_free(back);
		}
	}
	json_free(doc);
	result_free(r);
}

static void the_fixtures_load(void **state)
{
	static const char *const names[] = { "measured", "imported", "newer-minor" };
	struct err e = ERR_INIT;
	struct result *r = NULL;
	char path[96];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "tests/fixtures/results/%s.json", names[i]);
		if (result_load(path, &r, &e) != 0)
			fail_msg("%s", e.msg);
		assert_true(r->measurement_count > 0);
		result_free(r);
	}
	assert_int_equal(result_load("tests/fixtures/results/newer-major.json", &r, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "made by a newer ssdqual"));
	assert_int_equal(result_load("tests/fixtures/results/absent.json", &r, &e), -ENOENT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_survives_writing_and_reading),
		cmocka_unit_test(keys_of_a_newer_minor_version_are_kept),
		cmocka_unit_test(a_result_keeps_no_memory_of_the_text_it_was_read_from),
		cmocka_unit_test(an_edited_document_is_refused_with_the_place),
		cmocka_unit_test(every_mistake_is_listed),
		cmocka_unit_test(imported_figures_need_no_histogram),
		cmocka_unit_test(an_empty_measurement_is_valid),
		cmocka_unit_test(survives_mutated_documents),
		cmocka_unit_test(survives_values_of_another_kind),
		cmocka_unit_test(the_fixtures_load),
	};

	if (argc == 3 && strcmp(argv[1], "--write-fixtures") == 0) {
		sample_write(argv[2]);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
