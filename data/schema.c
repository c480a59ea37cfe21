/* schema.c - JSON Schema, the part of it that data/schema uses: walks schema and value together. */
#include "data/schema.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REF_DEPTH_MAX 64 /* $ref inside $ref without a step into the value: a loop */

/* Where the value stands: a chain of frames on the C stack, from the root to the value. */
struct place {
	const struct place *up;
	const char *key; /* member; NULL: element number @index */
	size_t index;
};

struct checker {
	const struct json *root;
	struct complaints *out; /* NULL: only whether it passes matters */
	struct err *err;
	int failed; /* -errno: the schema or the memory, not the document */
};

static bool check(struct checker *c, const struct json *schema, const struct json *value,
	const struct place *at, unsigned refs);

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

/* Always false, so that a check can end with it. */
static bool complain(struct checker *c, const struct place *at, const char *what, const char *detail)
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

/* The schema is at fault; true, so that no complaint about the document follows. */
static bool bad_schema(struct checker *c, const char *what, const char *detail)
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

static bool is_type(const struct json *value, const char *name)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
		[JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object",
	};
	double d;

	if (strcmp(name, "integer") == 0)
		return json_f64(value, &d) && d == floor(d);
	return strcmp(name, names[json_type(value)]) == 0;
}

static void describe(const struct json *rule, char *buf, size_t len)
{
	char *text = json_print(rule, false);

	(void)snprintf(buf, len, "%s", text ? text : "?"); /* a cut list still helps */
	free(text);
}

/* -- keywords: each returns whether @value passes @rule ------------------------------------------ */

struct keyword {
	const char *name;
	bool (*check)(struct checker *c, const struct json *schema, const struct json *rule,
		const struct json *value, const struct place *at, unsigned refs); /* NULL: no rule */
};

#define KEYWORD(name)                                                                              \
	static bool kw_##name(struct checker *c __attribute__((unused)),                           \
		const struct json *schema __attribute__((unused)),                                 \
		const struct json *rule __attribute__((unused)),                                   \
		const struct json *value __attribute__((unused)),                                  \
		const struct place *at __attribute__((unused)),                                    \
		unsigned refs __attribute__((unused)))

KEYWORD(type)
{
	char text[96];

	if (json_str(rule)) {
		if (is_type(value, json_str(rule)))
			return true;
		return complain(c, at, "must be of type ", json_str(rule));
	}
	for (const struct json *t = json_first(rule); t; t = json_next(t)) {
		if (json_str(t) && is_type(value, json_str(t)))
			return true;
	}
	describe(rule, text, sizeof(text));
	return complain(c, at, "must be of a type of ", text);
}

KEYWORD(enum)
{
	char text[256];

	for (const struct json *e = json_first(rule); e; e = json_next(e)) {
		if (equal(e, value))
			return true;
	}
	describe(rule, text, sizeof(text));
	return complain(c, at, "must be one of ", text);
}

KEYWORD(const)
{
	char text[96];

	if (equal(rule, value))
		return true;
	describe(rule, text, sizeof(text));
	return complain(c, at, "must be ", text);
}

static bool in_bound(struct checker *c, const struct json *rule, const struct json *value,
	const struct place *at, int sign, bool open)
{
	double limit, v;
	char text[64];

	if (!json_f64(value, &v))
		return true;
	if (!json_f64(rule, &limit))
		return bad_schema(c, "a bound", "is no number");
	if ((v - limit) * sign > 0.0 || (!open && v == limit))
		return true;
	describe(rule, text, sizeof(text));
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
	uint64_t limit;
	size_t characters = 0;
	char text[32];

	if (!s)
		return true;
	if (!json_u64(rule, &limit))
		return bad_schema(c, "minLength", "is no number");
	for (; *s; s++)
		characters += ((unsigned char)*s & 0xc0) != 0x80;
	if (characters >= limit)
		return true;
	describe(rule, text, sizeof(text));
	return complain(c, at, "must have at least this many characters: ", text);
}

KEYWORD(pattern)
{
	const char *s = json_str(value);
	regex_t re;
	bool matches;

	if (!s)
		return true;
	if (!json_str(rule) || regcomp(&re, json_str(rule), REG_EXTENDED | REG_NOSUB) != 0)
		return bad_schema(c, "pattern", "is no POSIX extended regular expression");
	matches = regexec(&re, s, 0, NULL, 0) == 0;
	regfree(&re);
	return matches || complain(c, at, "must match ", json_str(rule));
}

KEYWORD(required)
{
	bool ok = true;

	if (json_type(value) != JSON_OBJECT)
		return true;
	for (const struct json *k = json_first(rule); k; k = json_next(k)) {
		if (!json_str(k))
			return bad_schema(c, "required", "is no list of strings");
		if (!json_get(value, json_str(k)))
			ok = complain(c, at, "lacks the key ", json_str(k));
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

		if (member && !check(c, p, member, &below, 0))
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

		if (!json_get(named, json_key(m)) && !check(c, rule, m, &below, 0))
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

		if (!check(c, r, e, &below, 0))
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

		if (i > skip && !check(c, rule, e, &below, 0))
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
		return bad_schema(c, "minItems or maxItems", "is no number");
	if (lower ? n >= limit : n <= limit)
		return true;
	describe(rule, text, sizeof(text));
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

/* Whether @value passes @schema, without complaints. */
static bool passes(struct checker *c, const struct json *schema, const struct json *value,
	const struct place *at, unsigned refs)
{
	struct complaints *out = c->out;
	bool ok;

	c->out = NULL;
	ok = check(c, schema, value, at, refs);
	c->out = out;
	return ok;
}

KEYWORD(anyOf)
{
	for (const struct json *s = json_first(rule); s; s = json_next(s)) {
		if (passes(c, s, value, at, refs))
			return true;
	}
	return complain(c, at, "is none of the forms that are allowed here", "");
}

KEYWORD(oneOf)
{
	size_t n = 0;

	for (const struct json *s = json_first(rule); s; s = json_next(s))
		n += passes(c, s, value, at, refs);
	return n == 1 || complain(c, at, "must be exactly one of the forms that are allowed here", "");
}

KEYWORD(allOf)
{
	bool ok = true;

	for (const struct json *s = json_first(rule); s; s = json_next(s)) {
		if (!check(c, s, value, at, refs))
			ok = false;
	}
	return ok;
}

KEYWORD(if)
{
	const struct json *branch =
		json_get(schema, passes(c, rule, value, at, refs) ? "then" : "else");

	return !branch || check(c, branch, value, at, refs);
}

KEYWORD(ref)
{
	static const char defs[] = "#/$defs/";
	const char *s = json_str(rule);
	const struct json *found = NULL;

	if (s && strcmp(s, "#") == 0)
		found = c->root;
	else if (s && strncmp(s, defs, sizeof(defs) - 1) == 0)
		found = json_get(json_get(c->root, "$defs"), s + sizeof(defs) - 1);
	if (!found)
		return bad_schema(c, "$ref leads nowhere", s ? s : "no string");
	if (refs == REF_DEPTH_MAX)
		return bad_schema(c, "$ref leads in a circle", s);
	return check(c, found, value, at, refs + 1);
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

static const struct keyword *find_keyword(const char *name)
{
	return bsearch(name, keywords, sizeof(keywords) / sizeof(keywords[0]), sizeof(keywords[0]),
		compare_keyword);
}

static bool check(struct checker *c, const struct json *schema, const struct json *value,
	const struct place *at, unsigned refs)
{
	bool allowed, ok = true;

	if (json_bool(schema, &allowed))
		return allowed || complain(c, at, "is not allowed here", "");
	for (const struct json *rule = json_first(schema); rule; rule = json_next(rule)) {
		const struct keyword *k = find_keyword(json_key(rule));

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
		(void)bad_schema(c, "a rule", "is neither an object nor true or false");
		return;
	}
	for (const struct json *rule = json_first(schema); rule; rule = json_next(rule)) {
		if (!find_keyword(json_key(rule)))
			(void)bad_schema(c, "unknown keyword", json_key(rule));
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
		(void)check(&c, schema, doc, NULL, 0); /* what it found is in @ret */
	if (c.failed)
		return c.failed;
	return ret->nomem ? err_nomem(reterr) : 0;
}
