/* Predictions: against sums made by hand, by monotonicity, and against measured runs. The models
 * themselves have their own tests (test_sim*.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "policies/model.h"
#include "policies/model_pwl.h"

#define MS 1e6
#define US 1e3
#define MIB 1048576.0

static void near(double got, double want, double rel)
{
	if (!(fabs(got - want) <= rel * fabs(want)))
		fail_msg("got %.9g, want %.9g within %g", got, want, rel);
}

/* A write+flush client on the raw image. */
static struct workload pair_load(double bytes, double think_ns)
{
	return (struct workload){ .write_bytes = bytes, .depth = 1, .syncs_per_write = 1,
		.stack = STACK_RAW, .think_ns = think_ns, .images = 1, .slo_limit_ns = NAN };
}

/* Constants make sums exact: b 1 ms, flush 100 us, hop 20 us, refresh 2 ms, K 16. */
static struct model_backend flat_backend(void)
{
	return (struct model_backend){ .write = dist_const(1 * MS), .read = dist_const(0.5 * MS),
		.flush = dist_const(100 * US), .refresh = dist_const(2 * MS),
		.guest_sync = DIST_UNKNOWN, .concurrency = 16, .hop_ns = 20 * US };
}

/* A refresh that is over before a write is written back: a log that was outrun stays so. */
static struct model_backend hasty_backend(void)
{
	struct model_backend b = flat_backend();

	b.refresh = dist_const(0.5 * MS);
	return b;
}

static struct model_drive flat_drive(void)
{
	return (struct model_drive){ .sync = dist_const(40 * US), .write4k = dist_const(30 * US),
		.write12k = dist_const(50 * US), .read4k = dist_const(80 * US) };
}

static struct cache_settings settings(enum cache_mode mode)
{
	return (struct cache_settings){ .mode = mode, .under = CACHE_NONE, .size_bytes = 32 * MIB,
		.max_dirty_bytes = 24 * MIB, .target_dirty_bytes = 16 * MIB,
		.max_dirty_age_s = 1, .pwl_bytes = 1024 * MIB };
}

static struct prediction run(enum cache_mode mode, const struct workload *w,
	const struct model_backend *b, const struct model_drive *d)
{
	struct cache_settings s = settings(mode);
	struct model_input in = { .load = w, .set = &s, .backend = b, .drive = d,
		.images = w->images };
	struct prediction p;

	model_of(mode)->evaluate(&in, &p);
	return p;
}

static void the_table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; model_table[i] != NULL; i++) {
		assert_non_null(model_table[i]->evaluate);
		assert_non_null(model_table[i]->summary);
		assert_ptr_equal(model_of(model_table[i]->mode), model_table[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(model_table[i]->name, model_table[k]->name);
	}
}

/* The flush without cache is two hops; a hop is lognormal about 20 us, so sums are not exact. */
static void no_in_memory_policy_shortens_a_write_and_flush(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	struct prediction none, p;

	(void)state;
	none = run(CACHE_NONE, &w, &b, NULL);
	near(none.write.p50_ns, 1000 * US, 0.02);
	assert_true(none.flush.p50_ns < 100 * US);
	/* Two hops of 20 us: less than half of that where operations follow each other so closely. */
	near(none.pair.p50_ns, 1020 * US, 0.02);
	near(none.guest_sync.p50_ns, none.pair.p50_ns, 1e-9);
	near(none.iops, 1e9 / (1040 * US), 0.05);
	assert_true(none.memory_bytes == 0 && none.at_risk_bytes == 0);
	assert_string_equal(none.regime, "direct");
	p = run(CACHE_WRITETHROUGH, &w, &b, NULL);
	near(p.write.p50_ns, 1030 * US, 0.02);
	near(p.memory_bytes, 32 * MIB, 1e-9);
	p = run(CACHE_WRITEBACK, &w, &b, NULL);
	assert_true(p.write.p50_ns < 150 * US);
	near(p.flush.p50_ns, 1030 * US, 0.02);
	near(p.pair.p50_ns, none.pair.p50_ns, 0.15);
	near(p.memory_bytes, 56 * MIB, 1e-9);
	/* The write goes out at once, so the flush waits for what is left of it. */
	p = run(CACHE_WRITEAROUND, &w, &b, NULL);
	assert_true(p.write.p50_ns < 100 * US && p.flush.p50_ns < 1000 * US);
	near(p.pair.p50_ns, none.pair.p50_ns, 0.10);
	near(p.memory_bytes, 24 * MIB, 1e-9);
}

/* Three writes one after another without a cache; with one, data and journal go out together. */
static void an_appending_guest_pays_three_writes(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();

	(void)state;
	w.stack = STACK_FS_APPEND;
	near(run(CACHE_NONE, &w, &b, NULL).guest_sync.p50_ns, 3100 * US, 0.03);
	near(run(CACHE_WRITEAROUND, &w, &b, NULL).guest_sync.p50_ns, 2050 * US, 0.06);
	b.guest_sync = (struct dist){ 1.2 * MS, 1.417 * MS, 2 * MS };
	near(run(CACHE_NONE, &w, &b, NULL).guest_sync.p99_ns, 1.417 * MS, 1e-12);
}

/* 8000 B: span 4096 + 8192 = 12 KiB (50 us), superblock 4 KiB (30 us), and a dozen hops. */
static void the_log_path_is_two_device_writes(void **state)
{
	struct workload w = pair_load(8000, 0);
	struct model_backend b = hasty_backend();
	struct model_drive d = flat_drive();
	struct prediction p = run(CACHE_PWL_SSD, &w, &b, &d);

	(void)state;
	assert_true(p.write.p50_ns < 100 * US);
	assert_true(p.flush.p50_ns > 80 * US && p.flush.p50_ns < 80 * US + 15 * 25 * US);
	/* It outruns writeback: no refresh, and a log that fills. */
	assert_true(p.pair.p99_ns < 1 * MS);
	assert_string_equal(p.regime, "filling");
}

/* A pause shorter than writeback and the state write takes: both of a pair meet a refresh. */
static void pauses_decide_how_many_refreshes_a_pair_meets(void **state)
{
	struct workload w = pair_load(8000, 1 * MS);
	struct model_backend b = flat_backend();
	struct model_drive d = flat_drive();
	struct prediction p = run(CACHE_PWL_SSD, &w, &b, &d);

	(void)state;
	assert_string_equal(p.regime, "draining");
	assert_true(p.write.p50_ns > 2 * MS && p.flush.p50_ns > 2 * MS);
	assert_true(p.place_ns[SIM_AT_REFRESH] > 3 * MS);
	w.think_ns = 10 * MS;
	p = run(CACHE_PWL_SSD, &w, &b, &d);
	assert_string_equal(p.regime, "paced");
	assert_true(p.write.p50_ns > 2 * MS && p.write.p50_ns < 2.5 * MS);
	assert_true(p.flush.p50_ns < 500 * US);
	assert_true(isnan(p.fill_seconds) && isnan(p.stall_seconds));
}

static double all_places(const struct prediction *p)
{
	double sum = 0;

	for (int i = 0; i < SIM_PLACE_COUNT; i++)
		sum += isnan(p->place_ns[i]) ? 0 : p->place_ns[i];
	return sum;
}

/* A pair without cache is b and hops; under PWL two device writes, one of them the superblock's. Four
 * streams of two servers wait for a server half of the time. */
static void the_time_of_a_write_is_told_apart(void **state)
{
	struct workload w = pair_load(8000, 10 * MS);
	struct model_backend b = flat_backend();
	struct model_drive d = flat_drive();
	struct prediction p = run(CACHE_NONE, &w, &b, NULL);

	(void)state;
	near(p.place_ns[SIM_AT_BACKEND], 960 * US, 0.02);
	assert_true(p.place_ns[SIM_AT_QUEUE] == 0 && p.place_ns[SIM_AT_CLIENT] > 0);
	near(all_places(&p), p.pair.p50_ns, 0.1);
	p = run(CACHE_PWL_SSD, &w, &b, &d);
	assert_true(p.place_ns[SIM_AT_ROOT] > 30 * US && p.place_ns[SIM_AT_ROOT] < 300 * US);
	assert_true(p.place_ns[SIM_AT_LOG] > 50 * US && p.place_ns[SIM_AT_LOG] < 500 * US);
	assert_true(p.place_ns[SIM_AT_REFRESH] > 1.9 * MS);
	near(all_places(&p), p.pair.p50_ns, 0.15);
	w = pair_load(4096, 0);
	w.depth = 4;
	b.concurrency = 2;
	p = run(CACHE_NONE, &w, &b, NULL);
	near(p.place_ns[SIM_AT_QUEUE], p.place_ns[SIM_AT_BACKEND], 0.1);
}

static void without_a_refresh_stall_pwl_says_nothing(void **state)
{
	struct workload w = pair_load(8000, 10 * MS);
	struct model_backend b = flat_backend();
	struct model_drive d = flat_drive();
	struct prediction p;

	(void)state;
	b.refresh = DIST_UNKNOWN;
	p = run(CACHE_PWL_SSD, &w, &b, &d);
	assert_int_equal(p.certainty, CERTAINTY_UNSURE);
	assert_false(dist_known(p.pair));
	assert_true(isnan(p.iops));
	b = flat_backend();
	p = run(CACHE_PWL_SSD, &w, &b, NULL);
	assert_false(dist_known(p.pair));
}

/* Without syncs a cache gives what the cluster takes, once it is full, whatever its size. */
static void a_cache_that_is_outrun_is_as_slow_as_the_cluster(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	double none, around;

	(void)state;
	w.syncs_per_write = 0;
	w.depth = 32;
	b.concurrency = 4; /* a seventh of what memory would give */
	none = run(CACHE_NONE, &w, &b, NULL).iops;
	near(none, 4000, 0.1);
	near(run(CACHE_WRITEBACK, &w, &b, NULL).iops, none, 0.35);
	around = run(CACHE_WRITEAROUND, &w, &b, NULL).iops;
	near(around, none, 0.35);
	w.syncs_per_write = 0.0001; /* 40 MB of each stream: no less */
	near(run(CACHE_WRITEAROUND, &w, &b, NULL).iops, around, 0.1);
}

/* 1 GiB holds 87380 pairs of 12 KiB. Writeback, one generation after the other, takes 80 us to read
 * the entry back, 1 ms to write it, and hops. */
static void a_log_that_is_outrun_fills(void **state)
{
	struct workload w = pair_load(8000, 0);
	struct model_backend b = hasty_backend();
	struct model_drive d = flat_drive();
	struct prediction p = run(CACHE_PWL_SSD, &w, &b, &d);
	double in = 1e9 / p.pair.p50_ns, out = p.iops;

	(void)state;
	assert_true(out < 1e9 / (1.08 * MS) && out > 1e9 / (2 * MS));
	near(p.fill_seconds, 87380 / (in - out), 0.15);
	near(p.stall_seconds, 87380 / out, 0.05);
	w.think_ns = 10 * MS;
	assert_true(isnan(run(CACHE_PWL_SSD, &w, &b, &d).fill_seconds));
}

/* A pause of 5 ms (3.18 ms measured) is left out: it lies at the boundary, and what decides there, how
 * long a metadata write behind another operation takes, is not among these figures.
 * Provenance of the four: write 8000 B, flush, pause; one-node Reef cluster, 2-core VM. The
 * backend of each cell is what the same pause measured without cache; the refresh stall is 2.66 ms
 * (p99 7.07), the flush 0.10. Direction and rough size are asked for: 2 x at the median. */
static void measured_pair_cells_come_out_in_direction_and_size(void **state)
{
	static const struct {
		double bytes, think_ns, none_p50, none_p99, pwl_p50, pwl_p99;
	} cell[] = {
		{ 8000, 0, 2.95 * MS, 7.64 * MS, 0.80 * MS, NAN },
		{ 8000, 0.2 * MS, 2.35 * MS, 6.16 * MS, 0.83 * MS, NAN },
		{ 8000, 3 * MS, 2.94 * MS, 8.83 * MS, 8.50 * MS, 25.93 * MS },
		{ 8000, 10 * MS, 3.41 * MS, 9.78 * MS, 4.06 * MS, 15.57 * MS },
	};
	struct model_drive d = { .sync = dist_const(390 * US), .write4k = { 28e3, 111e3, 300e3 },
		.write12k = { 36e3, 191e3, 400e3 }, .read4k = { 38e3, 101e3, 200e3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cell) / sizeof(cell[0]); i++) {
		struct workload w = pair_load(cell[i].bytes, cell[i].think_ns);
		struct model_backend b = {
			.write = { cell[i].none_p50, cell[i].none_p99, 15 * MS },
			.read = dist_const(0.45 * MS), .flush = dist_const(0.1 * MS),
			.refresh = { 2.66 * MS, 7.07 * MS, 9.6 * MS },
			.guest_sync = DIST_UNKNOWN, .concurrency = 11, .hop_ns = 50 * US };
		struct prediction none = run(CACHE_NONE, &w, &b, NULL);
		struct prediction pwl = run(CACHE_PWL_SSD, &w, &b, &d);

		assert_true(pwl.pair.p50_ns > cell[i].pwl_p50 / 2);
		assert_true(pwl.pair.p50_ns < cell[i].pwl_p50 * 2);
		if (!isnan(cell[i].pwl_p99)) {
			assert_true(pwl.pair.p99_ns > cell[i].pwl_p99 / 2);
			assert_true(pwl.pair.p99_ns < cell[i].pwl_p99 * 2);
			/* Never a promise that PWL helps a paced load at p99. */
			assert_true(pwl.pair.p99_ns > none.pair.p99_ns);
		}
	}
}

/* Provenance: bursts of 4000 random 4 KiB writes at depth 16 every 2 s on the same cluster: write-back
 * 24 MiB of max_dirty p99 2.0 ms, 6 or 8 MiB 17 to 23 ms, no cache p50 4.3 ms. */
static void a_burst_that_fits_max_dirty_is_absorbed(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	struct cache_settings s = settings(CACHE_WRITEBACK);
	struct model_input in = { .load = &w, .set = &s, .backend = &b, .images = 1 };
	struct prediction fits, small, none;

	(void)state;
	b.write = (struct dist){ 2.64 * MS, 6.78 * MS, 9 * MS };
	w.depth = 16;
	w.syncs_per_write = 0;
	w.burst_bytes = 4000 * 4096.0;
	w.burst_gap_ns = 2e9;
	model_writeback.evaluate(&in, &fits);
	assert_string_equal(fits.regime, "absorbed");
	s.max_dirty_bytes = 6 * MIB;
	s.target_dirty_bytes = 4 * MIB;
	model_writeback.evaluate(&in, &small);
	assert_string_equal(small.regime, "overflow");
	assert_true(small.write.p99_ns > 10 * MS);
	s.mode = CACHE_NONE;
	model_none.evaluate(&in, &none);
	assert_true(none.write.p50_ns > 3 * fits.write.p50_ns);
}

static void a_guest_that_never_flushes_stays_write_through(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	struct cache_settings s = settings(CACHE_WRITEAROUND);
	struct model_input in = { .load = &w, .set = &s, .backend = &b, .images = 1 };
	struct prediction p;

	(void)state;
	w.syncs_per_write = 0;
	s.until_flush = true;
	model_writearound.evaluate(&in, &p);
	assert_string_equal(p.regime, "until-flush");
	near(p.write.p50_ns, 1 * MS, 0.05);
	assert_false(dist_known(p.guest_sync));
}

static void more_backend_latency_never_lowers_a_prediction(void **state)
{
	static const enum cache_mode modes[] = { CACHE_NONE, CACHE_WRITETHROUGH, CACHE_WRITEBACK,
		CACHE_WRITEAROUND };

	(void)state;
	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		double last = 0, last_iops = INFINITY;

		for (double b_ns = 0.1 * MS; b_ns < 100 * MS; b_ns *= 1.3) {
			struct workload w = pair_load(8000, 1 * MS);
			struct model_backend b = flat_backend();
			struct prediction p;

			w.stack = STACK_FS_APPEND;
			b.write = (struct dist){ b_ns, 3 * b_ns, 5 * b_ns };
			p = run(modes[m], &w, &b, NULL);
			assert_true(p.guest_sync.p99_ns > last);
			assert_true(p.iops <= last_iops);
			last = p.guest_sync.p99_ns;
			last_iops = p.iops;
		}
	}
}

static void a_cache_for_the_whole_burst_beats_a_small_one(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	double p99[9];
	size_t n = 0;

	(void)state;
	w.depth = 16;
	w.syncs_per_write = 0.001;
	w.burst_bytes = 64 * MIB;
	w.burst_gap_ns = 60e9;
	for (double mib = 1; mib <= 256; mib *= 2) {
		struct cache_settings s = settings(CACHE_WRITEAROUND);
		struct model_input in = { .load = &w, .set = &s, .backend = &b, .images = 1 };
		struct prediction p;

		s.max_dirty_bytes = mib * MIB;
		model_writearound.evaluate(&in, &p);
		p99[n++] = p.write.p99_ns;
	}
	/* What drains meanwhile, 16 at a time, needs no room; the rest of 64 MiB does. */
	assert_true(p99[8] < p99[0] / 2);
	near(p99[8], p99[7], 0.01);
}

static void more_images_never_speed_up_one(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	double last = 0;

	(void)state;
	for (double n = 1; n <= 128; n *= 2) {
		struct prediction p;

		w.images = n;
		p = run(CACHE_NONE, &w, &b, NULL);
		assert_true(p.write.p50_ns >= last * 0.95);
		last = p.write.p50_ns;
	}
	/* 128 streams over 16 servers of 1 ms (+ nothing for the size). */
	near(last, 8 * MS, 0.15);
}

/* Measured: 330 IOPS of two clients where one handle had 4,372 at the same depth. */
static void clients_of_one_image_slow_each_other(void **state)
{
	struct workload w = pair_load(4096, 0);
	struct model_backend b = flat_backend();
	struct cache_settings s = settings(CACHE_NONE);
	struct model_input in = { .load = &w, .set = &s, .backend = &b, .images = 1 };
	struct prediction alone, shared;

	(void)state;
	w.depth = 4;
	w.syncs_per_write = 0;
	model_none.evaluate(&in, &alone);
	in.handles = 2;
	model_none.evaluate(&in, &shared);
	assert_string_equal(shared.regime, "shared");
	assert_true(shared.iops < alone.iops / 2);
	assert_true(shared.place_ns[SIM_AT_LOCK] > 0);
	/* What a cache that has to be emptied first takes, nobody has measured. */
	s.mode = s.under = CACHE_WRITEBACK;
	model_writeback.evaluate(&in, &shared);
	assert_true(isnan(shared.iops));
}

static void a_log_is_sized_for_the_burst_and_never_below_a_gibibyte(void **state)
{
	struct workload w = pair_load(4096, 0);

	(void)state;
	near(pwl_fit_bytes(&w), 1024 * MIB, 1e-12);
	/* 1 GiB of 4 KiB writes takes 2 GiB of the log, which is to stay half empty. */
	w.burst_bytes = 1024 * MIB;
	near(pwl_fit_bytes(&w), 4096 * MIB, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_sound),
		cmocka_unit_test(no_in_memory_policy_shortens_a_write_and_flush),
		cmocka_unit_test(an_appending_guest_pays_three_writes),
		cmocka_unit_test(the_log_path_is_two_device_writes),
		cmocka_unit_test(pauses_decide_how_many_refreshes_a_pair_meets),
		cmocka_unit_test(the_time_of_a_write_is_told_apart),
		cmocka_unit_test(without_a_refresh_stall_pwl_says_nothing),
		cmocka_unit_test(a_cache_that_is_outrun_is_as_slow_as_the_cluster),
		cmocka_unit_test(a_log_that_is_outrun_fills),
		cmocka_unit_test(measured_pair_cells_come_out_in_direction_and_size),
		cmocka_unit_test(a_burst_that_fits_max_dirty_is_absorbed),
		cmocka_unit_test(a_guest_that_never_flushes_stays_write_through),
		cmocka_unit_test(more_backend_latency_never_lowers_a_prediction),
		cmocka_unit_test(a_cache_for_the_whole_burst_beats_a_small_one),
		cmocka_unit_test(more_images_never_speed_up_one),
		cmocka_unit_test(clients_of_one_image_slow_each_other),
		cmocka_unit_test(a_log_is_sized_for_the_burst_and_never_below_a_gibibyte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
