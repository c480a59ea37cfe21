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

const char *severity_word(enum severity s)
{
	static const char *const word[] = { "warning", "info", "error", "critical" };

	return word[s];
}

/* append - room for one more; NULL when its code is there already, or memory is not. */
static struct note *append(struct notes *n, const char *code)
{
	struct note *grown;

	if (notes_has(n, code))
		return NULL;
	grown = realloc(n->item, (n->count + 1) * sizeof(*grown));
	if (grown == NULL) {
		n->no_memory = true;
		return NULL;
	}
	n->item = grown;
	grown += n->count++;
	*grown = (struct note){ .code = "" };
	return grown;
}

__attribute__((format(printf, 5, 0))) static void add(struct notes *n, enum severity severity,
	const char *code, const char *source, const char *fmt, va_list ap)
{
	struct note *note = append(n, code);

	if (note == NULL)
		return;
	snprintf(note->code, sizeof(note->code), "%s", code);
	snprintf(note->source, sizeof(note->source), "%s", source != NULL ? source : "");
	note->severity = severity;
	vsnprintf(note->text, sizeof(note->text), fmt, ap);
}

void notes_add(struct notes *n, const char *code, const char *source, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(n, SEVERITY_WARNING, code, source, fmt, ap);
	va_end(ap);
}

void notes_add_as(struct notes *n, enum severity severity, const char *code, const char *source,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(n, severity, code, source, fmt, ap);
	va_end(ap);
}

void notes_copy(struct notes *n, const struct notes *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct note *note = append(n, from->item[i].code);

		if (note != NULL)
			*note = from->item[i];
	}
}

void notes_sort(struct notes *n)
{
	static const int rank[] = { [SEVERITY_CRITICAL] = 0, [SEVERITY_ERROR] = 1,
		[SEVERITY_WARNING] = 2, [SEVERITY_INFO] = 3 };

	/* Insertion: lists are short, and it is stable. */
	for (size_t i = 1; i < n->count; i++) {
		struct note moved = n->item[i];
		size_t k = i;

		for (; k > 0 && rank[n->item[k - 1].severity] > rank[moved.severity]; k--)
			n->item[k] = n->item[k - 1];
		n->item[k] = moved;
	}
}

void notes_done(struct notes *n)
{
	free(n->item);
	*n = (struct notes){ .item = NULL };
}
