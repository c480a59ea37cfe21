/* test_load_faults.c - the nth call fails, n = 1, 2, ...: nothing lost, nothing counted twice. */
#include "tests/probes/scripted_engine.h"

static struct load_params some_params(void)
{
	struct load_params p;

	load_params_init(&p);
	p.engine = "null";
	p.rw = RW_WRITE;
	p.offset = 8192;
	p.size = 4096 * 1000;
	p.io_limit = 40;
	p.iodepth = 4;
	p.fsync = 1;
	p.batch_submit = p.batch_complete_max = 2;
	return p;
}

static struct measurement *run(const struct load_params *p, uint64_t patience_ns, atomic_bool *stop)
{
	const struct load_setup setup = {
		.ops = &scripted_engine, .sys = &engine_sys_kernel,
		.stop_patience_ns = patience_ns, .end_patience_ns = patience_ns,
	};
	const struct load_watch watch = { .stop = stop };
	struct measurement *m = measurement_new("t", "t", "t");
	struct err e = ERR_INIT;

	assert_non_null(m);
	assert_int_equal(load_run_with(p, &setup, &watch, m, &e), 0);
	assert_int_equal(m->lat.count, m->ios);
	if (p->fsync)
		assert_int_equal(m->write_lat.count, m->ios);
	assert_int_equal(m->bytes, m->ios * 4096);
	return m;
}

static void what_the_kernel_does_in_passing_changes_nothing(void **state)
{
	static const enum fault kinds[] = { F_SUBMIT_AGAIN, F_SUBMIT_PART, F_REAP_NOTHING, F_RES_SHORT };
	struct load_params p = some_params();

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		for (unsigned n = 1; n < 50; n++) {
			struct measurement *m;

			script_set(kinds[k], n, 0);
			m = run(&p, NS_PER_S, NULL);
			assert_string_equal(m->stop, "io-limit");
			assert_int_equal(m->ios, 40);
			assert_int_equal(m->errors, 0);
			assert_null(m->error);
			assert_int_equal(script.queued, 0);
			assert_int_equal(script.written, 40 * 4096);
			assert_int_equal(script.durable, script.written);
			if (kinds[k] == F_RES_SHORT && n <= 40)
				assert_int_equal(script.accepted, 41);
			measurement_free(m);
		}
	}
}

static void a_short_transfer_continues_where_it_ended(void **state)
{
	struct load_params p = some_params();

	(void)state;
	p.iodepth = p.batch_submit = p.batch_complete_max = 1;
	script_set(F_RES_SHORT, 3, 0);
	measurement_free(run(&p, NS_PER_S, NULL));
	assert_int_equal(script.offset[2], 8192 + 2 * 4096);
	assert_int_equal(script.offset[3], 8192 + 2 * 4096 + 2048);
	assert_int_equal(script.offset[4], 8192 + 3 * 4096);
}

static void an_io_error_ends_the_run_and_names_its_place(void **state)
{
	static const int errors[] = { EIO, ENOSPC, EINVAL };
	struct load_params p = some_params();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (unsigned n = 1; n <= 40; n++) {
			struct measurement *m;
			char want[128];

			script_set(F_RES_ERROR, n, errors[i]);
			m = run(&p, NS_PER_S, NULL);
			(void)snprintf(want, sizeof(want), "write of 4096 bytes at offset %u: %s",
				8192 + (n - 1) * 4096, strerror(errors[i]));
			assert_string_equal(m->stop, "error");
			assert_string_equal(m->error, want);
			assert_int_equal(m->errors, 1);
			assert_int_equal(script.queued, 0); /* all that was in flight was reaped */
			assert_int_equal(m->ios, script.accepted - 1);
			assert_true(m->ios >= n - 1 && m->ios <= n + 4);
			measurement_free(m);
		}
	}
}

static void a_write_that_writes_nothing_is_an_error(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	script_set(F_RES_ZERO, 5, 0);
	m = run(&p, NS_PER_S, NULL);
	assert_string_equal(m->stop, "error");
	assert_string_equal(m->error,
		"write of 4096 bytes at offset 24576: nothing was transferred");
	measurement_free(m);
}

static void a_device_that_went_away_is_told_apart(void **state)
{
	static const int errors[] = { ENODEV, ENXIO };
	struct load_params p = some_params();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct measurement *m;

		script_set(F_RES_ERROR, 7, errors[i]);
		m = run(&p, NS_PER_S, NULL);
		assert_string_equal(m->stop, "device-gone");
		assert_non_null(m->error);
		assert_true(m->ios >= 6);
		measurement_free(m);
	}
}

static void a_failed_sync_makes_no_write_durable(void **state)
{
	struct load_params p = some_params();

	(void)state;
	for (unsigned n = 1; n < 19; n++) {
		struct measurement *m;

		script_set(F_SYNC_ERROR, n, EIO);
		m = run(&p, NS_PER_S, NULL);
		assert_string_equal(m->stop, "error");
		assert_non_null(strstr(m->error, "fsync after write of 4096 bytes at offset "));
		assert_non_null(strstr(m->error, strerror(EIO)));
		assert_int_equal(m->errors, 1);
		assert_int_equal(script.queued, 0);
		/* those of the failed sync are not among them */
		assert_int_equal(m->ios, script.accepted - 2);
		measurement_free(m);
	}
}

static void a_refused_submit_ends_the_run(void **state)
{
	struct load_params p = some_params();

	(void)state;
	for (unsigned n = 1; n <= 20; n++) {
		struct measurement *m;

		script_set(F_SUBMIT_ERROR, n, EINVAL);
		m = run(&p, NS_PER_S, NULL);
		assert_string_equal(m->stop, "error");
		assert_non_null(strstr(m->error, "submit of write of 4096 bytes at offset "));
		assert_int_equal(m->ios, script.accepted);
		assert_int_equal(script.queued, 0);
		measurement_free(m);
	}
}

static void completions_that_cannot_be_read_end_the_run(void **state)
{
	struct load_params p = some_params();

	(void)state;
	for (unsigned n = 1; n <= 15; n++) {
		struct measurement *m;

		script_set(F_REAP_ERROR, n, EINVAL);
		m = run(&p, NS_PER_S, NULL);
		assert_string_equal(m->stop, "error");
		assert_non_null(strstr(m->error, strerror(EINVAL)));
		measurement_free(m);
	}
}

static void the_end_of_a_file_is_an_error_when_reading(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.rw = RW_READ;
	p.fsync = 0;
	script_set(F_RES_ZERO, 1, 0);
	m = run(&p, NS_PER_S, NULL);
	assert_string_equal(m->error, "read of 4096 bytes at offset 8192: nothing was transferred");
	measurement_free(m);
}

/* An I/O never comes back: the run ends without it, and its job cleans up when it does. */
static void a_stuck_device_does_not_hold_a_stopped_run(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	script_set(F_REAP_HANGS, 1, 0);
	m = run(&p, 1000000, &script.hung); /* stopped by what hangs */
	assert_string_equal(m->stop, "error");
	assert_non_null(strstr(m->error, "does not answer"));
	assert_int_equal(m->errors, 1);
	measurement_free(m);
	assert_int_equal(sem_post(&script.release), 0);
	while (sem_wait(&script.closed) < 0)
		;
	assert_true(script.submits <= 3); /* nothing was written after that */
	assert_int_equal(script.syncs, 0);
}

static void a_stuck_device_does_not_outlast_the_runtime(void **state)
{
	struct load_params p = some_params();
	struct measurement *m;

	(void)state;
	p.runtime_ns = 1000000;
	p.time_based = true;
	p.io_limit = 0;
	for (;;) {
		script_set(F_REAP_HANGS, 1, 0);
		m = run(&p, 1000000, NULL);
		if (atomic_load(&script.hung))
			break;
		measurement_free(m); /* its thread began after the end of the runtime */
	}
	assert_string_equal(m->stop, "error");
	assert_non_null(strstr(m->error, "does not answer"));
	measurement_free(m);
	assert_int_equal(sem_post(&script.release), 0);
	while (sem_wait(&script.closed) < 0)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_does_in_passing_changes_nothing),
		cmocka_unit_test(a_short_transfer_continues_where_it_ended),
		cmocka_unit_test(an_io_error_ends_the_run_and_names_its_place),
		cmocka_unit_test(a_write_that_writes_nothing_is_an_error),
		cmocka_unit_test(a_device_that_went_away_is_told_apart),
		cmocka_unit_test(a_failed_sync_makes_no_write_durable),
		cmocka_unit_test(a_refused_submit_ends_the_run),
		cmocka_unit_test(completions_that_cannot_be_read_end_the_run),
		cmocka_unit_test(the_end_of_a_file_is_an_error_when_reading),
		cmocka_unit_test(a_stuck_device_does_not_hold_a_stopped_run),
		cmocka_unit_test(a_stuck_device_does_not_outlast_the_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
