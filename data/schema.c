/* schema.c - makes a schema ready, every part of it, and walks schema and document together. */
#include "data/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/json_tree.h"
#include "data/schema_check.h"

struct schema {
	const struct json *root;
	struct form **forms; /* all there are, which may lead to each other in circles */
	size_t count, room;
};

const struct rule *schema_rule(const struct form *form, const char *name)
{
	for (size_t i = 0; i < form->count; i++) {
		if (strcmp(form->rules[i].keyword->name, name) == 0)
			return &form->rules[i];
	}
	return NULL;
}

bool schema_value_passes(struct checker *c, const struct form *form, const struct json *value,
	const struct place *at, unsigned refs)
{
	bool ok = true;

	for (const struct rule *r = form->rules, *end = r + form->count; r < end; r++) {
		if (r->keyword->check && !r->keyword->check(c, form, r, value, at, refs))
			ok = false;
	}
	return ok || c->failed;
}

bool schema_bad(struct checker *c, const char *what, const char *detail)
{
	if (!c->failed)
		c->failed = err_set(c->err, ERR_INTERNAL, -EINVAL, "schema: %s: %s", what, detail);
	return true;
}

static void no_memory(struct checker *c)
{
	if (!c->failed)
		c->failed = err_nomem(c->err);
}

/* -- making ready ------------------------------------------------------------------------------ */

static struct form *form_of(struct schema *s, const struct json *json, struct checker *c);

static int type_bit(const char *name)
{
	static const struct {
		const char *name;
		int bit;
	} types[] = {
		{ "null", NODE_NULL },     { "boolean", NODE_BOOL }, { "number", NODE_NUMBER },
		{ "string", NODE_STRING }, { "array", NODE_ARRAY },  { "object", NODE_OBJECT },
		{ "integer", SCHEMA_INTEGER },
	};

	for (size_t i = 0; name && i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(name, types[i].name) == 0)
			return types[i].bit;
	}
	return 0;
}

static void ready_types(struct rule *r, struct checker *c)
{
	bool known = json_str(r->json) || json_len(r->json);

	r->types = json_str(r->json) ? type_bit(json_str(r->json)) : 0;
	known = known && (!json_str(r->json) || r->types);
	for (const struct json *t = json_first(r->json); t; t = json_next(t)) {
		known = known && type_bit(json_str(t));
		r->types |= type_bit(json_str(t));
	}
	if (!known)
		(void)schema_bad(c, r->keyword->name, "names no type");
}

static void ready_pattern(struct rule *r, struct checker *c)
{
	const char *text = json_str(r->json);
	regex_t *re = malloc(sizeof(*re));

	if (!re) {
		no_memory(c);
	} else if (!text || regcomp(re, text, REG_EXTENDED | REG_NOSUB) != 0) {
		free(re);
		(void)schema_bad(c, r->keyword->name, "is no POSIX extended regular expression");
	} else {
		r->pattern = re;
	}
}

static void ready_forms(struct schema *s, struct rule *r, struct checker *c)
{
	r->forms = calloc(json_len(r->json) + 1, sizeof(struct form *));
	if (!r->forms)
		no_memory(c);
	for (const struct json *f = json_first(r->json); f && !c->failed; f = json_next(f))
		r->forms[r->count++] = form_of(s, f, c);
}

static void ready_ref(struct schema *s, struct rule *r, struct checker *c)
{
	static const char defs[] = "#/$defs/";
	const char *address = json_str(r->json);
	const struct json *to = NULL;

	if (address && strcmp(address, "#") == 0)
		to = s->root;
	else if (address && strncmp(address, defs, sizeof(defs) - 1) == 0)
		to = json_get(json_get(s->root, "$defs"), address + sizeof(defs) - 1);
	if (to)
		r->form = form_of(s, to, c);
	else
		(void)schema_bad(c, "$ref leads nowhere", address ? address : "no string");
}

static void ready_rule(struct schema *s, struct rule *r, struct checker *c)
{
	switch (r->keyword->operand) {
	case OPERAND_NONE:
	case OPERAND_VALUE:
		break;
	case OPERAND_TYPES:
		ready_types(r, c);
		break;
	case OPERAND_LIMIT:
		if (!json_f64(r->json, &r->limit))
			(void)schema_bad(c, r->keyword->name, "is no number");
		break;
	case OPERAND_SIZE:
		if (!json_u64(r->json, &r->size))
			(void)schema_bad(c, r->keyword->name, "is no whole number");
		break;
	case OPERAND_PATTERN:
		ready_pattern(r, c);
		break;
	case OPERAND_NAMES:
		for (const struct json *n = json_first(r->json); n; n = json_next(n)) {
			if (!json_str(n))
				(void)schema_bad(c, r->keyword->name, "is no list of strings");
		}
		break;
	case OPERAND_FORM:
		r->form = form_of(s, r->json, c);
		break;
	case OPERAND_FORMS:
		ready_forms(s, r, c);
		break;
	case OPERAND_REF:
		ready_ref(s, r, c);
		break;
	}
}

/* Known before its rules are ready, so that a $ref to it from inside finds it. NULL: no memory. */
static struct form *new_form(struct schema *s, const struct json *json)
{
	struct form *form;

	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct form **forms = realloc(s->forms, room * sizeof(struct form *));

		if (!forms)
			return NULL;
		s->forms = forms;
		s->room = room;
	}
	form = calloc(1, sizeof(*form));
	if (!form)
		return NULL;
	form->json = json;
	form->rules = calloc(json_len(json) + 1, sizeof(*form->rules));
	s->forms[s->count++] = form; /* schema_free() frees it */
	return form->rules ? form : NULL;
}

static struct form *form_of(struct schema *s, const struct json *json, struct checker *c)
{
	struct form *form;
	bool allowed = true;

	for (size_t i = 0; i < s->count; i++) {
		if (s->forms[i]->json == json)
			return s->forms[i];
	}
	form = new_form(s, json);
	if (!form) {
		no_memory(c);
		return NULL;
	}
	if (json_type(json) == JSON_BOOL) {
		if (json_bool(json, &allowed) && !allowed)
			form->rules[form->count++] = (struct rule){ .json = json,
				.keyword = schema_keyword(SCHEMA_FORBID) };
		return form;
	}
	if (json_type(json) != JSON_OBJECT)
		(void)schema_bad(c, "a rule", "is neither an object nor true or false");
	for (const struct json *m = json_first(json); m && !c->failed; m = json_next(m)) {
		struct rule *r = &form->rules[form->count];

		*r = (struct rule){ .keyword = schema_keyword(json_key(m)), .json = m };
		if (!r->keyword || r->keyword == schema_keyword(SCHEMA_FORBID)) {
			(void)schema_bad(c, "unknown keyword", json_key(m));
			break;
		}
		form->count++;
		ready_rule(s, r, c);
	}
	return form;
}

void schema_free(struct schema *s)
{
	for (size_t i = 0; s && i < s->count; i++) {
		struct form *f = s->forms[i];

		for (size_t k = 0; k < f->count; k++) {
			struct rule *r = &f->rules[k];

			if (r->keyword->operand == OPERAND_PATTERN && r->pattern) {
				regfree(r->pattern);
				free(r->pattern);
			} else if (r->keyword->operand == OPERAND_FORMS) {
				free(r->forms);
			}
		}
		free(f->rules);
		free(f);
	}
	if (s)
		free(s->forms);
	free(s);
}

int schema_new(const struct json *source, struct schema **ret, struct err *reterr)
{
	struct schema *s = calloc(1, sizeof(*s));
	struct checker c = { .err = reterr };

	if (!s)
		return err_nomem(reterr);
	s->root = source;
	(void)form_of(s, source, &c); /* the first of s->forms; what is wrong is in c.failed */
	if (c.failed) {
		schema_free(s);
		return c.failed;
	}
	*ret = s;
	return 0;
}

int schema_examine(const struct schema *s, const struct json *doc, struct complaints *ret,
	struct err *reterr)
{
	struct checker c = { .out = ret, .err = reterr };

	(void)schema_value_passes(&c, s->forms[0], doc, NULL, 0); /* what it found is in @ret */
	if (c.failed)
		return c.failed;
	return ret->nomem ? err_nomem(reterr) : 0;
}

int schema_check(const struct json *source, const struct json *doc, struct complaints *ret,
	struct err *reterr)
{
	struct schema *s;
	int r = schema_new(source, &s, reterr);

	if (r < 0)
		return r;
	r = schema_examine(s, doc, ret, reterr);
	schema_free(s);
	return r;
}
