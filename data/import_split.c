/* import_split.c - brackets are counted byte by byte; UTF-8 needs no care, since no byte of a longer
 * character looks like a bracket, a quote or a newline. */
#include "data/import_split.h"

#include "data/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void import_split_init(struct import_split *s, const char *name,
	int (*object)(void *ctx, const char *text, size_t len, size_t line, struct err *reterr),
	void *ctx)
{
	*s = (struct import_split){ .name = name, .object = object, .ctx = ctx, .line = 1,
		.object_may_begin = true };
}

/* -- outside an object ------------------------------------------------------------------------- */

static void end_line(struct import_split *s)
{
	s->outside_line[s->outside_len] = '\0';
	if (s->outside_len)
		complaints_add(&s->outside, "%s", s->outside_line);
	s->outside_len = 0;
	s->object_may_begin = true;
}

static void outside(struct import_split *s, char c)
{
	if (c == '{' && s->object_may_begin) {
		s->depth = 1;
		s->len = s->values = 0;
		s->in_string = s->escaped = false;
		s->object_line = s->line;
		return;
	}
	if (c == '\n') {
		end_line(s);
		return;
	}
	if (c == '\0' && s->nul_line == 0)
		s->nul_line = s->line;
	if (c == ' ' || c == '\t' || c == '\r' || (c == ',' && s->object_may_begin)) {
		if (s->outside_len && s->outside_len < IMPORT_LINE_MAX)
			s->outside_line[s->outside_len++] = ' ';
		return;
	}
	s->object_may_begin = false;
	if (s->outside_len < IMPORT_LINE_MAX)
		s->outside_line[s->outside_len++] = c && (unsigned char)c >= 0x20 ? c : '?';
}

/* -- inside one -------------------------------------------------------------------------------- */

static int keep(struct import_split *s, char c, struct err *reterr)
{
	if (s->len == s->size) {
		size_t more = s->size ? 2 * s->size : 65536;
		char *longer;

		if (s->size == IMPORT_DOCUMENT_MAX)
			return err_set(reterr, ERR_INPUT, -EFBIG, "%s:%zu: a JSON document of more "
				"than %zu MiB begins here, which is the limit; give one run of the "
				"tool a file", s->name, s->object_line, IMPORT_DOCUMENT_MAX >> 20);
		if (more > IMPORT_DOCUMENT_MAX)
			more = IMPORT_DOCUMENT_MAX;
		longer = realloc(s->text, more);
		if (!longer)
			return err_nomem(reterr);
		s->text = longer;
		s->size = more;
	}
	s->text[s->len++] = c;
	return 0;
}

static int count_value(struct import_split *s, struct err *reterr)
{
	if (++s->values <= IMPORT_VALUES_MAX)
		return 0;
	return err_set(reterr, ERR_INPUT, -EFBIG, "%s:%zu: a JSON document of more than %zu values "
		"begins here, which is the limit; give one run of the tool a file", s->name,
		s->object_line, IMPORT_VALUES_MAX);
}

static void in_string(struct import_split *s, char c)
{
	if (s->escaped)
		s->escaped = false;
	else if (c == '\\')
		s->escaped = true;
	else if (c == '"')
		s->in_string = false;
}

static int inside(struct import_split *s, char c, struct err *reterr)
{
	int r = 0;

	if (s->in_string) {
		in_string(s, c);
		return 0;
	}
	if (c == '"') {
		s->in_string = true;
	} else if (c == ',') {
		r = count_value(s, reterr);
	} else if (c == '{' || c == '[') {
		s->depth++;
		r = count_value(s, reterr);
	} else if (c == '}' || c == ']') {
		s->depth--;
		if (s->depth == 0) {
			r = s->object(s->ctx, s->text, s->len, s->object_line, reterr);
			s->object_may_begin = true;
		}
	}
	return r;
}

int import_split_feed(struct import_split *s, const char *piece, size_t len, struct err *reterr)
{
	for (size_t i = 0; i < len; i++) {
		bool was_inside = s->depth > 0;
		int r = 0;

		/* a byte order mark stands at the very beginning only */
		if (s->bytes < 3 && piece[i] == "\xef\xbb\xbf"[s->bytes]) {
			s->bytes++;
			continue;
		}
		s->bytes++;
		if (!was_inside)
			outside(s, piece[i]);
		if (s->depth > 0)
			r = keep(s, piece[i], reterr);
		if (r == 0 && was_inside)
			r = inside(s, piece[i], reterr);
		if (r < 0)
			return r;
		if (piece[i] == '\n')
			s->line++;
	}
	return 0;
}

bool import_split_end(struct import_split *s)
{
	end_line(s);
	return s->depth > 0;
}

void import_split_done(struct import_split *s)
{
	free(s->text);
	complaints_done(&s->outside);
	*s = (struct import_split){ .name = NULL };
}
