/* fio_option.c - text of fio's options to numbers. */
#include "data/fio_option.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/units.h"

/* Longer or older names of the options that are read here. */
static const char *const aliases[][2] = {
	{ "rw", "readwrite" }, { "bs", "blocksize" }, { "bsrange", "blocksize_range" },
	{ "runtime", "timeout" },
};

static const char *own_option(const struct fio_options *o, const char *name)
{
	const struct json *v = json_get(o->job, name);

	if (json_is_null(v))
		v = json_get(o->global, name);
	return json_str(v);
}

const char *fio_option(const struct fio_options *o, const char *name)
{
	const char *s = own_option(o, name);

	for (size_t i = 0; !s && i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i][0], name) == 0)
			s = own_option(o, aliases[i][1]);
	return s;
}

int fio_option_flag(const struct fio_options *o, const char *name)
{
	const char *s = fio_option(o, name);

	if (!s)
		return -1;
	return !(strcmp(s, "0") == 0 || strcasecmp(s, "false") == 0 || strcasecmp(s, "no") == 0);
}

/* The digits at the start of @s, with a fraction; *ret_end: what follows. NAN: no number. */
static double number(const char *s, const char **ret_end)
{
	char digits[32];
	size_t n = strspn(s, "0123456789.");
	double v;

	if (n == 0 || n >= sizeof(digits))
		return NAN;
	memcpy(digits, s, n);
	digits[n] = '\0';
	*ret_end = s + n;
	return units_parse_f64(digits, &v) == 0 ? v : NAN;
}

static bool ends(const char *s)
{
	return *s == '\0' || *s == ',' || *s == '-' || *s == ':' || isspace((unsigned char)*s);
}

bool fio_option_u64(const struct fio_options *o, const char *name, uint64_t *ret)
{
	const char *s = fio_option(o, name), *end;
	double v = s ? number(s, &end) : NAN;

	if (!(v >= 0 && v < 9e15) || !ends(end))
		return false;
	*ret = (uint64_t)v;
	return true;
}

bool fio_option_bytes(const struct fio_options *o, const char *name, uint64_t *ret)
{
	static const char powers[] = "kmgtp";
	const char *s = fio_option(o, name), *base_word = fio_option(o, "kb_base"), *end, *p;
	bool decimal = base_word && strcmp(base_word, "1000") == 0, with_i = false;
	double v = s ? number(s, &end) : NAN;

	if (!(v >= 0))
		return false;
	p = *end ? strchr(powers, tolower((unsigned char)*end)) : NULL;
	if (p) {
		end++;
		with_i = tolower((unsigned char)*end) == 'i';
		end += with_i;
		v *= pow(decimal == with_i ? 1024 : 1000, (double)(p - powers) + 1);
	}
	if (tolower((unsigned char)*end) == 'b')
		end++;
	if (!ends(end) || v > 9e15)
		return false;
	*ret = (uint64_t)v;
	return true;
}

bool fio_option_ns(const struct fio_options *o, const char *name, double unit_ns, uint64_t *ret)
{
	static const struct { const char *word; double ns; } units[] = { { "us", 1e3 },
		{ "usec", 1e3 }, { "ms", 1e6 }, { "msec", 1e6 }, { "s", 1e9 }, { "m", 60e9 },
		{ "h", 3600e9 }, { "d", 86400e9 } };
	const char *s = fio_option(o, name), *end;
	double v = s ? number(s, &end) : NAN;

	if (!(v >= 0))
		return false;
	for (size_t i = 0; *end && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(end, units[i].word) == 0) {
			unit_ns = units[i].ns;
			end = "";
		}
	}
	if (*end || v * unit_ns > 9e18)
		return false;
	*ret = (uint64_t)(v * unit_ns);
	return true;
}

/* -- what a job does ---------------------------------------------------------------------------- */

static enum fio_engine_kind engine_kind(const char *engine)
{
	static const char *const calls[] = { "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap",
		"null-sync", "falloc", "splice" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(engine, calls[i]) == 0)
			return FIO_ENGINE_CALLS;
	return strcmp(engine, "libaio") == 0 ? FIO_ENGINE_LIBAIO : FIO_ENGINE_QUEUES;
}

static void read_pattern(const struct fio_options *o, struct fio_plan *p)
{
	p->rw = fio_option(o, "rw");
	if (p->rw) {
		p->random = strncmp(p->rw, "rand", 4) == 0;
		p->mixed = strstr(p->rw, "rw") || strcmp(p->rw, "readwrite") == 0;
	}
	p->bs_varies = fio_option(o, "bsrange") || fio_option(o, "bssplit") ||
		fio_option_flag(o, "bs_unaligned") == 1;
	if (!p->bs_varies && !fio_option_bytes(o, "bs", &p->bs))
		p->bs = 0;
}

static void read_syncs(const struct fio_options *o, struct fio_plan *p)
{
	const char *sync = fio_option(o, "sync");

	p->sync = "none";
	if (sync && strcasecmp(sync, "dsync") == 0)
		p->sync = "dsync";
	else if (sync && strcmp(sync, "0") != 0 && strcasecmp(sync, "none") != 0)
		p->sync = "sync";
	(void)fio_option_u64(o, "fsync", &p->fsync); /* absent: none */
	(void)fio_option_u64(o, "fdatasync", &p->fdatasync);
	p->end_fsync = fio_option_flag(o, "end_fsync") == 1;
}

void fio_plan_read(const struct fio_options *o, struct fio_plan *ret)
{
	struct fio_plan p = { .depth = 1, .depth_asked = 1, .jobs = 1 };

	p.options_known = json_len(o->job) > 0 || json_len(o->global) > 0;
	p.engine = fio_option(o, "ioengine");
	p.engine_known = p.engine != NULL;
	if (!p.engine)
		p.engine = "psync"; /* fio's default on Linux */
	p.kind = engine_kind(p.engine);
	p.is_rbd = strcmp(p.engine, "rbd") == 0;
	read_pattern(o, &p);
	read_syncs(o, &p);
	if (fio_option_u64(o, "iodepth", &p.depth_asked) && p.depth_asked >= 1 &&
		p.kind != FIO_ENGINE_CALLS)
		p.depth = p.depth_asked;
	if (!fio_option_u64(o, "numjobs", &p.jobs) || p.jobs < 1)
		p.jobs = 1;
	p.grouped = fio_option_flag(o, "group_reporting") == 1;
	p.direct = fio_option_flag(o, "direct") == 1 || fio_option_flag(o, "buffered") == 0;
	(void)fio_option_bytes(o, "size", &p.size); /* absent: 0, unknown */
	(void)fio_option_ns(o, "runtime", 1e9, &p.runtime_ns);
	(void)fio_option_ns(o, "thinktime", 1e3, &p.thinktime_ns);
	(void)fio_option_u64(o, "rate_iops", &p.rate_iops);
	p.paced = p.thinktime_ns || p.rate_iops || fio_option(o, "rate");
	p.zero_buffers = fio_option_flag(o, "zero_buffers") == 1;
	*ret = p;
}
