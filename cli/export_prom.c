/* export_prom.c - metrics for node_exporter's textfile collector: text that is both Prometheus'
 * format and OpenMetrics. Of samples with the same labels the last one given stays, because the
 * collector refuses a file with two. */
#include "cli/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sample {
	const char *labels;
	double value;
	size_t order;
};

struct samples {
	struct sample *item;
	size_t count, room;
};

static int by_labels(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int d = strcmp(x->labels, y->labels);

	return d ? d : x->order < y->order ? 1 : -1; /* the last given first */
}

static void put_value(FILE *f, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '"' || *text == '\\')
			(void)fputc('\\', f);
		(void)fputc(*text, f);
	}
}

/* "{model="...",serial="..."}". NULL: no memory. An unknown label is left out: the same as "". */
static char *labels_of(const struct report_sheet *s, size_t row)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	bool first = true, named = false;

	if (!f)
		return NULL;
	for (size_t c = 0; c < s->column_count; c++) {
		const struct cell *cell = report_cell(s, row, c);

		if (!s->columns[c].label || cell->kind != CELL_TEXT ||
			(s->columns[c].nameless && named))
			continue;
		named = named || strcmp(s->columns[c].label, "model") == 0 ||
			strcmp(s->columns[c].label, "serial") == 0;
		(void)fprintf(f, "%c%s=\"", first ? '{' : ',', s->columns[c].label);
		put_value(f, cell->text);
		(void)fputc('"', f);
		first = false;
	}
	(void)fputs(first ? "" : "}", f);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int add_column(struct samples *l, const struct report_sheet *s, size_t column,
	char *const *labels)
{
	const struct report_column *c = &s->columns[column];

	for (size_t row = 0; row < s->rows; row++) {
		const struct cell *cell = report_cell(s, row, column);
		double scale = c->scale != 0 ? c->scale : 1;

		if (cell->kind == CELL_UNKNOWN)
			continue;
		if (l->count == l->room) {
			size_t room = l->room ? l->room * 2 : 64;
			struct sample *more = realloc(l->item, room * sizeof(*more));

			if (!more)
				return -ENOMEM;
			l->item = more;
			l->room = room;
		}
		l->item[l->count] = (struct sample){ .labels = labels[row], .order = l->count,
			.value = cell->kind == CELL_TEXT ? 1 : cell->number * scale };
		l->count++;
	}
	return 0;
}

static void put_samples(FILE *f, const struct report_column *c, struct samples *l)
{
	char buf[EXPORT_NUMBER];

	if (l->count == 0)
		return;
	qsort(l->item, l->count, sizeof(*l->item), by_labels);
	(void)fprintf(f, "# HELP %s %s\n# TYPE %s gauge\n", c->metric, c->help, c->metric);
	for (size_t i = 0; i < l->count; i++)
		if (i == 0 || strcmp(l->item[i].labels, l->item[i - 1].labels) != 0)
			(void)fprintf(f, "%s%s %s\n", c->metric, l->item[i].labels,
				export_number(buf, l->item[i].value));
}

static int put_sheet(FILE *f, const struct report_sheet *s)
{
	char **labels = calloc(s->rows + 1, sizeof(char *));
	int rc = labels ? 0 : -ENOMEM;

	for (size_t row = 0; row < s->rows && rc == 0; row++) {
		labels[row] = labels_of(s, row);
		rc = labels[row] ? 0 : -ENOMEM;
	}
	for (size_t c = 0; c < s->column_count && rc == 0; c++) {
		struct samples l = { .item = NULL };

		if (!s->columns[c].metric)
			continue;
		rc = add_column(&l, s, c, labels);
		if (rc == 0)
			put_samples(f, &s->columns[c], &l);
		free(l.item);
	}
	for (size_t row = 0; row < s->rows && labels; row++)
		free(labels[row]);
	free(labels);
	return rc;
}

static int render(const struct report *r, enum report_sheet_id sheet, char **ret, size_t *ret_len,
	struct err *reterr)
{
	char *buf = NULL;
	size_t len;
	FILE *f = export_stream(&buf, &len, reterr);
	int rc = f ? 0 : -ENOMEM;

	(void)sheet;
	for (size_t i = 0; i < SHEET_COUNT && rc == 0; i++)
		rc = put_sheet(f, &r->sheet[i]);
	if (rc < 0) {
		if (f)
			(void)fclose(f); /* only to release it */
		free(buf);
		return err_nomem(reterr);
	}
	(void)fputs("# EOF\n", f);
	return export_end(f, &buf, &len, ret, ret_len, reterr);
}

const struct export_ops export_prom = {
	.name = "prom",
	.summary = "metrics for node_exporter's textfile collector",
	.text = true,
	.render = render,
};
