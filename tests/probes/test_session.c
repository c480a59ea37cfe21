/* test_session.c - a plan becomes a document; what ends it early leaves what was measured. */
#include "probes/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct battery_row null_rows[] = {
	{ .key = "one", .label = "One", .on = ROW_ON_ANY, .engine = "null", .rw = RW_RANDWRITE,
	  .bs = 4096, .iodepth = 4, .runtime_s = 1 },
	{ .key = "two", .label = "Two", .on = ROW_ON_ANY, .engine = "null", .rw = RW_RANDREAD,
	  .bs = 4096, .iodepth = 1, .runtime_s = 1 },
	{ .key = "small", .label = "Small", .on = ROW_ON_ANY, .engine = "null", .direct = true,
	  .rw = RW_WRITE, .bs = 512, .iodepth = 1, .runtime_s = 1 },
};
static const struct battery null_battery = { .name = "null", .summary = "nothing is measured",
	.rows = null_rows, .row_count = 3 };

static char dir[] = "/var/tmp/ssdqual-test-session-XXXXXX";
static char file[64];

static int make_dir(void **state)
{
	int fd;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	(void)snprintf(file, sizeof(file), "%s/target", dir);
	fd = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, 1 << 20) < 0)
		return -1;
	return close(fd);
}

static int remove_dir(void **state)
{
	(void)state;
	(void)unlink(file);
	return rmdir(dir);
}

/* A run over 1 MiB that claims to be a device (files are written once beforehand) whose logical
 * block is
 * @logical. */
struct rig {
	struct target t;
	struct plan p;
	struct result *r;
	int fd;
	struct err e;
};

static void rig_start(struct rig *rig, const struct battery *b, uint32_t logical, bool zero)
{
	struct plan_options o = { .battery = b, .runtime_ns = 50000000, .size = 1 << 20,
		.slc_bytes = PLAN_SLC_ASSUMED, .rated_tbw_bytes = NAN, .randseed = 7,
		.zero_buffers = zero };

	memset(rig, 0, sizeof(*rig));
	rig->t = (struct target){ .kind = TARGET_BLOCK, .given = file, .path = file,
		.size_bytes = 1 << 20, .logical_block = logical };
	rig->t.identity = json_new_object();
	assert_int_equal(json_set_str(rig->t.identity, "path", file), 0);
	assert_int_equal(plan_make(&rig->t, &o, &rig->p, &rig->e), 0);
	rig->r = result_new();
	rig->fd = open(file, O_RDWR | O_CLOEXEC);
	assert_true(rig->fd >= 0);
}

static void rig_end(struct rig *rig)
{
	(void)close(rig->fd);
	result_free(rig->r);
	plan_done(&rig->p);
	json_free(rig->t.identity);
}

static const char *setting(const struct rig *rig, const char *key)
{
	return json_str(json_get(json_get(rig->r->doc, "settings"), key));
}

static bool has_finding(const struct result *r, const char *code, const char *word)
{
	const struct json *f = json_first(json_get(r->doc, "findings"));

	for (; f; f = json_next(f))
		if (!strcmp(json_str(json_get(f, "code")), code) &&
			strstr(json_str(json_get(f, "text")), word))
			return true;
	return false;
}

static void every_applicable_row_becomes_a_measurement_and_the_rest_findings(void **state)
{
	struct rig rig;

	(void)state;
	rig_start(&rig, &null_battery, 4096, false);
	if (session_run(&rig.t, &rig.p, rig.fd, NULL, NULL, rig.r, &rig.e) < 0)
		fail_msg("%s", rig.e.msg);
	assert_int_equal(rig.r->measurement_count, 2);
	assert_string_equal(rig.r->measurements[0]->probe, "one");
	assert_string_equal(rig.r->measurements[0]->battery, "null");
	assert_string_equal(rig.r->measurements[1]->probe, "two");
	assert_string_equal(rig.r->measurements[0]->stop, "runtime");
	assert_non_null(rig.r->measurements[0]->noise);
	assert_int_equal(rig.r->measurements[0]->write_cache, WC_UNKNOWN);
	assert_true(has_finding(rig.r, "not-applicable", "small"));
	assert_string_equal(setting(&rig, "ended"), "complete");
	assert_string_equal(setting(&rig, "precondition"), "none");
	assert_string_equal(setting(&rig, "battery"), "null");
	assert_string_equal(json_str(json_path(rig.r->doc, "target.path")), file);
	rig_end(&rig);
}

static void a_run_with_zeros_is_marked(void **state)
{
	struct rig rig;
	bool zero = false;

	(void)state;
	rig_start(&rig, &null_battery, 4096, true);
	assert_int_equal(session_run(&rig.t, &rig.p, rig.fd, NULL, NULL, rig.r, &rig.e), 0);
	assert_true(json_bool(json_path(rig.r->doc, "settings.zero_buffers"), &zero));
	assert_true(zero);
	assert_true(has_finding(rig.r, "zero-buffers", "no verdict"));
	rig_end(&rig);
}

static void stop_after_first_row(void *ctx, const struct measurement *m)
{
	(void)m;
	atomic_store((atomic_bool *)ctx, true);
}

static void a_stop_keeps_what_was_measured_and_says_so(void **state)
{
	atomic_bool stop = false;
	struct session_watch watch = { .row_end = stop_after_first_row, .ctx = &stop,
		.stop = &stop };
	struct rig rig;

	(void)state;
	rig_start(&rig, &null_battery, 512, false);
	assert_int_equal(session_run(&rig.t, &rig.p, rig.fd, NULL, &watch, rig.r, &rig.e), -EINTR);
	assert_int_equal(rig.e.kind, ERR_STOPPED);
	assert_int_equal(rig.r->measurement_count, 1);
	assert_string_equal(setting(&rig, "ended"), "signal");
	assert_true(has_finding(rig.r, "ended-early", "1 of 3"));
	rig_end(&rig);
}

static const struct battery_row real_rows[] = {
	{ .key = "good", .label = "Good", .on = ROW_ON_ANY, .engine = "null", .rw = RW_READ,
	  .bs = 4096, .iodepth = 1, .runtime_s = 1 },
	{ .key = "full", .label = "Full", .on = ROW_ON_ANY, .engine = "sync", .rw = RW_WRITE,
	  .bs = 4096, .iodepth = 1, .runtime_s = 1 },
	{ .key = "after", .label = "After", .on = ROW_ON_ANY, .engine = "null", .rw = RW_READ,
	  .bs = 4096, .iodepth = 1, .runtime_s = 1 },
};
static const struct battery real_battery = { .name = "real", .summary = "fails in its second row",
	.rows = real_rows, .row_count = 3 };

/* /dev/full answers every write with ENOSPC, as a file system that runs full does. */
static void an_error_ends_the_session_and_keeps_what_was_measured(void **state)
{
	struct rig rig;

	(void)state;
	rig_start(&rig, &real_battery, 512, false);
	(void)close(rig.fd);
	rig.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	assert_true(session_run(&rig.t, &rig.p, rig.fd, NULL, NULL, rig.r, &rig.e) < 0);
	assert_int_equal(rig.e.kind, ERR_DEVICE);
	assert_non_null(strstr(rig.e.msg, "full"));
	assert_int_equal(rig.r->measurement_count, 2);
	assert_string_equal(rig.r->measurements[1]->stop, "error");
	assert_non_null(rig.r->measurements[1]->error);
	assert_string_equal(setting(&rig, "ended"), "error");
	assert_true(has_finding(rig.r, "ended-early", "error"));
	rig_end(&rig);
}

static void fill_seen(void *ctx, const char *what, uint64_t bytes)
{
	(void)what;
	*(uint64_t *)ctx += bytes;
}

static void a_directory_is_laid_out_before_it_is_measured_and_left_empty(void **state)
{
	uint64_t filled = 0;
	struct session_watch watch = { .fill_begin = fill_seen, .ctx = &filled };
	struct plan_options o = { .battery = battery_find("pwl"), .runtime_ns = 20000000,
		.size = 1 << 20, .slc_bytes = PLAN_SLC_ASSUMED, .rated_tbw_bytes = NAN };
	const char *rows[] = { "write-4k", "read-4k" };
	struct target t = { .kind = TARGET_DIR, .given = dir, .path = dir,
		.size_bytes = (uint64_t)1 << 30, .logical_block = 512 };
	struct result *r = result_new();
	struct err e = ERR_INIT;
	struct stat before, after;
	struct plan p;
	int code;

	(void)state;
	o.rows = rows;
	o.row_count = 2;
	assert_int_equal(stat(dir, &before), 0);
	assert_int_equal(plan_make(&t, &o, &p, &e), 0);
	code = session_run(&t, &p, -1, NULL, &watch, r, &e);
	plan_done(&p);
	assert_int_equal(stat(dir, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	if (code < 0 && e.kind == ERR_UNSUPPORTED) {
		result_free(r);
		print_message("skipped: %s\n", e.msg);
		skip();
	}
	if (code < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(filled, 1 << 20);
	assert_int_equal(r->measurement_count, 2);
	assert_true(r->measurements[1]->ios > 0);
	result_free(r);
}

static struct measurement *fake(const char *rw, double change)
{
	struct measurement *m = measurement_new("ceph", "row", "row");

	assert_non_null(m);
	json_free(m->params);
	m->params = json_new_object();
	assert_int_equal(json_set_str(m->params, "rw", rw), 0);
	m->last_third_change = change;
	return m;
}

static void steady_needs_a_fill_and_every_writing_row_flat(void **state)
{
	static const struct {
		bool filled;
		double write_change, read_change;
		const char *word;
	} cases[] = {
		{ false, 0.0, 0.0, "none" },      { true, 0.01, 0.0, "steady" },
		{ true, -0.05, 0.5, "steady" },   { true, 0.06, 0.0, "filled" },
		{ true, -0.2, 0.0, "filled" },    { true, NAN, 0.0, "filled" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *r = result_new();

		assert_int_equal(result_take_measurement(r,
			fake("randwrite", cases[i].write_change)), 0);
		assert_int_equal(result_take_measurement(r,
			fake("randread", cases[i].read_change)), 0);
		assert_string_equal(session_precondition(r, cases[i].filled), cases[i].word);
		result_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_applicable_row_becomes_a_measurement_and_the_rest_findings),
		cmocka_unit_test(a_run_with_zeros_is_marked),
		cmocka_unit_test(a_stop_keeps_what_was_measured_and_says_so),
		cmocka_unit_test(an_error_ends_the_session_and_keeps_what_was_measured),
		cmocka_unit_test(a_directory_is_laid_out_before_it_is_measured_and_left_empty),
		cmocka_unit_test(steady_needs_a_fill_and_every_writing_row_flat),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
