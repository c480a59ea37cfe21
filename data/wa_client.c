/* wa_client.c - bytes written, from the output of fio, rbd bench and rados bench. */
#include "data/wa_client.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

enum { CUT_MAX = 100 };

struct found {
	uint64_t bytes, step;
	unsigned count;
	bool bad; /* a figure that cannot be right */
};

static void add(struct found *f, uint64_t bytes, uint64_t step)
{
	f->bad |= __builtin_add_overflow(f->bytes, bytes, &f->bytes);
	f->step += step;
	f->count++;
}

/* -- fio's JSON ----------------------------------------------------------------------------- */

/* `io_bytes` was in KiB until fio 3.0, which has `io_kbytes` beside it. */
static void add_job(struct found *f, const struct json *job)
{
	const struct json *write = json_get(job, "write");
	uint64_t v;

	if (!json_u64(json_get(write, "io_bytes"), &v))
		return;
	if (json_get(write, "io_kbytes"))
		add(f, v, 0);
	else if (v <= UINT64_MAX / 1024)
		add(f, v * 1024, 1024);
	else
		f->bad = true;
}

static void add_document(struct found *f, const struct json *doc)
{
	static const char *const lists[] = { "jobs", "client_stats" };

	for (size_t i = 0; i < 2; i++)
		for (const struct json *job = json_first(json_get(doc, lists[i])); job;
			job = json_next(job)) {
			const char *name = json_str(json_get(job, "jobname"));

			/* The sum that fio adds to the clients'. */
			if (!name || strcmp(name, "All clients") != 0)
				add_job(f, job);
		}
}

/* The end of the object that begins at @at, by its brackets outside of strings; NULL: cut. */
static const char *object_end(const char *at, const char *end)
{
	bool quoted = false;
	int depth = 0;

	for (; at < end; at++) {
		if (quoted && *at == '\\')
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (!quoted && *at == '{')
			depth++;
		else if (!quoted && *at == '}' && --depth == 0)
			return at + 1;
	}
	return NULL;
}

static int parse_fio_json(const char *text, size_t len, struct found *f, struct err *reterr)
{
	const char *end = text + len, *at = text;
	int cut = 0; /* an object without an end is looked at to the end of the text */

	while (at < end && cut < CUT_MAX) {
		const char *stop = *at == '{' ? object_end(at, end) : NULL;
		struct err ignored = ERR_INIT;
		struct json *doc;
		int r;

		cut += *at == '{' && !stop;
		if (stop) {
			r = json_parse(at, (size_t)(stop - at), "output", &doc, &ignored);
			if (r == -ENOMEM)
				return err_nomem(reterr);
			if (r == 0) { /* else braces of something else */
				add_document(f, doc);
				json_free(doc);
				at = stop;
			}
		}
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			break;
		at++;
	}
	return 0;
}

/* -- lines of text -------------------------------------------------------------------------- */

/* The word after @key in @line, up to a blank, comma or bracket; false where there is none. */
static bool word_after(const char *line, const char *key, char *buf, size_t len)
{
	const char *at = strstr(line, key);
	size_t n;

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, " \t");
	n = strcspn(at, " \t,()\r");
	if (n == 0 || n >= len)
		return false;
	memcpy(buf, at, n);
	buf[n] = '\0';
	return true;
}

static bool number_after(const char *line, const char *key, uint64_t *ret)
{
	char word[40];

	return word_after(line, key, word, sizeof(word)) && units_parse_u64(word, ret) == 0;
}

/* "12.3MiB": the value, and what one more in its last digit would be. */
static bool rounded_size(const char *word, uint64_t *ret, uint64_t *ret_step)
{
	size_t decimals = 0, digits = strspn(word, "0123456789");
	char one[40] = "1";
	uint64_t unit;

	if (word[digits] == '.') {
		decimals = strspn(word + digits + 1, "0123456789");
		digits += 1 + decimals;
	}
	if (units_parse_bytes(word, ret) < 0 || strlen(word + digits) >= sizeof(one) - 1)
		return false;
	strcpy(one + 1, word + digits);
	if (units_parse_bytes(one, &unit) < 0)
		return false;
	while (decimals-- > 0)
		unit = (unit + 9) / 10;
	*ret_step = unit > 1 ? unit : 0;
	return true;
}

/* "  WRITE: bw=1024KiB/s (1049kB/s), 1024KiB/s-..., io=4096KiB (4194kB), run=..." of each group */
static void read_fio_line(const char *line, struct found *f)
{
	char word[40];
	uint64_t v, step;

	line += strspn(line, " \t");
	if (strncmp(line, "WRITE:", 6) == 0 && word_after(line, " io=", word, sizeof(word)) &&
		rounded_size(word, &v, &step))
		add(f, v, step);
}

struct rbd_bench {
	uint64_t io_size;
	bool writes, mixed;
};

static void read_rbd_line(const char *line, struct rbd_bench *b, struct found *f)
{
	uint64_t v;
	char type[16];

	if (strncmp(line, "bench ", 6) == 0 && word_after(line, " type ", type, sizeof(type)) &&
		number_after(line, " io_size ", &v)) {
		*b = (struct rbd_bench){ v, strcmp(type, "write") == 0,
			strcmp(type, "readwrite") == 0 };
		/* A benchmark of reads writes nothing: that is an answer, too. */
		if (!b->writes && !b->mixed)
			add(f, 0, 0);
	} else if (b->io_size && ((b->writes && strncmp(line, "elapsed: ", 9) == 0 &&
		number_after(line, " ops: ", &v)) ||
		(b->mixed && number_after(line, "write_ops: ", &v)))) {
		if (v > UINT64_MAX / b->io_size)
			f->bad = true;
		else
			add(f, v * b->io_size, 0);
		b->io_size = 0;
	}
}

/* "Total writes made:      100" and then "Write size:             4194304" */
static void read_rados_line(const char *line, uint64_t *made, struct found *f)
{
	uint64_t v;

	if (number_after(line, "Total writes made:", &v)) {
		*made = v;
	} else if (*made && number_after(line, "Write size:", &v)) {
		if (v > 0 && *made > UINT64_MAX / v)
			f->bad = true;
		else
			add(f, *made * v, 0);
		*made = 0;
	}
}

static int parse_lines(const char *text, size_t len, struct found *fio, struct found *rbd,
	struct found *rados, struct err *reterr)
{
	struct rbd_bench bench = { 0 };
	uint64_t made = 0;
	char *copy = malloc(len + 1), *at = copy, *line;

	if (!copy)
		return err_nomem(reterr);
	for (size_t i = 0; i < len; i++) /* a carriage return begins a line of its own */
		copy[i] = text[i] == '\0' || text[i] == '\r' ? '\n' : text[i];
	copy[len] = '\0';
	while ((line = strsep(&at, "\n"))) {
		read_fio_line(line, fio);
		read_rbd_line(line, &bench, rbd);
		read_rados_line(line, &made, rados);
	}
	free(copy);
	return 0;
}

int wa_client_parse(const char *text, size_t len, struct wa_reading *ret, struct err *reterr)
{
	struct {
		const char *what;
		struct found f;
	} kinds[] = { { "fio JSON", { 0 } }, { "fio text", { 0 } }, { "rbd bench", { 0 } },
		{ "rados bench", { 0 } } };
	int r = parse_fio_json(text, len, &kinds[0].f, reterr);

	if (r == 0)
		r = parse_lines(text, len, &kinds[1].f, &kinds[2].f, &kinds[3].f, reterr);
	if (r < 0)
		return r;
	/* fio in normal,json mode prints both: the exact one counts. */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct found *f = &kinds[i].f;

		if (f->count == 0 && !f->bad)
			continue;
		if (f->bad)
			return err_set(reterr, ERR_INPUT, -ENODATA,
				"the output's %s tells of more bytes than there can be",
				kinds[i].what);
		memset(ret, 0, sizeof(*ret));
		wa_reading_set(ret, f->bytes, f->step, "%s, %u figure%s", kinds[i].what, f->count,
			f->count == 1 ? "" : "s");
		return 0;
	}
	return err_set(reterr, ERR_INPUT, -ENODATA,
		"the output has no bytes written as fio, rbd bench or rados bench print them; say "
		"how many with --client-bytes");
}
