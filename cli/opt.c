/* opt.c - reads command lines by the option tables.
 *
 * Not getopt_long: it takes abbreviations (scripts break when a longer name appears), keeps its
 * state in globals, and prints its own messages.
 */
#include "cli/opt.h"

#include "data/units.h"
#include "cli/opt_show.h"
#include "cli/suggest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One option as it was written. */
struct given {
	const struct opt *opt;
	bool negated;      /* --no-NAME */
	const char *value; /* NULL: none yet */
	char shown[80];    /* "--name" or "-n", for messages */
};

static int usage(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int usage(struct err *e, const char *fmt, ...)
{
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* cut as err_set would cut it */
	va_end(ap);
	return err_set(e, ERR_USAGE, -EINVAL, "%s", text);
}

static int check_range(const struct given *g, uint64_t v, struct err *reterr)
{
	const struct opt *o = g->opt;
	char low[UNITS_BUF], high[UNITS_BUF];

	if (v >= o->min && (o->max == 0 || v <= o->max))
		return 0;
	opt_show_number(o->type, o->min, low, sizeof(low));
	opt_show_number(o->type, o->max, high, sizeof(high));
	if (o->max == 0)
		return usage(reterr, "option '%s': '%s' is too small; at least %s is needed",
			g->shown, g->value, low);
	return usage(reterr, "option '%s': '%s' is out of range; %s to %s is allowed", g->shown,
		g->value, low, high);
}

static int read_number(const struct given *g, uint64_t *dst, struct err *reterr)
{
	static const char *const expected[] = {
		[OPT_U64] = "a whole number is expected",
		[OPT_BYTES] = "a size is expected, as in 4096, 4k or 1.5GiB",
		[OPT_DURATION] = "a time is expected, as in 60, 60s, 5m or 20us",
	};
	uint64_t v = 0;
	int rc;

	if (g->opt->type == OPT_U64)
		rc = units_parse_u64(g->value, &v);
	else if (g->opt->type == OPT_BYTES)
		rc = units_parse_bytes(g->value, &v);
	else
		rc = units_parse_duration_ns(g->value, &v);
	if (rc == -ERANGE)
		return usage(reterr, "option '%s': '%s' is too large", g->shown, g->value);
	if (rc < 0)
		return usage(reterr, "option '%s': '%s' is not understood; %s", g->shown, g->value,
			expected[g->opt->type]);
	rc = check_range(g, v, reterr);
	if (rc < 0)
		return rc;
	*dst = v;
	return 0;
}

static int read_ratio(const struct given *g, double *dst, struct err *reterr)
{
	double v = 0;

	if (units_parse_ratio(g->value, &v) < 0)
		return usage(reterr,
			"option '%s': '%s' is not understood; a share is expected, as in 10%% or 0.1",
			g->shown, g->value);
	*dst = v;
	return 0;
}

static int read_choice(const struct given *g, int *dst, struct err *reterr)
{
	char words[512];

	for (int i = 0; g->opt->choices[i]; i++)
		if (strcmp(g->opt->choices[i], g->value) == 0) {
			*dst = i;
			return 0;
		}
	return usage(reterr, "option '%s': '%s' is not one of its words; use %s", g->shown,
		g->value, opt_show_choices(g->opt, words, sizeof(words)));
}

static int read_list(const struct given *g, struct opt_list *dst, struct err *reterr)
{
	if (dst->count >= OPT_LIST_MAX)
		return usage(reterr, "option '%s' is given more than %d times", g->shown,
			OPT_LIST_MAX);
	dst->item[dst->count++] = g->value;
	return 0;
}

static int store_value(const struct given *g, void *cfg, struct err *reterr)
{
	void *dst = (char *)cfg + g->opt->off;

	switch (g->opt->type) {
	case OPT_FLAG:
		*(bool *)dst = !g->negated;
		return 0;
	case OPT_U64:
	case OPT_BYTES:
	case OPT_DURATION:
		return read_number(g, dst, reterr);
	case OPT_RATIO:
		return read_ratio(g, dst, reterr);
	case OPT_STRING:
		*(const char **)dst = g->value;
		return 0;
	case OPT_CHOICE:
		return read_choice(g, dst, reterr);
	case OPT_LIST:
		return read_list(g, dst, reterr);
	}
	return err_set(reterr, ERR_INTERNAL, -EINVAL, "option '%s' has no known type", g->shown);
}

/* The option called @name (@len bytes); flags also by their opposite. */
static const struct opt *find_long(const struct opt *opts, const char *name, size_t len,
	bool *ret_negated)
{
	for (const struct opt *o = opts; o->name; o++)
		if (strlen(o->name) == len && memcmp(o->name, name, len) == 0) {
			*ret_negated = false;
			return o;
		}
	for (const struct opt *o = opts; o->name; o++) {
		const char *opposite = o->name + 3;
		bool has_no = strncmp(o->name, "no-", 3) == 0;

		if (o->type != OPT_FLAG)
			continue;
		if (has_no ? strlen(opposite) == len && memcmp(opposite, name, len) == 0 :
			     len > 3 && strncmp(name, "no-", 3) == 0 && strlen(o->name) == len - 3 &&
				     memcmp(o->name, name + 3, len - 3) == 0) {
			*ret_negated = true;
			return o;
		}
	}
	return NULL;
}

static const struct opt *find_short(const struct opt *opts, char c)
{
	for (const struct opt *o = opts; o->name; o++)
		if (o->short_name && o->short_name == c)
			return o;
	return NULL;
}

static int unknown_long(const struct opt *opts, const char *shown, struct err *reterr)
{
	struct suggestion near = SUGGESTION_INIT;

	for (const struct opt *o = opts; o->name; o++)
		if (!o->hidden)
			suggest_consider(&near, shown + 2, o->name);
	if (near.word)
		return usage(reterr, "unknown option '%s'; did you mean '--%s'?", shown, near.word);
	return usage(reterr, "unknown option '%s'", shown);
}

/* A value must not swallow the next option by accident; --name=--value says it on purpose. */
static bool looks_like_option(const struct opt *opts, const char *arg)
{
	bool negated;

	if (strncmp(arg, "--", 2) == 0)
		return arg[2] == '\0' ||
			find_long(opts, arg + 2, strcspn(arg + 2, "="), &negated) != NULL;
	return arg[0] == '-' && arg[1] && arg[2] == '\0' && find_short(opts, arg[1]);
}

/* Takes the value from the next argument where none is attached. Returns arguments used. */
static int finish(const struct opt *opts, struct given *g, const char *next, void *cfg,
	struct err *reterr)
{
	int used = 1, rc;

	if (g->opt->type != OPT_FLAG && !g->value) {
		if (!next)
			return usage(reterr, "option '%s' needs a value: %s", g->shown,
				g->opt->arg);
		if (looks_like_option(opts, next))
			return usage(reterr, "option '%s' needs a value (%s), but '%s' follows",
				g->shown, g->opt->arg, next);
		g->value = next;
		used = 2;
	}
	rc = store_value(g, cfg, reterr);
	return rc < 0 ? rc : used;
}

static int parse_long(const struct opt *opts, void *cfg, const char *arg, const char *next,
	struct err *reterr)
{
	size_t len = strcspn(arg + 2, "=");
	struct given g = { 0 };

	(void)snprintf(g.shown, sizeof(g.shown), "--%.*s", (int)(len < 70 ? len : 70), arg + 2);
	g.opt = find_long(opts, arg + 2, len, &g.negated);
	if (!g.opt)
		return unknown_long(opts, g.shown, reterr);
	if (arg[2 + len] == '=') {
		g.value = arg + 2 + len + 1;
		if (g.opt->type == OPT_FLAG)
			return usage(reterr, "option '%s' takes no value; '%s' is given", g.shown,
				g.value);
	}
	return finish(opts, &g, next, cfg, reterr);
}

/* "-q", "-qv" (flags), "-s4k", "-s 4k" */
static int parse_short(const struct opt *opts, void *cfg, const char *arg, const char *next,
	struct err *reterr)
{
	for (const char *c = arg + 1; *c; c++) {
		struct given g = { .opt = find_short(opts, *c) };
		int rc;

		(void)snprintf(g.shown, sizeof(g.shown), "-%c", *c);
		if (!g.opt)
			return usage(reterr, "unknown option '%s' in '%s'", g.shown, arg);
		if (g.opt->type != OPT_FLAG && c[1])
			g.value = c + 1;
		rc = finish(opts, &g, next, cfg, reterr);
		if (rc < 0 || g.opt->type != OPT_FLAG)
			return rc;
	}
	return 1;
}

/* Moves the @n arguments at @at in front of the operands, which begin at @first. */
static void move_before(char **argv, int first, int at, int n)
{
	char *moved[2] = { argv[at], n > 1 ? argv[at + 1] : NULL };

	memmove(argv + first + n, argv + first, (size_t)(at - first) * sizeof(*argv));
	memcpy(argv + first, moved, (size_t)n * sizeof(*argv));
}

int opt_parse(const struct opt *opts, void *cfg, int argc, char **argv, int *ret_operands,
	struct err *reterr)
{
	int first = 1; /* operand, where there is one */

	for (int i = 1; i < argc;) {
		const char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
		int used;

		if (strcmp(arg, "--") == 0) {
			move_before(argv, first++, i, 1);
			break;
		}
		if (arg[0] != '-' || arg[1] == '\0') {
			i++;
			continue;
		}
		used = arg[1] == '-' ? parse_long(opts, cfg, arg, next, reterr) :
				       parse_short(opts, cfg, arg, next, reterr);
		if (used < 0)
			return used;
		move_before(argv, first, i, used);
		first += used;
		i += used;
	}
	*ret_operands = first;
	return 0;
}
