/* accuracy_name.c - what the name of a measured file says: candidate, sizes, pauses, bursts.
 *
 * Words between hyphens, in any order:
 *   none writethrough writeback writearound pwl-ssd   the candidate (required; last one counts)
 *   pair<S>          bytes of each write              think<us>    pause after each flush
 *   s<MiB> m<MiB> t<MiB>  cache size, max_dirty, target_dirty
 *   writes<N>, n<N>  writes before each flush         qd<N>        depth (fio says it itself)
 *   burst<N>         pairs (or fio: operations) at a stretch, then
 *   pause<T>, gap<T> a pause: "2s", "50ms", or microseconds without a unit
 *   snapshot         the image has one                no, lock     "no-lock": no exclusive lock
 *   exclusive, lock, handles, images, rep<N>, run<N>, r<N>, a number: told apart elsewhere, or
 *                    repetitions of one cell
 */
#include "tests/bench/accuracy.h"

#include "data/units.h"

#include <stdlib.h>
#include <string.h>

/* number - of "<word><digits>[unit]" with this word; -1: another word. */
static bool tail_of(const char *token, const char *word, const char **ret)
{
	size_t n = strlen(word);

	if (strncmp(token, word, n) != 0 || token[n] < '0' || token[n] > '9')
		return false;
	*ret = token + n;
	return true;
}

static bool count_of(const char *token, const char *word, uint64_t *ret)
{
	const char *tail;

	return tail_of(token, word, &tail) && units_parse_u64(tail, ret) == 0;
}

static bool time_of(const char *token, const char *word, uint64_t *ret)
{
	const char *tail;
	uint64_t us;

	if (!tail_of(token, word, &tail))
		return false;
	if (units_parse_u64(tail, &us) == 0) {
		*ret = us * 1000;
		return true;
	}
	return units_parse_duration_ns(tail, ret) == 0;
}

static const struct {
	const char *word;
	enum cache_mode mode;
} candidates[] = {
	{ "none", CACHE_NONE }, { "writethrough", CACHE_WRITETHROUGH },
	{ "writeback", CACHE_WRITEBACK }, { "writearound", CACHE_WRITEAROUND },
	{ "pwl", CACHE_PWL_SSD }, { "rwl", CACHE_PWL_RWL },
};

static bool sizes_word(struct cell *c, const char *t)
{
	static const char *const word[] = { "s", "m", "t" };
	double *at[] = { &c->set.size_bytes, &c->set.max_dirty_bytes, &c->set.target_dirty_bytes };
	uint64_t v;

	for (unsigned i = 0; i < 3; i++)
		if (count_of(t, word[i], &v)) {
			*at[i] = (double)(v << 20);
			return true;
		}
	return false;
}

static bool load_word(struct cell *c, const char *t)
{
	uint64_t v;

	if (count_of(t, "pair", &v)) {
		c->bytes = (uint32_t)v;
		return true;
	}
	if (count_of(t, "writes", &v) || count_of(t, "n", &v)) {
		c->writes_per_flush = (unsigned)v;
		return true;
	}
	return time_of(t, "think", &c->think_ns) || count_of(t, "burst", &c->burst_ops) ||
		time_of(t, "pause", &c->burst_gap_ns) || time_of(t, "gap", &c->burst_gap_ns);
}

static bool other_word(struct cell *c, const char *t)
{
	static const char *const passed[] = { "ssd", "exclusive", "lock", "long", "cluster",
		"nosnap", "slow", "hot", "mixed", "1image", "first", "second" };
	uint64_t v;

	if (strcmp(t, "snapshot") == 0) {
		c->snapshots = 1;
		return true;
	}
	if (strcmp(t, "no") == 0) {
		c->no_lock = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (strcmp(t, passed[i]) == 0)
			return true;
	return count_of(t, "rep", &v) || count_of(t, "run", &v) || count_of(t, "r", &v) ||
		count_of(t, "qd", &v) || units_parse_u64(t, &v) == 0;
}

static void append(char *to, const char *word)
{
	size_t n = strlen(to);

	if (n + strlen(word) + 2 < CELL_NAME_MAX) {
		if (n)
			to[n++] = '-';
		strcpy(to + n, word);
	}
}

bool name_read(struct cell *c)
{
	char copy[CELL_NAME_MAX], *save = NULL;
	bool candidate = false, understood = true;
	uint64_t v;

	strcpy(copy, c->name);
	c->workload[0] = '\0';
	for (char *t = strtok_r(copy, "-", &save); t; t = strtok_r(NULL, "-", &save)) {
		bool is_candidate = false;

		for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
			if (strcmp(t, candidates[i].word) == 0) {
				c->set.mode = c->set.under = candidates[i].mode;
				candidate = is_candidate = true;
			}
		if (is_candidate || sizes_word(c, t) || strcmp(t, "ssd") == 0 ||
			count_of(t, "rep", &v) || count_of(t, "run", &v))
			continue;
		append(c->workload, t);
		if (!load_word(c, t) && !other_word(c, t) && c->kind == CELL_PAIR)
			understood = false; /* fio's files say the rest themselves */
	}
	return candidate && understood;
}
