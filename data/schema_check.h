/* schema_check.h - what schema.c (making it ready, the walk) and schema_keywords.c (the rules)
 * share. */
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

/* What the value of a keyword must be. */
enum operand {
	OPERAND_NONE,    /* nothing is checked by it, and anything may stand there */
	OPERAND_VALUE,   /* any value, or a list of them */
	OPERAND_TYPES,   /* a type's name or a list of them */
	OPERAND_LIMIT,   /* a number */
	OPERAND_SIZE,    /* a whole number */
	OPERAND_PATTERN, /* a regular expression */
	OPERAND_NAMES,   /* a list of strings */
	OPERAND_FORM,    /* a schema */
	OPERAND_FORMS,   /* a list of schemas, or an object of them */
	OPERAND_REF,     /* the address of a schema */
};

/* A keyword of a schema, made ready. */
struct rule {
	const struct keyword *keyword;
	const struct json *json; /* its value */
	union {
		struct { /* the largest first, so that initializers zero all */
			struct form **forms; /* in the order of @json's members */
			size_t count;
		};
		int types; /* NODE_* of json_tree.h, and SCHEMA_INTEGER */
		double limit;
		uint64_t size;
		regex_t *pattern;
		struct form *form;
	};
};
#define SCHEMA_INTEGER (1 << 8) /* a number without a fraction */

/* A schema, made ready: an object of rules, true or false. */
struct form {
	const struct json *json;
	struct rule *rules;
	size_t count;
};

struct checker {
	struct complaints *out; /* NULL: only whether it passes matters */
	struct err *err;
	int failed; /* -errno: the schema or the memory, not the document */
};

/* schema_value_passes - whether @value passes @form; complaints go to c->out. @refs: how many
 * $ref were followed since the last step into the value. */
bool schema_value_passes(struct checker *c, const struct form *form, const struct json *value,
	const struct place *at, unsigned refs);

/* schema_rule - the rule of @form named @name; NULL: it has none. */
const struct rule *schema_rule(const struct form *form, const char *name);

struct keyword {
	const char *name;
	enum operand operand;
	/* Whether @value passes @rule, which stands in @form. NULL: it is read by another one. */
	bool (*check)(struct checker *c, const struct form *form, const struct rule *rule,
		const struct json *value, const struct place *at, unsigned refs);
};

/* schema_keyword - the keyword of this name; NULL: not one of ours. */
const struct keyword *schema_keyword(const char *name);
#define SCHEMA_FORBID "" /* the keyword, ours alone, that the schema false is made of */

/* schema_bad - the schema itself is at fault. Always true, so that no complaint about the document
 * follows. */
bool schema_bad(struct checker *c, const char *what, const char *detail);

#endif
