/* Cache modes of a VM's disks, from four kinds of configuration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policies/vm_config.h"

static struct vm_config read_text(const char *text, size_t len)
{
	struct vm_config c;
	struct err e = ERR_INIT;

	if (vm_config_parse(text, len, "vm", &c, &e) < 0)
		fail_msg("%s", e.msg);
	return c;
}

static void disk_is(const struct vm_config *c, size_t i, const char *name, const char *image,
	enum qemu_cache cache, bool stated)
{
	assert_true(i < c->disks);
	assert_string_equal(c->disk[i].name, name);
	assert_string_equal(c->disk[i].image, image);
	assert_int_equal(c->disk[i].cache, cache);
	assert_int_equal(c->disk[i].stated, stated);
}

static void proxmox_disks_are_read_without_files_and_cd_roms(void **state)
{
	static const char text[] =
		"#scsi9: old:vm-1-disk-9,cache=unsafe\n"
		"boot: order=scsi0;ide2\ncores: 4\n"
		"ide2: none,media=cdrom\n"
		"ide3: local:iso/debian.iso,media=cdrom,size=1G\n"
		"scsi0: ceph-vm:vm-100-disk-0,cache=writeback,discard=on,size=32G\n"
		"scsi11: ceph-vm:vm-100-disk-1,size=32G\r\n"
		"scsihw: virtio-scsi-pci\n"
		"virtio0: /dev/zvol/x,cache=none\n"
		"sata1: ceph-vm:vm-100-disk-2,iothread=1,cache=directsync\n"
		"[before-upgrade]\n"
		"scsi0: ceph-vm:vm-100-disk-0,cache=none\n";
	struct vm_config c = read_text(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(c.format, VM_PROXMOX);
	assert_int_equal(c.disks, 3);
	disk_is(&c, 0, "scsi0", "ceph-vm:vm-100-disk-0", QEMU_CACHE_WRITEBACK, true);
	disk_is(&c, 1, "scsi11", "ceph-vm:vm-100-disk-1", QEMU_CACHE_NONE, false);
	disk_is(&c, 2, "sata1", "ceph-vm:vm-100-disk-2", QEMU_CACHE_DIRECTSYNC, true);
	/* The storage's name need not be the pool's. */
	assert_ptr_equal(vm_config_find(&c, "rbd/vm-100-disk-1"), &c.disk[1]);
	assert_null(vm_config_find(&c, "rbd/vm-100-disk-7"));
	assert_null(vm_config_find(&c, NULL));
}

static void libvirt_disks_of_protocol_rbd_are_read(void **state)
{
	static const char text[] =
		"<domain type='kvm'><devices>\n"
		"<!-- <disk type='network'><driver cache='unsafe'/><source protocol='rbd' "
		"name='p/old'/><target dev='vdz'/></disk> -->\n"
		"<disk type='file' device='disk'><driver name='qemu' cache='unsafe'/>"
		"<source file='/x.img'/><target dev='vda'/></disk>\n"
		"<disk type=\"network\" device=\"disk\">\n"
		"  <driver name=\"qemu\" type=\"raw\" cache=\"writethrough\"/>\n"
		"  <source protocol=\"rbd\" name=\"vms/a\"><host name=\"m\" port=\"6789\"/></source>\n"
		"  <target dev=\"vdb\" bus=\"virtio\"/>\n</disk>\n"
		"<disk type='network'><driver name='qemu'/><source protocol='rbd' name='vms/b'/>"
		"<target dev='vdc'/></disk>\n"
		"<diskette/></devices></domain>\n";
	struct vm_config c = read_text(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(c.format, VM_LIBVIRT);
	assert_int_equal(c.disks, 2);
	disk_is(&c, 0, "vdb", "vms/a", QEMU_CACHE_WRITETHROUGH, true);
	/* libvirt says nothing, QEMU's default is writeback. */
	disk_is(&c, 1, "vdc", "vms/b", QEMU_CACHE_WRITEBACK, false);
	assert_ptr_equal(vm_config_find(&c, "vms/b"), &c.disk[1]);
}

static void only_network_counts_in_nova(void **state)
{
	static const struct {
		const char *text;
		enum qemu_cache cache;
		bool stated;
	} rows[] = {
		{ "[libvirt]\ndisk_cachemodes = \"file=directsync,network=writeback\"\n",
			QEMU_CACHE_WRITEBACK, true },
		{ "[libvirt]\n  disk_cachemodes='network=writethrough'\n",
			QEMU_CACHE_WRITETHROUGH, true },
		{ "[libvirt]\ndisk_cachemodes=file=writeback, network=unsafe\n", QEMU_CACHE_UNSAFE,
			true },
		{ "[libvirt]\ndisk_cachemodes = file=writeback\n", QEMU_CACHE_NONE, false },
		{ "[libvirt]\n#disk_cachemodes = network=writeback\n", QEMU_CACHE_NONE, false },
		{ "[libvirt]\nvirt_type=kvm\n", QEMU_CACHE_NONE, false },
		{ "[libvirt]\ndisk_cachemodes =\n", QEMU_CACHE_NONE, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vm_config c = read_text(rows[i].text, strlen(rows[i].text));

		assert_int_equal(c.format, VM_NOVA);
		assert_int_equal(c.disks, 1);
		disk_is(&c, 0, "network", "", rows[i].cache, rows[i].stated);
		assert_ptr_equal(vm_config_find(&c, "any/image"), &c.disk[0]);
	}
}

static void a_command_line_of_qemu_is_read_with_nul_or_blanks(void **state)
{
	static const char args[] =
		"qemu-system-x86_64\0-drive\0file=rbd:vms/a:id=admin:conf=/etc/ceph/ceph.conf,"
		"format=raw,if=none,id=drive-scsi0,cache=none\0-drive\0file=/x.img,cache=unsafe\0"
		"-blockdev\0{\"driver\":\"rbd\",\"pool\":\"vms\",\"image\":\"b\",\"node-name\":\"n1\","
		"\"cache\":{\"direct\":true,\"no-flush\":false}}\0"
		"-blockdev\0{\"driver\":\"raw\",\"node-name\":\"n2\",\"file\":{\"driver\":\"rbd\","
		"\"pool\":\"vms\",\"image\":\"c\",\"cache\":{\"no-flush\":true}}}\0"
		"-blockdev\0driver=rbd,pool=vms,image=d,node-name=n3,cache.direct=off";
	static const char pasted[] = "kvm -name x \\\n  -drive 'file=rbd:vms/e,cache=writeback' "
		"-drive file.driver=rbd,file.pool=vms,file.image=f,id=y";
	struct vm_config c = read_text(args, sizeof(args) - 1);

	(void)state;
	assert_int_equal(c.format, VM_QEMU);
	assert_int_equal(c.disks, 4);
	disk_is(&c, 0, "drive-scsi0", "vms/a", QEMU_CACHE_NONE, true);
	disk_is(&c, 1, "n1", "vms/b", QEMU_CACHE_NONE, true);
	disk_is(&c, 2, "n2", "vms/c", QEMU_CACHE_UNSAFE, true);
	disk_is(&c, 3, "n3", "vms/d", QEMU_CACHE_WRITEBACK, false);
	c = read_text(pasted, sizeof(pasted) - 1);
	assert_int_equal(c.disks, 2);
	disk_is(&c, 0, "", "vms/e", QEMU_CACHE_WRITEBACK, true);
	disk_is(&c, 1, "y", "vms/f", QEMU_CACHE_WRITEBACK, false);
}

static void each_mode_has_its_effect(void **state)
{
	static const struct {
		const char *word;
		enum answer rbd_cache;
		bool zero, unsafe;
	} rows[] = {
		{ "none", ANSWER_NO, false, false },
		{ "directsync", ANSWER_NO, false, false },
		{ "writeback", ANSWER_YES, false, false },
		{ "writethrough", ANSWER_YES, true, false },
		{ "unsafe", ANSWER_YES, false, true },
		{ "unknown", ANSWER_UNKNOWN, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct qemu_effect e = qemu_cache_effect(qemu_cache_of(rows[i].word));

		assert_string_equal(qemu_cache_word(qemu_cache_of(rows[i].word)), rows[i].word);
		assert_int_equal(e.rbd_cache, rows[i].rbd_cache);
		assert_int_equal(e.max_dirty_zero, rows[i].zero);
		assert_int_equal(e.flushes_ignored, rows[i].unsafe);
	}
	assert_int_equal(qemu_cache_of("fast"), QEMU_CACHE_UNKNOWN);
}

static void what_is_no_configuration_is_refused(void **state)
{
	static const char *const texts[] = { "", "hello", "<domain/>", "scsi0", "scsi0:", "<disk",
		"qemu -drive", "-blockdev {\"driver\":\"rbd\"", "scsi0: none", "\xff\xfe: x" };
	struct vm_config c;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(vm_config_parse(texts[i], strlen(texts[i]), "f", &c, &e), -EBADMSG);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_non_null(strstr(e.msg, "virsh dumpxml"));
	}
}

/* Cut and damaged texts; the sanitizers watch. */
static void damaged_configurations_are_read_or_refused(void **state)
{
	static const char libvirt[] = "<disk type='network'><driver cache='none'/>"
		"<source protocol='rbd' name='p/i'/><target dev='vda'/></disk>";
	static const char *const samples[] = {
		"scsi0: ceph-vm:vm-100-disk-0,cache=writeback,size=32G\nscsi1: a:b,cache=none\n",
		libvirt,
		"[libvirt]\ndisk_cachemodes = \"file=directsync,network=writeback\"\n",
		"kvm -drive file=rbd:p/i,cache=none,id=x -blockdev {\"driver\":\"rbd\",\"pool\":\"p\"}",
	};
	unsigned seed = 3;

	(void)state;
	for (int n = 0; n < 8000; n++) {
		const char *sample = samples[n % 4];
		size_t len = strlen(sample), cut = n % 7 == 0 ? (size_t)n % len : len;
		char *text = malloc(cut + 1); /* exact: a read beyond it is seen */
		struct vm_config c;

		assert_non_null(text);
		memcpy(text, sample, cut);
		for (int k = 0; cut > 0 && k < n % 5; k++) {
			seed = seed * 1103515245u + 12345u;
			text[(seed >> 8) % cut] = "\0<>'\"=,:/\n -x\\"[(seed >> 20) % 14];
		}
		(void)vm_config_parse(text, cut, "m", &c, NULL);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proxmox_disks_are_read_without_files_and_cd_roms),
		cmocka_unit_test(libvirt_disks_of_protocol_rbd_are_read),
		cmocka_unit_test(only_network_counts_in_nova),
		cmocka_unit_test(a_command_line_of_qemu_is_read_with_nul_or_blanks),
		cmocka_unit_test(each_mode_has_its_effect),
		cmocka_unit_test(what_is_no_configuration_is_refused),
		cmocka_unit_test(damaged_configurations_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
