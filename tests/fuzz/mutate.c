/* mutate.c - damaged input for each parser: it may be accepted or refused, and nothing else.
 *
 *	mutate [--inputs N] [--out FOLDER] [PARSER...]
 *	mutate --write FILE PARSER NUMBER       the input of that number, to look at
 *
 * Inputs come from valid seeds by damage that is the same in every run: the number of the input is
 * its seed. They are parsed in a child, where each may use one second of CPU (and ten of the clock,
 * where it waits): more, a signal or a sanitizer's report ends the child and is a failure of the input
 * at hand; a new child goes on with the next. Prints a line for each parser; a failed input is kept
 * in FOLDER and named. The exit status is 1 when one failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/parsers.h"

#define SEED_MAX  ((size_t)1 << 20) /* longer seeds are cut: they are not the parser's fault */
#define SEEDS_MAX 64
#define ROOM      ((size_t)1 << 20) /* that an input may grow by */

struct text {
	char *at;
	size_t len;
};

struct seeds {
	struct text seed[SEEDS_MAX];
	size_t count;
};

/* -- numbers: splitmix64 --------------------------------------------------------------------------- */

static uint64_t rng_state;

static uint64_t rng(void)
{
	uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static size_t below(size_t n)
{
	return n ? (size_t)(rng() % n) : 0;
}

/* -- seeds ----------------------------------------------------------------------------------------- */

static void die(const char *what, const char *detail)
{
	(void)fprintf(stderr, "mutate: %s: %s\n", what, detail);
	exit(2);
}

static void *need(void *p)
{
	if (!p)
		die("memory", strerror(errno));
	return p;
}

static void load(struct seeds *s, const char *path)
{
	FILE *f = fopen(path, "re");
	struct text t;

	if (!f)
		die(path, strerror(errno));
	t.at = need(malloc(SEED_MAX));
	t.len = fread(t.at, 1, SEED_MAX, f);
	(void)fclose(f); /* it was read */
	if (t.len && s->count < SEEDS_MAX)
		s->seed[s->count++] = t;
	else
		free(t.at);
}

static void load_seeds(const struct fuzz_parser *p, struct seeds *s)
{
	*s = (struct seeds){ .count = 0 };
	for (size_t i = 0; i < FUZZ_SEEDS_MAX && p->seeds[i]; i++) {
		glob_t g;

		if (glob(p->seeds[i], 0, NULL, &g) == 0)
			for (size_t k = 0; k < g.gl_pathc; k++)
				load(s, g.gl_pathv[k]);
		globfree(&g);
	}
	if (s->count == 0)
		die(p->name, "no seeds; run from the repository root");
}

static void free_seeds(struct seeds *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->seed[i].at);
}

/* -- damage ---------------------------------------------------------------------------------------- */

/* Replaces @cut bytes at @at by @len bytes of @with. */
static void put_in(struct text *t, size_t at, size_t cut, const char *with, size_t len)
{
	if (t->len - cut + len > SEED_MAX + ROOM)
		return;
	memmove(t->at + at + len, t->at + at + cut, t->len - at - cut);
	memcpy(t->at + at, with, len);
	t->len = t->len - cut + len;
}

static void flip_bytes(struct text *t)
{
	for (size_t n = 1 + below(8); n && t->len; n--)
		t->at[below(t->len)] = (char)rng();
}

static void flip_bit(struct text *t)
{
	if (t->len)
		t->at[below(t->len)] ^= (char)(1u << below(8));
}

static void cut_off(struct text *t)
{
	t->len = below(t->len + 1);
}

static void take_out(struct text *t)
{
	size_t at = below(t->len), n = below(t->len - at + 1);

	put_in(t, at, n > 200 && below(4) ? 200 : n, "", 0);
}

static void repeat(struct text *t)
{
	size_t at = below(t->len), n = 1 + below(400);
	char copy[400];

	n = n > t->len - at ? t->len - at : n;
	memcpy(copy, t->at + at, n);
	for (size_t k = 1 + below(20); k; k--)
		put_in(t, at, 0, copy, n);
}

/* A run of digits becomes a number that does not fit, or is none. */
static void odd_number(struct text *t)
{
	static const char *const numbers[] = { "18446744073709551616", "9223372036854775808", "-1",
		"1e308", "1e999", "-1e999", "4503599627370497", "0.1e-400", "00", "1.", "NaN",
		"340282366920938463463374607431768211456",
		"99999999999999999999999999999999999999999999999999999999999999999999", "2147483648", "1e15", "4294967295" };
	const char *with = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
	size_t at = below(t->len), n = 0;

	while (at < t->len && (t->at[at] < '0' || t->at[at] > '9'))
		at++;
	while (at + n < t->len && t->at[at + n] >= '0' && t->at[at + n] <= '9')
		n++;
	put_in(t, at, n, with, strlen(with));
}

/* A value becomes one of another kind. */
static void odd_value(struct text *t)
{
	static const char *const values[] = { "null", "true", "\"\"", "{}", "[]", "[[]]", "\"x\"", "0",
		"-0", "\"\\u0000\"", "\"\\ud800\"", "{\"\":{}}" };
	const char *with = values[below(sizeof(values) / sizeof(values[0]))];
	size_t at = below(t->len), n = 0;

	while (at < t->len && t->at[at] != ':')
		at++;
	at += at < t->len;
	while (at + n < t->len && !strchr(",}]\n", t->at[at + n]))
		n++;
	put_in(t, at, n, with, strlen(with));
}

static void nest(struct text *t)
{
	static const char *const open[] = { "[", "{\"a\":", "[{\"jobs\":" };
	const char *with = open[below(3)];
	size_t at = below(t->len + 1), len = strlen(with);
	size_t n = below(2) ? 150 + below(120) : below(100000);
	char *text = need(malloc(n * len + 1));

	for (size_t i = 0; i < n * len; i++)
		text[i] = with[i % len];
	put_in(t, at, 0, text, n * len);
	free(text);
}

static void long_string(struct text *t)
{
	size_t n = 1 + below(200000), at = below(t->len + 1);
	char *text = need(malloc(n));

	memset(text, below(4) ? 'A' : '\x80', n);
	put_in(t, at, 0, text, n);
	free(text);
}

static void odd_bytes(struct text *t)
{
	static const char *const bytes[] = { "\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xef\xbb\xbf",
		"\r\n", "\t", "\x1b[31m", "\x7f", "%n%s" };
	const char *with = bytes[below(sizeof(bytes) / sizeof(bytes[0]))];

	if (below(3))
		put_in(t, below(t->len + 1), 0, with, strlen(with));
	else
		put_in(t, below(t->len + 1), 0, "\0\0\0\0", 1 + below(4));
}

static void cross(struct text *t, const struct seeds *s)
{
	const struct text *o = &s->seed[below(s->count)];
	size_t from = below(o->len), n = below(o->len - from + 1), at = below(t->len + 1);

	put_in(t, at, below(t->len - at + 1), o->at + from, n);
}

static void damage(struct text *t, const struct seeds *s)
{
	static void (*const ways[])(struct text *t) = { flip_bytes, flip_bit, cut_off, take_out, repeat,
		odd_number, odd_number, odd_value, odd_value, nest, long_string, odd_bytes };
	size_t way = below(sizeof(ways) / sizeof(ways[0]) + 1);

	if (t->len == 0 || way == sizeof(ways) / sizeof(ways[0]))
		cross(t, s);
	else
		ways[way](t);
}

/* Input @number of the parser: 0 is the first seed as it is. A heap block of just its size. */
static struct text make_input(const struct fuzz_parser *p, const struct seeds *s, size_t number)
{
	struct text t, exact;
	const struct text *seed;

	rng_state = number * UINT64_C(0xd1342543de82ef95);
	for (const char *c = p->name; *c; c++)
		rng_state = rng_state * 31 + (unsigned char)*c;
	seed = number < s->count ? &s->seed[number] : &s->seed[below(s->count)];
	t.at = need(malloc(SEED_MAX + ROOM));
	t.len = seed->len;
	memcpy(t.at, seed->at, seed->len);
	if (number >= s->count)
		for (size_t n = 1 + below(3); n; n--)
			damage(&t, s);
	exact.len = t.len;
	exact.at = need(malloc(t.len ? t.len : 1));
	memcpy(exact.at, t.at, t.len);
	free(t.at);
	return exact;
}

/* -- running ---------------------------------------------------------------------------------------- */

/* What a child has come to, in memory that its parent sees. */
struct progress {
	size_t at;       /* the input that is being parsed, or the one after the last */
	size_t accepted; /* of the damaged ones */
	size_t seeds_accepted;
};

static void limit_time(long cpu_s, unsigned clock_s)
{
	const struct itimerval cpu = { .it_value.tv_sec = cpu_s };

	if (setitimer(ITIMER_PROF, &cpu, NULL) < 0)
		die("setitimer", strerror(errno));
	(void)alarm(clock_s);
}

/* Inputs from p->at on, until one of them ends this process. */
static void child(const struct fuzz_parser *p, const struct seeds *s, size_t inputs,
	const char *scratch, struct progress *progress)
{
	for (; progress->at < s->count + inputs; progress->at++) {
		struct text t = make_input(p, s, progress->at);
		int accepted;

		limit_time(1, 10);
		accepted = p->run(t.at, t.len, scratch) != 0;
		limit_time(0, 0);
		free(t.at);
		if (progress->at < s->count)
			progress->seeds_accepted += (size_t)accepted;
		else
			progress->accepted += (size_t)accepted;
	}
	exit(0); /* not _exit(): a leak is looked for at the end */
}

/* True: all inputs from progress->at on were parsed. False: that one ended the child, for @why. */
static bool run_child(const struct fuzz_parser *p, const struct seeds *s, size_t inputs,
	const char *scratch, struct progress *progress, char why[64])
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork", strerror(errno));
	if (pid == 0)
		child(p, s, inputs, scratch, progress);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("wait", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFSIGNALED(status))
		(void)snprintf(why, 64, "%s", WTERMSIG(status) == SIGPROF ? "more than 1 s of CPU" :
			WTERMSIG(status) == SIGALRM ? "more than 10 s" : strsignal(WTERMSIG(status)));
	else
		(void)snprintf(why, 64, "ended with status %d", WEXITSTATUS(status));
	return false;
}

static void write_input(const char *path, struct text t)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(t.at, 1, t.len, f) != t.len || fclose(f) != 0)
		die(path, strerror(errno));
}

static void report(const struct fuzz_parser *p, const struct seeds *s, size_t number,
	const char *out, const char *why)
{
	struct text t = make_input(p, s, number);
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/%s-%zu", out, p->name, number);
	write_input(path, t);
	(void)printf("not_ok %s: input %zu: %s (kept: %s)\n", p->name, number, why, path);
	free(t.at);
}

/* How many of the inputs failed. */
static size_t fuzz(const struct fuzz_parser *p, size_t inputs, const char *out, const char *scratch,
	struct progress *progress)
{
	size_t failed = 0;
	struct seeds s;
	char why[64];

	load_seeds(p, &s);
	*progress = (struct progress){ .at = 0 };
	while (!run_child(p, &s, inputs, scratch, progress, why)) {
		failed++;
		if (progress->at >= s.count + inputs) { /* all were parsed: its end failed */
			(void)printf("not_ok %s: after all inputs: %s (a leak?)\n", p->name, why);
			break;
		}
		report(p, &s, progress->at++, out, why);
	}
	if (progress->seeds_accepted == 0) {
		failed++;
		(void)printf("not_ok %s: none of its %zu seeds is accepted\n", p->name, s.count);
	}
	if (failed == 0)
		(void)printf("ok %s: %zu damaged inputs of %zu seeds: %zu accepted, %zu refused\n",
			p->name, inputs, s.count, progress->accepted, inputs - progress->accepted);
	(void)fflush(stdout); /* before the next fork */
	free_seeds(&s);
	return failed;
}

static const struct fuzz_parser *find(const char *name)
{
	for (const struct fuzz_parser *p = fuzz_parsers; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	die(name, "no such parser");
	return NULL;
}

static int write_one(const char *path, const char *name, const char *number)
{
	const struct fuzz_parser *p = find(name);
	struct seeds s;
	struct text t;

	load_seeds(p, &s);
	t = make_input(p, &s, strtoul(number, NULL, 10));
	write_input(path, t);
	free(t.at);
	free_seeds(&s);
	return 0;
}

int main(int argc, char **argv)
{
	/* memory, where there is some: hundreds of small files are written */
	char scratch[64], command[96];
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *out = ".";
	size_t inputs = 200, failed = 0;
	int i = 1;

	if (argc == 5 && strcmp(argv[1], "--write") == 0)
		return write_one(argv[2], argv[3], argv[4]);
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--inputs") == 0)
			inputs = strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--out") == 0)
			out = argv[i + 1];
		else
			die(argv[i], "unknown option");
	}
	if (progress == MAP_FAILED)
		die("mmap", strerror(errno));
	(void)snprintf(scratch, sizeof(scratch), "%s/ssdqual-fuzz.XXXXXX",
		access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(scratch))
		die(scratch, strerror(errno));
	if (i < argc)
		for (; i < argc; i++)
			failed += fuzz(find(argv[i]), inputs, out, scratch, progress);
	else
		for (const struct fuzz_parser *p = fuzz_parsers; p->name; p++)
			failed += fuzz(p, inputs, out, scratch, progress);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	if (system(command) != 0) /* our own folder's name */
		failed++;
	return failed != 0;
}
