/* notes.c - the list of notes. */
#include "policies/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool notes_has(const struct notes *n, const char *code)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->item[i].code, code) == 0)
			return true;
	return false;
}

void notes_add(struct notes *n, const char *code, const char *source, const char *fmt, ...)
{
	struct note *grown;
	va_list ap;

	if (notes_has(n, code))
		return;
	grown = realloc(n->item, (n->count + 1) * sizeof(*grown));
	if (grown == NULL) {
		n->no_memory = true;
		return;
	}
	n->item = grown;
	grown += n->count++;
	*grown = (struct note){ .code = "" };
	snprintf(grown->code, sizeof(grown->code), "%s", code);
	snprintf(grown->source, sizeof(grown->source), "%s", source != NULL ? source : "");
	va_start(ap, fmt);
	vsnprintf(grown->text, sizeof(grown->text), fmt, ap);
	va_end(ap);
}

void notes_done(struct notes *n)
{
	free(n->item);
	*n = (struct notes){ .item = NULL };
}
