/* test_safety_devices.c - who is protected, on loop devices of this machine (needs root). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/safety.h"

#define IMAGE_BYTES (32u << 20)

static const struct sysroot here = { .prefix = "" };
static char dir[256];

static const char *in_dir(const char *name)
{
	static char path[4][400];
	static unsigned next;
	char *p = path[next++ % 4];

	(void)snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *fmt, ...)
{
	char command[1200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return system(command);
}

/* -- loop devices, set up by ioctl so that nothing but the kernel is needed --------------------- */

struct loop {
	char path[64];
	int fd; /* read-only: it must not count as a writer */
};

/* What a test that failed half-way leaves behind, for its teardown. */
static int loops_left[16];
static size_t loops_left_count;
static pid_t child_left;

static bool loop_attach(struct loop *l, const char *backing, int flags)
{
	int control, file, number, device;
	struct loop_config config = { .info.lo_flags = (uint32_t)flags };

	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	file = open(backing, O_RDWR | O_CLOEXEC);
	l->fd = -1;
	for (int tries = 0; control >= 0 && file >= 0 && l->fd < 0 && tries < 16; tries++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		if (number < 0)
			break;
		(void)snprintf(l->path, sizeof(l->path), "/dev/loop%d", number);
		/* Set up through a descriptor that cannot write, it would be read-only. */
		device = open(l->path, O_RDWR | O_CLOEXEC);
		config.fd = (uint32_t)file;
		if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config) == 0) {
			l->fd = open(l->path, O_RDONLY | O_CLOEXEC);
			assert_true(loops_left_count < sizeof(loops_left) / sizeof(loops_left[0]));
			loops_left[loops_left_count++] = l->fd;
		}
		if (device >= 0)
			(void)close(device);
	}
	if (control >= 0)
		(void)close(control);
	if (file >= 0)
		(void)close(file);
	return l->fd >= 0;
}

static void loop_detach(struct loop *l)
{
	if (l->fd < 0)
		return;
	(void)ioctl(l->fd, LOOP_CLR_FD);
	(void)close(l->fd);
	for (size_t i = 0; i < loops_left_count; i++) {
		if (loops_left[i] == l->fd)
			loops_left[i] = loops_left[--loops_left_count];
	}
	l->fd = -1;
}

static void make_image(const char *name)
{
	int fd = open(in_dir(name), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, IMAGE_BYTES), 0);
	assert_int_equal(close(fd), 0);
}

static struct loop new_loop(const char *name)
{
	struct loop l;

	make_image(name);
	if (!loop_attach(&l, in_dir(name), 0)) {
		print_message("no free loop device: %s\n", strerror(errno));
		skip();
	}
	return l;
}

static void add_partition(const struct loop *l, int number, long long start, long long length)
{
	struct blkpg_partition part = { .start = start, .length = length, .pno = number };
	struct blkpg_ioctl_arg arg = { .op = BLKPG_ADD_PARTITION, .datalen = sizeof(part),
		.data = &part };

	assert_int_equal(ioctl(l->fd, BLKPG, &arg), 0);
}

static void delete_partition(const struct loop *l, int number)
{
	struct blkpg_partition part = { .pno = number };
	struct blkpg_ioctl_arg arg = { .op = BLKPG_DEL_PARTITION, .datalen = sizeof(part),
		.data = &part };

	assert_int_equal(ioctl(l->fd, BLKPG, &arg), 0);
}

static void set_up(const char *command, const char *path)
{
	assert_int_equal(run("PATH=$PATH:/sbin:/usr/sbin; %s '%s' >/dev/null 2>&1", command, path), 0);
}

static const char *partition_path(const struct loop *l, int number)
{
	static char path[80];

	(void)snprintf(path, sizeof(path), "%sp%d", l->path, number);
	return path;
}

static void end_child(void)
{
	if (child_left <= 0)
		return;
	(void)kill(child_left, SIGKILL);
	(void)waitpid(child_left, NULL, 0);
	child_left = 0;
}

static int tidy(void **state)
{
	(void)state;
	end_child();
	(void)umount2(in_dir("mnt"), MNT_DETACH);
	(void)umount2(in_dir("sp ace\nline"), MNT_DETACH);
	while (loops_left_count > 0) {
		int fd = loops_left[--loops_left_count];

		(void)ioctl(fd, LOOP_CLR_FD);
		(void)close(fd);
	}
	return 0;
}

/* -- judging ----------------------------------------------------------------------------------- */

static int decide(const char *path, bool wipe, struct err *e)
{
	struct safety_consent consent = { .destroy_data = true, .wipe_signatures = wipe };
	struct safety_report report;
	struct target *t;
	int r;

	r = target_resolve(&here, path, &t, e);
	if (r < 0)
		return r;
	consent.confirm = safety_token(t);
	r = safety_inspect(&here, t, &report, e);
	if (r == 0) {
		r = safety_decide(t, &report, &consent, e);
		safety_report_done(&report);
	}
	target_free(t);
	return r;
}

/* Refused whatever is permitted, with @says among the words; NULL: allowed. */
static void expect(const char *path, const char *says)
{
	struct err e = ERR_INIT;
	int r = decide(path, true, &e);

	if (!says && r != 0)
		fail_msg("%s is free, but: %s", path, e.msg);
	if (says && (r != -EPERM || e.kind != ERR_REFUSED || !strstr(e.msg, says)))
		fail_msg("%s: want '%s', got %d '%s'", path, says, r, e.msg);
}

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
}

static void a_loop_device_is_free_and_its_file_is_not(void **state)
{
	struct loop l;

	(void)state;
	need_root();
	l = new_loop("a");
	expect(l.path, NULL);
	expect(in_dir("a"), "backs loop");
	assert_int_equal(link(in_dir("a"), in_dir("a-hard")), 0);
	expect(in_dir("a-hard"), "backs loop"); /* by inode, not by name */
	assert_int_equal(rename(in_dir("a"), in_dir("a-moved")), 0);
	expect(in_dir("a-moved"), "backs loop");
	loop_detach(&l);
	expect(in_dir("a-moved"), NULL);
}

static void a_file_attached_twice_protects_both_loop_devices(void **state)
{
	struct loop a, b;

	(void)state;
	need_root();
	a = new_loop("twice");
	assert_true(loop_attach(&b, in_dir("twice"), 0));
	set_up("mkfs.ext4 -q -F", a.path);
	assert_int_equal(mount(a.path, in_dir("mnt"), "ext4", 0, NULL), 0);
	expect(b.path, "mounted on");
	assert_int_equal(umount(in_dir("mnt")), 0);
	loop_detach(&a);
	loop_detach(&b);
}

static void a_device_below_a_loop_device_is_in_use_both_ways(void **state)
{
	struct loop a, b;

	(void)state;
	need_root();
	a = new_loop("below");
	assert_true(loop_attach(&b, a.path, 0));
	expect(a.path, "backs loop");
	set_up("mkfs.ext4 -q -F", a.path);
	assert_int_equal(mount(a.path, in_dir("mnt"), "ext4", 0, NULL), 0);
	expect(b.path, "mounted on");
	assert_int_equal(umount(in_dir("mnt")), 0);
	loop_detach(&b);
	loop_detach(&a);
}

static void a_mount_protects_under_any_name(void **state)
{
	struct loop l;
	char node[400];
	struct stat st;

	(void)state;
	need_root();
	l = new_loop("named");
	set_up("mkfs.ext4 -q -F", l.path);
	assert_int_equal(stat(l.path, &st), 0);
	(void)snprintf(node, sizeof(node), "%s", in_dir("odd name"));
	assert_int_equal(mknod(node, S_IFBLK | 0600, st.st_rdev), 0);
	assert_int_equal(mkdir(in_dir("sp ace\nline"), 0755), 0);
	assert_int_equal(mount(node, in_dir("sp ace\nline"), "ext4", 0, NULL), 0);
	expect(l.path, "mounted on");
	expect(node, "mounted on");
	assert_int_equal(symlink(l.path, in_dir("link")), 0);
	expect(in_dir("link"), "mounted on");
	assert_int_equal(umount(in_dir("sp ace\nline")), 0);
	expect(l.path, NULL);
	loop_detach(&l);
	assert_int_equal(unlink(node), 0);
}

/* A lazily detached mount is in no table; what keeps it is an open file. */
static void a_mount_that_no_table_shows_is_refused_at_the_open(void **state)
{
	struct err e = ERR_INIT;
	struct target *t;
	struct loop l;
	int keep, fd;

	(void)state;
	need_root();
	l = new_loop("lazy");
	set_up("mkfs.ext4 -q -F", l.path);
	assert_int_equal(mount(l.path, in_dir("mnt"), "ext4", 0, NULL), 0);
	keep = open(in_dir("mnt"), O_RDONLY | O_DIRECTORY);
	assert_true(keep >= 0);
	assert_int_equal(umount2(in_dir("mnt"), MNT_DETACH), 0);
	assert_int_equal(target_resolve(&here, l.path, &t, NULL), 0);
	assert_int_equal(target_open(t, O_RDWR, &fd, &e), -EBUSY);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_non_null(strstr(e.msg, "not visible from here"));
	target_free(t);
	assert_int_equal(close(keep), 0);
	loop_detach(&l);
}

/* A process in a mount namespace of its own, its root changed as well when @chrooted. */
static pid_t mount_elsewhere(const char *device, const char *point, bool chrooted)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	child_left = child;
	if (child == 0) {
		bool done = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
			unshare(CLONE_NEWNS) == 0 &&
			mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			mount(device, point, "ext4", 0, NULL) == 0 &&
			(!chrooted || (chroot(point) == 0 && chdir("/") == 0));

		if (write(ready[1], done ? "y" : "n", 1) != 1 || !done)
			_exit(1);
		for (;;)
			pause();
	}
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	assert_int_equal(byte, 'y');
	return child;
}

static void a_mount_in_another_namespace_protects(void **state)
{
	struct loop l;

	(void)state;
	need_root();
	l = new_loop("ns");
	set_up("mkfs.ext4 -q -F", l.path);
	for (int chrooted = 0; chrooted < 2; chrooted++) {
		(void)mount_elsewhere(l.path, in_dir("mnt"), chrooted);
		expect(l.path, "in the mount namespace of process");
		end_child();
		expect(l.path, NULL);
	}
	loop_detach(&l);
}

/* Kept by a bind mount of its file in /proc alone, a namespace shows itself to nobody. */
static void a_namespace_without_processes_is_refused_at_the_open(void **state)
{
	struct err e = ERR_INIT;
	struct target *t;
	struct loop l;
	char link[64];
	pid_t child;
	int keep, fd;

	(void)state;
	need_root();
	l = new_loop("nsfs");
	set_up("mkfs.ext4 -q -F", l.path);
	child = mount_elsewhere(l.path, in_dir("mnt"), false);
	(void)snprintf(link, sizeof(link), "/proc/%d/ns/mnt", (int)child);
	keep = open(link, O_RDONLY | O_CLOEXEC); /* holds it like a bind mount does */
	assert_true(keep >= 0);
	end_child();
	assert_int_equal(target_resolve(&here, l.path, &t, NULL), 0);
	assert_int_equal(target_open(t, O_RDWR, &fd, &e), -EBUSY);
	assert_int_equal(e.kind, ERR_REFUSED);
	target_free(t);
	assert_int_equal(close(keep), 0);
	/* the namespace goes away in the background */
	for (int i = 0; i < 500 && decide(l.path, true, NULL) != 0; i++)
		(void)usleep(10000);
	loop_detach(&l);
}

static void swap_protects_device_and_file(void **state)
{
	struct loop l;

	(void)state;
	need_root();
	l = new_loop("swap");
	set_up("mkswap", l.path);
	if (swapon(l.path, 0) < 0) {
		loop_detach(&l);
		print_message("swapon: %s\n", strerror(errno));
		skip();
	}
	expect(l.path, "swap loop");
	assert_int_equal(swapoff(l.path), 0);
	expect(l.path, NULL);
	loop_detach(&l);

	assert_int_equal(run("head -c 4194304 /dev/zero > '%s'", in_dir("swap file")), 0);
	set_up("chmod 600", in_dir("swap file"));
	set_up("mkswap", in_dir("swap file"));
	if (swapon(in_dir("swap file"), 0) < 0) {
		print_message("swapon of a file: %s\n", strerror(errno));
		return;
	}
	expect(in_dir("swap file"), "in use as swap space");
	assert_int_equal(swapoff(in_dir("swap file")), 0);
	expect(in_dir("swap file"), NULL);
}

static void partitions_and_their_disk_protect_each_other(void **state)
{
	struct loop l;

	(void)state;
	need_root();
	l = new_loop("parts");
	add_partition(&l, 1, 1 << 20, 12 << 20);
	add_partition(&l, 2, 16 << 20, 12 << 20);
	if (access(partition_path(&l, 1), F_OK) < 0) {
		delete_partition(&l, 1);
		delete_partition(&l, 2);
		loop_detach(&l);
		print_message("no node is made for a partition here\n");
		skip();
	}
	expect(l.path, NULL);
	set_up("mkfs.ext4 -q -F", partition_path(&l, 1));
	assert_int_equal(mount(partition_path(&l, 1), in_dir("mnt"), "ext4", 0, NULL), 0);
	expect(l.path, "p1 mounted on");
	expect(partition_path(&l, 1), "p1 mounted on");
	expect(partition_path(&l, 2), NULL); /* a sibling */
	assert_int_equal(umount(in_dir("mnt")), 0);

	set_up("mkfs.ext4 -q -F", l.path);
	assert_int_equal(mount(l.path, in_dir("mnt"), "ext4", 0, NULL), 0);
	expect(partition_path(&l, 2), "mounted on"); /* the whole disk */
	assert_int_equal(umount(in_dir("mnt")), 0);
	expect(partition_path(&l, 2), "ext4 signature"); /* of the whole disk: not overridden */
	delete_partition(&l, 1);
	delete_partition(&l, 2);
	loop_detach(&l);
}

static void a_process_that_writes_protects(void **state)
{
	struct loop l;
	char ready;
	pid_t child;
	int sync_pipe[2];

	(void)state;
	need_root();
	l = new_loop("open");
	assert_int_equal(pipe(sync_pipe), 0);
	child = fork();
	assert_true(child >= 0);
	child_left = child;
	if (child == 0) {
		int fd = open(l.path, O_RDWR); /* not exclusive, as a virtual machine does it */

		if (fd < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || write(sync_pipe[1], "y", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(sync_pipe[0], &ready, 1), 1);
	expect(l.path, "open for writing in process");
	end_child();
	(void)close(sync_pipe[0]);
	(void)close(sync_pipe[1]);
	expect(l.path, NULL);
	loop_detach(&l);
}

static void a_read_only_device_is_told_so(void **state)
{
	struct loop l;

	(void)state;
	need_root();
	make_image("ro");
	if (!loop_attach(&l, in_dir("ro"), LO_FLAGS_READ_ONLY))
		skip();
	expect(l.path, "is read-only");
	loop_detach(&l);
}

/* -- signatures -------------------------------------------------------------------------------- */

static void signatures_block_until_wiped_and_wiping_is_proven(void **state)
{
	static const struct {
		const char *make, *says;
	} rows[] = {
		{ "mkfs.ext4 -q -F", "ext4 signature" },
		{ "mkswap", "swap signature" },
		{ "echo 'label: gpt' | sfdisk -q", "gpt partition table" },
		{ "printf 'label: dos\\n,1M\\n' | sfdisk -q", "dos partition table" },
		{ "f() { printf 'bluestore block device\\n0000-1111\\n' | dd bs=4k conv=sync of=$1 ; }; f",
			"bluestore" },
		{ "f() { printf 'LABELONE' | dd bs=512 seek=1 of=$1; }; f", NULL }, /* no PV: no sum */
	};

	size_t made = 0;

	(void)state;
	need_root();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct loop l = new_loop("sig");
		struct err e = ERR_INIT;
		struct target *t;
		int fd, r;

		if (run("PATH=$PATH:/sbin:/usr/sbin; %s %s >/dev/null 2>&1", rows[i].make, l.path)) {
			print_message("cannot make: %s\n", rows[i].make);
			loop_detach(&l);
			continue;
		}
		made++;
		r = decide(l.path, false, &e);
		if (rows[i].says && (r != -EPERM || !strstr(e.msg, rows[i].says) ||
				!strstr(e.msg, "--wipe-signatures")))
			fail_msg("%s: want '%s', got %d '%s'", rows[i].make, rows[i].says, r, e.msg);
		assert_int_equal(decide(l.path, true, NULL), 0);
		assert_int_equal(target_resolve(&here, l.path, &t, NULL), 0);
		r = target_open(t, O_RDWR | O_DIRECT, &fd, &e);
		if (r == 0)
			r = safety_wipe_signatures(t, fd, &e);
		if (r < 0)
			fail_msg("%s: %s", rows[i].make, e.msg);
		assert_true(fcntl(fd, F_GETFL) & O_DIRECT);
		assert_int_equal(close(fd), 0);
		target_free(t);
		assert_int_equal(decide(l.path, false, &e), 0);
		loop_detach(&l);
	}
	assert_true(made >= 3); /* dd and mkswap are everywhere */
}

static void signatures_inside_partitions_block_the_disk_and_are_wiped(void **state)
{
	struct err e = ERR_INIT;
	struct target *t;
	struct loop l;
	int fd;

	(void)state;
	need_root();
	l = new_loop("inner");
	add_partition(&l, 1, 1 << 20, 12 << 20);
	if (access(partition_path(&l, 1), F_OK) == 0) {
		set_up("mkfs.ext4 -q -F", partition_path(&l, 1));
		assert_int_equal(decide(l.path, false, &e), -EPERM);
		assert_non_null(strstr(e.msg, "p1: ext4 signature"));
		assert_int_equal(target_resolve(&here, l.path, &t, NULL), 0);
		assert_int_equal(target_open(t, O_RDWR, &fd, NULL), 0);
		assert_int_equal(safety_wipe_signatures(t, fd, &e), 0);
		assert_int_equal(close(fd), 0);
		target_free(t);
		assert_int_equal(decide(l.path, false, &e), 0);
	}
	delete_partition(&l, 1);
	loop_detach(&l);
}

static void looking_changes_no_byte(void **state)
{
	struct loop l;
	char before[65] = "", after[65] = "";
	FILE *sum;

	(void)state;
	need_root();
	l = new_loop("bytes");
	set_up("mkfs.ext4 -q -F", l.path);
	assert_int_equal(run("sha256sum < %s > '%s'", l.path, in_dir("before")), 0);
	assert_int_equal(decide(l.path, false, NULL), -EPERM);
	assert_int_equal(decide(l.path, true, NULL), 0);
	assert_int_equal(run("sha256sum < %s > '%s'", l.path, in_dir("after")), 0);
	sum = fopen(in_dir("before"), "r");
	assert_non_null(sum);
	assert_non_null(fgets(before, sizeof(before), sum));
	assert_int_equal(fclose(sum), 0);
	sum = fopen(in_dir("after"), "r");
	assert_non_null(sum);
	assert_non_null(fgets(after, sizeof(after), sum));
	assert_int_equal(fclose(sum), 0);
	assert_string_equal(before, after);
	loop_detach(&l);
}

/* -- between look and open ---------------------------------------------------------------------- */

static void a_device_that_became_another_is_not_opened(void **state)
{
	struct err e = ERR_INIT;
	struct target *t;
	struct loop l;
	char path[64];
	int fd;

	(void)state;
	need_root();
	l = new_loop("first");
	strcpy(path, l.path);
	assert_int_equal(target_resolve(&here, path, &t, NULL), 0);
	loop_detach(&l);
	make_image("second");
	if (!loop_attach(&l, in_dir("second"), 0) || strcmp(path, l.path) != 0) {
		loop_detach(&l);
		target_free(t);
		skip(); /* another process took the number */
	}
	assert_int_equal(target_open(t, O_RDWR, &fd, &e), -ESTALE); /* same number, same size */
	assert_non_null(strstr(e.msg, "changed since"));
	target_free(t);
	loop_detach(&l);
}

static void mounted_between_look_and_open_is_refused(void **state)
{
	struct err e = ERR_INIT;
	struct target *t;
	struct loop l;
	int fd;

	(void)state;
	need_root();
	l = new_loop("race");
	set_up("mkfs.ext4 -q -F", l.path);
	assert_int_equal(target_resolve(&here, l.path, &t, NULL), 0);
	assert_int_equal(decide(l.path, true, NULL), 0);
	assert_int_equal(mount(l.path, in_dir("mnt"), "ext4", 0, NULL), 0);
	assert_int_equal(target_open(t, O_RDWR, &fd, &e), -EBUSY);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_int_equal(umount(in_dir("mnt")), 0);
	target_free(t);
	loop_detach(&l);
}

static void the_machines_own_disk_is_refused(void **state)
{
	char path[128] = "/dev/";
	struct target *t;

	(void)state;
	assert_int_equal(target_resolve(&here, "/", &t, NULL), 0);
	if (!json_str(json_path(t->identity, "file_system.device"))) {
		target_free(t);
		skip(); /* the root file system is on no device of this machine */
	}
	(void)snprintf(path, sizeof(path), "/dev/%s",
		json_str(json_path(t->identity, "file_system.device")));
	target_free(t);
	expect(path, "mounted on /");
}

static int make_dir(void **state)
{
	char template[] = "build/test-safety.XXXXXX";

	(void)state;
	(void)mkdir("build", 0755);
	return mkdtemp(template) && realpath(template, dir) && mkdir(in_dir("mnt"), 0755) == 0 ?
		0 : -1;
}

static int drop_dir(void **state)
{
	(void)state;
	return run("rm -rf '%s'", dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_loop_device_is_free_and_its_file_is_not, tidy),
		cmocka_unit_test_teardown(a_file_attached_twice_protects_both_loop_devices, tidy),
		cmocka_unit_test_teardown(a_device_below_a_loop_device_is_in_use_both_ways, tidy),
		cmocka_unit_test_teardown(a_mount_protects_under_any_name, tidy),
		cmocka_unit_test_teardown(a_mount_that_no_table_shows_is_refused_at_the_open, tidy),
		cmocka_unit_test_teardown(a_mount_in_another_namespace_protects, tidy),
		cmocka_unit_test_teardown(a_namespace_without_processes_is_refused_at_the_open, tidy),
		cmocka_unit_test_teardown(swap_protects_device_and_file, tidy),
		cmocka_unit_test_teardown(partitions_and_their_disk_protect_each_other, tidy),
		cmocka_unit_test_teardown(a_process_that_writes_protects, tidy),
		cmocka_unit_test_teardown(a_read_only_device_is_told_so, tidy),
		cmocka_unit_test_teardown(signatures_block_until_wiped_and_wiping_is_proven, tidy),
		cmocka_unit_test_teardown(signatures_inside_partitions_block_the_disk_and_are_wiped, tidy),
		cmocka_unit_test_teardown(looking_changes_no_byte, tidy),
		cmocka_unit_test_teardown(a_device_that_became_another_is_not_opened, tidy),
		cmocka_unit_test_teardown(mounted_between_look_and_open_is_refused, tidy),
		cmocka_unit_test_teardown(the_machines_own_disk_is_refused, tidy),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
