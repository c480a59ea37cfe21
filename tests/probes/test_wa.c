/* Counters of devices in made-up trees, and of an OSD from its perf dump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "probes/ceph_asok.h"
#include "probes/wa.h"

#include "tree.h"

/* A `stat` line with this many sectors written. */
static void put_stat(const char *dir, const char *device, unsigned sectors)
{
	char path[300], line[200];

	(void)snprintf(path, sizeof(path), "sys/block/%s/stat", device);
	(void)snprintf(line, sizeof(line), "%8d %8d %8d %8d %8d %8d %8u %8d 0 0 0 3 0 %d 0 5 0\n",
		1, 0, 16, 0, 9, 0, sectors, 0, 64);
	tree_put(dir, path, line);
}

static void a_stat_line_is_read_with_and_without_the_newer_fields(void **state)
{
	struct wa_stat s;

	(void)state;
	assert_int_equal(wa_decode_stat("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", &s), 0);
	assert_int_equal(s.read_bytes, 3 * 512);
	assert_int_equal(s.write_bytes, 7 * 512);
	assert_true(s.discard_bytes == 14 * 512.0);
	assert_true(s.flushes == 16);
	assert_int_equal(wa_decode_stat(" 1 2 3 4 5 6 7 8 9 10 11", &s), 0);
	assert_true(isnan(s.discard_bytes) && isnan(s.flushes));
	assert_int_equal(wa_decode_stat("1 2 3 4 5 6", &s), -EBADMSG);
	assert_int_equal(wa_decode_stat("", &s), -EBADMSG);
	assert_int_equal(wa_decode_stat("1 2 3 4 5 6 x 8", &s), -EBADMSG);
	assert_int_equal(wa_decode_stat("1 2 3 4 5 6 18446744073709551615", &s), -EBADMSG);
	assert_int_equal(wa_decode_stat("1 2 3 4 5 6 18446744073709551616", &s), -EBADMSG);
}

static void a_partition_counts_itself_and_its_disk_apart(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct wa_watch *w = wa_watch_new(&root);
	struct wa_chain c[1];
	struct json *notes;

	(void)state;
	put_stat(dir, "sda", 1000);
	put_stat(dir, "sda/sda1", 100);
	tree_put(dir, "sys/block/sda/sda1/partition", "1\n");
	assert_int_equal(wa_watch_add(w, "sda1", "", NULL), 0);
	assert_int_equal(wa_watch_chains(w), 1);
	wa_watch_init(w, c);
	assert_int_equal(wa_watch_read(w, false, true, c), 0);
	put_stat(dir, "sda", 1600);
	put_stat(dir, "sda/sda1", 300);
	assert_int_equal(wa_watch_read(w, true, true, c), 0);
	assert_int_equal(c[0].level[WA_BLOCK].after.bytes - c[0].level[WA_BLOCK].before.bytes,
		200 * 512);
	assert_int_equal(c[0].level[WA_DISK].after.bytes - c[0].level[WA_DISK].before.bytes,
		600 * 512);
	assert_false(c[0].level[WA_HOST].after.known);
	assert_true(c[0].level[WA_HOST].after.why[0]);
	assert_true(c[0].discard_bytes == 0);
	notes = wa_watch_notes(w);
	assert_int_equal(json_len(notes), 1);
	assert_non_null(strstr(json_str(json_at(notes, 0)), "sda1 (partition) lies on sda"));
	json_free(notes);
	wa_watch_free(w);
	tree_drop(dir);
}

static void what_lies_on_each_other_is_not_counted_twice(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct wa_watch *w = wa_watch_new(&root);
	struct err e = ERR_INIT;

	(void)state;
	put_stat(dir, "sda", 1);
	put_stat(dir, "sda/sda1", 1);
	put_stat(dir, "dm-0", 1);
	tree_put(dir, "sys/block/sda/sda1/partition", "1\n");
	tree_put(dir, "sys/block/dm-0/slaves/sda1/x", "");
	tree_put(dir, "sys/block/dm-0/dm/uuid", "LVM-abc\n");
	assert_int_equal(wa_watch_add(w, "sda", "", NULL), 0);
	assert_int_equal(wa_watch_add(w, "sda", "", &e), -EEXIST);
	assert_int_equal(wa_watch_add(w, "sda1", "", &e), -EEXIST);
	assert_int_equal(wa_watch_add(w, "dm-0", "", &e), -EEXIST);
	assert_int_equal(e.kind, ERR_USAGE);
	wa_watch_free(w);
	/* And with the upper one named first. */
	w = wa_watch_new(&root);
	assert_int_equal(wa_watch_add(w, "dm-0", "", NULL), 0);
	assert_int_equal(wa_watch_add(w, "sda1", "", &e), -EEXIST);
	assert_int_equal(wa_watch_add(w, "absent", "", &e), -ENOENT);
	wa_watch_free(w);
	tree_drop(dir);
}

/* Two volumes on one disk: each is a device of its own, the disk is one. */
static void a_drive_below_two_devices_counts_once_in_their_sum(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root);
	struct wa_watch *w = wa_watch_new(&root);
	struct wa_chain c[3];

	(void)state;
	put_stat(dir, "sda", 0);
	put_stat(dir, "dm-0", 0);
	put_stat(dir, "dm-1", 0);
	tree_put(dir, "sys/block/dm-0/slaves/sda/x", "");
	tree_put(dir, "sys/block/dm-1/slaves/sda/x", "");
	assert_int_equal(wa_watch_add(w, "dm-0", "data", NULL), 0);
	assert_int_equal(wa_watch_add(w, "dm-1", "db", NULL), 0);
	assert_int_equal(wa_watch_chains(w), 3);
	wa_watch_init(w, c);
	assert_int_equal(wa_watch_read(w, false, true, c), 0);
	put_stat(dir, "sda", 90);
	put_stat(dir, "dm-0", 50);
	put_stat(dir, "dm-1", 30);
	assert_int_equal(wa_watch_read(w, true, true, c), 0);
	assert_string_equal(c[1].role, "db");
	assert_string_equal(c[2].name, "total");
	assert_int_equal(c[2].level[WA_BLOCK].after.bytes, 80 * 512);
	assert_int_equal(c[0].level[WA_DISK].after.bytes, 90 * 512);
	assert_int_equal(c[2].level[WA_DISK].after.bytes, 90 * 512);
	wa_watch_free(w);
	tree_drop(dir);
}

static void a_device_that_left_or_was_swapped_is_no_figure(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), path[400];
	struct wa_watch *w = wa_watch_new(&root);
	struct wa_chain c[1];

	(void)state;
	put_stat(dir, "sda", 0);
	tree_put(dir, "sys/block/sda/device/serial", "ONE\n");
	assert_int_equal(wa_watch_add(w, "sda", "", NULL), 0);
	wa_watch_init(w, c);
	assert_int_equal(wa_watch_read(w, false, true, c), 0);
	put_stat(dir, "sda", 10);
	tree_put(dir, "sys/block/sda/device/serial", "TWO\n");
	assert_int_equal(wa_watch_read(w, true, true, c), 0);
	assert_string_not_equal(c[0].level[WA_BLOCK].before.whose,
		c[0].level[WA_BLOCK].after.whose);
	(void)snprintf(path, sizeof(path), "%s/sys/block/sda/stat", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(wa_watch_read(w, true, true, c), 0);
	assert_false(c[0].level[WA_BLOCK].after.known);
	assert_non_null(strstr(c[0].level[WA_BLOCK].after.why, "gone"));
	wa_watch_free(w);
	tree_drop(dir);
}

/* -- an OSD --------------------------------------------------------------------------------- */

/* Figures of a 16.2.15 OSD, less what is not looked at; names of Quincy with @newer. */
static struct json *dump(bool newer, unsigned big, unsigned queued, unsigned written)
{
	char text[900];
	struct json *j;

	(void)snprintf(text, sizeof(text),
		"{\"osd\": {\"op_w_in_bytes\": 1000, \"op_rw_in_bytes\": 24, \"subop_w_in_bytes\": "
		"500},"
		"\"bluestore\": {\"%s\": %u, \"%s\": 30, \"write_pad_bytes\": 2, \"%s\": %u, "
		"\"%s\": %u},"
		"\"bluefs\": {\"bytes_written_wal\": 4000, \"logged_bytes\": 700,"
		"\"bytes_written_sst\": 60, \"bytes_written_slow\": 5}}",
		newer ? "write_big_bytes" : "bluestore_write_big_bytes", big,
		newer ? "write_small_bytes" : "bluestore_write_small_bytes",
		newer ? "issued_deferred_write_bytes" : "bluestore_write_deferred_bytes", queued,
		newer ? "submitted_deferred_write_bytes" : "deferred_write_bytes", written);
	assert_int_equal(json_parse(text, strlen(text), "dump", &j, NULL), 0);
	return j;
}

static void an_osds_bytes_are_shared_out_to_its_devices(void **state)
{
	(void)state;
	for (int newer = 0; newer <= 1; newer++) {
		struct json *j = dump(newer, 800, 0, 10);
		struct wa_osd one = { .db = false }, two = { .db = true },
			three = { .db = true, .wal = true };

		assert_int_equal(wa_osd_decode(j, "dump", &one, NULL), 0);
		assert_int_equal(one.client_bytes, 1024);
		assert_int_equal(one.subop_bytes, 500);
		assert_int_equal(one.direct, 832);
		assert_int_equal(one.data.bytes, 10 + 4000 + 700 + 60 + 5);
		assert_int_equal(wa_osd_decode(j, "dump", &two, NULL), 0);
		assert_int_equal(two.data.bytes, 10 + 5);
		assert_int_equal(two.db_dev.bytes, 4000 + 700 + 60);
		assert_int_equal(wa_osd_decode(j, "dump", &three, NULL), 0);
		assert_int_equal(three.db_dev.bytes, 60);
		assert_int_equal(three.wal_dev.bytes, 4000 + 700);
		wa_osd_done(&one);
		wa_osd_done(&two);
		wa_osd_done(&three);
		json_free(j);
	}
}

/* Direct writes of 800; then all deferred, with padding that only "queued" knows: none directly. */
static void deferred_writes_are_counted_where_they_were_written(void **state)
{
	struct json *j[3] = { dump(false, 0, 0, 0), dump(false, 800, 0, 0),
		dump(false, 1600, 900, 850) };
	struct wa_osd o[3] = { { .db = false } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(wa_osd_decode(j[i], "dump", &o[i], NULL), 0);
		json_free(j[i]);
	}
	wa_osd_pair(&o[0], &o[1]);
	assert_int_equal(o[1].data.bytes - o[0].data.bytes, 800);
	o[1].data.bytes = o[0].data.bytes; /* as it is read before a second window */
	wa_osd_pair(&o[1], &o[2]);
	assert_int_equal(o[2].data.bytes - o[1].data.bytes, 850);
	for (int i = 0; i < 3; i++)
		wa_osd_done(&o[i]);
}

static void a_counter_that_a_release_lacks_is_unknown_not_nothing(void **state)
{
	struct wa_osd o = { .db = true };
	struct json *j = dump(false, 1, 2, 3);
	struct err e = ERR_INIT;

	(void)state;
	json_remove(json_get_mut(j, "bluestore"), "deferred_write_bytes");
	assert_int_equal(wa_osd_decode(j, "dump", &o, NULL), 0);
	assert_false(o.data.known);
	assert_non_null(strstr(o.data.why, "deferred_written_bytes"));
	assert_true(o.db_dev.known);
	json_remove(json_get_mut(j, "osd"), "op_w_in_bytes");
	assert_int_equal(wa_osd_decode(j, "dump", &o, &e), -ENODATA);
	assert_int_equal(e.kind, ERR_DEVICE);
	json_free(j);
	wa_osd_done(&o);
}

/* -- the admin socket ----------------------------------------------------------------------- */

/* Answers one request in a child: @head (4 bytes) and @body. */
static pid_t serve(const char *path, const unsigned char *head, const char *body, size_t len)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
	char request[200];
	pid_t pid;

	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	(void)unlink(path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	pid = fork();
	if (pid == 0) {
		size_t n = 0;

		peer = accept(fd, NULL, NULL);
		do { /* up to its NUL */
			ssize_t got = read(peer, request + n, sizeof(request) - n);

			if (got <= 0)
				_exit(1);
			n += (size_t)got;
		} while (request[n - 1] != '\0' && n < sizeof(request));
		if (strcmp(request, "{\"prefix\": \"perf dump\"}") != 0)
			_exit(2);
		if (head && write(peer, head, 4) != 4)
			_exit(3);
		/* In two pieces, as the network may deliver it. */
		if (len > 1 && write(peer, body, 1) != 1)
			_exit(3);
		if (len > 1 && write(peer, body + 1, len - 1) != (ssize_t)len - 1)
			_exit(3);
		_exit(0);
	}
	(void)close(fd);
	return pid;
}

static void a_daemons_answer_is_read_whole_or_refused(void **state)
{
	static const struct {
		unsigned char head[4];
		const char *body;
		int want;
	} rows[] = {
		{ { 0, 0, 0, 8 }, "{\"a\": 1}", 0 },
		{ { 0, 0, 0, 9 }, "{\"a\": 1}", -ECONNRESET },    /* cut */
		{ { 0, 0, 0, 5 }, "oops!", -EBADMSG },            /* an error in words */
		{ { 0x7f, 0, 0, 0 }, "{\"a\": 1}", -EFBIG },
		{ { 0, 0, 0, 0 }, "", -EBADMSG },
	};
	char path[] = "/tmp/ssdqual-asok.XXXXXX/s";
	char *slash = strrchr(path, '/');

	(void)state;
	*slash = '\0';
	assert_non_null(mkdtemp(path));
	*slash = '/';
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = serve(path, rows[i].head, rows[i].body, strlen(rows[i].body)), peer = 0;
		struct json *j = NULL;
		struct err e = ERR_INIT;
		int status, r = ceph_asok_ask(path, "{\"prefix\": \"perf dump\"}", &j, &peer, &e);

		/* A reset may come before what was sent is read. */
		if (r != rows[i].want)
			fail_msg("row %zu: %d (%s), want %d", i, r, e.msg, rows[i].want);
		if (r == 0) {
			assert_int_equal(peer, getpid()); /* who listened */
			json_free(j);
		} else {
			assert_int_equal(e.kind, ERR_DEVICE);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	assert_true(ceph_asok_ask("/tmp/ssdqual-none.asok", "{}", NULL, NULL, NULL) < 0);
	(void)unlink(path);
	*slash = '\0';
	assert_int_equal(rmdir(path), 0);
}

static void the_socket_of_an_osd_is_found_or_must_be_named(void **state)
{
	struct sysroot root;
	char *dir = tree_new(&root), *path = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(ceph_asok_find(dir, 3, &path, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "--admin-socket"));
	tree_put(dir, "aaa/ceph-osd.3.asok", "");
	assert_int_equal(ceph_asok_find(dir, 3, &path, &e), 0);
	assert_non_null(strstr(path, "/aaa/ceph-osd.3.asok"));
	free(path);
	tree_put(dir, "bbb/ceph-osd.3.asok", "");
	assert_int_equal(ceph_asok_find(dir, 3, &path, &e), -ENOTUNIQ);
	tree_put(dir, "ceph-osd.3.asok", "");
	assert_int_equal(ceph_asok_find(dir, 3, &path, &e), 0);
	assert_null(strstr(path, "aaa"));
	free(path);
	tree_drop(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stat_line_is_read_with_and_without_the_newer_fields),
		cmocka_unit_test(a_partition_counts_itself_and_its_disk_apart),
		cmocka_unit_test(what_lies_on_each_other_is_not_counted_twice),
		cmocka_unit_test(a_drive_below_two_devices_counts_once_in_their_sum),
		cmocka_unit_test(a_device_that_left_or_was_swapped_is_no_figure),
		cmocka_unit_test(an_osds_bytes_are_shared_out_to_its_devices),
		cmocka_unit_test(deferred_writes_are_counted_where_they_were_written),
		cmocka_unit_test(a_counter_that_a_release_lacks_is_unknown_not_nothing),
		cmocka_unit_test(a_daemons_answer_is_read_whole_or_refused),
		cmocka_unit_test(the_socket_of_an_osd_is_found_or_must_be_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
