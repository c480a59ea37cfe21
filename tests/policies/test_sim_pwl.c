/* The persistent write log in the simulator: traces worked out by hand, the refresh gate, a full
 * log, drains, conservation, determinism.
 *
 * Rig, in us: a hop 10, log write 30 (4 KiB), 40 (8 KiB), 50 (12 KiB), log read 20, backend write
 * 1000, meta read 100, meta write 400, notify 200. Hops (sim_constants.h): accept 1, ack 1, appender
 * 1, append 4, root 4, wake 1, read back 1, written 2.
 */
#include "tests/policies/sim_rig.h"

#include "policies/sim_inputs.h"

static struct rig *pairs(uint64_t think_us, unsigned n)
{
	struct rig *r = rig_new(&sim_pwl_ssd);

	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	if (think_us)
		rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_THINK,
			.think_ns = think_us * 1000 });
	r->cfg.max_ops = 2 * n;
	return r;
}

/* Write 1, persist-on-write: accept 10, appender 20, span of 8 KiB 60, its threads 100, superblock
 * 130, its threads 170, answer 180. Flush 1: the same with a span of 4 KiB, 170. From then on
 * persist-on-flush: a write takes 20, a flush with its span of 8 KiB 180.
 * The state is written at 10 (clean -> dirty) and at 170 (the log is no longer empty), commits at
 * 410 and 570, notifies 570-770 (those wait for the second commit). Write 3 comes at 550 and finds
 * the number grown to 1: its refresh waits for the object until 570, five reads, 1070. Meanwhile
 * the number grew to 4: flush 3 waits from 1090 to 1590 again. Then nothing changes: four writes
 * are dirty, the first one is under way until 1230, the backend needs 1060 for each. */
static void back_to_back_pairs_outrun_the_writeback(void **state)
{
	struct rig *r = pairs(0, 5);

	(void)state;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-180 F0 180-350 W0 350-370 F0 370-550 "
		"W0 550-1090 F0 1090-1770 W0 1770-1790 F0 1790-1970 W0 1970-1990 F0 1990-2170");
	assert_int_equal(r->res->counter[SIM_COUNT_META_WRITES], 2);
	assert_int_equal(r->res->counter[SIM_COUNT_NOTIFIES], 2);
	assert_int_equal(r->res->counter[SIM_COUNT_REFRESHES], 2);
	rig_free(r);
}

/* With pauses of 3 ms each write is written back (1070 later) before the next one comes: dirty and
 * clean are two state writes, and the next write pays one refresh: 500 and 20. The flush comes 10
 * after the write made the log dirty, long before that commits: 180. */
static void paced_pairs_pay_a_refresh_each(void **state)
{
	struct rig *r = pairs(3000, 5);

	(void)state;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-180 F0 180-350 W0 3350-3870 F0 3870-4050 "
		"W0 7050-7570 F0 7570-7750 W0 10750-11270 F0 11270-11450 W0 14450-14970 "
		"F0 14970-15150");
	/* Two a pair, and one when the log was no longer empty. */
	assert_int_equal(r->res->counter[SIM_COUNT_NOTIFIES], 11);
	assert_int_equal(r->res->counter[SIM_COUNT_REFRESHES], 5 - 1 + 1);
	rig_free(r);
}

/* A snapshot is one more read. */
static void a_snapshot_adds_one_read(void **state)
{
	struct rig *r = pairs(3000, 3);

	(void)state;
	r->image[0].refresh_reads = 6;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-180 F0 180-350 W0 3350-3970 F0 3970-4150 "
		"W0 7150-7770 F0 7770-7950");
	rig_free(r);
}

/* Four writes at once, 10 of librbd's one thread each: let in at 20, 30, 40, 50. The first calls the
 * appender, which at 30 takes two. The others have to wait for that superblock (170), and are on
 * the drive 150 later. The second round is persist-on-flush, behind a refresh (510 to 1070, the
 * first read waits for the commit at 570). */
static void an_append_takes_what_has_come(void **state)
{
	struct rig *r = rig_new(&sim_pwl_ssd);

	(void)state;
	sim_table_constant(&r->table[SIM_L_WRITE12K], 30000);
	sim_table_constant(&r->table[SIM_T_LOG_WORK], 10000);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096, .count = 4,
		.width = 4 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	r->cfg.max_ops = 9;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-180 W0 0-180 W0 0-330 W0 0-330 F0 330-510 "
		"W0 510-1100 W0 510-1110 W0 510-1120 W0 510-1130");
	rig_free(r);
}

/* Ten writes of 100 MiB fill 1 GiB. Each takes 170 until then. Generations go one after the other,
 * 1060 each, and a write's space comes back 80 after it is in the cluster (wake 10, superblock 30,
 * threads 40). The twelfth still finds room, the thirteenth waits for the third generation, the
 * fourteenth for the fourth: the log runs at the cluster's pace, it does not stop. */
static void a_full_log_runs_at_the_clusters_pace(void **state)
{
	struct rig *r = rig_new(&sim_pwl_ssd);

	(void)state;
	sim_table_constant(&r->table[SIM_L_WRITE12K], 30000);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 100 << 20 });
	r->client[0].span_bytes = UINT64_C(4) << 30;
	r->cfg.max_ops = 14;
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-170 W0 170-340 W0 340-510 W0 510-1230 "
		"W0 1230-1900 W0 1900-2070 W0 2070-2240 W0 2240-2440 W0 2440-2610 "
		"W0 2610-2780 W0 2780-2950 W0 2950-3120 W0 3120-3570 W0 3570-4620");
	assert_int_equal(r->res->counter[SIM_COUNT_BLOCKED], 2);
	assert_in_range(r->res->full_bytes, 1000 << 20, 1 << 30);
	rig_free(r);
}

/* A lap of four blocks at depth 2, then the client's thread stands still until all four are in the
 * cluster, one generation after the other: 160 + 20 + 4 x 1060 - ... It sees the answer to the
 * fourth write, which came at 340, only then. */
static void a_drain_stops_everybody(void **state)
{
	struct rig *r = rig_new(&sim_pwl_ssd);

	(void)state;
	sim_table_constant(&r->table[SIM_L_WRITE12K], 30000);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	r->client[0] = (struct sim_client){ .depth = 2, .pattern = SIM_SHUFFLED, .steps = 1,
		.span_bytes = 4 * 4096, .lap_drain = true, .step[0] = r->client[0].step[0] };
	r->cfg.max_ops = 7; /* the drain is one */
	rig_run(r);
	assert_string_equal(r->trace, "W0 0-170 W1 0-170 W0 170-340 W1 170-4300 W1 4300-5360 "
		"W0 4300-5360");
	assert_int_equal(r->res->stall_at_ns, 340000);
	assert_int_equal(r->res->stall_ns, 4300000 - 340000);
	rig_free(r);
}

/* A block of the log is read from its drive (20), one that was retired or never written from the
 * cluster (500). */
static void reads_are_served_from_the_log(void **state)
{
	struct rig *r = rig_new(&sim_pwl_ssd);

	(void)state;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_READ, .bytes = 4096 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	r->client[0].span_bytes = 4096;
	r->cfg.max_ops = 3;
	rig_run(r);
	assert_string_equal(r->trace, "R0 0-520 W0 520-700 R0 700-740");
	assert_int_equal(r->res->counter[SIM_COUNT_READ_HITS], 1);
	rig_free(r);
}

static void fill(struct rig *r, double write_ms, double read_ms)
{
	sim_table_from_dist(&r->table[SIM_B_WRITE], (struct dist){ write_ms * 1e6,
		write_ms * 1.6e6, write_ms * 4e6 });
	sim_table_from_dist(&r->table[SIM_B_META_WRITE], (struct dist){ write_ms * 0.6e6,
		write_ms * 0.95e6, write_ms * 2.4e6 });
	sim_table_from_dist(&r->table[SIM_B_META_READ], (struct dist){ read_ms * 1e6,
		read_ms * 1.5e6, read_ms * 3e6 });
	r->table[SIM_B_NOTIFY] = r->table[SIM_B_META_READ];
	sim_table_from_dist(&r->table[SIM_T_HOP], (struct dist){ 45e3, 289e3, 533e3 });
	r->cfg.check_events = false;
	r->cfg.max_ops = 0;
	r->cfg.duration_ns = UINT64_C(8000000000);
	r->cfg.trace = NULL;
}

static double per_write(const struct rig *r, enum sim_counter c)
{
	return (double)r->res->counter[c] / (double)r->res->writes;
}

/* The measured cluster: b 2.8 ms, a read of the refresh 0.53 ms. Back to back the log never turns
 * clean; with 3 ms it does at each pair, which costs two notifies and two refreshes; with 10 ms
 * two notifies and one. */
static void the_feedback_has_two_basins(void **state)
{
	static const struct { uint64_t think_us; double notifies[2], refreshes[2]; } row[] = {
		{ 0, { 0, 0.05 }, { 0, 0.05 } },
		{ 3000, { 1.5, 2.1 }, { 1.5, 2.1 } },
		{ 10000, { 1.9, 2.1 }, { 0.95, 1.2 } },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct rig *r = pairs(row[i].think_us, 1);

		fill(r, 2.8, 0.53);
		rig_run(r);
		assert_true(per_write(r, SIM_COUNT_NOTIFIES) >= row[i].notifies[0]);
		assert_true(per_write(r, SIM_COUNT_NOTIFIES) <= row[i].notifies[1]);
		assert_true(per_write(r, SIM_COUNT_REFRESHES) >= row[i].refreshes[0]);
		assert_true(per_write(r, SIM_COUNT_REFRESHES) <= row[i].refreshes[1]);
		rig_free(r);
	}
}

/* Every operation of the OSD 1 ms slower: a refresh takes five of them, in which the writeback of
 * the few dirty writes gets done; so the back-to-back writer, too, stays in the slow basin. What is
 * slow for everybody at once (the machine's pauses) does not let it out; drawn for the backend
 * alone it would, sooner or later. */
static void a_slower_backend_leaves_one_basin(void **state)
{
	(void)state;
	for (unsigned slow = 0; slow < 2; slow++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct rig *r = pairs(0, 1);

			fill(r, 2.8, 0.53);
			r->cfg.pauses = sim_inputs_pauses(r->table);
			assert_true(r->cfg.pauses > 5 && r->cfg.pauses < 20);
			for (unsigned k = SIM_B_WRITE; slow && k <= SIM_B_LAST; k++)
				sim_table_shift(&r->table[k], 1e6, 0);
			r->cfg.seed = seed;
			rig_run(r);
			if (slow)
				assert_true(per_write(r, SIM_COUNT_REFRESHES) > 1.5);
			else
				assert_true(per_write(r, SIM_COUNT_REFRESHES) < 0.05);
			rig_free(r);
		}
}

/* Generations, limits, space and marks are checked after every event of a mixed load. */
static void nothing_is_lost_under_a_mixed_load(void **state)
{
	static const uint32_t size[] = { 512, 4096, 65536, 1 << 20 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct rig *r = rig_new(&sim_pwl_ssd);

		fill(r, 1.0, 0.3);
		rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = size[i],
			.count = 40, .width = 7 });
		rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_READ, .bytes = size[i] });
		if (i != 1)
			rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
		r->client[0].depth = 9;
		r->client[0].pattern = SIM_SHUFFLED;
		r->client[0].lap_drain = true;
		r->client[0].span_bytes = size[i] * 1000;
		r->cfg.check_events = true;
		r->cfg.max_ops = 4000;
		rig_run(r);
		assert_int_equal(r->res->issued, r->res->answered);
		assert_int_equal(r->res->accepted_bytes, r->res->committed_bytes);
		rig_free(r);
	}
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
	struct rig *r = pairs(3000, 1);
	struct sim_result *first;

	(void)state;
	fill(r, 2.8, 0.53);
	first = rig_run(r);
	r->res = NULL;
	rig_run(r);
	assert_memory_equal(&first->pair, &r->res->pair, sizeof(first->pair));
	assert_memory_equal(first->counter, r->res->counter, sizeof(first->counter));
	assert_int_equal(first->events, r->res->events);
	sim_result_free(first);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(back_to_back_pairs_outrun_the_writeback),
		cmocka_unit_test(paced_pairs_pay_a_refresh_each),
		cmocka_unit_test(a_snapshot_adds_one_read),
		cmocka_unit_test(an_append_takes_what_has_come),
		cmocka_unit_test(a_full_log_runs_at_the_clusters_pace),
		cmocka_unit_test(a_drain_stops_everybody),
		cmocka_unit_test(reads_are_served_from_the_log),
		cmocka_unit_test(the_feedback_has_two_basins),
		cmocka_unit_test(a_slower_backend_leaves_one_basin),
		cmocka_unit_test(nothing_is_lost_under_a_mixed_load),
		cmocka_unit_test(the_same_seed_gives_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
