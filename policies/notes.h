/* notes.h - a growing list of {code, text, source}: warnings, reasons, assumptions, blockers. */
#ifndef SSDQUAL_POLICIES_NOTES_H
#define SSDQUAL_POLICIES_NOTES_H

#include <stdbool.h>
#include <stddef.h>

struct note {
	char code[40];    /* a word that scripts may compare: "pwl-no-plp" */
	char text[400];
	char source[200]; /* where the rule or the number comes from */
};

struct notes {
	struct note *item;
	size_t count;
	bool no_memory; /* an addition failed; whoever finishes the list checks it once */
};

/* notes_add - append; the text is formatted and cut to fit. A code that is there already is not
 * added again (the first text stays). @source may be NULL: "". */
void notes_add(struct notes *n, const char *code, const char *source, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool notes_has(const struct notes *n, const char *code);
void notes_done(struct notes *n);

#endif
