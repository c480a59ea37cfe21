/* test_writecache_sys.c - captured trees and replayed drives together, as field cases come. */
#include "probes/writecache.h"

#include "data/hextext.h"
#include "probes/target.h"
#include "tests/probes/cases.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/ssdqual-wcsys-XXXXXX";
static struct sysroot root;

static FILE *create(const char *path)
{
	char full[256], command[300], *slash;
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s/%s", dir, path);
	slash = strrchr(full, '/');
	*slash = '\0';
	(void)snprintf(command, sizeof(command), "mkdir -p '%s'", full);
	assert_int_equal(system(command), 0);
	*slash = '/';
	f = fopen(full, "w");
	assert_non_null(f);
	return f;
}

static void text(const char *path, const char *line)
{
	FILE *f = create(path);

	fprintf(f, "%s\n", line);
	assert_int_equal(fclose(f), 0);
}

static void hex(const char *path, const uint8_t *buf, size_t len)
{
	FILE *f = create(path);

	assert_int_equal(hextext_write(f, buf, len, NULL), 0);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	(void)snprintf(root.prefix, sizeof(root.prefix), "%s/root", dir);
	text("root/sys/block/sda/queue/write_cache", "write back");
	text("root/sys/block/sda/queue/fua", "0");
	text("root/sys/block/sda/device/scsi_disk/2:0:0:0/cache_type", "write back");
	hex("dev/sda/identify.hex", A01_identify, 512);
	text("root/sys/block/nvme0n1/queue/write_cache", "write through");
	text("dev/nvme0n1/nvme.json", "{\"vwc\": 0}");
	text("root/sys/block/sdb/queue/write_cache", "write back");
	text("root/sys/block/sdb/device/scsi_disk/3:0:0:0/cache_type", "write back");
	hex("dev/sdb/mode-08.1.hex", A19_bd0, sizeof(A19_bd0));
	hex("dev/sdb/mode-08.2.hex", A19_bd8, sizeof(A19_bd8));
	hex("dev/sdb/mode-08.3.hex", A19_bd0, sizeof(A19_bd0));
	hex("dev/sdc/mode-08.1.hex", A05_mode, sizeof(A05_mode));
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

struct rig {
	struct devio io;
	struct wc_replay replay;
	struct wc_dev d;
};

static struct wc_dev *rig_open(struct rig *r, const char *sysname, bool tree)
{
	char devices[128];

	memset(r, 0, sizeof(*r));
	(void)snprintf(devices, sizeof(devices), "%s/dev", dir);
	assert_int_equal(devio_open_replay(devices, sysname, &r->io, NULL), 0);
	r->replay.sys = (struct wc_sys){ .root = &root, .sysname = sysname };
	r->replay.io = &r->io;
	r->d.io = &r->io;
	if (tree) {
		r->d.kernel = &wc_kernel_replay;
		r->d.kernel_ctx = &r->replay;
	}
	return &r->d;
}

static void tree_and_identify_disagree_and_agree_after_off_case_a01(void **state)
{
	struct rig r;
	struct wc_dev *d = rig_open(&r, "sda", true);
	struct wc_state s;
	bool dangerous;

	(void)state;
	assert_int_equal(wc_read(d, &s, NULL), 0);
	assert_int_equal(s.drive, WC_DRIVE_OFF);
	assert_int_equal(s.cache_type, WC_KERNEL_BACK);
	assert_int_equal(s.fua, FACT_NO);
	assert_non_null(wc_mismatch(&s, &dangerous));
	assert_false(dangerous);
	assert_int_equal(wc_set(d, false, &s, NULL), 0);
	assert_int_equal(s.cache_type, WC_KERNEL_THROUGH);
	assert_int_equal(s.queue, WC_KERNEL_THROUGH);
	devio_close(&r.io);
}

static void scsi_goes_off_and_comes_back(void **state)
{
	struct rig r;
	struct wc_dev *d = rig_open(&r, "sdb", true);
	struct wc_state before, s;

	(void)state;
	assert_int_equal(wc_read(d, &before, NULL), 0);
	assert_int_equal(before.drive, WC_DRIVE_ON);
	assert_true(before.saveable);
	assert_int_equal(wc_set(d, false, &s, NULL), 0);
	assert_int_equal(s.drive, WC_DRIVE_OFF);
	assert_int_equal(s.queue, WC_KERNEL_THROUGH);
	assert_int_equal(wc_restore(d, &before, &s, NULL), 0);
	assert_int_equal(s.drive, WC_DRIVE_ON);
	assert_int_equal(s.queue, WC_KERNEL_BACK);
	devio_close(&r.io);
}

static void replay_without_a_tree_has_no_kernel_case_a05(void **state)
{
	struct rig r;
	struct wc_dev *d = rig_open(&r, "sdc", false);
	struct wc_state s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(wc_set(d, false, &s, &e), -EIO);
	assert_int_equal(s.drive, WC_DRIVE_ON);
	assert_int_equal(s.queue, WC_KERNEL_UNKNOWN);
	devio_close(&r.io);
}

static void nvme_without_cache_in_write_through_is_no_mismatch_case_a06(void **state)
{
	struct rig r;
	struct wc_dev *d = rig_open(&r, "nvme0n1", true);
	struct wc_state s;
	bool dangerous;

	(void)state;
	assert_int_equal(wc_read(d, &s, NULL), 0);
	assert_int_equal(s.drive, WC_DRIVE_NONE);
	assert_int_equal(s.queue, WC_KERNEL_THROUGH);
	assert_int_equal(s.cache_type, WC_KERNEL_UNKNOWN);
	assert_null(wc_mismatch(&s, &dangerous));
	devio_close(&r.io);
}

static void a_captured_tree_is_never_written(void **state)
{
	struct wc_sys sys = { .root = &root, .sysname = "sda" };
	char buf[64];

	(void)state;
	assert_int_equal(wc_kernel_sys.write(&sys, WC_ATTR_QUEUE, "write back"), -EROFS);
	assert_int_equal(wc_kernel_sys.write(&sys, WC_ATTR_CACHE_TYPE, "write through"), -EROFS);
	assert_int_equal(wc_kernel_sys.read(&sys, WC_ATTR_CACHE_TYPE, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "write back");
	sys.sysname = "sdnone";
	assert_int_equal(wc_kernel_sys.read(&sys, WC_ATTR_QUEUE, buf, sizeof(buf)), -ENOENT);
}

static void the_queue_is_never_set_to_write_through(void **state)
{
	struct sysroot machine = { .prefix = "" };
	struct wc_sys sys = { .root = &machine, .sysname = "ssdqual-no-such-disk" };
	struct rig r;

	(void)state;
	assert_int_equal(wc_kernel_sys.write(&sys, WC_ATTR_QUEUE, "write through"), -EPERM);
	(void)rig_open(&r, "sda", true);
	assert_int_equal(wc_kernel_replay.write(&r.replay, WC_ATTR_QUEUE, "write through"), -EPERM);
	devio_close(&r.io);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_and_identify_disagree_and_agree_after_off_case_a01),
		cmocka_unit_test(scsi_goes_off_and_comes_back),
		cmocka_unit_test(replay_without_a_tree_has_no_kernel_case_a05),
		cmocka_unit_test(nvme_without_cache_in_write_through_is_no_mismatch_case_a06),
		cmocka_unit_test(a_captured_tree_is_never_written),
		cmocka_unit_test(the_queue_is_never_set_to_write_through),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
