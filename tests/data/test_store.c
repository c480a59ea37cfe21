/* test_store.c - data/store.h: whole or not at all, whatever fails and whenever it is killed.
 *
 * The store_io functions below stand in for data/store_io.c: they count calls, make the Nth one
 * fail, and otherwise do what the real ones do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "data/store.h"
#include "data/store_io.h"
#include "data/store_name.h"

static unsigned calls, fail_at; /* fail_at 0: never */
static unsigned kill_at;        /* SIGKILL instead of this call; 0: never */
static int fail_with;
static bool no_replace_flag; /* a file system without RENAME_NOREPLACE */

static bool fails(void)
{
	if (++calls == kill_at)
		(void)raise(SIGKILL); /* does not return */
	if (calls != fail_at)
		return false;
	errno = fail_with;
	return true;
}

int store_io_open(const char *path, int flags, mode_t mode)
{
	return fails() ? -1 : open(path, flags, mode);
}

ssize_t store_io_write(int fd, const void *data, size_t len)
{
	if (fails())
		return -1;
	return write(fd, data, len > 100 ? len / 2 : len); /* short writes are allowed */
}

int store_io_fsync(int fd)
{
	return fails() ? -1 : fsync(fd);
}

int store_io_close(int fd)
{
	bool f = fails();

	(void)close(fd); /* Linux frees the number also when close fails */
	if (f)
		errno = fail_with;
	return f ? -1 : 0;
}

int store_io_rename(const char *from, const char *to)
{
	return fails() ? -1 : rename(from, to);
}

int store_io_rename_new(const char *from, const char *to)
{
	if (fails())
		return -1;
	if (!no_replace_flag)
		return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
	return link(from, to) < 0 ? -1 : unlink(from);
}

int store_io_unlink(const char *path)
{
	return unlink(path); /* cleaning up after a failure is allowed to work */
}

int store_io_mkdir(const char *path, mode_t mode)
{
	return fails() ? -1 : mkdir(path, mode);
}

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/ssdqual-store-XXXXXX");
	calls = fail_at = kill_at = 0;
	no_replace_flag = false;
	return mkdtemp(folder) ? 0 : -1;
}

static void remove_tree(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char below[512];

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		(void)snprintf(below, sizeof(below), "%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			remove_tree(below);
		else
			(void)unlink(below);
	}
	if (d)
		(void)closedir(d);
	(void)rmdir(path);
}

static int remove_folder(void **state)
{
	(void)state;
	remove_tree(folder);
	return 0;
}

static size_t count_files(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (d)
		(void)closedir(d);
	return n;
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = strdup("");
	}
	(void)fclose(f);
	return text;
}

static struct result *sample(const char *model, const char *serial)
{
	struct result *r = result_new();

	assert_non_null(r);
	if (model)
		assert_int_equal(json_set_str(result_section(r, "target"), "model", model), 0);
	if (serial)
		assert_int_equal(json_set_str(result_section(r, "target"), "serial", serial), 0);
	assert_int_equal(json_set_str(result_section(r, "target"), "path", "/dev/sdx"), 0);
	return r;
}

static void names_carry_the_facts_of_a_list(void **state)
{
	static const struct {
		const char *model, *serial, *battery, *stem;
	} rows[] = {
		{ "SAMSUNG MZ7L3", "S6AB C/D", "ceph", "SAMSUNG-MZ7L3-S6AB-C-D_20261130T125752Z_ceph" },
		{ NULL, NULL, "etcd", "dev-sdx_20261130T125752Z_etcd" },
		{ NULL, "__..\xff\xfe", "sync-size", "dev-sdx_20261130T125752Z_sync-size" },
		{ "a_b_20200101T000000Z_c", "", "x_y", "a-b-20200101T000000Z-c_20261130T125752Z_x-y" },
		{ "../../etc", "1", NULL, "etc-1_20261130T125752Z_run" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result *r = sample(rows[i].model, rows[i].serial);
		char *stem = store_name_stem(json_get(r->doc, "target"), 1796043472, rows[i].battery);
		char *path = store_name_path("f", stem, 12);
		struct store_entry e;

		assert_string_equal(stem, rows[i].stem);
		assert_int_equal(store_name_read(path + 2, &e), 1);
		assert_string_equal(e.utc, "20261130T125752Z");
		assert_int_equal(e.number, 12);
		assert_true(strncmp(stem, e.target, strlen(e.target)) == 0);
		free(e.target);
		free(e.battery);
		free(path);
		free(stem);
		result_free(r);
	}
}

static void other_files_are_no_results(void **state)
{
	static const char *const names[] = { "", ".json", "a.json", "a_b.json", "a_b_c.json",
		"_20261130T125752Z_ceph.json", "x_20261130T125752Z_.json",
		"x_20261130T125752Z_ceph", ".ssdqual-1-1.tmp", "x_2026113AT125752Z_ceph.json",
		".x_20261130T125752Z_ceph.json" };
	struct store_entry e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(store_name_read(names[i], &e), 0);
}

static void saving_never_overwrites_and_lists_newest_first(void **state)
{
	struct result *r = sample("SSD", "1");
	struct store_list l;
	struct err e = ERR_INIT;
	char *path[4], deep[96];

	(void)state;
	(void)snprintf(deep, sizeof(deep), "%s/a/b", folder);
	assert_int_equal(store_list_results(deep, &l, &e), 0);
	assert_int_equal(l.count, 0);
	for (int i = 0; i < 4; i++) {
		no_replace_flag = i == 2;
		if (store_save(r, deep, i == 3 ? 60 : 0, "ceph", &path[i], &e) != 0)
			fail_msg("%s", e.msg);
	}
	assert_non_null(strstr(path[0], "/SSD-1_19700101T000000Z_ceph.json"));
	assert_non_null(strstr(path[1], "/SSD-1_19700101T000000Z_ceph.2.json"));
	assert_non_null(strstr(path[2], "/SSD-1_19700101T000000Z_ceph.3.json"));
	assert_int_equal(count_files(deep), 4);
	assert_int_equal(store_list_results(deep, &l, &e), 0);
	assert_int_equal(l.count, 4);
	assert_string_equal(l.entry[0].path, path[3]);
	assert_string_equal(l.entry[1].path, path[2]);
	assert_string_equal(l.entry[3].path, path[0]);
	assert_string_equal(l.entry[0].target, "SSD-1");
	assert_string_equal(l.entry[0].battery, "ceph");
	store_list_done(&l);
	for (int i = 0; i < 4; i++) {
		struct result *back = NULL;

		assert_int_equal(result_load(path[i], &back, &e), 0);
		result_free(back);
		free(path[i]);
	}
	result_free(r);
}

/* Fails call 1, 2, 3, ... of replacing a file until nothing fails any more. */
static void a_failed_write_leaves_the_old_file(void **state)
{
	static const int codes[] = { ENOSPC, EIO, EROFS, EACCES };
	char path[96], *text;
	struct err e;
	int r = -1;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/x.json", folder);
	assert_int_equal(store_write_file(path, "old", 3, &e), 0);
	for (unsigned n = 1; r != 0; n++) {
		char data[1000];

		assert_in_range(n, 1, 50);
		memset(data, 'n', sizeof(data));
		calls = 0;
		fail_at = n;
		fail_with = codes[n % 4];
		e = (struct err)ERR_INIT;
		r = store_write_file(path, data, sizeof(data), &e);
		fail_at = 0;
		text = read_file(path);
		assert_non_null(text);
		if (r != 0) {
			assert_int_equal(e.kind, ERR_DEVICE);
			assert_non_null(strstr(e.msg, path));
			assert_int_equal(r, -codes[n % 4]);
		}
		/* After the rename only the fsync of the folder can fail: new, whole. */
		assert_true((r != 0 && strcmp(text, "old") == 0) ||
			    (strlen(text) == sizeof(data) && text[sizeof(data) - 1] == 'n'));
		assert_int_equal(count_files(folder), 1);
		free(text);
		if (r != 0)
			assert_int_equal(store_write_file(path, "old", 3, &e), 0);
	}
}

static void a_failed_save_leaves_no_half_result(void **state)
{
	struct result *sampled = sample("SSD", "1");
	char deep[96];
	struct err e;
	int r = -1;

	(void)state;
	(void)snprintf(deep, sizeof(deep), "%s/results", folder);
	for (unsigned n = 1; r != 0; n++) {
		struct store_list l;
		char *path = NULL;

		assert_in_range(n, 1, 100);
		calls = 0;
		fail_at = n;
		fail_with = ENOSPC;
		r = store_save(sampled, deep, 0, "ceph", &path, &e);
		fail_at = 0;
		if (r != 0) {
			assert_int_equal(r, -ENOSPC);
			assert_non_null(strstr(e.msg, deep));
			assert_non_null(strstr(e.msg, "make room"));
			assert_null(path);
		}
		assert_int_equal(store_list_results(deep, &l, &e), 0);
		assert_int_equal(count_files(deep), l.count);
		for (size_t i = 0; i < l.count; i++) {
			struct result *back = NULL;

			assert_int_equal(result_load(l.entry[i].path, &back, &e), 0);
			result_free(back);
		}
		store_list_done(&l);
		free(path);
	}
	result_free(sampled);
}

static void refuses_what_is_no_file(void **state)
{
	char fifo[96], link[96], file[96], *text;
	struct err e = ERR_INIT;

	(void)state;
	(void)snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	(void)snprintf(link, sizeof(link), "%s/link", folder);
	(void)snprintf(file, sizeof(file), "%s/file", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(store_write_file(fifo, "x", 1, &e), -EINVAL);
	assert_int_equal(store_write_file(folder, "x", 1, &e), -EINVAL);
	assert_int_equal(store_write_file("/dev/null", "x", 1, &e), -EINVAL);
	assert_int_equal(store_write_file("/nonexistent/x", "x", 1, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "the folder must exist"));
	assert_int_equal(store_write_file(file, "1", 1, &e), 0);
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(store_write_file(link, "2", 1, &e), 0);
	text = read_file(file);
	assert_string_equal(text, "2");
	free(text);
}

static void the_mode_of_a_replaced_file_is_kept(void **state)
{
	char file[96];
	struct stat st;
	struct err e = ERR_INIT;

	(void)state;
	(void)snprintf(file, sizeof(file), "%s/file", folder);
	assert_int_equal(store_write_file(file, "1", 1, &e), 0);
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(store_write_file(file, "2", 1, &e), 0);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void old_temporary_files_are_removed_and_new_ones_kept(void **state)
{
	char old[96], new[96], other[96];
	struct utimbuf times = { 1000, 1000 };
	struct result *r = sample("SSD", "1");
	struct err e = ERR_INIT;

	(void)state;
	(void)snprintf(old, sizeof(old), "%s/.ssdqual-1-1.tmp", folder);
	(void)snprintf(new, sizeof(new), "%s/.ssdqual-2-1.tmp", folder);
	(void)snprintf(other, sizeof(other), "%s/notes.tmp", folder);
	assert_int_equal(store_write_file(old, "x", 1, &e), 0);
	assert_int_equal(store_write_file(new, "x", 1, &e), 0);
	assert_int_equal(store_write_file(other, "x", 1, &e), 0);
	assert_int_equal(utime(old, &times), 0);
	assert_int_equal(utime(other, &times), 0);
	assert_int_equal(store_save(r, folder, 0, "ceph", NULL, &e), 0);
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(access(new, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	result_free(r);
}

/* The file at @path is @size times the same letter, which is returned. */
static char whole_letter(const char *path, size_t size, const char *when)
{
	char *text = read_file(path), letter;

	assert_non_null(text);
	letter = text[0];
	if (strlen(text) != size || strspn(text, (char[]){ letter, '\0' }) != size)
		fail_msg("%s: %zu bytes, first %c", when, strlen(text), letter);
	free(text);
	return letter;
}

/* Killed before each of its system calls in turn: every step of the order of things. */
static void a_kill_at_any_step_leaves_the_old_or_the_new_file(void **state)
{
	enum { SIZE = 1000 };
	char path[96], when[32], data[SIZE];
	bool old_seen = false, new_seen = false;
	struct err e = ERR_INIT;
	int status = 1;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/x", folder);
	for (unsigned n = 1; status != 0; n++) {
		pid_t child;

		assert_in_range(n, 1, 50);
		memset(data, 'o', SIZE);
		assert_int_equal(store_write_file(path, data, SIZE, &e), 0);
		memset(data, 'n', SIZE);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			calls = 0;
			kill_at = n;
			_exit(store_write_file(path, data, SIZE, NULL) == 0 ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(status == 0 || WIFSIGNALED(status));
		(void)snprintf(when, sizeof(when), "killed at call %u", n);
		if (whole_letter(path, SIZE, when) == 'o')
			old_seen = true;
		else
			new_seen = true;
	}
	assert_true(old_seen && new_seen);
}

/* A child replaces a file with one text after another and is killed somewhere in between. */
static void a_kill_at_any_time_leaves_the_old_or_the_new_file(void **state)
{
	enum { SIZE = 100000, KILLS = 30 };
	static char data[SIZE];
	char path[96], when[32];
	unsigned seed = 7;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/x", folder);
	for (int kills = 0; kills < KILLS; kills++) {
		int ready[2];
		pid_t child;
		char c;

		assert_int_equal(pipe(ready), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			for (int i = kills;; i++) {
				memset(data, 'A' + i % 26, SIZE);
				if (store_write_file(path, data, SIZE, NULL) != 0 ||
					write(ready[1], "", 1) != 1)
					_exit(1);
			}
		}
		(void)close(ready[1]);
		assert_int_equal(read(ready[0], &c, 1), 1); /* it has written once */
		(void)usleep((useconds_t)(rand_r(&seed) % 6000));
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(waitpid(child, NULL, 0), child);
		(void)close(ready[0]);
		(void)snprintf(when, sizeof(when), "kill %d (seed 7)", kills);
		(void)whole_letter(path, SIZE, when);
	}
}

static void users_and_root_have_their_own_folders(void **state)
{
	struct err e = ERR_INIT;
	char *path = NULL;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(setenv("XDG_DATA_HOME", "/home/u/data", 1), 0);
	assert_int_equal(setenv("HOME", "/home/u", 1), 0);
	assert_int_equal(store_folder(&path, &e), 0);
	assert_string_equal(path, geteuid() == 0 ? "/var/lib/ssdqual/results"
						 : "/home/u/data/ssdqual/results");
	free(path);
	if (geteuid() != 0)
		return;
	child = fork();
	if (child == 0) {
		bool ok = setuid(65534) == 0;

		ok = ok && store_folder(&path, &e) == 0 &&
		     strcmp(path, "/home/u/data/ssdqual/results") == 0;
		free(path);
		ok = ok && setenv("XDG_DATA_HOME", "relative", 1) == 0 &&
		     store_folder(&path, &e) == 0 &&
		     strcmp(path, "/home/u/.local/share/ssdqual/results") == 0;
		free(path);
		ok = ok && unsetenv("HOME") == 0 && store_folder(&path, &e) == -ENOENT &&
		     e.kind == ERR_USAGE;
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_carry_the_facts_of_a_list),
		cmocka_unit_test(other_files_are_no_results),
		IN_FOLDER(saving_never_overwrites_and_lists_newest_first),
		IN_FOLDER(a_failed_write_leaves_the_old_file),
		IN_FOLDER(a_failed_save_leaves_no_half_result),
		IN_FOLDER(refuses_what_is_no_file),
		IN_FOLDER(the_mode_of_a_replaced_file_is_kept),
		IN_FOLDER(old_temporary_files_are_removed_and_new_ones_kept),
		IN_FOLDER(a_kill_at_any_step_leaves_the_old_or_the_new_file),
		IN_FOLDER(a_kill_at_any_time_leaves_the_old_or_the_new_file),
		cmocka_unit_test(users_and_root_have_their_own_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
