/* test_safety.c - who is protected, judged over a captured tree (tests/fixtures/sysroot/server). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/safety.h"
#include "probes/sysfs.h"
#include "tests/probes/tree.h"

static const struct sysroot server = { .prefix = "tests/fixtures/sysroot/server" };

static int decide_on(const struct sysroot *root, const char *path, struct err *e)
{
	struct safety_consent consent = { .destroy_data = true };
	struct safety_report report;
	struct target *t;
	int r;

	r = target_resolve(root, path, &t, e);
	if (r < 0)
		return r;
	consent.confirm = safety_token(t);
	r = safety_inspect(root, t, &report, e);
	if (r == 0) {
		r = safety_decide(t, &report, &consent, e);
		safety_report_done(&report);
	}
	target_free(t);
	return r;
}

static void users_of_a_device_are_found(void **state)
{
	static const struct {
		const char *path, *reason; /* NULL: free */
	} rows[] = {
		{ "/dev/sda", "sda2 mounted on /" },
		{ "/dev/disk/by-id/ata-ACME_DC_SATA_480_ACME00000001", "sda2 mounted on /" },
		{ "/dev/disk/by-id/ata-ACME_DC_SATA_480_ACME00000001-part2", "sda2 mounted on /" },
		{ "/dev/sda1", NULL }, /* a sibling does not protect */
		{ "/dev/sdb", "sdb: holder dm-0 (mpatha, multipath" },
		{ "/dev/sdc", "sdc: holder dm-0 (mpatha, multipath" },
		{ "/dev/sdd", "sdd can be reached by other hosts over a second SAS port" },
		{ "/dev/sde", "sde: holder dm-5 (ceph--0a1b-osd--block--9f8e, a Ceph OSD's volume" },
		{ "/dev/sdf", "sdf1: holder dm-1 (vg-root, LVM), mounted on /lv" },
		{ "/dev/sdf2", "sdf2: holder dm-2 (luks-1, encrypted)" },
		{ "/dev/dm-2", "dm-2: holder dm-3 (vg2-swap, LVM), in use as swap space" },
		{ "/dev/dm-3", "swap dm-3" },
		{ "/dev/sdg", "swap sdg2" },
		{ "/dev/sdg2", "swap sdg2" },
		{ "/dev/sdg1", NULL },
		{ "/dev/sdh", "sdh mounted on /data" },
		{ "/dev/sdh1", "sdh mounted on /data" }, /* the whole disk's use is the part's */
		{ "/dev/sdi", "sdi1: holder md0" },
		{ "/dev/md0", "md0p1 mounted on /md array" },
		{ "/dev/sdj", "sdj in use by bcache" },
		{ "/dev/sdk", "sdk is read-only" },
		{ "/dev/sdl", "sdl mounted on /btr" }, /* by its source: the number is anonymous */
		{ "/dev/sdm", "sdm member of the mounted btrfs 1b2c" },
		{ "/dev/sdn", "sdn mounted on /weird" }, /* an XFS log */
		{ "/dev/sdo", "sdo backs loop0" },
		{ "/dev/sdp", "sdp1 mounted on /twin" },
		{ "/dev/sdq", "sdp1 mounted on /twin" }, /* another path to sdp */
		{ "/dev/sdr", "sdr1 mounted on /hidden, in the mount namespace of process 77" },
		{ "/dev/sdr1", "sdr1 mounted on /hidden" },
		{ "/dev/sdr2", NULL },
		{ "/dev/sds", "sds1 mounted on /bcfs" }, /* second device of a bcachefs */
		{ "/dev/cciss/c0d0", "cciss!c0d0p1 mounted on /cciss" },
		{ "/dev/nvme0n1", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;
		int r = decide_on(&server, rows[i].path, &e);

		if (!rows[i].reason && r != 0)
			fail_msg("%s is free, but: %s", rows[i].path, e.msg);
		if (rows[i].reason && (r != -EPERM || e.kind != ERR_REFUSED ||
				!strstr(e.msg, rows[i].reason)))
			fail_msg("%s: want '%s', got %d '%s'", rows[i].path, rows[i].reason, r,
				e.msg);
	}
}

static void further_reasons_are_counted_and_all_are_kept(void **state)
{
	struct safety_report report;
	struct err e = ERR_INIT;
	struct target *t;
	struct json *uses;

	(void)state;
	assert_int_equal(decide_on(&server, "/dev/sdf", &e), -EPERM);
	assert_non_null(strstr(e.msg, "more reasons)"));
	assert_int_equal(target_resolve(&server, "/dev/sdf", &t, NULL), 0);
	assert_int_equal(safety_inspect(&server, t, &report, NULL), 0);
	assert_true(report.use_count > 2);
	uses = safety_to_json(&report);
	assert_int_equal(json_len(uses), report.use_count);
	assert_string_equal(json_str(json_get(json_first(uses), "kind")), "lvm");
	assert_string_equal(json_str(json_get(json_first(uses), "name")), "sdf1");
	json_free(uses);
	safety_report_done(&report);
	target_free(t);
}

/* -- consent, from reports made by hand ------------------------------------------------------- */

static struct target device(const char *serial, const char *by_id)
{
	struct target t = { .kind = TARGET_BLOCK };

	t.given = strdup("./link");
	t.path = strdup("/dev/sdx");
	t.sysname = strdup("sdx");
	t.identity = json_new_object();
	(void)json_set_str(t.identity, "serial", serial);
	(void)json_set_str(t.identity, "by_id", by_id);
	assert_int_equal(target_make_token(&server, &t, NULL), 0);
	return t;
}

static void drop(struct target *t)
{
	struct target *heap = malloc(sizeof(*heap));

	*heap = *t;
	target_free(heap);
}

static int decide(const char *serial, enum target_kind kind, size_t uses, size_t signatures,
	const struct safety_consent *c, struct err *e)
{
	struct safety_use use = { "mount", "sdx", "mounted on /" };
	struct safety_use sig = { "signature", "sdx1", "zfs_member signature, label tank" };
	struct safety_report report = { .uses = &use, .use_count = uses, .signatures = &sig,
		.signature_count = signatures };
	struct target t = device(serial, NULL);
	int r;

	t.kind = kind;
	r = safety_decide(&t, &report, c, e);
	drop(&t);
	return r;
}

static void nothing_less_than_full_consent_is_enough(void **state)
{
	static const struct {
		struct safety_consent c;
		enum target_kind kind;
		size_t uses, signatures;
		const char *says; /* NULL: allowed */
	} rows[] = {
		{ { true, false, "S1", false }, TARGET_BLOCK, 0, 0, NULL },
		{ { true, true, "S1", false }, TARGET_BLOCK, 0, 1, NULL },
		{ { false, false, NULL, false }, TARGET_BLOCK, 0, 0, "--destroy-data --confirm 'S1'" },
		{ { false, true, "S1", false }, TARGET_BLOCK, 0, 0, "--destroy-data" },
		{ { true, false, NULL, false }, TARGET_BLOCK, 0, 0, "--confirm 'S1'" },
		{ { true, false, "", false }, TARGET_BLOCK, 0, 0, "does not name it" },
		{ { true, false, "S", false }, TARGET_BLOCK, 0, 0, "does not name it" },
		{ { true, false, "S10", false }, TARGET_BLOCK, 0, 0, "does not name it" },
		{ { true, false, "s1", false }, TARGET_BLOCK, 0, 0, "does not name it" },
		{ { true, false, "/dev/sdx", false }, TARGET_BLOCK, 0, 0, "does not name it" },
		{ { true, false, "./link", false }, TARGET_BLOCK, 0, 0, "does not name it" },
		{ { true, false, "S1", false }, TARGET_BLOCK, 0, 1, "zfs_member signature, label tank" },
		{ { true, true, "S1", false }, TARGET_BLOCK, 1, 1, "sdx mounted on /" },
		{ { true, true, "S1", false }, TARGET_BLOCK, 1, 0, "sdx mounted on /" },
		{ { true, true, "/dev/sdx", false }, TARGET_FILE, 1, 0, "sdx mounted on /" },
		{ { false, false, NULL, false }, TARGET_FILE, 0, 0, "--destroy-data" },
		{ { true, false, NULL, false }, TARGET_FILE, 0, 0, "--confirm '/dev/sdx'" },
		{ { true, false, "/dev/sdx", false }, TARGET_FILE, 0, 0, NULL },
		{ { true, false, "./link", false }, TARGET_FILE, 0, 0, NULL }, /* as it was typed */
		{ { true, false, "link", false }, TARGET_FILE, 0, 0, "does not name it" },
		{ { false, false, NULL, false }, TARGET_DIR, 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;
		int r = decide("S1", rows[i].kind, rows[i].uses, rows[i].signatures, &rows[i].c, &e);

		if (!rows[i].says && r != 0)
			fail_msg("row %zu: refused: %s", i, e.msg);
		if (rows[i].says && (r != -EPERM || e.kind != ERR_REFUSED ||
				!strstr(e.msg, rows[i].says)))
			fail_msg("row %zu: want '%s', got %d '%s'", i, rows[i].says, r, e.msg);
	}
}

/* -- trees made on the spot -------------------------------------------------------------------- */

static void what_cannot_be_read_counts_as_in_use(void **state)
{
	static const struct {
		const char *path, *text, *says;
	} rows[] = {
		{ "proc/self/mountinfo", "gibberish\n", "line 1 is not a mount" },
		{ "proc/9/mountinfo", "1 1 8:1 / / rw\n", "line 1 is not a mount" },
		{ "proc/swaps", "Filename Type\n/dev/sdz2\n", "/proc/swaps cannot be read" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sysroot root;
		char *dir = tree_new(&root);
		struct err e = ERR_INIT;

		assert_int_equal(decide_on(&root, "/dev/sda", NULL), 0);
		tree_put(dir, rows[i].path, rows[i].text);
		assert_int_equal(decide_on(&root, "/dev/sda", &e), -EPERM);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("want '%s', got '%s'", rows[i].says, e.msg);
		tree_drop(dir);
	}
}

static void a_capture_without_mount_table_proves_nothing_free(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), path[700];
	struct err e = ERR_INIT;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/proc/self/mountinfo", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(decide_on(&root, "/dev/sda", &e), -EPERM);
	assert_non_null(strstr(e.msg, "/proc/self/mountinfo"));
	tree_drop(dir);
}

static void holders_that_hold_each_other_end(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct err e = ERR_INIT;

	(void)state;
	tree_put(dir, "sys/block/sda/holders/dm-0/.keep", "");
	tree_put(dir, "sys/block/dm-0/holders/dm-1/.keep", "");
	tree_put(dir, "sys/block/dm-1/holders/dm-0/.keep", "");
	tree_put(dir, "sys/block/dm-0/dm/name", "esc\x1b[31m\n");
	assert_int_equal(decide_on(&root, "/dev/sda", &e), -EPERM);
	assert_non_null(strstr(e.msg, "holder dm-0 (esc?[31m)"));
	tree_drop(dir);
}

static void a_file_of_a_capture_is_protected_by_name(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct err e = ERR_INIT;

	(void)state;
	tree_put(dir, "srv/my disk.img", "x");
	assert_int_equal(decide_on(&root, "/srv/my disk.img", &e), 0);
	tree_put(dir, "proc/swaps", "Filename Type Size Used Priority\n/srv/my\\040disk.img file 1 0 -2\n");
	assert_int_equal(decide_on(&root, "/srv/my disk.img", &e), -EPERM);
	assert_non_null(strstr(e.msg, "swap"));
	tree_put(dir, "proc/swaps", "Filename Type Size Used Priority\n");
	tree_put(dir, "sys/block/loop3/loop/backing_file", "/srv/my disk.img (deleted)\n");
	assert_int_equal(decide_on(&root, "/srv/my disk.img", &e), -EPERM);
	assert_non_null(strstr(e.msg, "backs loop3"));
	tree_drop(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_of_a_device_are_found),
		cmocka_unit_test(further_reasons_are_counted_and_all_are_kept),
		cmocka_unit_test(nothing_less_than_full_consent_is_enough),
		cmocka_unit_test(what_cannot_be_read_counts_as_in_use),
		cmocka_unit_test(a_capture_without_mount_table_proves_nothing_free),
		cmocka_unit_test(holders_that_hold_each_other_end),
		cmocka_unit_test(a_file_of_a_capture_is_protected_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
