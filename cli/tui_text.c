/* tui_text.c - moving through lines. */
#include "cli/tui_text.h"

#include "cli/text.h"
#include "cli/tui_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tui_text_done(struct tui_text *t)
{
	free(t->text);
	free(t->line);
	free(t->row);
	*t = (struct tui_text){ .text = NULL };
}

void tui_text_take(struct tui_text *t, char *text)
{
	size_t lines = 1, n = 0;

	tui_text_done(t);
	if (!text)
		return;
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	t->line = calloc(lines, sizeof(*t->line));
	if (!t->line) {
		free(text);
		return;
	}
	t->text = text;
	for (char *p = text; p && *p;) {
		char *end = strchr(p, '\n');

		t->line[n++] = p;
		if (end)
			*end++ = '\0';
		p = end;
	}
	t->count = n;
}

/* -- rows --------------------------------------------------------------------------------------- */

/* Bytes of one character; a broken one is one byte. */
static size_t char_len(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t len = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;

	return strnlen(s, len);
}

/* How much of @s is in @cols columns: at least one character, and whole words where there are any. */
static size_t fitting(const char *s, int cols, bool utf8)
{
	size_t len = 0, words = 0;
	int used = 0;

	while (s[len]) {
		char one[5] = "";
		size_t n = char_len(s + len);

		memcpy(one, s + len, n);
		used += (int)text_width(one, utf8);
		if (used > cols)
			return words ? words : len ? len : n;
		len += n;
		if (one[0] == ' ' && len < strlen(s) && used > cols / 2)
			words = len;
	}
	return len;
}

static bool add_row(struct tui_text *t, struct tui_text_row row)
{
	if ((t->rows & (t->rows - 1)) == 0) { /* full: none yet, or a power of two */
		size_t room = t->rows ? t->rows * 2 : 1;
		struct tui_text_row *grown = realloc(t->row, room * sizeof(*grown));

		if (!grown)
			return false; /* the rest is not shown; the next drawing tries again */
		t->row = grown;
	}
	t->row[t->rows++] = row;
	return true;
}

static void lay_out(struct tui_text *t, int cols, bool utf8)
{
	size_t line = t->top < t->rows ? t->row[t->top].line : 0;

	t->rows = t->top = 0;
	for (size_t i = 0; i < t->count; i++) {
		size_t at = 0;

		if (i == line)
			t->top = t->rows;
		do {
			size_t len = fitting(t->line[i] + at, cols, utf8);

			if (!add_row(t, (struct tui_text_row){ i, at, len }))
				return;
			at += len;
		} while (t->line[i][at]);
	}
	t->cols = cols;
}

void tui_text_draw(struct tui_text *t, struct tui_grid *g, const struct tui_rect *r,
	char *ret_place)
{
	size_t rows = r->rows > 0 ? (size_t)r->rows : 0;

	if (ret_place)
		*ret_place = '\0';
	if (rows == 0 || r->cols < 1)
		return;
	if (t->cols != r->cols)
		lay_out(t, r->cols, g->utf8);
	if (t->to_end || t->top + rows > t->rows)
		t->top = t->rows > rows ? t->rows - rows : 0;
	t->to_end = false;
	for (size_t i = 0; i < rows && t->top + i < t->rows; i++) {
		const struct tui_text_row *row = &t->row[t->top + i];

		(void)tui_grid_putf(g, r, (int)i, 0, TUI_PLAIN, "%.*s", (int)row->len,
			t->line[row->line] + row->at);
	}
	if (ret_place && t->rows > rows)
		(void)snprintf(ret_place, TUI_PLACE_MAX, "%zu-%zu of %zu", t->top + 1,
			t->top + rows, t->rows);
}

bool tui_text_section(struct tui_text *t)
{
	for (size_t i = t->top + 1; i < t->rows; i++) {
		const struct tui_text_row *row = &t->row[i];
		const char *s = t->line[row->line];

		if (row->at == 0 && *s && *s != ' ' && row->line > 0 && !*t->line[row->line - 1]) {
			t->top = i;
			return true;
		}
	}
	return false;
}

int tui_text_save(const struct tui_text *t, const char *path, struct err *reterr)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	int r = 0;

	if (!f) {
		r = -errno;
		if (fd >= 0)
			(void)close(fd);
		return err_set(reterr, ERR_DEVICE, r, "%s: %s%s", path, strerror(-r),
			r == -EEXIST ? "; it is not written over" : "");
	}
	for (size_t i = 0; i < t->count; i++)
		(void)fprintf(f, "%s\n", t->line[i]); /* ferror() tells */
	if (ferror(f))
		r = -EIO;
	if (fclose(f) != 0 && r == 0)
		r = -errno;
	return r < 0 ? err_set(reterr, ERR_DEVICE, r, "%s: %s", path, strerror(-r)) : 0;
}

/* -- keys --------------------------------------------------------------------------------------- */

/* How far a key moves: 0 and false for others. */
static bool step_of(int key, int page, long *ret)
{
	long rows = page > 1 ? page - 1 : 1;

	switch (key) {
	case TUI_KEY_UP:
	case 'k':
		*ret = -1;
		return true;
	case TUI_KEY_DOWN:
	case 'j':
		*ret = 1;
		return true;
	case TUI_KEY_PAGE_UP:
		*ret = -rows;
		return true;
	case TUI_KEY_PAGE_DOWN:
		*ret = rows;
		return true;
	case TUI_KEY_HOME:
		*ret = -(1L << 40);
		return true;
	case TUI_KEY_END:
		*ret = 1L << 40;
		return true;
	}
	return false;
}

static size_t move(size_t at, long step, size_t last)
{
	long to = (long)at + step;

	return to < 0 ? 0 : to > (long)last ? last : (size_t)to;
}

bool tui_text_key(struct tui_text *t, int key, int page)
{
	long step;

	if (!step_of(key, page, &step))
		return false;
	t->top = move(t->top, step, t->rows ? t->rows - 1 : 0);
	return true;
}

bool tui_list_key(struct tui_list *l, int key, int page)
{
	long step;

	if (!step_of(key, page, &step))
		return false;
	l->at = move(l->at, step, l->count ? l->count - 1 : 0);
	return true;
}

void tui_list_fit(struct tui_list *l, size_t count, int rows)
{
	size_t page = rows > 0 ? (size_t)rows : 1;

	l->count = count;
	if (l->at >= count)
		l->at = count ? count - 1 : 0;
	if (l->top > l->at)
		l->top = l->at;
	if (l->at >= l->top + page)
		l->top = l->at - page + 1;
	if (l->top + page > count)
		l->top = count > page ? count - page : 0;
}
