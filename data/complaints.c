/* complaints.c - a bounded list of lines. */
#include "data/complaints.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complaints_add(struct complaints *c, const char *fmt, ...)
{
	va_list ap;
	char *line;
	int n;

	if (c->count == COMPLAINTS_MAX) {
		c->uncounted++;
		return;
	}
	if (!c->line) {
		c->line = calloc(COMPLAINTS_MAX, sizeof(*c->line));
		if (!c->line) {
			c->nomem = true;
			return;
		}
	}
	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0) {
		c->nomem = true;
		return;
	}
	c->line[c->count++] = line;
}

void complaints_done(struct complaints *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->line[i]);
	free(c->line);
	*c = (struct complaints)COMPLAINTS_INIT;
}

bool complaints_about(const struct complaints *c, const char *pointer)
{
	size_t n = strlen(pointer);

	for (size_t i = 0; i < c->count; i++) {
		const char *line = c->line[i];

		if (strncmp(line, pointer, n) == 0 && (line[n] == ':' || line[n] == '/'))
			return true;
	}
	return false;
}
