/* fio_workload_load.c - is the file fio's JSON or a job file? */
#include "data/fio_workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/fio_doc.h"
#include "data/fio_jobfile.h"
#include "data/import_split.h"

/* The last document of fio in a file, and the beginning of the file in case there is none. */
struct loading {
	const char *name;
	struct json *doc;
	char *head; /* FIO_JOBFILE_MAX + 1 bytes */
	size_t head_len;
};

static int on_object(void *ctx, const char *text, size_t len, size_t line, struct err *reterr)
{
	struct loading *l = ctx;
	struct json *doc;
	int r = json_parse_lenient(text, len, l->name, line, &doc, reterr);

	if (r < 0)
		return r;
	if (!fio_recognise(doc)) {
		json_free(doc);
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu: this JSON is not fio's", l->name,
			line);
	}
	json_free(l->doc);
	l->doc = doc;
	return 0;
}

static void keep_head(struct loading *l, const char *piece, size_t len)
{
	size_t room = FIO_JOBFILE_MAX + 1 - l->head_len;

	memcpy(l->head + l->head_len, piece, len < room ? len : room);
	l->head_len += len < room ? len : room;
}

static int read_file(struct loading *l, struct import_split *s, int fd, struct err *reterr)
{
	char piece[65536];
	ssize_t n;
	int r = 0;

	do {
		n = read(fd, piece, sizeof(piece));
		if (n > 0) {
			keep_head(l, piece, (size_t)n);
			r = import_split_feed(s, piece, (size_t)n, reterr);
		} else if (n < 0 && errno != EINTR) {
			r = err_set(reterr, ERR_INPUT, -errno, "%s: %s", l->name, strerror(errno));
		}
	} while (n != 0 && r == 0);
	return r;
}

/* No complete document: a job file, or JSON that was cut off. */
static int without_json(struct loading *l, struct import_split *s, struct err *reterr)
{
	struct json *never = NULL;
	int r;

	if (!import_split_end(s))
		return fio_jobfile_parse(l->head, l->head_len, l->name, &l->doc, reterr);
	r = json_parse_lenient(s->text, s->len, l->name, s->object_line, &never, reterr);
	json_free(never);
	return r < 0 ? r : -EBADMSG;
}

int fio_workload_load(const char *path, const char *job, struct json **ret, struct err *reterr)
{
	struct loading l = { .name = strcmp(path, "-") == 0 ? "standard input" : path };
	struct import_split split;
	int fd, r = json_open(path, &fd, reterr);

	if (r < 0)
		return r;
	import_split_init(&split, l.name, on_object, &l);
	l.head = malloc(FIO_JOBFILE_MAX + 1);
	r = l.head ? read_file(&l, &split, fd, reterr) : err_nomem(reterr);
	(void)close(fd); /* nothing was written */
	if (r == 0 && !l.doc)
		r = without_json(&l, &split, reterr);
	if (r == 0)
		r = fio_workload(l.doc, l.name, job, ret, reterr);
	import_split_done(&split);
	free(l.head);
	json_free(l.doc);
	return r;
}
