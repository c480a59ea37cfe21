/* json.h - the JSON values of result documents, inputs and --json output.
 *
 * A thin skin over cJSON, whose header is included in json.c only. One sentence on ownership: a
 * tree is owned by whoever holds its root; json_set() and json_append() take the value they are
 * given (a root; also when they fail), every `const struct json *` or `const char *` returned is
 * borrowed and lives as long as its tree.
 * A tree that was parsed or copied stands in memory of its root: what is replaced or removed in it
 * is given back with the root only. To keep a small part of a large document, json_copy() it.
 *
 * Numbers: cJSON keeps doubles, so integers of 2^52 and up are written as decimal strings and
 * json_u64() reads both forms (measured on cJSON 1.7.15: its own printing changes integers just
 * above 2^52). Any double survives printing and parsing here. NaN and infinities are written as
 * null: unknown is null.
 * Not thread-safe (two threads with a tree each are fine); the locale does not matter.
 */
#ifndef SSDQUAL_DATA_JSON_H
#define SSDQUAL_DATA_JSON_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* a JSON value; its inside is in json_tree.h */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* -- reading -------------------------------------------------------------------------------- */

/* json_parse - parse exactly one document of @len bytes; @name is for messages (a file's path).
 * A UTF-8 byte order mark is skipped. Refused with -EBADMSG, ERR_INPUT and "NAME:LINE:COLUMN:":
 * empty input, NUL bytes, broken UTF-8, trailing text, nesting above 200, duplicate keys. */
int json_parse(const char *text, size_t len, const char *name, struct json **ret,
	struct err *reterr);

/* json_parse_lenient - the same for what other tools write: a key that stands twice in an object is
 * no mistake (fio repeats options), its last value counts.
 * @first_line: line of its file on which @text begins, for messages. */
int json_parse_lenient(const char *text, size_t len, const char *name, size_t first_line,
	struct json **ret, struct err *reterr);

/* json_load - read and parse the file @path, at most @max_bytes of it (more: -EFBIG, ERR_INPUT,
 * with the limit named). @path "-" reads standard input. Directories, FIFOs and devices given by
 * name are refused (-EINVAL), not waited for. */
int json_load(const char *path, size_t max_bytes, struct json **ret, struct err *reterr);
#define JSON_FILE_MAX ((size_t)64 << 20)

/* json_open - open @path for reading as json_load() does ("-": a copy of standard input's
 * descriptor). The caller closes *ret_fd. ERR_INPUT as there. */
int json_open(const char *path, int *ret_fd, struct err *reterr);

void json_free(struct json *j); /* NULL allowed; only for a root */
struct json *json_copy(const struct json *j); /* deep, a root; NULL for NULL or out of memory */

enum json_type json_type(const struct json *j); /* JSON_NULL for NULL */
bool json_is_null(const struct json *j);        /* true for NULL, too: absent is unknown */
const struct json *json_get(const struct json *obj, const char *key); /* NULL: absent, or no object */
const struct json *json_path(const struct json *j, const char *dotted); /* "target.write_cache.drive" */
struct json *json_get_mut(struct json *obj, const char *key);
size_t json_len(const struct json *j);                       /* members; 0 for scalars */
const struct json *json_first(const struct json *j);         /* first member or element */
const struct json *json_next(const struct json *member);     /* NULL at the end */
const char *json_key(const struct json *member);             /* NULL for array elements */
const struct json *json_at(const struct json *arr, size_t i); /* O(i) */

const char *json_str(const struct json *j); /* NULL when it is no string */
/* The three below return true and set *ret, or false with *ret untouched. json_u64 takes whole
 * numbers in [0, 2^53] and decimal strings of the full range. */
bool json_u64(const struct json *j, uint64_t *ret);
bool json_f64(const struct json *j, double *ret);
bool json_bool(const struct json *j, bool *ret);

/* -- building ------------------------------------------------------------------------------- */
/* Constructors return NULL when out of memory; setters accept that NULL and return -ENOMEM, so
 * that a chain of sets needs one check at its end (or none where a later check follows). */

struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_str(const char *s); /* NULL gives null; broken UTF-8 becomes U+FFFD */
struct json *json_new_u64(uint64_t v);    /* a decimal string from 2^52 up */
struct json *json_new_f64(double v);      /* NaN, inf: null */
struct json *json_new_bool(bool v);
struct json *json_new_null(void);

/* Both take @value. -ENOMEM; -EINVAL: @obj is no object, @arr no array. */
int json_set(struct json *obj, const char *key, struct json *value); /* replaces */
int json_append(struct json *arr, struct json *value);
int json_set_str(struct json *obj, const char *key, const char *s);
int json_set_u64(struct json *obj, const char *key, uint64_t v);
int json_set_f64(struct json *obj, const char *key, double v);
int json_set_bool(struct json *obj, const char *key, bool v);
int json_set_null(struct json *obj, const char *key);
void json_remove(struct json *obj, const char *key);

/* json_print - text of the tree, with a final newline when @pretty. Caller frees. NULL: no memory. */
char *json_print(const struct json *j, bool pretty);

#endif
