/* Service times out of a measured backend: which row, which histogram, what is taken off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "policies/advise.h"

#define MS 1e6

static void near(double got, double want, double rel)
{
	if (!(fabs(got - want) <= rel * fabs(want)))
		fail_msg("got %.9g, want %.9g within %g", got, want, rel);
}

/* Pairs back to back 2 ms, after 10 ms 4 ms; a flush 0.1 ms; a wake-up 0.5 ms. */
struct rig {
	struct advise_input in;
	struct backend_samples samples;
	struct advise_case c;
	struct sim_table *t;
	struct notes notes;
};

static struct hist *around(double ns)
{
	struct hist *h = hist_new();

	assert_non_null(h);
	for (int i = -50; i <= 50; i++)
		hist_record(h, (uint64_t)(ns * (1 + i / 1000.0)));
	return h;
}

static void add_pair(struct rig *r, double pause_ns, double write_ns)
{
	size_t i = r->in.backend.pair_count++;

	r->in.backend.pair[i].pause_ns = r->samples.pair[i].pause_ns = pause_ns;
	stat_set(&r->in.backend.pair[i].write, write_ns, NAN, NAN);
	r->samples.pair[i].write = around(write_ns);
	r->samples.pair_count++;
}

static void rig_up(struct rig *r, double think_ns)
{
	*r = (struct rig){ .in = { .backend = { .wake_ns = 0.5 * MS } },
		.c = { .load = { .depth = 1, .write_bytes = 4096, .syncs_per_write = 1,
		.think_ns = think_ns } } };
	stat_set(&r->in.backend.in[BACKEND_WRITE], 3 * MS, NAN, NAN);
	stat_set(&r->in.backend.in[BACKEND_FLUSH], 0.1 * MS, NAN, NAN);
	stat_set(&r->in.backend.in[BACKEND_REFRESH], 1 * MS, NAN, NAN);
	r->samples.in[BACKEND_WRITE] = around(3 * MS);
	add_pair(r, 0, 2 * MS);
	add_pair(r, 10 * MS, 4 * MS);
	r->in.samples = &r->samples;
	r->c.in = &r->in;
	r->t = calloc(SIM_SERVICE_COUNT, sizeof(*r->t));
	assert_non_null(r->t);
	model_backend_resolve(&r->in.backend, &r->c.load, &r->c.backend, &r->notes);
	advise_tables(&r->c, r->t);
}

static double median(const struct rig *r, enum sim_service s)
{
	return sim_table_quantile(&r->t[s], 0.5);
}

static void rig_down(struct rig *r)
{
	backend_samples_done(&r->samples);
	notes_done(&r->notes);
	free(r->t);
}

static void a_load_that_rests_has_two_kinds_of_writes(void **state)
{
	struct rig r;

	(void)state;
	rig_up(&r, 10 * MS);
	near(median(&r, SIM_B_WRITE), 3.9 * MS, 0.02); /* less two hops of 50 us */
	near(median(&r, SIM_B_NEXT), 1.9 * MS, 0.02);
	near(median(&r, SIM_B_WRITE_AWAKE), 3.4 * MS, 0.02);
	near(median(&r, SIM_B_NEXT_AWAKE), 1.55 * MS, 0.02);
	/* of which the commit of a metadata change is one, ... */
	near(median(&r, SIM_B_META_WRITE), 1.55 * MS, 0.02);
	/* ... though not faster than three reads of the header */
	r.c.backend.refresh = dist_const(5 * MS);
	advise_tables(&r.c, r.t);
	near(median(&r, SIM_B_META_WRITE), 3 * MS, 0.02);
	rig_down(&r);
}

static void a_load_without_rest_has_one(void **state)
{
	struct rig r;

	(void)state;
	rig_up(&r, 0);
	near(median(&r, SIM_B_WRITE), 1.9 * MS, 0.02);
	assert_false(r.t[SIM_B_NEXT].known || r.t[SIM_B_NEXT_AWAKE].known);
	rig_down(&r);
}

/* For the question whether the decision flips, the backend is moved: all of its writes are. */
static void both_kinds_are_moved_together(void **state)
{
	struct rig r;

	(void)state;
	rig_up(&r, 10 * MS);
	r.c.backend.write = dist_scale(r.c.backend.write, 1.5);
	advise_tables(&r.c, r.t);
	near(median(&r, SIM_B_WRITE), 5.9 * MS, 0.02);
	near(median(&r, SIM_B_NEXT), 2.9 * MS, 0.02);
	rig_down(&r);
}

static void deep_loads_are_drawn_from_single_writes(void **state)
{
	struct rig r;

	(void)state;
	rig_up(&r, 10 * MS);
	r.c.load.depth = 16;
	model_backend_resolve(&r.in.backend, &r.c.load, &r.c.backend, &r.notes);
	advise_tables(&r.c, r.t);
	near(median(&r, SIM_B_WRITE), 2.9 * MS, 0.02);
	assert_false(r.t[SIM_B_NEXT].known);
	rig_down(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_that_rests_has_two_kinds_of_writes),
		cmocka_unit_test(a_load_without_rest_has_one),
		cmocka_unit_test(both_kinds_are_moved_together),
		cmocka_unit_test(deep_loads_are_drawn_from_single_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
