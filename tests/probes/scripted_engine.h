/* scripted_engine.h - an engine that does what a test says: its nth call fails in a given way.
 *
 * It checks the job's side of engine.h as it goes: no I/O is submitted twice, none beyond the
 * depth, none with a file change pending. One job at a time uses it (its state is global).
 */
#ifndef SSDQUAL_TESTS_PROBES_SCRIPTED_ENGINE_H
#define SSDQUAL_TESTS_PROBES_SCRIPTED_ENGINE_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/load_job.h"

enum fault {
	F_NONE,
	F_SUBMIT_AGAIN, /* the nth submit has no room */
	F_SUBMIT_PART,  /* accepts one I/O only */
	F_SUBMIT_ERROR,
	F_REAP_NOTHING, /* the nth reap returns 0, as for a signal */
	F_REAP_ERROR,
	F_REAP_HANGS,   /* until `release` is posted */
	F_RES_ERROR,    /* the nth completion */
	F_RES_SHORT,
	F_RES_ZERO,
	F_SYNC_ERROR,   /* the nth sync */
};

#define SCRIPT_IOS 4096u

static struct {
	enum fault fault;
	unsigned nth; /* from 1 */
	int error;    /* errno of it */
	unsigned submits, reaps, results, syncs, files;
	struct engine_io *queue[LOAD_DEPTH_MAX];
	unsigned queued, most_queued, syncs_with_queue;
	uint64_t offset[SCRIPT_IOS]; /* of every I/O accepted, in order */
	unsigned accepted;
	uint64_t durable; /* bytes of writes completed before the last good sync */
	uint64_t written;
	atomic_bool hung; /* a job is in F_REAP_HANGS */
	sem_t release, closed;
} script;

static void script_set(enum fault fault, unsigned nth, int error)
{
	memset(&script, 0, sizeof(script));
	script.fault = fault;
	script.nth = nth;
	script.error = error;
	(void)sem_init(&script.release, 0, 0);
	(void)sem_init(&script.closed, 0, 0);
}

static int script_open(const struct engine_cfg *cfg, void **ret_state, struct err *reterr)
{
	(void)cfg;
	(void)reterr;
	*ret_state = &script;
	return 0;
}

static void script_close(void *state)
{
	(void)state;
	(void)sem_post(&script.closed);
}

static int script_submit(void *state, struct engine_io *const *ios, unsigned n)
{
	bool now = ++script.submits == script.nth;

	(void)state;
	if (now && script.fault == F_SUBMIT_AGAIN)
		return 0;
	if (now && script.fault == F_SUBMIT_ERROR)
		return -script.error;
	if (now && script.fault == F_SUBMIT_PART)
		n = 1;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < script.queued; k++)
			assert_ptr_not_equal(script.queue[k], ios[i]);
		assert_true(script.queued < LOAD_DEPTH_MAX);
		script.queue[script.queued++] = ios[i];
		if (script.accepted < SCRIPT_IOS)
			script.offset[script.accepted] = ios[i]->offset + ios[i]->done;
		script.accepted++;
	}
	if (script.queued > script.most_queued)
		script.most_queued = script.queued;
	return (int)n;
}

static int64_t script_result(const struct engine_io *io)
{
	int64_t left = io->len - io->done;

	if (++script.results != script.nth)
		return left;
	switch (script.fault) {
	case F_RES_ERROR:
		return -script.error;
	case F_RES_SHORT:
		return left / 2;
	case F_RES_ZERO:
		return 0;
	default:
		return left;
	}
}

static int script_reap(void *state, struct engine_io **done, unsigned max, uint64_t timeout_ns)
{
	bool now = ++script.reaps == script.nth;
	unsigned n = script.queued < max ? script.queued : max;

	(void)state;
	(void)timeout_ns;
	assert_true(script.queued > 0);
	if (now && script.fault == F_REAP_HANGS) {
		atomic_store(&script.hung, true);
		while (sem_wait(&script.release) < 0)
			;
	}
	if (now && script.fault == F_REAP_NOTHING)
		return 0;
	if (now && script.fault == F_REAP_ERROR)
		return -script.error;
	for (unsigned i = 0; i < n; i++) {
		done[i] = script.queue[i];
		done[i]->res = script_result(done[i]);
		if (done[i]->res > 0)
			script.written += (uint64_t)done[i]->res;
	}
	script.queued -= n;
	memmove(script.queue, script.queue + n, script.queued * sizeof(script.queue[0]));
	return (int)n;
}

static int script_sync(void *state, bool data_only)
{
	(void)state;
	(void)data_only;
	script.syncs_with_queue += script.queued > 0;
	if (++script.syncs == script.nth && script.fault == F_SYNC_ERROR)
		return -script.error;
	script.durable = script.written;
	return 0;
}

static void script_set_fd(void *state, int fd)
{
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(script.queued, 0);
	script.files++;
}

static const struct engine_ops scripted_engine = {
	.name = "scripted", .summary = "for tests", .max_depth = LOAD_DEPTH_MAX,
	.open = script_open, .close = script_close, .submit = script_submit,
	.reap = script_reap, .sync = script_sync, .set_fd = script_set_fd,
};

#endif
