/* What `rbd` prints, in every generation, and what is not it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/package.h"
#include "policies/rbd_info.h"
#include "policies/rbd_input.h"
#include "policies/rbd_status.h"
#include "policies/settings.h"

static struct json *doc_of(const char *text)
{
	struct json *doc = NULL;
	struct err e = ERR_INIT;

	if (json_parse(text, strlen(text), "t.json", &doc, &e) < 0)
		fail_msg("%s", e.msg);
	return doc;
}

static int status(const char *text, struct rbd_status *s, struct err *e)
{
	struct json *doc = doc_of(text);
	int r = rbd_status_parse(doc, "t.json", s, e);

	json_free(doc);
	return r;
}

static void state_is(const char *text, const char *wanted, enum answer dirty)
{
	struct rbd_status s;
	struct err e = ERR_INIT;
	char state[200];

	if (status(text, &s, &e) < 0)
		fail_msg("%s", e.msg);
	rbd_status_text(&s, state, sizeof(state));
	assert_string_equal(state, wanted);
	assert_int_equal(rbd_status_dirty(&s), dirty);
}

static void a_log_is_none_present_dirty_or_untrusted(void **state)
{
	(void)state;
	state_is("{\"watchers\":[]}", "none active", ANSWER_NO);
	state_is("{\"watchers\":[],\"persistent_cache\":null}", "none active", ANSWER_NO);
	state_is("{\"persistent_cache\":{\"size\":1073741824,\"present\":true,\"clean\":true,"
		"\"dirty_bytes\":0}}", "present, clean", ANSWER_NO);
	state_is("{\"persistent_cache\":{\"size\":1073741824,\"present\":true,\"clean\":false,"
		"\"dirty_bytes\":0}}", "present, dirty", ANSWER_YES);
	/* The flag was wrong before 16.2.11 and 17.2.6: dirty bytes count. */
	state_is("{\"persistent_cache\":{\"size\":1073741824,\"present\":true,\"clean\":true,"
		"\"dirty_bytes\":4096}}", "present, dirty", ANSWER_YES);
	state_is("{\"persistent_cache\":{\"present\":false,\"clean\":false}}", "not present, dirty",
		ANSWER_YES);
	state_is("{\"persistent_cache\":{\"size\":-1}}", "state untrusted (size invalid)",
		ANSWER_UNKNOWN);
	state_is("{\"persistent_cache\":{\"size\":1073741824,\"dirty_bytes\":2147483648}}",
		"state untrusted (dirty bytes invalid)", ANSWER_UNKNOWN);
	state_is("{\"persistent_cache\":\"{}\"}", "state untrusted (not an object)", ANSWER_UNKNOWN);
	state_is("{\"image_cache_state\":{\"clean\":false,\"size\":1073741824}}",
		"presence unknown, dirty data unknown", ANSWER_UNKNOWN);
}

static void interim_names_and_epochs_are_read(void **state)
{
	struct rbd_status s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(status("{\"persistent_cache\":{\"stats_timestamp\":0,\"mode\":\"rwl\","
		"\"pwl_host\":\"h\",\"pwl_path\":\"/p\",\"pwl_size\":\"10737418240\","
		"\"pwl_bytes_dirty\":7}}", &s, &e), 0);
	assert_string_equal(s.host, "h");
	assert_string_equal(s.path, "/p");
	assert_string_equal(s.generation, "pwl");
	assert_string_equal(s.timestamp, "1970-01-01T00:00:00Z");
	assert_true(s.size_bytes == 10737418240.0 && s.dirty_bytes == 7);
	assert_true(isnan(s.hits_full_pct) && !s.watchers_known);
	assert_int_equal(status("{\"persistent_cache\":{\"stats_timestamp\":1e300}}", &s, &e), 0);
	assert_string_equal(s.timestamp, "");
}

static void watchers_are_counted_beyond_those_that_are_kept(void **state)
{
	struct rbd_status s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(status("{\"watchers\":[{\"address\":\"a\"},{},{},{},{},{},{},{},{},{}]}", &s,
		&e), 0);
	assert_int_equal(s.watchers, 10);
	assert_string_equal(s.watcher[0], "a");
	assert_int_equal(status("{\"watchers\":{\"watcher\":{\"address\":\"b\"}}}", &s, &e), 0);
	assert_int_equal(s.watchers, 1);
	assert_string_equal(s.watcher[0], "b");
	assert_int_equal(status("{\"watchers\":3}", &s, &e), -EBADMSG);
	assert_int_equal(e.kind, ERR_INPUT);
}

static void a_document_under_the_wrong_option_is_named(void **state)
{
	struct rbd_status s;
	struct rbd_info i;
	struct image_config c;
	struct err e = ERR_INIT;
	struct json *doc = doc_of("{\"features\":[],\"object_size\":4194304}");

	(void)state;
	assert_int_equal(rbd_status_parse(doc, "x", &s, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "--image-info takes"));
	assert_non_null(strstr(e.msg, "rbd status POOL/IMAGE --format json"));
	assert_int_equal(image_config_from_json(&c, doc, "x", &e), -EBADMSG);
	json_free(doc);
	doc = doc_of("[{\"name\":\"rbd_cache\",\"value\":\"true\"}]");
	assert_int_equal(rbd_info_parse(doc, "x", &i, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "--image-config takes"));
	json_free(doc);
	doc = doc_of("{\"librbd-1-rbd-p\":{}}");
	assert_int_equal(rbd_status_parse(doc, "x", &s, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "--perf-dump"));
	json_free(doc);
	doc = doc_of("{\"x\":1}");
	assert_int_equal(rbd_status_parse(doc, "x", &s, &e), -EBADMSG);
	assert_int_equal(rbd_info_parse(doc, "x", &i, &e), -EBADMSG);
	json_free(doc);
}

static void texts_for_people_are_known_by_their_first_lines(void **state)
{
	static const struct {
		const char *text;
		enum rbd_input kind;
	} rows[] = {
		{ "There are 2 values:\nName  Value  Source\n", RBD_INPUT_CONFIG },
		{ "Name   Value  Section\n", RBD_INPUT_CONFIG },
		{ "<config><option><name>rbd_cache</name>", RBD_INPUT_CONFIG },
		{ "Watchers:\n\twatcher=127.0.0.1:0/1 client.5 cookie=1\n", RBD_INPUT_STATUS },
		{ "Watchers: none\n", RBD_INPUT_STATUS },
		{ "Image cache state:\n{\"clean\":false}", RBD_INPUT_STATUS },
		{ "rbd image 'p':\n\tsize 2 GiB in 512 objects\n", RBD_INPUT_INFO },
		{ "{\"watchers\":", RBD_INPUT_OTHER },
		{ " \n[", RBD_INPUT_OTHER },
		{ "", RBD_INPUT_OTHER },
		{ "hello\n", RBD_INPUT_OTHER },
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(rbd_input_of_text(rows[i].text, strlen(rows[i].text)), rows[i].kind);
	assert_int_equal(rbd_input_refuse_text(rows[3].text, 40, RBD_INPUT_STATUS, "s.txt", &e),
		-EBADMSG);
	assert_non_null(strstr(e.msg, "rbd status POOL/IMAGE --format json"));
	assert_int_equal(rbd_input_refuse_text("hello", 5, RBD_INPUT_STATUS, "s.txt", &e), 0);
}

static void an_images_description_gives_features_and_refresh_reads(void **state)
{
	struct rbd_info i;
	struct err e = ERR_INIT;
	struct json *doc = doc_of("{\"name\":\"p\",\"id\":\"1\",\"size\":2147483648,"
		"\"object_size\":4194304,\"snapshot_count\":0,\"format\":2,"
		"\"features\":[\"layering\",\"exclusive-lock\"],\"op_features\":[],\"flags\":[]}");

	(void)state;
	assert_int_equal(rbd_info_parse(doc, "x", &i, &e), 0);
	assert_int_equal(rbd_info_feature(&i, "exclusive-lock"), ANSWER_YES);
	assert_int_equal(rbd_info_feature(&i, "journaling"), ANSWER_NO);
	assert_int_equal(i.refresh_reads, 5);
	assert_true(i.size_bytes == 2147483648.0 && i.snapshots == 0 && i.format == 2);
	json_free(doc);
	doc = doc_of("{\"size\":1,\"object_size\":4194304,\"snapshot_count\":3,\"format\":2,"
		"\"features\":[\"migrating\"],\"op_features\":[\"clone-child\"],"
		"\"parent\":{\"pool\":\"a\",\"image\":\"b\",\"snapshot\":\"c\"},"
		"\"encryption\":{\"format\":\"luks1\"},\"mirroring\":{\"state\":\"enabled\"}}");
	assert_int_equal(rbd_info_parse(doc, "x", &i, &e), 0);
	assert_string_equal(i.parent, "a/b@c");
	assert_string_equal(i.encryption, "luks1");
	assert_int_equal(i.mirroring, ANSWER_YES);
	assert_int_equal(i.migration, ANSWER_YES);
	/* Snapshots, op features, migration, the parent. */
	assert_int_equal(i.refresh_reads, 9);
	json_free(doc);
	doc = doc_of("{\"object_size\":1,\"format\":7}");
	assert_int_equal(rbd_info_parse(doc, "x", &i, &e), 0);
	assert_int_equal(rbd_info_feature(&i, "exclusive-lock"), ANSWER_UNKNOWN);
	assert_int_equal(i.format, 0);
	json_free(doc);
}

static void options_keep_their_level_and_obsolete_names_are_collected(void **state)
{
	struct image_config c;
	struct err e = ERR_INIT;
	struct json *doc = doc_of("[{\"name\":\"rbd_cache\",\"value\":false,\"source\":\"image\"},"
		"{\"name\":\"rbd_cache_size\",\"value\":67108864,\"source\":\"unknown (7)\"},"
		"{\"name\":\"rbd_cache_max_dirty_age\",\"value\":1.5},"
		"{\"name\":\"rbd_rwl_size\",\"value\":\"1\",\"source\":\"config\"},"
		"{\"name\":\"rbd_rwl_path\",\"value\":\"/p\",\"source\":\"config\"}]");

	(void)state;
	image_config_defaults(&c, (struct release){ 18, 2, 7 });
	assert_int_equal(image_config_from_json(&c, doc, "x", &e), 0);
	assert_string_equal(c.opt[OPTION_CACHE].value, "false");
	assert_int_equal(c.opt[OPTION_CACHE].level, LEVEL_IMAGE);
	assert_string_equal(c.opt[OPTION_SIZE].value, "67108864");
	assert_int_equal(c.opt[OPTION_SIZE].level, LEVEL_UNKNOWN);
	assert_string_equal(c.opt[OPTION_SIZE].source, "unknown (7)");
	assert_int_equal(c.opt[OPTION_AGE].level, LEVEL_CONFIG);
	assert_string_equal(c.obsolete, "rbd_rwl_size rbd_rwl_path");
	json_free(doc);
	doc = doc_of("[{\"name\":\"rbd_cache\",\"value\":{}}]");
	assert_int_equal(image_config_from_json(&c, doc, "x", &e), -EBADMSG);
	json_free(doc);
}

static void releases_are_found_in_what_tools_print(void **state)
{
	static const struct {
		const char *text;
		unsigned major, minor, patch;
	} rows[] = {
		{ "ceph version 16.2.4 (0000) pacific (stable)", 16, 2, 4 },
		{ "ceph version 16.2.4 pacific", 16, 2, 4 },
		{ "16.2.15+ds-0+deb12u2", 16, 2, 15 },
		{ "2:17.2.6-0.el9", 17, 2, 6 },
		{ "19.2.3-0ubuntu0.24.04.3", 19, 2, 3 },
		{ "ceph version 20.0.0-1234-gabc (x) tentacle (dev)", 20, 0, 0 },
	};
	struct release r;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (release_find(rows[i].text, &r, &e) < 0)
			fail_msg("%s", e.msg);
		assert_int_equal(r.major, rows[i].major);
		assert_int_equal(r.minor, rows[i].minor);
		assert_int_equal(r.patch, rows[i].patch);
	}
	assert_int_equal(release_find("", &r, &e), -EINVAL);
	assert_int_equal(release_find("ceph version pacific", &r, &e), -EINVAL);
	assert_int_equal(release_find("17.2", &r, &e), -EINVAL);
	assert_int_equal(release_find("123456.2.3", &r, &e), -EINVAL);
}

static void packages_tell_who_built_them(void **state)
{
	static const char status_file[] =
		"Package: librbd1-dbg\nStatus: install ok installed\nVersion: 1.2.3\n\n"
		"Package: librbd1\nStatus: deinstall ok config-files\nVersion: 9\n\n";
	static const char installed[] =
		"Package: a\nStatus: install ok installed\nVersion: 1\n\n"
		"Package: librbd1\nStatus: install ok installed\nArchitecture: amd64\n"
		"Version: 16.2.15+ds-0+deb12u2\n\nPackage: z\n";
	char version[64];

	(void)state;
	package_version(installed, "librbd1", version, sizeof(version));
	assert_string_equal(version, "16.2.15+ds-0+deb12u2");
	package_version(status_file, "librbd1", version, sizeof(version));
	assert_string_equal(version, ""); /* removed, its configuration left */
	package_version("", "librbd1", version, sizeof(version));
	assert_string_equal(version, "");
	assert_int_equal(package_distribution("16.2.15+ds-0+deb12u2"), DISTRIBUTION_DEBIAN);
	assert_int_equal(package_distribution("19.2.3-0ubuntu0.24.04.3"), DISTRIBUTION_UBUNTU);
	assert_int_equal(package_distribution("17.2.6-pve1+3"), DISTRIBUTION_UPSTREAM);
	assert_int_equal(package_distribution("17.2.6-1~bpo11+1"), DISTRIBUTION_UPSTREAM);
	assert_int_equal(package_distribution(""), DISTRIBUTION_UNKNOWN);
}

/* Damaged documents are read or refused; the sanitizers watch. */
static void damaged_documents_are_read_or_refused(void **state)
{
	static const char status_sample[] = "{\"watchers\":[{\"address\":\"192.0.2.10:0/1\"}],"
		"\"persistent_cache\":{\"host\":\"hv01\",\"size\":1073741824,\"present\":true,"
		"\"hits_full\":1450,\"hits_full_percent\":61,\"misses\":924}}";
	static const char info_sample[] = "{\"name\":\"p\",\"size\":1,\"object_size\":1,"
		"\"features\":[\"layering\"],\"parent\":{\"pool\":\"a\"},\"snapshots\":[1],"
		"\"encryption\":\"luks2\"}";
	static const char *const samples[] = { status_sample, info_sample,
		"[{\"name\":\"rbd_cache\",\"value\":\"true\",\"source\":\"config\"}]" };
	unsigned seed = 7;

	(void)state;
	for (int n = 0; n < 3000; n++) {
		const char *sample = samples[n % 3];
		size_t len = strlen(sample);
		char *text = strdup(sample);
		struct json *doc = NULL;
		struct rbd_status s;
		struct rbd_info i;
		struct image_config c;

		assert_non_null(text);
		for (int k = 0; k < 1 + n % 4; k++) {
			seed = seed * 1103515245u + 12345u;
			text[(seed >> 8) % len] = "0-9e\"{}[]:,tn."[(seed >> 20) % 14];
		}
		if (json_parse(text, len - (size_t)n % 3, "m", &doc, NULL) == 0) {
			image_config_defaults(&c, (struct release){ 18, 2, 7 });
			(void)rbd_status_parse(doc, "m", &s, NULL);
			(void)rbd_info_parse(doc, "m", &i, NULL);
			(void)image_config_from_json(&c, doc, "m", NULL);
		}
		(void)rbd_input_of_text(text, len);
		json_free(doc);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_is_none_present_dirty_or_untrusted),
		cmocka_unit_test(interim_names_and_epochs_are_read),
		cmocka_unit_test(watchers_are_counted_beyond_those_that_are_kept),
		cmocka_unit_test(a_document_under_the_wrong_option_is_named),
		cmocka_unit_test(texts_for_people_are_known_by_their_first_lines),
		cmocka_unit_test(an_images_description_gives_features_and_refresh_reads),
		cmocka_unit_test(options_keep_their_level_and_obsolete_names_are_collected),
		cmocka_unit_test(releases_are_found_in_what_tools_print),
		cmocka_unit_test(packages_tell_who_built_them),
		cmocka_unit_test(damaged_documents_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
