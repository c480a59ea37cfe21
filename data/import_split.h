/* import_split.h - the JSON objects in a stream of text that holds other lines, too.
 *
 * An object begins with a { that is the first character of its line but for blanks, or that follows
 * the end of another object (blanks and commas between them are passed over); it ends with the }
 * that closes it. Everything outside is kept as lines. Objects are found by counting brackets
 * outside strings; whether one is JSON is for its reader to say. Text comes in pieces of any size;
 * at most one object is in memory.
 */
#ifndef SSDQUAL_DATA_IMPORT_SPLIT_H
#define SSDQUAL_DATA_IMPORT_SPLIT_H

#include "data/complaints.h"
#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>

#define IMPORT_LINE_MAX 300 /* bytes kept of a line outside */

struct import_split {
	const char *name; /* of the file, for messages */
	/* Called with each complete object, which begins on @line of the file. The text is valid
	 * during the call only. 0, or -errno with @reterr, which ends the reading. */
	int (*object)(void *ctx, const char *text, size_t len, size_t line, struct err *reterr);
	void *ctx;
	struct complaints outside; /* lines outside the objects; blank ones are not kept */
	size_t bytes;              /* read */
	size_t line;               /* the current one, from 1 */
	size_t nul_line;           /* the first line with a NUL byte outside an object; 0: none */
	/* the object being read */
	char *text;
	size_t len, size, values, depth;
	size_t object_line;
	bool in_string, escaped;
	/* the line being read outside */
	char outside_line[IMPORT_LINE_MAX + 1];
	size_t outside_len;
	bool object_may_begin;
};

void import_split_init(struct import_split *s, const char *name,
	int (*object)(void *ctx, const char *text, size_t len, size_t line, struct err *reterr),
	void *ctx);
/* import_split_feed - the next piece. 0; what object() returned; -EFBIG, ERR_INPUT: an object is
 * longer than IMPORT_DOCUMENT_MAX bytes or IMPORT_VALUES_MAX values. */
int import_split_feed(struct import_split *s, const char *piece, size_t len, struct err *reterr);
/* import_split_end - the text is over: keeps the last line. True: inside an object that has no end;
 * its text so far is s->text, s->len bytes from s->object_line on. */
bool import_split_end(struct import_split *s);
void import_split_done(struct import_split *s);

#endif
