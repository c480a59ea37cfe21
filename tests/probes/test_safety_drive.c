/* test_safety_drive.c - other paths to a drive, other hosts, reservations, signatures and the token
 * that names it, judged over captured trees and answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "probes/safety.h"
#include "tests/probes/tree.h"

#define OTHER "rw - ext4 /dev/x rw\n"

static const struct safety_consent all = { .destroy_data = true, .wipe_signatures = true,
	.shared_lun = true };

/* With the token that fits, unless @given has another. */
static int decide_with(const struct sysroot *root, const char *path,
	const struct safety_consent *given, struct err *e)
{
	struct safety_consent consent = *given;
	struct safety_report report;
	struct target *t;
	int r;

	r = target_resolve(root, path, &t, e);
	if (r < 0)
		return r;
	assert_int_equal(target_ask(root, t, e), 0);
	if (!consent.confirm)
		consent.confirm = safety_token(t);
	r = safety_inspect(root, t, &report, e);
	if (r == 0) {
		r = safety_decide(t, &report, &consent, e);
		safety_report_done(&report);
	}
	target_free(t);
	return r;
}

static void expect(const struct sysroot *root, const char *path, const char *says)
{
	struct err e = ERR_INIT;
	int r = decide_with(root, path, &all, &e);

	if (!says && r != 0)
		fail_msg("%s is free, but: %s", path, e.msg);
	if (says && (r != -EPERM || e.kind != ERR_REFUSED || !strstr(e.msg, says)))
		fail_msg("%s: want '%s', got %d '%s'", path, says, r, e.msg);
}

static char *replayed(struct sysroot *root)
{
	char *dir = tree_new(root);

	strcpy(root->replay, root->prefix);
	return dir;
}

/* -- one drive under two names ---------------------------------------------------------------- */

static void mount_sdb(const char *dir)
{
	tree_put(dir, "proc/self/mountinfo", "1 1 8:99 / / " OTHER "2 1 8:16 / /data " OTHER);
}

static void paths_with_one_world_wide_name_are_one_drive(void **state)
{
	static const struct {
		const char *serial_a, *wwn_a, *serial_b, *wwn_b;
		bool twin;
	} rows[] = {
		{ "S", "naa.5000c50000000001", "S", "naa.5000c50000000001", true },
		{ "S", "naa.5000c50000000001", "S", "naa.5000c50000000002", false },
		{ "S", NULL, "S", NULL, true }, /* could be: nothing tells them apart */
		{ "S", NULL, "T", NULL, false },
		{ NULL, NULL, NULL, NULL, false },
		{ "S", "naa.0000000000000000", "T", "naa.0000000000000000", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sysroot root;
		char *dir = tree_new(&root);

		tree_disk(dir, "sda", "8:0", rows[i].serial_a, rows[i].wwn_a);
		tree_disk(dir, "sdb", "8:16", rows[i].serial_b, rows[i].wwn_b);
		expect(&root, "/dev/sda", NULL);
		mount_sdb(dir);
		expect(&root, "/dev/sda", rows[i].twin ? "sdb mounted on /data" : NULL);
		tree_drop(dir);
	}
}

static void a_path_is_known_by_the_drives_own_answer(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_disk(dir, "sdb", "8:16", NULL, NULL);
	mount_sdb(dir);
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, "sda/vpd-83.hex", "00 83 00 0c 01 03 00 08 50 00 c5 00 12 34 56 78\n");
	tree_put(dir, "sdb/vpd-83.hex", "00 83 00 0c 01 03 00 08 50 00 c5 00 12 34 56 79\n");
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, "sdb/vpd-83.hex", "00 83 00 0c 01 03 00 08 50 00 c5 00 12 34 56 78\n");
	expect(&root, "/dev/sda", "sdb mounted on /data");
	tree_put(dir, "sys/block/sdb/device/wwid", "naa.5000c50012345678\n");
	expect(&root, "/dev/sda", "sdb mounted on /data"); /* one from sysfs, one asked */
	tree_drop(dir);
}

static void namespaces_of_one_controller_are_not_each_other(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);

	(void)state;
	tree_disk(dir, "nvme0n1", "259:0", "S", NULL);
	tree_disk(dir, "nvme0n2", "259:1", "S", NULL);
	tree_disk(dir, "nvme1n1", "259:2", "S", NULL);
	tree_put(dir, "proc/self/mountinfo", "2 1 259:1 / /data " OTHER);
	expect(&root, "/dev/nvme0n1", NULL);
	expect(&root, "/dev/nvme1n1", "nvme0n2 mounted on /data"); /* could be another path */
	tree_drop(dir);
}

/* They have no node, no holders folder and the same name as the namespace above them. */
static void hidden_paths_of_nvme_multipath_do_not_count(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);

	(void)state;
	tree_disk(dir, "nvme0n1", "259:0", "S", "eui.0025385b71b00001");
	tree_disk(dir, "nvme0c1n1", "259:0", "S", "eui.0025385b71b00001");
	tree_put(dir, "sys/block/nvme0c1n1/hidden", "1\n");
	expect(&root, "/dev/nvme0n1", NULL);
	tree_drop(dir);
}

static void what_cannot_be_told_is_said(void **state)
{
	struct safety_report report;
	struct sysroot root;
	char *dir = tree_new(&root);
	struct target *t;

	(void)state;
	assert_int_equal(target_resolve(&root, "/dev/sda", &t, NULL), 0);
	assert_int_equal(safety_inspect(&root, t, &report, NULL), 0);
	assert_int_equal(report.note_count, 1);
	assert_non_null(strstr(report.notes[0].detail, "neither a world wide name nor a serial"));
	assert_int_equal(report.use_count, 0);
	safety_report_done(&report);
	target_free(t);
	tree_drop(dir);
}

/* -- the token -------------------------------------------------------------------------------- */

static void token_is(const struct sysroot *root, const char *path, const char *token,
	const char *why)
{
	struct err e = ERR_INIT;
	struct target *t;

	if (target_resolve(root, path, &t, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(target_ask(root, t, &e), 0);
	assert_string_equal(safety_token(t), token);
	assert_string_equal(t->token_why, why);
	target_free(t);
}

static void the_token_names_one_device_and_no_other(void **state)
{
	struct safety_consent wrong = all;
	struct sysroot root;
	struct err e = ERR_INIT;
	char *dir = replayed(&root);

	(void)state;
	token_is(&root, "/dev/sda", "/dev/sda", "it has no serial number");
	tree_link(dir, "dev/disk/by-id/usb-ACME", "../../sda");
	token_is(&root, "/dev/sda", "usb-ACME", "it has no serial number");
	tree_put(dir, "sda/vpd-80.hex", "00 80 00 02 53 39\n");
	token_is(&root, "/dev/sda", "S9", ""); /* the drive itself tells */
	tree_disk(dir, "sda", "8:0", "S1", "naa.5000c50000000001");
	token_is(&root, "/dev/sda", "S1", "");

	/* Siblings on one disk share its serial number. */
	tree_put(dir, "sys/block/sda/sda1/dev", "8:1");
	tree_put(dir, "sys/block/sda/sda1/partition", "1");
	tree_put(dir, "sys/block/sda/sda1/size", "64");
	tree_put(dir, "sys/block/sda/sda12/dev", "8:12");
	tree_put(dir, "sys/block/sda/sda12/partition", "12");
	tree_put(dir, "sys/block/sda/sda12/size", "64");
	token_is(&root, "/dev/sda1", "S1-part1", "");
	token_is(&root, "/dev/sda12", "S1-part12", "");
	expect(&root, "/dev/sda1", NULL);
	wrong.confirm = "S1";
	assert_int_equal(decide_with(&root, "/dev/sda1", &wrong, &e), -EPERM);
	assert_non_null(strstr(e.msg, "'S1-part1' does"));
	wrong.confirm = "S1-part1";
	assert_int_equal(decide_with(&root, "/dev/sda12", &wrong, &e), -EPERM);

	/* Another path has the same serial number by right, another drive has not. */
	tree_disk(dir, "sdb", "8:16", "S1", "naa.5000c50000000001");
	token_is(&root, "/dev/sda", "S1", "");
	tree_disk(dir, "sdb", "8:16", "S1", "naa.5000c50000000002");
	token_is(&root, "/dev/sda", "usb-ACME", "sdb has the same serial number");
	token_is(&root, "/dev/sdb", "/dev/sdb", "sda has the same serial number");
	token_is(&root, "/dev/sda12", "/dev/sda12", "sdb has the same serial number");
	tree_put(dir, "sys/block/sdb/device/serial", "");
	tree_put(dir, "sdb/vpd-80.hex", "00 80 00 02 53 31\n");
	tree_put(dir, "sda/inquiry.hex", "");
	token_is(&root, "/dev/sda", "usb-ACME", "sdb has the same serial number"); /* asked */
	wrong.confirm = "S1";
	assert_int_equal(decide_with(&root, "/dev/sdb", &wrong, &e), -EPERM);
	assert_non_null(strstr(e.msg, "(sda has the same serial number)"));
	tree_drop(dir);
}

/* -- other hosts ------------------------------------------------------------------------------ */

static void disk_at(const char *dir, const char *name, const char *where)
{
	char command[1200];

	(void)snprintf(command, sizeof(command),
		"cd '%s/sys' && mkdir -p 'devices/%s' && mv 'block/%s' 'devices/%s' && "
		"ln -s '../devices/%s/%s' block/", dir, where, name, where, where, name);
	assert_int_equal(system(command), 0);
}

static void what_other_hosts_can_reach_needs_consent_of_its_own(void **state)
{
	static const struct {
		const char *where, *over; /* NULL: this host's alone */
	} rows[] = {
		{ "pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block", NULL },
		{ "pci0000:00/host1/rport-1:0-0/target1:0:0/1:0:0:0/block", "Fibre Channel" },
		{ "platform/host2/session1/target2:0:0/2:0:0:0/block", "iSCSI" },
		{ "pci0000:00/host3/port-3:0/end_device-3:0/target3:0:0/3:0:0:0/block",
		  "a second SAS port" },
		{ "pci0000:00/host4/port-4:1/target4:0:0/4:0:0:0/block", "SRP" },
		{ "pci0000:00/usb1/1-1/host5/target5:0:0/5:0:0:0/block", NULL },
	};
	struct safety_consent c = { .destroy_data = true, .wipe_signatures = true };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sysroot root;
		struct err e = ERR_INIT;
		char *dir = tree_new(&root);
		int r;

		tree_disk(dir, "sda", "8:0", "S", NULL);
		disk_at(dir, "sda", rows[i].where);
		r = decide_with(&root, "/dev/sda", &c, &e);
		if (!rows[i].over && r != 0)
			fail_msg("%s: %s", rows[i].where, e.msg);
		if (rows[i].over && (r != -EPERM || !strstr(e.msg, rows[i].over) ||
				!strstr(e.msg, "--shared-lun")))
			fail_msg("%s: want '%s', got %d '%s'", rows[i].where, rows[i].over, r,
				e.msg);
		expect(&root, "/dev/sda", NULL);
		tree_drop(dir);
	}
}

static void a_sas_drive_with_one_port_is_not_shared(void **state)
{
	struct safety_consent c = { .destroy_data = true };
	struct sysroot root;
	char *dir = tree_new(&root), path[700];
	FILE *f;

	(void)state;
	tree_disk(dir, "sda", "8:0", "S", NULL);
	disk_at(dir, "sda", "host3/port-3:0/end_device-3:0/target3:0:0/3:0:0:0/block");
	assert_int_equal(decide_with(&root, "/dev/sda", &c, NULL), -EPERM);
	for (int multi = 0; multi < 2; multi++) {
		uint8_t inquiry[36] = { 0, 0, 6, 2, 31, 0, multi ? 0x10 : 0 };

		(void)snprintf(path, sizeof(path), "%s/sys/block/sda/device/inquiry", dir);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(inquiry, sizeof(inquiry), 1, f), 1);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(decide_with(&root, "/dev/sda", &c, NULL), multi ? -EPERM : 0);
	}
	tree_drop(dir);
}

static void nvme_over_fabrics_is_seen_below_the_kernels_multipath(void **state)
{
	struct safety_consent c = { .destroy_data = true };
	struct sysroot root;
	struct err e = ERR_INIT;
	char *dir = tree_new(&root);

	(void)state;
	tree_disk(dir, "nvme0n1", "259:0", "S", NULL);
	assert_int_equal(decide_with(&root, "/dev/nvme0n1", &c, NULL), 0);
	tree_put(dir, "sys/block/nvme0n1/device/nvme0/transport", "pcie\n");
	assert_int_equal(decide_with(&root, "/dev/nvme0n1", &c, NULL), 0);
	tree_put(dir, "sys/block/nvme0n1/device/nvme1/transport", "tcp\n");
	assert_int_equal(decide_with(&root, "/dev/nvme0n1", &c, &e), -EPERM);
	assert_non_null(strstr(e.msg, "NVMe over fabrics"));
	tree_drop(dir);
}

static void what_lies_below_a_stack_counts(void **state)
{
	struct safety_consent c = { .destroy_data = true };
	struct sysroot root;
	struct err e = ERR_INIT;
	char *dir = replayed(&root);

	(void)state;
	tree_disk(dir, "rbd0", "251:0", NULL, NULL);
	tree_disk(dir, "dm-1", "253:1", NULL, NULL);
	tree_disk(dir, "dm-2", "253:2", NULL, NULL);
	tree_put(dir, "sys/block/dm-2/slaves/dm-1/.keep", "");
	assert_int_equal(decide_with(&root, "/dev/dm-2", &c, NULL), 0);
	tree_put(dir, "sys/block/dm-1/slaves/rbd0/.keep", "");
	assert_int_equal(decide_with(&root, "/dev/dm-2", &c, &e), -EPERM);
	assert_non_null(strstr(e.msg, "rbd0 can be reached by other hosts over Ceph RBD"));
	tree_put(dir, "sys/block/dm-1/slaves/sda/.keep", "");
	tree_put(dir, "sda/reserve-keys.hex", "00 00 00 01 00 00 00 08 00 00 00 00 00 00 ab cd\n");
	expect(&root, "/dev/dm-2", "sda has 1 registered");
	tree_put(dir, "sys/block/dm-1/slaves/dm-2/.keep", ""); /* a loop ends */
	expect(&root, "/dev/dm-2", "sda has 1 registered");
	tree_drop(dir);
}

#define NVMET "sys/kernel/config/nvmet/subsystems"

static void a_disk_that_the_kernel_exports_is_in_use(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);

	(void)state;
	tree_put(dir, NVMET "/nqn.x/namespaces/1/device_path", "/dev/sdb\n");
	tree_put(dir, NVMET "/nqn.x/namespaces/2/device_path", "(null)\n");
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, NVMET "/nqn.x/namespaces/2/device_path", "/dev/sda\n");
	expect(&root, "/dev/sda", "sda open for writing in the kernel's NVMe target (nqn.x)");
	tree_drop(dir);
}

/* -- reservations ----------------------------------------------------------------------------- */

static void scsi_registrants_protect(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "sda/inquiry.hex", "");
	expect(&root, "/dev/sda", NULL); /* the drive knows no reservations */
	tree_put(dir, "sda/reserve-keys.hex", "00 00 00 01 00 00 00 00\n");
	expect(&root, "/dev/sda", NULL); /* or has none */
	tree_put(dir, "sda/reserve-keys.hex",
		"00 00 00 03 00 00 00 10 00 00 00 00 00 00 ab cd 00 00 00 00 00 00 ab ce\n");
	expect(&root, "/dev/sda", "sda has 2 registered for persistent reservations (key 0xabcd)");
	tree_put(dir, "sda/reserve.hex",
		"00 00 00 03 00 00 00 10 00 00 00 00 00 00 ab cd 00 00 00 00 00 01 00 00\n");
	expect(&root, "/dev/sda", "sda is reserved (write exclusive) with key 0xabcd");
	tree_drop(dir);
}

static void unreadable_reservations_matter_where_another_host_could_hold_one(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "sda/reserve-keys.hex", "00 00 00 03 00 00 00 0b\n"); /* no multiple of 8 */
	expect(&root, "/dev/sda", NULL);
	disk_at(dir, "sda", "platform/host2/session1/target2:0:0/2:0:0:0/block");
	expect(&root, "/dev/sda", "its reservations cannot be read (READ KEYS");
	tree_drop(dir);
}

static void nvme_registrants_protect(void **state)
{
	char text[3 * 4096 + 8], *to = text;
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_disk(dir, "nvme0n1", "259:0", "S", NULL);
	tree_put(dir, "nvme0n1/nvme.json", "{\"vwc\": 0}");
	expect(&root, "/dev/nvme0n1", NULL);
	for (int i = 0; i < 4096; i++)
		to += sprintf(to, "%02x%c", i == 4 || i == 5 ? 1 : 0, i % 16 == 15 ? '\n' : ' ');
	tree_put(dir, "nvme0n1/reserve.hex", text);
	expect(&root, "/dev/nvme0n1", "nvme0n1 is reserved (write exclusive), by one of 1");
	tree_drop(dir);
}

/* -- signatures ------------------------------------------------------------------------------- */

static void expect_signature(const struct sysroot *root, const char *path, const char *says)
{
	struct safety_consent c = { .destroy_data = true, .shared_lun = true };
	struct err e = ERR_INIT;

	if (decide_with(root, path, &c, &e) != -EPERM || !strstr(e.msg, says))
		fail_msg("%s: want '%s', got '%s'", path, says, e.msg);
}

static void blkid_of_a_capture_tells_signatures(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "blkid.txt",
		"/dev/sda1: LABEL=\"a \\\"b\\\" TYPE=x\" TYPE=\"LVM2_member\" PARTUUID=\"1\"\n"
		"/dev/sdaa: TYPE=\"ext4\"\n/dev/mapper/x: TYPE=\"xfs\"\ngarbage\n"
		"/dev/sda2: PARTUUID=\"2\"\n/dev/sda3: TYPE=\"cut off\n");
	expect_signature(&root, "/dev/sda",
		"sda1: LVM2_member signature, label a \"b\" TYPE=x; --wipe-signatures");
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, "sda/blkid.txt", "/dev/sda: PTUUID=\"7\" PTTYPE=\"gpt\"\n");
	tree_put(dir, "blkid.txt", "");
	expect_signature(&root, "/dev/sda", "sda: gpt partition table");
	tree_put(dir, "sys/block/sda/sda1/partition", "1");
	tree_put(dir, "sys/block/sda/sda1/size", "64");
	expect(&root, "/dev/sda1", NULL); /* its disk has to have a table */
	tree_put(dir, "blkid.txt", "/dev/sda: TYPE=\"isw_raid_member\"\n");
	expect(&root, "/dev/sda1", "sda: isw_raid_member signature"); /* and nothing else */
	tree_drop(dir);
}

static void an_imported_pool_is_not_overruled(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "blkid.txt", "/dev/sda: LABEL=\"tank\" TYPE=\"zfs_member\"\n");
	expect_signature(&root, "/dev/sda", "sda: zfs_member signature, pool tank; --wipe");
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, "proc/self/mountinfo", "2 1 0:44 / /tank2 rw - zfs tank2/home rw\n");
	expect(&root, "/dev/sda", NULL); /* another pool */
	tree_put(dir, "proc/self/mountinfo", "2 1 0:44 / /home rw - zfs tank/home rw\n");
	expect(&root, "/dev/sda", "sda is a zfs_member of the imported pool tank");
	tree_put(dir, "blkid.txt", "/dev/sda: PTTYPE=\"gpt\"\n");
	expect(&root, "/dev/sda", NULL); /* it was looked at, and is none */
	tree_drop(dir);
}

static void a_helper_that_failed_has_not_said_free(void **state)
{
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	tree_put(dir, "zpool.txt", "exit status: 0\n");
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, "zpool.txt", "exit status: 127\n");
	expect(&root, "/dev/sda", "zpool was asked and failed (exit status: 127)");
	tree_drop(dir);
}

static void the_first_bytes_of_a_capture_are_probed(void **state)
{
	char text[3 * 65536 + 8], *to = text;
	struct sysroot root;
	char *dir = replayed(&root);

	(void)state;
	/* The beginning of an LVM2 label, and nothing of the rest. */
	for (int i = 0; i < 8192; i++) {
		static const char label[] = "LABELONE";
		int byte = i >= 1536 && i < 1544 ? label[i - 1536] : 0;

		to += sprintf(to, "%02x%c", (unsigned)byte, i % 16 == 15 ? '\n' : ' ');
	}
	tree_put(dir, "sda/head.hex", text);
	expect(&root, "/dev/sda", NULL); /* not complete: no LVM2 label */
	tree_put(dir, "sda/head.hex", "62 6c 75 65 73 74 6f 72 65 20 62 6c 6f 63 6b 20 64 65 76 69 "
		"63 65 0a 31\n");
	expect_signature(&root, "/dev/sda", "sda: ceph_bluestore signature");
	tree_put(dir, "sda/head.hex", "62 6c 75 no hex\n");
	expect(&root, "/dev/sda", "sda/head.hex:1:"); /* unreadable: in use */
	tree_put(dir, "sda/head.hex", "00\n");
	expect(&root, "/dev/sda", NULL);
	tree_put(dir, "sys/block/sda/sda1/dev", "8:1");
	tree_put(dir, "sys/block/sda/sda1/size", "128");
	tree_put(dir, "sys/block/sda/sda1/start", "8");
	/* A swap area's magic is at the end of its first page: of the partition at 4 KiB. */
	to = text;
	for (int i = 0; i < 16384; i++) {
		static const char magic[] = "SWAPSPACE2";
		int at = i - 4096 - 4086, byte = at >= 0 && at < 10 ? magic[at] : 0;

		if (i == 4096 + 1024)
			byte = 1; /* version */
		if (i == 4096 + 1028)
			byte = 7; /* last page */
		to += sprintf(to, "%02x%c", (unsigned)byte, i % 16 == 15 ? '\n' : ' ');
	}
	tree_put(dir, "sda/head.hex", text);
	expect_signature(&root, "/dev/sda", "sda1: swap signature");
	tree_drop(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_with_one_world_wide_name_are_one_drive),
		cmocka_unit_test(a_path_is_known_by_the_drives_own_answer),
		cmocka_unit_test(namespaces_of_one_controller_are_not_each_other),
		cmocka_unit_test(hidden_paths_of_nvme_multipath_do_not_count),
		cmocka_unit_test(what_cannot_be_told_is_said),
		cmocka_unit_test(the_token_names_one_device_and_no_other),
		cmocka_unit_test(what_other_hosts_can_reach_needs_consent_of_its_own),
		cmocka_unit_test(a_sas_drive_with_one_port_is_not_shared),
		cmocka_unit_test(nvme_over_fabrics_is_seen_below_the_kernels_multipath),
		cmocka_unit_test(what_lies_below_a_stack_counts),
		cmocka_unit_test(a_disk_that_the_kernel_exports_is_in_use),
		cmocka_unit_test(scsi_registrants_protect),
		cmocka_unit_test(unreadable_reservations_matter_where_another_host_could_hold_one),
		cmocka_unit_test(nvme_registrants_protect),
		cmocka_unit_test(blkid_of_a_capture_tells_signatures),
		cmocka_unit_test(an_imported_pool_is_not_overruled),
		cmocka_unit_test(a_helper_that_failed_has_not_said_free),
		cmocka_unit_test(the_first_bytes_of_a_capture_are_probed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
