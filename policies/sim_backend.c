/* sim_backend.c - stations: K servers with one FIFO, at the backend and at each cache device. */
#include "policies/sim_part.h"

#include "policies/sim_constants.h"

/* Bytes that the first step of a service time covers. */
#define BLOCK 4096

/* log_write - a write of @bytes: on the line through the times of 4 and of 12 KiB. */
static uint64_t log_write(const struct sim_table *tables, struct sim_rng *rng, uint64_t bytes)
{
	const struct sim_table *small = &tables[SIM_L_WRITE4K], *large = &tables[SIM_L_WRITE12K];
	struct sim_rng same = *rng;
	uint64_t a = sim_table_draw(small, rng), b;

	if (bytes <= BLOCK || !large->known)
		return a;
	b = sim_table_draw(large, &same);
	if (b <= a)
		return a;
	return a + (uint64_t)((double)(b - a) * (double)(bytes - BLOCK) / (2.0 * BLOCK));
}

static uint64_t service_time(struct sim *s, enum sim_service service, uint64_t bytes)
{
	const struct sim_table *tables = s->cfg->service;
	struct sim_rng *rng = &s->rng[service];
	uint64_t ns;

	if (service == SIM_L_WRITE4K)
		return log_write(tables, rng, bytes);
	ns = sim_table_draw(&tables[service], rng);
	if (bytes > BLOCK && s->cfg->stream_bps > 0)
		ns += (uint64_t)((double)(bytes - BLOCK) * 1e9 / s->cfg->stream_bps);
	if (s->cfg->deep_gain > 0 && service <= SIM_B_LAST)
		ns = (uint64_t)((double)ns * (1 - s->cfg->deep_gain * s->backend.queued /
			(s->backend.queued + SIM_DEEP_HALF)));
	return ns;
}

/* in_line - an OSD takes the operations of one client's connection one after the other; each holds
 * the line for line_ns, which is part of its service time. How long @image's next one waits. */
static uint64_t in_line(struct sim *s, unsigned image)
{
	struct sim_thread *line = &s->handle[image].line;

	if (!(s->cfg->line_ns > 0))
		return 0;
	return sim_thread_take(line, s->now_ns, (uint64_t)s->cfg->line_ns) - s->now_ns -
		(uint64_t)s->cfg->line_ns;
}

static void start(struct sim *s, struct sim_station *st, struct sim_job *j)
{
	uint64_t ns = service_time(s, j->service, j->bytes);

	if (st == &s->backend) {
		ns += in_line(s, j->image);
		s->res->backend_busy_ns += (double)ns;
	}
	st->busy++;
	s->res->served[j->service]++;
	sim_queue_push(&s->q, s->now_ns + ns, SIM_EV_JOB, j->image, (uint64_t)(j - s->job));
}

static struct sim_station *station_of(struct sim *s, unsigned image, enum sim_service service)
{
	return service <= SIM_B_LAST ? &s->backend : &s->log[image];
}

void sim_station_submit(struct sim *s, struct sim_job *j)
{
	struct sim_station *st = station_of(s, j->image, j->service);

	if (st->busy < st->servers) {
		start(s, st, j);
		return;
	}
	st->queued++;
	st->waited_ns -= (double)s->now_ns;
	sim_jobs_push(&st->waiting, j);
}

/* group - how many operations are answered together: an OSD commits what queued while it committed
 * the last ones, so the deeper the queue, the larger. */
static uint32_t group(const struct sim *s, const struct sim_station *st)
{
	uint32_t most = s->cfg->group_max, n = 1 + st->queued / SIM_GROUP_SHARE;

	return st != &s->backend || st->busy == 0 ? 1 : n > most ? most : n;
}

void sim_job_over(struct sim *s, uint64_t number)
{
	struct sim_job *j = &s->job[number];
	struct sim_station *st = station_of(s, j->image, j->service);
	struct sim_job *waiting = sim_jobs_pop(&st->waiting);

	st->busy--;
	if (waiting) {
		st->queued--;
		st->waited_ns += (double)s->now_ns;
		start(s, st, waiting);
	}
	sim_jobs_push(&st->ready, j);
	if (++st->finished < group(s, st))
		return;
	st->finished = 0;
	waiting = st->ready.head;
	st->ready = (struct sim_jobs){ NULL, NULL };
	while ((j = waiting)) {
		waiting = j->next;
		sim_objecter_over(&s->handle[j->image], j);
	}
}

void sim_submit(struct sim_handle *h, enum sim_service service, uint64_t bytes, uint64_t cookie)
{
	sim_objecter_submit(h, service, bytes, cookie, SIM_TO_MODEL);
}

void sim_gate_submit(struct sim_handle *h, enum sim_service service, uint64_t cookie)
{
	sim_objecter_submit(h, service, 0, cookie, SIM_TO_GATE);
}
