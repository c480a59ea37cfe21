/* sim_setup.c - checks a configuration and allocates all that a simulation needs, within a bound.
 */
#include "policies/sim_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 65536u

void *sim_take(struct sim *s, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (s->blocks == s->blocks_max || __builtin_mul_overflow(count ? count : 1, size, &bytes) ||
		bytes > SIM_MAX_BYTES || s->bytes + bytes > SIM_MAX_BYTES)
		return NULL;
	p = calloc(1, bytes);
	if (!p)
		return NULL;
	s->bytes += bytes;
	s->memory[s->blocks++] = p;
	return p;
}

void *sim_alloc(struct sim_handle *h, size_t bytes)
{
	return sim_take(h->sim, 1, bytes);
}

void sim_teardown(struct sim *s)
{
	for (unsigned i = 0; i < s->blocks; i++)
		free(s->memory[i]);
	free(s->memory);
	s->memory = NULL;
	s->blocks = 0;
}

static const char *bad_step(const struct sim_client *c, const struct sim_step *step)
{
	if ((step->kind == SIM_STEP_WRITE || step->kind == SIM_STEP_READ) &&
		(step->bytes == 0 || step->bytes > c->span_bytes))
		return "an operation of no bytes, or of more than the span";
	if (step->journal && step->bytes > c->journal_bytes)
		return "a journal write of more than the journal";
	return NULL;
}

static const char *bad_client(const struct sim_config *cfg, const struct sim_client *c)
{
	bool works = false;

	if (c->image >= cfg->images)
		return "a client of an image that is not there";
	if (c->steps == 0 || c->steps > SIM_STEPS_MAX || c->depth == 0)
		return "a client without steps or streams";
	for (unsigned i = 0; i < c->steps; i++) {
		const char *bad = bad_step(c, &c->step[i]);

		if (bad)
			return bad;
		if (c->step[i].kind != SIM_STEP_THINK)
			works = true;
	}
	return works ? NULL : "a client that only thinks";
}

static const char *bad_config(const struct sim_config *cfg)
{
	if (cfg->servers == 0 || cfg->images == 0 || cfg->images > SIM_IMAGES_MAX)
		return "no server, or no or too many images";
	if (cfg->clients == 0 || (cfg->duration_ns == 0 && cfg->max_ops == 0))
		return "no client, or no end";
	for (unsigned i = 0; i < cfg->images; i++)
		if (!cfg->image[i].model)
			return "an image without a cache model";
	for (unsigned i = 0; i < cfg->clients; i++) {
		const char *bad = bad_client(cfg, &cfg->client[i]);

		if (bad)
			return bad;
	}
	return NULL;
}

static unsigned width_of(const struct sim_client *c)
{
	unsigned width = 1;

	for (unsigned i = 0; i < c->steps; i++)
		if (c->step[i].kind != SIM_STEP_THINK && c->step[i].width > width)
			width = c->step[i].width;
	return width;
}

/* describe - what the clients will do to each image. */
static void describe(struct sim *s)
{
	for (unsigned i = 0; i < s->cfg->clients; i++) {
		const struct sim_client *c = &s->cfg->client[i];
		struct sim_handle *h = &s->handle[c->image];
		uint64_t end = c->journal_bytes ? sim_journal_start(c) + c->journal_bytes :
			sim_span_end(c);

		h->streams += c->depth * width_of(c);
		h->span_bytes = end > h->span_bytes ? end : h->span_bytes;
		for (unsigned k = 0; k < c->steps; k++) {
			uint32_t bytes = c->step[k].bytes;

			if (bytes > h->max_bytes)
				h->max_bytes = bytes;
			if (c->step[k].kind == SIM_STEP_WRITE &&
				(h->min_write_bytes == 0 || bytes < h->min_write_bytes))
				h->min_write_bytes = bytes;
		}
	}
}

static int make_streams(struct sim *s)
{
	uint32_t at = 0;

	s->client = sim_take(s, s->cfg->clients, sizeof(*s->client));
	s->stream = sim_take(s, s->streams, sizeof(*s->stream));
	if (!s->client || !s->stream)
		return -1;
	for (uint32_t i = 0; i < s->cfg->clients; i++) {
		const struct sim_client *c = &s->cfg->client[i];

		sim_rng_seed(&s->client[i].rng, s->cfg->seed, 1000 + i);
		s->client[i].burst_left = c->burst_ops;
		for (unsigned k = 0; k < c->steps; k++)
			if (c->step[k].kind == SIM_STEP_FLUSH)
				s->client[i].flushes = true;
		for (unsigned k = 0; k < c->depth; k++)
			s->stream[at++].client = i;
	}
	return 0;
}

#define LINK(array, n, first) do { \
	for (uint64_t i_ = 0; i_ + 1 < (n); i_++) \
		(array)[i_].next = &(array)[i_ + 1]; \
	(first) = (array); \
} while (0)

/* make_pools - everything whose number follows from the bounds of the models. */
static int make_pools(struct sim *s)
{
	uint64_t ops = s->cfg->images, jobs = 16, timers = 16, events;
	struct sim_member *members;
	struct sim_event *heap;

	for (unsigned i = 0; i < s->cfg->images; i++) {
		struct sim_bound b = { 0, 0, 0 };

		s->handle[i].cfg->model->bound(&s->handle[i], &b);
		if (b.submits > SIM_MAX_BYTES || b.timers > SIM_MAX_BYTES || b.bytes > SIM_MAX_BYTES)
			return -1;
		jobs += b.submits + s->handle[i].streams + 8;
		timers += b.timers + 8;
		ops += s->handle[i].streams;
	}
	ops += s->cfg->clients; /* a drain each */
	s->op = sim_take(s, ops, sizeof(*s->op));
	s->job = sim_take(s, jobs, sizeof(*s->job));
	s->extent = sim_take(s, jobs, sizeof(*s->extent));
	members = sim_take(s, jobs, sizeof(*members));
	events = 2 * ops + jobs + timers + s->streams + s->cfg->clients;
	heap = sim_take(s, events + SIM_QUEUE_SPARE, sizeof(*heap));
	if (!s->op || !s->job || !s->extent || !members || !heap || events > UINT32_MAX)
		return -1;
	sim_queue_init(&s->q, heap, (uint32_t)events);
	LINK(s->op, ops, s->free_op);
	LINK(s->job, jobs, s->free_job);
	LINK(s->extent, jobs, s->free_extent);
	LINK(members, jobs, s->free_member);
	return 0;
}

static int make_images(struct sim *s)
{
	const struct sim_config *cfg = s->cfg;

	s->handle = sim_take(s, cfg->images, sizeof(*s->handle));
	s->log = sim_take(s, cfg->images, sizeof(*s->log));
	if (!s->handle || !s->log)
		return -1;
	s->backend.servers = cfg->servers;
	for (unsigned i = 0; i < cfg->images; i++) {
		s->log[i].servers = cfg->log_servers ? cfg->log_servers : UINT32_MAX;
		s->handle[i] = (struct sim_handle){ .sim = s, .cfg = &cfg->image[i], .index = i,
			.gap_ns = 1e9 };
	}
	describe(s);
	return 0;
}

static int init_models(struct sim *s)
{
	for (unsigned i = 0; i < s->cfg->images; i++) {
		struct sim_handle *h = &s->handle[i];

		h->objecter = sim_take(s, 1, sizeof(*h->objecter));
		if (h->objecter)
			h->objecter->thread = SIM_THREAD_OTHER;
		if (!h->objecter || sim_sched_init(s, h) < 0)
			return -1;
		h->state = sim_take(s, 1, h->cfg->model->state_size + 1);
		if (!h->state || (h->cfg->model->init && h->cfg->model->init(h) < 0))
			return -1;
	}
	return s->gate ? s->gate->init(s, s->handle, s->cfg->images) : 0;
}

static int make_result(struct sim *s)
{
	uint64_t seconds = s->cfg->duration_ns / UINT64_C(1000000000) + 2;

	s->res = calloc(1, sizeof(*s->res));
	if (!s->res)
		return -1;
	s->res->seconds = seconds > 100000 ? 100000 : (unsigned)seconds;
	s->res->second = calloc(s->res->seconds, sizeof(*s->res->second));
	s->res->first_stall_at_ns = UINT64_MAX;
	return s->res->second ? 0 : -1;
}

int sim_setup(struct sim *s, struct err *reterr)
{
	const char *bad = bad_config(s->cfg);

	if (bad)
		return err_set(reterr, ERR_INTERNAL, -EINVAL, "simulation: %s", bad);
	s->gate = s->cfg->gate;
	s->blocks_max = BLOCKS_MAX;
	s->memory = calloc(s->blocks_max, sizeof(*s->memory));
	if (!s->memory)
		return err_nomem(reterr);
	s->next_pause_ns = s->cfg->pauses > 0 ? 0 : UINT64_MAX;
	for (unsigned i = 0; i < SIM_SERVICE_COUNT; i++)
		sim_rng_seed(&s->rng[i], s->cfg->seed, i + 1);
	for (unsigned i = 0; i < s->cfg->clients; i++)
		s->streams += s->cfg->client[i].depth;
	s->live_streams = s->streams;
	if (make_result(s) < 0 || make_images(s) < 0 || make_streams(s) < 0 || make_pools(s) < 0 ||
		init_models(s) < 0)
		return err_set(reterr, ERR_INPUT, -E2BIG, "simulation: it needs more than %zu MiB; "
			"simulate fewer images, a smaller cache or larger writes",
			SIM_MAX_BYTES >> 20);
	return 0;
}
