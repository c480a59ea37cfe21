/* backend.c - stated latencies: parsing, and what is filled in. */
#include "data/backend.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"

const char *const backend_key_name[BACKEND_KEY_COUNT] = {
	[BACKEND_WRITE] = "write",
	[BACKEND_READ] = "read",
	[BACKEND_META] = "meta",
	[BACKEND_REFRESH] = "refresh",
	[BACKEND_FLUSH] = "flush",
};

const char *const drive_key_name[DRIVE_KEY_COUNT] = {
	[DRIVE_SYNC] = "sync",
	[DRIVE_WRITE4K] = "write4k",
	[DRIVE_WRITE12K] = "write12k",
	[DRIVE_READ4K] = "read4k",
};

#define BACKEND_KEYS "write, read, meta, refresh, flush, concurrency, at"
#define DRIVE_KEYS   "sync, write4k, write12k, read4k"

bool backend_is_stated(const char *arg)
{
	return arg[0] != '.' && arg[0] != '/' && strchr(arg, '=') != NULL;
}

void stat_set(struct stat_input *s, double p50_ns, double p99_ns, double p999_ns)
{
	*s = (struct stat_input){ .known = true };
	s->p99_assumed = isnan(p99_ns);
	if (s->p99_assumed)
		p99_ns = p50_ns * BACKEND_P99_RATIO;
	if (p99_ns < p50_ns)
		p99_ns = p50_ns;
	s->p999_assumed = isnan(p999_ns);
	if (s->p999_assumed)
		p999_ns = p50_ns * pow(p99_ns / p50_ns, BACKEND_P999_POWER);
	if (p999_ns < p99_ns)
		p999_ns = p99_ns;
	s->dist = (struct dist){ p50_ns, p99_ns, p999_ns };
}

/* One KEY=VALUE of a stated list, and where it stands in the whole for messages. */
struct pair {
	char key[24], value[64];
	size_t key_at, value_at; /* characters from 1 */
};

/* next_pair - cut the pair at *@p. 1 found, 0 at the end, <0 with the place named. */
static int next_pair(const char *text, const char **p, const char *what, const char *keys,
	struct pair *ret, struct err *reterr)
{
	const char *s = *p, *end, *eq;
	size_t at = (size_t)(s - text) + 1;

	if (*s == '\0')
		return 0;
	end = s + strcspn(s, ",");
	eq = memchr(s, '=', (size_t)(end - s));
	if (eq == NULL || eq == s || (size_t)(eq - s) >= sizeof(ret->key))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: character %zu: '%.*s' is no KEY=VALUE; keys are %s", what, at,
			(int)(end - s > 40 ? 40 : end - s), s, keys);
	if (eq + 1 == end || (size_t)(end - eq - 1) >= sizeof(ret->value))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: character %zu: the value of '%.*s' is %s", what,
			(size_t)(eq + 1 - text) + 1, (int)(eq - s), s,
			eq + 1 == end ? "missing" : "too long");
	if (*end == ',' && end[1] == '\0')
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: character %zu: nothing follows the comma; keys are %s", what,
			(size_t)(end - text) + 2, keys);
	snprintf(ret->key, sizeof(ret->key), "%.*s", (int)(eq - s), s);
	snprintf(ret->value, sizeof(ret->value), "%.*s", (int)(end - eq - 1), eq + 1);
	ret->key_at = at;
	ret->value_at = (size_t)(eq + 1 - text) + 1;
	*p = *end == ',' ? end + 1 : end;
	return 1;
}

/* parse_time - "1.2ms" to ns. A unit is asked for: "--backend write=3" could be anything. */
static int parse_time(const char *s, double *ret)
{
	uint64_t ns;
	size_t len = strlen(s);

	if (len == 0 || !isalpha((unsigned char)s[len - 1]))
		return -EINVAL;
	if (units_parse_duration_ns(s, &ns) < 0 || ns == 0 || ns > HIST_MAX_NS)
		return -EINVAL;
	*ret = (double)ns;
	return 0;
}

static int parse_stat(const char *what, const struct pair *p, struct stat_input *ret,
	struct err *reterr)
{
	char med[sizeof(p->value)];
	double p50, p99 = NAN;
	const char *colon = strchr(p->value, ':');
	size_t at = p->value_at;

	if (ret->known)
		return err_set(reterr, ERR_USAGE, -EINVAL, "%s: character %zu: '%s' is given twice",
			what, p->key_at, p->key);
	snprintf(med, sizeof(med), "%s", p->value);
	med[strcspn(med, ":")] = '\0';
	if (parse_time(med, &p50) < 0)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: character %zu: '%s' is no time of '%s'; write MEDIAN or MEDIAN:P99, each "
			"above 0 and with a unit, as 1.2ms:4ms", what, at, med, p->key);
	if (colon != NULL) {
		at += (size_t)(colon + 1 - p->value);
		if (parse_time(colon + 1, &p99) < 0)
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"%s: character %zu: '%s' is no 99th percentile of '%s'; write it "
				"with a unit, as 4ms", what, at, colon + 1, p->key);
		if (p99 < p50)
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"%s: character %zu: the 99th percentile of '%s' is below its median; "
				"the order is MEDIAN:P99", what, at, p->key);
	}
	stat_set(ret, p50, p99, NAN);
	return 0;
}

static int find_key(const char *const *names, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], key) == 0)
			return (int)i;
	return -1;
}

/* backend_word - the two keys that are no latency. 1: taken, 0: not one of them, <0 error. */
static int backend_word(const struct pair *p, struct backend *b, bool *at_seen, struct err *reterr)
{
	uint64_t k;

	if (strcmp(p->key, "concurrency") == 0) {
		if (b->concurrency_known || units_parse_u64(p->value, &k) < 0 || k < 1 || k > 65536)
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"--backend: character %zu: concurrency is one whole number from 1 to "
				"65536, once", p->value_at);
		b->concurrency = (unsigned)k;
		b->concurrency_known = true;
		return 1;
	}
	if (strcmp(p->key, "at") == 0) {
		if (*at_seen || (strcmp(p->value, "image") != 0 && strcmp(p->value, "guest") != 0))
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"--backend: character %zu: at is 'image' or 'guest', once",
				p->value_at);
		b->at_guest = p->value[0] == 'g';
		*at_seen = true;
		return 1;
	}
	return 0;
}

int backend_parse(const char *text, struct backend *ret, struct err *reterr)
{
	struct backend b = { .source = SOURCE_STATED };
	const char *p = text;
	struct pair pair;
	bool at_seen = false;
	int r, i;

	while ((r = next_pair(text, &p, "--backend", BACKEND_KEYS, &pair, reterr)) > 0) {
		r = backend_word(&pair, &b, &at_seen, reterr);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		i = find_key(backend_key_name, BACKEND_KEY_COUNT, pair.key);
		if (i < 0)
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"--backend: character %zu: unknown key '%s'; keys are %s",
				pair.key_at, pair.key, BACKEND_KEYS);
		r = parse_stat("--backend", &pair, &b.in[i], reterr);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (!b.in[BACKEND_WRITE].known)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--backend: character 1: write= is missing; give the latency of one "
			"acknowledged 4 KiB write, as write=1.2ms:4ms (keys are %s)", BACKEND_KEYS);
	*ret = b;
	return 0;
}

int drive_parse(const char *text, struct drive_lat *ret, struct err *reterr)
{
	struct drive_lat d = { .source = SOURCE_STATED };
	const char *p = text;
	struct pair pair;
	int r, i;

	while ((r = next_pair(text, &p, "--drive", DRIVE_KEYS, &pair, reterr)) > 0) {
		i = find_key(drive_key_name, DRIVE_KEY_COUNT, pair.key);
		if (i < 0)
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"--drive: character %zu: unknown key '%s'; keys are %s", pair.key_at,
				pair.key, DRIVE_KEYS);
		r = parse_stat("--drive", &pair, &d.in[i], reterr);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (!d.in[DRIVE_SYNC].known)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--drive: character 1: sync= is missing; give the latency of one durable "
			"write, as sync=30us:45us (keys are %s)", DRIVE_KEYS);
	*ret = d;
	return 0;
}
