/* export_xlsx.c - a workbook by libxlsxwriter: native charts, conditional colours, frozen heads.
 *
 * Rows are written in order, so that the library keeps one of them in memory (constant_memory);
 * its temporary files are in $TMPDIR. Texts are written as texts with the text format: a model
 * named "=1+1" stays one, also after somebody has edited the cell. What is not known is an empty
 * cell. The date of the file is that of the newest run, so that the same results give the same
 * bytes.
 */
#include "cli/export.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xlsxwriter.h>

#define ROWS_MAX 1048575        /* of a sheet below its heads; Excel specifications and limits */
#define CELL_CHARACTERS 32767   /* of a cell; the same */
#define DECIMALS_MAX 3
#define DAYS_TO_1970 25569      /* since 1899-12-30, the first day of a spreadsheet */
#define DATE_UNKNOWN 946684800  /* 2000-01-01: no result says when it was made */
#define CHART_ROWS 21
#define CHART_CHARACTERS 110    /* as wide as so many of a column */
#define PAGE_CHARACTERS 200     /* that can be read in a line of paper on its side */
#define PAGE_ROWS 60
#define PAPER_A4 9              /* ECMA-376 part 1, 18.3.1.63 */

struct book {
	lxw_workbook *workbook;
	lxw_format *head, *number_head, *text, *time, *share, *note, *number[DECIMALS_MAX + 1];
	lxw_format *mark[4]; /* by enum cell_mark */
	lxw_error failed; /* the first failure */
};

static void must(struct book *b, lxw_error e)
{
	if (b->failed == LXW_NO_ERROR)
		b->failed = e;
}

static lxw_format *number_format(struct book *b, const char *format)
{
	lxw_format *f = workbook_add_format(b->workbook);

	format_set_num_format(f, format);
	format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
	return f;
}

static lxw_format *head_format(struct book *b)
{
	lxw_format *f = workbook_add_format(b->workbook);

	format_set_bold(f);
	format_set_text_wrap(f);
	format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
	format_set_bg_color(f, 0xe4e9f0);
	format_set_bottom(f, LXW_BORDER_THIN);
	return f;
}

static void make_formats(struct book *b)
{
	/* Dark letters on a pale ground: legible in print, and where colours look alike. */
	static const struct {
		lxw_color_t letters, ground;
	} marks[] = {
		[MARK_GOOD] = { 0x0b5d1e, 0xd9f2dd },
		[MARK_POOR] = { 0x7a4b00, 0xfdeecb },
		[MARK_BAD] = { 0x9c0006, 0xfbd9d9 },
	};

	b->head = head_format(b);
	b->number_head = head_format(b);
	format_set_align(b->number_head, LXW_ALIGN_RIGHT);
	b->note = workbook_add_format(b->workbook);
	format_set_italic(b->note);
	b->text = number_format(b, "@");
	b->time = number_format(b, "yyyy-mm-dd hh:mm:ss");
	b->share = number_format(b, "0.0%");
	b->number[0] = number_format(b, "#,##0");
	b->number[1] = number_format(b, "#,##0.0");
	b->number[2] = number_format(b, "#,##0.00");
	b->number[3] = number_format(b, "#,##0.000");
	for (int i = MARK_GOOD; i <= MARK_BAD; i++) {
		b->mark[i] = workbook_add_format(b->workbook);
		format_set_font_color(b->mark[i], marks[i].letters);
		format_set_bg_color(b->mark[i], marks[i].ground);
	}
}

/* -- cells ------------------------------------------------------------------------------------- */

/* The library leaves out a text that Excel has no room for; its beginning says more. */
static void write_long(struct book *b, lxw_worksheet *w, lxw_row_t row, lxw_col_t col,
	const char *text)
{
	char *cut = strndup(text, CELL_CHARACTERS - 4);

	if (!cut) {
		must(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
		return;
	}
	for (size_t n = strlen(cut); n && ((unsigned char)cut[n - 1] & 0x80); n--) {
		bool lead = ((unsigned char)cut[n - 1] & 0xc0) == 0xc0;

		cut[n - 1] = '\0';
		if (lead)
			break;
	}
	must(b, worksheet_write_string(w, row, col, cut, b->text));
	free(cut);
}

static void write_cell(struct book *b, lxw_worksheet *w, lxw_row_t row, lxw_col_t col,
	const struct cell *c, unsigned decimals)
{
	switch (c->kind) {
	case CELL_UNKNOWN:
		break;
	case CELL_TEXT:
		if (strlen(c->text) > CELL_CHARACTERS)
			write_long(b, w, row, col, c->text);
		else
			must(b, worksheet_write_string(w, row, col, c->text, b->text));
		break;
	case CELL_NUMBER:
		must(b, worksheet_write_number(w, row, col, c->number,
			b->number[decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals]));
		break;
	case CELL_SHARE:
		must(b, worksheet_write_number(w, row, col, c->number, b->share));
		break;
	case CELL_TIME:
		must(b, worksheet_write_number(w, row, col, c->number / 86400 + DAYS_TO_1970,
			b->time));
		break;
	}
}

static void write_heads(struct book *b, lxw_worksheet *w, const struct report_sheet *s)
{
	char head[160];
	unsigned lines = 1;

	for (size_t c = 0; c < s->column_count; c++) {
		const struct report_column *k = &s->columns[c];
		size_t len = strlen(export_head(head, sizeof(head), k));
		/* words are not cut, and the filter's button takes some room */
		unsigned needs = (unsigned)(len + k->width - 1) / k->width + (len > k->width);

		lines = needs > lines ? needs : lines;
		must(b, worksheet_set_column(w, (lxw_col_t)c, (lxw_col_t)c, k->width + 2, NULL));
	}
	must(b, worksheet_set_row(w, 0, 15.0 * (lines < 4 ? lines : 4), NULL));
	for (size_t c = 0; c < s->column_count; c++)
		must(b, worksheet_write_string(w, 0, (lxw_col_t)c,
			export_head(head, sizeof(head), &s->columns[c]),
			export_is_number(s, c) || s->columns[c].unit ? b->number_head : b->head));
}

/* On paper: as many pages side by side as stay legible. On each of them the first column, or the
 * heads where there are pages below; both at once are an expression that Gnumeric complains about. */
static void set_pages(lxw_worksheet *w, const struct report_sheet *s, size_t rows)
{
	unsigned width = s->chart_count ? CHART_CHARACTERS : 0, pages;

	for (size_t c = 0; c < s->column_count; c++)
		width += s->columns[c].width + 2;
	worksheet_set_landscape(w);
	worksheet_set_paper(w, PAPER_A4);
	pages = (width + PAGE_CHARACTERS - 1) / PAGE_CHARACTERS;
	worksheet_fit_to_pages(w, (uint16_t)pages, 0);
	if (pages > 1 && rows < PAGE_ROWS)
		worksheet_repeat_columns(w, 0, 0);
	else
		worksheet_repeat_rows(w, 0, 0);
}

static void add_rules(struct book *b, lxw_worksheet *w, const struct report_sheet *s, size_t rows)
{
	for (size_t i = 0; i < s->rule_count && rows; i++) {
		const struct report_rule *rule = &s->rules[i];
		lxw_col_t col = (lxw_col_t)rule->column;
		char quoted[64];
		lxw_conditional_format f = {
			.type = LXW_CONDITIONAL_TYPE_CELL,
			.criteria = rule->above ? LXW_CONDITIONAL_CRITERIA_GREATER_THAN :
				LXW_CONDITIONAL_CRITERIA_LESS_THAN,
			.value = rule->limit,
			.format = b->mark[rule->mark],
		};

		if (rule->text) {
			(void)snprintf(quoted, sizeof(quoted), "\"%s\"", rule->text);
			f.criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO;
			f.value_string = quoted;
		} else if (!rule->above) {
			/* an empty cell counts as 0 there */
			f.criteria = LXW_CONDITIONAL_CRITERIA_BETWEEN;
			f.min_value = 1e-300;
			f.max_value = rule->limit;
		}
		must(b, worksheet_conditional_format_range(w, 1, col, (lxw_row_t)rows, col, &f));
	}
}

/* -- charts ------------------------------------------------------------------------------------ */

static void place(char *buf, size_t len, const char *sheet, size_t row_first, size_t col_first,
	size_t row_last, size_t col_last)
{
	char cells[LXW_MAX_CELL_RANGE_LENGTH];

	lxw_rowcol_to_range_abs(cells, (lxw_row_t)row_first, (lxw_col_t)col_first,
		(lxw_row_t)row_last, (lxw_col_t)col_last);
	(void)snprintf(buf, len, "='%s'!%s", sheet, cells);
}

/* The library takes a name that begins with '=' for a reference. */
static const char *literal(char *buf, size_t len, const char *text)
{
	(void)snprintf(buf, len, "%s%s", *text == '=' ? " " : "", text);
	return buf;
}

static void add_series(struct book *b, lxw_chart *chart, const struct report_sheet *s,
	const struct report_chart *c, const struct report_series *k)
{
	char x[96], y[96], name[128];
	lxw_chart_series *series;

	if (k->row_last >= ROWS_MAX)
		return;
	/* rows of the report are below the heads */
	if (c->along_row)
		place(x, sizeof(x), s->name, 0, k->x_first, 0, k->x_last);
	else
		place(x, sizeof(x), s->name, k->row_first + 1, k->x_first, k->row_last + 1,
			k->x_last);
	place(y, sizeof(y), s->name, k->row_first + 1, k->y_first, k->row_last + 1, k->y_last);
	series = chart_add_series(chart, x, y);
	if (!series) {
		must(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
		return;
	}
	chart_series_set_name(series, literal(name, sizeof(name), k->name));
}

static bool is_share(const struct report_sheet *s, size_t column)
{
	return s->columns[column].unit && strcmp(s->columns[column].unit, "%") == 0;
}

static void add_chart(struct book *b, lxw_worksheet *w, const struct report_sheet *s, size_t i)
{
	const struct report_chart *c = &s->charts[i];
	lxw_chart_options options = { .x_scale = 1.6, .y_scale = 1.35 };
	lxw_chart_font small = { .size = 11, .bold = LXW_TRUE };
	char title[224];
	lxw_chart *chart = workbook_add_chart(b->workbook,
		c->along_row ? LXW_CHART_LINE : LXW_CHART_SCATTER_STRAIGHT);

	if (!chart) {
		must(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
		return;
	}
	for (size_t k = 0; k < c->count; k++)
		add_series(b, chart, s, c, &c->series[k]);
	chart_title_set_name(chart, literal(title, sizeof(title), c->title));
	chart_title_set_name_font(chart, &small);
	chart_axis_set_name(chart->x_axis, c->x_title);
	chart_axis_set_name(chart->y_axis, c->y_title);
	if (c->log_y) {
		chart_axis_set_log_base(chart->y_axis, 10);
	} else {
		chart_axis_set_min(chart->x_axis, 0);
		chart_axis_set_min(chart->y_axis, 0);
	}
	if (!c->along_row && c->count && is_share(s, c->series[0].y_first))
		chart_axis_set_num_format(chart->y_axis, "0%");
	chart_legend_set_position(chart, LXW_CHART_LEGEND_RIGHT);
	must(b, worksheet_insert_chart_opt(w, (lxw_row_t)(1 + i * CHART_ROWS),
		(lxw_col_t)(s->column_count + 1), chart, &options));
}

/* -- sheets ------------------------------------------------------------------------------------ */

/* @part: 0, or how many sheets of ROWS_MAX rows stand before this one. */
static void add_sheet(struct book *b, const struct report_sheet *s, size_t part)
{
	size_t first = part * ROWS_MAX, rows = s->rows - first;
	lxw_worksheet *w;
	char name[32];

	rows = rows > ROWS_MAX ? ROWS_MAX : rows;
	(void)snprintf(name, sizeof(name), part ? "%.24s %zu" : "%.31s", s->name, part + 1);
	w = workbook_add_worksheet(b->workbook, name);
	if (!w) {
		must(b, LXW_ERROR_MEMORY_MALLOC_FAILED);
		return;
	}
	write_heads(b, w, s);
	for (size_t row = 0; row < rows; row++)
		for (size_t c = 0; c < s->column_count; c++)
			write_cell(b, w, (lxw_row_t)(row + 1), (lxw_col_t)c,
				report_cell(s, first + row, c), s->columns[c].decimals);
	add_rules(b, w, s, rows);
	worksheet_freeze_panes(w, 1, 1);
	must(b, worksheet_autofilter(w, 0, 0, (lxw_row_t)rows, (lxw_col_t)(s->column_count - 1)));
	set_pages(w, s, rows);
	for (size_t i = 0; i < s->chart_count && part == 0; i++)
		add_chart(b, w, s, i);
	/* last: what is written out is behind */
	if (s->left_out && rows < ROWS_MAX - 1)
		must(b, worksheet_write_string(w, (lxw_row_t)(rows + 2), 0, s->left_out, b->note));
}

static int write_book(const struct report *r, const char *path, struct err *reterr)
{
	lxw_workbook_options options = { .constant_memory = LXW_TRUE, .tmpdir = getenv("TMPDIR") };
	lxw_doc_properties properties = {
		.title = (char *)"ssdqual report",
		.comments = (char *)"Made by ssdqual " SSDQUAL_VERSION,
		.created = isnan(r->newest_s) ? DATE_UNKNOWN : (time_t)r->newest_s,
	};
	struct book b = { .workbook = workbook_new_opt(path, &options) };
	lxw_error e;

	if (!b.workbook)
		return err_nomem(reterr);
	make_formats(&b);
	must(&b, workbook_set_properties(b.workbook, &properties));
	for (size_t i = 0; i < SHEET_COUNT; i++) {
		add_sheet(&b, &r->sheet[i], 0);
		for (size_t part = 1; part * ROWS_MAX < r->sheet[i].rows; part++)
			add_sheet(&b, &r->sheet[i], part);
	}
	e = workbook_close(b.workbook);
	if (e != LXW_NO_ERROR)
		return err_set(reterr, ERR_DEVICE, -EIO,
			"the workbook: %s; is there room in %s?", lxw_strerror(e),
			options.tmpdir ? options.tmpdir : "/tmp");
	if (b.failed)
		return err_set(reterr, ERR_INTERNAL, -EIO, "the workbook: %s",
			lxw_strerror(b.failed));
	return 0;
}

/* -- from a temporary file into memory: who saves it does so at once or not at all --------------- */

static int read_all(int fd, char **ret, size_t *ret_len, struct err *reterr)
{
	struct stat st;
	char *buf;
	size_t have = 0;

	if (fstat(fd, &st) < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "the workbook: %s", strerror(errno));
	buf = malloc((size_t)st.st_size + 1);
	if (!buf)
		return err_nomem(reterr);
	while (have < (size_t)st.st_size) {
		ssize_t n = pread(fd, buf + have, (size_t)st.st_size - have, (off_t)have);

		if (n <= 0) {
			int code = n < 0 ? -errno : -EIO;

			free(buf);
			return err_set(reterr, ERR_DEVICE, code, "the workbook: %s",
				strerror(-code));
		}
		have += (size_t)n;
	}
	*ret = buf;
	*ret_len = have;
	return 0;
}

static int render(const struct report *r, enum report_sheet_id sheet, char **ret, size_t *ret_len,
	struct err *reterr)
{
	const char *folder = getenv("TMPDIR");
	char *path;
	int fd, rc;

	(void)sheet;
	if (asprintf(&path, "%s/ssdqual-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
		return err_nomem(reterr);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		rc = err_set(reterr, ERR_DEVICE, -errno, "%s: %s; set TMPDIR to a folder that you "
			"may write", path, strerror(errno));
		free(path);
		return rc;
	}
	rc = write_book(r, path, reterr);
	if (rc == 0)
		rc = read_all(fd, ret, ret_len, reterr);
	(void)close(fd); /* nothing was written through it */
	(void)unlink(path);
	free(path);
	return rc;
}

const struct export_ops export_xlsx = {
	.name = "xlsx",
	.summary = "workbook with charts for Excel, LibreOffice, Gnumeric",
	.render = render,
};
