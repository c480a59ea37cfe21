/* test_identity.c - one drive, or two? Exact, with a hint where a serial number was cut. */
#include "data/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct json *drive(const char *model, const char *serial, uint64_t bytes)
{
	struct json *j = json_new_object();

	assert_int_equal(json_set_str(j, "model", model), 0);
	assert_int_equal(json_set_str(j, "serial", serial), 0);
	assert_int_equal(json_set(j, "capacity_bytes", bytes ? json_new_u64(bytes) :
		json_new_null()), 0);
	return j;
}

static enum identity_match compare(struct json *a, struct json *b, char *hint)
{
	enum identity_match m = identity_compare(a, b, hint);

	assert_int_equal(identity_compare(b, a, NULL), m);
	json_free(a);
	json_free(b);
	return m;
}

static void equal_serial_and_model_are_one_drive(void **state)
{
	char hint[IDENTITY_HINT_MAX];

	(void)state;
	assert_int_equal(compare(drive("A", "S1", 5), drive("A", "S1", 0), hint), IDENTITY_SAME);
	assert_string_equal(hint, "");
}

static void a_prefix_at_equal_capacity_is_a_hint_case_g14(void **state)
{
	char hint[IDENTITY_HINT_MAX];

	(void)state;
	assert_int_equal(compare(drive("KINGSTON SKC600_256G", "YS202206XX00164", 256060514304),
		drive("KINGSTON SA400S37256GB", "YS202206XX001644", 256060514304), hint),
		IDENTITY_HINT);
	assert_non_null(strstr(hint, "possibly the same"));
	assert_non_null(strstr(hint, "serial prefix"));
}

static void all_else_are_two_drives(void **state)
{
	char hint[IDENTITY_HINT_MAX];

	(void)state;
	assert_int_equal(compare(drive("A", "YS202206XX00164", 5), drive("A", "YS202206XX001644",
		6), hint), IDENTITY_DIFFERENT);
	assert_int_equal(compare(drive("A", "YS2", 5), drive("A", "YS20", 5), hint),
		IDENTITY_DIFFERENT); /* too short to tell */
	assert_int_equal(compare(drive("A", NULL, 5), drive("A", NULL, 5), hint),
		IDENTITY_DIFFERENT);
	assert_int_equal(compare(drive("A", "", 5), drive("A", "", 5), hint), IDENTITY_DIFFERENT);
	assert_int_equal(compare(drive("A", "YS202206XX00164", 0), drive("A", "YS202206XX001644",
		0), hint), IDENTITY_DIFFERENT);
	assert_string_equal(hint, "");
	assert_int_equal(identity_compare(NULL, NULL, hint), IDENTITY_DIFFERENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_serial_and_model_are_one_drive),
		cmocka_unit_test(a_prefix_at_equal_capacity_is_a_hint_case_g14),
		cmocka_unit_test(all_else_are_two_drives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
