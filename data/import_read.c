/* import_read.c - from a file to result documents: split, parse, recognise, convert. */
#include "data/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/import_split.h"

struct reading {
	const char *name;
	const struct importer *only; /* --kind; NULL: any */
	struct import_split split;
	struct import_list list;
	/* The last document, which the next may replace. */
	struct json *held;
	const struct importer *importer; /* its */
	size_t number;                   /* complete documents up to it */
	size_t documents;                /* complete documents up to now */
	bool cut_off;
};

static void list_kinds(char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; importer_table[i] && used < len; i++)
		used += (size_t)snprintf(buf + used, len - used, "%s%s", i ? ", " : "",
			importer_table[i]->name);
}

static int take_result(struct import_list *l, struct result *r, struct err *reterr)
{
	struct result **longer;

	/* a list of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
	longer = realloc(l->result, (l->count + 1) * sizeof(*longer));
	if (!longer) {
		result_free(r);
		return err_nomem(reterr);
	}
	l->result = longer;
	l->result[l->count++] = r;
	return 0;
}

static int convert_held(struct reading *rd, struct err *reterr)
{
	struct import_source src = { .name = rd->name, .number = rd->number,
		.documents = rd->documents, .cut_off = rd->cut_off, .lines = &rd->split.outside };
	struct result *result = NULL;
	int r;

	if (!rd->held)
		return 0;
	r = rd->importer->convert(rd->held, &src, &result, reterr);
	json_free(rd->held);
	rd->held = NULL;
	return r < 0 ? r : take_result(&rd->list, result, reterr);
}

static int find_importer(const struct reading *rd, const struct json *doc, size_t line,
	const struct importer **ret, struct err *reterr)
{
	char kinds[128];

	*ret = rd->only && rd->only->recognises(doc) ? rd->only :
		rd->only ? NULL : importer_for(doc);
	if (*ret)
		return 0;
	list_kinds(kinds, sizeof(kinds));
	if (rd->only)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu: this JSON is not of the kind "
			"%s; leave --kind out, or name another of %s", rd->name, line,
			rd->only->name, kinds);
	if (json_get(doc, "format_version") && json_get(doc, "measurements"))
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu: is a result document already; "
			"`ssdqual show` and `ssdqual advise` take it as it is", rd->name, line);
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu: JSON of an unknown kind; known are "
		"%s", rd->name, line, kinds);
}

static int on_object(void *ctx, const char *text, size_t len, size_t line, struct err *reterr)
{
	struct reading *rd = ctx;
	const struct importer *importer;
	struct json *doc;
	int r = json_parse_lenient(text, len, rd->name, line, &doc, reterr);

	if (r < 0)
		return r;
	r = find_importer(rd, doc, line, &importer, reterr);
	if (r == 0 && rd->held) {
		if (importer == rd->importer && importer->continues &&
			importer->continues(rd->held, doc)) {
			json_free(rd->held);
			rd->held = NULL;
		}
		r = convert_held(rd, reterr);
	}
	if (r < 0) {
		json_free(doc);
		return r;
	}
	rd->held = doc;
	rd->importer = importer;
	rd->number = ++rd->documents;
	return 0;
}

/* Nothing was found: why not? */
static int nothing_found(struct reading *rd, struct err *reterr)
{
	const struct import_split *s = &rd->split;
	struct json *never;
	int r;

	if (rd->cut_off) {
		r = json_parse_lenient(s->text, s->len, rd->name, s->object_line, &never, reterr);
		if (r < 0) {
			(void)err_prefix(reterr, "damaged or cut off");
			return r;
		}
		json_free(never); /* brackets that do not close are no JSON: cannot be */
	}
	if (s->bytes == 0)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: is empty", rd->name);
	if (s->nul_line)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu: NUL bytes and no JSON object; "
			"the file is damaged, or its text is UTF-16", rd->name, s->nul_line);
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: no line of it begins a JSON object; make "
		"it with fio --output-format=json, smartctl --json or nvme -o json", rd->name);
}

static int finish(struct reading *rd, struct err *reterr)
{
	rd->cut_off = import_split_end(&rd->split);
	if (rd->split.outside.nomem)
		return err_nomem(reterr);
	if (rd->documents == 0)
		return nothing_found(rd, reterr);
	return convert_held(rd, reterr);
}

static void start(struct reading *rd, const char *name, const struct importer *kind)
{
	*rd = (struct reading){ .name = name, .only = kind };
	import_split_init(&rd->split, name, on_object, rd);
}

static int end(struct reading *rd, int r, struct import_list *ret)
{
	json_free(rd->held);
	import_split_done(&rd->split);
	if (r < 0)
		import_list_done(&rd->list);
	else
		*ret = rd->list;
	return r;
}

int import_text(const char *text, size_t len, const char *name, const struct importer *kind,
	struct import_list *ret, struct err *reterr)
{
	struct reading rd;
	int r;

	start(&rd, name, kind);
	r = import_split_feed(&rd.split, text, len, reterr);
	if (r == 0)
		r = finish(&rd, reterr);
	return end(&rd, r, ret);
}

static int feed_file(struct reading *rd, int fd, struct err *reterr)
{
	char piece[65536];
	ssize_t n;
	int r = 0;

	do {
		n = read(fd, piece, sizeof(piece));
		if (n > 0)
			r = import_split_feed(&rd->split, piece, (size_t)n, reterr);
		else if (n < 0 && errno != EINTR)
			r = err_set(reterr, ERR_INPUT, -errno, "%s: %s", rd->name, strerror(errno));
	} while (n != 0 && r == 0);
	return r;
}

int import_file(const char *path, const struct importer *kind, struct import_list *ret,
	struct err *reterr)
{
	struct reading rd;
	int fd, r = json_open(path, &fd, reterr);

	if (r < 0)
		return r;
	start(&rd, strcmp(path, "-") == 0 ? "standard input" : path, kind);
	r = feed_file(&rd, fd, reterr);
	(void)close(fd); /* nothing was written */
	if (r == 0)
		r = finish(&rd, reterr);
	return end(&rd, r, ret);
}

void import_list_done(struct import_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		result_free(l->result[i]);
	free(l->result);
	*l = (struct import_list){ .count = 0 };
}

int import_document(const struct json *doc, const char *name, struct result **ret,
	struct err *reterr)
{
	const struct complaints none = COMPLAINTS_INIT;
	const struct import_source src = { .name = name, .number = 1, .documents = 1,
		.lines = &none };
	const struct importer *importer = importer_for(doc);

	if (!importer)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: JSON of an unknown kind", name);
	return importer->convert(doc, &src, ret, reterr);
}
