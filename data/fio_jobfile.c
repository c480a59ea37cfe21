/* fio_jobfile.c - job files into the objects that fio's JSON has. */
#include "data/fio_jobfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/fio_doc.h"

struct jobfile {
	const char *name;
	size_t line;
	struct json *jobs;    /* array */
	struct json *global;  /* of the sections to come */
	struct json *options; /* of the section being read: global, or a job's; borrowed */
	size_t count, includes;
};

static int refuse(const struct jobfile *f, const char *what, struct err *reterr)
{
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu: %s", f->name, f->line, what);
}

/* Cuts blanks off both ends of @s, in place. */
static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		s[--n] = '\0';
	return s;
}

static int begin_job(struct jobfile *f, const char *jobname, struct err *reterr)
{
	struct json *job = json_new_object();
	int bad = 0;

	if (++f->count > FIO_JOBS_MAX) {
		json_free(job);
		return err_set(reterr, ERR_INPUT, -EFBIG, "%s:%zu: more than %d jobs, the limit",
			f->name, f->line, FIO_JOBS_MAX);
	}
	bad |= json_set_str(job, "jobname", jobname);
	bad |= json_set(job, "job options", json_copy(f->global));
	if (bad) {
		json_free(job);
		return err_nomem(reterr);
	}
	f->options = json_get_mut(job, "job options");
	return json_append(f->jobs, job) < 0 ? err_nomem(reterr) : 0;
}

static int section(struct jobfile *f, char *s, struct err *reterr)
{
	char *end = strchr(s, ']');

	if (!end || end == s + 1 || *trim(end + 1))
		return refuse(f, "a section is written [NAME]", reterr);
	*end = '\0';
	if (strcmp(s + 1, "global") != 0)
		return begin_job(f, s + 1, reterr);
	f->options = f->global;
	return 0;
}

static int option(struct jobfile *f, char *s, struct err *reterr)
{
	char *eq = strchr(s, '='), *key = s;
	const char *value = "1";

	if (strncmp(s, "include ", 8) == 0) {
		f->includes++;
		return 0;
	}
	if (!f->options)
		return refuse(f, "an option before the first [section]; is this a job file of fio?",
			reterr);
	if (eq) {
		*eq = '\0';
		value = trim(eq + 1);
	}
	key = trim(key);
	if (!*key)
		return refuse(f, "a value without an option's name", reterr);
	return json_set_str(f->options, key, value) < 0 ? err_nomem(reterr) : 0;
}

static int parse_line(struct jobfile *f, char *line, struct err *reterr)
{
	char *s = trim(line);

	if (*s == '\0' || *s == ';' || *s == '#')
		return 0;
	return *s == '[' ? section(f, s, reterr) : option(f, s, reterr);
}

static int parse_lines(struct jobfile *f, char *text, struct err *reterr)
{
	int r = 0;

	for (char *line = text; line && r == 0; f->line++) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		r = parse_line(f, line, reterr);
		line = end ? end + 1 : NULL;
	}
	if (r == 0 && f->count == 0)
		r = err_set(reterr, ERR_INPUT, -EBADMSG, "%s: no job in it: a job file of fio has a "
			"section [NAME] with its options", f->name);
	return r;
}

int fio_jobfile_parse(const char *text, size_t len, const char *name, struct json **ret,
	struct err *reterr)
{
	struct jobfile f = { .name = name, .line = 1 };
	struct json *doc = NULL;
	char *copy;
	int r;

	if (len > FIO_JOBFILE_MAX)
		return err_set(reterr, ERR_INPUT, -EFBIG, "%s: longer than %zu KiB, the limit of a job "
			"file", name, FIO_JOBFILE_MAX >> 10);
	if (memchr(text, '\0', len))
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: NUL bytes; no job file of fio", name);
	copy = strndup(text, len);
	f.jobs = json_new_array();
	f.global = json_new_object();
	r = copy && f.jobs && f.global ? parse_lines(&f, copy, reterr) : err_nomem(reterr);
	free(copy);
	json_free(f.global);
	if (r < 0) {
		json_free(f.jobs);
		return r;
	}
	doc = json_new_object();
	if (json_set(doc, "jobs", f.jobs) < 0 || json_set_u64(doc, "includes", f.includes) < 0) {
		json_free(doc);
		return err_nomem(reterr);
	}
	*ret = doc;
	return 0;
}
