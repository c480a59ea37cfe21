/* load_loop.c - the loop of a job: stage, submit, reap, sync, record.
 *
 * Clock readings: one before a batch is submitted, one after a batch is reaped, one after a sync;
 * at depth 1 two an I/O. One reading cannot end an I/O and begin the next: between them lie the
 * recording of the first and the making of the second (offset, new data), some 50 ns for 4 KiB of
 * data and much more for larger blocks. That is the tool's time, not the device's, and would stand
 * in every latency (it does stand in the IOPS of a closed loop). A reading costs about 20 ns.
 */
#include "probes/load_job.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLICE_NS        (NS_PER_S / 10) /* the longest sleep that does not look for a stop */
#define NO_ROOM_NAP_NS  100000u
#define NO_ROOM_NAPS    100000u /* 10 s of EAGAIN with nothing in flight is an error */

static uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail on Linux */
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void nap_until(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };

	/* an early return is harmless: the caller's loop looks at the clock again */
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* -- failures ------------------------------------------------------------------------------- */

static void finish(struct load_job *j, enum load_end end)
{
	j->finishing = true;
	if (end > j->end)
		j->end = end;
}

/* The kernel answers EIO on a disk that was pulled, too, or ENOSPC, because its size is 0 then. */
static bool device_is_gone(int fd, int error)
{
	struct stat st;
	uint64_t size = 0;

	if (error == -ENODEV || error == -ENXIO)
		return true;
	if ((error != -EIO && error != -ENOSPC) || fd < 0 || fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode))
		return false;
	return ioctl(fd, BLKGETSIZE64, &size) < 0 || size == 0;
}

static void fail(struct load_job *j, const struct engine_io *io, const char *what, int error)
{
	bool gone = device_is_gone(j->fd, error);

	if (j->errors++ == 0)
		(void)err_set(&j->error, ERR_DEVICE, error, "%s%s of %u bytes at offset %llu: %s",
			what, io->write ? "write" : "read", io->len,
			(unsigned long long)io->offset,
			error ? strerror(-error) : "nothing was transferred");
	finish(j, gone ? END_GONE : END_ERROR);
	atomic_store_explicit(&j->shared->order, ORDER_STOP, memory_order_relaxed);
}

/* Give up what waits to be submitted, after an error that leaves no hope for it. */
static void drop_staged(struct load_job *j)
{
	while (j->staged_count)
		j->spare[j->spare_count++] = j->staged[--j->staged_count];
}

/* Left behind by load_run(): the caller may have closed and reused what this job would touch. */
static inline bool is_abandoned(const struct load_job *j)
{
	return atomic_load_explicit(&j->shared->order, memory_order_relaxed) == ORDER_ABANDON;
}

/* -- issue ---------------------------------------------------------------------------------- */

static inline uint64_t gate_ns(const struct load_job *j)
{
	return j->due_ns > j->think_until_ns ? j->due_ns : j->think_until_ns;
}

static inline bool may_stage(const struct load_job *j)
{
	return !j->finishing && j->spare_count && j->staged_count < j->batch_submit &&
		j->issued < j->issue_max && !j->file_is_full && gate_ns(j) <= j->now_ns;
}

static inline void stage_one(struct load_job *j)
{
	struct engine_io *io = j->spare[--j->spare_count];
	const struct load_params *p = &j->shared->p;

	io->offset = pattern_next(&j->pattern);
	io->done = 0;
	io->issue_ns = 0;
	io->due_ns = j->due_ns;
	if (j->write)
		iobuf_refresh(&j->buffers, io->buf);
	j->staged[j->staged_count++] = io;
	j->issued++;
	if (p->rate_iops)
		j->due_ns = load_due_ns(j->shared->start_ns, j->issued, p->rate_iops);
	if (j->shared->files.next && pattern_pass_is_over(&j->pattern))
		j->file_is_full = true;
}

/* Submit what is staged. The latency of an I/O that the kernel had no room for counts from the
 * first attempt: waiting for room is part of it. */
static void submit_staged(struct load_job *j)
{
	int n;

	j->now_ns = clock_ns();
	for (uint32_t i = 0; i < j->staged_count; i++) {
		if (j->staged[i]->issue_ns == 0)
			j->staged[i]->issue_ns = j->now_ns;
	}
	n = j->ops->submit(j->engine, j->staged, j->staged_count);
	if (n < 0) {
		fail(j, j->staged[0], "submit of ", n);
		drop_staged(j);
		return;
	}
	j->inflight += (uint32_t)n;
	j->staged_count -= (uint32_t)n;
	if (n && j->staged_count)
		memmove(j->staged, j->staged + n, j->staged_count * sizeof(struct engine_io *));
}

/* -- completion ----------------------------------------------------------------------------- */

/* Sort @n reaped I/Os: whole ones stay at the front of done[], their number is returned; short
 * ones are staged again, failed ones end the run. */
static uint32_t sort_reaped(struct load_job *j, uint32_t n)
{
	uint32_t whole = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct engine_io *io = j->done[i];

		if (__builtin_expect(io->res == io->len - io->done, 1)) {
			j->done[whole++] = io;
		} else if (io->res > 0) {
			io->done += (uint32_t)io->res;
			j->staged[j->staged_count++] = io;
		} else {
			fail(j, io, "", (int)io->res);
			j->spare[j->spare_count++] = io;
		}
	}
	return whole;
}

/* The sync that follows @n reaped writes. false: it failed, none of them is known to be durable. */
static bool sync_reaped(struct load_job *j, uint32_t n)
{
	uint64_t begin_ns = j->now_ns;
	int r = j->ops->sync(j->engine, j->sync_data_only);

	j->now_ns = clock_ns();
	if (r < 0) {
		fail(j, j->done[n - 1], j->sync_data_only ? "fdatasync after " : "fsync after ", r);
		return false;
	}
	load_stats_at(&j->stats, j->now_ns);
	hist_record(j->stats.open->hist[LK_SYNC], j->now_ns - begin_ns);
	return true;
}

/* Record the I/Os done[0 .. n-1], reaped at @reaped_ns; of these the last @synced, whose writes the
 * sync that is over now made durable, took until now. */
static inline void record(struct load_job *j, uint32_t n, uint32_t synced, uint64_t reaped_ns)
{
	struct load_slot *slot = j->stats.open;
	const bool paced = j->shared->p.rate_iops != 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct engine_io *io = j->done[i];
		uint64_t end_ns = i + synced >= n ? j->now_ns : reaped_ns;

		hist_record(slot->hist[LK_LAT], end_ns - (paced ? io->due_ns : io->issue_ns));
		if (j->sync_every)
			hist_record(slot->hist[LK_WRITE], reaped_ns - io->issue_ns);
		if (paced)
			hist_record(slot->hist[LK_UNCORRECTED], end_ns - io->issue_ns);
		slot->bytes += io->len;
	}
	slot->ios += n;
}

static void complete(struct load_job *j, uint32_t n)
{
	uint64_t reaped_ns = j->now_ns;
	uint32_t whole = sort_reaped(j, n), synced = 0;
	bool good = true;

	j->inflight -= n;
	if (whole == 0)
		return;
	load_stats_at(&j->stats, j->now_ns);
	if (j->sync_every && j->issued % j->sync_every == 0) {
		good = sync_reaped(j, whole);
		synced = j->sync_every == 1 ? whole : 1;
	}
	if (good) {
		record(j, whole, synced, reaped_ns);
		j->last_done_ns = j->now_ns;
	}
	for (uint32_t i = 0; i < whole; i++)
		j->spare[j->spare_count++] = j->done[i];
	if (j->shared->p.thinktime_ns)
		j->think_until_ns = j->now_ns + j->shared->p.thinktime_ns;
}

/* -- waiting -------------------------------------------------------------------------------- */

static void next_file(struct load_job *j)
{
	const struct load_file_source *files = &j->shared->files;
	int fd = -1, r = files->next(files->ctx, &fd, &j->error);

	if (r == 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* ours, as load_job_init() says */
		r = fd < 0 ? err_set(&j->error, ERR_DEVICE, -errno, "next file: %s", strerror(errno)) : 0;
	}
	if (r < 0) {
		if (j->error.code == 0)
			(void)err_set(&j->error, ERR_DEVICE, r, "next file: %s", strerror(-r));
		j->errors++;
		finish(j, END_ERROR);
		return;
	}
	j->ops->set_fd(j->engine, fd);
	if (j->fd >= 0)
		(void)close(j->fd);
	j->fd = fd;
	j->file_is_full = false;
}

/* Nothing is in flight: why not? */
static void wait_idle(struct load_job *j)
{
	uint64_t until = gate_ns(j);

	if (j->staged_count) { /* the kernel has no room, and nothing of ours will make any */
		if (++j->naps > NO_ROOM_NAPS) {
			fail(j, j->staged[0], "submit of ", -EAGAIN);
			drop_staged(j);
			return;
		}
		nap_until(j->now_ns + NO_ROOM_NAP_NS);
		return;
	}
	if (j->finishing)
		return;
	if (j->file_is_full) {
		next_file(j);
		return;
	}
	if (until > j->deadline_ns)
		until = j->deadline_ns;
	if (until > j->now_ns + SLICE_NS)
		until = j->now_ns + SLICE_NS;
	if (until > j->now_ns)
		nap_until(until);
	j->now_ns = clock_ns();
}

static void wait_and_reap(struct load_job *j)
{
	uint64_t timeout = ENGINE_NO_TIMEOUT;
	int n;

	if (j->inflight == 0) {
		wait_idle(j);
		return;
	}
	j->naps = 0;
	if (j->spare_count && !j->finishing && gate_ns(j) > j->now_ns) {
		timeout = gate_ns(j) - j->now_ns;
		if (timeout > SLICE_NS)
			timeout = SLICE_NS;
	}
	/* Draining, all that is there is taken at once: one sync for it. */
	n = j->ops->reap(j->engine, j->done, j->finishing ? j->shared->p.iodepth : j->batch_reap,
		timeout);
	j->now_ns = clock_ns();
	if (__builtin_expect(is_abandoned(j), 0))
		return;
	if (n > 0) {
		complete(j, (uint32_t)n);
	} else if (n < 0) {
		fail(j, &j->ios[0], "completion of ", n);
		drop_staged(j);
		j->inflight = 0; /* they cannot be waited for here; the engine's close() does */
	}
}

/* -- the loop ------------------------------------------------------------------------------- */

static inline void look_for_end(struct load_job *j)
{
	if (j->finishing)
		return;
	if (atomic_load_explicit(&j->shared->order, memory_order_relaxed) != ORDER_RUN)
		finish(j, END_SIGNAL);
	else if (j->now_ns >= j->deadline_ns)
		finish(j, END_RUNTIME);
	else if (j->issued >= j->issue_max)
		finish(j, j->end_at_max);
}

void load_job_run(struct load_job *j)
{
	const struct load_shared *s = j->shared;

	load_stats_start(&j->stats, s->start_ns);
	j->now_ns = clock_ns();
	j->deadline_ns = s->p.runtime_ns ? s->start_ns + s->p.runtime_ns : UINT64_MAX;
	j->due_ns = s->p.rate_iops ? s->start_ns : 0;
	do {
		look_for_end(j);
		if (is_abandoned(j))
			break;
		while (may_stage(j))
			stage_one(j);
		if (j->staged_count)
			submit_staged(j);
		if (!may_stage(j))
			wait_and_reap(j);
		atomic_store_explicit(&j->progress, j->issued + j->last_done_ns,
			memory_order_relaxed);
	} while (!j->finishing || j->inflight || j->staged_count);
}
