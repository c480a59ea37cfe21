/* Images: names, reads of a refresh, what refuses a run; sessions on an image in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_rbd.h"
#include "probes/rbd_session.h"

#define MIB (UINT64_C(1) << 20)
#define MS UINT64_C(1000000)

static struct rbd_site a_site(const char *arg)
{
	static const char text[] = "{\"health\": {\"status\": \"HEALTH_OK\", \"checks\": []}}";
	struct rbd_site s = { .conn = { .lib = &fake_lib } };

	assert_int_equal(rbd_spec_parse(arg, &s.spec, NULL), 0);
	s.header = s.spec;
	assert_int_equal(json_parse(text, sizeof(text) - 1, "x", &s.cluster, NULL), 0);
	if (s.spec.image[0] && fake_find(s.spec.image)) {
		assert_int_equal(rbd_image_open(&s.conn, &s.spec, s.spec.image, true, &s.image,
			NULL), 0);
		assert_int_equal(rbd_image_ask(&s.conn, s.image, &s.facts, NULL), 0);
	}
	return s;
}

static void done_with(struct rbd_site *s)
{
	(void)rbd_image_close(s->image);
	json_free(s->cluster);
}

static void names_are_taken_apart(void **state)
{
	static const struct {
		const char *arg, *pool, *ns, *image;
	} good[] = { { "rbd:vms/db1", "vms", "", "db1" }, { "vms/db1", "vms", "", "db1" },
		{ "rbd:vms", "vms", "", "" }, { "rbd:vms/ns/db1", "vms", "ns", "db1" },
		{ "rbd:a@b/c", "a@b", "", "c" } };
	static const char *const bad[] = { "rbd:", "rbd:/x", "rbd:x/", "rbd:a//b", "rbd:a/b/c/d",
		"rbd:a/b@s" };
	struct rbd_spec s;
	char text[3 * RBD_WORD_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(rbd_spec_parse(good[i].arg, &s, NULL), 0);
		assert_string_equal(s.pool, good[i].pool);
		assert_string_equal(s.ns, good[i].ns);
		assert_string_equal(s.image, good[i].image);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rbd_spec_parse(bad[i], &s, NULL), -EINVAL);
	assert_int_equal(rbd_spec_parse("rbd:p/n/i", &s, NULL), 0);
	assert_string_equal(rbd_spec_text(&s, "other", text, sizeof(text)), "p/n/other");
	assert_true(rbd_spec_is("rbd:x") && !rbd_spec_is("/dev/rbd0"));
}

static void a_refresh_has_the_reads_that_the_image_asks_for(void **state)
{
	struct rbd_facts f = { .snapshots = 0 };
	bool more = true;

	(void)state;
	assert_int_equal(rbd_facts_refresh_reads(&f, &more), 5);
	assert_false(more);
	f.snapshots = 3;
	assert_int_equal(rbd_facts_refresh_reads(&f, &more), 6);
	f.op_features = 1;
	assert_int_equal(rbd_facts_refresh_reads(&f, &more), 7);
	f.features = RBD_FEATURE_MIGRATING;
	f.parent = true;
	assert_int_equal(rbd_facts_refresh_reads(&f, &more), 8);
	assert_true(more);
}

static void rows_are_named_once_and_within_their_impact(void **state)
{
	struct rbd_run run = { .impact = &rbd_impacts[RBD_IMPACT_LOW] };
	const char *wanted[] = { "depth-16" };

	(void)state;
	for (size_t i = 0; i < RBD_ROW_COUNT; i++) {
		assert_non_null(rbd_rows[i].key);
		assert_ptr_equal(rbd_row_find(rbd_rows[i].key), &rbd_rows[i]);
		assert_true(strlen(rbd_rows[i].label) <= 26);
		assert_int_equal(rbd_run_wants(&run, &rbd_rows[i]), rbd_rows[i].depth <= 8);
	}
	assert_int_equal(rbd_run_check(&run, NULL), 0);
	run.rows = wanted;
	run.row_count = 1;
	assert_int_equal(rbd_run_check(&run, NULL), -EINVAL);
	run.impact = &rbd_impacts[RBD_IMPACT_MEDIUM];
	assert_int_equal(rbd_run_check(&run, NULL), 0);
	run.span_bytes = MIB + 1;
	assert_int_equal(rbd_run_check(&run, NULL), -EINVAL);
	for (int i = 0; i < RBD_IMPACT_COUNT; i++) /* else nothing could be measured */
		assert_true(rbd_impacts[i].write_bytes >= 2 * rbd_impacts[i].span_bytes);
}

static void an_image_in_use_or_kept_by_others_is_not_overwritten(void **state)
{
	static const struct {
		struct fake_image is;
		const char *why;
	} rows[] = { { { .watchers = 1 }, "is in use" }, { { .snapshots = 2 }, "has 2 snapshots" },
		{ { .children = 1 }, "1 clones" }, { { .parent = true }, "is a clone" },
		{ { .features = RBD_FEATURE_JOURNAL }, "is journaled" } };

	(void)state;
	for (size_t i = 0; i <= sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;
		struct fake_image *f;
		struct rbd_site s;

		fake_reset();
		f = fake_add("img", 64 * MIB);
		if (i < sizeof(rows) / sizeof(rows[0])) {
			f->watchers = rows[i].is.watchers;
			f->snapshots = rows[i].is.snapshots;
			f->children = rows[i].is.children;
			f->parent = rows[i].is.parent;
			f->features |= rows[i].is.features;
		}
		s = a_site("rbd:rbd/img");
		/* Beside it a scratch image may always be made. */
		assert_int_equal(rbd_site_decide(&s, false, false, &e), 0);
		if (i < sizeof(rows) / sizeof(rows[0])) {
			/* --force is about the cluster's health */
			assert_int_equal(rbd_site_decide(&s, true, true, &e), -EPERM);
			assert_int_equal(e.kind, ERR_REFUSED);
			assert_non_null(strstr(e.msg, rows[i].why));
		} else {
			assert_int_equal(rbd_site_decide(&s, false, true, &e), 0);
		}
		done_with(&s);
	}
}

static void a_cluster_that_is_not_well_is_left_alone(void **state)
{
	static const char *const texts[] = { "{}",
		"{\"health\": {\"status\": \"HEALTH_WARN\", \"checks\": [{\"code\": \"OSD_DOWN\"}]}}",
		"{\"health\": {\"status\": \"HEALTH_ERR\", \"checks\": []}}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;
		struct json *j = NULL;

		assert_int_equal(json_parse(texts[i], strlen(texts[i]), "x", &j, NULL), 0);
		assert_int_equal(rbd_cluster_decide(j, &e), -EPERM);
		assert_int_equal(e.kind, ERR_REFUSED);
		assert_non_null(strstr(e.msg, i == 1 ? "HEALTH_WARN (OSD_DOWN)" : "--force"));
		json_free(j);
	}
}

/* -- sessions ------------------------------------------------------------------------------- */

/* Short rows: an image in memory takes so many writes that 256 MiB, what this impact may write, are
 * soon used up. */
static struct rbd_run a_run(void)
{
	return (struct rbd_run){ .impact = &rbd_impacts[RBD_IMPACT_LOW], .runtime_ns = 2 * MS,
		.span_bytes = MIB, .randseed = 1 };
}

static const char *ended(const struct result *r)
{
	return json_str(json_path(r->doc, "settings.ended"));
}

static const char *finding(const struct result *r, const char *code)
{
	const struct json *f = json_first(json_get(r->doc, "findings"));

	for (; f; f = json_next(f))
		if (!strcmp(json_str(json_get(f, "code")), code))
			return json_str(json_get(f, "text"));
	return NULL;
}

static void a_session_measures_every_row_and_leaves_nothing(void **state)
{
	struct rbd_run run = a_run();
	struct result *res = result_new();
	struct rbd_site s;

	(void)state;
	fake_reset();
	fake_add("img", 64 * MIB);
	s = a_site("rbd:rbd/img");
	assert_int_equal(rbd_session_run(&s, &run, NULL, res, NULL), 0);
	for (size_t i = 0; i < RBD_ROW_COUNT; i++) {
		if (rbd_rows[i].depth == 1)
			assert_non_null(result_find(res, "rbd", rbd_rows[i].key));
		if (rbd_rows[i].depth > 8)
			assert_null(result_find(res, "rbd", rbd_rows[i].key));
	}
	assert_string_equal(ended(res), "complete");
	assert_int_equal(fake.removed, 1);
	assert_null(finding(res, "scratch-image-left"));
	assert_int_equal(fake_find("img")->opened, 1); /* the site's */
	done_with(&s);
	result_free(res);
}

static void a_failing_write_ends_it_and_the_image_is_removed(void **state)
{
	static const int when[] = { 1, 2, 40 }; /* in the filling, in the first row, later */
	struct rbd_run run = a_run();

	(void)state;
	for (size_t i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
		struct result *res = result_new();
		struct err e = ERR_INIT;
		struct rbd_site s;

		fake_reset();
		fake.fail_write_at = when[i];
		s = a_site("rbd:rbd");
		assert_true(rbd_session_run(&s, &run, NULL, res, &e) < 0);
		assert_int_equal(e.kind, ERR_DEVICE);
		assert_string_equal(ended(res), "error");
		assert_int_equal(fake.removed, 1);
		done_with(&s);
		result_free(res);
	}
}

static void an_image_that_cannot_be_removed_is_named(void **state)
{
	struct rbd_run run = a_run();
	struct result *res = result_new();
	const char *rows[] = { "flush" };
	struct err e = ERR_INIT;
	struct rbd_site s;

	(void)state;
	fake_reset();
	fake.remove_error = -EPERM;
	run.rows = rows;
	run.row_count = 1;
	s = a_site("rbd:rbd");
	assert_int_equal(rbd_session_run(&s, &run, NULL, res, &e), -EPERM);
	assert_non_null(strstr(e.msg, "rbd rm rbd/" RBD_SCRATCH_PREFIX));
	assert_non_null(strstr(finding(res, "scratch-image-left"), "rbd rm rbd/"));
	assert_non_null(result_find(res, "rbd", "flush")); /* what was measured is kept */
	done_with(&s);
	result_free(res);
}

static void one_that_cannot_be_made_leaves_nothing_to_remove(void **state)
{
	struct rbd_run run = a_run();
	struct result *res = result_new();
	struct err e = ERR_INIT;
	struct rbd_site s;

	(void)state;
	fake_reset();
	fake.create_error = -EPERM;
	s = a_site("rbd:rbd");
	assert_int_equal(rbd_session_run(&s, &run, NULL, res, &e), -EPERM);
	assert_non_null(strstr(e.msg, "profile rbd"));
	assert_int_equal(res->measurement_count, 0);
	assert_null(finding(res, "scratch-image-left"));
	done_with(&s);
	result_free(res);
}

static void a_stop_keeps_what_was_measured(void **state)
{
	atomic_bool stop = true;
	struct rbd_watch watch = { .stop = &stop };
	struct rbd_run run = a_run();
	struct result *res = result_new();
	struct err e = ERR_INIT;
	struct rbd_site s;

	(void)state;
	fake_reset();
	s = a_site("rbd:rbd");
	assert_int_equal(rbd_session_run(&s, &run, &watch, res, &e), -EINTR);
	assert_int_equal(e.kind, ERR_STOPPED);
	assert_string_equal(ended(res), "signal");
	assert_int_equal(fake.removed, 1);
	done_with(&s);
	result_free(res);
}

static void a_cache_that_the_pool_turns_on_is_turned_off_on_the_scratch_image_alone(void **state)
{
	struct rbd_run run = a_run();
	const char *rows[] = { "write-4k" };
	struct result *res = result_new();
	struct err e = ERR_INIT;
	struct rbd_site s;

	(void)state;
	fake_reset();
	fake_add("img", 64 * MIB);
	fake.pool_cache_on = true;
	run.rows = rows;
	run.row_count = 1;
	s = a_site("rbd:rbd/img");
	assert_int_equal(rbd_session_run(&s, &run, NULL, res, NULL), 0);
	result_free(res);
	/* An existing image is not changed, so it cannot be measured. */
	res = result_new();
	run.existing = true;
	assert_int_equal(rbd_session_run(&s, &run, NULL, res, &e), -EPERM);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_non_null(strstr(e.msg, "pool sets rbd_cache=true"));
	assert_int_equal(fake_find("img")->level, 'p');
	done_with(&s);
	result_free(res);
}

static void leftovers_go_when_nobody_can_need_them(void **state)
{
	struct rbd_conn c = { .lib = &fake_lib };
	struct rbd_spec spec = { .pool = "rbd" };
	struct fake_image *dead, *alive, *watched, *stranger;
	struct json *list = NULL;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	char boot[64] = "";

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(boot, sizeof(boot), f));
	boot[strcspn(boot, "\n")] = '\0';
	fclose(f);
	fake_reset();
	fake_add("somebodys", MIB);
	dead = fake_add(RBD_SCRATCH_PREFIX "dead", MIB);
	/* No process has this start time. */
	snprintf(dead->owner, sizeof(dead->owner), "%s %ld 1", boot, (long)getpid());
	watched = fake_add(RBD_SCRATCH_PREFIX "watched", MIB);
	snprintf(watched->owner, sizeof(watched->owner), "%s %ld 1", boot, (long)getpid());
	watched->watchers = 1;
	stranger = fake_add(RBD_SCRATCH_PREFIX "stranger", MIB);
	strcpy(stranger->owner, "00000000-0000-0000-0000-000000000000 1 1");
	fake_add(RBD_SCRATCH_PREFIX "old", MIB)->old = true;
	alive = fake_add(RBD_SCRATCH_PREFIX "alive", MIB);
	{
		struct rbd_image *i = NULL;

		assert_int_equal(rbd_image_open(&c, &spec, alive->name, false, &i, NULL), 0);
		assert_int_equal(rbd_scratch_sign(i), 0);
		(void)rbd_image_close(i);
	}
	assert_int_equal(rbd_scratch_leftovers(&c, &spec, &list, NULL), 0);
	assert_int_equal(json_len(list), 5);
	assert_int_equal(fake.removed, 2);
	assert_null(fake_find(RBD_SCRATCH_PREFIX "dead"));
	assert_null(fake_find(RBD_SCRATCH_PREFIX "old"));
	assert_non_null(fake_find("somebodys"));
	assert_non_null(fake_find(RBD_SCRATCH_PREFIX "alive"));
	assert_non_null(fake_find(RBD_SCRATCH_PREFIX "watched"));
	assert_non_null(fake_find(RBD_SCRATCH_PREFIX "stranger"));
	json_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_taken_apart),
		cmocka_unit_test(a_refresh_has_the_reads_that_the_image_asks_for),
		cmocka_unit_test(rows_are_named_once_and_within_their_impact),
		cmocka_unit_test(an_image_in_use_or_kept_by_others_is_not_overwritten),
		cmocka_unit_test(a_cluster_that_is_not_well_is_left_alone),
		cmocka_unit_test(a_session_measures_every_row_and_leaves_nothing),
		cmocka_unit_test(a_failing_write_ends_it_and_the_image_is_removed),
		cmocka_unit_test(an_image_that_cannot_be_removed_is_named),
		cmocka_unit_test(one_that_cannot_be_made_leaves_nothing_to_remove),
		cmocka_unit_test(a_stop_keeps_what_was_measured),
		cmocka_unit_test(
			a_cache_that_the_pool_turns_on_is_turned_off_on_the_scratch_image_alone),
		cmocka_unit_test(leftovers_go_when_nobody_can_need_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
