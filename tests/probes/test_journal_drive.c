/* test_journal_drive.c - recorded drives are told apart, and found under new names. */
#include "probes/journal.h"

#include "data/json.h"
#include "probes/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char base[64];

static const struct wc_state was_on = { .method = WC_BY_ATA, .drive = WC_DRIVE_ON };

static int make_base(void **state)
{
	(void)state;
	(void)snprintf(base, sizeof(base), "/tmp/ssdqual-test-journal-XXXXXX");
	return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command);
}

static struct json *parse(const char *text)
{
	struct json *j = NULL;

	assert_int_equal(json_parse(text, strlen(text), "test", &j, NULL), 0);
	return j;
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void drives_are_told_apart_by_what_they_say_of_themselves(void **state)
{
	static const struct {
		const char *recorded, *present;
		bool same_boot;
		enum journal_match match;
	} cases[] = {
		{ "\"serial\": \"A\", \"model\": \"M\", \"wwn\": \"w\"",
			"\"serial\": \"A\", \"model\": \"M\", \"wwn\": \"w\"", false, JOURNAL_WWN },
		{ "\"wwn\": \"w\"", "\"wwn\": \"w\"", false, JOURNAL_WWN },
		{ "\"serial\": \"A\", \"wwn\": \"w\"", "\"serial\": \"B\", \"wwn\": \"w\"", false,
			JOURNAL_OTHER },
		{ "\"serial\": \"A\", \"wwn\": \"w\"", "\"serial\": \"A\", \"wwn\": \"v\"", false,
			JOURNAL_OTHER },
		{ "\"wwn\": \"w\", \"capacity_bytes\": 1", "\"wwn\": \"w\", \"capacity_bytes\": 2",
			false, JOURNAL_OTHER },
		{ "\"serial\": \"A\", \"model\": \"M\"", "\"serial\": \"A\", \"model\": \"M\"",
			false, JOURNAL_SERIAL },
		{ "\"serial\": \"A\", \"model\": \"M\"", "\"serial\": \"A\", \"model\": \"N\"",
			false, JOURNAL_OTHER },
		{ "\"model\": \"M\"", "\"model\": \"M\"", false, JOURNAL_OTHER },
		{ "\"serial\": \"\"", "\"serial\": \"\"", false, JOURNAL_OTHER },
		{ "\"path\": \"/dev/sda\"", "\"path\": \"/dev/sda\"", true, JOURNAL_OTHER },
		{ "\"diskseq\": 3", "\"diskseq\": 3", true, JOURNAL_DISKSEQ },
		{ "\"diskseq\": 3", "\"diskseq\": 3", false, JOURNAL_OTHER },
		{ "\"diskseq\": 3, \"serial\": \"A\"", "\"diskseq\": 3, \"serial\": \"B\"", true,
			JOURNAL_OTHER },
		{ "\"subsysnqn\": \"q\", \"cntlid\": \"1\", \"serial\": \"A\", \"wwn\": \"ns1\"",
			"\"subsysnqn\": \"q\", \"cntlid\": \"1\", \"serial\": \"A\", \"wwn\": "
			"\"ns2\"",
			false, JOURNAL_WWN },
		{ "\"subsysnqn\": \"q\", \"cntlid\": \"1\", \"serial\": \"A\"",
			"\"subsysnqn\": \"q\", \"cntlid\": \"2\", \"serial\": \"A\"", false,
			JOURNAL_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[2][256];
		struct json *a, *b;

		(void)snprintf(text[0], sizeof(text[0]), "{%s}", cases[i].recorded);
		(void)snprintf(text[1], sizeof(text[1]), "{%s}", cases[i].present);
		a = parse(text[0]);
		b = parse(text[1]);
		if (journal_match(a, b, cases[i].same_boot) != cases[i].match ||
			journal_match(b, a, cases[i].same_boot) != cases[i].match)
			fail_msg("case %zu: %s against %s", i, text[0], text[1]);
		json_free(a);
		json_free(b);
	}
}

/* A captured tree with the disk @name. */
static void add_disk(const char *name, const char *serial, const char *wwid, const char *diskseq)
{
	static const char *const dirs[] = { "", "/sys", "/sys/block" };
	char path[256];

	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s%s", base, dirs[i]);
		(void)mkdir(path, 0700);
	}
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s", base, name);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s/device", base, name);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s/size", base, name);
	write_text(path, "2048\n");
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s/diskseq", base, name);
	write_text(path, diskseq);
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s/device/model", base, name);
	write_text(path, "ACME S1\n");
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s/device/serial", base, name);
	write_text(path, serial);
	if (!wwid)
		return;
	(void)snprintf(path, sizeof(path), "%s/sys/block/%s/device/wwid", base, name);
	write_text(path, wwid);
}

static int find_recorded(const struct sysroot *root, const char *recorded, bool same_boot,
	char *disk, size_t size, struct err *e)
{
	char path[] = "/x/write-cache-A.change.json";
	struct journal_entry entry = { .path = path, .before = was_on, .same_boot = same_boot };
	int r;

	entry.drive = parse(recorded);
	r = journal_find(root, &entry, disk, size, e);
	json_free(entry.drive);
	return r;
}

static void a_drive_is_found_under_its_new_name(void **state)
{
	struct sysroot root;
	char disk[64] = "";

	(void)state;
	(void)snprintf(root.prefix, sizeof(root.prefix), "%s", base);
	add_disk("sda", "B2\n", "naa.5000000000000002\n", "7\n");
	add_disk("sdb", "A1\n", "naa.5000000000000001\n", "9\n");
	assert_int_equal(find_recorded(&root, "{\"path\": \"/dev/sda\", \"model\": \"ACME S1\","
		"\"serial\": \"A1\", \"wwn\": \"naa.5000000000000001\"}", false, disk, sizeof(disk),
		NULL), 0);
	assert_string_equal(disk, "sdb");
}

static void an_absent_drive_is_said_to_be_absent(void **state)
{
	struct err e = ERR_INIT;
	struct sysroot root;
	char disk[64] = "";

	(void)state;
	(void)snprintf(root.prefix, sizeof(root.prefix), "%s", base);
	add_disk("sda", "B2\n", NULL, "7\n");
	assert_int_equal(find_recorded(&root, "{\"path\": \"/dev/sda\", \"model\": \"ACME S1\","
		"\"serial\": \"A1\"}", false, disk, sizeof(disk), &e), -ENODEV);
	assert_non_null(strstr(e.msg, "A1"));
}

/* The wrong one of two is worse than none. */
static void of_two_drives_with_one_serial_none_is_taken(void **state)
{
	static const char recorded[] = "{\"path\": \"/dev/sda\", \"model\": \"ACME S1\","
		"\"serial\": \"A1\", \"diskseq\": 9}";
	struct err e = ERR_INIT;
	struct sysroot root;
	char disk[64] = "";

	(void)state;
	(void)snprintf(root.prefix, sizeof(root.prefix), "%s", base);
	add_disk("sda", "A1\n", NULL, "7\n");
	add_disk("sdb", "A1\n", NULL, "9\n");
	assert_int_equal(find_recorded(&root, recorded, false, disk, sizeof(disk), &e), -ENOTUNIQ);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_non_null(strstr(e.msg, "sda"));
	assert_non_null(strstr(e.msg, "sdb"));
	/* In the same boot the kernel itself tells them apart. */
	assert_int_equal(find_recorded(&root, recorded, true, disk, sizeof(disk), NULL), 0);
	assert_string_equal(disk, "sdb");
}

static void of_two_drives_with_one_serial_the_wwn_decides(void **state)
{
	struct sysroot root;
	char disk[64] = "";

	(void)state;
	(void)snprintf(root.prefix, sizeof(root.prefix), "%s", base);
	add_disk("sda", "A1\n", "naa.5000000000000001\n", "7\n");
	add_disk("sdb", "A1\n", "naa.5000000000000002\n", "9\n");
	assert_int_equal(find_recorded(&root, "{\"model\": \"ACME S1\", \"serial\": \"A1\","
		"\"wwn\": \"naa.5000000000000002\"}", false, disk, sizeof(disk), NULL), 0);
	assert_string_equal(disk, "sdb");
}

#define in_tree(f) cmocka_unit_test_setup_teardown(f, make_base, remove_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drives_are_told_apart_by_what_they_say_of_themselves),
		in_tree(a_drive_is_found_under_its_new_name),
		in_tree(an_absent_drive_is_said_to_be_absent),
		in_tree(of_two_drives_with_one_serial_none_is_taken),
		in_tree(of_two_drives_with_one_serial_the_wwn_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
