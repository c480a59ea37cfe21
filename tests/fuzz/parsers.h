/* parsers.h - the parsers that tests/fuzz/mutate.c feeds with damaged input.
 *
 * To add one: a function and a row in parsers.c, and its seeds: files that it accepts (of
 * tests/fixtures, tests/cases or tests/measured, else in tests/fuzz/seeds).
 */
#ifndef SSDQUAL_TESTS_FUZZ_PARSERS_H
#define SSDQUAL_TESTS_FUZZ_PARSERS_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_SEEDS_MAX 16

struct fuzz_parser {
	const char *name; /* [a-z][a-z0-9-]* */
	/* Parse @text of @len bytes (a heap copy of exactly that size, so that a byte too far is seen),
	 * free what came of it, and return whether it was accepted. @scratch: a folder to write in. */
	int (*run)(const char *text, size_t len, const char *scratch);
	const char *seeds[FUZZ_SEEDS_MAX]; /* from the repository root; a pattern of glob(7) each */
};

extern const struct fuzz_parser fuzz_parsers[]; /* ends with .name NULL */

#endif
