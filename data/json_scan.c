/* json_scan.c - a state machine over JSON text that keeps no values, only the place, and tells
 * whoever wants them. */
#include "data/json_scan.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	const char *p, *end, *text;
	size_t keys, want_key;
	const char *key_at;
	unsigned depth;
	uint8_t is_object[JSON_DEPTH_MAX];
	const struct json_events *tell; /* NULL: nobody listens */
	void *listener;
};

size_t utf8_length(const char *str, size_t len)
{
	const unsigned char *s = (const unsigned char *)str;
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (len < n)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++) {
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	}
	return n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static int hex4(const struct scan *s, const char *p, unsigned *ret)
{
	unsigned v = 0;

	if (s->end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		if (is_digit(c))
			v = v * 16 + (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (unsigned)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = v * 16 + (unsigned)(c - 'A' + 10);
		else
			return -1;
	}
	*ret = v;
	return 0;
}

/* At a backslash; leaves the place on it when the escape is wrong. */
static const char *scan_escape(struct scan *s)
{
	unsigned unit, second;

	if (s->end - s->p < 2)
		return "the text ends inside a string";
	if (s->p[1] != 'u') {
		if (!s->p[1] || !strchr("\"\\/bfnrt", s->p[1]))
			return "unknown escape sequence in a string";
		s->p += 2;
		return NULL;
	}
	if (hex4(s, s->p + 2, &unit))
		return "\\u needs four hexadecimal digits";
	if (unit == 0)
		return "NUL (\\u0000) in a string";
	if (unit >= 0xd800 && unit <= 0xdfff) {
		if (unit >= 0xdc00 || s->end - s->p < 12 || s->p[6] != '\\' || s->p[7] != 'u' ||
			hex4(s, s->p + 8, &second) || second < 0xdc00 || second > 0xdfff)
			return "half of a surrogate pair in a string";
		s->p += 6;
	}
	s->p += 6;
	return NULL;
}

static const char *scan_string(struct scan *s)
{
	const char *open = s->p++;

	while (s->p < s->end) {
		unsigned char c = (unsigned char)*s->p;
		size_t n;

		if (c == '"') {
			s->p++;
			return NULL;
		}
		if (c == '\\') {
			const char *wrong = scan_escape(s);

			if (wrong)
				return wrong;
			continue;
		}
		if (c == 0)
			return "NUL byte";
		if (c < 0x20)
			return "control character in a string; escape it";
		n = utf8_length(s->p, (size_t)(s->end - s->p));
		if (n == 0)
			return "broken UTF-8";
		s->p += n;
	}
	s->p = open;
	return "this string has no end";
}

/* Only an exponent takes a number of JSON_NUMBER_MAX characters beyond the range of a double. */
static bool overflows(const char *start, const char *end)
{
	char copy[JSON_NUMBER_MAX + 1] = "";

	memcpy(copy, start, (size_t)(end - start));
	return isinf(strtod_l(copy, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0)));
}

static const char *scan_number(struct scan *s)
{
	const char *start = s->p;
	bool exponent = false;

	if (*s->p == '-')
		s->p++;
	if (s->p == s->end || !is_digit(*s->p))
		return "a digit is missing in a number";
	if (*s->p == '0' && s->end - s->p > 1 && is_digit(s->p[1]))
		return "a number may not start with 0";
	while (s->p < s->end && is_digit(*s->p))
		s->p++;
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (s->p == s->end || !is_digit(*s->p))
			return "a digit is missing after the decimal point";
		while (s->p < s->end && is_digit(*s->p))
			s->p++;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		exponent = true;
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		if (s->p == s->end || !is_digit(*s->p))
			return "a digit is missing in an exponent";
		while (s->p < s->end && is_digit(*s->p))
			s->p++;
	}
	if (s->p - start > JSON_NUMBER_MAX) {
		s->p = start;
		return "a number of more than 63 characters";
	}
	if (exponent && overflows(start, s->p)) {
		s->p = start;
		return "a number outside the range of a double";
	}
	return NULL;
}

static const char *scan_word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(s->end - s->p) >= n && memcmp(s->p, words[i], n) == 0) {
			s->p += n;
			return NULL;
		}
	}
	if (*s->p == 0)
		return "NUL byte";
	if (utf8_length(s->p, (size_t)(s->end - s->p)) == 0)
		return "broken UTF-8";
	return "a value is expected here";
}

static const char *scan_key(struct scan *s)
{
	const char *wrong, *open;

	skip_blanks(s);
	if (s->p == s->end)
		return "the text ends inside an object";
	if (*s->p != '"')
		return *s->p ? "a key in double quotes is expected here" : "NUL byte";
	if (++s->keys == s->want_key)
		s->key_at = s->p;
	open = s->p + 1;
	wrong = scan_string(s);
	if (wrong)
		return wrong;
	if (s->tell)
		s->tell->key(s->listener, open, (size_t)(s->p - 1 - open));
	skip_blanks(s);
	if (s->p == s->end)
		return "the text ends inside an object";
	if (*s->p != ':')
		return "a colon is expected here";
	s->p++;
	return NULL;
}

static void scan_close(struct scan *s)
{
	s->depth--;
	if (s->tell)
		s->tell->close(s->listener);
}

/* Opens an object or array: *ret_closed says whether it was empty and is over already. */
static const char *scan_open(struct scan *s, bool *ret_closed)
{
	bool object = *s->p == '{';

	*ret_closed = false;
	if (s->depth == JSON_DEPTH_MAX)
		return "nested more than 200 deep";
	s->is_object[s->depth++] = object;
	if (s->tell)
		s->tell->open(s->listener, object);
	s->p++;
	skip_blanks(s);
	if (s->p < s->end && *s->p == (object ? '}' : ']')) {
		s->p++;
		scan_close(s);
		*ret_closed = true;
		return NULL;
	}
	return object ? scan_key(s) : NULL;
}

/* After a value: commas and closing brackets, until another value is due or the text is over. */
static const char *scan_after_value(struct scan *s)
{
	while (s->depth > 0) {
		bool object = s->is_object[s->depth - 1];

		skip_blanks(s);
		if (s->p == s->end)
			return object ? "the text ends inside an object"
				      : "the text ends inside an array";
		if (*s->p == ',') {
			s->p++;
			return object ? scan_key(s) : NULL;
		}
		if (*s->p != (object ? '}' : ']')) {
			if (*s->p == 0)
				return "NUL byte";
			return object ? "a comma or } is expected here"
				      : "a comma or ] is expected here";
		}
		s->p++;
		scan_close(s);
	}
	return NULL;
}

/* A string, a number or a word. */
static const char *scan_scalar(struct scan *s)
{
	const char *start = s->p, *wrong;

	if (*s->p == '"')
		wrong = scan_string(s);
	else if (*s->p == '-' || is_digit(*s->p))
		wrong = scan_number(s);
	else
		wrong = scan_word(s);
	if (!wrong && s->tell)
		s->tell->scalar(s->listener, start, (size_t)(s->p - start));
	return wrong;
}

static const char *scan_value(struct scan *s)
{
	for (;;) {
		const char *wrong = NULL;
		bool closed = true;

		skip_blanks(s);
		if (s->p == s->end)
			return s->depth ? "the text ends where a value is expected" : "no JSON in it";
		if (*s->p == '{' || *s->p == '[')
			wrong = scan_open(s, &closed);
		else
			wrong = scan_scalar(s);
		if (wrong)
			return wrong;
		if (!closed)
			continue;
		wrong = scan_after_value(s);
		if (wrong || s->depth == 0)
			return wrong;
	}
}

static struct json_place place_of(const struct scan *s, const char *at)
{
	struct json_place place = { 1, 1 };

	for (const char *p = s->text; p < at; p++) {
		if (*p == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)*p & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

static const char *scan_document(struct scan *s, struct json_place *ret)
{
	const char *wrong = scan_value(s);

	if (!wrong) {
		skip_blanks(s);
		if (s->p < s->end)
			wrong = *s->p ? "text after the end of the document" : "NUL byte";
	}
	if (wrong)
		*ret = place_of(s, s->p);
	else if (s->key_at)
		*ret = place_of(s, s->key_at);
	return wrong;
}

const char *json_scan(const char *text, size_t len, size_t key_number, struct json_place *ret)
{
	struct scan s = { .p = text, .end = text + len, .text = text, .want_key = key_number };

	return scan_document(&s, ret);
}

const char *json_scan_events(const char *text, size_t len, const struct json_events *tell,
	void *listener, struct json_place *ret)
{
	struct scan s = { .p = text, .end = text + len, .text = text, .tell = tell,
		.listener = listener };

	return scan_document(&s, ret);
}
