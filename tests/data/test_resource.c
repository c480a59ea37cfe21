/* test_resource.c - data/resource.h: who wins, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/resource.h"

static char home[] = "/tmp/ssdqual-resource-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/ssdqual/backends/%s", home, name);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int make_home(void **state)
{
	char path[128];

	(void)state;
	if (!mkdtemp(home))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/ssdqual", home);
	if (mkdir(path, 0700) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/ssdqual/backends", home);
	if (mkdir(path, 0700) < 0)
		return -1;
	return setenv("XDG_CONFIG_HOME", home, 1);
}

static int remove_home(void **state)
{
	static const char *const names[] = { "ssdqual/backends/mine.json", "ssdqual/backends/broken.json",
		"ssdqual/backends/Bad Name.json", "ssdqual/backends/notes.txt", "ssdqual/backends",
		"ssdqual", "" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", home, names[i]);
		(void)remove(path);
	}
	return 0;
}

static void the_users_file_is_found_and_named(void **state)
{
	struct json *j = NULL;
	struct err e = ERR_INIT;
	char *origin = NULL;
	uint64_t v = 0;

	(void)state;
	write_file("mine.json", "{\"v\": 5}");
	assert_int_equal(resource_load("backends", "mine", &j, &origin, &e), 0);
	assert_true(json_u64(json_get(j, "v"), &v) && v == 5);
	assert_non_null(strstr(origin, "/ssdqual/backends/mine.json"));
	json_free(j);
	free(origin);
	assert_int_equal(resource_load("backends", "mine", &j, NULL, &e), 0);
	json_free(j);
}

static void a_broken_file_is_an_error_and_not_passed_over(void **state)
{
	struct json *j = NULL;
	struct err e = ERR_INIT;

	(void)state;
	write_file("broken.json", "{");
	assert_int_equal(resource_load("backends", "broken", &j, NULL, &e), -EBADMSG);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_null(j);
}

static void unknown_names_list_the_known_ones(void **state)
{
	static const char *const names[] = { "absent", "", "../x", "Mine", "a/b", ".hidden" };
	struct json *j = NULL;

	(void)state;
	write_file("mine.json", "{}");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(resource_load("backends", names[i], &j, NULL, &e), -ENOENT);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_non_null(strstr(e.msg, "mine"));
	}
}

static void names_are_sorted_and_stand_once(void **state)
{
	struct err e = ERR_INIT;
	char **names;
	bool seen = false;

	(void)state;
	write_file("mine.json", "{}");
	write_file("Bad Name.json", "{}");
	write_file("notes.txt", "x");
	assert_int_equal(resource_names("backends", &names, &e), 0);
	for (size_t i = 0; names[i]; i++) {
		assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
		seen = seen || strcmp(names[i], "mine") == 0;
		assert_string_not_equal(names[i], "notes");
		assert_string_not_equal(names[i], "Bad Name");
	}
	assert_true(seen);
	resource_names_free(names);
}

static void every_built_in_resource_is_json(void **state)
{
	(void)state;
	for (const struct resource *p = resource_builtin; p->kind; p++) {
		struct json *j;
		struct err e = ERR_INIT;

		if (json_parse(p->text, p->len, p->name, &j, &e) != 0)
			fail_msg("%s/%s: %s", p->kind, p->name, e.msg);
		json_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_users_file_is_found_and_named),
		cmocka_unit_test(a_broken_file_is_an_error_and_not_passed_over),
		cmocka_unit_test(unknown_names_list_the_known_ones),
		cmocka_unit_test(names_are_sorted_and_stand_once),
		cmocka_unit_test(every_built_in_resource_is_json),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
