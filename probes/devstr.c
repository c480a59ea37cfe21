/* devstr.c - cleaning of strings that come from devices. */
#include "probes/devstr.h"

#include <stdbool.h>
#include <string.h>

#define ATA_STRING_MAX 80

/* Bytes of the valid UTF-8 character at @s (1 to 4), 0 if there is none. Source: RFC 3629, 4. */
static size_t utf8_char(const uint8_t *s, size_t len, uint32_t *ret_code)
{
	static const uint32_t lowest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t code;
	size_t i;

	if (n == 1) {
		*ret_code = s[0];
		return 1;
	}
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	code = s[0] & (0xffu >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < lowest[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return n;
}

/* Controls, line and paragraph separators, and marks that reorder what is shown around them. */
static bool is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0xfeff ||
		(c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
		(c >= 0x2060 && c <= 0x206f);
}

static bool is_padding(uint8_t c)
{
	return c == ' ' || c == '\0';
}

char *devstr_clean(char *dst, size_t size, const uint8_t *src, size_t len)
{
	size_t at = 0, used = 0;

	if (size == 0)
		return dst;
	while (at < len && is_padding(src[at]))
		at++;
	while (len > at && is_padding(src[len - 1]))
		len--;
	while (at < len) {
		uint32_t code = 0;
		size_t n = utf8_char(src + at, len - at, &code);
		bool keep = n > 0 && !is_harmful(code);
		size_t out = keep ? n : 1;

		if (used + out >= size)
			break;
		if (keep)
			memcpy(dst + used, src + at, n);
		else
			dst[used] = src[at] == '\0' ? ' ' : '?';
		used += out;
		at += n > 0 ? n : 1;
	}
	dst[used] = '\0';
	return dst;
}

char *devstr_clean_ata(char *dst, size_t size, const uint8_t *words, size_t len)
{
	uint8_t plain[ATA_STRING_MAX];
	size_t i;

	if (len > sizeof(plain))
		len = sizeof(plain);
	for (i = 0; i + 1 < len; i += 2) {
		plain[i] = words[i + 1];
		plain[i + 1] = words[i];
	}
	return devstr_clean(dst, size, plain, i);
}
