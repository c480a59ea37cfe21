/* sim-speed.c - how many I/Os a second of CPU time the simulator simulates: no cache, depth 32.
 *
 * Prints one line a cache model: simulated I/Os, millions a second of CPU time in the best and in the
 * median of ROUNDS runs (what others do on the machine slows a run, nothing makes one faster). A bench,
 * not a test: `make bench` prints it.
 */
#include "policies/sim_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 7u

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fill_tables(struct sim_table *t)
{
	sim_table_from_dist(&t[SIM_B_WRITE], (struct dist){ 1.0e6, 3.0e6, 6.0e6 });
	sim_table_from_dist(&t[SIM_B_READ], (struct dist){ 0.5e6, 1.0e6, 3.0e6 });
	sim_table_from_dist(&t[SIM_T_HOP], (struct dist){ 25e3, 60e3, 100e3 });
}

static double measure(const struct sim_model_ops *m, const struct sim_table *t, uint64_t ops)
{
	struct sim_image image = { .model = m, .set = { .size_bytes = 32 << 20,
		.max_dirty_bytes = 24 << 20, .target_dirty_bytes = 16 << 20, .max_dirty_age_s = 1 } };
	struct sim_client client = { .step = { { .kind = SIM_STEP_WRITE, .bytes = 4096 } },
		.steps = 1, .depth = 32, .pattern = SIM_RANDOM, .span_bytes = UINT64_C(10) << 30 };
	struct sim_config c = { .seed = 1, .max_ops = ops, .service = t, .servers = 32,
		.image = &image, .images = 1, .client = &client, .clients = 1 };
	struct sim_result *r;
	struct err e = ERR_INIT;
	double start = cpu_s(), used;

	if (sim_run(&c, &r, &e) < 0) {
		fprintf(stderr, "sim-speed: %s: %s\n", m->name, e.msg);
		return 0;
	}
	used = cpu_s() - start;
	used = (double)r->answered / used;
	sim_result_free(r);
	return used;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static bool rounds(const struct sim_model_ops *m, const struct sim_table *t, uint64_t ops)
{
	double rate[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		rate[i] = measure(m, t, ops);
		if (!(rate[i] > 0))
			return false;
	}
	qsort(rate, ROUNDS, sizeof(*rate), ascending);
	printf("sim-speed: %-13s %7llu I/Os: %.2f million a second of CPU, median of %u: %.2f\n",
		m->name, (unsigned long long)ops, rate[ROUNDS - 1] / 1e6, ROUNDS,
		rate[ROUNDS / 2] / 1e6);
	return true;
}

int main(void)
{
	struct sim_table *t = calloc(SIM_SERVICE_COUNT, sizeof(*t));
	int r = 0;

	if (!t)
		return 1;
	fill_tables(t);
	for (unsigned i = 0; sim_model_table[i]; i++)
		if (!rounds(sim_model_table[i], t, i == 0 ? 2000000 : 500000))
			r = 1;
	free(t);
	return r;
}
