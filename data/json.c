/* json.c - JSON values; the only file that knows cJSON. json_parse.c reads text, json_file.c files,
 * json_print.c writes text.
 *
 * What only looks at a value reads the node itself: a result has some 20,000 of them, and a call
 * into a library for each question about each costs more than everything else together. */
#include "data/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "data/json_scan.h"
#include "data/json_tree.h"

/* Integers from here on are strings: cJSON, which others may read our documents with, changes some
 * of them when it prints (1.7.15 compares its digits with a relative tolerance of one epsilon). */
#define EXACT_LIMIT (UINT64_C(1) << 52)

static cJSON *to_c(struct json *j)
{
	return (cJSON *)j;
}

static const cJSON *to_cc(const struct json *j)
{
	return (const cJSON *)j;
}

static struct json *from_c(cJSON *c)
{
	return (struct json *)c;
}

/* -- reading -------------------------------------------------------------------------------- */

void json_free(struct json *j)
{
	cJSON_Delete(to_c(j));
}

struct json *json_copy(const struct json *j)
{
	return from_c(cJSON_Duplicate(to_cc(j), 1));
}

enum json_type json_type(const struct json *j)
{
	switch (j ? to_cc(j)->type & 0xff : cJSON_NULL) { /* above: flags of ownership */
	case cJSON_False:
	case cJSON_True:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

bool json_is_null(const struct json *j)
{
	return json_type(j) == JSON_NULL;
}

static bool is_object(const struct json *j)
{
	return j && (to_cc(j)->type & 0xff) == cJSON_Object;
}

const struct json *json_get(const struct json *obj, const char *key)
{
	if (!is_object(obj))
		return NULL;
	for (const cJSON *c = to_cc(obj)->child; c; c = c->next) {
		if (strcmp(c->string, key) == 0)
			return (const struct json *)c;
	}
	return NULL;
}

struct json *json_get_mut(struct json *obj, const char *key)
{
	return (struct json *)json_get(obj, key); /* part of @obj, which is the caller's to change */
}

const struct json *json_path(const struct json *j, const char *dotted)
{
	while (j && *dotted) {
		size_t n = strcspn(dotted, ".");
		const struct json *found = NULL;

		if (!is_object(j))
			return NULL;
		for (const cJSON *c = to_cc(j)->child; c; c = c->next) {
			if (strlen(c->string) == n && memcmp(c->string, dotted, n) == 0) {
				found = (const struct json *)c;
				break;
			}
		}
		j = found;
		dotted += n;
		if (*dotted == '.')
			dotted++;
	}
	return j;
}

size_t json_len(const struct json *j)
{
	size_t n = 0;

	for (const cJSON *c = j ? to_cc(j)->child : NULL; c; c = c->next)
		n++;
	return n;
}

const struct json *json_first(const struct json *j)
{
	return j ? (const struct json *)to_cc(j)->child : NULL;
}

const struct json *json_next(const struct json *member)
{
	return member ? (const struct json *)to_cc(member)->next : NULL;
}

const char *json_key(const struct json *member)
{
	return member ? to_cc(member)->string : NULL;
}

const struct json *json_at(const struct json *arr, size_t i)
{
	const struct json *j = json_first(arr);

	while (j && i--)
		j = json_next(j);
	return j;
}

const char *json_str(const struct json *j)
{
	return j && (to_cc(j)->type & 0xff) == cJSON_String ? to_cc(j)->valuestring : NULL;
}

static bool u64_from_digits(const char *s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!*s || (*s == '0' && s[1]))
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
			__builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

bool json_u64(const struct json *j, uint64_t *ret)
{
	double d;

	if (json_str(j))
		return u64_from_digits(json_str(j), ret);
	if (!json_f64(j, &d))
		return false;
	if (!(d >= 0.0 && d <= 9007199254740992.0) || d != floor(d))
		return false;
	*ret = (uint64_t)d;
	return true;
}

bool json_f64(const struct json *j, double *ret)
{
	if (!j || (to_cc(j)->type & 0xff) != cJSON_Number)
		return false;
	*ret = to_cc(j)->valuedouble;
	return true;
}

bool json_bool(const struct json *j, bool *ret)
{
	if (json_type(j) != JSON_BOOL)
		return false;
	*ret = (to_cc(j)->type & 0xff) == cJSON_True;
	return true;
}

/* -- building ------------------------------------------------------------------------------- */

struct json *json_new_object(void)
{
	return from_c(cJSON_CreateObject());
}

struct json *json_new_array(void)
{
	return from_c(cJSON_CreateArray());
}

/* A copy of @s with every byte that is no UTF-8 replaced by U+FFFD. Caller frees. */
static char *repair_utf8(const char *s)
{
	size_t len = strlen(s);
	char *copy = malloc(3 * len + 1), *out = copy;

	if (!copy)
		return NULL;
	while (len > 0) {
		size_t n = utf8_length(s, len);

		if (n == 0) {
			memcpy(out, "\xef\xbf\xbd", 3);
			out += 3;
			n = 1;
		} else {
			memcpy(out, s, n);
			out += n;
		}
		s += n;
		len -= n;
	}
	*out = '\0';
	return copy;
}

struct json *json_new_str(const char *s)
{
	cJSON *c;
	char *copy;

	if (!s)
		return json_new_null();
	copy = repair_utf8(s);
	if (!copy)
		return NULL;
	c = cJSON_CreateString(copy);
	free(copy);
	return from_c(c);
}

struct json *json_new_u64(uint64_t v)
{
	char digits[24];

	if (v < EXACT_LIMIT)
		return from_c(cJSON_CreateNumber((double)v));
	(void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v); /* 20 digits fit */
	return from_c(cJSON_CreateString(digits));
}

struct json *json_new_f64(double v)
{
	return isfinite(v) ? from_c(cJSON_CreateNumber(v)) : json_new_null();
}

struct json *json_new_bool(bool v)
{
	return from_c(cJSON_CreateBool(v));
}

struct json *json_new_null(void)
{
	return from_c(cJSON_CreateNull());
}

struct json *json_new_taken(char *text)
{
	cJSON *c = text ? cJSON_CreateNull() : NULL;

	if (!c) {
		free(text);
		return NULL;
	}
	c->type = cJSON_String;
	c->valuestring = text;
	return from_c(c);
}

void json_attach(struct json *parent, char *key, struct json *value)
{
	cJSON *p = to_c(parent), *c = to_c(value);

	c->string = key;
	if (!p->child) {
		p->child = c;
	} else { /* cJSON keeps the last one in the first one's prev */
		c->prev = p->child->prev;
		c->prev->next = c;
	}
	p->child->prev = c;
}

int json_set(struct json *obj, const char *key, struct json *value)
{
	cJSON_bool done;

	if (!obj || !value) {
		json_free(value);
		return -ENOMEM;
	}
	if (cJSON_GetObjectItemCaseSensitive(to_c(obj), key))
		done = cJSON_ReplaceItemInObjectCaseSensitive(to_c(obj), key, to_c(value));
	else
		done = cJSON_AddItemToObject(to_c(obj), key, to_c(value));
	if (!done) {
		json_free(value);
		return -ENOMEM;
	}
	return 0;
}

int json_append(struct json *arr, struct json *value)
{
	if (!arr || !value || !cJSON_AddItemToArray(to_c(arr), to_c(value))) {
		json_free(value);
		return -ENOMEM;
	}
	return 0;
}

int json_set_str(struct json *obj, const char *key, const char *s)
{
	return json_set(obj, key, json_new_str(s));
}

int json_set_u64(struct json *obj, const char *key, uint64_t v)
{
	return json_set(obj, key, json_new_u64(v));
}

int json_set_f64(struct json *obj, const char *key, double v)
{
	return json_set(obj, key, json_new_f64(v));
}

int json_set_bool(struct json *obj, const char *key, bool v)
{
	return json_set(obj, key, json_new_bool(v));
}

int json_set_null(struct json *obj, const char *key)
{
	return json_set(obj, key, json_new_null());
}

void json_remove(struct json *obj, const char *key)
{
	if (is_object(obj))
		cJSON_DeleteItemFromObjectCaseSensitive(to_c(obj), key);
}
