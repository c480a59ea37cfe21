/* test_persist.c - the lines that make a setting last name the drive, never sdX. */
#include "policies/persist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char text[PERSIST_TEXT_MAX];

static void a_sata_model_is_cut_at_16_characters(void **state)
{
	struct persist_drive d = { .transport = "sata", .model = "Micron_5200_MTFDDAK3T8TDC",
		.by_id = "/dev/disk/by-id/ata-Micron_5200_MTFDDAK3T8TDC_18EC1EFA" };

	(void)state;
	persist_cache(&d, false, text, sizeof(text));
	assert_non_null(strstr(text, "SUBSYSTEM==\"scsi_disk\""));
	assert_non_null(strstr(text, "ATTRS{model}==\"Micron_5200_MTFD\","));
	assert_non_null(strstr(text, "ATTR{cache_type}:=\"write through\""));
	assert_non_null(strstr(text, "disk/by-id/ata-Micron_5200_MTFDDAK3T8TDC_18EC1EFA\""));
	assert_null(strstr(text, "KERNEL=="));
	assert_null(strstr(text, "/dev/sd"));
	persist_cache(&d, true, text, sizeof(text));
	assert_non_null(strstr(text, ":=\"write back\""));
}

static void a_saved_scsi_page_needs_no_rule(void **state)
{
	struct persist_drive d = { .transport = "sas", .model = "HUSMM1680ASS200", .saved = true };

	(void)state;
	persist_cache(&d, false, text, sizeof(text));
	assert_non_null(strstr(text, "nothing is needed"));
	assert_null(strstr(text, "ACTION"));
	d.saved = false;
	persist_cache(&d, false, text, sizeof(text));
	assert_non_null(strstr(text, "ATTRS{model}==\"HUSMM1680ASS200\""));
}

static void nvme_has_a_note_and_a_command(void **state)
{
	struct persist_drive d = { .transport = "nvme", .by_id = "nvme-ACME_1" };

	(void)state;
	persist_cache(&d, false, text, sizeof(text));
	assert_non_null(strstr(text, "-f 6 -V 0"));
	assert_non_null(strstr(text, "/dev/disk/by-id/nvme-ACME_1"));
}

static void what_a_drive_calls_itself_cannot_break_a_rule(void **state)
{
	struct persist_drive d = { .transport = "sata", .model = "A\", RUN+=\"x*[",
		.by_id = "ata-A\"B$C" };

	(void)state;
	persist_cache(&d, false, text, sizeof(text));
	assert_non_null(strstr(text, "ATTRS{model}==\"A?, RUN+=?x??\""));
	assert_non_null(strstr(text, "ata-A?B?C\""));
	persist_rotational(&d, false, text, sizeof(text));
	assert_non_null(strstr(text, "by-id/ata-A?B?C\", ATTR{queue/rotational}=\"0\""));
	d.by_id = NULL;
	assert_string_equal(persist_rotational(&d, false, text, sizeof(text)), "");
}

/* Case A16: set off, resumed, reads on. */
static void a_setting_that_the_device_reset_is_never_shown_as_present(void **state)
{
	(void)state;
	assert_int_equal(persist_status("off", "off", NULL, text, sizeof(text)), PERSIST_KEPT);
	assert_non_null(strstr(text, "write cache off, as wanted"));
	assert_int_equal(persist_status("off", NULL, "resume", text, sizeof(text)), PERSIST_UNREAD);
	assert_non_null(strstr(text, "write cache unknown"));
	assert_int_equal(persist_status("off", "on", "resume", text, sizeof(text)),
		PERSIST_DRIFTED);
	assert_non_null(strstr(text, "write cache on: drifted, off was wanted (reset by the device"));
	assert_non_null(strstr(text, "udev rule"));
	assert_int_equal(persist_status("off", "on", NULL, NULL, 0), PERSIST_DRIFTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sata_model_is_cut_at_16_characters),
		cmocka_unit_test(a_saved_scsi_page_needs_no_rule),
		cmocka_unit_test(nvme_has_a_note_and_a_command),
		cmocka_unit_test(a_setting_that_the_device_reset_is_never_shown_as_present),
		cmocka_unit_test(what_a_drive_calls_itself_cannot_break_a_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
