/* verdict_cache.c - write cache on or off, by what was measured on this drive. */
#include "policies/verdict_cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"
#include "policies/threshold.h"

static const char source_rule[] =
	"docs/verdicts.md, write cache; why it differs: flushes are handled by each firmware in "
	"its own way";

const char *cache_answer_word(enum cache_answer a)
{
	static const char *const words[] = { "unknown", "turn off", "keep on", "no difference" };

	return words[a];
}

const char *cache_row_word(enum cache_row_answer a)
{
	static const char *const words[] = { "no difference", "turn off", "keep on", "open" };

	return words[a];
}

/* -- rows -------------------------------------------------------------------------------------- */

static double range(const struct row_figures *f)
{
	return f->iops_high - f->iops_low;
}

static enum cache_row_answer judge_row(const struct cache_row *row)
{
	double same = threshold(THRESHOLD_CACHE_SAME), least = threshold(THRESHOLD_CACHE_LEAST);
	double limit = isnan(row->spread) ? same : fmax(row->spread, least);

	if (row->ratio < 1 - same)
		return !isnan(row->spread) && 1 - row->ratio <= row->spread ? CACHE_ROW_OPEN :
			CACHE_ROW_LOSS;
	/* "under 5 %" is no difference where nothing was repeated; a spread must be passed */
	if (isnan(row->spread) ? row->ratio >= 1 + limit : row->ratio > 1 + limit)
		return CACHE_ROW_GAIN;
	return CACHE_ROW_SAME;
}

static void add_row(const struct verdict_input *in, const char *probe, struct cache_verdict *v)
{
	struct cache_row *row = &v->row[v->count];

	if (v->count == VERDICT_CACHE_ROWS || !verdict_row(in, probe, WC_ON, &row->on) ||
		!verdict_row(in, probe, WC_OFF, &row->off))
		return;
	row->syncs = verdict_row_syncs(row->on.first);
	row->ratio = row->off.iops / row->on.iops;
	row->spread = row->on.legs > 1 && row->off.legs > 1 ?
		(range(&row->on) + range(&row->off)) / row->on.iops : NAN;
	row->saved_ns = row->syncs && verdict_row_depth(row->on.first) == 1 ?
		row->on.commit_ns - row->off.commit_ns : NAN;
	row->answer = judge_row(row);
	v->repeated = v->repeated && !isnan(row->spread);
	v->count++;
}

static bool is_known(const struct cache_verdict *v, const char *probe)
{
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->row[i].on.first->probe, probe) == 0)
			return true;
	return false;
}

/* -- overall ----------------------------------------------------------------------------------- */

/* The row that loses most, or that gains most: @sign -1 or +1. */
static const struct cache_row *extreme(const struct cache_verdict *v, enum cache_row_answer a,
	bool syncs_only, double sign)
{
	const struct cache_row *found = NULL;

	for (size_t i = 0; i < v->count; i++) {
		const struct cache_row *row = &v->row[i];

		if (row->answer != a || (syncs_only && !row->syncs))
			continue;
		if (!found || sign * row->ratio > sign * found->ratio)
			found = row;
	}
	return found;
}

static void decide(struct cache_verdict *v)
{
	const struct cache_row *loss = extreme(v, CACHE_ROW_LOSS, false, -1);
	const struct cache_row *open = extreme(v, CACHE_ROW_OPEN, false, -1);
	const struct cache_row *gain = extreme(v, CACHE_ROW_GAIN, true, 1);

	if (v->count == 0) {
		v->answer = CACHE_UNKNOWN;
	} else if (loss) {
		v->answer = CACHE_KEEP_ON;
		v->binding = loss;
	} else if (open) {
		v->answer = CACHE_UNKNOWN;
		v->binding = open;
	} else {
		v->answer = gain ? CACHE_TURN_OFF : CACHE_SAME;
		v->binding = gain;
	}
	for (size_t i = 0; i < v->count; i++) {
		if (v->row[i].answer != CACHE_ROW_GAIN || isnan(v->row[i].saved_ns))
			continue;
		v->saved_low_ns = fmin(v->saved_low_ns, v->row[i].saved_ns); /* passes over NAN */
		v->saved_high_ns = fmax(v->saved_high_ns, v->row[i].saved_ns);
	}
}

void verdict_cache_rows(const struct verdict_input *in, struct cache_verdict *ret)
{
	*ret = (struct cache_verdict){ .repeated = true, .saved_low_ns = NAN,
		.saved_high_ns = NAN };
	for (size_t i = 0; i < in->count; i++) {
		const struct result *r = in->results[i];

		for (size_t k = 0; k < r->measurement_count; k++)
			if (!is_known(ret, r->measurements[k]->probe))
				add_row(in, r->measurements[k]->probe, ret);
	}
	ret->repeated = ret->repeated && ret->count;
	decide(ret);
}

/* -- the verdict ------------------------------------------------------------------------------- */

static const char *tail(char *buf, size_t len, const struct row_figures *f)
{
	char p99[UNITS_BUF];

	buf[0] = '\0';
	if (!isnan(f->p99_ns))
		(void)snprintf(buf, len, " (p99 %s)", units_format_ns(p99, sizeof(p99), f->p99_ns));
	return buf;
}

static void say_bound(const struct cache_verdict *c, struct verdict *v)
{
	const struct cache_row *row = c->binding;
	char on[64], off[64], least[48] = "";

	if (!row) {
		(void)snprintf(v->bound_by, sizeof(v->bound_by),
			"%s: in none of %zu rows more than %s", v->answer, c->count,
			c->repeated ? "the spread of their repetitions" : "5 %");
		return;
	}
	if (!isnan(row->spread))
		(void)snprintf(least, sizeof(least), ", spread %.1f %%", row->spread * 100);
	(void)snprintf(v->bound_by, sizeof(v->bound_by),
		"%s: %s %.0f IOPS%s with the cache on, %.0f IOPS%s with it off (x %.2f%s)%s",
		v->answer,
		row->on.first->probe, row->on.iops, tail(on, sizeof(on), &row->on), row->off.iops,
		tail(off, sizeof(off), &row->off), row->ratio, least,
		verdict_source_suffix(&row->on));
}

static void add_findings(const struct verdict_input *in, const struct cache_verdict *c,
	struct notes *n)
{
	double low = threshold(THRESHOLD_COMMIT_LOW_NS), high = threshold(THRESHOLD_COMMIT_HIGH_NS);

	if (c->answer != CACHE_TURN_OFF)
		return;
	if (!isnan(c->saved_low_ns))
		notes_add(n, "write-cache-worth", threshold_table[THRESHOLD_COMMIT_LOW_NS].source,
			"turning the write cache off saves %.0f to %.0f us a commit: %.1f to %.1f "
			"%% of a replicated write of 1 to 2 ms", c->saved_low_ns / 1e3,
			c->saved_high_ns / 1e3,
			c->saved_low_ns / high * 100, c->saved_high_ns / low * 100);
	if (in->ref && strcmp(in->ref->class_word, "consumer") == 0)
		notes_add(n, "write-cache-endurance", "without a cache each small write is a flash "
			"program of its own, and rewrites are not merged",
			"this looks like a client drive (%s): with the cache off its flash wears "
			"faster; watch its wear after some days", in->ref->name);
}

static void say_change(const struct verdict_input *in, const struct cache_verdict *c,
	struct verdict *v)
{
	const char *text = "";

	if (c->answer == CACHE_UNKNOWN)
		text = "longer rows or more repetitions: a row loses more than 5 % with the cache "
			"off, but no more than its repetitions differ";
	else if (!c->repeated)
		text = "each row repeated in both states, in turn (run --write-cache both): "
			"without a spread drift and effect cannot be told apart";
	else if (verdict_where(verdict_target(in)) == WHERE_DRIVE)
		text = "another firmware, or a span that was filled before (--fill)";
	(void)snprintf(v->would_change, sizeof(v->would_change), "%s", text);
}

/* Only one state was measured, or the switch is not the drive's. 1: nothing to say. */
static int judge_without_rows(const struct verdict_input *in, struct verdict *v)
{
	const char *now = verdict_target_word(in, "write_cache.drive");

	if (verdict_where(verdict_target(in)) == WHERE_RAID)
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"the controller's tool: the cache of its drives is the controller's, "
			"unknown here");
	else if (now && (strcmp(now, "on") == 0 || strcmp(now, "off") == 0))
		(void)snprintf(v->would_change, sizeof(v->would_change),
			"the same rows with the cache %s: run --write-cache both",
			strcmp(now, "on") == 0 ? "off" : "on");
	else
		return 1;
	(void)snprintf(v->bound_by, sizeof(v->bound_by), "unknown: no row in both states");
	return 0;
}

static int judge(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	const char *now = verdict_target_word(in, "write_cache.drive");
	struct cache_verdict c;
	bool wrong;

	verdict_cache_rows(in, &c);
	*ret = (struct verdict){ .grade = "unknown", .answer = cache_answer_word(c.answer),
		.source = source_rule };
	(void)snprintf(ret->threshold, sizeof(ret->threshold),
		"turn off: a row that syncs gains beyond spread and no row loses more than %.0f %%",
		threshold(THRESHOLD_CACHE_SAME) * 100);
	if (c.count == 0)
		return judge_without_rows(in, ret);
	say_bound(&c, ret);
	say_change(in, &c, ret);
	add_findings(in, &c, findings);
	if (c.answer == CACHE_UNKNOWN)
		return 0;
	ret->confidence = c.repeated ? "high" : "low";
	wrong = now && ((c.answer == CACHE_TURN_OFF && strcmp(now, "on") == 0) ||
		(c.answer == CACHE_KEEP_ON && strcmp(now, "off") == 0));
	ret->grade = !now || !c.repeated ? "provisional" : wrong ? "fail" : "pass";
	return 0;
}

extern const struct verdict_ops verdict_cache;
const struct verdict_ops verdict_cache = {
	.subject = "write-cache",
	.judge = judge,
};
