/* test_rated.c - the maker's promise, by model and capacity; nothing is scaled or guessed. */
#include "data/rated.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void stated_terabytes_are_found_by_capacity(void **state)
{
	struct rated r;

	(void)state;
	assert_int_equal(rated_find("Samsung SSD 850 PRO 128GB", 128035676160, &r, NULL), 0);
	assert_true(r.tbw_bytes == 150e12 && r.years == 10);
	assert_non_null(strstr(r.source, "data sheet"));
	assert_int_equal(rated_find("CT500MX500SSD1", 500107862016, &r, NULL), 0);
	assert_true(r.tbw_bytes == 180e12);
	assert_true(r.dwpd > 0.19 && r.dwpd < 0.2);
}

static void drive_writes_a_day_become_bytes(void **state)
{
	struct rated r;

	(void)state;
	assert_int_equal(rated_find("INTEL SSDSC2BA400G3", 400088457216, &r, NULL), 0);
	assert_true(r.dwpd == 10 && r.years == 5);
	assert_true(fabs(r.tbw_bytes - 10 * 5 * 365.25 * 400088457216.0) < 1);
}

static void what_is_not_stated_is_unknown(void **state)
{
	struct rated r;

	(void)state;
	assert_int_equal(rated_find("Samsung SSD 850 PRO 128GB", 999000000000, &r, NULL), 0);
	assert_true(isnan(r.tbw_bytes) && r.source[0] == '\0');
	assert_int_equal(rated_find("ACME SSD", 1000000000000, &r, NULL), 0);
	assert_true(isnan(r.tbw_bytes));
	assert_int_equal(rated_find(NULL, 0, &r, NULL), 0);
	assert_true(isnan(r.dwpd));
	/* drive writes without a size of the drive are no bytes */
	assert_int_equal(rated_find("INTEL SSDSC2BA400G3", 0, &r, NULL), 0);
	assert_true(r.dwpd == 10 && isnan(r.tbw_bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stated_terabytes_are_found_by_capacity),
		cmocka_unit_test(drive_writes_a_day_become_bytes),
		cmocka_unit_test(what_is_not_stated_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
