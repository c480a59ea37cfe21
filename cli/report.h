/* report.h - the one table model that every export is made from.
 *
 * A report is a list of sheets; a sheet has columns, rows of typed cells, rules that mark cells,
 * and charts over its own cells. It knows results and their units; it knows no file format. A
 * format (cli/export.h) knows no result.
 *
 *	report_init(&r);
 *	report_take_result(&r, name, result, reterr);	for each input
 *	report_take_advice(&r, name, document, reterr);
 *	report_finish(&r, reterr);			what needs all of them: A-B
 *	... export ...
 *	report_done(&r);
 *
 * Cells: text is valid UTF-8 without control characters but the tab (they become '?', line ends a
 * space); numbers are finite; what is not known is CELL_UNKNOWN, never 0. Out of memory is
 * remembered in the sheet and told by report_finish(), so that adding cells needs no checks.
 * To add a sheet: its columns and its rows in one cli/report_*.c, its place in enum report_sheet_id.
 */
#ifndef SSDQUAL_CLI_REPORT_H
#define SSDQUAL_CLI_REPORT_H

#include "data/err.h"
#include "data/json.h"
#include "data/result.h"

enum cell_kind {
	CELL_UNKNOWN,
	CELL_TEXT,
	CELL_NUMBER, /* in the unit of its column */
	CELL_SHARE,  /* 0.05 is shown as 5 % where the format can */
	CELL_TIME,   /* text "2026-11-30T12:57:52Z" and its seconds since 1970 */
};

struct cell {
	enum cell_kind kind;
	double number;    /* NUMBER, SHARE, TIME */
	const char *text; /* TEXT, TIME; lives as long as the report */
};

#define REPORT_COLUMNS_MAX 64

struct report_column {
	const char *head;
	const char *unit;     /* "ms" "GB" "IOPS"; NULL: none (then texts, mostly) */
	unsigned width;       /* columns that the usual content needs */
	unsigned decimals;    /* of numbers, where a format rounds for the eye */
	/* For metrics. A text column with a label is one of each sample of its row; a column with a
	 * metric is a sample: its number times @scale, in the base unit of the name, or 1 for a text. */
	const char *label;
	bool nameless; /* the label stands only where model and serial number are unknown */
	const char *metric, *help;
	double scale;         /* 0: 1 */
};

/* How a cell is to be looked at; formats without colour write the words of report_mark_word(). */
enum cell_mark { MARK_NONE, MARK_GOOD, MARK_POOR, MARK_BAD };
const char *report_mark_word(enum cell_mark m); /* "" "good" "poor" "bad" */

/* Cells of @column whose text is @text, or, without text, whose number is above or below. */
struct report_rule {
	size_t column;
	const char *text; /* NULL: numbers */
	bool above;       /* else below */
	double limit;
	enum cell_mark mark;
};

/* A line over cells: along one row (percentiles) or down one column (a timeline). */
struct report_series {
	const char *name; /* as a cell's text, and so is the title of a chart */
	size_t row_first, row_last; /* of rows, from 0 */
	size_t x_first, x_last;     /* columns; along a row: of the heads */
	size_t y_first, y_last;     /* columns */
};
struct report_chart {
	const char *title, *x_title, *y_title;
	bool along_row; /* x are the heads of y_first to y_last */
	bool log_y;
	struct report_series *series;
	size_t count;
};
#define REPORT_CHART_SERIES 12 /* more lines than that nobody can tell apart */
#define REPORT_CHARTS 24       /* a sheet; the figures of all are in its rows */

struct report_sheet {
	const char *name;  /* at most 31 characters, none of []:*?/\ (Excel's rule), unique */
	const char *about; /* one sentence */
	const struct report_column *columns;
	size_t column_count;
	struct cell *cells; /* rows * column_count */
	size_t rows;
	size_t filled, room; /* cells */
	const struct report_rule *rules;
	size_t rule_count;
	struct report_chart *charts;
	size_t chart_count;
	bool tall; /* few rows, many columns: formats for reading may turn it round */
	char *left_out; /* what is not in it, and how to get it; NULL: nothing */
};

enum report_sheet_id {
	SHEET_SUMMARY, SHEET_AB, SHEET_PERCENTILES, SHEET_TIMELINE, SHEET_SMART, SHEET_ADVICE,
	SHEET_STEPS, SHEET_VERDICTS, SHEET_FINDINGS, SHEET_PROVENANCE, SHEET_COUNT
};

enum report_timeline { TIMELINE_AUTO, TIMELINE_ALL, TIMELINE_NONE };
#define REPORT_TIMELINE_RESULTS 50 /* auto: the seconds of so many results */

struct report {
	struct report_sheet sheet[SHEET_COUNT];
	enum report_timeline timeline;
	/* The results without their histograms and timelines, which the sheets hold by now. */
	struct result **results;
	char **names;
	size_t result_count, room;
	double newest_s; /* latest start of a run, seconds since 1970; NAN: none is known */
	struct report_text *texts; /* blocks that cells point into */
	bool nomem;
};

void report_init(struct report *r, enum report_timeline timeline);
void report_done(struct report *r);

/* report_take_result - add @result (taken, also on failure) under the name that @name ends with.
 * Verdicts are worked out where it has none. */
int report_take_result(struct report *r, const char *name, struct result *result,
	struct err *reterr);
/* report_take_advice, report_take_wa - documents of `advise --json` and `wa --json` (borrowed). */
void report_take_advice(struct report *r, const char *name, const struct json *doc);
void report_take_wa(struct report *r, const char *name, const struct json *doc);
int report_finish(struct report *r, struct err *reterr);

/* -- adding cells, row after row -------------------------------------------------------------- */

void report_sheet_init(struct report_sheet *s, const char *name, const char *about,
	const struct report_column *columns, size_t column_count);
void report_text(struct report *r, struct report_sheet *s, const char *text); /* NULL, "": unknown */
void report_number(struct report *r, struct report_sheet *s, double v); /* not finite: unknown */
void report_share(struct report *r, struct report_sheet *s, double v);
void report_time(struct report *r, struct report_sheet *s, const char *rfc3339);
const struct cell *report_cell(const struct report_sheet *s, size_t row, size_t column);
enum cell_mark report_mark(const struct report_sheet *s, size_t row, size_t column);

/* report_chart_add - NULL: there are enough, or no memory. @title and @name are
 * copied, cleaned. */
struct report_chart *report_chart_add(struct report *r, struct report_sheet *s, const char *title);
void report_series_add(struct report *r, struct report_chart *c, const struct report_series *series,
	const char *name);

const char *report_base_name(const char *path); /* after the last slash */

/* Model or, where that is not known, path of a target; NULL: neither. */
const char *report_target_name(const struct json *target);

/* -- the sheets; each in cli/report_NAME.c ---------------------------------------------------- */

void report_summary_init(struct report *r);
void report_summary_result(struct report *r, size_t index);
void report_rows_init(struct report *r); /* Percentiles and Timeline */
void report_rows_result(struct report *r, const char *name, const struct result *result);
void report_ab_init(struct report *r);
void report_ab_finish(struct report *r);
void report_health_init(struct report *r); /* SMART & WA */
void report_health_result(struct report *r, const char *name, const struct result *result);
void report_advice_init(struct report *r);
void report_origin_init(struct report *r); /* Verdicts, Findings, Provenance */
void report_origin_result(struct report *r, const char *name, const struct result *result);

#endif
