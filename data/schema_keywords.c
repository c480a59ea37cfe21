/* schema_keywords.c - the rules of JSON Schema that data/schema uses, one function each. */
#include "data/schema_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json_tree.h"

#define REF_DEPTH_MAX 64 /* $ref inside $ref without a step into the value: a loop */

/* -- complaints ----------------------------------------------------------------------------- */

#define POINTER_MAX 512

static void write_pointer(const struct place *at, char *buf, size_t *used)
{
	char number[24];
	const char *s;

	if (!at)
		return;
	write_pointer(at->up, buf, used);
	(void)snprintf(number, sizeof(number), "%zu", at->index); /* 20 digits fit */
	if (*used + 1 < POINTER_MAX)
		buf[(*used)++] = '/';
	for (s = at->key ? at->key : number; *s && *used + 2 < POINTER_MAX; s++) {
		if (*s == '~' || *s == '/') {
			buf[(*used)++] = '~';
			buf[(*used)++] = *s == '~' ? '0' : '1';
		} else {
			buf[(*used)++] = *s;
		}
	}
}

/* One complaint at @at. Always false, so that a check can end with it. */
static bool complain(struct checker *c, const struct place *at, const char *what,
	const char *detail)
{
	char pointer[POINTER_MAX];
	size_t used = 0;

	if (!c->out)
		return false;
	write_pointer(at, pointer, &used);
	pointer[used] = '\0';
	complaints_add(c->out, "%s: %s%s", used ? pointer : "the document", what, detail);
	return false;
}

/* -- values --------------------------------------------------------------------------------- */

static bool equal(const struct json *a, const struct json *b)
{
	double x, y;
	bool p, q;

	if (json_type(a) != json_type(b) || json_len(a) != json_len(b))
		return false;
	switch (json_type(a)) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return json_bool(a, &p) && json_bool(b, &q) && p == q;
	case JSON_NUMBER:
		return json_f64(a, &x) && json_f64(b, &y) && x == y;
	case JSON_STRING:
		return strcmp(json_str(a), json_str(b)) == 0;
	case JSON_ARRAY:
		for (a = json_first(a), b = json_first(b); a; a = json_next(a), b = json_next(b)) {
			if (!equal(a, b))
				return false;
		}
		return true;
	case JSON_OBJECT:
		for (const struct json *m = json_first(a); m; m = json_next(m)) {
			const struct json *other = json_get(b, json_key(m));

			if (!other || !equal(m, other))
				return false;
		}
		return true;
	}
	return false;
}

static void describe(const struct json *rule, char *buf, size_t len)
{
	char *text = json_print(rule, false);

	(void)snprintf(buf, len, "%s", text ? text : "?"); /* a cut list still helps */
	free(text);
}

/* -- keywords: each returns whether @value passes @rule ------------------------------------------ */

#define KEYWORD(name)                                                                              \
	static bool kw_##name(struct checker *c __attribute__((unused)),                           \
		const struct form *form __attribute__((unused)),                                   \
		const struct rule *rule __attribute__((unused)),                                   \
		const struct json *value __attribute__((unused)),                                  \
		const struct place *at __attribute__((unused)),                                    \
		unsigned refs __attribute__((unused)))

KEYWORD(forbidden)
{
	return complain(c, at, "is not allowed here", "");
}

KEYWORD(type)
{
	char text[96];

	if (json_is(value, rule->types & NODE_TYPE))
		return true;
	if ((rule->types & SCHEMA_INTEGER) && json_is(value, NODE_NUMBER) &&
		value->valuedouble == floor(value->valuedouble))
		return true;
	if (!c->out)
		return false;
	if (json_str(rule->json))
		return complain(c, at, "must be of type ", json_str(rule->json));
	describe(rule->json, text, sizeof(text));
	return complain(c, at, "must be of a type of ", text);
}

KEYWORD(enum)
{
	char text[256];

	for (const struct json *e = json_first(rule->json); e; e = e->next) {
		if (equal(e, value))
			return true;
	}
	describe(rule->json, text, sizeof(text));
	return complain(c, at, "must be one of ", text);
}

KEYWORD(const)
{
	char text[96];

	if (equal(rule->json, value))
		return true;
	describe(rule->json, text, sizeof(text));
	return complain(c, at, "must be ", text);
}

static bool in_bound(struct checker *c, const struct rule *rule, const struct json *value,
	const struct place *at, int sign, bool open)
{
	char text[64];

	if (!json_is(value, NODE_NUMBER) || (value->valuedouble - rule->limit) * sign > 0.0 ||
		(!open && value->valuedouble == rule->limit))
		return true;
	describe(rule->json, text, sizeof(text));
	if (sign > 0)
		return complain(c, at, open ? "must be above " : "must not be below ", text);
	return complain(c, at, open ? "must be below " : "must not be above ", text);
}

KEYWORD(minimum)
{
	return in_bound(c, rule, value, at, 1, false);
}

KEYWORD(maximum)
{
	return in_bound(c, rule, value, at, -1, false);
}

KEYWORD(exclusiveMinimum)
{
	return in_bound(c, rule, value, at, 1, true);
}

KEYWORD(exclusiveMaximum)
{
	return in_bound(c, rule, value, at, -1, true);
}

KEYWORD(minLength)
{
	const char *s = json_str(value);
	size_t characters = 0;
	char text[32];

	if (!s)
		return true;
	for (; *s; s++)
		characters += ((unsigned char)*s & 0xc0) != 0x80;
	if (characters >= rule->size)
		return true;
	describe(rule->json, text, sizeof(text));
	return complain(c, at, "must have at least this many characters: ", text);
}

KEYWORD(pattern)
{
	if (!json_is(value, NODE_STRING) ||
		regexec(rule->pattern, value->valuestring, 0, NULL, 0) == 0)
		return true;
	return complain(c, at, "must match ", json_str(rule->json));
}

/* The member @key of the object @value, looked for behind *last first: documents have their keys in
 * the order of the schema, mostly. */
static const struct json *member_after(const struct json *value, const char *key,
	const struct json **last)
{
	const struct json *start = *last && (*last)->next ? (*last)->next : value->child;

	for (const struct json *m = start; m; m = m->next) {
		if (json_is_key(m->string, key))
			return *last = m;
	}
	for (const struct json *m = value->child; m != start; m = m->next) {
		if (json_is_key(m->string, key))
			return *last = m;
	}
	return NULL;
}

KEYWORD(required)
{
	const struct json *last = NULL;
	bool ok = true;

	if (!json_is(value, NODE_OBJECT))
		return true;
	for (const struct json *k = json_first(rule->json); k; k = k->next) {
		if (!member_after(value, k->valuestring, &last))
			ok = complain(c, at, "lacks the key ", k->valuestring);
	}
	return ok;
}

KEYWORD(properties)
{
	const struct json *last = NULL;
	bool ok = true;
	size_t i = 0;

	if (!json_is(value, NODE_OBJECT))
		return true;
	for (const struct json *p = json_first(rule->json); p; p = p->next, i++) {
		const struct json *member = member_after(value, p->string, &last);
		struct place below = { .up = at, .key = p->string };

		if (member && !schema_value_passes(c, rule->forms[i], member, &below, 0))
			ok = false;
	}
	return ok;
}

KEYWORD(additionalProperties)
{
	const struct json *named = json_get(form->json, "properties");
	bool ok = true;

	if (!json_is(value, NODE_OBJECT))
		return true;
	for (const struct json *m = value->child; m; m = m->next) {
		struct place below = { .up = at, .key = m->string };

		if (!json_get(named, m->string) && !schema_value_passes(c, rule->form, m, &below, 0))
			ok = false;
	}
	return ok;
}

KEYWORD(prefixItems)
{
	size_t i = 0;
	bool ok = true;

	if (!json_is(value, NODE_ARRAY))
		return true;
	for (const struct json *e = value->child; e && i < rule->count; e = e->next, i++) {
		struct place below = { .up = at, .index = i };

		if (!schema_value_passes(c, rule->forms[i], e, &below, 0))
			ok = false;
	}
	return ok;
}

KEYWORD(items)
{
	size_t skip, i = 0;
	bool ok = true;

	if (!json_is(value, NODE_ARRAY))
		return true;
	skip = json_len(json_get(form->json, "prefixItems"));
	for (const struct json *e = value->child; e; e = e->next, i++) {
		struct place below = { .up = at, .index = i };

		if (i >= skip && !schema_value_passes(c, rule->form, e, &below, 0))
			ok = false;
	}
	return ok;
}

static bool length_in_bound(struct checker *c, const struct rule *rule, const struct json *value,
	const struct place *at, bool lower)
{
	char text[32];
	size_t len;

	if (!json_is(value, NODE_ARRAY))
		return true;
	len = json_len(value);
	if (lower ? len >= rule->size : len <= rule->size)
		return true;
	describe(rule->json, text, sizeof(text));
	return complain(c, at, lower ? "has fewer elements than " : "has more elements than ", text);
}

KEYWORD(minItems)
{
	return length_in_bound(c, rule, value, at, true);
}

KEYWORD(maxItems)
{
	return length_in_bound(c, rule, value, at, false);
}

/* Whether @value passes @form, without complaints. */
static bool passes(struct checker *c, const struct form *form, const struct json *value,
	const struct place *at, unsigned refs)
{
	struct complaints *out = c->out;
	bool ok;

	c->out = NULL;
	ok = schema_value_passes(c, form, value, at, refs);
	c->out = out;
	return ok;
}

KEYWORD(anyOf)
{
	for (size_t i = 0; i < rule->count; i++) {
		if (passes(c, rule->forms[i], value, at, refs))
			return true;
	}
	return complain(c, at, "is none of the forms that are allowed here", "");
}

KEYWORD(oneOf)
{
	size_t n = 0;

	for (size_t i = 0; i < rule->count; i++)
		n += passes(c, rule->forms[i], value, at, refs);
	return n == 1 || complain(c, at, "must be exactly one of the forms that are allowed here", "");
}

KEYWORD(allOf)
{
	bool ok = true;

	for (size_t i = 0; i < rule->count; i++) {
		if (!schema_value_passes(c, rule->forms[i], value, at, refs))
			ok = false;
	}
	return ok;
}

KEYWORD(if)
{
	const struct rule *branch =
		schema_rule(form, passes(c, rule->form, value, at, refs) ? "then" : "else");

	return !branch || schema_value_passes(c, branch->form, value, at, refs);
}

KEYWORD(ref)
{
	if (c->failed || refs == REF_DEPTH_MAX)
		return schema_bad(c, "$ref leads in a circle", json_str(rule->json));
	return schema_value_passes(c, rule->form, value, at, refs + 1);
}

/* Sorted by name (strcmp). */
static const struct keyword keywords[] = {
	{ SCHEMA_FORBID, OPERAND_NONE, kw_forbidden },
	{ "$comment", OPERAND_NONE, NULL },
	{ "$defs", OPERAND_FORMS, NULL },
	{ "$id", OPERAND_NONE, NULL },
	{ "$ref", OPERAND_REF, kw_ref },
	{ "$schema", OPERAND_NONE, NULL },
	{ "additionalProperties", OPERAND_FORM, kw_additionalProperties },
	{ "allOf", OPERAND_FORMS, kw_allOf },
	{ "anyOf", OPERAND_FORMS, kw_anyOf },
	{ "const", OPERAND_VALUE, kw_const },
	{ "description", OPERAND_NONE, NULL },
	{ "else", OPERAND_FORM, NULL }, /* read by "if" */
	{ "enum", OPERAND_VALUE, kw_enum },
	{ "exclusiveMaximum", OPERAND_LIMIT, kw_exclusiveMaximum },
	{ "exclusiveMinimum", OPERAND_LIMIT, kw_exclusiveMinimum },
	{ "if", OPERAND_FORM, kw_if },
	{ "items", OPERAND_FORM, kw_items },
	{ "maxItems", OPERAND_SIZE, kw_maxItems },
	{ "maximum", OPERAND_LIMIT, kw_maximum },
	{ "minItems", OPERAND_SIZE, kw_minItems },
	{ "minLength", OPERAND_SIZE, kw_minLength },
	{ "minimum", OPERAND_LIMIT, kw_minimum },
	{ "oneOf", OPERAND_FORMS, kw_oneOf },
	{ "pattern", OPERAND_PATTERN, kw_pattern },
	{ "prefixItems", OPERAND_FORMS, kw_prefixItems },
	{ "properties", OPERAND_FORMS, kw_properties },
	{ "required", OPERAND_NAMES, kw_required },
	{ "then", OPERAND_FORM, NULL }, /* read by "if" */
	{ "title", OPERAND_NONE, NULL },
	{ "type", OPERAND_TYPES, kw_type },
};

static int compare_keyword(const void *name, const void *keyword)
{
	return strcmp(name, ((const struct keyword *)keyword)->name);
}

const struct keyword *schema_keyword(const char *name)
{
	return bsearch(name, keywords, sizeof(keywords) / sizeof(keywords[0]), sizeof(keywords[0]),
		compare_keyword);
}
