/* test_safety_break.c - attempts to make the safety decision crash, hang or free what is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "probes/safety.h"
#include "tests/probes/tree.h"

static int decide(const struct sysroot *root, const char *path, struct err *e)
{
	struct safety_consent c = { .destroy_data = true, .wipe_signatures = true,
		.shared_lun = true };
	struct safety_report report;
	struct target *t;
	int r;

	r = target_resolve(root, path, &t, e);
	if (r < 0)
		return r;
	r = target_ask(root, t, e);
	c.confirm = safety_token(t);
	if (r == 0)
		r = safety_inspect(root, t, &report, e);
	if (r == 0) {
		r = safety_decide(t, &report, &c, e);
		safety_report_done(&report);
	}
	target_free(t);
	return r;
}

static void expect(const struct sysroot *root, const char *path, const char *says)
{
	struct err e = ERR_INIT;
	int r = decide(root, path, &e);

	if (!says && r != 0)
		fail_msg("%s is free, but: %s", path, e.msg);
	if (says && (r != -EPERM || e.kind != ERR_REFUSED || !strstr(e.msg, says)))
		fail_msg("%s: want '%s', got %d '%s'", path, says, r, e.msg);
}

static void expect_clean(const char *s)
{
	for (; *s; s++)
		assert_true((unsigned char)*s >= ' ' && *s != 0x7f);
}

/* -- structures ------------------------------------------------------------------------------- */

static void holders_and_slaves_in_circles_end(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);

	(void)state;
	tree_put(dir, "sys/block/sda/holders/sda/.keep", "");
	tree_put(dir, "sys/block/sda/slaves/sda/.keep", "");
	expect(&root, "/dev/sda", "sda: holder sda");
	tree_put(dir, "sys/block/md0/size", "2048");
	tree_put(dir, "sys/block/md0/slaves/md1/.keep", "");
	tree_put(dir, "sys/block/md1/slaves/md0/.keep", "");
	tree_put(dir, "sys/block/md1/size", "2048");
	expect(&root, "/dev/md0", NULL);
	tree_drop(dir);
}

static void a_very_deep_stack_is_in_use_all_the_way(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), path[200];

	(void)state;
	tree_put(dir, "sys/block/sda/holders/dm-0/.keep", "");
	for (int i = 0; i < 100; i++) {
		(void)snprintf(path, sizeof(path), "sys/block/dm-%d/size", i);
		tree_put(dir, path, "2048");
		(void)snprintf(path, sizeof(path), "sys/block/dm-%d/holders/dm-%d/.keep", i, i + 1);
		tree_put(dir, path, "");
		(void)snprintf(path, sizeof(path), "sys/block/dm-%d/slaves/dm-%d/.keep", i + 1, i);
		tree_put(dir, path, "");
	}
	tree_put(dir, "sys/block/dm-0/slaves/sda/.keep", "");
	expect(&root, "/dev/sda", "sda: holder dm-0");
	expect(&root, "/dev/dm-50", "dm-50: holder dm-51");
	tree_drop(dir);
}

static void many_holders_are_all_kept(void **state)
{
	struct safety_report report;
	struct sysroot root;
	char *dir = tree_new(&root), path[200];
	struct target *t;

	(void)state;
	for (int i = 0; i < 500; i++) {
		(void)snprintf(path, sizeof(path), "sys/block/sda/holders/dm-%d/.keep", i);
		tree_put(dir, path, "");
	}
	assert_int_equal(target_resolve(&root, "/dev/sda", &t, NULL), 0);
	assert_int_equal(safety_inspect(&root, t, &report, NULL), 0);
	assert_int_equal(report.use_count, 500);
	safety_report_done(&report);
	target_free(t);
	tree_drop(dir);
}

/* The first 15 partitions of a SCSI disk have its major number, further ones another. */
static void partitions_of_any_number_protect_the_disk(void **state)
{
	static const char *const parts[] = { "sda15", "sda16", "sda127", "sda4294967295" };

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct sysroot root;
		char *dir = tree_new(&root), path[200], says[64];

		(void)snprintf(path, sizeof(path), "sys/block/sda/%s/dev", parts[i]);
		tree_put(dir, path, "259:7\n");
		expect(&root, "/dev/sda", NULL);
		tree_put(dir, "proc/self/mountinfo", "1 1 259:7 / /far rw - xfs /dev/root rw\n");
		(void)snprintf(says, sizeof(says), "%s mounted on /far", parts[i]);
		expect(&root, "/dev/sda", says);
		tree_drop(dir);
	}
}

/* -- names ------------------------------------------------------------------------------------ */

static void strange_names_are_compared_whole_and_shown_clean(void **state)
{
	struct sysroot root;
	struct err e = ERR_INIT;
	char *dir = tree_new(&root), *name = malloc(5001);

	(void)state;
	tree_put(dir, "sys/block/sda/holders/dm 1\n\x1b[2J/.keep", "");
	assert_int_equal(decide(&root, "/dev/sda", &e), -EPERM);
	expect_clean(e.msg);
	tree_drop(dir);

	dir = tree_new(&root);
	tree_put(dir, "sys/block/sda/holders/dm-1/.keep", "");
	memset(name, 'n', 5000);
	memcpy(name, "ceph--", 6);
	name[5000] = '\0';
	tree_put(dir, "sys/block/dm-1/dm/name", name);
	tree_put(dir, "sys/block/dm-1/dm/uuid", name);
	expect(&root, "/dev/sda", "sda: holder dm-1 (ceph--nnn");
	tree_drop(dir);

	/* "!" stands for a slash, and only whole names count. */
	dir = tree_new(&root);
	tree_put(dir, "sys/block/cciss!c0d0/size", "2048");
	tree_put(dir, "sys/block/cciss!c0d0/cciss!c0d0p1/partition", "1");
	tree_put(dir, "proc/self/mountinfo", "1 1 0:9 / / rw - btrfs /dev/cciss/c0d0p11 rw\n");
	expect(&root, "/dev/cciss/c0d0", NULL);
	tree_put(dir, "proc/self/mountinfo", "1 1 0:9 / / rw - btrfs /dev/cciss/c0d0p1 rw\n");
	expect(&root, "/dev/cciss/c0d0", "cciss!c0d0p1 mounted on /");
	free(name);
	tree_drop(dir);
}

static void mounts_on_strange_points_are_told_clean(void **state)
{
	struct sysroot root;
	struct err e = ERR_INIT;
	char *dir = tree_new(&root);

	(void)state;
	tree_put(dir, "proc/self/mountinfo",
		"1 1 8:0 / /a\\040b\\012c\\033[31m rw - ext4 /dev/sda rw\n");
	assert_int_equal(decide(&root, "/dev/sda", &e), -EPERM);
	assert_non_null(strstr(e.msg, "sda mounted on /a b?c?[31m"));
	expect_clean(e.msg);
	tree_put(dir, "proc/self/mountinfo", "1 1 8:99 / / rw - ext4 /dev/x rw\n");
	tree_put(dir, "sys/block/sda/device/serial", "A'; rm -rf /; '\x1b]0;x\a\n");
	expect(&root, "/dev/sda", NULL);
	tree_drop(dir);
}

static void ten_thousand_mounts_hide_nothing(void **state)
{
	size_t size = 10000 * 64 + 200;
	char *text = malloc(size), *to = text;
	struct sysroot root;
	char *dir = tree_new(&root);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 10000; i++)
		to += sprintf(to, "%d 1 9:%d / /m/%d rw - ext4 /dev/md%d rw\n", i, i, i, i);
	tree_put(dir, "proc/self/mountinfo", text);
	expect(&root, "/dev/sda", NULL);
	strcpy(to, "10001 1 8:0 / /last rw - ext4 /dev/root rw\n");
	tree_put(dir, "proc/self/mountinfo", text);
	expect(&root, "/dev/sda", "sda mounted on /last");
	strcpy(to, "10001 1 8:0 / /cut rw\n");
	tree_put(dir, "proc/self/mountinfo", text);
	expect(&root, "/dev/sda", "line 10001 is not a mount");
	free(text);
	tree_drop(dir);
}

/* -- what a capture may hold instead of files ------------------------------------------------- */

static void files_that_are_none_are_not_opened(void **state)
{
	static const char *const places[] = { "proc/self/mountinfo", "proc/swaps" };
	char path[700], command[900];

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		static const char *const make[] = { "mkfifo", "mkdir", "ln -s .", "ln -s nowhere/",
			"mknod -m 666" };

		for (size_t k = 0; k < sizeof(make) / sizeof(make[0]); k++) {
			struct sysroot root;
			char *dir = tree_new(&root);

			(void)snprintf(path, sizeof(path), "%s/%s", dir, places[i]);
			(void)unlink(path);
			(void)snprintf(command, sizeof(command), "%s '%s' %s", make[k], path,
				strncmp(make[k], "mknod", 5) == 0 ? "c 1 5 2>/dev/null" : "");
			/* No swap is what a file says that is not there; mknod needs root. */
			if ((i == 1 && strstr(make[k], "nowhere")) || system(command) != 0) {
				tree_drop(dir);
				continue;
			}
			if (decide(&root, "/dev/sda", NULL) != -EPERM)
				fail_msg("%s: %s was believed", places[i], make[k]);
			tree_drop(dir);
		}
	}
}

/* Nothing of a capture leads out of it, whatever its links say. */
static void links_do_not_lead_out_of_a_capture(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), command[900];

	(void)state;
	(void)snprintf(command, sizeof(command), "mv '%s/proc/self/mountinfo' '%s/mi'; "
		"ln -s /proc/self/mountinfo '%s/proc/self/mountinfo'", dir, dir, dir);
	assert_int_equal(system(command), 0);
	expect(&root, "/dev/sda", "/proc/self/mountinfo"); /* a circle inside, not ours outside */
	(void)snprintf(command, sizeof(command), "ln -sfn ../../../../../../../../../mi "
		"'%s/proc/self/mountinfo'", dir);
	assert_int_equal(system(command), 0);
	expect(&root, "/dev/sda", NULL); /* above the root is the root */
	tree_drop(dir);
}

/* -- while it changes ------------------------------------------------------------------------- */

static atomic_bool stop;

static void *come_and_go(void *arg)
{
	char there[700], away[700];

	(void)snprintf(there, sizeof(there), "%s/sys/block/sda/holders/dm-0", (const char *)arg);
	(void)snprintf(away, sizeof(away), "%s/sys/block/sda/dm-0", (const char *)arg);
	while (!atomic_load(&stop)) {
		(void)rename(there, away);
		(void)rename(away, there);
	}
	(void)rename(away, there);
	return NULL;
}

static void holders_that_come_and_go_are_there_or_not(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	pthread_t thread;

	(void)state;
	tree_put(dir, "sys/block/sda/holders/dm-0/dm/name", "x");
	atomic_store(&stop, false);
	assert_int_equal(pthread_create(&thread, NULL, come_and_go, dir), 0);
	for (int i = 0; i < 300; i++) {
		struct err e = ERR_INIT;
		int r = decide(&root, "/dev/sda", &e);

		if (r != 0 && (r != -EPERM || !strstr(e.msg, "holder")))
			fail_msg("%d %s", r, e.msg);
	}
	atomic_store(&stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	expect(&root, "/dev/sda", "sda: holder dm-0");
	tree_drop(dir);
}

/* -- damage ----------------------------------------------------------------------------------- */

static unsigned seed = 20261130;

/* A copy of @good with some bytes changed, doubled, cut or moved; the caller's. No NUL: text. */
static char *damaged(const char *good)
{
	size_t len = strlen(good), at;
	char *text = malloc(2 * len + 1);
	int changes = rand_r(&seed) % 6;

	memcpy(text, good, len + 1);
	for (int i = 0; i < changes && len > 2; i++) {
		static const char bytes[] = " \n\t\\/-:=\"0189az\x01\xff";

		at = (size_t)rand_r(&seed) % len;
		switch (rand_r(&seed) % 4) {
		case 0:
			text[at] = bytes[(size_t)rand_r(&seed) % (sizeof(bytes) - 1)];
			break;
		case 1:
			text[at] = (char)(1 + rand_r(&seed) % 255);
			break;
		case 2: /* one byte less */
			memmove(text + at, text + at + 1, len - at);
			len--;
			break;
		default: /* cut */
			text[at] = '\0';
			len = at;
		}
	}
	return text;
}

/* Whatever the text says, the answer is yes or no, and a readable one. */
static void fuzz_file(const char *path, const char *good, int rounds)
{
	struct sysroot root;
	char *dir = tree_new(&root);

	strcpy(root.replay, root.prefix);
	tree_put(dir, "sys/block/sda/sda1/dev", "8:1");
	tree_put(dir, "sys/block/sda/sda1/size", "64");
	tree_put(dir, "sys/block/sda/sda1/start", "8");
	for (int i = 0; i < rounds; i++) {
		struct err e = ERR_INIT;
		char *text = damaged(good);
		int r;

		tree_put(dir, path, text);
		r = decide(&root, "/dev/sda", &e);
		if (r != 0 && (e.code == 0 || e.msg[0] == '\0' || e.kind == ERR_INTERNAL))
			fail_msg("%s round %d: %d '%s' of:\n%s", path, i, r, e.msg, text);
		if (r != 0)
			expect_clean(e.msg);
		free(text);
	}
	tree_drop(dir);
}

static void damaged_tables_are_refused_or_read(void **state)
{
	(void)state;
	fuzz_file("proc/self/mountinfo", "25 1 8:99 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
		"26 25 0:35 / /b\\040tr rw - btrfs /dev/sdl rw,device=/dev/sda1\n"
		"27 25 0:60 / /ov rw - overlay overlay rw,lowerdir=/l,upperdir=/u\n", 200);
	fuzz_file("proc/swaps", "Filename Type Size Used Priority\n"
		"/dev/sdg2                               partition 8388604 0 -2\n"
		"/mnt/my\\040disk/swapfile                file 1048572 0 -3\n", 150);
	fuzz_file("blkid.txt", "/dev/sda1: LABEL=\"ta\\\"nk\" TYPE=\"zfs_member\" UUID=\"1\"\n"
		"/dev/sda: PTUUID=\"7\" PTTYPE=\"gpt\"\n", 150);
	fuzz_file("sda/head.hex", "62 6c 75 65 73 74 6f 72 65 20 62 6c 6f 63 6b 20 64 65 76 69 63 "
		"65\n",
		100);
	fuzz_file("sda/reserve-keys.hex", "00 00 00 03 00 00 00 10 00 00 00 00 00 00 "
		"ab cd 00 00 00\n", 100);
	fuzz_file("sda/vpd-83.hex", "00 83 00 0c 01 03 00 08 50 00 c5 00 12 34 56 78\n", 100);
	fuzz_file("sys/block/sda/dev", "8:0\n", 60);
	fuzz_file("sys/block/sda/sda1/start", "2048\n", 60);
	fuzz_file("sys/block/loop0/loop/backing_file", "/srv/disk.img (deleted)\n", 60);
}

/* A mount that protects goes on protecting when the rest of its table is damaged. */
static void damage_elsewhere_does_not_free_a_mounted_disk(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), *text;

	(void)state;
	for (int i = 0; i < 150; i++) {
		char *rest = damaged("27 25 0:60 / /ov rw - overlay overlay rw,upperdir=/u\n"
			"28 25 9:9 / /x rw shared:7 - ext4 /dev/md9 rw\n");

		assert_true(asprintf(&text, "25 1 8:0 / /data rw - ext4 /dev/sda rw\n%s",
			rest) > 0);
		tree_put(dir, "proc/self/mountinfo", text);
		if (decide(&root, "/dev/sda", NULL) != -EPERM)
			fail_msg("free with:\n%s", text);
		free(text);
		free(rest);
	}
	tree_drop(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holders_and_slaves_in_circles_end),
		cmocka_unit_test(a_very_deep_stack_is_in_use_all_the_way),
		cmocka_unit_test(many_holders_are_all_kept),
		cmocka_unit_test(partitions_of_any_number_protect_the_disk),
		cmocka_unit_test(strange_names_are_compared_whole_and_shown_clean),
		cmocka_unit_test(mounts_on_strange_points_are_told_clean),
		cmocka_unit_test(ten_thousand_mounts_hide_nothing),
		cmocka_unit_test(files_that_are_none_are_not_opened),
		cmocka_unit_test(links_do_not_lead_out_of_a_capture),
		cmocka_unit_test(holders_that_come_and_go_are_there_or_not),
		cmocka_unit_test(damaged_tables_are_refused_or_read),
		cmocka_unit_test(damage_elsewhere_does_not_free_a_mounted_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
