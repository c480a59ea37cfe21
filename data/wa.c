/* wa.c - readings of byte counters, and their JSON. */
#include "data/wa.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *wa_level_word(enum wa_level level)
{
	static const char *const words[WA_LEVELS] = { [WA_CLIENT] = "client",
		[WA_STORE] = "store", [WA_BLOCK] = "block", [WA_DISK] = "disk",
		[WA_HOST] = "host", [WA_NAND] = "nand" };

	return words[level];
}

/* Strings of drives and files are cut where they do not fit: they only inform. */
static void put(char *buf, size_t len, const char *text)
{
	(void)snprintf(buf, len, "%s", text ? text : "");
}

void wa_chain_init(struct wa_chain *c, const char *name)
{
	memset(c, 0, sizeof(*c));
	put(c->name, sizeof(c->name), name);
	c->discard_bytes = c->flushes = c->read_bytes = NAN;
}

void wa_reading_set(struct wa_reading *r, uint64_t bytes, uint64_t step, const char *fmt, ...)
{
	va_list ap;

	r->known = true;
	r->bytes = bytes;
	r->step = step;
	r->why[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(r->source, sizeof(r->source), fmt, ap);
	va_end(ap);
}

void wa_reading_lack(struct wa_reading *r, const char *fmt, ...)
{
	va_list ap;

	r->known = false;
	r->bytes = r->step = 0;
	r->source[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
}

/* ", text" at the end of @buf unless it is there already. */
static void list(char *buf, size_t len, const char *text)
{
	size_t used = strlen(buf);

	if (text[0] && !strstr(buf, text))
		(void)snprintf(buf + used, len - used, "%s%s", used ? ", " : "", text);
}

void wa_reading_add(struct wa_reading *r, const struct wa_reading *part)
{
	bool first = !r->known && !r->why[0];

	list(r->whose, sizeof(r->whose), part->whose);
	if (!part->known || (!first && !r->known)) {
		list(r->why, sizeof(r->why), part->known ? "" : part->why);
		r->known = false;
		r->bytes = r->step = 0;
		r->source[0] = '\0';
		return;
	}
	if (__builtin_add_overflow(r->bytes, part->bytes, &r->bytes)) {
		wa_reading_lack(r, "the sum is more than 64 bits hold");
		return;
	}
	r->known = true;
	r->step += part->step;
	list(r->source, sizeof(r->source), part->source);
}

void wa_counter_total(struct wa_counter *c, uint64_t bytes, uint64_t step, const char *source)
{
	memset(c, 0, sizeof(*c));
	wa_reading_set(&c->before, 0, step, "%s", source);
	wa_reading_set(&c->after, bytes, step, "%s", source);
}

/* -- JSON ----------------------------------------------------------------------------------- */

static void set_reading(struct json *o, const char *key, const struct wa_reading *r)
{
	if (r->known)
		(void)json_set_u64(o, key, r->bytes);
	else
		(void)json_set_null(o, key);
}

struct json *wa_counter_json(const struct wa_counter *c)
{
	const struct wa_reading *a = &c->before, *b = &c->after;
	struct json *o = json_new_object();
	const char *source = b->source[0] ? b->source : a->source;
	const char *why = b->why[0] ? b->why : a->why;

	set_reading(o, "before_bytes", a);
	set_reading(o, "after_bytes", b);
	if (a->known && b->known)
		(void)json_set_u64(o, "step_bytes", a->step > b->step ? a->step : b->step);
	else
		(void)json_set_null(o, "step_bytes");
	(void)json_set_str(o, "source", source[0] ? source : NULL);
	(void)json_set_str(o, "whose_before", a->whose[0] ? a->whose : NULL);
	(void)json_set_str(o, "whose_after", b->whose[0] ? b->whose : NULL);
	if (json_set_str(o, "why", why[0] ? why : NULL) < 0) {
		json_free(o);
		return NULL;
	}
	return o;
}

/* Key @key of @o times @unit: 0 and known, 1 absent or null, -EBADMSG. */
static int get_bytes(const struct json *o, const char *key, uint64_t unit, uint64_t *ret)
{
	const struct json *j = json_get(o, key);
	uint64_t v;

	if (json_is_null(j))
		return 1;
	if (!json_u64(j, &v) || __builtin_mul_overflow(v, unit, ret))
		return -EBADMSG;
	return 0;
}

static int counter_from_json(const struct json *o, struct wa_counter *c)
{
	static const char *const keys[][2] = { { "before_bytes", "after_bytes" },
		{ "before", "after" } };
	const char *source = json_str(json_get(o, "source")), *why = json_str(json_get(o, "why"));
	uint64_t unit = 1, step, a = 0, b = 0;
	int r = 1, r2 = 1;

	(void)json_u64(json_get(o, "unit_bytes"), &unit);
	step = unit > 1 ? unit : 0;
	(void)json_u64(json_get(o, "step_bytes"), &step);
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < 2 && r == 1 && r2 == 1; i++) {
		r = get_bytes(o, keys[i][0], i ? unit : 1, &a);
		r2 = get_bytes(o, keys[i][1], i ? unit : 1, &b);
	}
	if (r == 1 && r2 == 1) {
		r2 = get_bytes(o, "count", unit, &b);
		r = r2;
	}
	if (r < 0 || r2 < 0)
		return -EBADMSG;
	if (r == 0)
		wa_reading_set(&c->before, a, step, "%s", source ? source : "stated");
	else
		wa_reading_lack(&c->before, "%s", why ? why : "not stated");
	if (r2 == 0)
		wa_reading_set(&c->after, b, step, "%s", source ? source : "stated");
	else
		wa_reading_lack(&c->after, "%s", why ? why : "not stated");
	put(c->before.whose, sizeof(c->before.whose), json_str(json_get(o, "whose_before")));
	put(c->after.whose, sizeof(c->after.whose), json_str(json_get(o, "whose_after")));
	/* A level that does not apply is kept as one: nothing is missing there. */
	if (r != 0 && r2 != 0 && !why && json_type(json_get(o, "why")) == JSON_NULL &&
		json_get(o, "why"))
		c->before.why[0] = c->after.why[0] = '\0';
	return 0;
}

static double number(const struct json *o, const char *key)
{
	double v = NAN;

	(void)json_f64(json_get(o, key), &v);
	return v;
}

int wa_chain_from_json(const struct json *j, const char *name, struct wa_chain *ret,
	struct err *reterr)
{
	const struct json *levels = json_get(j, "levels");
	struct wa_chain c;

	wa_chain_init(&c, json_str(json_get(j, "name")));
	put(c.role, sizeof(c.role), json_str(json_get(j, "role")));
	c.discard_bytes = number(j, "discard_bytes");
	c.flushes = number(j, "flushes");
	c.read_bytes = number(j, "read_bytes");
	for (int i = 0; i < WA_LEVELS; i++) {
		const char *word = wa_level_word(i);
		const struct json *o = json_get(levels, word);

		if (json_is_null(o))
			continue;
		if (counter_from_json(o, &c.level[i]) < 0)
			return err_set(reterr, ERR_INPUT, -EBADMSG,
				"%s: %s, level %s: a count is no whole number of up to 64 bits; "
				"give before_bytes and after_bytes, or count and unit_bytes",
				name, c.name, word);
	}
	*ret = c;
	return 0;
}
