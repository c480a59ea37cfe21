/* refdrive.c - finding a device's model among the reference drives. */
#include "data/refdrive.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "data/resource.h"

#define WORDS_MAX 16
#define WORD_LEN 32
#define MODEL_MAX 128
#define WHOLE 1000      /* score of a whole match, before its characters */
#define CUT_LEAST 6     /* characters of a pattern that a cut string must hold */

struct words {
	char word[WORDS_MAX][WORD_LEN];
	size_t count;
	char maker[WORD_LEN]; /* "": none named */
};

static bool is_one_of(const char *const *list, const char *s)
{
	for (; *list; list++)
		if (strcmp(*list, s) == 0)
			return true;
	return false;
}

static bool is_maker(const char *s)
{
	static const char *const makers[] = { "ADATA", "APACER", "CRUCIAL", "HGST", "INTEL",
		"KINGSTON", "LENOVO", "LEXAR", "LITEON", "MICRON", "NETLIST", "PLEXTOR", "PLIANT",
		"SAMSUNG", "SANDISK", "SEAGATE", "SKHYNIX", "TEAM", "TOSHIBA", "TRANSCEND", "WD",
		"FUSIONIO", "KIOXIA", "SOLIDIGM", NULL };

	return is_one_of(makers, s);
}

static void add_word(struct words *w, char *s)
{
	/* said of any drive, and said or not at the maker's whim */
	static const char *const filler[] = { "ATA", "SSD", "SERIES", "NVME", "DC", "D3", "INC",
		"CORP", "SCSI", NULL };

	if (strcmp(s, "WDC") == 0)
		s[2] = '\0';
	if (is_maker(s))
		strcpy(w->maker, s); /* both are WORD_LEN */
	else if (!is_one_of(filler, s) && w->count < WORDS_MAX)
		strcpy(w->word[w->count++], s);
}

static void split(const char *s, struct words *ret)
{
	char word[WORD_LEN];
	size_t n = 0;

	*ret = (struct words){ .count = 0 };
	for (;; s++) {
		if (isalnum((unsigned char)*s) && n + 1 < sizeof(word)) {
			word[n++] = (char)toupper((unsigned char)*s);
			continue;
		}
		word[n] = '\0';
		if (n)
			add_word(ret, word);
		n = 0;
		if (!*s)
			return;
	}
}

/* SCSI shows 16 characters of a SATA drive's model, a space at the end is not kept. */
static bool may_be_cut(const char *model)
{
	return strlen(model) == 15 || strlen(model) == 16;
}

static bool is_telling(const char *s)
{
	return strcspn(s, "0123456789") < strlen(s);
}

/* Names like "750" mean something beside their maker's only. */
static bool makers_agree(const struct words *a, const struct words *b)
{
	if (*a->maker && *b->maker)
		return strcmp(a->maker, b->maker) == 0;
	for (size_t i = 0; i < a->count; i++)
		if (strlen(a->word[i]) >= 5 && is_telling(a->word[i]))
			return true;
	return !*a->maker && !*b->maker;
}

static bool other_model_follows(const struct words *w, size_t from)
{
	static const char *const qualifiers[] = { "ECO", "EVO", "II", "LITE", "MAX", "PLUS", "PRO",
		"QVO", "ULTRA", "DCT", NULL };

	for (; from < w->count; from++)
		if (is_one_of(qualifiers, w->word[from]))
			return true;
	return false;
}

static unsigned match_words(const char *match, const char *model)
{
	struct words want, have;
	unsigned best = 0;

	split(match, &want);
	split(model, &have);
	if (!want.count || !makers_agree(&want, &have))
		return 0;
	for (size_t at = 0; at < have.count; at++) {
		size_t n = 0, chars = 0;

		while (n < want.count && at + n < have.count &&
			strcmp(want.word[n], have.word[at + n]) == 0)
			chars += strlen(want.word[n++]);
		if (n == want.count && !other_model_follows(&have, at + n))
			return WHOLE + (unsigned)chars;
		if (n && at + n == have.count && may_be_cut(model) && is_telling(want.word[n - 1]))
			best = (unsigned)chars;
	}
	return best;
}

static void upper(char *ret, size_t len, const char *s)
{
	size_t n = 0;

	for (; s[n] && n + 1 < len; n++)
		ret[n] = (char)toupper((unsigned char)s[n]);
	ret[n] = '\0';
}

/* The first literal part of the pattern, whole or as the cut string's last characters. */
static unsigned match_cut(const char *pattern, const char *model)
{
	char part[WORD_LEN];
	size_t len = strcspn(pattern + 1, "*");

	if (*pattern != '*' || len >= sizeof(part))
		return 0;
	memcpy(part, pattern + 1, len);
	part[len] = '\0';
	if (strstr(model, part))
		return (unsigned)len;
	for (size_t n = len - 1; n >= CUT_LEAST && n < len; n--)
		if (strlen(model) >= n && strncmp(model + strlen(model) - n, part, n) == 0)
			return (unsigned)n;
	return 0;
}

unsigned refdrive_match(const char *match, const char *model)
{
	char pattern[MODEL_MAX], text[MODEL_MAX];

	if (!strchr(match, '*'))
		return match_words(match, model);
	upper(pattern, sizeof(pattern), match);
	upper(text, sizeof(text), model);
	if (fnmatch(pattern, text, 0) == 0)
		return WHOLE + (unsigned)strlen(pattern);
	return may_be_cut(model) ? match_cut(pattern, text) : 0;
}

/* -- the files --------------------------------------------------------------------------------- */

static const char *word_of(const struct json *doc, const char *key, const char *otherwise)
{
	const char *s = json_str(json_get(doc, key));

	return s ? s : otherwise;
}

static struct refdrive *make(struct json *doc)
{
	struct refdrive *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	*d = (struct refdrive){
		.name = word_of(doc, "name", "unnamed"),
		.interface = word_of(doc, "interface", "unknown"),
		.class_word = word_of(doc, "class", "unknown"),
		.plp = word_of(doc, "plp", "unknown"),
		.source = word_of(doc, "classification_source", "unknown"),
		.figures = json_get(doc, "figures"),
		.doc = doc,
	};
	return d;
}

static unsigned score(const struct json *doc, const char *model)
{
	const struct json *m = json_first(json_get(doc, "match"));
	unsigned best = 0;

	for (; m; m = json_next(m)) {
		unsigned n = json_str(m) ? refdrive_match(json_str(m), model) : 0;

		best = n > best ? n : best;
	}
	return best;
}

struct search {
	struct json *best;
	unsigned score;
	bool ambiguous; /* several, which say the same */
	bool open;      /* several, which do not */
};

/* Takes @doc. Cut strings are compared by class alone: a longer part is no better evidence. */
static void consider(struct search *s, struct json *doc, const char *model)
{
	unsigned n = score(doc, model);

	if (n == 0 || (s->score >= WHOLE && n < s->score)) {
		json_free(doc);
		return;
	}
	if (s->best && (n < WHOLE || n == s->score)) {
		bool same = strcmp(word_of(s->best, "class", ""), word_of(doc, "class", "")) == 0 &&
			strcmp(word_of(s->best, "plp", ""), word_of(doc, "plp", "")) == 0;

		s->ambiguous = true;
		s->open = s->open || !same;
		json_free(doc);
		return;
	}
	json_free(s->best);
	*s = (struct search){ .best = doc, .score = n };
}

int refdrive_find(const char *model, struct refdrive **ret, struct err *reterr)
{
	struct search s = { .best = NULL };
	char **names;
	int r;

	*ret = NULL;
	if (!model || !*model)
		return 0;
	r = resource_names("drives", &names, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; names[i] && r == 0; i++) {
		struct json *doc = NULL;

		r = resource_load("drives", names[i], &doc, NULL, reterr);
		if (r == 0)
			consider(&s, doc, model);
	}
	resource_names_free(names);
	if (r < 0 || s.open || !s.best) {
		json_free(s.best);
		return r;
	}
	*ret = make(s.best);
	if (!*ret) {
		json_free(s.best);
		return err_nomem(reterr);
	}
	(*ret)->ambiguous = s.ambiguous;
	return 0;
}

void refdrive_free(struct refdrive *d)
{
	if (!d)
		return;
	json_free(d->doc);
	free(d);
}
