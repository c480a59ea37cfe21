/* tui_text.c - moving through lines. */
#include "cli/tui_text.h"

#include "cli/tui_screen.h"

#include <stdlib.h>
#include <string.h>

void tui_text_done(struct tui_text *t)
{
	free(t->text);
	free(t->line);
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

void tui_text_draw(struct tui_text *t, struct tui_grid *g, const struct tui_rect *r)
{
	size_t rows = r->rows > 0 ? (size_t)r->rows : 0;

	if (t->top + rows > t->count)
		t->top = t->count > rows ? t->count - rows : 0;
	for (size_t i = 0; i < rows && t->top + i < t->count; i++)
		(void)tui_grid_put(g, r, (int)i, 0, TUI_PLAIN, t->line[t->top + i]);
}

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
	t->top = move(t->top, step, t->count ? t->count - 1 : 0);
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
