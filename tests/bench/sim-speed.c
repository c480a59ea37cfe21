/* sim-speed.c - how many I/Os a second of CPU time the simulator simulates: no cache, depth 32.
 *
 * Prints one line a cache model: simulated I/Os, CPU seconds, millions a second. A bench, not a
 * test: `make bench` prints it.
 */
#include "policies/sim_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static int measure(const struct sim_model_ops *m, const struct sim_table *t, uint64_t ops)
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
		return -1;
	}
	used = cpu_s() - start;
	printf("sim-speed: %-13s %llu I/Os in %.2f s of CPU: %.2f million a second\n", m->name,
		(unsigned long long)r->answered, used, (double)r->answered / used / 1e6);
	sim_result_free(r);
	return 0;
}

int main(void)
{
	struct sim_table *t = calloc(SIM_SERVICE_COUNT, sizeof(*t));
	int r = 0;

	if (!t)
		return 1;
	fill_tables(t);
	for (unsigned i = 0; sim_model_table[i]; i++)
		if (measure(sim_model_table[i], t, i == 0 ? 5000000 : 500000) < 0)
			r = 1;
	free(t);
	return r;
}
