/* schema_check.h - what schema.c (the walk) and schema_keywords.c (the rules) share. */
#ifndef SSDQUAL_DATA_SCHEMA_CHECK_H
#define SSDQUAL_DATA_SCHEMA_CHECK_H

#include "data/schema.h"

#include <regex.h>

/* Where the value stands: a chain of frames on the C stack, from the root to the value. */
struct place {
	const struct place *up;
	const char *key; /* member; NULL: element number @index */
	size_t index;
};

/* What a rule of the schema was found to be: a document asks of the same few rules thousands of
 * times. Direct-mapped; a collision only looks again. */
#define SCHEMA_MEMO 512
struct memo {
	const struct json *rule;
	const void *found;
	unsigned types; /* of a "type": a bit for each enum json_type, and INTEGER_TYPE */
};

/* A "pattern", compiled when it is first met. */
#define SCHEMA_PATTERNS 16 /* kept; others are compiled each time */
struct pattern {
	const struct json *rule;
	regex_t re;
};

struct checker {
	const struct json *root;
	struct complaints *out; /* NULL: only whether it passes matters */
	struct err *err;
	int failed; /* -errno: the schema or the memory, not the document */
	struct memo keyword[SCHEMA_MEMO]; /* struct keyword, NULL: none */
	struct memo ref[SCHEMA_MEMO];     /* struct json that a $ref leads to */
	struct pattern pattern[SCHEMA_PATTERNS];
	size_t pattern_count;
	struct memo type[SCHEMA_MEMO];    /* the types that are allowed */
};

/* schema_memo - the place of @rule in @memo; its .rule is another one's where it was not found yet. */
struct memo *schema_memo(struct memo *memo, const struct json *rule);

/* schema_value_passes - whether @value passes @schema; complaints go to c->out. @refs: how many
 * $ref were followed since the last step into the value. */
bool schema_value_passes(struct checker *c, const struct json *schema, const struct json *value,
	const struct place *at, unsigned refs);

/* A rule: whether @value passes @rule, which stands in @schema. */
struct keyword {
	const char *name;
	bool (*check)(struct checker *c, const struct json *schema, const struct json *rule,
		const struct json *value, const struct place *at, unsigned refs); /* NULL: no rule */
};

/* schema_keyword - the rule of this name; NULL: not one of ours. */
const struct keyword *schema_keyword(const char *name);

/* schema_complain - one complaint at @at. Always false, so that a check can end with it. */
bool schema_complain(struct checker *c, const struct place *at, const char *what,
	const char *detail);

/* schema_bad - the schema itself is at fault. Always true, so that no complaint about the document
 * follows. */
bool schema_bad(struct checker *c, const char *what, const char *detail);

#endif
