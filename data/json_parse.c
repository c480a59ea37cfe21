/* json_parse.c - JSON text to a tree, checked and built in one pass. Not cJSON's parser: that one
 * takes more than JSON, asks the locale about each number, and allocates each value and text by
 * itself. */
#include "data/json.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "data/json_scan.h"
#include "data/json_tree.h"

/* -- building: what comes here has passed the scanner ------------------------------------------ */

struct builder {
	struct json_arena arena;
	struct json *root;
	struct json *in[JSON_DEPTH_MAX]; /* the open objects and arrays, the outermost first */
	unsigned depth;
	char *key; /* of the next value */
	locale_t c_locale;
	bool nomem;
};

/* A new value at its place in the tree; NULL: out of memory, now or before. */
static struct json *put(struct builder *b, int type)
{
	struct json *j = NULL;

	if (!b->nomem)
		j = b->depth ? json_arena_node(&b->arena, type) : json_arena_root(&b->arena, type);
	if (!j) {
		b->nomem = true;
	} else if (b->depth) {
		j->string = b->key;
		b->key = NULL;
		json_attach(b->in[b->depth - 1], j);
	} else {
		b->root = j;
	}
	return j;
}

static unsigned hex4(const char *s)
{
	char digits[5] = { s[0], s[1], s[2], s[3], '\0' };

	return (unsigned)strtoul(digits, NULL, 16); /* the scanner has seen four hex digits */
}

static char *put_utf8(char *to, unsigned c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* The character of the escape at @s (behind its backslash) to *to; returns what follows it. */
static const char *put_escape(const char *s, char **to)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, *s);
	unsigned c;

	if (*s != 'u') {
		*(*to)++ = letter ? meant[letter - letters] : *s;
		return s + 1;
	}
	c = hex4(s + 1);
	s += 5;
	if (c >= 0xd800 && c <= 0xdbff) { /* a pair: the scanner lets no half pass */
		c = 0x10000 + ((c - 0xd800) << 10) + (hex4(s + 2) - 0xdc00);
		s += 6;
	}
	*to = put_utf8(*to, c);
	return s;
}

/* The string that @raw means; no escape is longer as UTF-8. NULL: no memory. */
static char *text_of(struct builder *b, const char *raw, size_t len)
{
	const char *end = raw + len;
	char *text = json_arena_text(&b->arena, len + 1), *to = text;

	if (!text)
		return NULL;
	while (raw < end) {
		const char *escape = memchr(raw, '\\', (size_t)(end - raw));
		size_t plain = (size_t)((escape ? escape : end) - raw);

		memcpy(to, raw, plain);
		to += plain;
		raw = escape ? put_escape(escape + 1, &to) : end;
	}
	*to = '\0';
	return text;
}

/* Up to 15 digits and a power of ten up to 10^22 are exact as doubles, so that one division rounds
 * once, as strtod() does (Clinger 1990). Everything else is strtod()'s. */
static double number_of(const struct builder *b, const char *raw, size_t len)
{
	static const double ten[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15 };
	char copy[JSON_NUMBER_MAX + 1];
	uint64_t digits = 0;
	size_t i = raw[0] == '-', point = 0;

	if (len <= 16) {
		for (; i < len && ((raw[i] >= '0' && raw[i] <= '9') || (raw[i] == '.')); i++) {
			if (raw[i] == '.')
				point = i + 1;
			else
				digits = digits * 10 + (uint64_t)(raw[i] - '0');
		}
		if (i == len && digits < UINT64_C(1000000000000000)) {
			double v = (double)digits / ten[point ? len - point : 0];

			return raw[0] == '-' ? -v : v;
		}
	}
	memcpy(copy, raw, len);
	copy[len] = '\0';
	return strtod_l(copy, NULL, b->c_locale);
}

/* As cJSON_CreateNumber() does. */
static void set_number(struct json *j, double v)
{
	j->valuedouble = v;
	j->valueint = v >= INT_MAX ? INT_MAX : v <= INT_MIN ? INT_MIN : (int)v;
}

static void on_open(void *listener, bool object)
{
	struct builder *b = listener;
	struct json *j = put(b, object ? NODE_OBJECT : NODE_ARRAY);

	b->in[b->depth++] = j; /* not looked at when out of memory */
}

static void on_close(void *listener)
{
	struct builder *b = listener;

	b->depth--;
}

static void on_key(void *listener, const char *raw, size_t len)
{
	struct builder *b = listener;

	b->key = b->nomem ? NULL : text_of(b, raw, len);
	b->nomem = b->nomem || !b->key;
}

static void on_scalar(void *listener, const char *raw, size_t len)
{
	struct builder *b = listener;
	int type = raw[0] == '"' ? NODE_STRING : raw[0] == 'n' ? NODE_NULL :
		raw[0] == 't' ? NODE_TRUE : raw[0] == 'f' ? NODE_FALSE : NODE_NUMBER;
	struct json *j = put(b, type);

	if (!j)
		return;
	if (type == NODE_STRING) {
		j->valuestring = text_of(b, raw + 1, len - 2);
		b->nomem = !j->valuestring;
	} else if (type == NODE_NUMBER) {
		set_number(j, number_of(b, raw, len));
	} else if (type == NODE_TRUE) {
		j->valueint = 1;
	}
}

static const struct json_events building = { on_open, on_close, on_key, on_scalar };

#define EXPECT_MAX ((size_t)256 << 10) /* bytes of text; the tree of more is made piece by piece */

static int parse(const char *text, size_t len, const char *name, size_t first_line,
	struct json **ret, struct err *reterr)
{
	/* newlocale() of "C" gives a constant object, which needs no freeing */
	struct builder b = { .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0) };
	struct json_place place = { 1, 1 };
	const char *wrong;

	json_arena_init(&b.arena, len < EXPECT_MAX ? 4 * len : 4 * EXPECT_MAX);
	wrong = json_scan_events(text, len, &building, &b, &place);
	if (!wrong && !b.nomem) {
		json_arena_end(&b.arena, b.root);
		*ret = b.root;
		return 0;
	}
	json_arena_drop(&b.arena);
	if (!wrong)
		return err_nomem(reterr);
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s:%zu:%zu: %s", name,
		place.line + first_line - 1, place.column, wrong);
}

/* -- keys that stand twice --------------------------------------------------------------------- */

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

/* Few keys are compared each with each: objects of results have six or so, and there are many. */
#define FEW_KEYS 12

static bool has_twin(const struct json *obj, size_t n)
{
	if (n > FEW_KEYS)
		return true; /* sorting will tell */
	for (const struct json *a = obj->child; a; a = a->next) {
		for (const struct json *b = a->next; b; b = b->next) {
			if (json_is_key(a->string, b->string))
				return true;
		}
	}
	return false;
}

/* Numbers the keys below @item in document order from *count + 1 on and keeps in *ret_number the
 * first that repeats a name of its own object. Returns its name, NULL, or sets *nomem. */
static const char *find_duplicate(const struct json *item, size_t *count, size_t *ret_number,
	bool *nomem)
{
	bool object = json_is(item, NODE_OBJECT);
	const char *found = NULL;
	struct key_ref *keys = NULL;
	size_t n = object ? json_len(item) : 0, first = SIZE_MAX;

	if (n > 1 && has_twin(item, n)) {
		keys = calloc(n, sizeof(*keys));
		if (!keys) {
			*nomem = true;
			return NULL;
		}
	}
	n = 0;
	for (const struct json *c = item->child; c && !*nomem; c = c->next) {
		const char *below;
		size_t number;

		if (object)
			++*count;
		if (keys)
			keys[n++] = (struct key_ref){ c->string, *count };
		if (!c->child)
			continue;
		below = find_duplicate(c, count, &number, nomem);
		if (below && number < first) {
			found = below;
			first = number;
		}
	}
	if (keys) {
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

static int check_tree(const struct json *root, const char *text, size_t len, const char *name,
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
static bool keep_last(struct json *item)
{
	size_t n = 0, total = json_len(item);
	struct key_ref *keys;

	for (const struct json *c = json_first(item); c; c = json_next(c)) {
		/* a part of @item, which is ours to change */
		if (json_first(c) && !keep_last((struct json *)c))
			return false;
	}
	if (json_type(item) != JSON_OBJECT || total < 2)
		return true;
	keys = calloc(total, sizeof(*keys));
	if (!keys)
		return false;
	for (const struct json *c = json_first(item); c; c = json_next(c), n++)
		keys[n] = (struct key_ref){ json_key(c), n };
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 0; i + 1 < n; i++) {
		if (strcmp(keys[i].name, keys[i + 1].name) == 0)
			json_remove(item, keys[i + 1].name); /* the first of this name */
	}
	free(keys);
	return true;
}

int json_parse(const char *text, size_t len, const char *name, struct json **ret,
	struct err *reterr)
{
	struct json *root;
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
		json_free(root);
		return r;
	}
	*ret = root;
	return 0;
}

int json_parse_lenient(const char *text, size_t len, const char *name, size_t first_line,
	struct json **ret, struct err *reterr)
{
	struct json *root;
	int r = parse(text, len, name, first_line, &root, reterr);

	if (r < 0)
		return r;
	if (!keep_last(root)) {
		json_free(root);
		return err_nomem(reterr);
	}
	*ret = root;
	return 0;
}
