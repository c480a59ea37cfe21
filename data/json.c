/* json.c - reading and building JSON values; the only file that knows cJSON. json_tree.c has the
 * memory of parsed trees, json_parse.c reads text, json_file.c files, json_print.c writes text. */
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

#define SAME_PLACE(field)                                                                          \
	_Static_assert(offsetof(struct json, field) == offsetof(cJSON, field),                     \
		"struct json." #field " is not where cJSON has it")
SAME_PLACE(next);
SAME_PLACE(prev);
SAME_PLACE(child);
SAME_PLACE(type);
SAME_PLACE(valuestring);
SAME_PLACE(valueint);
SAME_PLACE(valuedouble);
SAME_PLACE(string);
_Static_assert(sizeof(struct json) == sizeof(cJSON), "struct json is not as large as cJSON");
_Static_assert(NODE_FALSE == cJSON_False && NODE_TRUE == cJSON_True && NODE_NULL == cJSON_NULL &&
		NODE_NUMBER == cJSON_Number && NODE_STRING == cJSON_String &&
		NODE_ARRAY == cJSON_Array && NODE_OBJECT == cJSON_Object &&
		NODE_REFERENCE == cJSON_IsReference && NODE_CONST_KEY == cJSON_StringIsConst,
	"NODE_* are not cJSON's types");

static cJSON *to_c(struct json *j)
{
	return (cJSON *)j;
}

static struct json *from_c(cJSON *c)
{
	return (struct json *)c;
}

/* Values of an arena may stand anywhere below @j: each is visited, and cJSON gets what it has
 * allocated, one by one. Plain values of an arena have nothing to free. */
void json_free(struct json *j)
{
	if (!j)
		return;
	for (struct json *c = json_is(j, NODE_REFERENCE) ? NULL : j->child, *next; c; c = next) {
		next = c->next;
		if (c->child || !json_is(c, NODE_IN_ARENA) || !json_is(c, NODE_CONST_KEY) ||
			json_is(c, NODE_HAS_ARENA))
			json_free(c);
	}
	if (!json_is(j, NODE_IN_ARENA)) {
		j->child = j->next = NULL; /* it would go on to both */
		cJSON_Delete(to_c(j));
		return;
	}
	if (!json_is(j, NODE_CONST_KEY))
		cJSON_free(j->string); /* made by cJSON when the root became a member */
	if (json_is(j, NODE_HAS_ARENA))
		json_arena_free(j);
}

/* -- reading -------------------------------------------------------------------------------- */

enum json_type json_type(const struct json *j)
{
	switch (j ? j->type & NODE_TYPE : NODE_NULL) {
	case NODE_FALSE:
	case NODE_TRUE:
		return JSON_BOOL;
	case NODE_NUMBER:
		return JSON_NUMBER;
	case NODE_STRING:
		return JSON_STRING;
	case NODE_ARRAY:
		return JSON_ARRAY;
	case NODE_OBJECT:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

bool json_is_null(const struct json *j)
{
	return !j || json_is(j, NODE_NULL);
}

static bool is_object(const struct json *j)
{
	return j && json_is(j, NODE_OBJECT);
}

const struct json *json_get(const struct json *obj, const char *key)
{
	if (!is_object(obj))
		return NULL;
	for (const struct json *c = obj->child; c; c = c->next) {
		if (json_is_key(c->string, key))
			return c;
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
		for (const struct json *c = j->child; c && !found; c = c->next) {
			if (strncmp(c->string, dotted, n) == 0 && !c->string[n])
				found = c;
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

	for (const struct json *c = j ? j->child : NULL; c; c = c->next)
		n++;
	return n;
}

const struct json *json_first(const struct json *j)
{
	return j ? j->child : NULL;
}

const struct json *json_next(const struct json *member)
{
	return member ? member->next : NULL;
}

const char *json_key(const struct json *member)
{
	return member ? member->string : NULL;
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
	return j && json_is(j, NODE_STRING) ? j->valuestring : NULL;
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
	if (!j || !json_is(j, NODE_NUMBER))
		return false;
	*ret = j->valuedouble;
	return true;
}

bool json_bool(const struct json *j, bool *ret)
{
	if (!j || !json_is(j, NODE_BOOL))
		return false;
	*ret = json_is(j, NODE_TRUE);
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

/* Put the last member of @obj in the place of @old, and free that. What stands between goes behind
 * it instead: cJSON_ReplaceItem...() deletes @old as if it were cJSON's, and Debian's 1.7.15 cannot
 * insert between two (it refuses every new value that has no neighbour yet). */
static void move_last_to(struct json *obj, struct json *old)
{
	const struct json *last = obj->child->prev;

	for (struct json *m = old->next, *next; m != last; m = next) {
		next = m->next;
		/* neither can fail: @m is in @obj */
		(void)cJSON_AddItemToArray(to_c(obj), cJSON_DetachItemViaPointer(to_c(obj), to_c(m)));
	}
	json_free(from_c(cJSON_DetachItemViaPointer(to_c(obj), to_c(old))));
}

int json_set(struct json *obj, const char *key, struct json *value)
{
	struct json *old;

	if (!is_object(obj) || !value) {
		json_free(value);
		return obj && !is_object(obj) ? -EINVAL : -ENOMEM;
	}
	old = json_get_mut(obj, key);
	if (!cJSON_AddItemToObject(to_c(obj), key, to_c(value))) {
		json_free(value);
		return -ENOMEM;
	}
	if (old)
		move_last_to(obj, old);
	return 0;
}

int json_append(struct json *arr, struct json *value)
{
	if (!arr || !value || !json_is(arr, NODE_ARRAY) ||
		!cJSON_AddItemToArray(to_c(arr), to_c(value))) {
		json_free(value);
		return arr && !json_is(arr, NODE_ARRAY) ? -EINVAL : -ENOMEM;
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
	struct json *old = json_get_mut(obj, key);

	if (old)
		json_free(from_c(cJSON_DetachItemViaPointer(to_c(obj), to_c(old))));
}
