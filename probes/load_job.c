/* load_job.c - what a job holds: made and touched before a run, given back after it. */
#include "probes/load_job.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* RWF_* that the writes need because the descriptor was opened without sync=. */
static int missing_sync_flags(const struct load_params *p)
{
	int have = p->fd >= 0 ? fcntl(p->fd, F_GETFL) : -1;

	if (load_is_read(p) || have < 0 || p->sync == SYNC_NONE)
		return 0;
	if (p->sync == SYNC_SYNC)
		return (have & O_SYNC) == O_SYNC ? 0 : RWF_SYNC;
	return have & O_DSYNC ? 0 : RWF_DSYNC;
}

/* The span of job @index: random jobs share the whole, linear ones split it. */
static void init_pattern(struct load_job *j, const struct load_params *p, uint32_t index)
{
	uint64_t blocks = p->size / p->bs, base = p->offset;
	enum pattern_kind kind = PATTERN_SEQUENTIAL;

	if (load_is_random(p)) {
		kind = p->norandommap ? PATTERN_UNIFORM : PATTERN_PERMUTATION;
	} else {
		blocks /= p->numjobs;
		base += index * blocks * p->bs;
	}
	pattern_init(&j->pattern, kind, base, blocks, p->bs, p->randseed + index);
}

static void init_limits(struct load_job *j, const struct load_params *p, uint32_t index)
{
	uint64_t share = p->io_limit / p->numjobs + (index < p->io_limit % p->numjobs);

	j->issue_max = p->time_based ? UINT64_MAX : j->pattern.blocks;
	j->end_at_max = END_SIZE;
	if (p->io_limit && share <= j->issue_max) {
		j->issue_max = share;
		j->end_at_max = END_LIMIT;
	}
	j->write = !load_is_read(p);
	j->sync_every = p->fsync ? p->fsync : p->fdatasync;
	j->sync_data_only = p->fdatasync != 0;
	j->batch_submit = p->batch_submit ? p->batch_submit : 1;
	j->batch_reap = p->batch_complete_max ? p->batch_complete_max : 1;
}

static int init_ios(struct load_job *j, const struct load_params *p, uint32_t index,
	struct err *reterr)
{
	const uint32_t depth = p->iodepth;
	struct iobuf_spec spec;
	int r;

	load_iobuf_spec(p, &spec);
	spec.seed += (uint64_t)index << 32; /* no two jobs write the same data */
	r = iobuf_init(&j->buffers, &spec, reterr);
	if (r < 0)
		return r;
	j->ios = calloc(depth, sizeof(*j->ios));
	j->spare = calloc(depth, sizeof(struct engine_io *));
	j->staged = calloc(depth, sizeof(struct engine_io *));
	j->done = calloc(depth, sizeof(struct engine_io *));
	if (!j->ios || !j->spare || !j->staged || !j->done)
		return err_nomem(reterr);
	for (uint32_t i = 0; i < depth; i++) {
		j->ios[i] = (struct engine_io){
			.buf = iobuf_at(&j->buffers, i), .len = p->bs, .index = i,
			.write = j->write,
		};
		j->spare[i] = &j->ios[depth - 1 - i];
		j->staged[i] = j->done[i] = NULL; /* touched */
	}
	j->spare_count = depth;
	return 0;
}

int load_job_init(struct load_shared *s, uint32_t index, const struct engine_ops *ops,
	struct err *reterr)
{
	const struct load_params *p = &s->p;
	struct load_job *j = &s->job[index];
	const bool syncs = p->fsync || p->fdatasync;
	const bool kinds[LK_COUNT] = { true, syncs, syncs, p->rate_iops != 0 };
	struct engine_cfg cfg = {
		.depth = p->iodepth, .write_flags = missing_sync_flags(p),
		.null_latency_ns = p->null_latency_ns, .sys = s->sys, .image = p->image,
	};
	int r;

	j->shared = s;
	j->ops = ops;
	j->fd = -1;
	init_pattern(j, p, index);
	init_limits(j, p, index);
	r = init_ios(j, p, index, reterr);
	if (r < 0)
		return r;
	if (load_stats_init(&j->stats, kinds) < 0)
		return err_nomem(reterr);
	if (p->fd >= 0) {
		j->fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
		if (j->fd < 0)
			return err_set(reterr, ERR_DEVICE, -errno, "descriptor of the target: %s",
				strerror(errno));
	}
	cfg.fd = j->fd;
	return ops->open(&cfg, &j->engine, reterr);
}

void load_job_done(struct load_job *j)
{
	if (!j->ops)
		return;
	j->ops->close(j->engine); /* before the buffers: it waits for what is in flight */
	if (j->fd >= 0)
		(void)close(j->fd); /* a duplicate: the caller's close tells of late errors */
	load_stats_done(&j->stats);
	iobuf_done(&j->buffers);
	free(j->ios);
	free(j->spare);
	free(j->staged);
	free(j->done);
}
