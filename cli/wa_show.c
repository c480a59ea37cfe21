/* wa_show.c - write amplification as a document and as a table. */
#include "cli/wa.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/table.h"
#include "cli/term.h"
#include "cli/text.h"
#include "data/units.h"

int wa_warn(struct json *doc, const char *code, const char *fmt, ...)
{
	struct json *list = json_get_mut(doc, "warnings"), *w;
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!list) {
		if (json_set(doc, "warnings", json_new_array()) < 0)
			return -ENOMEM;
		list = json_get_mut(doc, "warnings");
	}
	w = json_new_object();
	(void)json_set_str(w, "code", code);
	(void)json_set_str(w, "text", text); /* no memory: the append tells, or the next */
	return json_append(list, w);
}

/* -- the document --------------------------------------------------------------------------- */

/* @over, @to: words or NULL, left out. */
static struct json *factor_json(const struct wa_factor *f, const char *over, const char *to)
{
	struct json *o = json_new_object();
	int bad = 0;

	if (over)
		bad |= json_set_str(o, "over", over);
	if (to)
		bad |= json_set_str(o, "to", to);
	bad |= json_set_f64(o, "value", f->value);
	bad |= json_set_f64(o, "low", f->low);
	bad |= json_set_f64(o, "high", f->high); /* without a bound: null */
	if (bad) {
		json_free(o);
		return NULL;
	}
	return o;
}

static struct json *level_json(const struct wa_chain *c, const struct wa_result *r, int level)
{
	const struct wa_delta *d = &r->delta[level];
	struct json *o = wa_counter_json(&c->level[level]);
	int bad = 0;

	bad |= json_set_str(o, "state", wa_state_word(d->state));
	if (d->state == WA_MOVED)
		bad |= json_set_u64(o, "bytes", (uint64_t)d->bytes);
	else
		bad |= json_set_null(o, "bytes");
	bad |= json_set(o, "factor", factor_json(&r->step[level],
		r->above[level] >= 0 ? wa_level_word(r->above[level]) : NULL, NULL));
	bad |= json_set(o, "over_client", factor_json(&r->over_client[level], NULL, NULL));
	if (bad) {
		json_free(o);
		return NULL;
	}
	return o;
}

/* From the client, or the first level that is known, to the last one. */
static struct wa_factor whole(const struct wa_result *r, int *ret_from)
{
	int from = -1;

	for (int i = 0; i < WA_LEVELS && from < 0; i++)
		if (r->delta[i].state == WA_MOVED)
			from = i;
	*ret_from = from;
	if (from < 0 || from == r->deepest)
		return (struct wa_factor){ NAN, NAN, NAN };
	return wa_factor_of(&r->delta[r->deepest], &r->delta[from]);
}

static struct json *chain_json(const struct wa_chain *c, const struct wa_result *r)
{
	struct json *o = json_new_object(), *levels = json_new_object();
	struct wa_factor f;
	int bad = 0, from;

	for (int i = 0; i < WA_LEVELS; i++)
		bad |= json_set(levels, wa_level_word(i), level_json(c, r, i));
	f = whole(r, &from);
	bad |= json_set_str(o, "name", c->name);
	bad |= json_set_str(o, "role", c->role[0] ? c->role : NULL);
	bad |= json_set(o, "levels", levels);
	bad |= json_set(o, "factor", factor_json(&f, from >= 0 ? wa_level_word(from) : NULL,
		r->deepest >= 0 ? wa_level_word(r->deepest) : NULL));
	bad |= json_set_f64(o, "discard_bytes", c->discard_bytes);
	bad |= json_set_f64(o, "flushes", c->flushes);
	bad |= json_set_f64(o, "read_bytes", c->read_bytes);
	if (bad) {
		json_free(o);
		return NULL;
	}
	return o;
}

/* The factor of the whole cluster: of the last chain, which is all of the OSD's devices. */
static struct json *cluster_json(const struct wa_report *r)
{
	const struct wa_result *last = &r->result[r->count - 1];
	struct wa_factor f;

	if (isnan(wa_spread_copies(&r->spread)) || last->deepest < WA_BLOCK ||
		last->delta[WA_CLIENT].state != WA_MOVED)
		return json_new_null();
	f = wa_cluster(&r->spread, &last->over_client[last->deepest]);
	return factor_json(&f, wa_level_word(WA_CLIENT), wa_level_word(last->deepest));
}

int wa_report_fill(struct wa_report *r, bool *ret_known, struct err *reterr)
{
	struct json *chains = json_new_array();
	bool known = false;
	int bad = 0;

	if (!json_get(r->doc, "warnings"))
		bad |= json_set(r->doc, "warnings", json_new_array());
	for (size_t i = 0; i < r->count; i++) {
		struct wa_result *res = &r->result[i];

		wa_judge(&r->chain[i], res);
		for (int k = 0; k < WA_LEVELS; k++)
			known = known || !isnan(res->step[k].value);
		bad |= json_append(chains, chain_json(&r->chain[i], res));
		/* The sum says again what its parts say. */
		for (size_t n = 0; n < res->note_count && (i == 0 || i + 1 < r->count); n++)
			bad |= wa_warn(r->doc, res->note[n].code, "%s", res->note[n].text);
	}
	bad |= json_set(r->doc, "chains", chains);
	bad |= json_set(r->doc, "cluster", cluster_json(r));
	if (bad)
		return err_nomem(reterr);
	*ret_known = known;
	return 0;
}

/* -- text ----------------------------------------------------------------------------------- */

/* "3.52", and the bounds where they show at that precision. */
static void add_factor(struct table *t, const struct wa_factor *f)
{
	char value[32], low[32], high[32];

	if (isnan(f->value)) {
		table_add(t, "");
		return;
	}
	(void)snprintf(value, sizeof(value), "%.2f", f->value);
	(void)snprintf(low, sizeof(low), "%.2f", f->low);
	(void)snprintf(high, sizeof(high), "%.2f", f->high);
	if (strcmp(low, value) == 0 && strcmp(high, value) == 0)
		table_add(t, value);
	else if (isinf(f->high))
		table_addf(t, "%s (%s or more)", value, low);
	else
		table_addf(t, "%s (%s to %s)", value, low, high);
}

static void add_level(struct table *t, const struct wa_chain *c, const struct wa_result *r,
	int level)
{
	const struct wa_counter *k = &c->level[level];
	const struct wa_delta *d = &r->delta[level];
	char bytes[UNITS_BUF];

	table_add(t, wa_level_word(level));
	if (d->state == WA_MOVED)
		table_add(t, units_format_bytes(bytes, sizeof(bytes), d->bytes));
	else
		table_add(t, wa_state_word(d->state));
	if (d->state != WA_MOVED)
		table_mark(t, TABLE_POOR);
	add_factor(t, &r->step[level]);
	add_factor(t, &r->over_client[level]);
	table_add(t, k->after.why[0] ? k->after.why : k->before.why[0] ? k->before.why :
		k->after.source);
}

static void print_apart(struct cli *cli, const struct wa_chain *c)
{
	char text[UNITS_BUF];
	const char *between = "  apart from that: ";

	if (c->discard_bytes > 0) {
		fprintf(cli->out, "%sdiscarded %s", between,
			units_format_bytes(text, sizeof(text), c->discard_bytes));
		between = ", ";
	}
	if (c->flushes > 0) {
		fprintf(cli->out, "%sflushes %s", between,
			units_format_count(text, sizeof(text), c->flushes));
		between = ", ";
	}
	if (c->read_bytes > 0) {
		fprintf(cli->out, "%sread %s", between,
			units_format_bytes(text, sizeof(text), c->read_bytes));
		between = ", ";
	}
	if (between[0] == ',')
		fputc('\n', cli->out);
}

static int print_chain(struct cli *cli, const struct wa_chain *c, const struct wa_result *r,
	struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "LEVEL" }, { .head = "WRITTEN", .align = TABLE_RIGHT },
		{ .head = "FACTOR", .align = TABLE_RIGHT },
		{ .head = "OVER CLIENT", .align = TABLE_RIGHT },
		{ .head = "COUNTER", .cut = TABLE_CUT_END },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	int rc;

	for (int i = 0; i < WA_LEVELS; i++)
		if (r->delta[i].state != WA_UNKNOWN || c->level[i].before.why[0] ||
			c->level[i].after.why[0])
			add_level(t, c, r, i);
	fputs("\n", cli->out);
	(void)text_print_cut(cli->out, c->name, SIZE_MAX, cli->utf8);
	fprintf(cli->out, "%s%s\n", c->role[0] ? ", " : "", c->role);
	table_indent(t, 2);
	rc = table_print(t, cli, reterr);
	table_free(t);
	print_apart(cli, c);
	return rc;
}

static void print_timeline(struct cli *cli, const struct json *timeline)
{
	char text[UNITS_BUF];
	double t, v;

	if (json_len(timeline) == 0)
		return;
	fprintf(cli->out, "\nsince the start\n");
	for (const struct json *p = json_first(timeline); p; p = json_next(p)) {
		if (!json_f64(json_get(p, "t_s"), &t))
			continue;
		fprintf(cli->out, "  %8.1f s", t);
		for (const struct json *d = json_first(json_get(p, "devices")); d;
			d = json_next(d)) {
			(void)fputs("  ", cli->out);
			(void)text_print_cut(cli->out, json_str(json_get(d, "name")), SIZE_MAX,
				cli->utf8);
			v = NAN;
			(void)json_f64(json_get(d, "block_bytes"), &v);
			fprintf(cli->out, " block %s", units_format_bytes(text, sizeof(text), v));
			if (json_f64(json_get(d, "host_bytes"), &v))
				fprintf(cli->out, ", host %s",
					units_format_bytes(text, sizeof(text), v));
			if (json_f64(json_get(d, "nand_bytes"), &v))
				fprintf(cli->out, ", nand %s",
					units_format_bytes(text, sizeof(text), v));
		}
		fputc('\n', cli->out);
	}
}

static void print_cluster(struct cli *cli, const struct wa_report *r)
{
	const struct json *c = json_get(r->doc, "cluster");
	double value;

	if (!json_f64(json_get(c, "value"), &value))
		return;
	if (r->spread.k > 0)
		fprintf(cli->out, "\ncluster: %.2f bytes for each byte of a client: an erasure "
			"code of %u+%u writes %.2f, and each becomes", value, r->spread.k,
			r->spread.m, wa_spread_copies(&r->spread));
	else
		fprintf(cli->out, "\ncluster: %.2f bytes for each byte of a client: %u replica%s, "
			"and each becomes", value, r->spread.replicas,
			r->spread.replicas == 1 ? "" : "s");
	fprintf(cli->out, " %.2f (%s)\n", value / wa_spread_copies(&r->spread),
		json_str(json_get(c, "to")));
}

/* Indented by two, after the first line by four. */
static void print_list(struct cli *cli, const char *head, const struct json *list,
	const char *key)
{
	if (json_len(list) == 0)
		return;
	fprintf(cli->out, "\n%s\n", head);
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		fputs("  ", cli->out);
		text_wrap(cli->out, json_str(key ? json_get(j, key) : j), 2, 4,
			term_width(cli->out));
		fputc('\n', cli->out);
	}
}

int wa_report_text(struct cli *cli, const struct wa_report *r, struct err *reterr)
{
	int rc = 0;

	for (size_t i = 0; i < r->count && rc == 0; i++)
		rc = print_chain(cli, &r->chain[i], &r->result[i], reterr);
	print_cluster(cli, r);
	print_timeline(cli, json_get(r->doc, "timeline"));
	print_list(cli, "what is counted", json_get(r->doc, "notes"), NULL);
	print_list(cli, "warnings", json_get(r->doc, "warnings"), "text");
	return rc;
}
