/* load_job.h - one job of a load: the loop between submit and reap, and what it shares.
 *
 * Private to load*.c and their tests. A run's memory is shared by load_run()'s thread and the job
 * threads, and freed by whoever leaves last: a job whose I/O never returns is left behind
 * ("abandoned") and must find its memory and its descriptor in place when it does.
 *
 * What a depth above 1 does with fsync=N, as fio 3.33's libaio engine does it in one job (seen with
 * strace, rw=randwrite iodepth=32 fsync=1: io_submit of 1 until 32 are in flight, and then, for
 * ever, io_getevents of 1, fsync, io_submit of 1; iodepth_level 32 is where it stays, and there
 * are as many fsyncs as writes but for the 31 of the first filling): the queue is filled without a
 * sync. When reaping has returned at least one write, and the number of writes issued is a multiple
 * of N, one blocking fsync is called before the next write is issued; the others stay in
 * flight meanwhile. fio's rule is last_ddir_completed == DDIR_WRITE and io_issues % N == 0 in
 * io_u.c. So the row parallel-fsync is a serial fsync for each write with 31 others in flight, and
 * a write's latency holds the fsyncs that its completion waited behind. Deviation: fio drains the
 * queue at the end without syncs; here the drained writes are reaped together and one sync
 * follows, so that every write counted was made durable.
 */
#ifndef SSDQUAL_PROBES_LOAD_JOB_H
#define SSDQUAL_PROBES_LOAD_JOB_H

#include "probes/engine.h"
#include "probes/iobuf.h"
#include "probes/load.h"
#include "probes/load_stats.h"
#include "probes/pattern.h"

#include <pthread.h>
#include <semaphore.h>

#define LOAD_DEPTH_MAX 1024u
#define LOAD_JOBS_MAX  64u
#define LOAD_BS_MAX    (64u << 20)
#define LOAD_ALIGN_MAX 65536u

static inline bool load_is_random(const struct load_params *p)
{
	return p->rw == RW_RANDWRITE || p->rw == RW_RANDREAD;
}

static inline bool load_is_read(const struct load_params *p)
{
	return p->rw == RW_READ || p->rw == RW_RANDREAD;
}

void load_iobuf_spec(const struct load_params *p, struct iobuf_spec *ret);

/* Why a job ended, by rank: of several jobs' reasons the highest is the run's. */
enum load_end { END_NONE, END_SIZE, END_LIMIT, END_RUNTIME, END_SIGNAL, END_ERROR, END_GONE };

enum load_order { ORDER_RUN, ORDER_STOP, ORDER_ABANDON };

struct load_shared;

struct load_job {
	struct load_shared *shared;
	const struct engine_ops *ops;
	void *engine;
	struct engine_io *ios;                 /* [iodepth] */
	struct engine_io **spare, **staged, **done; /* [iodepth] */
	uint32_t spare_count, staged_count, inflight;
	uint32_t batch_submit, batch_reap;
	struct iobuf buffers;
	struct pattern pattern;
	bool write, finishing; /* finishing: nothing new is issued, what is in flight is reaped */
	uint32_t sync_every; /* 0: never */
	bool sync_data_only;
	uint64_t issued, issue_max;
	enum load_end end_at_max;
	bool file_is_full;    /* the next I/O goes to the next file */
	uint32_t naps;        /* since the kernel last had room */
	uint64_t now_ns;      /* the newest clock reading */
	uint64_t deadline_ns; /* UINT64_MAX: none */
	uint64_t due_ns;      /* paced: when the next I/O is wanted; else 0 */
	uint64_t think_until_ns;
	uint64_t last_done_ns; /* time of the last completion; 0: none */
	uint64_t errors;
	enum load_end end;
	struct err error; /* of the first I/O that failed */
	int fd;           /* a duplicate: ours whatever the caller does with his */
	struct load_stats stats;
	atomic_uint_fast64_t progress; /* another value after every completion, for who watches */
	pthread_t thread;
	atomic_bool over; /* the thread has left its loop */
};

struct load_shared {
	struct load_params p; /* a copy; its strings may not be used by jobs */
	const struct engine_sys *sys;
	struct load_file_source files; /* next NULL: none */
	uint64_t start_ns;
	atomic_int order; /* enum load_order */
	atomic_uint refs;
	sem_t gate, left; /* posted once a job: to start it; when it is over */
	uint32_t job_count;
	struct load_job *job; /* [job_count] */
};

/* load_job_init - everything that a job needs, allocated and touched. load_job_done() is also its
 * failure path. @index of shared->job[]. */
int load_job_init(struct load_shared *s, uint32_t index, const struct engine_ops *ops,
	struct err *reterr);
void load_job_done(struct load_job *j);

/* load_job_run - the loop, from shared->start_ns to the job's end; fills end, error, stats. */
void load_job_run(struct load_job *j);

/* load_due_ns - when I/O @k (from 0) of a load paced at @rate a second is due. No drift: every one
 * is computed from the start. */
static inline uint64_t load_due_ns(uint64_t start_ns, uint64_t k, uint32_t rate)
{
	return start_ns + k / rate * NS_PER_S + k % rate * NS_PER_S / rate;
}

/* load_run_with - load_run() with the engine and system calls of a test, and its patience: how long
 * I/Os in flight may take after a stop and after the end of the runtime before their job is
 * abandoned. */
struct load_setup {
	const struct engine_ops *ops;
	const struct engine_sys *sys;
	uint64_t stop_patience_ns, end_patience_ns;
};
int load_run_with(const struct load_params *p, const struct load_setup *setup,
	const struct load_watch *watch, struct measurement *m, struct err *reterr);

#endif
