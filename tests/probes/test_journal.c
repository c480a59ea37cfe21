/* test_journal.c - entries that survive, locks, faults at every system call. */
#include "probes/journal.h"

#include "data/json.h"
#include "data/store_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* -- the system calls of the journal, counted; the Nth fails -------------------------------- */

static unsigned call_count, fail_at;
static char calls[256]; /* one letter a call */

static int fails(char letter)
{
	if (call_count < sizeof(calls) - 1)
		calls[call_count] = letter;
	if (++call_count != fail_at)
		return 0;
	errno = EIO;
	return 1;
}

int store_io_open(const char *path, int flags, mode_t mode)
{
	return fails(flags & O_DIRECTORY ? 'd' : 'o') ? -1 : open(path, flags, mode);
}

ssize_t store_io_write(int fd, const void *data, size_t len)
{
	return fails('w') ? -1 : write(fd, data, len);
}

int store_io_fsync(int fd)
{
	struct stat st;

	return fails(fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? 'D' : 'F') ? -1 : fsync(fd);
}

int store_io_close(int fd)
{
	int r = close(fd);

	return fails('c') ? -1 : r;
}

int store_io_rename(const char *from, const char *to)
{
	return fails('r') ? -1 : rename(from, to);
}

int store_io_rename_new(const char *from, const char *to)
{
	return fails('r') ? -1 : rename(from, to);
}

int store_io_unlink(const char *path)
{
	return fails('u') ? -1 : unlink(path);
}

int store_io_mkdir(const char *path, mode_t mode)
{
	return fails('m') ? -1 : mkdir(path, mode);
}

static void calls_begin(unsigned fail)
{
	memset(calls, 0, sizeof(calls));
	call_count = 0;
	fail_at = fail;
}

/* -- a folder, drives ----------------------------------------------------------------------- */

static char base[64], folder[80];

static int make_base(void **state)
{
	(void)state;
	(void)snprintf(base, sizeof(base), "/tmp/ssdqual-test-journal-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	(void)snprintf(folder, sizeof(folder), "%s/state", base);
	calls_begin(0);
	return 0;
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

static const char drive_a[] = "{\"path\": \"/dev/sda\", \"model\": \"ACME S1\", \"serial\": \"A1\","
	"\"wwn\": \"naa.5000000000000001\", \"capacity_bytes\": 1000, \"diskseq\": 7}";

static const struct wc_state was_on = { .method = WC_BY_ATA, .drive = WC_DRIVE_ON,
	.cache_type = WC_KERNEL_BACK, .queue = WC_KERNEL_BACK, .fua = FACT_NO };

static size_t entries(enum journal_kind kind)
{
	struct journal_list l;
	size_t n = 0;

	assert_int_equal(journal_read(folder, &l, NULL), 0);
	for (size_t i = 0; i < l.count; i++)
		n += !l.entry[i].damage.code && l.entry[i].kind == kind;
	journal_list_done(&l);
	return n;
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* -- entries -------------------------------------------------------------------------------- */

static void an_entry_comes_back_as_it_was_recorded(void **state)
{
	struct json *drive = parse(drive_a);
	const struct journal_entry *e;
	struct journal_list l;
	struct wc_state before = was_on;
	char *path = NULL;

	(void)state;
	before.saved = FACT_NO;
	before.rcd = before.saveable = true;
	assert_int_equal(
		journal_record(folder, JOURNAL_CHANGE, drive, &before, "run", &path, NULL), 0);
	assert_int_equal(journal_read(folder, &l, NULL), 0);
	assert_int_equal(l.count, 1);
	e = journal_lookup(&l, JOURNAL_CHANGE, drive);
	assert_non_null(e);
	assert_null(journal_lookup(&l, JOURNAL_PREVIOUS, drive));
	assert_string_equal(e->path, path);
	assert_string_equal(e->by, "run");
	assert_true(e->same_boot);
	assert_int_equal(e->before.drive, WC_DRIVE_ON);
	assert_int_equal(e->before.saved, FACT_NO);
	assert_int_equal(e->before.initial, FACT_UNKNOWN);
	assert_int_equal(e->before.method, WC_BY_ATA);
	assert_int_equal(e->before.queue, WC_KERNEL_BACK);
	assert_true(e->before.rcd && e->before.saveable);
	journal_list_done(&l);
	assert_int_equal(journal_remove(path, NULL), 0);
	assert_int_equal(journal_remove(path, NULL), 0);
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
	free(path);
	json_free(drive);
}

static void an_absent_folder_holds_no_entries(void **state)
{
	(void)state;
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
}

static void two_drives_of_one_serial_have_entries_of_their_own(void **state)
{
	struct json *drive = parse(drive_a);
	char *first = NULL, *second = NULL;

	(void)state;
	assert_int_equal(
		journal_record(folder, JOURNAL_CHANGE, drive, &was_on, "run", &first, NULL), 0);
	assert_int_equal(
		journal_record(folder, JOURNAL_CHANGE, drive, &was_on, "run", &second, NULL), 0);
	assert_string_not_equal(first, second);
	assert_int_equal(entries(JOURNAL_CHANGE), 2);
	free(first);
	free(second);
	json_free(drive);
}

/* The order on which everything rests: data, its fsync, the name, the folder's fsync. */
static void recording_is_durable_when_it_returns(void **state)
{
	struct json *drive = parse(drive_a);
	const char *file_synced, *renamed;
	char *path = NULL;

	(void)state;
	calls_begin(0);
	assert_int_equal(
		journal_record(folder, JOURNAL_CHANGE, drive, &was_on, "run", &path, NULL), 0);
	file_synced = strchr(calls, 'F');
	renamed = strchr(calls, 'r');
	assert_true(file_synced && renamed && strchr(calls, 'w') < file_synced);
	assert_true(file_synced < renamed);
	assert_non_null(strchr(renamed, 'D'));
	/* New folders' names are durable, too: one folder fsync each before the entry is written.
	 */
	assert_non_null(strchr(calls, 'D'));
	assert_true(strchr(calls, 'D') < file_synced);
	calls_begin(0);
	assert_int_equal(journal_remove(path, NULL), 0);
	assert_non_null(strchr(calls, 'u'));
	assert_non_null(strchr(strchr(calls, 'u'), 'D'));
	free(path);
	json_free(drive);
}

/* Fail the Nth call for N = 1, 2, ...: an error, and no half entry; nothing is left open or leaked.
 */
static void no_fault_while_recording_goes_unnoticed(void **state)
{
	struct json *drive = parse(drive_a);
	unsigned n, succeeded = 0;

	(void)state;
	for (n = 1; n < 60 && succeeded < 2; n++) {
		struct err e = ERR_INIT;
		struct journal_list l;
		char *path = NULL;
		int r;

		(void)remove_base(NULL);
		assert_int_equal(mkdir(base, 0700), 0);
		calls_begin(n);
		r = journal_record(folder, JOURNAL_CHANGE, drive, &was_on, "run", &path, &e);
		if (call_count < n)
			succeeded++;
		calls_begin(0);
		assert_int_equal(journal_read(folder, &l, NULL), 0);
		for (size_t i = 0; i < l.count; i++)
			assert_int_equal(l.entry[i].damage.code, 0);
		if (r == 0) {
			assert_int_equal(l.count, 1);
		} else {
			assert_null(path);
			assert_int_equal(e.code, r);
			assert_non_null(strstr(e.msg, "nothing is changed without it"));
		}
		journal_list_done(&l);
		free(path);
	}
	assert_int_equal(succeeded, 2);
	assert_true(n > 8);
	json_free(drive);
}

static void a_damaged_entry_is_reported_and_can_be_forgotten(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{\"journal_version\": 1}",
		"{\"journal_version\": 2, \"drive\": {}, \"before\": {}}",
		"{\"journal_version\": 1, \"drive\": {}, \"before\": {\"drive\": \"perhaps\"}}" };
	struct json *drive = parse(drive_a);
	char path[160];

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/write-cache-X.change.json", folder);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct journal_list l;

		write_text(path, bad[i]);
		assert_int_equal(journal_read(folder, &l, NULL), 0);
		assert_int_equal(l.count, 1);
		assert_int_not_equal(l.entry[0].damage.code, 0);
		assert_non_null(strstr(l.entry[0].damage.msg, "write-cache-X"));
		assert_null(journal_lookup(&l, JOURNAL_CHANGE, drive));
		journal_list_done(&l);
	}
	assert_int_equal(journal_forget(folder, "write-cache-Y.change.json", NULL), -ENOENT);
	assert_int_equal(journal_forget(folder, "write-cache-X.change.json", NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
	json_free(drive);
}

static void other_files_of_the_folder_are_passed_over(void **state)
{
	char path[160];

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/.ssdqual-1-0.tmp", folder);
	write_text(path, "{");
	(void)snprintf(path, sizeof(path), "%s/write-cache-X.lock", folder);
	write_text(path, "");
	assert_int_equal(entries(JOURNAL_CHANGE), 0);
}

/* -- locks ---------------------------------------------------------------------------------- */

static void two_processes_never_hold_one_drive(void **state)
{
	struct json *drive = parse(drive_a);
	struct journal_lock mine = JOURNAL_LOCK_INIT;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(journal_lock_take(folder, drive, &mine, NULL), 0);
	pid = fork();
	if (pid == 0) {
		struct journal_lock theirs = JOURNAL_LOCK_INIT;
		struct err e = ERR_INIT;
		int r = journal_lock_take(folder, drive, &theirs, &e);

		_exit(r == -EBUSY && e.kind == ERR_REFUSED ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	journal_lock_drop(&mine);
	assert_int_equal(journal_lock_take(folder, drive, &mine, NULL), 0);
	journal_lock_drop(&mine);
	json_free(drive);
}

static void a_lock_dies_with_its_process(void **state)
{
	struct json *drive = parse(drive_a);
	struct journal_lock mine = JOURNAL_LOCK_INIT;
	struct journal_list l;
	char *path = NULL;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(
		journal_record(folder, JOURNAL_CHANGE, drive, &was_on, "run", &path, NULL), 0);
	assert_int_equal(journal_read(folder, &l, NULL), 0);
	assert_false(journal_is_locked(&l.entry[0]));
	assert_int_equal(journal_lock_take(folder, drive, &mine, NULL), 0);
	assert_true(journal_is_locked(&l.entry[0]));
	journal_lock_drop(&mine);
	pid = fork();
	if (pid == 0) {
		(void)journal_lock_take(folder, drive, &mine, NULL);
		_exit(0); /* without dropping it */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(journal_is_locked(&l.entry[0]));
	assert_int_equal(journal_lock_take(folder, drive, &mine, NULL), 0);
	journal_lock_drop(&mine);
	journal_list_done(&l);
	free(path);
	json_free(drive);
}

#define in_folder(f) cmocka_unit_test_setup_teardown(f, make_base, remove_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_folder(an_entry_comes_back_as_it_was_recorded),
		in_folder(an_absent_folder_holds_no_entries),
		in_folder(two_drives_of_one_serial_have_entries_of_their_own),
		in_folder(recording_is_durable_when_it_returns),
		in_folder(no_fault_while_recording_goes_unnoticed),
		in_folder(a_damaged_entry_is_reported_and_can_be_forgotten),
		in_folder(other_files_of_the_folder_are_passed_over),
		in_folder(two_processes_never_hold_one_drive),
		in_folder(a_lock_dies_with_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
