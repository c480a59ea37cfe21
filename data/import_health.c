/* import_health.c - counters as other tools print them, and health into a document. */
#include "data/import_health.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1,234,567" and "1.234.567" of locales with separators; nothing else but digits. */
static bool parse_grouped(const char *s, u128 *ret)
{
	char digits[U128_BUF];
	size_t n = 0;

	for (; *s; s++) {
		if (*s == ',' || *s == '.' || *s == '\'' || *s == ' ')
			continue;
		if (n + 1 >= sizeof(digits))
			return false;
		digits[n++] = *s;
	}
	digits[n] = '\0';
	return u128_parse(digits, ret);
}

/* A number as JSON has it: a double, which rounds at 53 bits. */
static bool plain(const struct json *j, u128 *ret, bool *ret_rounded)
{
	double v;

	if (json_u128(j, ret))
		return true;
	if (!json_f64(j, &v) || !(v >= 9007199254740992.0) || v >= 3.4028236692093846e38)
		return false;
	*ret = (u128)v;
	*ret_rounded = true;
	return true;
}

static bool halves(const struct json *j, u128 *ret, bool *ret_rounded)
{
	u128 hi, lo;

	if (!plain(json_get(j, "hi"), &hi, ret_rounded) ||
		!plain(json_get(j, "lo"), &lo, ret_rounded) || hi >> 64 || lo >> 64)
		return false;
	*ret = hi << 64 | lo;
	return true;
}

bool import_number(const struct json *obj, const char *key, u128 *ret, bool *ret_rounded)
{
	const struct json *j = json_get(obj, key);
	char exact[64];

	*ret_rounded = false;
	(void)snprintf(exact, sizeof(exact), "%s_s", key); /* our own keys: fits */
	if (json_str(json_get(obj, exact)) && u128_parse(json_str(json_get(obj, exact)), ret))
		return true;
	if (json_str(j))
		return parse_grouped(json_str(j), ret);
	if (json_type(j) == JSON_OBJECT)
		return halves(j, ret, ret_rounded);
	return plain(j, ret, ret_rounded);
}

void import_count(const struct json *obj, const char *key, struct smart_count *c)
{
	bool rounded;
	u128 v;

	if (import_number(obj, key, &v, &rounded))
		smart_set_count(c, v);
}

void import_bytes(const struct json *obj, const char *key, uint64_t step_bytes, const char *source,
	struct smart_bytes *b)
{
	bool rounded;
	u128 v;

	if (!import_number(obj, key, &v, &rounded))
		return;
	smart_set_bytes(b, v, step_bytes, "%s%s", source,
		rounded ? ", rounded where it was printed" : "");
	b->at_least = b->at_least || rounded;
}

int import_attach(struct result *r, struct json *target, const struct smart_health *h,
	struct err *reterr)
{
	struct json *smart = result_section(r, "smart");
	int bad = json_set(r->doc, "target", target);

	bad |= json_set_null(smart, "before");
	bad |= json_set(smart, "after", smart_to_json(h));
	if (h->taken_at[0])
		bad |= json_set_str(result_section(r, "settings"), "started_at", h->taken_at);
	return bad ? err_nomem(reterr) : 0;
}
