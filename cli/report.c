/* report.c - sheets, cells, charts; which sheet gets what is told in report_NAME.c. */
#include "cli/report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/verdict.h"

#define BLOCK_BYTES ((size_t)256 << 10)

struct report_text {
	struct report_text *next;
	size_t used, size;
	char bytes[];
};

const char *report_mark_word(enum cell_mark m)
{
	static const char *const words[] = { "", "good", "poor", "bad" };

	return words[m];
}

/* -- texts ------------------------------------------------------------------------------------- */

static char *text_room(struct report *r, size_t bytes)
{
	struct report_text *b = r->texts;
	char *at;

	if (!b || b->size - b->used < bytes) {
		size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		b = malloc(sizeof(*b) + size);
		if (!b) {
			r->nomem = true;
			return NULL;
		}
		b->next = r->texts;
		b->used = 0;
		b->size = size;
		r->texts = b;
	}
	at = b->bytes + b->used;
	b->used += bytes;
	return at;
}

/* C1 controls (U+0080 to U+009F) and U+FFFE, U+FFFF, which no XML may hold. The length, or 0. */
static size_t unprintable(const unsigned char *s)
{
	if (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)
		return 2;
	return s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 3 : 0;
}

/* @text cleaned, in the memory of the report; NULL gives NULL. */
static const char *copy_text(struct report *r, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char *copy, *to;

	if (!text)
		return NULL;
	copy = text_room(r, strlen(text) + 1);
	if (!copy)
		return NULL;
	for (to = copy; *s; s++) {
		size_t skip = unprintable(s);

		if (*s == '\n' || *s == '\r') {
			*to++ = ' ';
		} else if (skip || (*s < 0x20 && *s != '\t') || *s == 0x7f) {
			*to++ = '?';
			s += skip ? skip - 1 : 0;
		} else {
			*to++ = (char)*s;
		}
	}
	*to = '\0';
	return copy;
}

/* Since 1970; NAN: no such time. */
static double seconds_of(const char *rfc3339)
{
	struct tm tm = { .tm_year = 0 };
	const char *end = rfc3339 ? strptime(rfc3339, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;

	return end && !*end ? (double)timegm(&tm) : NAN;
}

const char *report_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *report_target_name(const struct json *target)
{
	const char *name = json_str(json_get(target, "model"));

	return name ? name : json_str(json_get(target, "path"));
}

/* -- cells ------------------------------------------------------------------------------------- */

void report_sheet_init(struct report_sheet *s, const char *name, const char *about,
	const struct report_column *columns, size_t column_count)
{
	*s = (struct report_sheet){ .name = name, .about = about, .columns = columns,
		.column_count = column_count };
}

static void add(struct report *r, struct report_sheet *s, struct cell c)
{
	if (s->filled == s->room) {
		size_t room = s->room ? s->room * 2 : s->column_count * 16;
		struct cell *cells = realloc(s->cells, room * sizeof(*cells));

		if (!cells) {
			r->nomem = true;
			return;
		}
		s->cells = cells;
		s->room = room;
	}
	s->cells[s->filled++] = c;
	s->rows = (s->filled + s->column_count - 1) / s->column_count;
}

static void add_text(struct report *r, struct report_sheet *s, struct cell c, const char *text)
{
	const struct cell *above = s->filled >= s->column_count ?
		&s->cells[s->filled - s->column_count] : NULL;

	text = text && *text ? text : NULL;
	/* most columns of text repeat what is above them */
	c.text = above && above->text && text && strcmp(above->text, text) == 0 ? above->text :
		copy_text(r, text);
	if (!c.text)
		c.kind = CELL_UNKNOWN;
	add(r, s, c);
}

void report_text(struct report *r, struct report_sheet *s, const char *text)
{
	add_text(r, s, (struct cell){ .kind = CELL_TEXT }, text);
}

static void add_number(struct report *r, struct report_sheet *s, enum cell_kind kind, double v)
{
	add(r, s, (struct cell){ .kind = isfinite(v) ? kind : CELL_UNKNOWN,
		.number = isfinite(v) ? v : 0 });
}

void report_number(struct report *r, struct report_sheet *s, double v)
{
	add_number(r, s, CELL_NUMBER, v);
}

void report_share(struct report *r, struct report_sheet *s, double v)
{
	add_number(r, s, CELL_SHARE, v);
}

void report_time(struct report *r, struct report_sheet *s, const char *rfc3339)
{
	double seconds = seconds_of(rfc3339);

	if (isnan(seconds))
		report_text(r, s, rfc3339);
	else
		add_text(r, s, (struct cell){ .kind = CELL_TIME, .number = seconds }, rfc3339);
}

const struct cell *report_cell(const struct report_sheet *s, size_t row, size_t column)
{
	return &s->cells[row * s->column_count + column];
}

static bool rule_holds(const struct report_rule *rule, const struct cell *c)
{
	if (rule->text)
		return c->kind == CELL_TEXT && strcmp(c->text, rule->text) == 0;
	if (c->kind != CELL_NUMBER && c->kind != CELL_SHARE)
		return false;
	return rule->above ? c->number > rule->limit : c->number < rule->limit;
}

enum cell_mark report_mark(const struct report_sheet *s, size_t row, size_t column)
{
	for (size_t i = 0; i < s->rule_count; i++)
		if (s->rules[i].column == column &&
			rule_holds(&s->rules[i], report_cell(s, row, column)))
			return s->rules[i].mark;
	return MARK_NONE;
}

/* -- charts ------------------------------------------------------------------------------------ */

struct report_chart *report_chart_add(struct report *r, struct report_sheet *s, const char *title)
{
	struct report_chart *charts, *c;

	if (s->chart_count == REPORT_CHARTS)
		return NULL;
	charts = realloc(s->charts, (s->chart_count + 1) * sizeof(*charts));
	if (!charts) {
		r->nomem = true;
		return NULL;
	}
	s->charts = charts;
	c = &charts[s->chart_count];
	*c = (struct report_chart){ .title = copy_text(r, title) };
	if (!c->title)
		return NULL;
	s->chart_count++;
	return c;
}

void report_series_add(struct report *r, struct report_chart *c, const struct report_series *series,
	const char *name)
{
	struct report_series *more;

	if (!c || c->count == REPORT_CHART_SERIES)
		return;
	more = realloc(c->series, (c->count + 1) * sizeof(*more));
	if (!more) {
		r->nomem = true;
		return;
	}
	c->series = more;
	more[c->count] = *series;
	more[c->count].name = copy_text(r, name);
	if (more[c->count].name)
		c->count++;
}

static void charts_done(struct report_sheet *s)
{
	for (size_t i = 0; i < s->chart_count; i++)
		free(s->charts[i].series);
	free(s->charts);
}

/* -- the report -------------------------------------------------------------------------------- */

void report_init(struct report *r, enum report_timeline timeline)
{
	*r = (struct report){ .timeline = timeline, .newest_s = NAN };
	report_summary_init(r);
	report_ab_init(r);
	report_rows_init(r);
	report_health_init(r);
	report_advice_init(r);
	report_origin_init(r);
}

void report_done(struct report *r)
{
	for (size_t i = 0; i < SHEET_COUNT; i++) {
		charts_done(&r->sheet[i]);
		free(r->sheet[i].cells);
		free(r->sheet[i].left_out);
	}
	for (size_t i = 0; i < r->result_count; i++) {
		result_free(r->results[i]);
		free(r->names[i]);
	}
	free(r->results);
	free(r->names);
	for (struct report_text *b = r->texts, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	*r = (struct report){ .newest_s = NAN };
}

static void slim_latency(struct latency *l)
{
	hist_free(l->hist);
	l->hist = NULL;
}

/* What the later sheets look at is in the percentiles; a thousand results have gigabytes of
 * buckets. */
static void slim(struct result *result)
{
	for (size_t i = 0; i < result->measurement_count; i++) {
		struct measurement *m = result->measurements[i];

		slim_latency(&m->lat);
		slim_latency(&m->write_lat);
		slim_latency(&m->sync_lat);
		slim_latency(&m->lat_uncorrected);
		free(m->timeline);
		m->timeline = NULL;
		m->timeline_count = 0;
	}
}

static int keep(struct report *r, const char *name, struct result *result, struct err *reterr)
{
	if (r->result_count == r->room) {
		size_t room = r->room ? r->room * 2 : 16;
		struct result **results = realloc(r->results, room * sizeof(struct result *));
		char **names;

		if (!results)
			return err_nomem(reterr);
		r->results = results;
		names = realloc(r->names, room * sizeof(char *));
		if (!names)
			return err_nomem(reterr);
		r->names = names;
		r->room = room;
	}
	r->names[r->result_count] = strdup(name);
	if (!r->names[r->result_count])
		return err_nomem(reterr);
	r->results[r->result_count++] = result;
	return 0;
}

int report_take_result(struct report *r, const char *name, struct result *result,
	struct err *reterr)
{
	double started = seconds_of(json_str(json_path(result->doc, "settings.started_at")));
	int rc = 0;

	name = report_base_name(name);
	if (json_len(json_get(result->doc, "verdicts")) == 0)
		rc = verdict_attach(result, NULL, 0, reterr);
	if (rc == 0)
		rc = keep(r, name, result, reterr);
	if (rc < 0) {
		result_free(result);
		return rc;
	}
	r->newest_s = fmax(r->newest_s, started); /* passes over NAN */
	report_rows_result(r, name, result);
	slim(result);
	report_summary_result(r, r->result_count - 1);
	report_health_result(r, name, result);
	report_origin_result(r, name, result);
	return r->nomem ? err_nomem(reterr) : 0;
}

int report_finish(struct report *r, struct err *reterr)
{
	report_ab_finish(r);
	return r->nomem ? err_nomem(reterr) : 0;
}
