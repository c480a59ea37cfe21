/* scrub.c - identifiers replaced by pseudonyms. */
#include "probes/scrub.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Shorter ones are found as whole words only, and are no numbers of the world wide kind. */
enum { LEN_MIN = 3, LEN_SURE = 8 };

struct secret {
	uint8_t *from, *to;
	size_t len;
	bool hex;    /* hex digits: found in either case */
	bool binary; /* the bytes of a number */
};

struct scrub {
	uint64_t key;
	struct secret *secrets; /* the longest first */
	size_t count;
};

struct scrub *scrub_new(void)
{
	struct scrub *s = calloc(1, sizeof(*s));

	if (s && getrandom(&s->key, sizeof(s->key), 0) != (ssize_t)sizeof(s->key)) {
		free(s);
		return NULL;
	}
	return s;
}

void scrub_free(struct scrub *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		free(s->secrets[i].from);
		free(s->secrets[i].to);
	}
	free(s->secrets);
	free(s);
}

/* splitmix64: spreads the key and the bytes so far over the next character. The key is secret and
 * forgotten, so no stronger mixing is needed. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static bool is_hex(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit(bytes[i]))
			return false;
	return true;
}

static uint8_t replaced(uint8_t c, bool hex, uint64_t r)
{
	if (hex && isxdigit(c))
		return (uint8_t)((isupper(c) ? "0123456789ABCDEF" : "0123456789abcdef")[r % 16]);
	if (isdigit(c))
		return (uint8_t)('0' + r % 10);
	if (isupper(c))
		return (uint8_t)('A' + r % 26);
	if (islower(c))
		return (uint8_t)('a' + r % 26);
	return c < 0x80 ? c : (uint8_t)'x';
}

static void make_pseudonym(const struct scrub *s, struct secret *secret)
{
	uint64_t state = s->key;

	for (size_t i = 0; i < secret->len; i++)
		state = mix(state ^ (secret->hex ? (uint8_t)tolower(secret->from[i]) :
						   secret->from[i]));
	for (size_t i = 0; i < secret->len; i++) {
		state = mix(state);
		/* The first digit of a world wide name says what kind of name it is. */
		secret->to[i] = i == 0 && secret->hex ? secret->from[0] :
			replaced(secret->from[i], secret->hex, state >> 32);
	}
}

static int insert(struct scrub *s, struct secret secret)
{
	struct secret *grown = realloc(s->secrets, (s->count + 1) * sizeof(*grown));
	size_t at = 0;

	if (!grown)
		return -ENOMEM;
	s->secrets = grown;
	while (at < s->count && grown[at].len >= secret.len)
		at++;
	memmove(grown + at + 1, grown + at, (s->count - at) * sizeof(*grown));
	grown[at] = secret;
	s->count++;
	return 0;
}

static bool matches(const struct secret *secret, const uint8_t *at)
{
	if (!secret->hex)
		return memcmp(secret->from, at, secret->len) == 0;
	for (size_t i = 0; i < secret->len; i++)
		if (tolower(secret->from[i]) != tolower(at[i]))
			return false;
	return true;
}

static int add(struct scrub *s, const uint8_t *bytes, size_t len)
{
	struct secret secret = { .len = len, .hex = len >= LEN_SURE && is_hex(bytes, len) };

	for (size_t i = 0; i < s->count; i++)
		if (!s->secrets[i].binary && s->secrets[i].len == len &&
			matches(&s->secrets[i], bytes))
			return 0;
	secret.from = malloc(len);
	secret.to = malloc(len);
	if (secret.from && secret.to) {
		memcpy(secret.from, bytes, len);
		make_pseudonym(s, &secret);
		if (insert(s, secret) == 0)
			return 0;
	}
	free(secret.from);
	free(secret.to);
	return -ENOMEM;
}

int scrub_add(struct scrub *s, const void *bytes, size_t len)
{
	const uint8_t *b = bytes;

	while (len && (b[0] == ' ' || b[0] == '\0' || b[0] == '\n')) {
		b++;
		len--;
	}
	while (len && (b[len - 1] == ' ' || b[len - 1] == '\0' || b[len - 1] == '\n'))
		len--;
	return len < LEN_MIN ? 0 : add(s, b, len);
}

static uint8_t hex_value(uint8_t c)
{
	return (uint8_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
}

int scrub_add_binary(struct scrub *s, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	struct secret number = { .len = len, .binary = true };
	uint8_t text[64];
	const struct secret *same = NULL;

	if (len < LEN_MIN || len * 2 > sizeof(text))
		return 0;
	for (size_t i = 0; i < len; i++) {
		text[2 * i] = (uint8_t)digits[bytes[i] >> 4];
		text[2 * i + 1] = (uint8_t)digits[bytes[i] & 15];
	}
	if (add(s, text, len * 2) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		if (s->secrets[i].binary && s->secrets[i].len == len &&
			memcmp(s->secrets[i].from, bytes, len) == 0)
			return 0;
		if (!s->secrets[i].binary && s->secrets[i].len == len * 2 &&
			matches(&s->secrets[i], text))
			same = &s->secrets[i];
	}
	number.from = malloc(len);
	number.to = malloc(len);
	if (number.from && number.to && same) {
		memcpy(number.from, bytes, len);
		for (size_t i = 0; i < len; i++)
			number.to[i] = (uint8_t)(hex_value(same->to[2 * i]) << 4 |
				hex_value(same->to[2 * i + 1]));
		if (insert(s, number) == 0)
			return 0;
	}
	free(number.from);
	free(number.to);
	return -ENOMEM;
}

static void put(const struct secret *secret, uint8_t *at)
{
	for (size_t i = 0; i < secret->len; i++)
		at[i] = secret->hex && isupper(at[i]) ? (uint8_t)toupper(secret->to[i]) :
			secret->hex && islower(at[i]) ? (uint8_t)tolower(secret->to[i]) :
			secret->to[i];
}

static bool is_whole(const uint8_t *buf, size_t len, size_t at, size_t n)
{
	return (at == 0 || !isalnum(buf[at - 1])) && (at + n == len || !isalnum(buf[at + n]));
}

static void replace(const struct scrub *s, uint8_t *buf, size_t len, bool binary)
{
	size_t at = 0;

	while (at < len) {
		size_t step = 1;

		for (size_t i = 0; i < s->count; i++) {
			const struct secret *secret = &s->secrets[i];

			if (secret->binary == binary && secret->len <= len - at &&
				matches(secret, buf + at) && (binary ||
					secret->len >= LEN_SURE ||
					is_whole(buf, len, at, secret->len))) {
				put(secret, buf + at);
				step = secret->len;
				break;
			}
		}
		at += step;
	}
}

void scrub_text(const struct scrub *s, void *text, size_t len)
{
	replace(s, text, len, false);
}

static void swap_words(uint8_t *buf, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		uint8_t c = buf[i];

		buf[i] = buf[i + 1];
		buf[i + 1] = c;
	}
}

void scrub_bytes(const struct scrub *s, uint8_t *buf, size_t len)
{
	replace(s, buf, len, false);
	replace(s, buf, len, true);
	swap_words(buf, len);
	replace(s, buf, len, false);
	replace(s, buf, len, true);
	swap_words(buf, len);
}
