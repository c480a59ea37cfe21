/* suggest.c - near misses by edit distance. */
#include "cli/suggest.h"

#include <string.h>

#define WORD_MAX 48 /* longer words are nobody's near miss */

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: inserted, lost, wrong and swapped characters cost one each. */
static size_t edit_distance(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t row[3][WORD_MAX + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= blen; j++)
		last[j] = j;
	for (size_t i = 1; i <= alen; i++) {
		size_t *reuse = before;

		now[0] = i;
		for (size_t j = 1; j <= blen; j++) {
			size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = min_of(best, min_of(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = min_of(best, before[j - 2] + 1);
			now[j] = best;
		}
		before = last;
		last = now;
		now = reuse;
	}
	return last[blen];
}

void suggest_consider(struct suggestion *s, const char *typed, const char *candidate)
{
	size_t tlen = strlen(typed), clen = strlen(candidate);
	size_t distance, limit;

	if (tlen == 0 || tlen > WORD_MAX || clen > WORD_MAX)
		return;
	limit = clen < 6 ? 1 : clen / 3;
	distance = edit_distance(typed, tlen, candidate, clen);
	if (tlen >= 2 && strncmp(typed, candidate, tlen) == 0)
		distance = 1;
	if (distance > limit || (s->word && distance >= s->distance))
		return;
	s->word = candidate;
	s->distance = distance;
}
