/* test_answers.c - who a drive is by its own answers, and whether two of them are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "probes/answers.h"
#include "tests/probes/tree.h"

/* Unit serial number "S 42", and the NAA 5000c50012345678 of the unit after one of its port. */
#define VPD_80 "00 80 00 04 53 20 34 32\n"
#define VPD_83 "00 83 00 18 61 93 00 08 50 00 c5 00 ff ff ff ff " \
		"01 03 00 08 50 00 c5 00 12 34 56 78\n"
#define INQUIRY "00 00 06 02 1f 00 10 02 41 43 4d 45 20 20 20 20 44 49 53 4b 20 31 " \
		"20 20 20 20 20 20 20 20 20 20 31 30 30 30\n"

static void ask(const struct sysroot *root, const char *disk, struct drive_names *ret)
{
	struct err e = ERR_INIT;
	struct devio io;

	if (answers_open(root, disk, &io, &e) < 0)
		fail_msg("%s: %s", disk, e.msg);
	assert_int_equal(answers_names(&io, ret, &e), 0);
	devio_close(&io);
}

static char *replayed(struct sysroot *root)
{
	char *dir = tree_new(root);

	strcpy(root->replay, root->prefix);
	return dir;
}

static void a_scsi_drive_is_known_by_its_pages(void **state)
{
	struct drive_names names;
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "sda/vpd-80.hex", VPD_80);
	tree_put(dir, "sda/vpd-83.hex", VPD_83);
	tree_put(dir, "sda/inquiry.hex", INQUIRY);
	ask(&root, "sda", &names);
	assert_string_equal(names.serial, "S 42");
	assert_string_equal(names.wwn, "naa.5000c50012345678");
	assert_string_equal(names.model, "DISK 1");
	names_of_disk(&root, "sda", &names);
	assert_string_equal(names.serial, "S 42");
	tree_put(dir, "sys/block/sda/device/wwid", "naa.5000c50000000001\n");
	tree_put(dir, "sys/block/sda/device/serial", "OTHER\n");
	names_of_disk(&root, "sda", &names);
	assert_string_equal(names.serial, "OTHER"); /* sysfs tells, so the drive is not asked */
	tree_drop(dir);
}

static void a_bridge_is_asked_for_the_ata_identity(void **state)
{
	struct drive_names names;
	struct sysroot root;
	char *dir = replayed(&root), command[700];

	(void)state;
	tree_put(dir, "sda/inquiry.hex", INQUIRY);
	(void)snprintf(command, sizeof(command),
		"cp tests/fixtures/device/identify-A11.hex '%s/sda/identify.hex'", dir);
	assert_int_equal(system(command), 0);
	ask(&root, "sda", &names);
	assert_string_equal(names.serial, "U123");
	assert_string_equal(names.model, "DISK 1"); /* the bridge's own word comes first */
	tree_drop(dir);
}

static void an_nvme_namespace_is_known_by_its_controller(void **state)
{
	struct drive_names names;
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "nvme0n1/nvme.json", "{\"vwc\": 1, \"serial\": \"N7\", \"model\": \"FAST\"}");
	ask(&root, "nvme0n1", &names);
	assert_string_equal(names.serial, "N7");
	assert_string_equal(names.model, "FAST");
	assert_string_equal(names.wwn, "");
	tree_drop(dir);
}

static void what_does_not_answer_is_said(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);
	struct drive_names names;
	struct devio io;

	(void)state;
	assert_int_equal(answers_open(&root, "loop0", &io, NULL), -EOPNOTSUPP);
	assert_null(io.ops);
	assert_int_equal(answers_open(&root, "sdz", &io, NULL), -ENODATA);
	root.replay[0] = '\0';
	tree_put(dir, "sda/vpd-80.hex", VPD_80);
	assert_int_equal(answers_open(&root, "sda", &io, NULL), -ENODATA);
	names_of_disk(&root, "sda", &names);
	assert_string_equal(names.serial, "");
	tree_drop(dir);
}

static void a_damaged_page_tells_nothing(void **state)
{
	struct drive_names names;
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "sda/vpd-80.hex", "00 83 00 04 53 20 34 32\n");
	tree_put(dir, "sda/vpd-83.hex", "00 83 ff ff 01 03 00 08\n");
	ask(&root, "sda", &names);
	assert_string_equal(names.serial, "");
	assert_string_equal(names.wwn, "");
	tree_drop(dir);
}

static void one_drive_is_told_from_two(void **state)
{
	static const struct {
		const char *wwn_a, *serial_a, *wwn_b, *serial_b;
		bool same_size;
		enum same_drive want;
	} rows[] = {
		{ "naa.5000c50000000001", "S", "naa.5000c50000000001", "S", true, SAME_YES },
		{ "naa.5000c50000000001", "", "naa.5000c50000000001", "S", false, SAME_YES },
		{ "naa.5000c50000000001", "S", "naa.5000c50000000002", "S", true, SAME_NO },
		{ "", "S", "", "S", true, SAME_PERHAPS },
		{ "", "S", "", "S", false, SAME_NO },
		{ "", "", "", "", true, SAME_NO },
		{ "", "S", "", "T", true, SAME_NO },
		{ "naa.5000c50000000001", "S", "", "S", true, SAME_PERHAPS },
		{ "naa.5000c50000000001", "S", "t10.ATA S", "S", true, SAME_PERHAPS },
		{ "naa.5000000000000000", "S", "naa.5000000000000000", "T", true, SAME_NO },
		{ "naa.5000000000000000", "S", "naa.5000000000000000", "S", true, SAME_PERHAPS },
		{ "eui.0000000000000000", "", "eui.0000000000000000", "", true, SAME_NO },
		{ "eui.0025385b71b00001", "S", "eui.0025385b71b00001", "S", true, SAME_YES },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct drive_names a = { .model = "M" }, b = { .model = "M" };

		strcpy(a.wwn, rows[i].wwn_a);
		strcpy(b.wwn, rows[i].wwn_b);
		strcpy(a.serial, rows[i].serial_a);
		strcpy(b.serial, rows[i].serial_b);
		if (names_compare(&a, &b, rows[i].same_size) != rows[i].want ||
			names_compare(&b, &a, rows[i].same_size) != rows[i].want)
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scsi_drive_is_known_by_its_pages),
		cmocka_unit_test(a_bridge_is_asked_for_the_ata_identity),
		cmocka_unit_test(an_nvme_namespace_is_known_by_its_controller),
		cmocka_unit_test(what_does_not_answer_is_said),
		cmocka_unit_test(a_damaged_page_tells_nothing),
		cmocka_unit_test(one_drive_is_told_from_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
