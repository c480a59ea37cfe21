/* loadgen.c - the load generator by itself, with fio's options: what fio-compare.py drives.
 *
 *   loadgen --filename=F --rw=randwrite --bs=4k --iodepth=32 --runtime=5 --time_based=1 ...
 *
 * One JSON object on stdout. CPU times are of the whole process over load_run(), set-up included.
 * Exits 2 on a wrong option, 1 when the run could not start or ended on an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/units.h"
#include "probes/load.h"

static const char *const rw_words[] = { "write", "randwrite", "read", "randread", NULL };
static const char *const sync_words[] = { "none", "dsync", "sync", NULL };

static int word_index(const char *const *words, const char *s, int *ret)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], s) == 0) {
			*ret = i;
			return 0;
		}
	}
	return -EINVAL;
}

enum type { T_STRING, T_BYTES32, T_BYTES64, T_NS, T_U32, T_U64, T_BOOL, T_RW, T_SYNC };

static const struct option_row {
	const char *name;
	enum type type;
	size_t off;
} rows[] = {
	{ "ioengine", T_STRING, offsetof(struct load_params, engine) },
	{ "filename", T_STRING, offsetof(struct load_params, filename) },
	{ "rw", T_RW, offsetof(struct load_params, rw) },
	{ "bs", T_BYTES32, offsetof(struct load_params, bs) },
	{ "iodepth", T_U32, offsetof(struct load_params, iodepth) },
	{ "numjobs", T_U32, offsetof(struct load_params, numjobs) },
	{ "offset", T_BYTES64, offsetof(struct load_params, offset) },
	{ "size", T_BYTES64, offsetof(struct load_params, size) },
	{ "runtime", T_NS, offsetof(struct load_params, runtime_ns) },
	{ "number_ios", T_U64, offsetof(struct load_params, io_limit) },
	{ "time_based", T_BOOL, offsetof(struct load_params, time_based) },
	{ "sync", T_SYNC, offsetof(struct load_params, sync) },
	{ "fsync", T_U32, offsetof(struct load_params, fsync) },
	{ "fdatasync", T_U32, offsetof(struct load_params, fdatasync) },
	{ "direct", T_BOOL, offsetof(struct load_params, direct) },
	{ "thinktime", T_NS, offsetof(struct load_params, thinktime_ns) },
	{ "rate_iops", T_U32, offsetof(struct load_params, rate_iops) },
	{ "norandommap", T_BOOL, offsetof(struct load_params, norandommap) },
	{ "randseed", T_U64, offsetof(struct load_params, randseed) },
	{ "zero_buffers", T_BOOL, offsetof(struct load_params, zero_buffers) },
	{ "refill_buffers", T_BOOL, offsetof(struct load_params, refill_buffers) },
	{ "buffer_compress_percentage", T_U32,
		offsetof(struct load_params, buffer_compress_percentage) },
	{ "iodepth_batch_submit", T_U32, offsetof(struct load_params, batch_submit) },
	{ "iodepth_batch_complete_max", T_U32, offsetof(struct load_params, batch_complete_max) },
	{ "iomem_align", T_BYTES32, offsetof(struct load_params, buffer_align) },
	{ "null_latency", T_NS, offsetof(struct load_params, null_latency_ns) },
};

static int store(const struct option_row *row, struct load_params *p, const char *value)
{
	void *at = (char *)p + row->off;
	uint64_t n = 0;
	int r, word = 0;

	switch (row->type) {
	case T_STRING:
		*(const char **)at = value;
		return 0;
	case T_RW:
		r = word_index(rw_words, value, &word);
		p->rw = (enum load_rw)word;
		return r;
	case T_SYNC:
		r = word_index(sync_words, value, &word);
		p->sync = (enum load_sync)word;
		return r;
	case T_BYTES32:
	case T_BYTES64:
		r = units_parse_bytes(value, &n);
		break;
	case T_NS:
		r = units_parse_duration_ns(value, &n);
		break;
	default:
		r = units_parse_u64(value, &n);
		break;
	}
	if (r < 0)
		return r;
	if (row->type == T_BOOL)
		*(bool *)at = n != 0;
	else if (row->type == T_U32 || row->type == T_BYTES32)
		*(uint32_t *)at = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	else
		*(uint64_t *)at = n;
	return 0;
}

static int parse(struct load_params *p, char **argv)
{
	for (; *argv; argv++) {
		const char *eq = strchr(*argv, '=');
		size_t i, count = sizeof(rows) / sizeof(rows[0]);

		if (strncmp(*argv, "--", 2) != 0 || !eq) {
			fprintf(stderr, "loadgen: %s: --name=value is expected\n", *argv);
			return -EINVAL;
		}
		for (i = 0; i < count; i++) {
			size_t len = strlen(rows[i].name);

			if ((size_t)(eq - *argv - 2) == len &&
				memcmp(rows[i].name, *argv + 2, len) == 0)
				break;
		}
		if (i == count || store(&rows[i], p, eq + 1) < 0) {
			fprintf(stderr, "loadgen: %s: unknown option or wrong value\n", *argv);
			return -EINVAL;
		}
	}
	return 0;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static int set_latency(struct json *doc, const char *key, const struct latency *l)
{
	struct json *j = json_new_object();
	int r;

	if (!l->present) {
		json_free(j);
		return 0;
	}
	r = json_set_u64(j, "count", l->count);
	r = r < 0 ? r : json_set_f64(j, "min", l->min_ns);
	r = r < 0 ? r : json_set_f64(j, "mean", l->mean_ns);
	r = r < 0 ? r : json_set_f64(j, "max", l->max_ns);
	for (int i = 0; r == 0 && i < LAT_PCT_COUNT; i++)
		r = json_set_f64(j, lat_pct_key[i], l->pct_ns[i]);
	if (r < 0) {
		json_free(j);
		return r;
	}
	return json_set(doc, key, j);
}

static int print(const struct measurement *m, const struct rusage *before,
	const struct rusage *after)
{
	struct json *doc = json_new_object();
	char *text;
	int r = json_set_u64(doc, "ios", m->ios);

	r = r < 0 ? r : json_set_u64(doc, "runtime_ns", m->runtime_ns);
	r = r < 0 ? r : json_set_f64(doc, "iops", m->iops);
	r = r < 0 ? r : json_set_f64(doc, "bw_bytes", m->bw_bytes);
	r = r < 0 ? r : json_set_u64(doc, "usr_ns",
		timeval_ns(after->ru_utime) - timeval_ns(before->ru_utime));
	r = r < 0 ? r : json_set_u64(doc, "sys_ns",
		timeval_ns(after->ru_stime) - timeval_ns(before->ru_stime));
	r = r < 0 ? r : json_set_u64(doc, "maxrss_bytes", (uint64_t)after->ru_maxrss * 1024);
	r = r < 0 ? r : json_set_u64(doc, "errors", m->errors);
	r = r < 0 ? r : json_set_str(doc, "stop", m->stop);
	r = r < 0 ? r : json_set_str(doc, "error", m->error);
	r = r < 0 ? r : set_latency(doc, "lat", &m->lat);
	r = r < 0 ? r : set_latency(doc, "write_lat", &m->write_lat);
	r = r < 0 ? r : set_latency(doc, "sync_lat", &m->sync_lat);
	r = r < 0 ? r : set_latency(doc, "lat_uncorrected", &m->lat_uncorrected);
	r = r < 0 ? r : json_set_u64(doc, "timeline_seconds", m->timeline_count);
	r = r < 0 ? r : json_set_f64(doc, "last_third_change", m->last_third_change);
	r = r < 0 ? r : json_set(doc, "params", json_copy(m->params));
	text = r < 0 ? NULL : json_print(doc, true);
	if (text)
		fputs(text, stdout);
	free(text);
	json_free(doc);
	return text ? 0 : -ENOMEM;
}

int main(int argc, char **argv)
{
	struct load_params p;
	struct measurement *m = measurement_new("bench", "loadgen", "load generator");
	struct rusage before, after;
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	load_params_init(&p);
	p.buffer_align = 512;
	if (!m || parse(&p, argv + 1) < 0)
		return 2;
	if (p.filename) {
		p.fd = open(p.filename, load_open_flags(&p));
		if (p.fd < 0) {
			fprintf(stderr, "loadgen: %s: %s\n", p.filename, strerror(errno));
			return 1;
		}
	}
	if (p.size == 0 && p.fd >= 0)
		p.size = (uint64_t)lseek(p.fd, 0, SEEK_END) - p.offset;
	(void)getrusage(RUSAGE_SELF, &before);
	r = load_run(&p, NULL, m, &e);
	(void)getrusage(RUSAGE_SELF, &after);
	if (r < 0) {
		fprintf(stderr, "loadgen: %s\n", e.msg);
		measurement_free(m);
		return e.kind == ERR_USAGE ? 2 : 1;
	}
	r = print(m, &before, &after) < 0 || m->errors ? 1 : 0;
	measurement_free(m);
	return r;
}
