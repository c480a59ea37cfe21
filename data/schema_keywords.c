/* schema_keywords.c - the rules of JSON Schema that data/schema uses, one function each. */
#include "data/schema_check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool schema_complain(struct checker *c, const struct place *at, const char *what,
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

bool schema_bad(struct checker *c, const char *what, const char *detail)
{
	if (!c->failed)
		c->failed = err_set(c->err, ERR_INTERNAL, -EINVAL, "schema: %s: %s", what, detail);
	return true;
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

#define INTEGER_TYPE (1u << 31) /* a number without a fraction */

static unsigned type_bit(const char *name)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
		[JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object",
	};

	for (unsigned i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return 1u << i;
	}
	return name && strcmp(name, "integer") == 0 ? INTEGER_TYPE : 0;
}

/* One name or a list of them. */
static unsigned types_of(const struct json *rule)
{
	unsigned types = type_bit(json_str(rule));

	for (const struct json *t = json_first(rule); t; t = json_next(t))
		types |= type_bit(json_str(t));
	return types;
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
		const struct json *schema __attribute__((unused)),                                 \
		const struct json *rule __attribute__((unused)),                                   \
		const struct json *value __attribute__((unused)),                                  \
		const struct place *at __attribute__((unused)),                                    \
		unsigned refs __attribute__((unused)))

KEYWORD(type)
{
	struct memo *m = schema_memo(c->type, rule);
	char text[96];
	double d;

	if (m->rule != rule)
		*m = (struct memo){ .rule = rule, .types = types_of(rule) };
	if (m->types & 1u << json_type(value))
		return true;
	if ((m->types & INTEGER_TYPE) && json_f64(value, &d) && d == floor(d))
		return true;
	if (json_str(rule))
		return schema_complain(c, at, "must be of type ", json_str(rule));
	describe(rule, text, sizeof(text));
	return schema_complain(c, at, "must be of a type of ", text);
}

KEYWORD(enum)
{
	char text[256];

	for (const struct json *e = json_first(rule); e; e = json_next(e)) {
		if (equal(e, value))
			return true;
	}
	describe(rule, text, sizeof(text));
	return schema_complain(c, at, "must be one of ", text);
}

KEYWORD(const)
{
	char text[96];

	if (equal(rule, value))
		return true;
	describe(rule, text, sizeof(text));
	return schema_complain(c, at, "must be ", text);
}

static bool in_bound(struct checker *c, const struct json *rule, const struct json *value,
	const struct place *at, int sign, bool open)
{
	double limit, v;
	char text[64];

	if (!json_f64(value, &v))
		return true;
	if (!json_f64(rule, &limit))
		return schema_bad(c, "a bound", "is no number");
	if ((v - limit) * sign > 0.0 || (!open && v == limit))
		return true;
	describe(rule, text, sizeof(text));
	if (sign > 0)
		return schema_complain(c, at, open ? "must be above " : "must not be below ", text);
	return schema_complain(c, at, open ? "must be below " : "must not be above ", text);
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
	uint64_t limit;
	size_t characters = 0;
	char text[32];

	if (!s)
		return true;
	if (!json_u64(rule, &limit))
		return schema_bad(c, "minLength", "is no number");
	for (; *s; s++)
		characters += ((unsigned char)*s & 0xc0) != 0x80;
	if (characters >= limit)
		return true;
	describe(rule, text, sizeof(text));
	return schema_complain(c, at, "must have at least this many characters: ", text);
}

/* Whether @s matches. False with *ret_wrong when @rule is no expression. */
static bool matches(struct checker *c, const struct json *rule, const char *s, bool *ret_wrong)
{
	struct pattern once = { .rule = NULL }, *p = NULL;
	bool found;

	for (size_t i = 0; i < c->pattern_count && !p; i++)
		p = c->pattern[i].rule == rule ? &c->pattern[i] : NULL;
	if (p)
		return regexec(&p->re, s, 0, NULL, 0) == 0;
	p = c->pattern_count < SCHEMA_PATTERNS ? &c->pattern[c->pattern_count] : &once;
	p->rule = rule;
	*ret_wrong = !json_str(rule) ||
		regcomp(&p->re, json_str(rule), REG_EXTENDED | REG_NOSUB) != 0;
	if (*ret_wrong)
		return false;
	found = regexec(&p->re, s, 0, NULL, 0) == 0;
	if (p == &once)
		regfree(&once.re);
	else
		c->pattern_count++; /* schema_check() frees it */
	return found;
}

KEYWORD(pattern)
{
	const char *s = json_str(value);
	bool wrong = false;

	if (!s || matches(c, rule, s, &wrong))
		return true;
	if (wrong)
		return schema_bad(c, "pattern", "is no POSIX extended regular expression");
	return schema_complain(c, at, "must match ", json_str(rule));
}

KEYWORD(required)
{
	bool ok = true;

	if (json_type(value) != JSON_OBJECT)
		return true;
	for (const struct json *k = json_first(rule); k; k = json_next(k)) {
		if (!json_str(k))
			return schema_bad(c, "required", "is no list of strings");
		if (!json_get(value, json_str(k)))
			ok = schema_complain(c, at, "lacks the key ", json_str(k));
	}
	return ok;
}

KEYWORD(properties)
{
	bool ok = true;

	if (json_type(value) != JSON_OBJECT)
		return true;
	for (const struct json *p = json_first(rule); p; p = json_next(p)) {
		const struct json *member = json_get(value, json_key(p));
		struct place below = { .up = at, .key = json_key(p) };

		if (member && !schema_value_passes(c, p, member, &below, 0))
			ok = false;
	}
	return ok;
}

KEYWORD(additionalProperties)
{
	const struct json *named = json_get(schema, "properties");
	bool ok = true;

	if (json_type(value) != JSON_OBJECT)
		return true;
	for (const struct json *m = json_first(value); m; m = json_next(m)) {
		struct place below = { .up = at, .key = json_key(m) };

		if (!json_get(named, json_key(m)) && !schema_value_passes(c, rule, m, &below, 0))
			ok = false;
	}
	return ok;
}

KEYWORD(prefixItems)
{
	const struct json *r = json_first(rule);
	bool ok = true;
	size_t i = 0;

	if (json_type(value) != JSON_ARRAY)
		return true;
	for (const struct json *e = json_first(value); e && r; e = json_next(e), r = json_next(r)) {
		struct place below = { .up = at, .index = i++ };

		if (!schema_value_passes(c, r, e, &below, 0))
			ok = false;
	}
	return ok;
}

KEYWORD(items)
{
	size_t skip = json_len(json_get(schema, "prefixItems")), i = 0;
	bool ok = true;

	if (json_type(value) != JSON_ARRAY)
		return true;
	for (const struct json *e = json_first(value); e; e = json_next(e)) {
		struct place below = { .up = at, .index = i++ };

		if (i > skip && !schema_value_passes(c, rule, e, &below, 0))
			ok = false;
	}
	return ok;
}

static bool length_in_bound(struct checker *c, const struct json *rule, const struct json *value,
	const struct place *at, bool lower)
{
	uint64_t limit;
	size_t n = json_len(value);
	char text[32];

	if (json_type(value) != JSON_ARRAY)
		return true;
	if (!json_u64(rule, &limit))
		return schema_bad(c, "minItems or maxItems", "is no number");
	if (lower ? n >= limit : n <= limit)
		return true;
	describe(rule, text, sizeof(text));
	return schema_complain(c, at, lower ? "has fewer elements than " : "has more elements than ", text);
}

KEYWORD(minItems)
{
	return length_in_bound(c, rule, value, at, true);
}

KEYWORD(maxItems)
{
	return length_in_bound(c, rule, value, at, false);
}

/* Whether @value passes @schema, without complaints. */
static bool passes(struct checker *c, const struct json *schema, const struct json *value,
	const struct place *at, unsigned refs)
{
	struct complaints *out = c->out;
	bool ok;

	c->out = NULL;
	ok = schema_value_passes(c, schema, value, at, refs);
	c->out = out;
	return ok;
}

KEYWORD(anyOf)
{
	for (const struct json *s = json_first(rule); s; s = json_next(s)) {
		if (passes(c, s, value, at, refs))
			return true;
	}
	return schema_complain(c, at, "is none of the forms that are allowed here", "");
}

KEYWORD(oneOf)
{
	size_t n = 0;

	for (const struct json *s = json_first(rule); s; s = json_next(s))
		n += passes(c, s, value, at, refs);
	return n == 1 || schema_complain(c, at, "must be exactly one of the forms that are allowed here", "");
}

KEYWORD(allOf)
{
	bool ok = true;

	for (const struct json *s = json_first(rule); s; s = json_next(s)) {
		if (!schema_value_passes(c, s, value, at, refs))
			ok = false;
	}
	return ok;
}

KEYWORD(if)
{
	const struct json *branch =
		json_get(schema, passes(c, rule, value, at, refs) ? "then" : "else");

	return !branch || schema_value_passes(c, branch, value, at, refs);
}

static const struct json *lead(const struct checker *c, const char *s)
{
	static const char defs[] = "#/$defs/";

	if (s && strcmp(s, "#") == 0)
		return c->root;
	if (s && strncmp(s, defs, sizeof(defs) - 1) == 0)
		return json_get(json_get(c->root, "$defs"), s + sizeof(defs) - 1);
	return NULL;
}

KEYWORD(ref)
{
	struct memo *m = schema_memo(c->ref, rule);

	if (m->rule != rule)
		*m = (struct memo){ .rule = rule, .found = lead(c, json_str(rule)) };
	if (!m->found)
		return schema_bad(c, "$ref leads nowhere", json_str(rule) ? json_str(rule) :
			"no string");
	if (refs == REF_DEPTH_MAX)
		return schema_bad(c, "$ref leads in a circle", json_str(rule));
	return schema_value_passes(c, m->found, value, at, refs + 1);
}

/* Sorted by name (strcmp). */
static const struct keyword keywords[] = {
	{ "$comment", NULL },
	{ "$defs", NULL },
	{ "$id", NULL },
	{ "$ref", kw_ref },
	{ "$schema", NULL },
	{ "additionalProperties", kw_additionalProperties },
	{ "allOf", kw_allOf },
	{ "anyOf", kw_anyOf },
	{ "const", kw_const },
	{ "description", NULL },
	{ "else", NULL }, /* read by "if" */
	{ "enum", kw_enum },
	{ "exclusiveMaximum", kw_exclusiveMaximum },
	{ "exclusiveMinimum", kw_exclusiveMinimum },
	{ "if", kw_if },
	{ "items", kw_items },
	{ "maxItems", kw_maxItems },
	{ "maximum", kw_maximum },
	{ "minItems", kw_minItems },
	{ "minLength", kw_minLength },
	{ "minimum", kw_minimum },
	{ "oneOf", kw_oneOf },
	{ "pattern", kw_pattern },
	{ "prefixItems", kw_prefixItems },
	{ "properties", kw_properties },
	{ "required", kw_required },
	{ "then", NULL }, /* read by "if" */
	{ "title", NULL },
	{ "type", kw_type },
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
