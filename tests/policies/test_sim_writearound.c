/* Write-around: traces worked out by hand (times of tests/policies/sim_rig.h, in us). */
#include "tests/policies/sim_rig.h"

static void write_step(struct rig *r, uint32_t count)
{
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096, .count = count });
}

static void flush_step(struct rig *r)
{
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
}

/* Writes are answered after two hops. The second is in the first one's object and is held; the
 * flush at 40 sends it: it is over at 1040, the flush at 1060. */
static void the_flush_waits_for_what_is_under_way(void **state)
{
	struct rig *r = rig_new(&sim_writearound);

	(void)state;
	write_step(r, 2);
	flush_step(r);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK, .think_ns = 500000 });
	r->cfg.max_ops = 9;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 W0 20-40 F0 40-1060 "
		"W0 1560-1580 W0 1580-1600 F0 1600-2620 "
		"W0 3120-3140 W0 3140-3160 F0 3160-4180");
	assert_int_equal(r->res->committed_bytes, 6 * 4096);
	rig_free(r);
}

/* Room for two: the third waits for the first to be over (1000), the fifth for the third (2000). */
static void a_full_cache_queues_in_order(void **state)
{
	struct rig *r = rig_new(&sim_writearound);

	(void)state;
	write_step(r, 1);
	r->image[0].set.max_dirty_bytes = 8192;
	r->image[0].no_scheduler = true;
	r->cfg.max_ops = 5;
	rig_run(r);
	assert_string_equal(r->trace,
		"W0 0-20 W0 20-40 W0 40-1020 W0 1020-1040 W0 1040-2020");
	assert_int_equal(r->res->counter[SIM_COUNT_BLOCKED], 2);
	assert_int_equal(r->res->full_bytes, 8192);
	rig_free(r);
}

/* One block: each write waits for the one before to be committed; nothing is absorbed. */
static void an_overwrite_waits_for_what_it_overlaps(void **state)
{
	struct rig *r = rig_new(&sim_writearound);

	(void)state;
	write_step(r, 1);
	r->client[0].span_bytes = 4096;
	r->cfg.max_ops = 4;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 W0 20-1020 W0 1020-2020 W0 2020-3020");
	assert_int_equal(r->res->absorbed_bytes, 0);
	rig_free(r);
}

static void until_the_first_flush_it_does_nothing(void **state)
{
	struct rig *r = rig_new(&sim_writearound);

	(void)state;
	write_step(r, 1);
	flush_step(r);
	r->image[0].set.until_flush = true;
	r->cfg.max_ops = 4;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1020 F0 1020-1040 W0 1040-1060 F0 1060-2060");
	rig_free(r);
}

/* The read at 20 overlaps the write that is under way until 1000. */
static void a_read_waits_for_what_it_overlaps(void **state)
{
	struct rig *r = rig_new(&sim_writearound);

	(void)state;
	write_step(r, 1);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_READ, .bytes = 4096 });
	r->client[0].span_bytes = 4096;
	r->cfg.max_ops = 2;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 R0 20-1520");
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_flush_waits_for_what_is_under_way),
		cmocka_unit_test(a_full_cache_queues_in_order),
		cmocka_unit_test(an_overwrite_waits_for_what_it_overlaps),
		cmocka_unit_test(until_the_first_flush_it_does_nothing),
		cmocka_unit_test(a_read_waits_for_what_it_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
