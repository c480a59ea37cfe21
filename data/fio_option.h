/* fio_option.h - options of a fio job, as they stand in its job file or its JSON.
 *
 * fio writes options as the user did: "4k", "4ki", "32", "" for a flag. Options of the job come
 * before those of [global]. What is absent is unknown here, unless fio_plan_read() says that fio has
 * a default which cannot be otherwise.
 * Source: fio HOWTO, "Parameter types" and "Job options"; fio 3.33 on Debian 12.
 */
#ifndef SSDQUAL_DATA_FIO_OPTION_H
#define SSDQUAL_DATA_FIO_OPTION_H

#include "data/json.h"

struct fio_options {
	const struct json *job, *global; /* objects of strings; NULL: none known */
};

/* fio_option - its text, under any of its names; NULL: not set. */
const char *fio_option(const struct fio_options *o, const char *name);
/* fio_option_flag - -1 not set, else 0 or 1 ("" and anything but 0 set it). */
int fio_option_flag(const struct fio_options *o, const char *name);
/* The first value of "a,b" or "a-b" lists. False: not set, or not understood; *ret untouched. */
bool fio_option_u64(const struct fio_options *o, const char *name, uint64_t *ret);
/* fio_option_bytes - with kb_base: k is 1024 (4ki 4000) by default, 1000 (4ki 4096) with
 * kb_base=1000. A percentage is not understood. */
bool fio_option_bytes(const struct fio_options *o, const char *name, uint64_t *ret);
/* fio_option_ns - a bare number counts in @unit_ns. */
bool fio_option_ns(const struct fio_options *o, const char *name, double unit_ns, uint64_t *ret);

/* What fio does with syncs and threads in an engine. */
enum fio_engine_kind {
	FIO_ENGINE_CALLS,  /* one blocking call after the other: iodepth is 1 whatever it says */
	FIO_ENGINE_LIBAIO,
	FIO_ENGINE_QUEUES, /* io_uring, posixaio, rbd, ... */
};

/* What a job does, in the words of our own batteries. */
struct fio_plan {
	bool options_known; /* false: the file lists none */
	const char *engine; /* "psync" by default; NULL: unknown */
	bool engine_known;  /* it is in the file */
	enum fio_engine_kind kind;
	bool is_rbd;
	const char *rw;     /* fio's word; NULL: unknown */
	bool random;        /* meaningful where rw is known */
	bool mixed;         /* reads and writes */
	uint64_t bs;        /* of the option; 0: unknown, or several sizes */
	bool bs_varies;     /* bsrange, bssplit */
	uint64_t depth;     /* in flight a job: 1 for engines that call */
	uint64_t depth_asked; /* as the option says */
	uint64_t jobs;      /* numjobs */
	bool grouped;       /* group_reporting */
	bool direct;
	const char *sync;   /* "none" "dsync" "sync" */
	uint64_t fsync, fdatasync; /* writes a call; 0: none */
	bool end_fsync;
	uint64_t size;      /* 0: unknown */
	uint64_t runtime_ns, thinktime_ns, rate_iops; /* 0: not set */
	bool paced;         /* thinktime, rate or rate_iops */
	bool zero_buffers;
};
void fio_plan_read(const struct fio_options *o, struct fio_plan *ret);

#endif
