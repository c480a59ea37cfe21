/* Latencies of a backend and of a drive: stated, and out of a result document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/backend.h"

static void near(double got, double want, double rel)
{
	if (!(fabs(got - want) <= rel * fabs(want)))
		fail_msg("got %.9g, want %.9g within %g", got, want, rel);
}

static void stated_and_files_are_told_apart(void **state)
{
	(void)state;
	assert_true(backend_is_stated("write=1ms"));
	assert_false(backend_is_stated("./a=b"));
	assert_false(backend_is_stated("/tmp/a=b"));
	assert_false(backend_is_stated("result.json"));
}

static void a_backend_is_read_and_its_gaps_are_marked(void **state)
{
	struct backend b;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(backend_parse("write=1.2ms:4ms,meta=300us,concurrency=16,at=guest", &b, &e), 0);
	near(b.in[BACKEND_WRITE].dist.p50_ns, 1.2e6, 1e-12);
	near(b.in[BACKEND_WRITE].dist.p99_ns, 4e6, 1e-12);
	assert_false(b.in[BACKEND_WRITE].p99_assumed);
	assert_true(b.in[BACKEND_WRITE].p999_assumed);
	/* ln(4/1.2) = 1.20397; 3.0902/2.3263 of it; e^1.59932 = 4.9497. */
	near(b.in[BACKEND_WRITE].dist.p999_ns, 1.2e6 * 4.9497, 1e-3);
	assert_true(b.in[BACKEND_META].p99_assumed);
	near(b.in[BACKEND_META].dist.p99_ns, 900e3, 1e-12);
	assert_false(b.in[BACKEND_READ].known);
	assert_true(b.concurrency_known && b.concurrency == 16);
	assert_true(b.at_guest);
	assert_int_equal(backend_parse("write=1ms", &b, &e), 0);
	assert_false(b.at_guest || b.concurrency_known);
}

/* Every refusal names the character where it went wrong and the keys that are allowed. */
static void mistakes_are_located(void **state)
{
	static const struct {
		const char *text, *place;
	} rows[] = {
		{ "write", "character 1:" },
		{ "=1ms", "character 1:" },
		{ "write=", "character 7:" },
		{ "write=1ms,", "character 11:" },
		{ "write=1ms,,read=1ms", "character 11:" },
		{ "write=1ms,latency=2ms", "character 11:" },
		{ "write=fast", "character 7:" },
		{ "write=3", "character 7:" },
		{ "write=-1ms", "character 7:" },
		{ "write=0ms", "character 7:" },
		{ "write=1ms:", "character 11:" },
		{ "write=1ms:x", "character 11:" },
		{ "write=4ms:1ms", "character 11:" },
		{ "write=1ms:2ms:3ms", "character 11:" },
		{ "write=1ms,write=2ms", "character 11:" },
		{ "write=2h", "character 7:" },
		{ "write=1ms,concurrency=0", "character 23:" },
		{ "write=1ms,concurrency=1.5", "character 23:" },
		{ "write=1ms,concurrency=2,concurrency=3", "character 37:" },
		{ "write=1ms,at=host", "character 14:" },
		{ "write=1ms,at=image,at=guest", "character 23:" },
		{ "read=1ms", "write= is missing" },
		{ "", "write= is missing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct backend b = { .concurrency = 77 };
		struct err e = ERR_INIT;

		assert_int_equal(backend_parse(rows[i].text, &b, &e), -EINVAL);
		assert_int_equal(e.kind, ERR_USAGE);
		if (strstr(e.msg, rows[i].place) == NULL)
			fail_msg("'%s': %s", rows[i].text, e.msg);
		assert_int_equal(b.concurrency, 77);
	}
}

static void a_drive_is_read_the_same_way(void **state)
{
	struct drive_lat d;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(drive_parse("sync=30us:44us,write4k=28us", &d, &e), 0);
	near(d.in[DRIVE_SYNC].dist.p99_ns, 44e3, 1e-12);
	assert_true(d.in[DRIVE_WRITE4K].known && !d.in[DRIVE_READ4K].known);
	assert_int_equal(drive_parse("write4k=28us", &d, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "sync= is missing"));
	assert_int_equal(drive_parse("sync=1us,flush=1us", &d, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "character 10:"));
	assert_non_null(strstr(e.msg, "write12k"));
}

static struct measurement *row(const char *battery, const char *probe, double scale_ns,
	uint64_t count, bool sync)
{
	struct measurement *m = measurement_new(battery, probe, probe);
	struct hist *h = hist_new(), *s = hist_new();

	assert_non_null(m);
	for (uint64_t i = 1; i <= count; i++) {
		hist_record(h, (uint64_t)(scale_ns * (double)i / (double)count * 2));
		hist_record(s, (uint64_t)(scale_ns * (double)i / (double)count));
	}
	m->ios = count;
	latency_from_hist(&m->lat, h);
	if (sync)
		latency_from_hist(&m->sync_lat, s);
	else
		hist_free(s);
	return m;
}

static void a_drive_is_found_in_a_result(void **state)
{
	struct result *r = result_new();
	struct measurement *off = row("ceph", "journal-fsync", 9e6, 1000, true);
	struct drive_lat d;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(drive_from_result(r, &d, &e), -ENODATA);
	assert_int_equal(e.kind, ERR_INPUT);
	off->write_cache = WC_OFF;
	result_take_measurement(r, off);
	result_take_measurement(r, row("ceph", "journal-fsync", 1e6, 1000, true));
	/* Not a log of etcd: the whole latency of write and sync, the cache as it stands. */
	assert_int_equal(drive_from_result(r, &d, &e), 0);
	near(d.in[DRIVE_SYNC].dist.p50_ns, 1e6, 0.01);
	result_take_measurement(r, row("etcd", "etcd-8000", 100e3, 2000, true));
	result_take_measurement(r, row("pwl", "write-4k", 20e3, 100, false));
	assert_int_equal(drive_from_result(r, &d, &e), 0);
	/* The sync alone, out of its histogram: 99 % of 100 us, within a bucket. */
	near(d.in[DRIVE_SYNC].dist.p99_ns, 99e3, 1.0 / 128);
	assert_false(d.in[DRIVE_SYNC].p999_assumed);
	near(d.in[DRIVE_WRITE4K].dist.p50_ns, 20e3, 1.0 / 128);
	/* A hundred samples have no 99.9th percentile. */
	assert_true(d.in[DRIVE_WRITE4K].p999_assumed);
	assert_false(d.in[DRIVE_WRITE12K].known);
	result_free(r);
}

static void a_run_inside_the_guest_is_a_backend_seen_from_the_guest(void **state)
{
	struct result *r = result_new();
	struct backend b;
	struct err e = ERR_INIT;

	(void)state;
	result_take_measurement(r, row("import", "whatever", 4e6, 2000, true));
	assert_int_equal(backend_from_result(r, &b, &e), 0);
	assert_true(b.at_guest);
	near(b.in[BACKEND_WRITE].dist.p99_ns, 0.99 * 4e6, 0.01);
	result_take_measurement(r, row("etcd", "etcd-2300", 1e6, 2000, true));
	assert_int_equal(backend_from_result(r, &b, &e), 0);
	assert_true(b.at_guest);
	near(b.in[BACKEND_WRITE].dist.p99_ns, 0.99e6, 0.01);
	result_take_measurement(r, row("ceph", "journal-sync", 2e6, 2000, true));
	assert_int_equal(backend_from_result(r, &b, &e), 0);
	assert_false(b.at_guest);
	result_free(r);
}

static void a_backend_is_found_in_a_result(void **state)
{
	struct result *r = result_new();
	struct measurement *deep = row("ceph", "random-nosync", 5e6, 1000, false);
	struct backend b;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(backend_from_result(r, &b, &e), -ENODATA);
	deep->iops = 8000;
	result_take_measurement(r, deep);
	result_take_measurement(r, row("ceph", "journal-sync", 2e6, 1000, false));
	result_take_measurement(r, row("ceph", "randread-1", 0.5e6, 1000, false));
	assert_int_equal(backend_from_result(r, &b, &e), 0);
	near(b.in[BACKEND_WRITE].dist.p50_ns, 2e6, 0.01);
	near(b.in[BACKEND_READ].dist.p50_ns, 0.5e6, 0.01);
	assert_false(b.in[BACKEND_META].known || b.in[BACKEND_REFRESH].known || b.at_guest);
	/* 8000 a second at 2 ms each: 16 side by side. */
	assert_int_equal(b.concurrency, 16);
	result_free(r);
}

/* A row of pairs: the write, the flush, both; medians write_ns, flush_ns and their sum. */
static struct measurement *pair(const char *probe, uint64_t pause_ns, double write_ns)
{
	struct measurement *m = row("rbd", probe, write_ns, 1000, true);
	struct hist *h = hist_new();

	for (uint64_t i = 1; i <= 1000; i++)
		hist_record(h, (uint64_t)(write_ns * (double)i / 1000 * 2));
	latency_from_hist(&m->write_lat, h);
	assert_int_equal(json_set_u64(m->params, "thinktime", pause_ns), 0);
	return m;
}

static struct result *rbd_run(uint64_t reads, uint64_t measured)
{
	struct result *r = result_new();
	struct json *target = result_section(r, "target"), *rbd = json_new_object();
	struct measurement *deep;

	assert_int_equal(json_set_str(target, "kind", "rbd"), 0);
	assert_int_equal(json_set_u64(rbd, "refresh_reads", reads), 0);
	assert_int_equal(json_set_u64(rbd, "refresh_reads_measured", measured), 0);
	assert_int_equal(json_set(target, "rbd", rbd), 0);
	result_take_measurement(r, row("rbd", "write-4k", 2e6, 1000, false));
	result_take_measurement(r, row("rbd", "read-4k", 0.5e6, 1000, false));
	result_take_measurement(r, row("rbd", "flush", 40e3, 1000, false));
	result_take_measurement(r, row("rbd", "meta", 0.3e6, 1000, false));
	result_take_measurement(r, row("rbd", "meta-3ms", 0.9e6, 1000, false));
	result_take_measurement(r, row("rbd", "refresh", 2.5e6, 1000, false));
	result_take_measurement(r, pair("pair-10ms", 10000000, 3.5e6));
	result_take_measurement(r, pair("pair-0us", 0, 2.2e6));
	deep = row("rbd", "depth-4", 3e6, 1000, false);
	deep->iops = 1400;
	result_take_measurement(r, deep);
	deep = row("rbd", "depth-8", 3e6, 1000, false);
	deep->iops = 2000;
	result_take_measurement(r, deep);
	return r;
}

static void a_run_on_an_image_fills_the_backend(void **state)
{
	struct result *r = rbd_run(5, 5);
	struct backend b;
	struct drive_lat d;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(backend_from_result(r, &b, &e), 0);
	near(b.in[BACKEND_WRITE].dist.p50_ns, 2e6, 0.01);
	near(b.in[BACKEND_READ].dist.p50_ns, 0.5e6, 0.01);
	near(b.in[BACKEND_FLUSH].dist.p50_ns, 40e3, 0.01);
	near(b.in[BACKEND_META].dist.p50_ns, 0.3e6, 0.01);
	near(b.in[BACKEND_REFRESH].dist.p50_ns, 2.5e6, 0.01);
	near(b.wake_ns, 0.6e6, 0.02);
	assert_int_equal(b.refresh_reads, 5);
	assert_false(b.refresh_scaled || b.at_guest);
	/* the highest rate, 2000 a second, at 2 ms each */
	assert_int_equal(b.concurrency, 4);
	/* by pause, whatever their order in the document */
	assert_int_equal(b.pair_count, 2);
	assert_true(b.pair[0].pause_ns == 0 && b.pair[1].pause_ns == 1e7);
	near(b.pair[0].write.dist.p50_ns, 2.2e6, 0.01);
	near(b.pair[1].write.dist.p50_ns, 3.5e6, 0.01);
	near(b.pair[1].flush.dist.p50_ns, 1.75e6, 0.01);
	/* and it is no local drive */
	assert_int_equal(drive_from_result(r, &d, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "--backend"));
	result_free(r);
}

static void a_refresh_is_scaled_to_the_reads_of_the_image(void **state)
{
	struct result *r = rbd_run(6, 5);
	struct backend b;

	(void)state;
	assert_int_equal(backend_from_result(r, &b, NULL), 0);
	near(b.in[BACKEND_REFRESH].dist.p50_ns, 3e6, 0.01);
	assert_true(b.refresh_scaled && b.refresh_reads == 6);
	result_free(r);
}

static void the_histograms_behind_a_backend_can_be_had(void **state)
{
	struct result *r = rbd_run(5, 5);
	struct backend_samples s;
	uint64_t ns = 0;

	(void)state;
	assert_int_equal(backend_samples_from_result(r, &s), 0);
	result_free(r); /* they are copies */
	for (int i = 0; i < BACKEND_KEY_COUNT; i++)
		assert_non_null(s.in[i]);
	assert_int_equal(s.in[BACKEND_WRITE]->count, 1000);
	assert_int_equal(s.pair_count, 2);
	for (size_t i = 0; i < s.pair_count; i++) {
		assert_int_equal(hist_percentile(s.pair[i].write, 50, &ns), 0);
		near((double)ns, s.pair[i].pause_ns == 0 ? 2.2e6 : 3.5e6, 0.01);
	}
	backend_samples_done(&s);
	assert_null(s.in[BACKEND_WRITE]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stated_and_files_are_told_apart),
		cmocka_unit_test(a_backend_is_read_and_its_gaps_are_marked),
		cmocka_unit_test(mistakes_are_located),
		cmocka_unit_test(a_drive_is_read_the_same_way),
		cmocka_unit_test(a_drive_is_found_in_a_result),
		cmocka_unit_test(a_backend_is_found_in_a_result),
		cmocka_unit_test(a_run_on_an_image_fills_the_backend),
		cmocka_unit_test(a_refresh_is_scaled_to_the_reads_of_the_image),
		cmocka_unit_test(the_histograms_behind_a_backend_can_be_had),
		cmocka_unit_test(a_run_inside_the_guest_is_a_backend_seen_from_the_guest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
