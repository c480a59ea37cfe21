/* compare.c - which rows can be compared, and what becomes of them. */
#include "policies/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEGS_MAX 64

const char *compare_word(enum compare_word w)
{
	static const char *const words[] = { "same", "improved", "worse", "cannot tell",
		"not comparable" };

	return words[w];
}

/* -- is it the same question? ------------------------------------------------------------------ */

static bool is_one_of(const char *const *list, const char *s)
{
	for (; *list; list++)
		if (strcmp(*list, s) == 0)
			return true;
	return false;
}

/* Numbers, true and false as fio writes them; "none" and absent are 0. */
static double as_number(const struct json *j)
{
	const char *s = json_str(j);
	double v = NAN;
	bool b;

	if (json_is_null(j) || (s && strcmp(s, "none") == 0))
		return 0;
	if (json_bool(j, &b))
		return b;
	(void)json_f64(j, &v);
	return v;
}

static bool same_value(const struct json *a, const struct json *b)
{
	const char *s = json_str(a), *t = json_str(b);

	if (s && t)
		return strcmp(s, t) == 0;
	return as_number(a) == as_number(b);
}

static const char *value_text(const struct json *j, char *buf, size_t len)
{
	double v = as_number(j);

	if (json_str(j))
		return json_str(j);
	if (isnan(v))
		return "another";
	(void)snprintf(buf, len, "%.15g", v);
	return buf;
}

/* Places and seeds differ from run to run; a span is as large as the drive. */
static bool is_place(const char *key)
{
	static const char *const places[] = { "filename", "offset", "randseed", "iomem_align",
		"number_ios", NULL };

	return is_one_of(places, key);
}

/* The first parameter of @a that @b has otherwise. NULL: none. */
static const char *differing(const struct json *a, const struct json *b, bool same_size)
{
	for (const struct json *p = json_first(a); p; p = json_next(p)) {
		const char *key = json_key(p);

		if (is_place(key) || (strcmp(key, "size") == 0 && !same_size))
			continue;
		if (!same_value(p, json_get(b, key)))
			return key;
	}
	return NULL;
}

static bool same_params(const struct compare_row *row, bool same_size, char *why, size_t len)
{
	const struct json *a = row->base->params, *b = row->now->params;
	const char *key = differing(a, b, same_size);
	char x[32], y[32];

	if (!key)
		key = differing(b, a, same_size);
	if (!key)
		return true;
	(void)snprintf(why, len, "%s is %.60s in the base, %.60s in the new result", key,
		value_text(json_get(a, key), x, sizeof(x)),
		value_text(json_get(b, key), y, sizeof(y)));
	return false;
}

static const char *ended_badly(const struct measurement *m)
{
	static const char *const bad[] = { "error", "device-gone", "signal", NULL };

	if (m->errors && !m->stop)
		return "error";
	return m->stop && is_one_of(bad, m->stop) ? m->stop : NULL;
}

/* What holds for all rows of both results: NULL, or why nothing is comparable. */
static const char *conditions_differ(const struct result *base, const struct result *now,
	char *buf, size_t len)
{
	const char *a = json_str(json_path(base->doc, "settings.precondition"));
	const char *b = json_str(json_path(now->doc, "settings.precondition"));
	bool x = false, y = false;

	(void)json_bool(json_path(base->doc, "settings.zero_buffers"), &x);
	(void)json_bool(json_path(now->doc, "settings.zero_buffers"), &y);
	if (x != y)
		return "one of them wrote zeros";
	if (!a || !b || strcmp(a, b) == 0)
		return NULL;
	(void)snprintf(buf, len, "precondition is %.20s in the base, %.20s in the new result", a, b);
	return buf;
}

static bool same_capacity(const struct result *base, const struct result *now)
{
	uint64_t a, b;

	return !json_u64(json_path(base->doc, "target.capacity_bytes"), &a) ||
		!json_u64(json_path(now->doc, "target.capacity_bytes"), &b) || a == b;
}

/* -- rows -------------------------------------------------------------------------------------- */

static bool is_same_row(const struct measurement *a, const struct measurement *b)
{
	return a->write_cache == b->write_cache && strcmp(a->battery, b->battery) == 0 &&
		strcmp(a->probe, b->probe) == 0;
}

static size_t legs_of(const struct result *r, const struct measurement *row,
	const struct measurement **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < r->measurement_count && n < LEGS_MAX; i++)
		if (is_same_row(r->measurements[i], row))
			ret[n++] = r->measurements[i];
	return n;
}

static void judge(struct compare_row *row, const struct measurement *const *base, size_t base_n,
	const struct measurement *const *now, size_t now_n, double max_regress,
	enum compare_metric metric)
{
	enum compare_word a, b;

	row->iops = compare_figures(compare_iops(base, base_n), compare_iops(now, now_n), true,
		max_regress);
	row->p99 = compare_figures(compare_p99(base, base_n), compare_p99(now, now_n), false,
		max_regress);
	a = metric == COMPARE_P99 ? row->p99.word : row->iops.word;
	b = metric == COMPARE_IOPS ? row->iops.word : row->p99.word;
	if (a == COMPARE_NOT_COMPARABLE) /* only one of them has the other figure */
		a = b;
	if (b == COMPARE_NOT_COMPARABLE)
		b = a;
	row->word = a == COMPARE_NOT_COMPARABLE || a == b ? a :
		a == COMPARE_WORSE || b == COMPARE_WORSE ? COMPARE_WORSE :
		a == COMPARE_CANNOT_TELL || b == COMPARE_CANNOT_TELL ? COMPARE_CANNOT_TELL :
		COMPARE_IMPROVED;
	if (row->word == COMPARE_NOT_COMPARABLE)
		(void)snprintf(row->why, sizeof(row->why), "no figure that both have");
	else if (row->word == COMPARE_CANNOT_TELL &&
		isnan(row->iops.spread) && isnan(row->p99.spread))
		(void)snprintf(row->why, sizeof(row->why), "no spread is known: neither repetitions "
			"nor seconds enough");
}

static void compare_row(const struct result *base, const struct result *now,
	struct compare_row *row, double max_regress, enum compare_metric metric)
{
	const struct measurement *a[LEGS_MAX], *b[LEGS_MAX];
	const struct measurement *any = row->base ? row->base : row->now;
	char text[160];
	const char *why = conditions_differ(base, now, text, sizeof(text));

	row->base_legs = legs_of(base, any, a);
	row->now_legs = legs_of(now, any, b);
	row->iops.word = row->p99.word = row->word = COMPARE_NOT_COMPARABLE;
	row->base = row->base_legs ? a[0] : NULL;
	row->now = row->now_legs ? b[0] : NULL;
	if (!row->base || !row->now) {
		(void)snprintf(row->why, sizeof(row->why), "only in the %s result",
			row->base ? "base" : "new");
		return;
	}
	for (size_t i = 0; i < row->base_legs + row->now_legs && !why; i++) {
		const struct measurement *m = i < row->base_legs ? a[i] : b[i - row->base_legs];

		if (ended_badly(m)) {
			(void)snprintf(text, sizeof(text), "the %s one ended with: %.20s",
				i < row->base_legs ? "base" : "new", ended_badly(m));
			why = text;
			row->word = COMPARE_CANNOT_TELL;
		}
	}
	if (why)
		(void)snprintf(row->why, sizeof(row->why), "%s", why);
	else if (same_params(row, same_capacity(base, now), row->why, sizeof(row->why)))
		judge(row, a, row->base_legs, b, row->now_legs, max_regress, metric);
}

static bool seen(const struct compare *c, const struct measurement *m)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_same_row(c->row[i].base ? c->row[i].base : c->row[i].now, m))
			return true;
	return false;
}

static void add_rows(const struct result *of, bool is_base, const struct result *base,
	const struct result *now, double max_regress, enum compare_metric metric,
	struct compare *ret)
{
	for (size_t i = 0; i < of->measurement_count; i++) {
		const struct measurement *m = of->measurements[i];
		struct compare_row *row = &ret->row[ret->count];

		if (seen(ret, m))
			continue;
		if (ret->count == COMPARE_ROWS) {
			ret->left_out++;
			continue;
		}
		*row = (struct compare_row){ .base = is_base ? m : NULL,
			.now = is_base ? NULL : m };
		compare_row(base, now, row, max_regress, metric);
		ret->words[row->word]++;
		ret->count++;
	}
}

void compare_results(const struct result *base, const struct result *now, double max_regress,
	enum compare_metric metric, struct compare *ret)
{
	*ret = (struct compare){ .count = 0 };
	add_rows(base, true, base, now, max_regress, metric, ret);
	add_rows(now, false, base, now, max_regress, metric, ret);
	if (ret->words[COMPARE_WORSE])
		ret->word = COMPARE_WORSE;
	else if (ret->words[COMPARE_CANNOT_TELL] || ret->left_out ||
		ret->words[COMPARE_NOT_COMPARABLE] == ret->count)
		ret->word = COMPARE_CANNOT_TELL;
	else
		ret->word = ret->words[COMPARE_IMPROVED] ? COMPARE_IMPROVED : COMPARE_SAME;
}

size_t compare_rank(const double *others, size_t count, double value, size_t *ret_above,
	size_t *ret_below)
{
	size_t rank = 1;

	*ret_above = *ret_below = count;
	for (size_t i = 0; i < count; i++) {
		if (others[i] > value) {
			rank++;
			if (*ret_above == count || others[i] < others[*ret_above])
				*ret_above = i;
		} else if (*ret_below == count || others[i] > others[*ret_below]) {
			*ret_below = i;
		}
	}
	return rank;
}
