/* Write-back and write-through: traces worked out by hand (times of sim_rig.h, in us). */
#include "tests/policies/sim_rig.h"

static struct rig *rig_of(const struct sim_model_ops *model, uint32_t writes, bool flush)
{
	struct rig *r = rig_new(model);

	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096,
		.count = writes });
	if (flush)
		rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	return r;
}

/* b and four hops; the flush finds nothing and takes one. */
static void write_through_waits_for_each_write(void **state)
{
	struct rig *r = rig_of(&sim_writethrough, 1, true);

	(void)state;
	r->cfg.max_ops = 6;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1040 F0 1040-1050 W0 1050-2090 F0 2090-2100 "
		"W0 2100-3140 F0 3140-3150");
	rig_free(r);
}

/* The flush at 40 sends both heads; the second is held behind the first (same object) until 1040,
 * is over at 2040, and the flush four hops later. */
static void a_flush_writes_every_dirty_head(void **state)
{
	struct rig *r = rig_of(&sim_writeback, 2, true);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK, .think_ns = 500000 });
	r->cfg.max_ops = 9;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 W0 20-40 F0 40-2080 "
		"W0 2580-2600 W0 2600-2620 F0 2620-4660 "
		"W0 5160-5180 W0 5180-5200 F0 5200-7240");
	rig_free(r);
}

/* One block three times: one backend write a flush. */
static void overwrites_are_absorbed(void **state)
{
	struct rig *r = rig_of(&sim_writeback, 3, true);

	(void)state;
	r->client[0].span_bytes = 4096;
	r->cfg.max_ops = 8;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 W0 20-40 W0 40-60 F0 60-1100 "
		"W0 1100-1120 W0 1120-1140 W0 1140-1160 F0 1160-2200");
	assert_int_equal(r->res->counter[SIM_COUNT_ABSORBED], 4);
	assert_int_equal(r->res->absorbed_bytes, 4 * 4096);
	assert_int_equal(r->res->committed_bytes, 2 * 4096);
	rig_free(r);
}

/* Room for two heads, target one. The second write at 20 pushes dirty above the target: the first
 * goes out; dirty + tx is max_dirty, so the finisher waits and the second goes out as well. Both
 * are over at 1020, the write is answered at 1040. The fourth meets the same. */
static void a_full_cache_blocks_the_finisher(void **state)
{
	struct rig *r = rig_of(&sim_writeback, 1, false);

	(void)state;
	r->image[0].set.max_dirty_bytes = 8192;
	r->image[0].set.target_dirty_bytes = 4096;
	r->image[0].no_scheduler = true;
	r->cfg.max_ops = 5;
	rig_run(r);
	assert_string_equal(r->trace,
		"W0 0-20 W0 20-1040 W0 1040-1060 W0 1060-2080 W0 2080-2100");
	assert_int_equal(r->res->counter[SIM_COUNT_BLOCKED], 2);
	rig_free(r);
}

/* The flusher of the first second writes what is older than max_dirty_age; not before. */
static void old_data_goes_out_by_itself(void **state)
{
	struct rig *r = rig_of(&sim_writeback, 1, false);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK,
		.think_ns = UINT64_C(1500000000) });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	r->cfg.duration_ns = UINT64_C(2000000000);
	r->cfg.max_ops = 2;
	rig_run(r);
	assert_int_equal(r->res->flush.max_ns, 10000);
	r->client[0].step[1].think_ns = UINT64_C(500000000);
	rig_run(r);
	assert_int_equal(r->res->flush.max_ns, 1040000);
	rig_free(r);
}

static void until_the_first_flush_it_writes_through(void **state)
{
	struct rig *r = rig_of(&sim_writeback, 1, true);

	(void)state;
	r->image[0].set.until_flush = true;
	r->cfg.max_ops = 4;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1040 F0 1040-1050 W0 1050-1070 F0 1070-2110");
	rig_free(r);
}

/* A miss goes to the cluster (500, four hops) and stays; dirty data are found too. */
static void reads_find_what_is_cached(void **state)
{
	struct rig *r = rig_new(&sim_writeback);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_READ, .bytes = 4096, .count = 2 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	r->client[0].span_bytes = 4096;
	r->cfg.max_ops = 5;
	rig_run(r);
	assert_string_equal(r->trace, "R0 0-540 R0 540-560 W0 560-580 R0 580-600 R0 600-620");
	assert_int_equal(r->res->counter[SIM_COUNT_READ_HITS], 3);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_through_waits_for_each_write),
		cmocka_unit_test(a_flush_writes_every_dirty_head),
		cmocka_unit_test(overwrites_are_absorbed),
		cmocka_unit_test(a_full_cache_blocks_the_finisher),
		cmocka_unit_test(old_data_goes_out_by_itself),
		cmocka_unit_test(until_the_first_flush_it_writes_through),
		cmocka_unit_test(reads_find_what_is_cached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
