/* verdict_rows.h - hand-made documents for the tests of verdicts. Include after cmocka's headers.
 *  */
#ifndef SSDQUAL_TESTS_POLICIES_VERDICT_ROWS_H
#define SSDQUAL_TESTS_POLICIES_VERDICT_ROWS_H

#include "data/result.h"
#include "policies/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of a minute: @depth in flight, fsync after each write where @fsync. */
static inline struct measurement *add_row(struct result *r, const char *probe,
	enum write_cache_state state, double iops, unsigned depth, bool fsync)
{
	struct measurement *m = measurement_new("ceph", probe, probe);

	assert_non_null(m);
	m->write_cache = state;
	m->iops = iops;
	m->ios = (uint64_t)(iops * 60);
	m->runtime_ns = 60000000000;
	m->last_third_change = 0.01;
	free(m->stop);
	m->stop = strdup("runtime");
	assert_int_equal(json_set_str(m->params, "rw", "write"), 0);
	assert_int_equal(json_set_u64(m->params, "iodepth", depth), 0);
	assert_int_equal(json_set_u64(m->params, "fsync", fsync), 0);
	assert_int_equal(result_take_measurement(r, m), 0);
	return m;
}

/* A latency that was given, not measured: no histogram. */
static inline void give_latency(struct latency *l, double mean_ns, double p99_ns)
{
	*l = (struct latency){ .present = true, .count = 1000, .min_ns = NAN, .mean_ns = mean_ns,
		.stddev_ns = NAN, .max_ns = NAN };
	for (int i = 0; i < LAT_PCT_COUNT; i++)
		l->pct_ns[i] = NAN;
	l->pct_ns[LAT_P50] = mean_ns;
	l->pct_ns[LAT_P99] = p99_ns;
}

/* "target.KEY" or "target.OBJECT.KEY" */
static inline struct json *target_object(struct result *r, const char *object)
{
	struct json *t = result_section(r, "target");

	if (!object)
		return t;
	if (!json_get(t, object))
		assert_int_equal(json_set(t, object, json_new_object()), 0);
	return json_get_mut(t, object);
}

static inline void set_target(struct result *r, const char *object, const char *key,
	const char *value)
{
	assert_int_equal(json_set_str(target_object(r, object), key, value), 0);
}

static inline void set_target_bool(struct result *r, const char *object, const char *key,
	bool value)
{
	assert_int_equal(json_set_bool(target_object(r, object), key, value), 0);
}

/* A SATA SSD whose cache is on, as the kernel sees it, too. */
static inline struct result *new_drive(void)
{
	struct result *r = result_new();

	assert_non_null(r);
	set_target(r, NULL, "kind", "block");
	set_target(r, NULL, "transport", "sata");
	set_target(r, NULL, "model", "ACME SSD 1");
	set_target(r, "write_cache", "drive", "on");
	set_target(r, "write_cache", "kernel", "write back");
	set_target(r, "write_cache", "queue", "write back");
	set_target_bool(r, "write_cache", "fua", false);
	return r;
}

/* judge - the verdict about @subject, 1 for none; findings are kept until the next call. */
static struct notes found;
static inline int judge(const char *subject, const struct result *r, const struct refdrive *ref,
	struct verdict *v)
{
	struct verdict_input in = { .results = &r, .count = 1, .ref = ref };

	notes_done(&found);
	found = (struct notes){ .count = 0 };
	for (size_t i = 0; verdict_table[i]; i++)
		if (strcmp(verdict_table[i]->subject, subject) == 0)
			return verdict_judge(verdict_table[i], &in, v, &found);
	fail_msg("no such subject: %s", subject);
	return -1;
}

#endif
