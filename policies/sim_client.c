/* sim_client.c - the clients: streams that run their programs, bursts, offsets; and what their
 * latencies are.
 */
#include "policies/sim_part.h"

#include "policies/sim_constants.h"

/* journal_offset - the journal begins with an object of its own. */
static uint64_t journal_offset(struct sim *s, uint32_t client, uint32_t bytes)
{
	const struct sim_client *c = &s->cfg->client[client];
	struct sim_client_state *cs = &s->client[client];
	uint64_t at;

	if (cs->journal_offset + bytes > c->journal_bytes)
		cs->journal_offset = 0;
	at = cs->journal_offset;
	cs->journal_offset += bytes;
	return sim_journal_start(c) + at;
}

static uint64_t pick_offset(struct sim *s, uint32_t client, uint32_t bytes)
{
	const struct sim_client *c = &s->cfg->client[client];
	struct sim_client_state *cs = &s->client[client];
	uint64_t at, blocks;

	if (c->hot_share > 0 && sim_rng_unit(&cs->rng) < c->hot_share) {
		blocks = c->hot_bytes / bytes;
		return c->start_bytes + sim_rng_below(&cs->rng, blocks ? blocks : 1) * bytes;
	}
	if (cs->span_of != bytes) { /* a division an operation is slow */
		cs->span_of = bytes;
		cs->span_blocks = c->span_bytes / bytes;
	}
	blocks = cs->span_blocks;
	switch (c->pattern) {
	case SIM_RANDOM:
		return c->start_bytes + sim_rng_below(&cs->rng, blocks) * bytes;
	case SIM_SHUFFLED:
		if (cs->blocks != blocks || cs->index == blocks) {
			for (unsigned i = 0; i < 4; i++)
				cs->key[i] = sim_rng_next(&cs->rng);
			cs->blocks = blocks;
			cs->index = 0;
			cs->drained = false;
		}
		return c->start_bytes + sim_shuffle(cs->index++, blocks, cs->key) * bytes;
	case SIM_SEQUENTIAL:
		break;
	}
	if (cs->next_offset + bytes > c->span_bytes)
		cs->next_offset = 0;
	at = c->start_bytes + cs->next_offset;
	cs->next_offset += bytes;
	return at;
}

static bool issue_over(const struct sim *s)
{
	return sim_wall(s) >= s->cfg->duration_ns ||
		(s->cfg->max_ops && s->res->issued >= s->cfg->max_ops);
}

void sim_enter_now(struct sim_handle *h, struct sim_op *op)
{
	const struct sim_model_ops *m = h->cfg->model;
	uint64_t now = h->sim->now_ns;

	h->gap_ns += ((double)(now - h->arrived_ns) - h->gap_ns) / SIM_GAP_SMOOTH;
	h->arrived_ns = now;
	switch (op->kind) {
	case SIM_OP_WRITE:
		h->sim->res->accepted_bytes += op->bytes;
		m->write(h, op);
		break;
	case SIM_OP_FLUSH:
		m->flush(h, op);
		break;
	case SIM_OP_READ:
		m->read(h, op);
		break;
	case SIM_OP_DRAIN:
		(m->drain ? m->drain : m->flush)(h, op);
		break;
	}
}

void sim_enter(struct sim_handle *h, struct sim_op *op)
{
	sim_objecter_enter(h, op);
}

void sim_arrive(struct sim *s, struct sim_op *op)
{
	struct sim_handle *h = &s->handle[s->cfg->client[op->client].image];

	if (h->gate)
		s->gate->arrive(h, op);
	else
		sim_enter(h, op);
}

/* cold_ns - what a client pays that slept for @pause_ns before: threads and CPUs fall asleep over
 * some hundreds of microseconds (SIM_COLD_HALF_NS). */
static uint64_t cold_ns(struct sim *s, uint64_t pause_ns)
{
	uint64_t full;

	if (!pause_ns || !s->cfg->service[SIM_T_COLD].known)
		return 0;
	full = sim_table_draw(&s->cfg->service[SIM_T_COLD], &s->rng[SIM_T_COLD]);
	return (uint64_t)((double)full * (double)pause_ns /
		((double)pause_ns + SIM_COLD_HALF_NS));
}

static void issue(struct sim *s, struct sim_stream *st, enum sim_op_kind kind, uint32_t bytes)
{
	const struct sim_client *c = &s->cfg->client[st->client];
	struct sim_client_state *cs = &s->client[st->client];
	struct sim_op *op = s->free_op;
	uint64_t enters;

	s->free_op = op->next;
	*op = (struct sim_op){ .kind = kind, .bytes = bytes, .client = st->client,
		.stream = (uint32_t)(st - s->stream) };
	if (kind == SIM_OP_WRITE && !c->step[st->step].journal && c->read_fraction > 0 &&
		sim_rng_unit(&cs->rng) < c->read_fraction)
		op->kind = SIM_OP_READ;
	if (kind != SIM_OP_FLUSH)
		op->offset = c->step[st->step].journal ? journal_offset(s, st->client, bytes) :
			pick_offset(s, st->client, bytes);
	op->issued_ns = sim_thread_take(&cs->thread, s->now_ns, c->submit_ns);
	op->wall_ns = op->issued_ns + s->paused_ns;
	if (cs->flushes && !st->sync_open) {
		st->sync_open = true;
		st->sync_ns = op->wall_ns;
	}
	if (cs->flushes && op->kind == SIM_OP_WRITE && !st->pair_open) {
		st->pair_open = true;
		st->pair_ns = op->wall_ns;
	}
	if (s->under_way++ == 0)
		s->progress_ns = op->wall_ns;
	st->under_way++;
	cs->under_way++;
	s->res->issued++;
	enters = op->issued_ns + cold_ns(s, st->pause_ns);
	s->res->spent_ns[SIM_AT_CLIENT] += (double)(enters - op->issued_ns);
	st->pause_ns = 0;
	if (enters > s->now_ns)
		sim_queue_push(&s->q, enters, SIM_EV_ARRIVE, 0, (uint64_t)(op - s->op));
	else
		sim_arrive(s, op);
}

/* rest_is_over - once all of a burst is answered, the next one begins after the gap. */
static void rest_is_over(struct sim *s, uint32_t client)
{
	struct sim_client_state *cs = &s->client[client];

	if (cs->under_way > 0 || cs->waking || !cs->parked)
		return;
	cs->waking = true;
	sim_queue_push(&s->q, s->now_ns + s->cfg->client[client].burst_gap_ns, SIM_EV_CLIENT, 0,
		client);
}

/* may_issue - or the stream is parked until the burst's gap is over. */
static bool may_issue(struct sim *s, struct sim_stream *st)
{
	const struct sim_client *c = &s->cfg->client[st->client];
	struct sim_client_state *cs = &s->client[st->client];

	if (!c->burst_ops)
		return true;
	if (!cs->resting && cs->burst_left > 0) {
		cs->burst_left--;
		return true;
	}
	cs->resting = true;
	if (st->under_way == 0) {
		st->parked = cs->parked;
		cs->parked = st;
	}
	rest_is_over(s, st->client);
	return false;
}

/* stands_still - the client's thread waits for a drain, or has to begin one. */
static bool stands_still(struct sim *s, struct sim_stream *st)
{
	const struct sim_client *c = &s->cfg->client[st->client];
	struct sim_client_state *cs = &s->client[st->client];
	struct sim_op *op;

	if (!cs->draining && (!c->lap_drain || cs->drained || !cs->blocks ||
		cs->index < cs->blocks))
		return false;
	st->parked = cs->stopped;
	cs->stopped = st;
	if (cs->draining)
		return true;
	cs->draining = cs->drained = true;
	if (s->under_way == 0)
		s->progress_ns = sim_wall(s);
	op = s->free_op;
	s->free_op = op->next;
	*op = (struct sim_op){ .kind = SIM_OP_DRAIN, .client = st->client,
		.stream = (uint32_t)(st - s->stream), .issued_ns = s->now_ns };
	s->res->issued++;
	sim_arrive(s, op);
	return true;
}

static void end_stream(struct sim *s, struct sim_stream *st)
{
	if (st->ended)
		return;
	st->ended = true;
	s->live_streams--;
}

static void begin_step(const struct sim_client *c, struct sim_stream *st)
{
	uint32_t count = c->step[st->step].count;

	st->left = count ? count : 1;
}

/* close_sync - the program has run once, or its pause begins. */
static void close_sync(struct sim *s, struct sim_stream *st)
{
	if (st->sync_open && s->now_ns >= s->cfg->client[st->client].hasty_ns)
		hist_record(&s->res->sync, sim_wall(s) - st->sync_ns);
	st->sync_open = false;
}

static void advance(struct sim *s, struct sim_stream *st)
{
	const struct sim_client *c = &s->cfg->client[st->client];

	if (++st->step == c->steps) {
		st->step = 0;
		close_sync(s, st);
	}
	begin_step(c, st);
}

/* run - go on with the program until it waits for something. */
static void run(struct sim *s, struct sim_stream *st)
{
	const struct sim_client *c = &s->cfg->client[st->client];

	for (;;) {
		const struct sim_step *step = &c->step[st->step];
		uint32_t width = step->width ? step->width : 1;

		if (step->kind == SIM_STEP_THINK) {
			if (st->left == 0) {
				advance(s, st);
				continue;
			}
			close_sync(s, st);
			st->left = 0;
			st->pause_ns = s->now_ns < c->hasty_ns ? 0 : step->think_ns;
			sim_queue_push(&s->q, s->now_ns + st->pause_ns, SIM_EV_STREAM, 0,
				(uint64_t)(st - s->stream));
			return;
		}
		if (st->left == 0 && st->under_way == 0) {
			advance(s, st);
			continue;
		}
		if (st->left == 0 || st->under_way >= width)
			return;
		if (issue_over(s)) {
			if (st->under_way == 0)
				end_stream(s, st);
			/* Those who wait for the end of a burst wait no longer. */
			rest_is_over(s, st->client);
			return;
		}
		if (stands_still(s, st) || !may_issue(s, st))
			return;
		st->left--;
		issue(s, st, step->kind == SIM_STEP_FLUSH ? SIM_OP_FLUSH :
			step->kind == SIM_STEP_READ ? SIM_OP_READ : SIM_OP_WRITE, step->bytes);
	}
}

void sim_stream_wake(struct sim *s, struct sim_stream *st)
{
	run(s, st);
}

void sim_client_wake(struct sim *s, uint32_t client)
{
	struct sim_client_state *cs = &s->client[client];
	struct sim_stream *st = cs->parked;

	cs->parked = NULL;
	cs->resting = cs->waking = false;
	cs->burst_left = s->cfg->client[client].burst_ops;
	while (st) {
		struct sim_stream *next = st->parked;

		st->pause_ns = s->cfg->client[client].burst_gap_ns;
		run(s, st);
		st = next;
	}
}

static void note_stall(struct sim *s)
{
	struct sim_result *r = s->res;
	uint64_t gap = sim_wall(s) - s->progress_ns;

	if (gap > r->stall_ns) {
		r->stall_ns = gap;
		r->stall_at_ns = s->progress_ns;
	}
	if (gap >= SIM_STALL_NS && r->first_stall_at_ns == UINT64_MAX) {
		r->first_stall_at_ns = s->progress_ns;
		r->first_stall_ns = gap;
	}
	s->progress_ns = sim_wall(s);
}

static void record(struct sim *s, const struct sim_op *op)
{
	struct sim_result *r = s->res;
	uint64_t wall = sim_wall(s), ns = wall - op->wall_ns, second = wall / UINT64_C(1000000000);
	bool in_time = wall <= s->cfg->duration_ns;

	if (op->kind == SIM_OP_FLUSH) {
		hist_record(&r->flush, ns);
		r->flushes += in_time;
	} else {
		hist_record(op->kind == SIM_OP_WRITE ? &r->write : &r->read, ns);
		*(op->kind == SIM_OP_WRITE ? &r->writes : &r->reads) += in_time;
		if (second < r->seconds)
			r->second[second]++;
	}
	r->ops += in_time;
	note_stall(s);
}

/* end_drain - the thread runs again: it sees what was answered meanwhile, oldest first. */
static void end_drain(struct sim *s, struct sim_client_state *cs, struct sim_op *drain)
{
	struct sim_stream *st = cs->stopped;
	struct sim_op *op, *seen = NULL;

	cs->draining = false;
	cs->stopped = NULL;
	s->drain_end_ns = sim_wall(s);
	note_stall(s);
	drain->next = s->free_op;
	s->free_op = drain;
	while ((op = cs->unseen)) {
		cs->unseen = op->next;
		op->next = seen;
		seen = op;
	}
	while ((op = seen)) {
		seen = op->next;
		sim_client_answered(s, op);
	}
	while (st) {
		struct sim_stream *next = st->parked;

		run(s, st);
		st = next;
	}
}

void sim_client_answered(struct sim *s, struct sim_op *op)
{
	struct sim_stream *st = &s->stream[op->stream];
	struct sim_client_state *cs = &s->client[op->client];

	if (op->kind == SIM_OP_DRAIN) {
		end_drain(s, cs, op);
		return;
	}
	if (cs->draining) {
		op->next = cs->unseen;
		cs->unseen = op;
		return;
	}
	record(s, op);
	if (s->cfg->trace)
		s->cfg->trace(s->cfg->trace_arg, op->client, op->stream, "WFR"[op->kind],
			op->wall_ns, sim_wall(s));
	if (op->kind == SIM_OP_FLUSH && st->pair_open) {
		hist_record(&s->res->pair, sim_wall(s) - st->pair_ns);
		st->pair_open = false;
	}
	op->next = s->free_op;
	s->free_op = op;
	s->under_way--;
	st->under_way--;
	cs->under_way--;
	s->last_answer_ns = sim_wall(s);
	run(s, st);
}

void sim_clients_start(struct sim *s)
{
	for (uint32_t i = 0; i < s->streams; i++) {
		struct sim_stream *st = &s->stream[i];

		begin_step(&s->cfg->client[st->client], st);
		sim_queue_push(&s->q, 0, SIM_EV_STREAM, 0, i);
	}
}
