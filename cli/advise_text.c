/* advise_text.c - the advice for people. */
#include "cli/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"
#include "cli/term.h"
#include "cli/text.h"
#include "data/units.h"

static const char *ns_text(char buf[UNITS_BUF], double ns)
{
	return isnan(ns) ? "unknown" : units_format_ns(buf, UNITS_BUF, ns);
}

static const char *percentile_label(enum slo_percentile p)
{
	static const char *const label[] = { "p50", "p99", "p99.9" };

	return label[p];
}

/* field - "Name      text", the text wrapped beside the name. */
void advise_print_field(struct cli *cli, const char *name, const char *text)
{
	fprintf(cli->out, "%-10s", name);
	text_wrap(cli->out, text, 10, 10, term_width(cli->out));
	fputc('\n', cli->out);
}

static void item(struct cli *cli, const char *bullet, const char *text, int indent)
{
	int at = indent + (int)text_width(bullet, false);

	fprintf(cli->out, "%*s%s", indent, "", bullet);
	text_wrap(cli->out, text, at, at, term_width(cli->out));
	fputc('\n', cli->out);
}

void advise_print_notes(struct cli *cli, const char *title, const struct notes *n, bool sources)
{
	char text[sizeof(n->item->text) + sizeof(n->item->source) + 32];

	if (n->count == 0)
		return;
	if (title != NULL)
		fprintf(cli->out, "\n%s\n", title);
	for (size_t i = 0; i < n->count; i++) {
		const char *mark = n->item[i].severity == SEVERITY_CRITICAL ? "CRITICAL: " :
			n->item[i].severity == SEVERITY_ERROR ? "error: " : "";

		if (sources && n->item[i].source[0] != '\0')
			snprintf(text, sizeof(text), "%s%s [%s]", mark, n->item[i].text,
				n->item[i].source);
		else
			snprintf(text, sizeof(text), "%s%s", mark, n->item[i].text);
		item(cli, "- ", text, 2);
	}
}

static void print_head(struct cli *cli, const struct advise_inputs *i, const struct advice *a)
{
	const struct workload *w = i->workload;
	char text[512], limit[UNITS_BUF], drive[UNITS_BUF];

	snprintf(text, sizeof(text), "%s: %s", w->name, w->summary);
	advise_print_field(cli, "Workload", text);
	if (isnan(w->slo_limit_ns))
		snprintf(text, sizeof(text), "none; the highest throughput is looked for");
	else
		snprintf(text, sizeof(text), "%s within %s (%s); %s",
			w->slo_metric == SLO_GUEST_SYNC ? "a sync" : "a write",
			ns_text(limit, w->slo_limit_ns), percentile_label(w->slo_pct),
			w->slo_source);
	advise_print_field(cli, "Limit", text);
	if (!i->in.has_drive)
		snprintf(text, sizeof(text), "unknown: no --drive");
	else if (a->drive_meets < 0)
		snprintf(text, sizeof(text), "unknown: %s", i->in.drive.zero_buffers ?
			"measured with zero buffers" : "there is no limit to hold it against");
	else
		snprintf(text, sizeof(text), "%s on the drive itself, without RBD: %s (%s) a "
			"durable write", a->drive_meets ? "pass" : "FAIL",
			ns_text(drive, a->drive_sync_ns), percentile_label(w->slo_pct));
	advise_print_field(cli, "Drive", text);
	snprintf(text, sizeof(text), "%s%s", i->in.backend_assumed ? "assumed: " : "",
		i->backend_source);
	advise_print_field(cli, "Backend", text);
}

static void print_recommendation(struct cli *cli, const struct advice *a, bool explain)
{
	const struct candidate *c = &a->candidate[a->chosen];
	bool keep = c == advise_current(a);
	char text[256];
	const char *slo = c->meets == 1 ? "meets the limit" : c->meets == 0 ?
		"does NOT meet the limit" : "no limit to meet, or unknown";

	if (keep)
		snprintf(text, sizeof(text), "keep the present settings (%s; confidence: %s)", slo,
			confidence_word(a->confidence));
	else
		snprintf(text, sizeof(text), "change to %s, %s (%s; confidence: %s)", c->name,
			model_of(c->set.mode)->summary, slo, confidence_word(a->confidence));
	fputs("\nRecommendation: ", cli->out);
	text_wrap(cli->out, text, 16, 2, term_width(cli->out));
	fputc('\n', cli->out);
	advise_print_notes(cli, NULL, &a->reasons, explain);
}

void advise_print_steps(struct cli *cli, const char *title, const struct step *s, size_t n)
{
	char bullet[32], text[640];

	if (n == 0)
		return;
	fprintf(cli->out, "\n%s\n", title);
	for (size_t i = 0; i < n; i++) {
		snprintf(bullet, sizeof(bullet), "%2zu. ", i + 1);
		/* A command stays on one line: people copy it. */
		fprintf(cli->out, "  %s%s\n", bullet, s[i].command);
		snprintf(text, sizeof(text), "on %s; %s", s[i].where, s[i].when);
		item(cli, "", text, 6);
		snprintf(text, sizeof(text), "check: %s", s[i].check);
		item(cli, "", text, 6);
	}
}

static void bytes_cell(struct table *t, double bytes)
{
	char buf[UNITS_BUF];

	table_add(t, isnan(bytes) ? "?" : units_format_bytes(buf, sizeof(buf), bytes));
}

static void ns_cell(struct table *t, double ns)
{
	char buf[UNITS_BUF];

	table_add(t, isnan(ns) ? "?" : units_format_ns(buf, sizeof(buf), ns));
}

static void candidate_row(struct table *t, const struct workload *w, const struct advice *a,
	const struct candidate *c)
{
	struct dist d = w->slo_metric == SLO_GUEST_SYNC ? c->predicted.guest_sync :
		c->predicted.write;

	table_addf(t, "%s%s", c == &a->candidate[a->chosen] ? "* " : "  ", c->name);
	ns_cell(t, d.p50_ns);
	ns_cell(t, d.p99_ns);
	ns_cell(t, d.p999_ns);
	if (isnan(c->predicted.iops))
		table_add(t, "?");
	else
		table_addf(t, "%.0f", c->predicted.iops);
	bytes_cell(t, c->predicted.memory_bytes);
	bytes_cell(t, c->predicted.at_risk_bytes);
	if (c->blockers.count > 0) {
		table_add(t, c->blockers.item[0].code);
		table_mark(t, TABLE_BAD);
	} else {
		table_add(t, c->predicted.certainty == CERTAINTY_UNSURE ? "unsure" :
			c->predicted.regime);
	}
}

static void print_host_memory(struct cli *cli, const struct advice *a, double images)
{
	const struct candidate *chosen = &a->candidate[a->chosen], *now = advise_current(a);
	char text[200], mine[UNITS_BUF], present[UNITS_BUF];

	snprintf(text, sizeof(text), "Memory of %.0f images together: %s with '%s', %s with the present "
		"settings", images, units_format_bytes(mine, sizeof(mine),
		chosen->predicted.memory_bytes * images), chosen->name,
		units_format_bytes(present, sizeof(present), now->predicted.memory_bytes * images));
	fputs("  ", cli->out);
	text_wrap(cli->out, text, 2, 2, term_width(cli->out));
	fputc('\n', cli->out);
}

static int print_ranking(struct cli *cli, const struct workload *w, const struct advice *a,
	double images, struct err *reterr)
{
	static const struct table_column sync_columns[] = {
		{ .head = "  SETTING" },
		{ .head = "SYNC p50", .align = TABLE_RIGHT }, { .head = "p99", .align = TABLE_RIGHT },
		{ .head = "p99.9", .align = TABLE_RIGHT }, { .head = "IOPS", .align = TABLE_RIGHT },
		{ .head = "MEMORY", .align = TABLE_RIGHT }, { .head = "AT RISK", .align = TABLE_RIGHT },
		{ .head = "NOTE", .cut = TABLE_CUT_END },
	};
	static const struct table_column write_columns[] = {
		{ .head = "  SETTING" },
		{ .head = "WRITE p50", .align = TABLE_RIGHT }, { .head = "p99", .align = TABLE_RIGHT },
		{ .head = "p99.9", .align = TABLE_RIGHT }, { .head = "IOPS", .align = TABLE_RIGHT },
		{ .head = "MEMORY", .align = TABLE_RIGHT }, { .head = "AT RISK", .align = TABLE_RIGHT },
		{ .head = "NOTE", .cut = TABLE_CUT_END },
	};
	struct table *t = table_new(w->slo_metric == SLO_GUEST_SYNC ? sync_columns : write_columns,
		8);
	int r;

	fprintf(cli->out, "\nPredicted, best first; memory and data at risk per image\n");
	for (size_t i = 0; i < a->candidate_count; i++)
		candidate_row(t, w, a, &a->candidate[i]);
	r = table_print(t, cli, reterr);
	table_free(t);
	if (r == 0 && images > 1)
		print_host_memory(cli, a, images);
	return r;
}

/* Where the time goes, of a write and its share of the flushes and reads. */
static void print_places(struct cli *cli, const struct prediction *p)
{
	char text[256] = "time a write: ", ns[UNITS_BUF];
	size_t at = strlen(text), start = at;

	for (int i = 0; i < SIM_PLACE_COUNT; i++)
		if (p->place_ns[i] >= 1000)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s",
				at > start ? ", " : "", sim_place_word((enum sim_place)i),
				ns_text(ns, p->place_ns[i]));
	if (at > start)
		item(cli, "", text, 4);
}

static void print_details(struct cli *cli, const struct advice *a)
{
	char text[512];

	fprintf(cli->out, "\nWhy each\n");
	for (size_t i = 0; i < a->candidate_count; i++) {
		const struct candidate *c = &a->candidate[i];

		snprintf(text, sizeof(text), "%s: %s (%s, %s)", c->name, c->predicted.why,
			c->predicted.regime, certainty_word(c->predicted.certainty));
		item(cli, "- ", text, 2);
		print_places(cli, &c->predicted);
		for (size_t k = 0; k < c->blockers.count; k++) {
			snprintf(text, sizeof(text), "blocker: %s", c->blockers.item[k].text);
			item(cli, "", text, 4);
		}
	}
}

int advise_print(struct cli *cli, const struct advise_inputs *i, const struct advice *a,
	bool explain, struct err *reterr)
{
	int r;

	if (a == NULL) {
		advise_image_print(cli, i, explain);
		return 0;
	}
	print_head(cli, i, a);
	if (i->in.config_known || i->image.has_status || i->image.has_info || i->image.has_host ||
	    i->in.vm != NULL)
		advise_image_print(cli, i, explain);
	print_recommendation(cli, a, explain);
	advise_print_steps(cli, "Do", a->apply, a->apply_count);
	advise_print_steps(cli, "Undo", a->undo, a->undo_count);
	advise_print_notes(cli, "Instead", &a->instead, explain);
	r = print_ranking(cli, i->workload, a, i->in.images > 0 ? i->in.images :
		i->workload->images, reterr);
	if (r < 0)
		return r;
	if (explain)
		print_details(cli, a);
	advise_print_notes(cli, "Warnings", &a->warnings, explain);
	advise_print_notes(cli, "Assumed", &a->assumed, explain);
	return 0;
}
