/* wa.c - differences, factors and their bounds. */
#include "policies/wa.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"

static const struct wa_factor none = { NAN, NAN, NAN };

const char *wa_state_word(enum wa_state s)
{
	static const char *const words[] = { [WA_MOVED] = "moved", [WA_UNKNOWN] = "unknown",
		[WA_ZERO] = "zero", [WA_RESET] = "reset", [WA_WRAPPED] = "wrapped",
		[WA_SWAPPED] = "swapped" };

	return words[s];
}

/* Counters of drives have 32 or 48 bits of steps: one that stood in the last 1/16 of them and is
 * now in the first 1/16 went round, rather than being reset. */
static bool has_wrapped(uint64_t before, uint64_t after, uint64_t step)
{
	static const double sizes[] = { 4294967296.0, 281474976710656.0 };
	double a = (double)before / (double)(step ? step : 512);
	double b = (double)after / (double)(step ? step : 512);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (a < sizes[i] && a >= sizes[i] * 15 / 16 && b < sizes[i] / 16)
			return true;
	return false;
}

struct wa_delta wa_delta_of(const struct wa_counter *c)
{
	const struct wa_reading *a = &c->before, *b = &c->after;
	struct wa_delta d = { WA_UNKNOWN, NAN, NAN, NAN, 0 };

	if (a->whose[0] && b->whose[0] && strcmp(a->whose, b->whose) != 0) {
		d.state = WA_SWAPPED;
		return d;
	}
	if (!a->known || !b->known)
		return d;
	d.step = (double)(a->step > b->step ? a->step : b->step);
	if (b->bytes < a->bytes) {
		d.state = has_wrapped(a->bytes, b->bytes, a->step) ? WA_WRAPPED : WA_RESET;
	} else if (b->bytes == a->bytes) {
		d.state = WA_ZERO;
	} else {
		d.state = WA_MOVED;
		d.bytes = (double)(b->bytes - a->bytes);
		d.low = d.bytes > d.step ? d.bytes - d.step : 0;
		d.high = d.bytes + d.step;
	}
	return d;
}

struct wa_factor wa_factor_of(const struct wa_delta *part, const struct wa_delta *whole)
{
	struct wa_factor f;

	if (part->state != WA_MOVED || whole->state != WA_MOVED)
		return none;
	f.value = part->bytes / whole->bytes;
	f.low = part->low / whole->high;
	f.high = whole->low > 0 ? part->high / whole->low : INFINITY;
	return f;
}

/* -- what a person should know -------------------------------------------------------------- */

static void note(struct wa_result *r, const char *code, enum wa_level level, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void note(struct wa_result *r, const char *code, enum wa_level level, const char *fmt, ...)
{
	struct wa_note *n = &r->note[r->note_count++]; /* two a level at most: see note_level() */
	va_list ap;

	(void)snprintf(n->code, sizeof(n->code), "%s", code);
	n->level = level;
	va_start(ap, fmt);
	(void)vsnprintf(n->text, sizeof(n->text), fmt, ap);
	va_end(ap);
}

static const char *why_not(const struct wa_chain *c, int level)
{
	const struct wa_counter *k = &c->level[level];

	return k->before.why[0] ? k->before.why : k->after.why;
}

/* One note at most, and "less-than-one" beside it. */
static void note_level(const struct wa_chain *c, enum wa_level level, struct wa_result *r)
{
	const struct wa_counter *k = &c->level[level];
	const struct wa_delta *d = &r->delta[level];
	const char *word = wa_level_word(level);
	const char *why = why_not(c, level);
	char step[UNITS_BUF], bytes[UNITS_BUF];

	units_format_bytes(step, sizeof(step), d->step);
	units_format_bytes(bytes, sizeof(bytes), d->bytes);
	switch (d->state) {
	case WA_UNKNOWN:
		/* One reason is told once. */
		if (why[0] && (level != WA_NAND || strcmp(why, why_not(c, WA_HOST)) != 0))
			note(r, "missing", level, "%s: no %s%s counter: %s", c->name, word,
				level == WA_HOST && strcmp(why, why_not(c, WA_NAND)) == 0 ?
				" and no nand" : "", why);
		break;
	case WA_ZERO:
		if (d->step > 0)
			note(r, "zero", level,
				"%s: the %s counter did not move; it counts in steps of %s: write "
				"at least %d of them", c->name, word, step, WA_STEPS_MIN);
		else
			note(r, "zero", level,
				"%s: the %s counter did not move: nothing was written there, or "
				"not yet", c->name, word);
		break;
	case WA_RESET:
		note(r, "reset", level,
			"%s: the %s counter is less than before: it was reset; measure again",
			c->name, word);
		break;
	case WA_WRAPPED:
		note(r, "wrapped", level,
			"%s: the %s counter is less than before: it went round at its end; measure "
			"again", c->name, word);
		break;
	case WA_SWAPPED:
		note(r, "swapped", level, "%s: the %s counter was read of %.60s before and of "
			"%.60s after; not the same one", c->name, word, k->before.whose,
			k->after.whose);
		break;
	case WA_MOVED:
		if (d->bytes < WA_STEPS_MIN * d->step)
			note(r, "coarse", level,
				"%s: the %s counter moved by %s in steps of %s, fewer than %d "
				"steps; write at least %d times as much for a figure to within "
				"10 %%", c->name, word, bytes, step, WA_STEPS_MIN,
				(int)ceil(WA_STEPS_MIN * d->step / d->bytes));
		break;
	}
}

void wa_judge(const struct wa_chain *c, struct wa_result *ret)
{
	struct wa_result r = { .deepest = -1 };

	for (int i = 0; i < WA_LEVELS; i++) {
		r.delta[i] = wa_delta_of(&c->level[i]);
		r.above[i] = i == WA_CLIENT ? -1 : r.deepest;
		r.step[i] = r.above[i] >= 0 && r.delta[i].state == WA_MOVED ?
			wa_factor_of(&r.delta[i], &r.delta[r.above[i]]) : none;
		r.over_client[i] = i == WA_CLIENT ? none :
			wa_factor_of(&r.delta[i], &r.delta[WA_CLIENT]);
		note_level(c, i, &r);
		/* Compression, a cache above that absorbs rewrites, or another device that took the
		 * rest: right, but worth a word. The bounds decide, not the figure. */
		if (r.step[i].high < 1 && i >= WA_BLOCK)
			note(&r, "less-than-one", i,
				"%s: %s is less than %s: some of it is not yet written, was "
				"written over or compressed on the way, or went to another device",
				c->name, wa_level_word(i), wa_level_word(r.above[i]));
		if (r.delta[i].state == WA_MOVED)
			r.deepest = i;
	}
	*ret = r;
}

/* -- clusters ------------------------------------------------------------------------------- */

double wa_spread_copies(const struct wa_spread *s)
{
	if (s->k > 0)
		return (double)(s->k + s->m) / s->k;
	return s->replicas > 0 ? s->replicas : NAN;
}

double wa_osd_in(const struct wa_spread *s, double client_bytes, double subop_bytes)
{
	return client_bytes / (s->k > 0 ? s->k : 1) + subop_bytes;
}

struct wa_factor wa_cluster(const struct wa_spread *s, const struct wa_factor *osd)
{
	double copies = wa_spread_copies(s);

	return (struct wa_factor){ osd->value * copies, osd->low * copies, osd->high * copies };
}
