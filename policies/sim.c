/* sim.c - the simulator's main loop, its services to the models, and what it checks at the end. */
#include "policies/sim_part.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* -- services to the models ------------------------------------------------------------------- */

uint64_t sim_now(const struct sim_handle *h)
{
	return h->sim->now_ns;
}

double sim_chill(const struct sim_handle *h)
{
	return h->sim->cfg->chill;
}

bool sim_closing(const struct sim_handle *h)
{
	return h->sim->closing;
}

const struct sim_table *sim_tables(const struct sim_handle *h)
{
	return h->sim->cfg->service;
}

uint64_t sim_draw(struct sim_handle *h, enum sim_service service)
{
	return sim_table_draw(&h->sim->cfg->service[service], &h->sim->rng[service]);
}

uint64_t sim_draw_hops(struct sim_handle *h, unsigned hops)
{
	double hot = h->sim->cfg->hot_gap_ns, cold = h->gap_ns / (h->gap_ns + hot);
	uint64_t ns = 0;

	while (hops--)
		ns += sim_draw(h, SIM_T_HOP);
	return hot > 0 ? (uint64_t)((double)ns * cold * cold) : ns;
}

uint64_t sim_work(struct sim_handle *h, uint64_t ns)
{
	return sim_thread_take(&h->work, h->sim->now_ns, ns) - h->sim->now_ns;
}

void sim_after(struct sim_handle *h, uint64_t delay_ns, unsigned what, uint64_t arg)
{
	sim_queue_push(&h->sim->q, h->sim->now_ns + delay_ns, SIM_EV_MODEL + what, h->index, arg);
}

void sim_ack(struct sim_handle *h, struct sim_op *op, uint64_t delay_ns)
{
	struct sim *s = h->sim;

	if (op->answered) {
		s->res->answered_twice++;
		return;
	}
	op->answered = true;
	s->res->answered++;
	if (op->stream != UINT32_MAX)
		sim_spend(h, SIM_AT_CLIENT, delay_ns);
	sim_queue_push(&s->q, s->now_ns + delay_ns, SIM_EV_ACK, h->index, (uint64_t)(op - s->op));
}

void sim_absorbed(struct sim_handle *h, uint64_t bytes)
{
	h->sim->res->absorbed_bytes += bytes;
}

void sim_count(struct sim_handle *h, enum sim_counter c, uint64_t n)
{
	h->sim->res->counter[c] += n;
}

void sim_spend(struct sim_handle *h, enum sim_place p, uint64_t ns)
{
	h->sim->res->spent_ns[p] += (double)ns;
}

/* -- the loop --------------------------------------------------------------------------------- */

static void answered(struct sim *s, struct sim_handle *h, struct sim_op *op)
{
	if (h->gate && op->stream != UINT32_MAX)
		s->gate->answered(h, op);
	if (op->stream == UINT32_MAX) {
		op->next = s->free_op;
		s->free_op = op;
		return;
	}
	sim_client_answered(s, op);
}

static void handle_event(struct sim *s, const struct sim_event *e)
{
	unsigned kind = sim_event_kind(e);
	struct sim_handle *h = &s->handle[sim_event_image(e)];

	switch (kind) {
	case SIM_EV_JOB:
		sim_job_over(s, e->arg);
		return;
	case SIM_EV_ACK:
		answered(s, h, &s->op[e->arg]);
		return;
	case SIM_EV_ARRIVE:
		sim_arrive(s, &s->op[e->arg]);
		return;
	case SIM_EV_STREAM:
		sim_stream_wake(s, &s->stream[e->arg]);
		return;
	case SIM_EV_CLIENT:
		sim_client_wake(s, (uint32_t)e->arg);
		return;
	default:
		break;
	}
	h->cfg->model->event(h, kind - SIM_EV_MODEL, e->arg);
}

static uint64_t held(struct sim *s, uint64_t *ret_occupied)
{
	uint64_t sum = 0;

	*ret_occupied = 0;
	for (unsigned i = 0; i < s->cfg->images; i++) {
		struct sim_space space = { 0, 0 };

		s->handle[i].cfg->model->space(&s->handle[i], &space);
		sum += space.held_bytes;
		*ret_occupied += space.occupied_bytes;
		if (space.occupied_bytes > s->res->full_bytes)
			s->res->full_bytes = space.occupied_bytes;
	}
	return sum;
}

/* close_images - the closing flush of each image: no client waits for it. */
static void close_images(struct sim *s)
{
	s->res->issue_held_bytes = held(s, &s->res->issue_occupied_bytes);
	s->closing = true;
	for (unsigned i = 0; i < s->cfg->images; i++) {
		struct sim_handle *h = &s->handle[i];
		struct sim_op *op = s->free_op;

		if (h->cfg->model->close)
			h->cfg->model->close(h);
		s->free_op = op->next;
		*op = (struct sim_op){ .kind = SIM_OP_FLUSH, .stream = UINT32_MAX,
			.issued_ns = s->now_ns };
		s->res->issued++;
		h->cfg->model->flush(h, op);
	}
}

/* check - every accepted byte is held, committed or absorbed; every model is content. */
static void check(struct sim *s)
{
	const struct sim_result *r = s->res;
	uint64_t occupied, now_held = held(s, &occupied);

	s->res->held_bytes = now_held;
	if (r->accepted_bytes != r->committed_bytes + r->absorbed_bytes + now_held)
		s->broken = "bytes were lost or counted twice";
	if (r->answered_twice)
		s->broken = "an operation was answered twice";
	for (unsigned i = 0; i < s->cfg->images && !s->broken; i++)
		if (s->handle[i].cfg->model->check)
			s->broken = s->handle[i].cfg->model->check(&s->handle[i]);
	if (s->q.overflow)
		s->broken = "more events under way than the models' bounds said";
}

/* pause - the machine stood still before @at_ns: so much later is everything on the clock. */
static void pause_until(struct sim *s, uint64_t at_ns)
{
	struct sim_rng *rng = &s->rng[SIM_T_PAUSE];

	while (at_ns >= s->next_pause_ns) {
		if (s->next_pause_ns)
			s->paused_ns += sim_draw(s->handle, SIM_T_PAUSE);
		s->next_pause_ns += 1 + (uint64_t)(-log1p(-sim_rng_unit(rng)) * 1e9 / s->cfg->pauses);
	}
}

static void loop(struct sim *s)
{
	while (!s->broken) {
		struct sim_event e;

		if (!s->closing && s->live_streams == 0 && s->under_way == 0)
			close_images(s);
		if (sim_queue_empty(&s->q))
			break;
		e = sim_queue_pop(&s->q);
		if (e.at_ns >= s->next_pause_ns)
			pause_until(s, e.at_ns);
		s->now_ns = e.at_ns;
		s->res->events++;
		handle_event(s, &e);
		if (s->cfg->check_events)
			check(s);
		/* Repeating timers alone must not keep a run alive whose clients wait for ever. */
		if (s->under_way && s->now_ns > s->progress_ns + SIM_SILENCE_NS)
			s->broken = "operations are never answered";
	}
	check(s);
}

static void finish(struct sim *s)
{
	struct sim_result *r = s->res;

	r->end_ns = sim_wall(s);
	r->backend_queue_ns = s->backend.waited_ns;
	r->issue_ns = s->cfg->duration_ns;
	if (s->cfg->max_ops && r->issued >= s->cfg->max_ops && s->last_answer_ns < r->issue_ns)
		r->issue_ns = s->last_answer_ns;
	if (s->drain_end_ns > r->issue_ns)
		r->issue_ns = s->drain_end_ns;
	r->iops = r->issue_ns ? (double)(r->writes + r->reads) * 1e9 / (double)r->issue_ns : 0;
	if (!s->broken && (r->issued != r->answered || s->under_way))
		s->broken = "operations were never answered";
	if (!s->broken && r->held_bytes)
		s->broken = "a cache kept bytes after its closing flush";
}

int sim_run(const struct sim_config *c, struct sim_result **ret, struct err *reterr)
{
	struct sim_config cfg = *c;
	struct sim s = { .cfg = &cfg };
	int r;

	if (cfg.duration_ns == 0)
		cfg.duration_ns = UINT64_MAX;
	r = c->duration_ns || c->max_ops ? sim_setup(&s, reterr) :
		err_set(reterr, ERR_INTERNAL, -EINVAL, "simulation: no end");
	if (r == 0) {
		sim_clients_start(&s);
		loop(&s);
		finish(&s);
		if (s.broken)
			r = err_set(reterr, ERR_INTERNAL, -EPROTO, "simulation of %s: %s at %.6f s",
				cfg.image[0].model->name, s.broken, (double)s.now_ns / 1e9);
	}
	sim_teardown(&s);
	if (r < 0)
		sim_result_free(s.res);
	else
		*ret = s.res;
	return r;
}

void sim_result_free(struct sim_result *r)
{
	if (!r)
		return;
	free(r->second);
	free(r);
}

const char *sim_place_word(enum sim_place p)
{
	static const char *const word[SIM_PLACE_COUNT] = {
		[SIM_AT_CLIENT] = "client", [SIM_AT_LOG] = "log", [SIM_AT_ROOT] = "root write",
		[SIM_AT_REFRESH] = "refresh", [SIM_AT_LOCK] = "lock", [SIM_AT_BACKEND] = "backend",
		[SIM_AT_QUEUE] = "queue", [SIM_AT_FULL] = "full",
	};

	return word[p];
}
