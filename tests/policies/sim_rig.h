/* sim_rig.h - a rig for hand-worked traces: constant service times, a trace in text, and a run
 * whose conservation is checked after every event.
 *
 * Times: backend write 1000 us, read 500 us, meta read 100 us, meta write 400 us, notify 200 us;
 * log write 30 us for 4 KiB and 50 us for 12 KiB, log read 20 us; a hop 10 us; no cold time,
 * no work of librbd's thread.
 */
#ifndef SSDQUAL_TESTS_POLICIES_SIM_RIG_H
#define SSDQUAL_TESTS_POLICIES_SIM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/sim_model.h"

struct rig {
	struct sim_table *table;
	struct sim_image image[4];
	struct sim_client client[4];
	struct sim_config cfg;
	char trace[4096]; /* "W0 0-1020 F0 1020-1040 ...": kind, stream, issued-answered in us */
	size_t len;
	struct sim_result *res;
};

static inline void rig_trace(void *arg, unsigned client, unsigned stream, char kind,
	uint64_t issued_ns, uint64_t answered_ns)
{
	struct rig *r = arg;

	(void)client;
	if (r->len < sizeof(r->trace))
		r->len += (size_t)snprintf(r->trace + r->len, sizeof(r->trace) - r->len,
			"%s%c%u %g-%g", r->len ? " " : "", kind, stream, (double)issued_ns / 1e3,
			(double)answered_ns / 1e3);
}

static inline struct rig *rig_new(const struct sim_model_ops *model)
{
	static const uint64_t us[SIM_SERVICE_COUNT] = { [SIM_B_WRITE] = 1000,
		[SIM_B_WRITE_AWAKE] = 1000, [SIM_B_READ] = 500, [SIM_B_META_READ] = 100,
		[SIM_B_META_WRITE] = 400, [SIM_B_NOTIFY] = 200, [SIM_L_WRITE4K] = 30,
		[SIM_L_WRITE12K] = 50, [SIM_L_READ4K] = 20, [SIM_T_HOP] = 10 };
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->table = calloc(SIM_SERVICE_COUNT, sizeof(*r->table));
	assert_non_null(r->table);
	for (unsigned i = 0; i < SIM_SERVICE_COUNT; i++)
		sim_table_constant(&r->table[i], us[i] * 1000);
	for (unsigned i = 0; i < 4; i++) {
		r->image[i] = (struct sim_image){ .model = model, .shared = i, .set = {
			.size_bytes = 32 << 20, .max_dirty_bytes = 24 << 20,
			.target_dirty_bytes = 16 << 20, .max_dirty_age_s = 1,
			.pwl_bytes = 1 << 30 } };
		r->client[i] = (struct sim_client){ .image = i, .depth = 1,
			.span_bytes = 1 << 30 };
	}
	r->cfg = (struct sim_config){ .seed = 7, .duration_ns = UINT64_C(1000000000),
		.service = r->table, .servers = 4, .image = r->image, .images = 1,
		.client = r->client, .clients = 1, .check_events = true, .trace = rig_trace,
		.trace_arg = r };
	return r;
}

static inline void rig_step(struct rig *r, unsigned client, struct sim_step step)
{
	struct sim_client *c = &r->client[client];

	assert_true(c->steps < SIM_STEPS_MAX);
	c->step[c->steps++] = step;
}

/* rig_run - simulate; a failed conservation check fails the test with its message. */
static inline struct sim_result *rig_run(struct rig *r)
{
	struct err e = ERR_INIT;

	sim_result_free(r->res);
	r->res = NULL;
	r->len = 0;
	r->trace[0] = '\0';
	if (sim_run(&r->cfg, &r->res, &e) < 0)
		fail_msg("%s", e.msg);
	return r->res;
}

static inline void rig_free(struct rig *r)
{
	sim_result_free(r->res);
	free(r->table);
	free(r);
}

#endif
