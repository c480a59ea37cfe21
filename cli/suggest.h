/* suggest.h - the word somebody probably meant: near misses of commands and options. */
#ifndef SSDQUAL_CLI_SUGGEST_H
#define SSDQUAL_CLI_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* best candidate so far, borrowed; NULL: none is near */
	size_t distance;
};
#define SUGGESTION_INIT { .word = NULL }

/* suggest_consider - keep @candidate when it is nearer to @typed than what @s holds. Near: typed is
 * its beginning (2 characters or more), or at most a third of its length (at least one) was
 * mistyped, where a swapped pair counts once. */
void suggest_consider(struct suggestion *s, const char *typed, const char *candidate);

#endif
