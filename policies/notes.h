/* notes.h - a growing list of {code, text, source}: warnings, reasons, assumptions, blockers. */
#ifndef SSDQUAL_POLICIES_NOTES_H
#define SSDQUAL_POLICIES_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* How much it matters; the word is what scripts compare. */
enum severity { SEVERITY_WARNING, SEVERITY_INFO, SEVERITY_ERROR, SEVERITY_CRITICAL };
const char *severity_word(enum severity s); /* "warning" "info" "error" "critical" */

struct note {
	char code[40];    /* a word that scripts may compare: "pwl-no-plp" */
	char text[480];
	char source[200]; /* where the rule or the number comes from */
	enum severity severity; /* SEVERITY_WARNING where nothing else is said */
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
/* notes_add_as - the same, with a severity. */
void notes_add_as(struct notes *n, enum severity severity, const char *code, const char *source,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* notes_copy - append those of @from whose codes @n does not hold. */
void notes_copy(struct notes *n, const struct notes *from);
/* notes_sort - the worst first; within a severity the order stays. */
void notes_sort(struct notes *n);
bool notes_has(const struct notes *n, const char *code);
void notes_done(struct notes *n);

#endif
