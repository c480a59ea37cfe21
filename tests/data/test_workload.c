/* The workload profiles: all of ours are sound, others are refused with the field named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/resource.h"
#include "data/schema.h"
#include "data/workload.h"

static void every_built_in_profile_loads_and_fits_its_schema(void **state)
{
	struct json *schema = NULL;
	struct err e = ERR_INIT;
	char **names = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(resource_load("schema", "workload", &schema, NULL, &e), 0);
	assert_int_equal(resource_names("workloads", &names, &e), 0);
	for (; names[n] != NULL; n++) {
		struct complaints found = COMPLAINTS_INIT;
		struct workload *w = NULL;

		if (workload_load(names[n], &w, NULL, &e) < 0)
			fail_msg("%s", e.msg);
		assert_string_equal(w->name, names[n]);
		assert_int_equal(schema_check(schema, w->doc, &found, &e), 0);
		if (found.count > 0)
			fail_msg("%s: %s", names[n], found.line[0]);
		complaints_done(&found);
		workload_free(w);
	}
	assert_true(n >= 8);
	resource_names_free(names);
	json_free(schema);
}

static void etcd_is_what_its_documentation_says(void **state)
{
	struct workload *w = NULL;
	struct err e = ERR_INIT;
	char *origin = NULL;

	(void)state;
	assert_int_equal(workload_load("etcd", &w, &origin, &e), 0);
	assert_string_equal(origin, "built in");
	assert_true(w->slo_limit_ns == 10e6);
	assert_int_equal(w->slo_metric, SLO_GUEST_SYNC);
	assert_int_equal(w->slo_pct, SLO_P99);
	assert_int_equal(w->stack, STACK_FS_APPEND);
	assert_true(w->raft);
	assert_true(workload_writes(w) == 1);
	w->syncs_per_write = 1.0 / 32;
	assert_true(workload_writes(w) == 32);
	w->syncs_per_write = 0;
	assert_true(workload_writes(w) == 1);
	workload_free(w);
	free(origin);
}

/* Each row: the etcd profile with one thing changed, and what the message must name. */
static void a_broken_profile_is_refused_by_field(void **state)
{
	static const struct {
		const char *key, *json, *says;
	} rows[] = {
		{ "write_bytes", "0", "write_bytes" },
		{ "write_bytes", "\"4k\"", "write_bytes: not a number" },
		{ "write_bytes", NULL, "write_bytes: missing" },
		{ "depth", "0.5", "depth" },
		{ "read_fraction", "1.5", "read_fraction" },
		{ "guest_stack", "\"zfs\"", "fs-append" },
		{ "loss_tolerance", NULL, "loss_tolerance" },
		{ "raft", "1", "raft" },
		{ "name", NULL, "name" },
		{ "sources", "{}", "sources.read_fraction" },
		{ "slo", NULL, "slo" },
		{ "slo", "{\"metric\":\"guest_sync_ns\",\"percentile\":\"p95\",\"limit_ns\":1,"
			"\"source\":\"x\"}", "percentile" },
		{ "slo", "{\"metric\":\"guest_sync_ns\",\"percentile\":\"p99\",\"limit_ns\":-1,"
			"\"source\":\"x\"}", "limit_ns" },
		{ "slo", "{\"metric\":\"iops\",\"percentile\":\"p99\",\"limit_ns\":5,"
			"\"source\":\"x\"}", "null with the metric iops" },
		{ "slo", "{\"metric\":\"write_ns\",\"percentile\":\"p99\",\"limit_ns\":5,"
			"\"source\":\"\"}", "slo.source" },
		{ "syncs_per_write", "0", "never syncs" },
		{ "rate_per_second", "100", "exclude each other" },
		{ "colour", "1", "colour: unknown field" },
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload *w = NULL;
		struct json *doc = NULL, *value = NULL;

		assert_int_equal(resource_load("workloads", "etcd", &doc, NULL, &e), 0);
		if (rows[i].json == NULL) {
			json_remove(doc, rows[i].key);
		} else {
			assert_int_equal(json_parse(rows[i].json, strlen(rows[i].json), "row",
				&value, &e), 0);
			assert_int_equal(json_set(doc, rows[i].key, value), 0);
		}
		assert_true(workload_from_json(doc, "mine.json", &w, &e) < 0);
		assert_int_equal(e.kind, ERR_INPUT);
		if (strstr(e.msg, rows[i].says) == NULL || strstr(e.msg, "mine.json") == NULL)
			fail_msg("row %zu: %s", i, e.msg);
	}
}

static void a_rate_stands_for_a_pause(void **state)
{
	struct workload *w = NULL;
	struct json *doc = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(resource_load("workloads", "etcd", &doc, NULL, &e), 0);
	json_remove(doc, "think_ns");
	assert_int_equal(json_set_f64(doc, "rate_per_second", 200), 0);
	assert_int_equal(json_set_str(json_get_mut(doc, "sources"), "rate_per_second", "mine"), 0);
	if (workload_from_json(doc, "mine.json", &w, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(fabs(w->think_ns - 5e6) < 1);
	workload_free(w);
}

static void an_unknown_name_lists_the_known_ones(void **state)
{
	struct workload *w = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(workload_load("etdc", &w, NULL, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.msg, "etcd"));
	assert_true(workload_load("./none.json", &w, NULL, &e) < 0);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_non_null(strstr(e.msg, "./none.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_built_in_profile_loads_and_fits_its_schema),
		cmocka_unit_test(etcd_is_what_its_documentation_says),
		cmocka_unit_test(a_broken_profile_is_refused_by_field),
		cmocka_unit_test(a_rate_stands_for_a_pause),
		cmocka_unit_test(an_unknown_name_lists_the_known_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
