/* json_scan.h - strict check of JSON text, with the place of the first mistake.
 *
 * cJSON accepts more than JSON (control characters as blanks, "01", "1.", NUL escapes that cut a
 * string) and cannot say in which line it stopped. Text that passes here is JSON as RFC 8259 has
 * it, in valid UTF-8; json_parse.c makes its values of it in the same pass.
 */
#ifndef SSDQUAL_DATA_JSON_SCAN_H
#define SSDQUAL_DATA_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH_MAX 200
#define JSON_NUMBER_MAX 63 /* characters of a number */

struct json_place {
	size_t line, column; /* from 1; the column counts characters, not bytes */
};

/* json_scan - check @text of @len bytes.
 * @key_number: 0, or n: also report where the n-th key (from 1, in document order) stands
 * @ret: the place of the mistake, or of that key; untouched otherwise
 * Returns NULL when it is JSON, else what is wrong (a constant, borrowed). */
const char *json_scan(const char *text, size_t len, size_t key_number, struct json_place *ret);

/* What stands in the text, in document order: whoever listens sees each value after it was checked,
 * what is inside an object or array before its close. Texts are borrowed from the document. */
struct json_events {
	void (*open)(void *listener, bool object);
	void (*close)(void *listener);
	void (*key)(void *listener, const char *raw, size_t len);    /* without its quotes */
	void (*scalar)(void *listener, const char *raw, size_t len); /* a string with its quotes */
};

/* json_scan_events - json_scan() that tells @listener what it passes. After a mistake it tells no
 * more, and what was opened is not closed. */
const char *json_scan_events(const char *text, size_t len, const struct json_events *tell,
	void *listener, struct json_place *ret);

/* utf8_length - bytes (1..4) of the valid UTF-8 sequence at @s, of which @len bytes (>= 1) may be
 * read; 0 when it is broken (overlong forms, surrogates and values above U+10FFFF included).
 * Source: RFC 3629, section 4. */
size_t utf8_length(const char *s, size_t len);

#endif
