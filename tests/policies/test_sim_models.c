/* Every cache model: unique names, conservation after each event under mixed loads, the same bytes
 * for the same seed; and what the core does on its own.
 */
#include "tests/policies/sim_rig.h"

#include "policies/sim_part.h"

static void every_model_has_a_name_and_its_hooks(void **state)
{
	(void)state;
	for (unsigned i = 0; sim_model_table[i]; i++) {
		const struct sim_model_ops *m = sim_model_table[i];

		assert_true(m->name && m->bound && m->write && m->flush && m->read && m->space);
		assert_ptr_equal(sim_model_of(m->mode), m);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(m->name, sim_model_table[k]->name);
	}
	assert_null(sim_model_of(CACHE_PWL_RWL));
}

/* Overwrites, reads, flushes, a hot set, a small cache; service times with a tail. */
static struct rig *mixed(const struct sim_model_ops *m, uint64_t seed)
{
	struct rig *r = rig_new(m);

	sim_table_from_dist(&r->table[SIM_B_WRITE], (struct dist){ 1e6, 3e6, 6e6 });
	sim_table_from_dist(&r->table[SIM_B_READ], (struct dist){ 4e5, 2e6, 5e6 });
	sim_table_from_dist(&r->table[SIM_T_HOP], (struct dist){ 20e3, 50e3, 90e3 });
	sim_table_constant(&r->table[SIM_T_WORK], 5000);
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096, .count = 7,
		.width = 3 });
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	r->client[0].depth = 6;
	r->client[0].pattern = SIM_RANDOM;
	r->client[0].span_bytes = 8 << 20;
	r->client[0].hot_share = 0.5;
	r->client[0].hot_bytes = 64 << 10;
	r->client[0].read_fraction = 0.2;
	r->client[1] = r->client[0];
	r->client[1].image = 1;
	r->client[1].step[0].bytes = 3000;
	r->client[1].burst_ops = 50;
	r->client[1].burst_gap_ns = 3000000;
	for (unsigned i = 0; i < 2; i++) {
		r->image[i].set.max_dirty_bytes = 128 << 10;
		r->image[i].set.target_dirty_bytes = 64 << 10;
		r->image[i].set.size_bytes = 256 << 10;
	}
	r->cfg.images = r->cfg.clients = 2;
	r->cfg.max_ops = 4000;
	r->cfg.group_max = 8;
	r->cfg.deep_gain = 0.2;
	r->cfg.hot_gap_ns = 100e3;
	r->cfg.duration_ns = UINT64_C(20000000000);
	r->cfg.seed = seed;
	r->cfg.trace = NULL;
	return r;
}

static void nothing_is_lost_and_all_is_answered_once(void **state)
{
	(void)state;
	for (unsigned i = 0; sim_model_table[i]; i++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct rig *r = mixed(sim_model_table[i], seed);
			const struct sim_result *res = rig_run(r);

			assert_int_equal(res->issued, res->answered);
			assert_int_equal(res->answered_twice, 0);
			assert_int_equal(res->accepted_bytes,
				res->committed_bytes + res->absorbed_bytes);
			assert_int_equal(res->held_bytes, 0);
			assert_true(res->write.count > 2000 && res->read.count > 400);
			rig_free(r);
		}
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
	(void)state;
	for (unsigned i = 0; sim_model_table[i]; i++) {
		struct rig *a = mixed(sim_model_table[i], 5), *b = mixed(sim_model_table[i], 5);

		rig_run(a);
		rig_run(b);
		/* All but the pointer to the seconds, which are compared on their own. */
		assert_int_equal(a->res->seconds, b->res->seconds);
		assert_memory_equal(a->res->second, b->res->second,
			a->res->seconds * sizeof(*a->res->second));
		free(b->res->second);
		b->res->second = a->res->second;
		assert_memory_equal(a->res, b->res, sizeof(*a->res));
		b->res->second = NULL;
		rig_free(a);
		rig_free(b);
	}
}

/* A model that loses a byte must not give a result. */
static void lose(const struct sim_handle *h, struct sim_space *ret)
{
	sim_none.space(h, ret);
	if (ret->held_bytes > 0)
		ret->held_bytes--;
}

static void a_lost_byte_is_no_result(void **state)
{
	struct sim_model_ops bad = sim_none;
	struct rig *r = rig_new(&bad);
	struct err e = ERR_INIT;

	(void)state;
	bad.space = lose;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_WRITE, .bytes = 4096 });
	assert_int_equal(sim_run(&r->cfg, &r->res, &e), -71);
	assert_non_null(strstr(e.msg, "bytes were lost"));
	rig_free(r);
}

static void never(struct sim_handle *h, struct sim_op *op)
{
	(void)h;
	(void)op;
}

static void an_operation_without_an_answer_is_no_result(void **state)
{
	struct sim_model_ops bad = sim_none;
	struct rig *r = rig_new(&bad);
	struct err e = ERR_INIT;

	(void)state;
	bad.flush = never;
	rig_step(r, 0, (struct sim_step){ .kind = SIM_STEP_FLUSH });
	assert_int_equal(sim_run(&r->cfg, &r->res, &e), -71);
	assert_non_null(strstr(e.msg, "never answered"));
	rig_free(r);
}

/* A table from a histogram keeps its quantiles; its draws have them. */
static void tables_keep_the_quantiles(void **state)
{
	struct sim_table *t = calloc(1, sizeof(*t));
	struct hist *h = hist_new(), *drawn = hist_new();
	struct sim_rng rng;
	uint64_t want, got;

	(void)state;
	assert_true(t && h && drawn);
	for (unsigned i = 1; i <= 1000; i++)
		hist_record(h, 1000 * i + (i > 990 ? 9000000 : 0));
	sim_table_from_hist(t, h);
	assert_true(t->known && !t->constant);
	sim_rng_seed(&rng, 3, 1);
	for (unsigned i = 0; i < 200000; i++)
		hist_record(drawn, sim_table_draw(t, &rng));
	for (double p = 5; p < 99; p += 9.7) {
		assert_int_equal(hist_percentile(h, p, &want), 0);
		assert_int_equal(hist_percentile(drawn, p, &got), 0);
		assert_in_range(got, want - want / 30, want + want / 30);
	}
	assert_in_range(sim_table_mean(t), 580000, 602000);
	hist_reset(h);
	sim_table_from_hist(t, h);
	assert_false(t->known);
	hist_free(h);
	hist_free(drawn);
	free(t);
}

static void a_shuffle_takes_every_block_once(void **state)
{
	static const uint64_t key[4] = { 1, 22, 333, 4444 };
	char seen[1000] = { 0 };

	(void)state;
	for (uint64_t n = 1; n <= 1000; n = n * 3 + 1) {
		memset(seen, 0, sizeof(seen));
		for (uint64_t i = 0; i < n; i++) {
			uint64_t at = sim_shuffle(i, n, key);

			assert_true(at < n && !seen[at]);
			seen[at] = 1;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_model_has_a_name_and_its_hooks),
		cmocka_unit_test(nothing_is_lost_and_all_is_answered_once),
		cmocka_unit_test(the_same_seed_gives_the_same_bytes),
		cmocka_unit_test(a_lost_byte_is_no_result),
		cmocka_unit_test(an_operation_without_an_answer_is_no_result),
		cmocka_unit_test(tables_keep_the_quantiles),
		cmocka_unit_test(a_shuffle_takes_every_block_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
