/* json.c - JSON values; the only file that knows cJSON. json_file.c reads files, json_print.c
 * writes text. */
#include "data/json.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "data/json_scan.h"

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

/* -- parsing -------------------------------------------------------------------------------- */

struct key_ref {
	const char *name;
	size_t number;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key_ref *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->number > y->number) - (x->number < y->number);
}

/* Numbers the keys below @item in document order from *count + 1 on and keeps in *ret_number the
 * first that repeats a name of its own object. Returns its name, NULL, or sets *nomem. */
static const char *find_duplicate(const cJSON *item, size_t *count, size_t *ret_number, bool *nomem)
{
	const char *found = NULL;
	struct key_ref *keys = NULL;
	size_t n = 0, first = SIZE_MAX;

	if (cJSON_IsObject(item) && item->child) {
		keys = calloc((size_t)cJSON_GetArraySize(item), sizeof(*keys));
		if (!keys) {
			*nomem = true;
			return NULL;
		}
	}
	for (const cJSON *c = item->child; c && !*nomem; c = c->next) {
		const char *below;
		size_t number;

		if (keys)
			keys[n++] = (struct key_ref){ c->string, ++*count };
		below = find_duplicate(c, count, &number, nomem);
		if (below && number < first) {
			found = below;
			first = number;
		}
	}
	if (keys && n > 1) {
		qsort(keys, n, sizeof(*keys), compare_keys);
		for (size_t i = 1; i < n; i++) {
			if (keys[i].number < first && strcmp(keys[i].name, keys[i - 1].name) == 0) {
				found = keys[i].name;
				first = keys[i].number;
			}
		}
	}
	free(keys);
	*ret_number = first;
	return found;
}

static int check_tree(const cJSON *root, const char *text, size_t len, const char *name,
	struct err *reterr)
{
	struct json_place place = { 1, 1 };
	size_t count = 0, number = 0;
	bool nomem = false;
	const char *key = find_duplicate(root, &count, &number, &nomem);

	if (nomem)
		return err_nomem(reterr);
	if (key) {
		(void)json_scan(text, len, number, &place); /* passed before; asked for the place */
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu:%zu: the key \"%s\" stands twice",
			name, place.line, place.column, key);
	}
	return 0;
}

/* Of members with one name the last is kept, found by sorting. False: out of memory. */
static bool keep_last(cJSON *item)
{
	struct key_ref *keys;
	size_t n = 0, total;
	cJSON **members;

	for (cJSON *c = item->child; c; c = c->next)
		if (c->child && !keep_last(c))
			return false;
	total = (size_t)cJSON_GetArraySize(item);
	if (!cJSON_IsObject(item) || total < 2)
		return true;
	keys = calloc(total, sizeof(*keys));
	members = calloc(total, sizeof(*members)); /* NOLINT(bugprone-sizeof-expression): pointers */
	for (cJSON *c = item->child; keys && members && c; c = c->next, n++) {
		keys[n] = (struct key_ref){ c->string, n };
		members[n] = c;
	}
	if (n == total) {
		qsort(keys, n, sizeof(*keys), compare_keys);
		for (size_t i = 0; i + 1 < n; i++)
			if (strcmp(keys[i].name, keys[i + 1].name) == 0)
				cJSON_Delete(cJSON_DetachItemViaPointer(item,
					members[keys[i].number]));
	}
	free(keys);
	free(members);
	return n == total;
}

static int parse(const char *text, size_t len, const char *name, size_t first_line, cJSON **ret,
	struct err *reterr)
{
	struct json_place place = { 1, 1 };
	const char *wrong;
	locale_t old;
	cJSON *root;

	wrong = json_scan(text, len, 0, &place);
	if (wrong)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu:%zu: %s", name,
			place.line + first_line - 1, place.column, wrong);
	/* cJSON asks the locale for its decimal point and takes one byte of it; the C locale is put
	 * in place for this thread only. */
	old = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	root = cJSON_ParseWithLengthOpts(text, len, NULL, 0);
	(void)uselocale(old); /* cannot fail: it was in place before */
	if (!root)
		return err_nomem(reterr);
	*ret = root;
	return 0;
}

int json_parse(const char *text, size_t len, const char *name, struct json **ret,
	struct err *reterr)
{
	cJSON *root;
	int r;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	r = parse(text, len, name, 1, &root, reterr);
	if (r < 0)
		return r;
	r = check_tree(root, text, len, name, reterr);
	if (r < 0) {
		cJSON_Delete(root);
		return r;
	}
	*ret = from_c(root);
	return 0;
}

int json_parse_lenient(const char *text, size_t len, const char *name, size_t first_line,
	struct json **ret, struct err *reterr)
{
	cJSON *root;
	int r = parse(text, len, name, first_line, &root, reterr);

	if (r < 0)
		return r;
	if (!keep_last(root)) {
		cJSON_Delete(root);
		return err_nomem(reterr);
	}
	*ret = from_c(root);
	return 0;
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
	const cJSON *c = to_cc(j);

	if (cJSON_IsBool(c))
		return JSON_BOOL;
	if (cJSON_IsNumber(c))
		return JSON_NUMBER;
	if (cJSON_IsString(c))
		return JSON_STRING;
	if (cJSON_IsArray(c))
		return JSON_ARRAY;
	if (cJSON_IsObject(c))
		return JSON_OBJECT;
	return JSON_NULL;
}

bool json_is_null(const struct json *j)
{
	return json_type(j) == JSON_NULL;
}

struct json *json_get_mut(struct json *obj, const char *key)
{
	if (!cJSON_IsObject(to_cc(obj)))
		return NULL;
	return from_c(cJSON_GetObjectItemCaseSensitive(to_c(obj), key));
}

const struct json *json_get(const struct json *obj, const char *key)
{
	if (!cJSON_IsObject(to_cc(obj)))
		return NULL;
	return from_c(cJSON_GetObjectItemCaseSensitive(to_cc(obj), key));
}

const struct json *json_path(const struct json *j, const char *dotted)
{
	while (j && *dotted) {
		size_t n = strcspn(dotted, ".");
		const struct json *found = NULL;

		if (!cJSON_IsObject(to_cc(j)))
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
	return j ? (size_t)cJSON_GetArraySize(to_cc(j)) : 0;
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
	return cJSON_GetStringValue(to_cc(j));
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
	if (!cJSON_IsNumber(to_cc(j)))
		return false;
	*ret = to_cc(j)->valuedouble;
	return true;
}

bool json_bool(const struct json *j, bool *ret)
{
	if (!cJSON_IsBool(to_cc(j)))
		return false;
	*ret = cJSON_IsTrue(to_cc(j));
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
	if (cJSON_IsObject(to_cc(obj)))
		cJSON_DeleteItemFromObjectCaseSensitive(to_c(obj), key);
}
