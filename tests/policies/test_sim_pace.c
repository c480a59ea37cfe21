/* What a write costs depends on what came before it: hand-worked traces. */
#include "tests/policies/sim_rig.h"

#include "policies/sim_guest.h"

/* A write after a rest takes 1000 us, one behind another 600; awake 700 and 400. */
static struct rig *rig_paced(const struct sim_model_ops *model)
{
	struct rig *r = rig_new(model);

	sim_table_constant(&r->table[SIM_B_WRITE_AWAKE], 700000);
	sim_table_constant(&r->table[SIM_B_NEXT], 600000);
	sim_table_constant(&r->table[SIM_B_NEXT_AWAKE], 400000);
	r->cfg.rest_ns = 3000000;
	return r;
}

static void then_think(struct rig *r, uint64_t ns)
{
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK, .think_ns = ns });
}

static void the_first_write_after_a_rest_is_the_slow_one(void **state)
{
	struct rig *r = rig_paced(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096, .count = 2 });
	then_think(r, 5000000);
	r->cfg.max_ops = 4;
	rig_run(r);
	/* Before the first one nothing was at the cluster for less than 3 ms: it began just now. */
	assert_string_equal(r->trace, "W0 0-620 W0 620-1240 W0 6240-7260 W0 7260-7880");
	rig_free(r);
}

static void a_pause_shorter_than_the_rest_keeps_the_cluster_awake(void **state)
{
	struct rig *r = rig_paced(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	then_think(r, 2000000);
	r->cfg.max_ops = 2;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-620 W0 2620-3240");
	r->cfg.rest_ns = 0; /* not told apart */
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-1020 W0 3020-4040");
	rig_free(r);
}

static struct rig *rig_guest(const struct sim_model_ops *model)
{
	struct rig *r = rig_paced(model);

	r->cfg.stream_bps = 0;
	r->client[0].journal_bytes = SIM_GUEST_JOURNAL_BYTES;
	r->client[0].steps = sim_guest_steps(STACK_FS_APPEND, SIM_GUEST_EXT4, 4096, 1,
		r->client[0].step);
	then_think(r, 5000000);
	r->cfg.max_ops = 10;
	return r;
}

/* Without a cache the three writes follow each other; the second sync is after a rest. */
static void a_guests_sync_without_cache_rests_once(void **state)
{
	struct rig *r = rig_guest(&sim_none);

	(void)state;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-620 W0 620-1240 F0 1240-1260 W0 1260-1880 F0 1880-1900 "
		"W0 6900-7920 W0 7920-8540 F0 8540-8560 W0 8560-9180 F0 9180-9200");
	rig_free(r);
}

/* Data and journal lie in different objects, so the flush sends both at once: the first finds a
 * rested cluster, the second does not. Then the commit block alone. */
static void the_journal_goes_out_beside_the_data(void **state)
{
	struct rig *r = rig_guest(&sim_writeback);

	(void)state;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 W0 20-40 F0 40-680 W0 680-700 F0 700-1340 "
		"W0 6340-6360 W0 6360-6380 F0 6380-7420 W0 7420-7440 F0 7440-8080");
	assert_int_equal(r->res->counter[SIM_COUNT_HELD], 0);
	rig_free(r);
}

/* As above, but each goes out when it is written, by a client that does not sleep. */
static void write_around_is_awake(void **state)
{
	struct rig *r = rig_guest(&sim_writearound);

	(void)state;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-20 W0 20-40 F0 40-440 W0 440-460 F0 460-860 "
		"W0 5860-5880 W0 5880-5900 F0 5900-6580 W0 6580-6600 F0 6600-7000");
	rig_free(r);
}

/* In haste the client does not think; syncs count from then on. */
static void what_a_hasty_client_does_is_not_counted(void **state)
{
	struct rig *r = rig_paced(&sim_none);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	then_think(r, 5000000);
	r->client[0].hasty_ns = 1000000;
	r->cfg.max_ops = 8;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-620 F0 620-640 W0 640-1260 F0 1260-1280 "
		"W0 6280-7300 F0 7300-7320 W0 12320-13340 F0 13340-13360");
	/* The second one began in haste and ended after it; the first is left out. */
	assert_int_equal(r->res->sync.count, 3);
	rig_free(r);
}

static void a_journal_needs_room(void **state)
{
	struct rig *r = rig_guest(&sim_none);
	struct sim_result *res = NULL;
	struct err e = ERR_INIT;

	(void)state;
	r->client[0].journal_bytes = 4096; /* its first write has 12 KiB */
	assert_true(sim_run(&r->cfg, &res, &e) < 0);
	assert_non_null(strstr(e.msg, "journal"));
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_write_after_a_rest_is_the_slow_one),
		cmocka_unit_test(a_pause_shorter_than_the_rest_keeps_the_cluster_awake),
		cmocka_unit_test(a_guests_sync_without_cache_rests_once),
		cmocka_unit_test(the_journal_goes_out_beside_the_data),
		cmocka_unit_test(write_around_is_awake),
		cmocka_unit_test(what_a_hasty_client_does_is_not_counted),
		cmocka_unit_test(a_journal_needs_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
