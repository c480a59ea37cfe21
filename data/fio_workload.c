/* fio_workload.c - options and figures of a fio job to the fields of a profile. */
#include "data/fio_workload.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/fio_doc.h"
#include "data/workload.h"

struct profile {
	struct json *doc, *sources; /* sources is doc's */
	const char *file;
	const struct fio_job *job;
	struct fio_plan plan;
	double writes_per_cycle; /* between two syncs; 1 without any */
	double bs;
	bool bad;
};

/* A field and where it is from. */
static void put(struct profile *p, const char *key, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void put(struct profile *p, const char *key, double v, const char *fmt, ...)
{
	char source[240];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(source, sizeof(source), fmt, ap); /* a cut source still says most */
	va_end(ap);
	p->bad |= json_set_f64(p->doc, key, v) < 0 || json_set_str(p->sources, key, source) < 0;
}

static void put_word(struct profile *p, const char *key, const char *word, const char *source)
{
	p->bad |= json_set_str(p->doc, key, word) < 0 ||
		json_set_str(p->sources, key, source) < 0;
}

static const char *opt(const struct profile *p, const char *name)
{
	return fio_option(&p->job->options, name);
}

static bool is_read_only(const struct profile *p)
{
	return !p->plan.mixed && (!p->plan.rw || !strstr(p->plan.rw, "write"));
}

/* -- what is done ------------------------------------------------------------------------------ */

static void put_mix(struct profile *p)
{
	double r = (double)p->job->read.ios, w = (double)p->job->write.ios;
	uint64_t share;

	if (r + w > 0)
		put(p, "read_fraction", r / (r + w), "from %s: its %.0f reads and %.0f writes", p->file,
			r, w);
	else if (!p->plan.rw)
		put(p, "read_fraction", 1, "from %s: no rw, fio's default is read", p->file);
	else if (!p->plan.mixed)
		put(p, "read_fraction", is_read_only(p) ? 1 : 0, "from %s: rw=%s", p->file, p->plan.rw);
	else if (fio_option_u64(&p->job->options, "rwmixread", &share) && share <= 100)
		put(p, "read_fraction", (double)share / 100, "from %s: rwmixread=%llu", p->file,
			(unsigned long long)share);
	else if (fio_option_u64(&p->job->options, "rwmixwrite", &share) && share <= 100)
		put(p, "read_fraction", 1 - (double)share / 100, "from %s: rwmixwrite=%llu", p->file,
			(unsigned long long)share);
	else
		put(p, "read_fraction", 0.5, "from %s: rw=%s, half of each by fio's default", p->file,
			p->plan.rw);
}

/* The writing part of "bs=READ,WRITE,TRIM". */
static bool write_part(const struct profile *p, uint64_t *ret)
{
	const char *bs = opt(p, "bs"), *comma = bs ? strchr(bs, ',') : NULL;
	struct fio_options part = { .global = p->job->options.global };
	struct json *own = json_new_object();
	bool found;

	if (json_set_str(own, "bs", comma && comma[1] ? comma + 1 : bs) < 0 ||
		(opt(p, "kb_base") && json_set_str(own, "kb_base", opt(p, "kb_base")) < 0)) {
		json_free(own);
		return false;
	}
	part.job = own;
	found = bs && fio_option_bytes(&part, "bs", ret);
	json_free(own);
	return found;
}

static void put_size_of_writes(struct profile *p)
{
	const struct fio_side *w = &p->job->write;
	uint64_t bs;

	if (w->ios) {
		p->bs = (double)w->bytes / (double)w->ios;
		put(p, "write_bytes", p->bs, "from %s: its bytes written over its writes", p->file);
	} else if (p->plan.bs_varies) {
		p->bs = 4096;
		put(p, "write_bytes", p->bs, "assumed: %s has blocks of several sizes", p->file);
	} else if (write_part(p, &bs)) {
		p->bs = (double)bs;
		put(p, "write_bytes", p->bs, "%s %s: bs=%s", is_read_only(p) ?
			"assumed as its reads:" : "from", p->file, opt(p, "bs"));
	} else {
		p->bs = 4096;
		put(p, "write_bytes", p->bs, "%s %s: %s", opt(p, "bs") ? "assumed:" : "from", p->file,
			opt(p, "bs") ? "its bs is not understood" : "no bs, fio's default is 4k");
	}
}

static void put_depth(struct profile *p)
{
	const struct fio_plan *plan = &p->plan;
	uint64_t jobs = plan->jobs > p->job->entries ? plan->jobs : p->job->entries;

	if (plan->kind == FIO_ENGINE_CALLS)
		put(p, "depth", (double)jobs, "from %s: numjobs=%llu with %s, which does one I/O at a "
			"time%s", p->file, (unsigned long long)jobs, plan->engine,
			plan->engine_known ? "" : " (fio's default engine)");
	else
		put(p, "depth", (double)plan->depth * (double)jobs, "from %s: iodepth=%llu, numjobs=%llu",
			p->file, (unsigned long long)plan->depth, (unsigned long long)jobs);
}

static void put_syncs(struct profile *p)
{
	const struct fio_plan *plan = &p->plan;
	uint64_t n = plan->fsync ? plan->fsync : plan->fdatasync;
	const char *word = plan->fsync ? "fsync" : "fdatasync";
	double measured = p->job->write.ios ? (double)p->job->sync.n / (double)p->job->write.ios : 0;

	p->writes_per_cycle = 1;
	if (is_read_only(p)) {
		put(p, "syncs_per_write", 0, "from %s: it does not write", p->file);
	} else if (strcmp(plan->sync, "none") != 0) {
		put(p, "syncs_per_write", 1, "from %s: sync=%s, each write is durable", p->file,
			opt(p, "sync"));
	} else if (p->job->sync.present && measured > 0 && measured <= 1) {
		put(p, "syncs_per_write", measured, "from %s: its syncs over its writes", p->file);
		p->writes_per_cycle = 1 / measured;
	} else if (n) {
		put(p, "syncs_per_write", 1 / (double)n, "from %s: %s=%llu", p->file, word,
			(unsigned long long)n);
		p->writes_per_cycle = (double)n;
	} else {
		put(p, "syncs_per_write", 0, "from %s: neither fsync, fdatasync nor sync", p->file);
	}
}

/* -- how fast ---------------------------------------------------------------------------------- */

static void no_bursts(struct profile *p)
{
	put(p, "burst_bytes", 0, "from %s: no thinktime_blocks", p->file);
	put(p, "burst_gap_ns", 0, "from %s: no thinktime_blocks", p->file);
}

/* A rate is a job's; each of its streams has a part, and a cycle of several writes counts once. */
static void put_rate(struct profile *p, double iops, const char *option)
{
	double v = iops / (double)p->plan.depth / p->writes_per_cycle;

	put(p, "rate_per_second", v, "from %s: %s=%s of a job, over its %llu streams%s", p->file,
		option, opt(p, option), (unsigned long long)p->plan.depth,
		p->writes_per_cycle > 1 ? " and the writes of a sync" : "");
	no_bursts(p);
}

static void put_pace(struct profile *p)
{
	const struct fio_options *o = &p->job->options;
	uint64_t blocks = 1, rate;

	(void)fio_option_u64(o, "thinktime_blocks", &blocks); /* 1 by default */
	if (fio_option_u64(o, "rate_iops", &rate) && rate) {
		put_rate(p, (double)rate, "rate_iops");
	} else if (fio_option_bytes(o, "rate", &rate) && rate) {
		put_rate(p, (double)rate / p->bs, "rate");
	} else if (p->plan.thinktime_ns && blocks > 1) {
		put(p, "think_ns", 0, "from %s: thinktime counts after %llu blocks", p->file,
			(unsigned long long)blocks);
		put(p, "burst_bytes", (double)blocks * p->bs, "from %s: thinktime_blocks=%llu", p->file,
			(unsigned long long)blocks);
		put(p, "burst_gap_ns", (double)p->plan.thinktime_ns, "from %s: thinktime=%s", p->file,
			opt(p, "thinktime"));
	} else {
		/* after each write: over a cycle they add up */
		put(p, "think_ns", (double)p->plan.thinktime_ns * p->writes_per_cycle, "from %s: %s%s",
			p->file, p->plan.thinktime_ns ? "thinktime=" : "no thinktime and no rate",
			p->plan.thinktime_ns ? opt(p, "thinktime") : "");
		no_bursts(p);
	}
}

/* -- where ------------------------------------------------------------------------------------- */

static void put_working_set(struct profile *p)
{
	bool again = p->plan.random || fio_option_flag(&p->job->options, "time_based") == 1;

	if (is_read_only(p))
		put(p, "working_set_bytes", 0, "from %s: it does not write", p->file);
	else if (!again)
		put(p, "working_set_bytes", 0, "from %s: in order, once", p->file);
	else if (p->plan.size)
		put(p, "working_set_bytes", (double)p->plan.size, "from %s: size=%s is written again "
			"and again", p->file, opt(p, "size"));
	else
		put(p, "working_set_bytes", 0, "assumed: %s tells no size in bytes", p->file);
	put(p, "images", 1, "assumed: %s tells one job, and nothing of images", p->file);
}

static void put_stack(struct profile *p)
{
	const char *file = opt(p, "filename");

	if (p->plan.is_rbd)
		put_word(p, "guest_stack", "raw", "from the job: the rbd engine has no file system");
	else if (file && strncmp(file, "/dev/", 5) == 0)
		put_word(p, "guest_stack", "raw", "from the job: filename is a device");
	else if (p->plan.random)
		put_word(p, "guest_stack", "fs-overwrite", "assumed: random writes go into a file "
			"that is there already");
	else
		put_word(p, "guest_stack", "fs-append", "assumed: writes in order are appended to a "
			"file system's file");
}

static bool has_syncs(const struct profile *p)
{
	double v = 0;

	(void)json_f64(json_get(p->doc, "syncs_per_write"), &v); /* put_syncs() set it */
	return v > 0;
}

static void put_goal(struct profile *p)
{
	struct json *slo = json_new_object();
	uint64_t limit = 0;
	bool known = fio_option_ns(&p->job->options, "latency_target", 1e3, &limit) && limit;
	char source[240];

	put_word(p, "loss_tolerance", has_syncs(p) ? "nothing" : "seconds", has_syncs(p) ?
		"assumed: what is synced is meant to stay" :
		"assumed: it never syncs, so the last seconds may be lost");
	p->bad |= json_set_bool(p->doc, "raft", false) < 0 ||
		json_set_str(p->sources, "raft", "assumed: fio knows no members; set it for etcd") < 0;
	if (known)
		(void)snprintf(source, sizeof(source), "from %s: latency_target=%s", p->file,
			opt(p, "latency_target"));
	else
		(void)snprintf(source, sizeof(source), "assumed: %s tells no limit; put one here",
			p->file);
	p->bad |= json_set_str(slo, "metric", is_read_only(p) ? "iops" : has_syncs(p) ?
		"guest_sync_ns" : "write_ns") < 0;
	p->bad |= json_set_str(slo, "percentile", "p99") < 0;
	p->bad |= json_set(slo, "limit_ns", known ? json_new_u64(limit) : json_new_null()) < 0;
	p->bad |= json_set_str(slo, "source", source) < 0;
	p->bad |= json_set(p->doc, "slo", slo) < 0;
}

/* -- the profile ------------------------------------------------------------------------------- */

static void put_head(struct profile *p)
{
	struct json *version = json_new_array();
	char summary[200];

	p->bad |= json_append(version, json_new_u64(1)) < 0 ||
		json_append(version, json_new_u64(0)) < 0;
	p->bad |= json_set(p->doc, "format_version", version) < 0;
	p->bad |= json_set_str(p->doc, "name", *p->job->name ? p->job->name : "fio") < 0;
	(void)snprintf(summary, sizeof(summary), "fio job %.60s of %.100s", p->job->name, p->file);
	p->bad |= json_set_str(p->doc, "summary", summary) < 0;
}

static int check(const struct profile *p, struct err *reterr)
{
	struct json *copy = json_copy(p->doc);
	struct workload *w;
	int r = copy ? workload_from_json(copy, p->file, &w, reterr) : err_nomem(reterr);

	if (r == 0)
		workload_free(w);
	return r;
}

static int build(const struct fio_job *job, const char *file, struct json **ret,
	struct err *reterr)
{
	struct profile p = { .doc = json_new_object(), .sources = json_new_object(), .file = file,
		.job = job };
	int r;

	fio_plan_read(&job->options, &p.plan);
	if (!p.plan.rw && job->write.ios)
		p.plan.rw = job->read.ios ? "rw" : "write"; /* the figures tell as much */
	p.plan.mixed |= job->write.ios && job->read.ios;
	put_head(&p);
	put_mix(&p);
	put_size_of_writes(&p);
	put_depth(&p);
	put_syncs(&p);
	put_pace(&p);
	put_working_set(&p);
	put_stack(&p);
	put_goal(&p);
	p.bad |= json_set(p.doc, "sources", p.sources) < 0;
	r = p.bad ? err_nomem(reterr) : check(&p, reterr);
	if (r < 0) {
		json_free(p.doc);
		return r;
	}
	*ret = p.doc;
	return 0;
}

static const struct fio_job *find_job(const struct fio_run *run, const char *file,
	const char *name, struct err *reterr)
{
	char names[400] = "";
	size_t used = 0;

	if (!name && run->count == 1)
		return &run->job[0];
	for (size_t i = 0; i < run->count; i++) {
		if (name && strcmp(run->job[i].name, name) == 0)
			return &run->job[i];
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
				i ? ", " : "", run->job[i].name);
	}
	(void)err_set(reterr, ERR_USAGE, -EINVAL, "%s: %s%s%s; name one with --job: %s", file,
		name ? "no job '" : "it has several jobs", name ? name : "", name ? "'" : "", names);
	return NULL;
}

int fio_workload(const struct json *doc, const char *file, const char *job, struct json **ret,
	struct err *reterr)
{
	const struct fio_job *found;
	struct fio_run run;
	int r = fio_run_read(doc, file, &run, reterr);

	if (r < 0)
		return r;
	found = find_job(&run, file, job, reterr);
	r = found ? build(found, file, ret, reterr) : -EINVAL;
	fio_run_done(&run);
	return r;
}
