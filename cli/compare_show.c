/* compare_show.c - a comparison for people and for programs. */
#include "cli/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "cli/show.h"
#include "cli/table.h"
#include "data/units.h"

/* -- for people -------------------------------------------------------------------------------- */

static void put_side(struct cli *cli, const char *side, const struct result *r, const char *name)
{
	const struct json *t = json_get(r->doc, "target");
	const char *model = report_target_name(t), *serial = json_str(json_get(t, "serial"));
	const char *pre = json_str(json_path(r->doc, "settings.precondition"));
	char *text;

	if (asprintf(&text, "%s%s%s, precondition %s, %s", model ? model : "unknown target",
		serial ? " " : "", serial ? serial : "", pre ? pre : "unknown", name) < 0)
		return; /* the table says the same figures without it */
	(void)fprintf(cli->out, "%-6s", side);
	show_paragraph(cli, text, 6);
	free(text);
}

/* A sign besides the colour. */
static const char *sign(enum compare_word w)
{
	static const char *const signs[] = { "=", "+", "!", "?", "" };

	return signs[w];
}

static void add_change(struct table *t, const struct compare_figure *f)
{
	int decimals = fmax(fabs(f->change), isnan(f->spread) ? 0 : f->spread) < 0.0995;

	if (isnan(f->change))
		table_add(t, "-");
	else if (isnan(f->spread))
		table_addf(t, "%+.*f%%", decimals, f->change * 100);
	else
		table_addf(t, "%+.*f%% +-%.*f", decimals, f->change * 100, decimals,
			f->spread * 100);
}

static enum table_mark mark_of(enum compare_word w)
{
	return w == COMPARE_WORSE ? TABLE_BAD : w == COMPARE_IMPROVED ? TABLE_GOOD :
		w == COMPARE_SAME ? TABLE_PLAIN : TABLE_POOR;
}

static void add_row(struct table *t, const struct compare_row *row, bool with_cache)
{
	const struct measurement *m = row->base ? row->base : row->now;
	char buf[UNITS_BUF];

	table_add(t, m->probe);
	if (with_cache)
		table_add(t, write_cache_word(m->write_cache));
	if (row->base && row->now && !isnan(row->iops.change)) {
		table_add(t, units_format_count(buf, sizeof(buf), row->iops.base.value));
		add_change(t, &row->iops);
	} else {
		table_add(t, "-");
		table_add(t, "-");
	}
	if (!isnan(row->p99.change) && row->base && row->now) {
		table_add(t, units_format_ns(buf, sizeof(buf), row->p99.base.value));
		add_change(t, &row->p99);
	} else {
		table_add(t, "-");
		table_add(t, "-");
	}
	table_addf(t, "%s %s", sign(row->word), compare_word(row->word));
	table_mark(t, mark_of(row->word));
}

static enum write_cache_state state_of(const struct compare_row *row)
{
	return (row->base ? row->base : row->now)->write_cache;
}

/* Whether the rows differ in the state of the write cache; else a line says it. */
static bool states_differ(const struct compare *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (state_of(&c->row[i]) != state_of(&c->row[0]))
			return true;
	return false;
}

static int put_table(struct cli *cli, const struct compare *c, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "ROW", .cut = TABLE_CUT_END },
		{ .head = "CACHE" },
		{ .head = "IOPS", .align = TABLE_RIGHT },
		{ .head = "CHANGE", .align = TABLE_RIGHT },
		{ .head = "P99", .align = TABLE_RIGHT },
		{ .head = "CHANGE", .align = TABLE_RIGHT },
		{ .head = "VERDICT" },
	};
	struct table_column used[sizeof(columns) / sizeof(columns[0])];
	bool with_cache = states_differ(c);
	size_t n = 0;
	struct table *t;
	int rc;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (i != 1 || with_cache)
			used[n++] = columns[i];
	t = table_new(used, n);
	for (size_t i = 0; i < c->count; i++)
		add_row(t, &c->row[i], with_cache);
	if (!with_cache && c->count)
		(void)fprintf(cli->out, "Write cache of the drive: %s\n",
			write_cache_word(state_of(&c->row[0])));
	rc = t ? table_print(t, cli, reterr) : err_nomem(reterr);
	table_free(t);
	return rc;
}

/* Rows that share a reason are told once. */
static void put_reasons(struct cli *cli, const struct compare *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const char *why = c->row[i].why;
		size_t same = 0, before = 0;
		char text[320];

		for (size_t k = 0; k < c->count; k++) {
			same += strcmp(c->row[k].why, why) == 0;
			before += k < i && strcmp(c->row[k].why, why) == 0;
		}
		if (!*why || before)
			continue;
		if (same > 1)
			(void)snprintf(text, sizeof(text), "%zu rows: %s", same, why);
		else
			(void)snprintf(text, sizeof(text), "%s: %s",
				(c->row[i].base ? c->row[i].base : c->row[i].now)->probe, why);
		show_item(cli, text, NULL);
	}
}

static void put_figure(struct cli *cli, const char *word, const struct json *f)
{
	const char *model = json_str(json_get(f, "model"));
	double iops = NAN;
	char text[256], buf[UNITS_BUF];

	if (!f)
		return;
	(void)json_f64(json_get(f, "iops"), &iops);
	(void)snprintf(text, sizeof(text), "%s: %.120s, %s IOPS", word, model ? model : "unknown",
		units_format_count(buf, sizeof(buf), iops));
	show_item(cli, text, json_str(json_get(f, "source")));
}

static void put_places(struct cli *cli, const struct compare_places *p)
{
	char buf[UNITS_BUF];

	for (size_t i = 0; i < p->count; i++) {
		const struct compare_place *at = &p->place[i];

		(void)fprintf(cli->out, "%s%s, cache %s: %s IOPS, number %zu of %zu\n",
			i ? "" : "\nThe new result among published figures (data/drives), itself "
				"counted\n",
			at->row->probe, write_cache_word(at->row->write_cache),
			units_format_count(buf, sizeof(buf), at->row->iops), at->rank, at->of);
		put_figure(cli, "next faster", at->above);
		put_figure(cli, "next slower", at->below);
	}
}

int compare_print(struct cli *cli, const struct compare_view *v, struct err *reterr)
{
	const struct compare *c = v->rows;
	int rc;

	put_side(cli, "base", v->base, v->base_name);
	put_side(cli, "new", v->now, v->now_name);
	(void)fputc('\n', cli->out);
	rc = put_table(cli, c, reterr);
	if (rc < 0)
		return rc;
	(void)fputs("Changes are positive where the new result is better; +- is the spread of "
		"both.\n", cli->out);
	put_reasons(cli, c);
	put_places(cli, v->places);
	(void)fprintf(cli->out, "\n%s (permitted loss %.3g %%)\n%zu worse, %zu cannot be told, "
		"%zu improved, %zu the same, %zu not comparable\n", compare_word(c->word),
		v->max_regress * 100, c->words[COMPARE_WORSE], c->words[COMPARE_CANNOT_TELL],
		c->words[COMPARE_IMPROVED], c->words[COMPARE_SAME],
		c->words[COMPARE_NOT_COMPARABLE]);
	return 0;
}

/* -- for programs ------------------------------------------------------------------------------ */

static struct json *figure_json(const struct compare_figure *f)
{
	struct json *o = json_new_object();

	(void)json_set_f64(o, "base", f->base.value);
	(void)json_set_f64(o, "new", f->now.value);
	(void)json_set_f64(o, "change", f->change);
	(void)json_set_f64(o, "spread", f->spread);
	(void)json_set_str(o, "verdict", compare_word(f->word));
	return o;
}

static struct json *row_json(const struct compare_row *row)
{
	const struct measurement *m = row->base ? row->base : row->now;
	struct json *o = json_new_object();

	(void)json_set_str(o, "battery", m->battery);
	(void)json_set_str(o, "probe", m->probe);
	(void)json_set_str(o, "label", m->label);
	(void)json_set_str(o, "write_cache", write_cache_word(m->write_cache));
	(void)json_set_str(o, "verdict", compare_word(row->word));
	(void)json_set_str(o, "why", *row->why ? row->why : NULL);
	(void)json_set_u64(o, "base_repetitions", row->base_legs);
	(void)json_set_u64(o, "new_repetitions", row->now_legs);
	if (row->base && row->now && !isnan(row->iops.change))
		(void)json_set(o, "iops", figure_json(&row->iops));
	else
		(void)json_set_null(o, "iops");
	if (row->base && row->now && !isnan(row->p99.change))
		(void)json_set(o, "p99_ns", figure_json(&row->p99));
	else
		(void)json_set_null(o, "p99_ns");
	return o;
}

static struct json *side_json(const struct result *r, const char *name)
{
	const struct json *t = json_get(r->doc, "target");
	struct json *o = json_new_object();

	(void)json_set_str(o, "result", name);
	(void)json_set_str(o, "model", json_str(json_get(t, "model")));
	(void)json_set_str(o, "serial", json_str(json_get(t, "serial")));
	(void)json_set_str(o, "precondition",
		json_str(json_path(r->doc, "settings.precondition")));
	return o;
}

static struct json *or_null(const struct json *j)
{
	return j ? json_copy(j) : json_new_null();
}

static struct json *place_json(const struct compare_place *p)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "probe", p->row->probe);
	(void)json_set_str(o, "write_cache", write_cache_word(p->row->write_cache));
	(void)json_set_f64(o, "iops", p->row->iops);
	(void)json_set_u64(o, "rank", p->rank);
	(void)json_set_u64(o, "of", p->of);
	(void)json_set(o, "next_faster", or_null(p->above));
	(void)json_set(o, "next_slower", or_null(p->below));
	return o;
}

static struct json *counts_json(const struct compare *c)
{
	static const char *const keys[COMPARE_WORDS] = { "same", "improved", "worse", "cannot_tell",
		"not_comparable" };
	struct json *o = json_new_object();

	for (int i = 0; i < COMPARE_WORDS; i++)
		(void)json_set_u64(o, keys[i], c->words[i]);
	return o;
}

struct json *compare_to_json(const struct compare_view *v)
{
	struct json *o = json_new_object(), *rows = json_new_array(), *places = json_new_array();
	int bad = 0;

	(void)json_set(o, "base", side_json(v->base, v->base_name));
	(void)json_set(o, "new", side_json(v->now, v->now_name));
	(void)json_set_f64(o, "max_regress", v->max_regress);
	(void)json_set_str(o, "verdict", compare_word(v->rows->word));
	(void)json_set(o, "counts", counts_json(v->rows));
	for (size_t i = 0; i < v->rows->count; i++)
		bad |= json_append(rows, row_json(&v->rows->row[i]));
	for (size_t i = 0; i < v->places->count; i++)
		bad |= json_append(places, place_json(&v->places->place[i]));
	bad |= json_set(o, "rows", rows);
	bad |= json_set(o, "published", places);
	if (bad) {
		json_free(o);
		return NULL;
	}
	return o;
}
