/* test_cacheguard.c - a killed process, a deaf drive, a full disk: the cache can be put back.
 *
 * Drive and kernel (wc_sim.h) live in memory shared with a child, which is killed before or after
 * its Nth step: a command, an attribute, a system call of the journal.
 */
#include "probes/cacheguard.h"

#include "data/json.h"
#include "data/store_io.h"
#include "tests/probes/wc_sim.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { KILL_STEPS = 400 };

/* In memory that survives the child. */
static struct world {
	struct sim sim;
	unsigned step, kill_at; /* 0: never */
	bool changed_unrecorded; /* the drive was told to change with no durable entry */
	unsigned pending_syncs; /* renamed, the folder not yet synced */
	unsigned durable;       /* entries */
} *world;

static void step(void)
{
	if (++world->step == world->kill_at)
		(void)raise(SIGKILL);
}

/* -- the journal's system calls ------------------------------------------------------------- */

int store_io_open(const char *path, int flags, mode_t mode)
{
	return open(path, flags, mode);
}

ssize_t store_io_write(int fd, const void *data, size_t len)
{
	step();
	/* A kill in the middle of a write. */
	if (world->kill_at == world->step + 1 && len > 1)
		len /= 2;
	return write(fd, data, len);
}

int store_io_fsync(int fd)
{
	struct stat st;

	step();
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		world->durable += world->pending_syncs;
		world->pending_syncs = 0;
	}
	return 0; /* the machine does not go down here */
}

int store_io_close(int fd)
{
	return close(fd);
}

int store_io_rename(const char *from, const char *to)
{
	int r;

	step();
	r = rename(from, to);
	world->pending_syncs++;
	step();
	return r;
}

int store_io_rename_new(const char *from, const char *to)
{
	return store_io_rename(from, to);
}

int store_io_unlink(const char *path)
{
	int r;

	step();
	r = unlink(path);
	step();
	return r;
}

int store_io_mkdir(const char *path, mode_t mode)
{
	step();
	return mkdir(path, mode);
}

/* -- drive and kernel, with steps ----------------------------------------------------------- */

static void watch_change(unsigned changes)
{
	if (world->sim.changes != changes && world->durable == 0)
		world->changed_unrecorded = true;
}

static int watched_scsi(void *ctx, struct devio_scsi *c, struct err *reterr)
{
	unsigned changes = world->sim.changes;
	int r;

	step();
	r = sim_scsi(ctx, c, reterr);
	watch_change(changes);
	step();
	return r;
}

static int watched_nvme(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	unsigned changes = world->sim.changes;
	int r;

	step();
	r = sim_nvme(ctx, c, reterr);
	watch_change(changes);
	step();
	return r;
}

static int watched_read(void *ctx, enum wc_attr attr, char *buf, size_t size)
{
	step();
	return sim_read(ctx, attr, buf, size);
}

static int watched_write(void *ctx, enum wc_attr attr, const char *text)
{
	unsigned changes = world->sim.changes;
	int r;

	step();
	r = sim_write(ctx, attr, text);
	watch_change(changes);
	step();
	return r;
}

static const struct devio_ops watched_scsi_ops = { .name = "watched", .scsi = watched_scsi,
	.close = sim_close };
static const struct devio_ops watched_nvme_ops = { .name = "watched", .nvme_admin = watched_nvme,
	.close = sim_close };
static const struct wc_kernel_ops watched_kernel = { .read = watched_read,
	.write = watched_write };

static char base[64], folder[80];
static struct devio io;

static struct cacheguard *guard(void)
{
	struct cacheguard *g = NULL;
	struct json *drive = json_new_object();
	struct wc_dev dev = { .io = &io, .kernel = &watched_kernel, .kernel_ctx = &world->sim };

	(void)json_set_str(drive, "model", "ACME S1");
	(void)json_set_str(drive, "serial", "A1");
	io = (struct devio){ .ops = world->sim.kind == SIM_NVME ? &watched_nvme_ops :
		&watched_scsi_ops, .ctx = &world->sim };
	if (cacheguard_new(folder, drive, &dev, &g, NULL) < 0)
		return NULL;
	return g;
}

static int make_base(void **state)
{
	(void)state;
	(void)snprintf(base, sizeof(base), "/tmp/ssdqual-test-guard-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	(void)snprintf(folder, sizeof(folder), "%s/state", base);
	world = mmap(
		NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return world == MAP_FAILED ? -1 : 0;
}

static void clear_folder(void)
{
	struct dirent *e;
	DIR *d = opendir(folder);

	while (d && (e = readdir(d)))
		(void)unlinkat(dirfd(d), e->d_name, 0); /* "." and ".." stay */
	if (d)
		(void)closedir(d);
	(void)rmdir(folder);
}

static int remove_base(void **state)
{
	char command[128];

	(void)state;
	(void)munmap(world, sizeof(*world));
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command);
}

static void begin(enum sim_kind kind, bool on, unsigned kill_at)
{
	*world = (struct world){ .sim = { .kind = kind, .on = on, .saved = on, .initial = true,
		.queue_back = on, .sd_back = on }, .kill_at = kill_at };
}

static size_t entries(enum journal_kind kind)
{
	struct journal_list l;
	size_t n = 0;

	assert_int_equal(journal_read(folder, &l, NULL), 0);
	for (size_t i = 0; i < l.count; i++) {
		assert_int_equal(l.entry[i].damage.code, 0);
		n += l.entry[i].kind == kind;
	}
	journal_list_done(&l);
	return n;
}

static bool as_at_first(bool on)
{
	return world->sim.on == on && world->sim.saved == on && world->sim.queue_back == on;
}

/* What a run does: off, on, off, back. */
static int a_run(void)
{
	struct cacheguard *g = guard();
	int r = -1;

	if (g && cacheguard_set(g, false, "run", NULL) >= 0 &&
		cacheguard_set(g, true, "run", NULL) >= 0 &&
		cacheguard_set(g, false, "run", NULL) >= 0)
		r = cacheguard_restore(g, NULL);
	cacheguard_free(g);
	return r < 0 ? 1 : 0;
}

/* -- tests ---------------------------------------------------------------------------------- */

static void a_run_leaves_the_drive_as_it_was(void **state)
{
	(void)state;
	for (int kind = 0; kind < SIM_KINDS; kind++)
		for (int on = 0; on < 2; on++) {
			clear_folder();
			begin((enum sim_kind)kind, on, 0);
			assert_int_equal(a_run(), 0);
			assert_int_equal(world->sim.on, on);
			assert_int_equal(
				world->sim.saved, kind == SIM_SCSI ? on : world->sim.saved);
			assert_false(world->sim.unsafe);
			assert_false(world->changed_unrecorded);
			assert_int_equal(entries(JOURNAL_CHANGE), 0);
			assert_int_equal(entries(JOURNAL_PREVIOUS), 0);
		}
}

/* After a kill anywhere: the drive is as before, or an entry says how it was and a restore by a new
 * process puts it back. */
static bool survives_kill(enum sim_kind kind, bool on, unsigned at)
{
	struct cacheguard *g;
	enum journal_kind which;
	struct err e = ERR_INIT;
	int status, r;
	pid_t pid;

	clear_folder();
	begin(kind, on, at);
	pid = fork();
	if (pid == 0)
		_exit(a_run());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	world->kill_at = 0;
	assert_false(world->changed_unrecorded);
	assert_false(world->sim.unsafe);
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return false;
	}
	g = guard();
	assert_non_null(g);
	r = cacheguard_adopt(g, &which, &e);
	if (r == 0) {
		assert_int_equal(which, JOURNAL_CHANGE);
		if (cacheguard_restore(g, &e) < 0)
			fail_msg("kind %d, killed at %u: %s", kind, at, e.msg);
	} else {
		assert_int_equal(r, -ENOENT);
	}
	cacheguard_free(g);
	if (world->sim.on != on || (kind == SIM_SCSI && !as_at_first(on)))
		fail_msg("kind %d, killed at %u: not as before:%s", kind, at, world->sim.log);
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
	return true;
}

static void a_kill_at_any_step_can_be_mended(void **state)
{
	unsigned kills = 0;

	(void)state;
	for (int kind = 0; kind < SIM_KINDS; kind++)
		for (int on = kind == SIM_SCSI ? 0 : 1; on < 2; on++) {
			unsigned at = 1;

			while (at < KILL_STEPS && survives_kill((enum sim_kind)kind, on, at)) {
				kills++;
				at++;
			}
			assert_true(at < KILL_STEPS);
		}
	assert_true(kills > 300);
	print_message("killed %u times\n", kills);
}

static void a_second_change_keeps_the_oldest_record(void **state)
{
	struct cacheguard *g;
	enum journal_kind which;

	(void)state;
	begin(SIM_SCSI, true, 0);
	g = guard();
	assert_int_equal(cacheguard_set(g, false, "run", NULL), 0);
	cacheguard_free(g); /* as if killed: nothing was put back */
	assert_int_equal(entries(JOURNAL_CHANGE), 1);
	g = guard();
	assert_int_equal(cacheguard_set(g, false, "run", NULL), 1);
	assert_int_equal(cacheguard_before(g)->drive, WC_DRIVE_ON);
	cacheguard_free(g);
	assert_int_equal(entries(JOURNAL_CHANGE), 1);
	g = guard();
	assert_int_equal(cacheguard_adopt(g, &which, NULL), 0);
	assert_int_equal(cacheguard_restore(g, NULL), 0);
	cacheguard_free(g);
	assert_true(as_at_first(true));
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
}

static void a_deliberate_change_is_not_pending_and_can_be_undone(void **state)
{
	struct cacheguard *g;
	enum journal_kind which;

	(void)state;
	begin(SIM_ATA, true, 0);
	g = guard();
	assert_int_equal(cacheguard_set(g, false, "cache", NULL), 0);
	assert_int_equal(cacheguard_keep(g, "cache", NULL), 0);
	cacheguard_free(g);
	assert_false(world->sim.on);
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
	assert_int_equal(entries(JOURNAL_PREVIOUS), 1);
	/* A run in between puts back what it found, and leaves the older state restorable. */
	assert_int_equal(a_run(), 0);
	assert_false(world->sim.on);
	assert_int_equal(entries(JOURNAL_PREVIOUS), 1);
	g = guard();
	assert_int_equal(cacheguard_adopt(g, &which, NULL), 0);
	assert_int_equal(which, JOURNAL_PREVIOUS);
	assert_int_equal(cacheguard_restore(g, NULL), 0);
	cacheguard_free(g);
	assert_true(world->sim.on);
	assert_int_equal(entries(JOURNAL_PREVIOUS), 0);
	g = guard();
	assert_int_equal(cacheguard_adopt(g, &which, NULL), -ENOENT);
	cacheguard_free(g);
}

static void going_back_by_hand_leaves_nothing_to_restore(void **state)
{
	struct cacheguard *g;

	(void)state;
	begin(SIM_ATA, true, 0);
	for (int on = 0; on < 2; on++) {
		g = guard();
		assert_int_equal(cacheguard_set(g, on, "cache", NULL), 0);
		assert_int_equal(cacheguard_keep(g, "cache", NULL), 0);
		cacheguard_free(g);
		assert_int_equal(entries(JOURNAL_PREVIOUS), on ? 0 : 1);
	}
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
}

static void a_drive_that_refuses_to_go_back_keeps_its_entry(void **state)
{
	static const enum sim_fault faults[] = { FAULT_GONE, FAULT_DEAF, FAULT_UNSUPPORTED };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (int kind = 0; kind < SIM_KINDS; kind++) {
			struct err e = ERR_INIT;
			struct cacheguard *g;

			clear_folder();
			begin((enum sim_kind)kind, true, 0);
			g = guard();
			assert_int_equal(cacheguard_set(g, false, "run", NULL), 0);
			world->sim.fault = faults[i];
			world->sim.fault_at = world->sim.step + 1;
			assert_true(cacheguard_restore(g, &e) < 0);
			assert_non_null(strstr(e.msg, "cache --all restore"));
			assert_non_null(strstr(e.msg, "serial A1"));
			assert_int_equal(entries(JOURNAL_CHANGE), 1);
			cacheguard_free(g);
			assert_false(world->sim.unsafe);
			/* It comes to its senses. */
			world->sim.fault = FAULT_NONE;
			g = guard();
			assert_true(cacheguard_set(g, false, "run", NULL) >= 0);
			assert_true(cacheguard_restore(g, NULL) >= 0);
			cacheguard_free(g);
			assert_true(world->sim.on);
			assert_int_equal(entries(JOURNAL_CHANGE), 0);
		}
}

static void without_a_journal_nothing_is_changed(void **state)
{
	struct err e = ERR_INIT;
	struct cacheguard *g;
	int fd;

	(void)state;
	begin(SIM_SCSI, true, 0);
	fd = open(folder, O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0600); /* a file is in the way */
	assert_true(fd >= 0);
	(void)close(fd);
	g = guard();
	assert_true(cacheguard_set(g, false, "run", &e) < 0);
	assert_non_null(strstr(e.msg, "nothing is changed without it"));
	assert_int_equal(world->sim.changes, 0);
	assert_int_equal(cacheguard_restore(g, NULL), 0);
	cacheguard_free(g);
}

static void a_drive_held_by_another_process_is_left_alone(void **state)
{
	struct cacheguard *mine, *theirs;
	struct err e = ERR_INIT;

	(void)state;
	begin(SIM_SCSI, true, 0);
	mine = guard();
	assert_int_equal(cacheguard_set(mine, false, "run", NULL), 0);
	theirs = guard(); /* another open file: flock tells them apart as it does processes */
	assert_int_equal(cacheguard_set(theirs, true, "cache", &e), -EBUSY);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_false(world->sim.on);
	cacheguard_free(theirs);
	assert_int_equal(cacheguard_restore(mine, NULL), 0);
	cacheguard_free(mine);
}

#define in_world(f) cmocka_unit_test_setup_teardown(f, make_base, remove_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_world(a_run_leaves_the_drive_as_it_was),
		in_world(a_kill_at_any_step_can_be_mended),
		in_world(a_second_change_keeps_the_oldest_record),
		in_world(a_deliberate_change_is_not_pending_and_can_be_undone),
		in_world(going_back_by_hand_leaves_nothing_to_restore),
		in_world(a_drive_that_refuses_to_go_back_keeps_its_entry),
		in_world(without_a_journal_nothing_is_changed),
		in_world(a_drive_held_by_another_process_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
