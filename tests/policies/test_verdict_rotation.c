/* test_verdict_rotation.c - what the medium is follows from what the drive says and from seeks. */
#include "policies/verdict_rotation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/policies/verdict_rows.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)

static void add_span(struct result *r, const char *probe, double bytes, double p50_us)
{
	struct measurement *m = add_row(r, probe, WC_ON, 1e6 / p50_us, 1, false);

	give_latency(&m->lat, p50_us * 1e3, p50_us * 2e3);
	assert_int_equal(json_set_str(m->params, "rw", "randread"), 0);
	assert_int_equal(json_set_f64(m->params, "size", bytes), 0);
}

/* -1: not known; us of a median over 16 MiB and over 1 TiB, 0: not measured */
static struct rotation_verdict look(int claimed, int reported, double small_us, double large_us)
{
	struct result *r = new_drive();
	const struct result *one = r;
	struct verdict_input in = { .results = &one, .count = 1 };
	struct rotation_verdict v;

	if (claimed >= 0)
		set_target_bool(r, "rotational", "claimed", claimed);
	if (reported >= 0)
		set_target_bool(r, "rotational", "reported", reported);
	if (small_us > 0)
		add_span(r, "span-16m", 16 * MIB, small_us);
	if (large_us > 0)
		add_span(r, "span-all", 1024 * GIB, large_us);
	verdict_rotation_judge(&in, &v);
	result_free(r);
	return v;
}

static void seeks_that_grow_with_the_span_are_a_disks(void **state)
{
	(void)state;
	assert_int_equal(look(-1, -1, 4000, 9000).measured, MEDIUM_HDD);
	assert_int_equal(look(-1, -1, 120, 9000).measured, MEDIUM_HDD);  /* its cache, then seeks */
	assert_int_equal(look(-1, -1, 90, 95).measured, MEDIUM_SSD);
	assert_int_equal(look(-1, -1, 90, 1000).measured, MEDIUM_SSD);
	assert_int_equal(look(-1, -1, 90, 1001).measured, MEDIUM_UNKNOWN);
	assert_int_equal(look(-1, -1, 90, 1999).measured, MEDIUM_UNKNOWN);
	assert_int_equal(look(-1, -1, 90, 2000).measured, MEDIUM_HDD);
	assert_int_equal(look(-1, -1, 3000, 4400).measured, MEDIUM_UNKNOWN); /* slow and flat */
	assert_int_equal(look(-1, -1, 3000, 4500).measured, MEDIUM_HDD);
	assert_int_equal(look(-1, -1, 0, 9000).measured, MEDIUM_UNKNOWN); /* one span only */
	assert_int_equal(look(-1, -1, 0, 90).measured, MEDIUM_SSD);
	assert_false(look(-1, -1, 0, 90).measured_high);
	assert_true(look(-1, -1, 90, 95).measured_high);
}

static void a_small_span_may_be_a_cache(void **state)
{
	struct result *r = new_drive();
	const struct result *one = r;
	struct verdict_input in = { .results = &one, .count = 1 };
	struct rotation_verdict v;

	(void)state;
	add_span(r, "span-16m", 16 * MIB, 90);
	add_span(r, "span-256m", 256 * MIB, 90);
	verdict_rotation_judge(&in, &v);
	assert_int_equal(v.measured, MEDIUM_UNKNOWN);
	assert_int_equal(v.medium, MEDIUM_UNKNOWN);
	result_free(r);
}

static void the_drives_word_beats_the_kernels_flag(void **state)
{
	struct rotation_verdict v = look(1, 0, 0, 0); /* case B01 */

	(void)state;
	assert_int_equal(v.medium, MEDIUM_SSD);
	assert_true(v.claim_wrong);
	v = look(1, 1, 0, 0);
	assert_int_equal(v.medium, MEDIUM_HDD);
	assert_false(v.claim_wrong);
	v = look(1, -1, 0, 0); /* the flag alone is the kernel's default */
	assert_int_equal(v.medium, MEDIUM_UNKNOWN);
	v = look(1, -1, 90, 95);
	assert_int_equal(v.medium, MEDIUM_SSD);
	assert_true(v.claim_wrong && v.high);
	v = look(0, 0, 120, 9000); /* two facts that cannot both hold */
	assert_int_equal(v.medium, MEDIUM_UNKNOWN);
}

static void a_wrong_claim_comes_with_its_rule_and_the_mend(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	set_target_bool(r, "rotational", "claimed", true);
	set_target_bool(r, "rotational", "reported", false);
	assert_int_equal(judge("rotational", r, NULL, &v), 0);
	assert_string_equal(v.grade, "fail");
	assert_string_equal(v.answer, "ssd");
	assert_true(notes_has(&found, "rotational-wrong"));
	assert_true(notes_has(&found, "rotational-osds"));
	assert_non_null(rotation_osd_mend[0]);
	set_target_bool(r, "rotational", "claimed", false);
	assert_int_equal(judge("rotational", r, NULL, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_int_equal(found.count, 0);
	result_free(r);
}

static void volumes_are_no_drives(void **state)
{
	static const char *const transports[] = { "virtio", "nbd", "rbd", "loop", "zram", "zvol",
		"dm", "nvme-tcp", "iscsi" };
	struct verdict v;

	(void)state;
	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
		struct result *r = new_drive();

		set_target(r, NULL, "transport", transports[i]);
		set_target_bool(r, "rotational", "claimed", true);
		assert_int_equal(judge("rotational", r, NULL, &v), 0);
		assert_string_equal(v.answer, "volume");
		assert_string_equal(v.grade, "unknown");
		assert_non_null(strstr(v.bound_by, "not a drive"));
		assert_int_equal(found.count, 0); /* the flag means nothing there */
		result_free(r);
	}
}

static void a_raid_controllers_disk_is_doubtful(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	set_target(r, NULL, "model", "PERC H730P Mini"); /* field report R1 */
	set_target_bool(r, "rotational", "claimed", true);
	add_span(r, "span-all", 1024 * GIB, 90);
	assert_int_equal(judge("rotational", r, NULL, &v), 0);
	assert_string_equal(v.answer, "unknown");
	assert_non_null(strstr(v.bound_by, "virtual disk"));
	assert_true(notes_has(&found, "rotational-doubtful"));
	set_target(r, "controller", "kind", "raid");
	set_target(r, "controller", "media", "ssd");
	assert_int_equal(judge("rotational", r, NULL, &v), 0);
	assert_string_equal(v.answer, "ssd");
	assert_string_equal(v.grade, "fail"); /* flagged rotational */
	result_free(r);
	notes_done(&found);
}

static void folders_are_not_asked(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	set_target(r, NULL, "kind", "directory");
	set_target_bool(r, "rotational", "claimed", true);
	assert_int_equal(judge("rotational", r, NULL, &v), 1);
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeks_that_grow_with_the_span_are_a_disks),
		cmocka_unit_test(a_small_span_may_be_a_cache),
		cmocka_unit_test(the_drives_word_beats_the_kernels_flag),
		cmocka_unit_test(a_wrong_claim_comes_with_its_rule_and_the_mend),
		cmocka_unit_test(volumes_are_no_drives),
		cmocka_unit_test(a_raid_controllers_disk_is_doubtful),
		cmocka_unit_test(folders_are_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
