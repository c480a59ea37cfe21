/* test_load.c - whole runs: counts, offsets, syncs, pacing, ends. Faults: test_load_faults.c */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/probes/scripted_engine.h"

static const struct load_setup scripted = {
	.ops = &scripted_engine, .sys = &engine_sys_kernel,
	.stop_patience_ns = NS_PER_S, .end_patience_ns = NS_PER_S,
};

static struct load_params some_params(void)
{
	struct load_params p;

	load_params_init(&p);
	p.engine = "null";
	p.rw = RW_RANDWRITE;
	p.offset = 1 << 20;
	p.size = 4096 * 64;
	p.io_limit = 1000;
	p.time_based = true;
	return p;
}

static struct measurement *run(const struct load_params *p, const struct load_setup *setup)
{
	struct measurement *m = measurement_new("t", "t", "t");
	struct err e = ERR_INIT;
	int r;

	assert_non_null(m);
	r = setup ? load_run_with(p, setup, NULL, m, &e) : load_run(p, NULL, m, &e);
	if (r < 0)
		fail_msg("load_run: %s", e.msg);
	return m;
}

static void does_exactly_as_many_ios_as_it_may(void **state)
{
	static const uint32_t depths[] = { 1, 2, 7, 32, 1024 };
	static const uint32_t jobs[] = { 1, 3, 64 };

	(void)state;
	for (size_t d = 0; d < 5; d++) {
		for (size_t j = 0; j < 3; j++) {
			struct load_params p = some_params();
			struct measurement *m;

			p.iodepth = depths[d];
			p.numjobs = jobs[j];
			p.batch_submit = p.batch_complete_max = depths[d] > 8 ? 8 : 1;
			m = run(&p, NULL);
			assert_int_equal(m->ios, 1000);
			assert_int_equal(m->bytes, 1000 * 4096);
			assert_int_equal(m->errors, 0);
			assert_int_equal(m->lat.count, 1000);
			assert_string_equal(m->stop, "io-limit");
			assert_null(m->error);
			assert_false(m->write_lat.present);
			assert_false(m->sync_lat.present);
			assert_false(m->lat_uncorrected.present);
			measurement_free(m);
		}
	}
}

static void ends_after_the_span_without_time_based(void **state)
{
	static const enum load_rw kinds[] = { RW_WRITE, RW_READ, RW_RANDREAD, RW_RANDWRITE };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct load_params p = some_params();
		bool seen[64] = { false };
		struct measurement *m;

		p.rw = kinds[i];
		p.norandommap = false;
		p.time_based = false;
		p.io_limit = 0;
		p.iodepth = 5;
		script_set(F_NONE, 0, 0);
		m = run(&p, &scripted);
		assert_string_equal(m->stop, "size");
		assert_int_equal(m->ios, 64);
		for (unsigned k = 0; k < 64; k++) {
			uint64_t block = (script.offset[k] - p.offset) / 4096;

			assert_int_equal(script.offset[k] % 4096, 0);
			assert_true(block < 64);
			assert_false(seen[block]);
			seen[block] = true;
			if (!load_is_random(&p))
				assert_int_equal(block, k);
		}
		measurement_free(m);
	}
}

static void linear_jobs_split_the_span(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.rw = RW_WRITE;
	p.numjobs = 4;
	p.time_based = false;
	p.io_limit = 0;
	m = run(&p, NULL);
	assert_int_equal(m->ios, 64); /* each its quarter, once */
	measurement_free(m);
}

static void keeps_iodepth_in_flight_and_no_more(void **state)
{
	struct load_params p = some_params();

	(void)state;
	for (p.iodepth = 1; p.iodepth < 40; p.iodepth += 6) {
		script_set(F_NONE, 0, 0);
		measurement_free(run(&p, &scripted));
		assert_int_equal(script.most_queued, p.iodepth);
		assert_int_equal(script.submits, 1000); /* one at a time */
	}
}

static void submits_and_reaps_in_batches(void **state)
{
	struct load_params p = some_params();

	(void)state;
	p.iodepth = 32;
	p.batch_submit = p.batch_complete_max = 8;
	script_set(F_NONE, 0, 0);
	measurement_free(run(&p, &scripted));
	assert_int_equal(script.most_queued, 32);
	assert_int_equal(script.submits, 1000 / 8);
	assert_true(script.reaps <= 1000 / 8);
}

/* load_job.h: what fio does. */
static void syncs_once_a_reaped_write_with_the_others_in_flight(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.iodepth = 32;
	p.fsync = 1;
	p.io_limit = 100;
	script_set(F_NONE, 0, 0);
	m = run(&p, &scripted);
	assert_int_equal(m->ios, 100);
	/* 69 one by one with 31 others in flight (fio counts 69, too), and one for the 31 left */
	assert_int_equal(script.syncs, 70);
	assert_int_equal(script.syncs_with_queue, 69);
	assert_int_equal(script.durable, 100 * 4096);
	assert_int_equal(m->lat.count, 100);
	assert_int_equal(m->write_lat.count, 100);
	assert_int_equal(m->sync_lat.count, 70);
	assert_true(m->lat.mean_ns >= m->write_lat.mean_ns);
	measurement_free(m);
}

static void syncs_after_every_nth_write(void **state)
{
	struct load_params p = some_params();

	(void)state;
	p.io_limit = 100;
	for (p.fdatasync = 1; p.fdatasync < 12; p.fdatasync++) {
		struct measurement *m;

		script_set(F_NONE, 0, 0);
		m = run(&p, &scripted);
		assert_int_equal(script.syncs, 100 / p.fdatasync);
		assert_int_equal(m->sync_lat.count, 100 / p.fdatasync);
		assert_int_equal(m->lat.count, 100);
		measurement_free(m);
	}
}

static void the_nth_write_alone_carries_the_sync(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.io_limit = 40;
	p.fsync = 4;
	p.null_latency_ns = 100000; /* of a write and of a sync */
	m = run(&p, NULL);
	assert_int_equal(m->sync_lat.count, 10);
	/* sums, not times: what the syncs took is in lat and in nothing else */
	assert_true(fabs(m->lat.mean_ns * 40 - m->write_lat.mean_ns * 40 -
		m->sync_lat.mean_ns * 10) < 1000);
	measurement_free(m);
}

static void due_times_do_not_drift(void **state)
{
	static const uint32_t rates[] = { 1, 3, 7, 1000, 999983, 4000000000u };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		uint32_t rate = rates[i];

		assert_int_equal(load_due_ns(5, 0, rate), 5);
		for (uint64_t s = 1; s < 1000000; s *= 10)
			assert_int_equal(load_due_ns(5, s * rate, rate), 5 + s * NS_PER_S);
		for (uint64_t k = 0; k < 1000; k++) {
			uint64_t gap = load_due_ns(5, k + 1, rate) - load_due_ns(5, k, rate);

			assert_true(gap == NS_PER_S / rate || gap == NS_PER_S / rate + 1);
		}
	}
}

static void a_paced_load_counts_from_when_an_io_was_due(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.rate_iops = 100000;
	p.null_latency_ns = 50000; /* five times what the rate allows at depth 1 */
	p.io_limit = 400;
	m = run(&p, NULL);
	assert_int_equal(m->ios, 400);
	assert_int_equal(m->lat.count, 400);
	assert_int_equal(m->lat_uncorrected.count, 400);
	/* 40 us behind after each, so the last is at least 399 * 40 us late, however slow we are */
	assert_true(m->lat.max_ns >= 399 * 40000.0);
	assert_true(m->lat.mean_ns > m->lat_uncorrected.mean_ns);
	assert_true(m->lat.min_ns >= m->lat_uncorrected.min_ns);
	measurement_free(m);
}

static void a_paced_load_is_never_ahead_of_its_rate(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.rate_iops = 10000;
	p.io_limit = 300;
	p.iodepth = 16;
	p.thinktime_ns = 0;
	m = run(&p, NULL);
	assert_int_equal(m->ios, 300);
	assert_true(m->runtime_ns >= 299 * (NS_PER_S / 10000));
	measurement_free(m);
}

static void thinks_after_each_io(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.io_limit = 50;
	p.thinktime_ns = 200000;
	p.fdatasync = 1;
	m = run(&p, NULL);
	assert_int_equal(m->ios, 50);
	assert_true(m->runtime_ns >= 49 * 200000);
	measurement_free(m);
}

static void the_timeline_adds_up_to_the_whole(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;
	double sum = 0, last = 0;

	(void)state;
	p.io_limit = 0;
	p.numjobs = 2;
	p.null_latency_ns = 30000;
	p.runtime_ns = 2 * NS_PER_S + NS_PER_S / 4;
	m = run(&p, NULL);
	assert_string_equal(m->stop, "runtime");
	assert_true(m->runtime_ns >= p.runtime_ns);
	assert_true(m->timeline_count >= 3);
	for (size_t i = 0; i < m->timeline_count; i++) {
		sum += m->timeline[i].iops * (m->timeline[i].t_s - last);
		last = m->timeline[i].t_s;
	}
	assert_true(fabs(sum - (double)m->ios) < 1e-3);
	assert_int_equal(m->lat.count, m->ios);
	assert_true(fabs(m->iops * (double)m->runtime_ns / 1e9 - (double)m->ios) < 1e-3);
	assert_true(isnan(m->last_third_change));
	measurement_free(m);
}

struct watcher {
	atomic_bool stop;
	unsigned ticks;
	uint64_t ios;
};

static void stop_at_the_second_tick(void *ctx, const struct load_tick *t)
{
	struct watcher *w = ctx;

	assert_true(t->ios >= w->ios);
	assert_true(t->elapsed_s >= (double)w->ticks + 1);
	assert_true(t->total_s == 0);
	assert_int_equal(t->bytes, t->ios * 4096);
	w->ios = t->ios;
	if (++w->ticks == 2)
		atomic_store(&w->stop, true);
}

static void ticks_once_a_second_and_stops_when_told(void **state)
{
	struct load_params p = some_params();
	struct watcher w = { .ticks = 0 };
	const struct load_watch watch = { stop_at_the_second_tick, &w, &w.stop };
	struct measurement *m = measurement_new("t", "t", "t");
	struct err e = ERR_INIT;

	(void)state;
	p.io_limit = UINT64_MAX;
	p.null_latency_ns = 20000;
	p.iodepth = 4;
	p.fsync = 1;
	assert_int_equal(load_run(&p, &watch, m, &e), 0);
	assert_string_equal(m->stop, "signal");
	assert_int_equal(w.ticks, 2);
	assert_true(m->ios >= w.ios && w.ios > 0);
	assert_int_equal(m->lat.count, m->ios);
	measurement_free(m);
}

static void a_long_wait_ends_when_told(void **state)
{
	struct load_params p = some_params();
	atomic_bool stop = true;
	const struct load_watch watch = { .stop = &stop };
	struct measurement *m = measurement_new("t", "t", "t");
	struct err e = ERR_INIT;

	(void)state;
	p.thinktime_ns = 86400 * NS_PER_S;
	assert_int_equal(load_run(&p, &watch, m, &e), 0);
	assert_string_equal(m->stop, "signal");
	measurement_free(m);
}

/* Segments: each `size` bytes, then the next file. */
static int next_segment(void *ctx, int *ret_fd, struct err *reterr)
{
	unsigned *left = ctx;

	if ((*left)-- == 0)
		return err_set(reterr, ERR_DEVICE, -ENOSPC, "segment 3: no space");
	*ret_fd = STDERR_FILENO; /* any open one: it is duplicated, and not used */
	return 0;
}

static void goes_to_the_next_file_when_one_is_full(void **state)
{
	struct load_params p = some_params();
	unsigned left = 1000;
	const struct load_file_source files = { next_segment, &left };
	struct measurement *m;

	(void)state;
	p.rw = RW_WRITE;
	p.bs = 2300;
	p.offset = 0;
	p.size = 65536; /* 28 blocks */
	p.files = &files;
	p.iodepth = 4;
	p.io_limit = 28 * 5 + 1;
	script_set(F_NONE, 0, 0);
	m = run(&p, &scripted);
	assert_int_equal(m->ios, 28 * 5 + 1);
	assert_int_equal(script.files, 5);
	for (unsigned i = 0; i < script.accepted; i++)
		assert_int_equal(script.offset[i], i % 28 * 2300);
	measurement_free(m);
}

static void a_file_that_cannot_be_had_ends_the_run(void **state)
{
	struct load_params p = some_params();
	unsigned left = 2;
	const struct load_file_source files = { next_segment, &left };
	struct measurement *m;

	(void)state;
	p.rw = RW_WRITE;
	p.files = &files;
	script_set(F_NONE, 0, 0);
	m = run(&p, &scripted);
	assert_string_equal(m->stop, "error");
	assert_string_equal(m->error, "segment 3: no space");
	assert_int_equal(m->ios, 3 * 64);
	measurement_free(m);
}

static void a_real_file_holds_what_was_written(void **state)
{
	static const char *const engines[] = { "sync", "libaio" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char path[] = "/tmp/ssdqual-test-load-XXXXXX";
		struct load_params p = some_params();
		unsigned char block[4096], zero[4096] = { 0 };
		struct measurement *m;

		p.fd = mkstemp(path);
		assert_true(p.fd >= 0);
		assert_int_equal(unlink(path), 0);
		p.engine = engines[i];
		p.iodepth = i ? 8 : 1;
		p.rw = RW_RANDWRITE;
		p.norandommap = false;
		p.time_based = false;
		p.sync = SYNC_DSYNC; /* the descriptor is without: RWF_DSYNC */
		p.fdatasync = 5;
		m = run(&p, NULL);
		assert_int_equal(m->ios, 64);
		assert_int_equal(m->errors, 0);
		assert_int_equal(lseek(p.fd, 0, SEEK_END), (1 << 20) + 64 * 4096);
		for (int k = 0; k < 64; k++) {
			assert_int_equal(pread(p.fd, block, 4096, (1 << 20) + k * 4096), 4096);
			assert_memory_not_equal(block, zero, 4096);
		}
		assert_int_equal(close(p.fd), 0); /* still the caller's */
		measurement_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(does_exactly_as_many_ios_as_it_may),
		cmocka_unit_test(ends_after_the_span_without_time_based),
		cmocka_unit_test(linear_jobs_split_the_span),
		cmocka_unit_test(keeps_iodepth_in_flight_and_no_more),
		cmocka_unit_test(submits_and_reaps_in_batches),
		cmocka_unit_test(syncs_once_a_reaped_write_with_the_others_in_flight),
		cmocka_unit_test(syncs_after_every_nth_write),
		cmocka_unit_test(the_nth_write_alone_carries_the_sync),
		cmocka_unit_test(due_times_do_not_drift),
		cmocka_unit_test(a_paced_load_counts_from_when_an_io_was_due),
		cmocka_unit_test(a_paced_load_is_never_ahead_of_its_rate),
		cmocka_unit_test(thinks_after_each_io),
		cmocka_unit_test(the_timeline_adds_up_to_the_whole),
		cmocka_unit_test(ticks_once_a_second_and_stops_when_told),
		cmocka_unit_test(a_long_wait_ends_when_told),
		cmocka_unit_test(goes_to_the_next_file_when_one_is_full),
		cmocka_unit_test(a_file_that_cannot_be_had_ends_the_run),
		cmocka_unit_test(a_real_file_holds_what_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
