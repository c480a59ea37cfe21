/* load.c - a run: starts the jobs, watches them, makes a measurement of what they recorded. */
#include "probes/load.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "probes/load_job.h"

#define POLL_NS       (NS_PER_S / 20)
#define TICK_AFTER_NS (NS_PER_S / 20) /* past the second, for jobs to close their slots */
#define STOP_PATIENCE_NS (5 * NS_PER_S)
#define END_PATIENCE_NS (180 * NS_PER_S) /* the SCSI layer tries five times, 30 s each */

/* The watching thread's side of a run. */
struct run {
	struct load_shared *shared;
	const struct load_setup *setup;
	const struct load_watch *watch;
	struct load_total total;
	uint32_t started, left;
	uint64_t next_tick_ns, ticks;
	uint64_t stop_seen_ns;    /* 0: not stopped */
	uint64_t progress, progress_ns;
	bool abandoned, no_memory;
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail on Linux */
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* -- shared memory -------------------------------------------------------------------------- */

static void shared_unref(struct load_shared *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	for (uint32_t i = 0; i < s->job_count; i++)
		load_job_done(&s->job[i]);
	(void)sem_destroy(&s->gate); /* nobody waits any more */
	(void)sem_destroy(&s->left);
	free(s->job);
	free(s);
}

static int shared_new(const struct load_params *p, const struct load_setup *setup,
	struct load_shared **ret, struct err *reterr)
{
	struct load_shared *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return err_nomem(reterr);
	s->p = *p;
	s->sys = setup->sys;
	if (p->files)
		s->files = *p->files;
	atomic_init(&s->refs, 1);
	(void)sem_init(&s->gate, 0, 0); /* fails for a value too large only */
	(void)sem_init(&s->left, 0, 0);
	s->job = calloc(p->numjobs, sizeof(*s->job));
	if (!s->job)
		r = err_nomem(reterr);
	for (uint32_t i = 0; r == 0 && i < p->numjobs; i++) {
		s->job_count = i + 1;
		r = load_job_init(s, i, setup->ops, reterr);
	}
	if (r < 0) {
		shared_unref(s);
		return r;
	}
	*ret = s;
	return 0;
}

/* -- job threads ---------------------------------------------------------------------------- */

static void *job_thread(void *arg)
{
	struct load_job *j = arg;
	struct load_shared *s = j->shared;

	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* else every sleep is 50 us too long */
	while (sem_wait(&s->gate) < 0)
		; /* a signal */
	load_job_run(j);
	atomic_store_explicit(&j->over, true, memory_order_release);
	(void)sem_post(&s->left);
	shared_unref(s);
	return NULL;
}

/* Signals are for the threads that know what to do about them. */
static int start_threads(struct run *run, struct err *reterr)
{
	struct load_shared *s = run->shared;
	sigset_t all, old;
	int r = 0;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; r == 0 && i < s->job_count; i++) {
		atomic_fetch_add(&s->refs, 1);
		r = -pthread_create(&s->job[i].thread, NULL, job_thread, &s->job[i]);
		if (r == 0)
			run->started++;
		else
			atomic_fetch_sub(&s->refs, 1);
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r < 0) {
		(void)err_set(reterr, ERR_INTERNAL, r, "thread for a job: %s; lower numjobs",
			strerror(-r));
		atomic_store(&s->order, ORDER_STOP);
	}
	s->start_ns = clock_ns();
	run->next_tick_ns = s->start_ns + NS_PER_S + TICK_AFTER_NS;
	run->progress_ns = s->start_ns;
	for (uint32_t i = 0; i < run->started; i++)
		(void)sem_post(&s->gate);
	return r;
}

/* -- watching ------------------------------------------------------------------------------- */

static void collect(struct run *run)
{
	struct load_shared *s = run->shared;

	for (uint32_t i = 0; i < run->started; i++) {
		struct load_job *j = &s->job[i];
		bool over = atomic_load_explicit(&j->over, memory_order_acquire);

		if (load_total_collect(&run->total, &j->stats, over) < 0)
			run->no_memory = true;
	}
}

static void tick(struct run *run, uint64_t now_ns)
{
	struct load_shared *s = run->shared;
	struct load_tick t = {
		.elapsed_s = (double)(now_ns - s->start_ns) / (double)NS_PER_S,
		.total_s = (double)s->p.runtime_ns / (double)NS_PER_S,
		.ios = run->total.ios,
		.bytes = run->total.bytes,
		.lat = run->total.hist[LK_LAT],
	};
	uint64_t whole = (now_ns - s->start_ns - TICK_AFTER_NS) / NS_PER_S;

	run->next_tick_ns = s->start_ns + (whole + 1) * NS_PER_S + TICK_AFTER_NS;
	t.last = load_total_second(&run->total, whole - 1);
	if (run->watch && run->watch->tick)
		run->watch->tick(run->watch->ctx, &t);
}

/* Is a job's I/O still to be waited for? Nothing has moved for longer than patience allows, and the
 * run should be over. */
static bool patience_is_over(struct run *run, uint64_t now_ns)
{
	const struct load_shared *s = run->shared;
	uint64_t progress = 0, since, end_ns = s->start_ns + s->p.runtime_ns;

	for (uint32_t i = 0; i < run->started; i++)
		progress += atomic_load_explicit(&s->job[i].progress, memory_order_relaxed);
	if (progress != run->progress) {
		run->progress = progress;
		run->progress_ns = now_ns;
	}
	if (run->stop_seen_ns) {
		since = run->stop_seen_ns > run->progress_ns ? run->stop_seen_ns : run->progress_ns;
		return now_ns - since > run->setup->stop_patience_ns;
	}
	if (s->p.runtime_ns && now_ns > end_ns) {
		since = end_ns > run->progress_ns ? end_ns : run->progress_ns;
		return now_ns - since > run->setup->end_patience_ns;
	}
	return false;
}

static void watch_jobs(struct run *run)
{
	struct load_shared *s = run->shared;

	while (run->left < run->started && !run->abandoned) {
		uint64_t now = clock_ns(), wake = now + POLL_NS;
		struct timespec t = {
			.tv_sec = (time_t)(wake / NS_PER_S), .tv_nsec = (long)(wake % NS_PER_S),
		};

		if (sem_clockwait(&s->left, CLOCK_MONOTONIC, &t) == 0)
			run->left++;
		now = clock_ns();
		if (run->watch && run->watch->stop && atomic_load(run->watch->stop))
			atomic_store(&s->order, ORDER_STOP);
		if (run->stop_seen_ns == 0 && atomic_load(&s->order) != ORDER_RUN)
			run->stop_seen_ns = now;
		collect(run);
		if (now >= run->next_tick_ns && run->left < run->started)
			tick(run, now);
		run->abandoned = run->left < run->started && patience_is_over(run, now);
	}
	if (run->abandoned)
		atomic_store(&s->order, ORDER_ABANDON);
	for (uint32_t i = 0; i < run->started; i++) {
		/* an abandoned job frees what it holds when its I/O comes back */
		if (run->abandoned && !atomic_load(&s->job[i].over))
			(void)pthread_detach(s->job[i].thread);
		else
			(void)pthread_join(s->job[i].thread, NULL);
	}
	collect(run);
}

/* -- the measurement ------------------------------------------------------------------------ */

static const char *end_word(enum load_end end)
{
	static const char *const words[] = {
		[END_NONE] = "error",      [END_SIZE] = "size",     [END_LIMIT] = "io-limit",
		[END_RUNTIME] = "runtime", [END_SIGNAL] = "signal", [END_ERROR] = "error",
		[END_GONE] = "device-gone",
	};

	return words[end];
}

static int replace_text(char **text, const char *with)
{
	char *p = with ? strdup(with) : NULL;

	if (with && !p)
		return -ENOMEM;
	free(*text);
	*text = p;
	return 0;
}

static int fill_end(const struct run *run, struct measurement *m)
{
	const struct load_shared *s = run->shared;
	enum load_end end = END_NONE;
	const char *error = NULL;

	m->runtime_ns = 0;
	m->errors = 0;
	for (uint32_t i = 0; i < run->started; i++) {
		const struct load_job *j = &s->job[i];
		uint64_t runtime_ns;

		if (!atomic_load(&j->over))
			continue;
		m->errors += j->errors;
		if (j->errors && !error)
			error = j->error.msg;
		if (j->end > end)
			end = j->end;
		runtime_ns = j->last_done_ns ? j->last_done_ns - s->start_ns : 0;
		if (j->end == END_RUNTIME && runtime_ns < s->p.runtime_ns)
			runtime_ns = s->p.runtime_ns;
		if (runtime_ns > m->runtime_ns)
			m->runtime_ns = runtime_ns;
	}
	if (run->abandoned) {
		m->runtime_ns = clock_ns() - s->start_ns;
		m->errors += run->started - run->left;
		end = end == END_GONE ? END_GONE : END_ERROR;
		if (!error)
			error = "the device does not answer: I/O in flight did not come back";
	}
	if (replace_text(&m->error, error) < 0 || replace_text(&m->stop, end_word(end)) < 0)
		return -ENOMEM;
	return 0;
}

static void fill_latency(struct latency *l, struct load_total *t, enum load_kind kind)
{
	latency_done(l);
	if (!t->hist[kind])
		return;
	latency_from_hist(l, t->hist[kind]);
	t->hist[kind] = NULL;
}

static int fill(struct run *run, struct measurement *m, struct err *reterr)
{
	struct load_total *t = &run->total;

	json_free(m->params);
	m->params = json_new_object();
	if (fill_end(run, m) < 0 || load_params_to_json(&run->shared->p, m->params) < 0)
		return err_nomem(reterr);
	if (load_total_close(t, m->runtime_ns) < 0 || run->no_memory)
		return err_nomem(reterr);
	m->ios = t->ios;
	m->bytes = t->bytes;
	m->iops = m->bw_bytes = NAN;
	if (m->runtime_ns) {
		m->iops = (double)m->ios * (double)NS_PER_S / (double)m->runtime_ns;
		m->bw_bytes = (double)m->bytes * (double)NS_PER_S / (double)m->runtime_ns;
	}
	m->last_third_change = load_last_third_change(t->second, t->seconds);
	fill_latency(&m->lat, t, LK_LAT);
	fill_latency(&m->write_lat, t, LK_WRITE);
	fill_latency(&m->sync_lat, t, LK_SYNC);
	fill_latency(&m->lat_uncorrected, t, LK_UNCORRECTED);
	free(m->timeline);
	m->timeline = t->second;
	m->timeline_count = t->seconds;
	t->second = NULL;
	return 0;
}

/* -- the run -------------------------------------------------------------------------------- */

int load_run_with(const struct load_params *p, const struct load_setup *setup,
	const struct load_watch *watch, struct measurement *m, struct err *reterr)
{
	const bool syncs = p->fsync || p->fdatasync;
	const bool kinds[LK_COUNT] = { true, syncs, syncs, p->rate_iops != 0 };
	struct run run = { .setup = setup, .watch = watch };
	int r = load_params_check(p, reterr);

	if (r == 0)
		r = shared_new(p, setup, &run.shared, reterr);
	if (r < 0)
		return r;
	/* As fio does (invalidate=1): pages of an earlier run would serve buffered I/O. Not every
	 * target can, and none needs to. */
	if (p->fd >= 0)
		(void)posix_fadvise(p->fd, (off_t)p->offset, (off_t)p->size, POSIX_FADV_DONTNEED);
	if (load_total_init(&run.total, kinds, p->runtime_ns / NS_PER_S) < 0)
		r = err_nomem(reterr);
	if (r == 0)
		r = start_threads(&run, reterr);
	watch_jobs(&run);
	if (r == 0)
		r = fill(&run, m, reterr);
	load_total_done(&run.total);
	shared_unref(run.shared);
	return r;
}

int load_run(const struct load_params *p, const struct load_watch *watch, struct measurement *m,
	struct err *reterr)
{
	const struct load_setup setup = {
		.ops = engine_find(p->engine),
		.sys = &engine_sys_kernel,
		.stop_patience_ns = STOP_PATIENCE_NS,
		.end_patience_ns = END_PATIENCE_NS,
	};

	return load_run_with(p, &setup, watch, m, reterr);
}
