/* verify_show.c - predicted against measured, for people and as JSON. */
#include "cli/verify.h"

#include "cli/table.h"
#include "cli/term.h"
#include "cli/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"

/* -- text ----------------------------------------------------------------------------------- */

static void ns_cell(struct table *t, double ns)
{
	char buf[UNITS_BUF];

	table_add(t, isnan(ns) ? "?" : units_format_ns(buf, sizeof(buf), ns));
}

static void count_cell(struct table *t, double n)
{
	char buf[UNITS_BUF];

	table_add(t, isnan(n) ? "?" : units_format_count(buf, sizeof(buf), n));
}

static void ratio_cell(struct table *t, const struct verify_check *c)
{
	if (isnan(c->ratio))
		table_add(t, "?");
	else
		table_addf(t, "%.2f", c->ratio);
	if (c->verdict == VERIFY_MISS)
		table_mark(t, TABLE_BAD);
}

static void line(struct cli *cli, const char *text)
{
	text_wrap(cli->out, text, 0, 2, term_width(cli->out));
	fputc('\n', cli->out);
}

static int print_table(struct cli *cli, const struct verify *v, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "SETTING" },
		{ .head = "p50", .align = TABLE_RIGHT }, { .head = "MEAS.", .align = TABLE_RIGHT },
		{ .head = "RATIO", .align = TABLE_RIGHT },
		{ .head = "p99", .align = TABLE_RIGHT }, { .head = "MEAS.", .align = TABLE_RIGHT },
		{ .head = "RATIO", .align = TABLE_RIGHT },
		{ .head = "IOPS", .align = TABLE_RIGHT }, { .head = "MEAS.", .align = TABLE_RIGHT },
		{ .head = "" },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	int r;

	for (size_t i = 0; i < v->count; i++) {
		const struct verify_setting *s = &v->setting[i];
		const struct verify_check *a = &s->check50[v->headline];
		const struct verify_check *b = &s->check99[v->headline];

		table_add(t, s->candidate->name);
		ns_cell(t, a->predicted);
		ns_cell(t, a->measured);
		ratio_cell(t, a);
		ns_cell(t, b->predicted);
		ns_cell(t, b->measured);
		ratio_cell(t, b);
		count_cell(t, s->rate.predicted);
		count_cell(t, s->rate.measured);
		table_add(t, s->rounds == 0 ? "not run" : s->verdict == VERIFY_MISS ? "MISS" :
			verify_word(s->verdict));
		table_mark(t, s->verdict == VERIFY_MISS ? TABLE_BAD :
			s->verdict == VERIFY_HIT ? TABLE_GOOD : TABLE_PLAIN);
	}
	r = table_print(t, cli, reterr);
	table_free(t);
	return r;
}

/* What missed, in words; "" where nothing did. */
static void missed(const struct verify *v, const struct verify_setting *s, char *buf, size_t len)
{
	const struct {
		const char *what;
		const struct verify_check *check;
		enum verify_kind kind;
	} all[] = { { "median", &s->check50[v->headline], VERIFY_MEDIAN },
		{ "p99", &s->check99[v->headline], VERIFY_TAIL },
		{ "IOPS", &s->rate, VERIFY_RATE } };

	buf[0] = '\0';
	for (size_t i = 0; i < 3; i++) {
		size_t used = strlen(buf);
		double r = all[i].check->ratio;

		if (all[i].check->verdict == VERIFY_MISS)
			(void)snprintf(buf + used, len - used, "%s%s predicted %.2f x the measured "
				"(at most %.2g x off was stated)", used ? ", " : "", all[i].what, r,
				verify_bound(all[i].kind));
	}
}

static const char *name_of(const struct verify *v, size_t i)
{
	return i == SIZE_MAX ? "none" : v->setting[i].candidate->name;
}

/* Is the setting predicted best as good as the one measured best, within its spread? */
static bool is_confirmed(const struct verify *v)
{
	size_t best = verify_best(v, false), said = verify_best(v, true);

	if (best == SIZE_MAX || said == SIZE_MAX)
		return false;
	return best == said || v->setting[said].check50[v->headline].low <=
		v->setting[best].check50[v->headline].high;
}

int verify_print(struct cli *cli, const struct verify *v, struct err *reterr)
{
	char name[3 * RBD_WORD_MAX], text[800], span[UNITS_BUF];
	int r;

	(void)snprintf(text, sizeof(text), "Load: %s, %s %.60s, %llu rounds of %s for each setting",
		v->load->name, v->ground.scratch.name[0] ? "on a scratch image beside" : "on",
		rbd_spec_text(&v->site->spec, v->site->spec.image, name, sizeof(name)),
		(unsigned long long)v->cfg->rounds,
		units_format_span(span, sizeof(span), (double)v->cfg->runtime_ns / 1e9));
	line(cli, text);
	(void)snprintf(text, sizeof(text), "Latency of %s; predicted, measured, predicted over "
		"measured", v->headline == METRIC_SYNC ? "a guest's sync" : "a write");
	line(cli, text);
	fputc('\n', cli->out);
	r = print_table(cli, v, reterr);
	fputc('\n', cli->out);
	for (size_t i = 0; i < v->count; i++) {
		char why[600];

		missed(v, &v->setting[i], why, sizeof(why));
		if (v->setting[i].rounds == 0)
			(void)snprintf(text, sizeof(text), "%s: not verified: %.400s",
				v->setting[i].candidate->name, v->setting[i].why[0] ?
				v->setting[i].why : "no leg of it ran");
		else if (why[0])
			(void)snprintf(text, sizeof(text), "%s: a miss: %s",
				v->setting[i].candidate->name, why);
		else
			continue;
		line(cli, text);
	}
	if (v->limited)
		line(cli, "Legs ended early: the bytes that this impact may write were used up "
			"(--impact).");
	(void)snprintf(text, sizeof(text), "Best predicted: %s. Best measured: %s. %s",
		name_of(v, verify_best(v, true)), name_of(v, verify_best(v, false)),
		verify_best(v, false) == SIZE_MAX ? "" : is_confirmed(v) ?
		"The order is confirmed." : "The order is NOT confirmed: go by what was measured.");
	line(cli, text);
	return r;
}

/* -- JSON ----------------------------------------------------------------------------------- */

static struct json *check_json(const struct verify_check *c)
{
	struct json *o = json_new_object();

	(void)json_set_f64(o, "predicted", round(c->predicted * 10) / 10);
	(void)json_set_f64(o, "measured", round(c->measured * 10) / 10);
	(void)json_set_f64(o, "ratio", round(c->ratio * 1000) / 1000);
	(void)json_set_f64(o, "low", round(c->low * 10) / 10);
	(void)json_set_f64(o, "high", round(c->high * 10) / 10);
	(void)json_set_str(o, "verdict", verify_word(c->verdict));
	return o;
}

static struct json *options_json(const struct candidate *c)
{
	struct json *o = json_new_object();

	for (int k = 0; k < OPTION_COUNT; k++)
		if (c->relevant[k])
			(void)json_set_str(o, option_name[k], c->config.opt[k].value);
	return o;
}

static struct json *setting_json(const struct verify *v, const struct verify_setting *s)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "name", s->candidate->name);
	(void)json_set(o, "settings", options_json(s->candidate));
	(void)json_set_u64(o, "rounds", s->rounds);
	(void)json_set_u64(o, "writes", s->total.writes);
	for (int m = 0; m < METRIC_COUNT; m++) {
		struct json *both = json_new_object();

		(void)json_set(both, "p50", check_json(&s->check50[m]));
		(void)json_set(both, "p99", check_json(&s->check99[m]));
		(void)json_set(o, verify_metric_key[m], both);
	}
	(void)json_set(o, "iops", check_json(&s->rate));
	(void)json_set_str(o, "regime", s->predicted->regime);
	(void)json_set_str(o, "verdict", s->rounds ? verify_word(s->verdict) : "not verified");
	(void)json_set_str(o, "why", s->why[0] ? s->why : NULL);
	(void)v;
	return o;
}

struct json *verify_json(const struct verify *v)
{
	struct json *o = json_new_object(), *list = json_new_array(), *bounds = json_new_object();
	size_t best = verify_best(v, false), said = verify_best(v, true);
	char name[3 * RBD_WORD_MAX];

	(void)json_set_str(o, "target", rbd_spec_text(&v->site->spec, v->site->spec.image, name,
		sizeof(name)));
	(void)json_set_bool(o, "scratch", v->ground.scratch.name[0] != '\0');
	(void)json_set_str(o, "workload", v->load->name);
	(void)json_set_f64(o, "depth", v->load->depth);
	(void)json_set_str(o, "backend", v->inputs->backend_source);
	(void)json_set_str(o, "impact", rbd_impacts[v->cfg->rbd.impact].name);
	(void)json_set_u64(o, "rounds", v->cfg->rounds);
	(void)json_set_u64(o, "runtime_ns", v->cfg->runtime_ns);
	(void)json_set_str(o, "headline", verify_metric_key[v->headline]);
	(void)json_set_f64(bounds, "p50", verify_bound(VERIFY_MEDIAN));
	(void)json_set_f64(bounds, "p99", verify_bound(VERIFY_TAIL));
	(void)json_set_f64(bounds, "iops", verify_bound(VERIFY_RATE));
	(void)json_set(o, "stated_error", bounds);
	for (size_t i = 0; i < v->count; i++)
		(void)json_append(list, setting_json(v, &v->setting[i]));
	(void)json_set(o, "settings", list);
	(void)json_set_str(o, "recommended", v->advice->candidate[v->advice->chosen].name);
	(void)json_set_str(o, "best_predicted", said == SIZE_MAX ? NULL : name_of(v, said));
	(void)json_set_str(o, "best_measured", best == SIZE_MAX ? NULL : name_of(v, best));
	(void)json_set(o, "confirmed", best == SIZE_MAX ? json_new_null() :
		json_new_bool(is_confirmed(v)));
	(void)json_set_bool(o, "limited", v->limited);
	(void)json_set(o, "cluster", v->site->cluster ? json_copy(v->site->cluster) :
		json_new_null());
	return o;
}
