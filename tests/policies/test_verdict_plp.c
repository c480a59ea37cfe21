/* test_verdict_plp.c - power-loss protection is weighed from evidence; speed alone weighs nothing.
 *  */
#include "policies/verdict_plp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/policies/verdict_rows.h"

static const struct refdrive protected_ref = { .name = "ACME DC", .class_word = "enterprise",
	.plp = "yes", .source = "test" };
static const struct refdrive client_ref = { .name = "ACME EVO", .class_word = "consumer",
	.plp = "no", .source = "test" };

/* journal-fsync with the cache on: @plain_us for the write, @sync_us for its sync. */
static struct result *drive(double plain_us, double sync_us)
{
	struct result *r = new_drive();
	double iops = 1e6 / (plain_us + sync_us);
	struct measurement *m = add_row(r, "journal-fsync", WC_ON, iops, 1, true);

	give_latency(&m->write_lat, plain_us * 1e3, plain_us * 2e3);
	give_latency(&m->sync_lat, sync_us * 1e3, sync_us * 2e3);
	return r;
}

static void the_cost_of_a_sync_decides_within_its_limits(void **state)
{
	static const struct {
		double plain, sync;
		const char *answer, *grade;
	} table[] = {
		{ 30, 27, "yes", "provisional" },     /* the 5200 ECO of field reports: 1.9 */
		{ 30, 30, "yes", "provisional" },     /* twice */
		{ 30, 30.5, "unknown", "unknown" },
		{ 30, 269, "unknown", "unknown" },
		{ 30, 270, "no", "fail" },            /* ten times */
		{ 30, 2970, "no", "fail" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct result *r = drive(table[i].plain, table[i].sync);
		struct verdict v;

		assert_int_equal(judge("plp", r, NULL, &v), 0);
		assert_string_equal(v.answer, table[i].answer);
		assert_string_equal(v.grade, table[i].grade);
		assert_int_equal(notes_has(&found, "flush-unproven"),
			strcmp(table[i].answer, "yes") == 0); /* told, not hidden */
		assert_false(notes_has(&found, "flush-ignored"));
		result_free(r);
	}
}

static void a_stall_says_nothing_of_what_a_sync_costs(void **state)
{
	struct result *r = drive(30, 20);
	struct verdict v;

	(void)state;
	r->measurements[0]->sync_lat.mean_ns = 5e6; /* the median stays 20 us */
	give_latency(&r->measurements[0]->lat, 50e3, 20e6);
	r->measurements[0]->lat.mean_ns = 5e6;
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "yes");
	result_free(r);
}

static void evidence_adds_up_to_confidence(void **state)
{
	struct result *r = drive(30, 20);
	struct verdict v;

	(void)state;
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_string_equal(v.confidence, "high");
	result_free(r);
	r = drive(30, 3000);
	assert_int_equal(judge("plp", r, &client_ref, &v), 0);
	assert_string_equal(v.grade, "fail");
	assert_string_equal(v.confidence, "high");
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0); /* contradicts: -3 + 1 */
	assert_string_equal(v.answer, "unknown");
	result_free(r);
}

static void iops_alone_never_decide(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	add_row(r, "journal-sync", WC_ON, 40000, 1, false);
	add_row(r, "journal-fsync", WC_ON, 40000, 1, true);
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "unknown");
	result_free(r);
	r = new_drive();
	add_row(r, "journal-fsync", WC_ON, 300, 1, true);
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "unknown");
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0); /* a hint of ours is not enough */
	assert_string_equal(v.answer, "unknown");
	result_free(r);
}

static void a_failed_backup_overrides_everything(void **state)
{
	struct result *r = drive(30, 20);
	struct json *smart = result_section(r, "smart"), *after = json_new_object();
	struct verdict v;

	(void)state;
	set_target(r, "write_cache", "drive", "none");
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_int_equal(json_set_u64(after, "critical_warning", 0x0f), 0);
	assert_int_equal(json_set(smart, "after", after), 0);
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "pass"); /* other bits say nothing of this */
	assert_int_equal(json_set_u64(after, "critical_warning", 0x10), 0);
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "fail");
	assert_string_equal(v.answer, "no");
	assert_string_equal(v.confidence, "high");
	assert_non_null(strstr(v.bound_by, "volatile memory backup failed"));
	assert_true(notes_has(&found, "plp-backup-failed"));
	assert_non_null(strstr(found.item[0].text, "critical"));
	result_free(r);
	r = drive(30, 20);
	after = json_new_object();
	assert_int_equal(json_set(after, "capacitor", json_new_object()), 0);
	assert_int_equal(json_set_str(json_get_mut(after, "capacitor"), "state", "failed"), 0);
	assert_int_equal(json_set(result_section(r, "smart"), "before", after), 0);
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.grade, "fail");
	result_free(r);
}

static void a_warning_that_the_identity_lists_counts_as_well(void **state)
{
	struct result *r = drive(30, 20);
	struct json *list = json_new_array();
	struct verdict v;

	(void)state;
	assert_int_equal(json_set(target_object(r, "nvme"), "critical_warnings", list), 0);
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_int_equal(json_append(list, json_new_str("spare below threshold")), 0);
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "pass");
	assert_int_equal(json_append(list, json_new_str("volatile memory backup failed")), 0);
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.grade, "fail");
	result_free(r);
}

static void a_drive_without_a_volatile_cache_is_taken_at_its_word(void **state)
{
	struct result *r = new_drive();
	struct verdict v;

	(void)state;
	set_target(r, NULL, "transport", "nvme");
	set_target(r, "write_cache", "drive", "none");
	set_target(r, "write_cache", "queue", "write through");
	add_row(r, "journal-fsync", WC_NONE, 60000, 1, true); /* 17 us */
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "yes");
	assert_string_equal(v.confidence, "low");
	assert_int_equal(found.count, 0); /* no FLUSH was sent: nothing to call too fast */
	result_free(r);
}

static void a_flush_too_fast_to_be_true_is_a_finding(void **state)
{
	struct result *r = drive(10, 9.9); /* 19.9 us: below the floor of 20 */
	struct verdict v;

	(void)state;
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "unknown");
	assert_true(notes_has(&found, "flush-too-fast"));
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0); /* explains it */
	assert_string_equal(v.answer, "yes");
	assert_false(notes_has(&found, "flush-too-fast"));
	result_free(r);
	r = drive(10, 10.0);
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_false(notes_has(&found, "flush-too-fast"));
	result_free(r);
	r = drive(9, 5); /* the kernel sends no FLUSH: not judged */
	set_target(r, "write_cache", "queue", "write through");
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_false(notes_has(&found, "flush-too-fast"));
	assert_false(notes_has(&found, "flush-ignored"));
	assert_true(notes_has(&found, "write-too-fast")); /* the claim is what can be untrue */
	assert_string_equal(v.answer, "unknown");
	result_free(r);
}

static void an_ignored_flush_is_a_finding(void **state)
{
	struct result *r = drive(60, 4); /* a sync of 4 us is no command */
	struct verdict v;

	(void)state;
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "unknown");
	assert_true(notes_has(&found, "flush-ignored"));
	result_free(r);
	r = drive(60, 30);
	assert_int_equal(judge("plp", r, &client_ref, &v), 0); /* unlike drives of its model */
	assert_string_equal(v.answer, "unknown");
	assert_true(notes_has(&found, "flush-ignored"));
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "yes");
	assert_int_equal(json_set_bool(result_section(r, "host"), "virtual_machine", true), 0);
	assert_int_equal(judge("plp", r, NULL, &v), 0); /* an emulated drive, cache=unsafe */
	assert_string_equal(v.answer, "unknown");
	assert_true(notes_has(&found, "flush-ignored"));
	assert_int_equal(json_set_bool(result_section(r, "host"), "virtual_machine", false), 0);
	set_target(r, NULL, "model", "QEMU HARDDISK");
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "unknown");
	assert_true(notes_has(&found, "flush-ignored"));
	result_free(r);
}

static void flush_against_fua_counts_only_where_fua_is_used(void **state)
{
	struct result *r = drive(30, 170); /* 6.7: says nothing */
	struct verdict v;

	(void)state;
	add_row(r, "journal-sync", WC_ON, 25000, 1, false); /* FUA: 40 us; FLUSH: 200 us */
	assert_int_equal(judge("plp", r, &client_ref, &v), 0);
	assert_string_equal(v.answer, "unknown"); /* -1 */
	set_target_bool(r, "write_cache", "fua", true);
	assert_int_equal(judge("plp", r, &client_ref, &v), 0);
	assert_string_equal(v.answer, "no"); /* -1 - 2 */
	result_free(r);
}

static void behind_a_raid_controller_it_is_the_controllers(void **state)
{
	struct result *r = drive(30, 20);
	struct verdict v;

	(void)state;
	set_target(r, "controller", "kind", "raid");
	set_target(r, "controller", "driver", "megaraid_sas");
	assert_int_equal(judge("plp", r, &protected_ref, &v), 0);
	assert_string_equal(v.answer, "unknown");
	assert_non_null(strstr(v.bound_by, "controller's"));
	assert_non_null(strstr(v.would_change, "--controller"));
	/* unless its tool was asked */
	set_target(r, "controller", "cache_policy", "write back");
	set_target(r, "controller", "battery", "ok");
	set_target(r, "controller", "disk_cache", "off");
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "yes");
	set_target(r, "controller", "battery", "failed");
	set_target(r, "controller", "cache_policy", "always write back");
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_true(notes_has(&found, "controller-unsafe"));
	assert_string_not_equal(v.answer, "yes");
	set_target(r, "controller", "kind", "jbod"); /* handed through: the drive's own */
	result_free(r);
	r = drive(30, 20);
	set_target(r, "controller", "kind", "jbod");
	set_target(r, "controller", "driver", "megaraid_sas");
	assert_int_equal(judge("plp", r, NULL, &v), 0);
	assert_string_equal(v.answer, "yes");
	result_free(r);
	notes_done(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_of_a_sync_decides_within_its_limits),
		cmocka_unit_test(a_stall_says_nothing_of_what_a_sync_costs),
		cmocka_unit_test(evidence_adds_up_to_confidence),
		cmocka_unit_test(iops_alone_never_decide),
		cmocka_unit_test(a_failed_backup_overrides_everything),
		cmocka_unit_test(a_warning_that_the_identity_lists_counts_as_well),
		cmocka_unit_test(a_drive_without_a_volatile_cache_is_taken_at_its_word),
		cmocka_unit_test(a_flush_too_fast_to_be_true_is_a_finding),
		cmocka_unit_test(an_ignored_flush_is_a_finding),
		cmocka_unit_test(flush_against_fua_counts_only_where_fua_is_used),
		cmocka_unit_test(behind_a_raid_controller_it_is_the_controllers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
