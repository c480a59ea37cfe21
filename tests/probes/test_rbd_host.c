/* RBD clients of a host, from a tree of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "probes/rbd_host.h"
#include "tree.h"

static struct rbd_host look(const struct sysroot *root)
{
	struct rbd_host h;
	struct err e = ERR_INIT;

	if (rbd_host_read(root, &h, &e) < 0)
		fail_msg("%s", e.msg);
	return h;
}

static void an_empty_host_has_nothing(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct rbd_host h = look(&root);

	(void)state;
	assert_int_equal(h.processes, 0);
	assert_int_equal(h.mappings, 0);
	assert_string_equal(h.plugin, "");
	assert_false(h.librbd_found);
	assert_null(h.dpkg_status);
	rbd_host_done(&h);
	tree_drop(dir);
}

static void a_qemu_and_its_librbd_are_found(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct rbd_host h;

	(void)state;
	tree_put(dir, "proc/10/cmdline", "/usr/bin/kvm");
	tree_put(dir, "proc/10/maps", "7f00-7f01 r-xp 0 fe:00 1   /usr/lib64/librbd.so.1.17.0\n"
		"7f02-7f03 r-xp 0 fe:00 1 /usr/lib64/librados.so.2\n");
	tree_put(dir, "proc/11/cmdline", "/opt/qemu-system-x86_64");
	tree_put(dir, "proc/11/maps", "7f00-7f01 r-xp 0 fe:00 1 /usr/lib/librbd.so.1.16.0 (deleted)\n");
	tree_put(dir, "proc/12/cmdline", "/usr/bin/vim /etc/qemu-ifup");
	tree_put(dir, "proc/12/maps", "");
	tree_put(dir, "proc/13/cmdline", "rbd-nbd map rbd/x");
	tree_put(dir, "proc/13/maps", "7f00-7f01 r-xp 0 fe:00 1 /usr/lib/librbd.so.1\n");
	tree_put(dir, "proc/14/cmdline", "rbdtop");
	tree_put(dir, "proc/14/maps", "junk /not/librbd.so-like librbd.so\n");
	h = look(&root);
	assert_int_equal(h.processes, 3); /* neither an editor nor a name alone */
	assert_true(h.process[0].qemu && !h.process[0].deleted);
	assert_string_equal(h.process[0].librbd, "/usr/lib64/librbd.so.1.17.0");
	assert_true(h.process[1].qemu && h.process[1].deleted);
	assert_string_equal(h.process[1].librbd, "/usr/lib/librbd.so.1.16.0");
	assert_int_equal(h.process[2].pid, 13);
	assert_false(h.process[2].qemu);
	rbd_host_done(&h);
	tree_drop(dir);
}

static void mappings_files_and_file_systems_are_read(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), fs[32];
	struct rbd_host h;

	(void)state;
	tree_put(dir, "sys/bus/rbd/devices/0/pool", "rbd\n");
	tree_put(dir, "sys/bus/rbd/devices/0/name", "vm-1\n");
	tree_put(dir, "sys/bus/rbd/devices/12/pool", "rbd\n");
	tree_put(dir, "sys/bus/rbd/devices/12/pool_ns", "tenant\n");
	tree_put(dir, "sys/bus/rbd/devices/12/name", "vm-2\n");
	tree_put(dir, "usr/lib64/librbd.so.1", "");
	tree_put(dir, "usr/lib64/ceph/librbd/libceph_librbd_parent_cache.so.1", "");
	tree_put(dir, "proc/self/mountinfo", "1 1 254:0 / / rw - ext4 /dev/vda rw\n"
		"2 1 259:0 / /mnt/nvme rw - xfs /dev/nvme0n1 rw\n");
	h = look(&root);
	assert_int_equal(h.mappings, 2);
	assert_string_equal(h.mapping[0].image, "rbd/vm-1");
	assert_string_equal(h.mapping[1].device, "rbd12");
	assert_string_equal(h.mapping[1].image, "rbd/tenant/vm-2");
	assert_true(h.librbd_found);
	assert_string_equal(h.plugin, "");
	rbd_host_done(&h);
	tree_put(dir, "usr/lib64/ceph/librbd/libceph_librbd_pwl_cache.so.1.0.0", "");
	h = look(&root);
	assert_string_equal(h.plugin, "/usr/lib64/ceph/librbd/libceph_librbd_pwl_cache.so.1.0.0");
	rbd_host_done(&h);
	assert_int_equal(rbd_host_fs(&root, "/mnt/nvme/pwl", fs, sizeof(fs)), 0);
	assert_string_equal(fs, "xfs");
	assert_int_equal(rbd_host_fs(&root, "/mnt", fs, sizeof(fs)), 0);
	assert_string_equal(fs, "ext4");
	tree_drop(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_host_has_nothing),
		cmocka_unit_test(a_qemu_and_its_librbd_are_found),
		cmocka_unit_test(mappings_files_and_file_systems_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
