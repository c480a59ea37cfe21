/* json_print.c - JSON text. Not cJSON's: that one compares its 15 digits with a tolerance, so that
 * reading and rewriting a document would change the last digits of its figures. */
#include "data/json.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
	char *text;
	size_t used, room;
	bool pretty, nomem;
};

static void put(struct out *o, const char *s, size_t len)
{
	if (o->nomem)
		return;
	if (o->used + len + 1 > o->room) {
		size_t room = 2 * (o->used + len) + 256;
		char *text = realloc(o->text, room);

		if (!text) {
			o->nomem = true;
			return;
		}
		o->text = text;
		o->room = room;
	}
	memcpy(o->text + o->used, s, len);
	o->used += len;
	o->text[o->used] = '\0';
}

static void puts_to(struct out *o, const char *s)
{
	put(o, s, strlen(s));
}

static void put_string(struct out *o, const char *s)
{
	put(o, "\"", 1);
	while (*s) {
		size_t plain = 0;
		unsigned char c;
		char escape[8];

		while ((c = (unsigned char)s[plain]) >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			plain++;
		put(o, s, plain);
		s += plain;
		c = (unsigned char)*s;
		if (!c)
			break;
		if (c == '"' || c == '\\')
			(void)snprintf(escape, sizeof(escape), "\\%c", c); /* all forms fit */
		else if (c == '\n')
			(void)snprintf(escape, sizeof(escape), "\\n");
		else if (c == '\t')
			(void)snprintf(escape, sizeof(escape), "\\t");
		else
			(void)snprintf(escape, sizeof(escape), "\\u%04x", c);
		puts_to(o, escape);
		s++;
	}
	put(o, "\"", 1);
}

/* The fewest of 15 to 17 digits that read back as the same double. */
static void put_number(struct out *o, double v)
{
	char digits[40];

	if (!isfinite(v)) { /* the parser and json_new_f64() let none in */
		puts_to(o, "null");
		return;
	}
	if (v == floor(v) && fabs(v) <= 9007199254740992.0) {
		(void)snprintf(digits, sizeof(digits), "%.0f", v == 0.0 ? 0.0 : v);
		puts_to(o, digits);
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		(void)snprintf(digits, sizeof(digits), "%.*g", precision, v); /* 24 at most */
		if (strtod(digits, NULL) == v)
			break;
	}
	puts_to(o, digits);
}

static bool is_scalar(const struct json *j)
{
	return json_type(j) != JSON_ARRAY && json_type(j) != JSON_OBJECT;
}

/* What stays on one line in pretty text: lists without objects (histograms), and objects of bare
 * numbers (seconds of a timeline). */
static bool is_short(const struct json *j)
{
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		if (json_type(j) == JSON_ARRAY ? json_type(m) == JSON_OBJECT || !is_short(m)
					       : !is_scalar(m) || json_str(m))
			return false;
	}
	return json_type(j) != JSON_OBJECT || json_len(j) > 1;
}

static void put_break(struct out *o, int indent)
{
	put(o, "\n", 1);
	while (indent-- > 0)
		put(o, "\t", 1);
}

static void put_value(struct out *o, const struct json *j, int indent);

static void put_members(struct out *o, const struct json *j, int indent)
{
	bool object = json_type(j) == JSON_OBJECT;
	bool lines = o->pretty && json_first(j) && !is_short(j);

	put(o, object ? "{" : "[", 1);
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		if (m != json_first(j))
			put(o, ", ", o->pretty && !lines ? 2 : 1);
		if (lines)
			put_break(o, indent + 1);
		if (object) {
			put_string(o, json_key(m));
			put(o, ": ", o->pretty ? 2 : 1);
		}
		put_value(o, m, indent + 1);
	}
	if (lines)
		put_break(o, indent);
	put(o, object ? "}" : "]", 1);
}

static void put_value(struct out *o, const struct json *j, int indent)
{
	bool b = false;
	double d = 0;

	switch (json_type(j)) {
	case JSON_NULL:
		puts_to(o, "null");
		break;
	case JSON_BOOL:
		(void)json_bool(j, &b); /* its type was just asked */
		puts_to(o, b ? "true" : "false");
		break;
	case JSON_NUMBER:
		(void)json_f64(j, &d);
		put_number(o, d);
		break;
	case JSON_STRING:
		put_string(o, json_str(j));
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		put_members(o, j, indent);
		break;
	}
}

char *json_print(const struct json *j, bool pretty)
{
	struct out o = { .pretty = pretty };
	locale_t old = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));

	put_value(&o, j, 0);
	if (pretty)
		put(&o, "\n", 1);
	(void)uselocale(old); /* cannot fail: it was in place before */
	if (o.nomem) {
		free(o.text);
		return NULL;
	}
	return o.text;
}
