/* schema.c - walks schema and document together, and the schema alone before. */
#include "data/schema.h"

#include <errno.h>

#include "data/schema_check.h"

struct memo *schema_memo(struct memo *memo, const struct json *rule)
{
	/* nodes are some 64 bytes apart */
	return &memo[((uintptr_t)rule >> 4) * 2654435761u >> 7 & (SCHEMA_MEMO - 1)];
}

static const struct keyword *keyword_of(struct checker *c, const struct json *rule)
{
	struct memo *m = schema_memo(c->keyword, rule);

	if (m->rule != rule)
		*m = (struct memo){ .rule = rule, .found = schema_keyword(json_key(rule)) };
	return m->found;
}

bool schema_value_passes(struct checker *c, const struct json *schema, const struct json *value,
	const struct place *at, unsigned refs)
{
	bool allowed, ok = true;

	if (json_bool(schema, &allowed))
		return allowed || schema_complain(c, at, "is not allowed here", "");
	for (const struct json *rule = json_first(schema); rule; rule = json_next(rule)) {
		const struct keyword *k = keyword_of(c, rule);

		if (c->failed)
			return true;
		if (k && k->check && !k->check(c, schema, rule, value, at, refs))
			ok = false;
	}
	return ok;
}

/* -- the schema itself ------------------------------------------------------------------------- */

static void verify(struct checker *c, const struct json *schema);

static void verify_each(struct checker *c, const struct json *list)
{
	for (const struct json *s = json_first(list); s; s = json_next(s))
		verify(c, s);
}

/* Every part of the schema, also what this document would never reach. */
static void verify(struct checker *c, const struct json *schema)
{
	static const char *const inside[] = { "additionalProperties", "items", "if", "then", "else" };
	static const char *const below[] = { "$defs", "properties", "prefixItems", "anyOf", "oneOf",
		"allOf" };

	if (json_type(schema) == JSON_BOOL)
		return;
	if (json_type(schema) != JSON_OBJECT) {
		(void)schema_bad(c, "a rule", "is neither an object nor true or false");
		return;
	}
	for (const struct json *rule = json_first(schema); rule; rule = json_next(rule)) {
		if (!schema_keyword(json_key(rule)))
			(void)schema_bad(c, "unknown keyword", json_key(rule));
	}
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		if (json_get(schema, inside[i]))
			verify(c, json_get(schema, inside[i]));
	}
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		verify_each(c, json_get(schema, below[i]));
}

int schema_check(const struct json *schema, const struct json *doc, struct complaints *ret,
	struct err *reterr)
{
	struct checker c = { .root = schema, .out = ret, .err = reterr };

	verify(&c, schema);
	if (!c.failed)
		(void)schema_value_passes(&c, schema, doc, NULL, 0); /* what it found is in @ret */
	for (size_t i = 0; i < c.pattern_count; i++)
		regfree(&c.pattern[i].re);
	if (c.failed)
		return c.failed;
	return ret->nomem ? err_nomem(reterr) : 0;
}
