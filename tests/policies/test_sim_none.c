/* The simulator without a cache: traces worked out by hand, conservation, determinism. */
#include "tests/policies/sim_rig.h"

/* b = 1000, two hops of 10: a write takes 1020 us, a flush 20 us. */
static void writes_and_flushes_in_turn(void **state)
{
	struct rig *r = rig_new(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096, .count = 2 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK, .think_ns = 500000 });
	r->cfg.max_ops = 9;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1020 W0 1020-2040 F0 2040-2060 "
		"W0 2560-3580 W0 3580-4600 F0 4600-4620 "
		"W0 5120-6140 W0 6140-7160 F0 7160-7180");
	assert_int_equal(r->res->pair.count, 3);
	assert_int_equal(r->res->pair.max_ns, 2060000);
	assert_int_equal(r->res->sync.max_ns, 2060000);
	assert_int_equal(r->res->committed_bytes, 6 * 4096);
	rig_free(r);
}

/* Two servers, four streams on four objects: two wait in the FIFO. */
static void queues_at_the_backend(void **state)
{
	struct rig *r = rig_new(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4 << 20 });
	r->client[0].depth = 4;
	r->cfg.servers = 2;
	r->cfg.max_ops = 8;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1020 W1 0-1020 W2 0-2020 W3 0-2020 "
		"W0 1020-3020 W1 1020-3020 W2 2020-4020 W3 2020-4020");
	rig_free(r);
}

/* Three sequential 4 KiB writes at once in one object: the first leads, the others are held,
 * joined, and go out as one at 1000. W0 is under way again from 1020 to 2020, so W2 leads at 2020
 * and W1 is held by it. */
static void the_scheduler_holds_and_joins(void **state)
{
	struct rig *r = rig_new(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	r->client[0].depth = 3;
	r->cfg.max_ops = 6;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1020 W2 0-2020 W1 0-2020 "
		"W0 1020-2040 W2 2020-3040 W1 2020-4040");
	assert_int_equal(r->res->counter[SIM_COUNT_HELD], 3);
	assert_int_equal(r->res->counter[SIM_COUNT_MERGED], 1);
	assert_int_equal(r->res->served[SIM_B_WRITE], 5);
	rig_free(r);
}

static void reads_and_writes_are_told_apart(void **state)
{
	struct rig *r = rig_new(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_READ, .bytes = 4096 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	r->cfg.max_ops = 4;
	rig_run(r);
	assert_string_equal(r->trace, "R0 0-520 W0 520-1540 R0 1540-2060 W0 2060-3080");
	assert_int_equal(r->res->reads, 2);
	assert_int_equal(r->res->writes, 2);
	rig_free(r);
}

/* Bursts of four at depth 2, then 5 ms. */
static void bursts_wait_for_their_gap(void **state)
{
	struct rig *r = rig_new(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4 << 20 });
	r->client[0].depth = 2;
	r->client[0].burst_ops = 4;
	r->client[0].burst_gap_ns = 5000000;
	r->cfg.max_ops = 6;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1020 W1 0-1020 W0 1020-2040 W1 1020-2040 "
		"W1 7040-8060 W0 7040-8060");
	rig_free(r);
}

static void fill_lognormal(struct rig *r)
{
	sim_table_from_dist(&r->table[SIM_B_WRITE], (struct dist){ 1e6, 3e6, 6e6 });
	sim_table_from_dist(&r->table[SIM_T_HOP], (struct dist){ 20e3, 50e3, 90e3 });
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
	struct rig *r = rig_new(&sim_none);
	struct sim_result *first;

	(void)state;
	fill_lognormal(r);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	r->client[0].depth = 16;
	r->client[0].pattern = SIM_SHUFFLED;
	first = rig_run(r);
	r->res = NULL;
	rig_run(r);
	assert_memory_equal(&first->write, &r->res->write, sizeof(first->write));
	assert_int_equal(first->end_ns, r->res->end_ns);
	assert_int_equal(first->events, r->res->events);
	r->cfg.seed = 8;
	rig_run(r);
	assert_int_not_equal(first->end_ns, r->res->end_ns);
	sim_result_free(first);
	rig_free(r);
}

static void impossible_configurations_are_refused(void **state)
{
	struct rig *r = rig_new(&sim_none);
	struct err e = ERR_INIT;
	struct sim_result *res = NULL;

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK, .think_ns = 1 });
	assert_int_equal(sim_run(&r->cfg, &res, &e), -22);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 0 });
	assert_int_equal(sim_run(&r->cfg, &res, &e), -22);
	r->client[0].step[1].bytes = 4096;
	r->cfg.servers = 0;
	assert_int_equal(sim_run(&r->cfg, &res, &e), -22);
	r->cfg.servers = 1;
	r->client[0].depth = 1u << 30;
	assert_int_equal(sim_run(&r->cfg, &res, &e), -7);
	assert_null(res);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_and_flushes_in_turn),
		cmocka_unit_test(queues_at_the_backend),
		cmocka_unit_test(the_scheduler_holds_and_joins),
		cmocka_unit_test(reads_and_writes_are_told_apart),
		cmocka_unit_test(bursts_wait_for_their_gap),
		cmocka_unit_test(the_same_seed_gives_the_same_bytes),
		cmocka_unit_test(impossible_configurations_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
