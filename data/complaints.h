/* complaints.h - everything that is wrong with a document, not only the first thing.
 *
 * A complaint is one line: "/measurements/3/iops: must not be negative". Lines are kept in the
 * order of the checks; beyond COMPLAINTS_MAX they are only counted, so that a damaged file of
 * millions of values does not fill the memory.
 */
#ifndef SSDQUAL_DATA_COMPLAINTS_H
#define SSDQUAL_DATA_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>

#define COMPLAINTS_MAX 200

struct complaints {
	char **line; /* count of them; owned */
	size_t count;
	size_t uncounted; /* how many more there were than are kept */
	bool nomem;       /* a line is missing for want of memory */
};
#define COMPLAINTS_INIT { .line = NULL }

void complaints_add(struct complaints *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void complaints_done(struct complaints *c); /* frees the lines and zeroes @c */

/* complaints_about - is there a complaint whose place is @pointer or something inside it? */
bool complaints_about(const struct complaints *c, const char *pointer);

#endif
