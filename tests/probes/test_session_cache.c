/* test_session_cache.c - a session with both states of the write cache: legs, truth, the way back.
 */
#include "probes/session.h"

#include "tests/probes/wc_sim.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct battery_row rows[] = {
	{ .key = "one", .label = "One", .on = ROW_ON_ANY, .engine = "null", .rw = RW_RANDWRITE,
	  .bs = 4096, .iodepth = 4, .runtime_s = 1 },
	{ .key = "two", .label = "Two", .on = ROW_ON_ANY, .engine = "null", .rw = RW_RANDREAD,
	  .bs = 4096, .iodepth = 1, .runtime_s = 1 },
};
static const struct battery battery = { .name = "null", .summary = "nothing is measured",
	.rows = rows, .row_count = 2 };
/* /dev/full answers every write with ENOSPC. */
static const struct battery_row full_rows[] = {
	{ .key = "full", .label = "Full", .on = ROW_ON_ANY, .engine = "sync", .rw = RW_WRITE,
	  .bs = 4096, .iodepth = 1, .runtime_s = 1 },
};
static const struct battery full_battery = { .name = "full", .summary = "fails",
	.rows = full_rows, .row_count = 1 };

struct rig {
	char base[64], file[80], folder[80];
	struct sim sim;
	struct devio io;
	struct cacheguard *guard;
	struct target t;
	struct plan p;
	struct result *r;
	int fd;
	struct err e;
};

static void rig_start(struct rig *rig, const struct battery *b, enum plan_cache mode, bool on)
{
	struct plan_options o = { .battery = b, .runtime_ns = 20000000, .size = 1 << 20,
		.slc_bytes = PLAN_SLC_ASSUMED, .rated_tbw_bytes = NAN, .randseed = 7,
		.write_cache = mode };
	struct wc_dev dev = { .io = &rig->io, .kernel = &sim_kernel_ops, .kernel_ctx = &rig->sim };
	struct json *drive = json_new_object();

	memset(rig, 0, sizeof(*rig));
	(void)snprintf(rig->base, sizeof(rig->base), "/var/tmp/ssdqual-test-wcs-XXXXXX");
	assert_non_null(mkdtemp(rig->base));
	(void)snprintf(rig->file, sizeof(rig->file), "%s/target", rig->base);
	(void)snprintf(rig->folder, sizeof(rig->folder), "%s/state", rig->base);
	rig->fd = open(rig->file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(rig->fd, 1 << 20), 0);
	rig->sim = (struct sim){ .kind = SIM_ATA, .on = on, .saved = on, .initial = true,
		.queue_back = on, .sd_back = on };
	rig->io = sim_io(&rig->sim);
	(void)json_set_str(drive, "model", "ACME S1");
	(void)json_set_str(drive, "serial", "A1");
	assert_int_equal(cacheguard_new(rig->folder, drive, &dev, &rig->guard, NULL), 0);
	rig->t = (struct target){ .kind = TARGET_BLOCK, .given = rig->file, .path = rig->file,
		.size_bytes = 1 << 20, .logical_block = 512 };
	rig->t.identity = json_new_object();
	assert_int_equal(plan_make(&rig->t, &o, &rig->p, &rig->e), 0);
	rig->r = result_new();
}

static void rig_end(struct rig *rig)
{
	char command[128];

	(void)close(rig->fd);
	cacheguard_free(rig->guard);
	result_free(rig->r);
	plan_done(&rig->p);
	json_free(rig->t.identity);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", rig->base);
	assert_int_equal(system(command), 0);
}

static int run(struct rig *rig, const struct session_watch *watch)
{
	return session_run(&rig->t, &rig->p, rig->fd, rig->guard, watch, rig->r, &rig->e);
}

/* 1 restored, 0 not restored, -1 null */
static int restored(const struct rig *rig)
{
	bool v;

	return json_bool(json_path(rig->r->doc, "settings.write_cache_restored"), &v) ? v : -1;
}

static size_t entries(const struct rig *rig)
{
	struct journal_list l;
	size_t n;

	assert_int_equal(journal_read(rig->folder, &l, NULL), 0);
	n = l.count;
	journal_list_done(&l);
	return n;
}

static bool has_finding(const struct result *r, const char *code)
{
	const struct json *f = json_first(json_get(r->doc, "findings"));

	for (; f; f = json_next(f))
		if (!strcmp(json_str(json_get(f, "code")), code))
			return true;
	return false;
}

static void both_states_are_measured_twice_a_row_in_turn(void **state)
{
	static const enum write_cache_state order[] = { WC_ON, WC_OFF, WC_OFF, WC_ON };
	struct rig rig;

	(void)state;
	for (int on = 0; on < 2; on++) {
		rig_start(&rig, &battery, PLAN_CACHE_BOTH, on);
		assert_true(fabs(rig.p.seconds - 0.08) < 1e-9); /* twice two rows of 20 ms */
		if (run(&rig, NULL) < 0)
			fail_msg("%s", rig.e.msg);
		assert_int_equal(rig.r->measurement_count, 8);
		for (size_t i = 0; i < 8; i++) {
			const struct measurement *m = rig.r->measurements[i];
			uint64_t leg = 0;

			assert_string_equal(m->probe, i < 4 ? "one" : "two");
			assert_int_equal(m->write_cache, order[i % 4]);
			assert_true(json_u64(json_get(m->extra, "leg"), &leg));
			assert_int_equal(leg, i % 4 + 1);
		}
		assert_string_equal(
			json_str(json_path(rig.r->doc, "settings.write_cache_mode")), "both");
		assert_string_equal(
			json_str(json_path(rig.r->doc, "settings.write_cache_before.drive")),
			on ? "on" : "off");
		assert_int_equal(restored(&rig), 1);
		assert_int_equal(rig.sim.on, on);
		assert_false(rig.sim.unsafe);
		/* On, off, on; the next row begins where this one ended. */
		assert_int_equal(rig.sim.changes, on ? 4 : 6);
		assert_int_equal(entries(&rig), 0);
		rig_end(&rig);
	}
}

static void the_document_with_legs_is_valid_and_keeps_them(void **state)
{
	struct complaints c = { .count = 0 };
	struct result *again = NULL;
	struct json *doc;
	struct rig rig;
	uint64_t leg = 0;

	(void)state;
	rig_start(&rig, &battery, PLAN_CACHE_BOTH, true);
	assert_int_equal(run(&rig, NULL), 0);
	(void)json_set_str(result_section(rig.r, "tool"), "name", "ssdqual");
	(void)json_set_str(result_section(rig.r, "tool"), "version", "0");
	doc = result_to_json(rig.r);
	assert_int_equal(result_validate(doc, &c, NULL), 0);
	assert_int_equal(c.count, 0);
	complaints_done(&c);
	assert_int_equal(result_from_json(doc, "test", &again, NULL), 0);
	assert_true(json_u64(json_get(again->measurements[2]->extra, "leg"), &leg));
	assert_int_equal(leg, 3);
	result_free(again);
	rig_end(&rig);
}

static void one_state_and_keep_are_a_leg_a_row(void **state)
{
	static const enum plan_cache modes[] = { PLAN_CACHE_ON, PLAN_CACHE_OFF, PLAN_CACHE_KEEP };
	static const enum write_cache_state states[] = { WC_ON, WC_OFF, WC_ON };
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		rig_start(&rig, &battery, modes[i], true);
		assert_int_equal(run(&rig, NULL), 0);
		assert_int_equal(rig.r->measurement_count, 2);
		assert_int_equal(rig.r->measurements[0]->write_cache, states[i]);
		assert_int_equal(rig.r->measurements[1]->write_cache, states[i]);
		assert_null(rig.r->measurements[0]->extra);
		assert_int_equal(restored(&rig), modes[i] == PLAN_CACHE_KEEP ? -1 : 1);
		assert_int_equal(rig.sim.changes, modes[i] == PLAN_CACHE_OFF ? 2 : 0);
		assert_true(rig.sim.on);
		rig_end(&rig);
	}
}

struct stop_at {
	atomic_bool stop;
	unsigned left;
};

static void stop_later(void *ctx, const struct measurement *m)
{
	struct stop_at *s = ctx;

	(void)m;
	if (--s->left == 0)
		atomic_store(&s->stop, true);
}

static void a_stop_after_any_leg_restores(void **state)
{
	struct rig rig;

	(void)state;
	for (unsigned leg = 1; leg <= 4; leg++) {
		struct stop_at at = { .left = leg };
		struct session_watch watch = { .row_end = stop_later, .ctx = &at,
			.stop = &at.stop };

		rig_start(&rig, &battery, PLAN_CACHE_BOTH, true);
		assert_int_equal(run(&rig, &watch), -EINTR);
		assert_int_equal(rig.e.kind, ERR_STOPPED);
		assert_int_equal(rig.r->measurement_count, leg);
		assert_true(rig.sim.on);
		assert_int_equal(restored(&rig), 1);
		assert_int_equal(entries(&rig), 0);
		rig_end(&rig);
	}
}

static void an_error_of_a_row_restores(void **state)
{
	struct rig rig;

	(void)state;
	rig_start(&rig, &full_battery, PLAN_CACHE_OFF, true);
	(void)close(rig.fd);
	rig.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	assert_true(run(&rig, NULL) < 0);
	assert_true(rig.sim.on);
	assert_int_equal(restored(&rig), 1);
	assert_int_equal(entries(&rig), 0);
	rig_end(&rig);
}

struct meddler {
	struct sim *sim;
	enum sim_fault fault;
	unsigned left;
};

static void meddle(void *ctx, const struct measurement *m)
{
	struct meddler *x = ctx;

	(void)m;
	if (--x->left)
		return;
	x->sim->fault = x->fault;
	x->sim->fault_at = x->sim->step + 1;
}

/* Gone or deaf from the third leg on, where the cache is off. */
static void a_drive_that_does_not_go_back_is_told_and_stays_recorded(void **state)
{
	static const enum sim_fault faults[] = { FAULT_GONE, FAULT_DEAF };
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct meddler x = { .fault = faults[i], .left = 2 };
		struct session_watch watch = { .row_end = meddle, .ctx = &x };

		rig_start(&rig, &battery, PLAN_CACHE_BOTH, true);
		x.sim = &rig.sim;
		assert_true(run(&rig, &watch) < 0);
		assert_non_null(strstr(rig.e.msg, "cache --all restore"));
		assert_true(rig.r->measurement_count >= 2);
		assert_int_equal(restored(&rig), 0);
		assert_true(has_finding(rig.r, "write-cache-not-restored"));
		assert_int_equal(entries(&rig), 1);
		assert_false(rig.sim.unsafe);
		rig_end(&rig);
	}
}

static void reset_at_begin(void *ctx, const struct plan_row *row, const char *cache, size_t number,
	size_t of)
{
	struct sim *sim = ctx;

	(void)row;
	(void)cache;
	(void)number;
	(void)of;
	sim->on = sim->sd_back = sim->queue_back = true;
}

/* A reset in the middle of a row turns the cache on again: the figures are of neither state. */
static void a_drive_that_changed_by_itself_makes_the_row_unknown(void **state)
{
	struct session_watch watch = { .row_begin = reset_at_begin };
	struct rig rig;

	(void)state;
	rig_start(&rig, &battery, PLAN_CACHE_OFF, true);
	watch.ctx = &rig.sim;
	assert_int_equal(run(&rig, &watch), 0);
	assert_int_equal(rig.r->measurements[0]->write_cache, WC_UNKNOWN);
	assert_true(has_finding(rig.r, "write-cache-drifted"));
	assert_true(rig.sim.on);
	rig_end(&rig);
}

static void a_drive_that_refuses_the_change_ends_the_session_unchanged(void **state)
{
	struct rig rig;

	(void)state;
	rig_start(&rig, &battery, PLAN_CACHE_OFF, true);
	rig.sim.fault = FAULT_UNSUPPORTED;
	assert_true(run(&rig, NULL) < 0);
	assert_int_equal(rig.e.kind, ERR_UNSUPPORTED);
	assert_int_equal(rig.r->measurement_count, 0);
	assert_true(rig.sim.on && rig.sim.queue_back);
	assert_int_equal(restored(&rig), 1);
	assert_int_equal(entries(&rig), 0);
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_states_are_measured_twice_a_row_in_turn),
		cmocka_unit_test(the_document_with_legs_is_valid_and_keeps_them),
		cmocka_unit_test(one_state_and_keep_are_a_leg_a_row),
		cmocka_unit_test(a_stop_after_any_leg_restores),
		cmocka_unit_test(an_error_of_a_row_restores),
		cmocka_unit_test(a_drive_that_does_not_go_back_is_told_and_stays_recorded),
		cmocka_unit_test(a_drive_that_changed_by_itself_makes_the_row_unknown),
		cmocka_unit_test(a_drive_that_refuses_the_change_ends_the_session_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
