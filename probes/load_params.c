/* load_params.c - parameters of a load: defaults, checks, and their place in the document. */
#include "probes/load.h"

#include <errno.h>
#include <fcntl.h>

#include "probes/engine.h"
#include "probes/load_job.h"

void load_params_init(struct load_params *p)
{
	*p = (struct load_params){
		.engine = "libaio",
		.fd = -1,
		.rw = RW_WRITE,
		.bs = 4096,
		.iodepth = 1,
		.numjobs = 1,
		.sync = SYNC_NONE,
		.norandommap = true,
		.randseed = 0x55d0a1,
		.buffer_align = 4096,
	};
}

static int usage(struct err *e, const char *what)
{
	return err_set(e, ERR_USAGE, -EINVAL, "%s", what);
}

static bool is_power_of_two(uint32_t n)
{
	return n && (n & (n - 1)) == 0;
}

static int check_shape(const struct load_params *p, struct err *reterr)
{
	const struct engine_ops *ops = engine_find(p->engine);

	if (!ops)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"ioengine=%s: no such engine; libaio, sync, null and rbd exist",
			p->engine ? p->engine : "");
	if (p->iodepth < 1 || p->iodepth > LOAD_DEPTH_MAX)
		return usage(reterr, "iodepth: 1 to 1024 is possible");
	if (p->iodepth > ops->max_depth)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"iodepth=%u: engine %s does %u at a time; use libaio", p->iodepth, ops->name,
			ops->max_depth);
	if (p->numjobs < 1 || p->numjobs > LOAD_JOBS_MAX)
		return usage(reterr, "numjobs: 1 to 64 is possible");
	if (p->batch_submit > p->iodepth || p->batch_complete_max > p->iodepth)
		return usage(reterr, "iodepth_batch_submit, iodepth_batch_complete_max: "
			"at most iodepth is possible");
	if (p->runtime_ns == 0 && p->time_based && p->io_limit == 0)
		return usage(reterr, "time_based: needs runtime or number_ios, or it would never end");
	if (p->files && (p->numjobs > 1 || load_is_random(p)))
		return usage(reterr, "a set of files is for one sequential job");
	return 0;
}

static int check_span(const struct load_params *p, struct err *reterr)
{
	if (p->bs < 1 || p->bs > LOAD_BS_MAX)
		return usage(reterr, "bs: 1 byte to 64 MiB is possible");
	if (p->offset > INT64_MAX || p->size > INT64_MAX - p->offset)
		return usage(reterr, "offset and size: beyond 2^63 bytes");
	if (p->size / p->bs < (load_is_random(p) ? 1 : p->numjobs))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"size=%llu: less than one block of %u bytes for each job",
			(unsigned long long)p->size, p->bs);
	if (!is_power_of_two(p->buffer_align) || p->buffer_align > LOAD_ALIGN_MAX)
		return usage(reterr, "buffer alignment: a power of two up to 64 KiB is possible");
	if (p->direct && (p->bs % p->buffer_align || p->offset % p->buffer_align))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"direct=1: bs and offset must be multiples of the logical block, %u bytes",
			p->buffer_align);
	return 0;
}

int load_params_check(const struct load_params *p, struct err *reterr)
{
	int r = check_shape(p, reterr);

	if (r == 0)
		r = check_span(p, reterr);
	if (r < 0)
		return r;
	if (p->fsync && p->fdatasync)
		return usage(reterr, "fsync and fdatasync: choose one");
	if (load_is_read(p) && (p->fsync || p->fdatasync))
		return usage(reterr, "fsync, fdatasync: a read has nothing to sync");
	if (p->buffer_compress_percentage > 100)
		return usage(reterr, "buffer_compress_percentage: 0 to 100 is possible");
	if (p->zero_buffers && (p->refill_buffers || p->buffer_compress_percentage))
		return usage(reterr, "zero_buffers: excludes refill_buffers and "
			"buffer_compress_percentage");
	return 0;
}

int load_open_flags(const struct load_params *p)
{
	int flags = O_CLOEXEC | (load_is_read(p) ? O_RDONLY : O_RDWR);

	if (p->direct)
		flags |= O_DIRECT;
	if (p->sync != SYNC_NONE && !load_is_read(p))
		flags |= p->sync == SYNC_SYNC ? O_SYNC : O_DSYNC;
	return flags;
}

void load_iobuf_spec(const struct load_params *p, struct iobuf_spec *ret)
{
	*ret = (struct iobuf_spec){
		.count = p->iodepth, .bs = p->bs, .align = p->buffer_align,
		.writes = !load_is_read(p), .zero = p->zero_buffers, .refill = p->refill_buffers,
		.compress_pct = p->buffer_compress_percentage, .seed = p->randseed,
	};
}

uint64_t load_buffer_bytes(const struct load_params *p)
{
	struct iobuf_spec spec;

	load_iobuf_spec(p, &spec);
	return iobuf_bytes(&spec) * p->numjobs;
}

static int set_data_options(const struct load_params *p, struct json *obj)
{
	int r = json_set_bool(obj, "zero_buffers", p->zero_buffers);

	r = r < 0 ? r : json_set_bool(obj, "refill_buffers", p->refill_buffers);
	r = r < 0 ? r : json_set_u64(obj, "buffer_compress_percentage",
		p->buffer_compress_percentage);
	r = r < 0 ? r : json_set_u64(obj, "iomem_align", p->buffer_align);
	r = r < 0 ? r : json_set_u64(obj, "randseed", p->randseed);
	if (p->null_latency_ns)
		r = r < 0 ? r : json_set_u64(obj, "null_latency", p->null_latency_ns);
	return r;
}

int load_params_to_json(const struct load_params *p, struct json *obj)
{
	static const char *const rw[] = { "write", "randwrite", "read", "randread" };
	static const char *const sync[] = { "none", "dsync", "sync" };
	int r = json_set_str(obj, "ioengine", p->engine);

	if (p->filename)
		r = r < 0 ? r : json_set_str(obj, "filename", p->filename);
	r = r < 0 ? r : json_set_str(obj, "rw", rw[p->rw]);
	r = r < 0 ? r : json_set_u64(obj, "bs", p->bs);
	r = r < 0 ? r : json_set_u64(obj, "iodepth", p->iodepth);
	r = r < 0 ? r : json_set_u64(obj, "numjobs", p->numjobs);
	r = r < 0 ? r : json_set_u64(obj, "offset", p->offset);
	r = r < 0 ? r : json_set_u64(obj, "size", p->size);
	r = r < 0 ? r : json_set_u64(obj, "runtime", p->runtime_ns);
	r = r < 0 ? r : json_set_u64(obj, "number_ios", p->io_limit);
	r = r < 0 ? r : json_set_bool(obj, "time_based", p->time_based);
	r = r < 0 ? r : json_set_bool(obj, "direct", p->direct);
	r = r < 0 ? r : json_set_str(obj, "sync", sync[p->sync]);
	r = r < 0 ? r : json_set_u64(obj, "fsync", p->fsync);
	r = r < 0 ? r : json_set_u64(obj, "fdatasync", p->fdatasync);
	r = r < 0 ? r : json_set_u64(obj, "thinktime", p->thinktime_ns);
	r = r < 0 ? r : json_set_u64(obj, "rate_iops", p->rate_iops);
	r = r < 0 ? r : json_set_bool(obj, "norandommap", p->norandommap);
	r = r < 0 ? r : json_set_u64(obj, "iodepth_batch_submit",
		p->batch_submit ? p->batch_submit : 1);
	r = r < 0 ? r : json_set_u64(obj, "iodepth_batch_complete_max",
		p->batch_complete_max ? p->batch_complete_max : 1);
	return r < 0 ? r : set_data_options(p, obj);
}
