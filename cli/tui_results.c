/* tui_results.c - the browser of stored results: from their names alone, until one is looked at. */
#include "cli/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/store.h"

enum { MARKS_MAX = 8 };

enum sort { BY_TIME, BY_TARGET, BY_BATTERY, SORTS };
static const char *const sort_words[] = { "newest first", "by drive", "by battery" };

struct results {
	struct store_list store;
	const struct store_entry **shown; /* those that match, in order */
	size_t shown_count;
	struct tui_list list;
	enum sort sort;
	char filter[128];
	char *marked[MARKS_MAX];          /* paths */
	size_t marked_count;
	struct tui_job job;               /* of the text below */
	struct tui_text text;
	bool viewing;
	char error[ERR_MSG_MAX];
};

/* -- which, and in which order ------------------------------------------------------------------ */

static int by_target(const void *a, const void *b)
{
	const struct store_entry *x = *(const struct store_entry *const *)a;
	const struct store_entry *y = *(const struct store_entry *const *)b;
	int d = strcmp(x->target, y->target);

	d = d ? d : strcmp(y->utc, x->utc);
	return d ? d : strcmp(x->path, y->path);
}

static int by_battery(const void *a, const void *b)
{
	const struct store_entry *x = *(const struct store_entry *const *)a;
	const struct store_entry *y = *(const struct store_entry *const *)b;
	int d = strcmp(x->battery, y->battery);

	d = d ? d : strcmp(y->utc, x->utc);
	return d ? d : strcmp(x->path, y->path);
}

static void choose(struct results *s)
{
	s->shown_count = 0;
	if (!s->shown)
		return;
	for (size_t i = 0; i < s->store.count; i++) {
		const struct store_entry *e = &s->store.entry[i];
		const char *name = strrchr(e->path, '/');

		if (!s->filter[0] || strcasestr(name ? name : e->path, s->filter))
			s->shown[s->shown_count++] = e;
	}
	if (s->sort != BY_TIME) /* that order it has */
		qsort(s->shown, s->shown_count, sizeof(struct store_entry *),
			s->sort == BY_TARGET ? by_target : by_battery);
}

static void load(struct results *s)
{
	struct store_list fresh;
	struct err e = ERR_INIT;

	if (store_list_results(NULL, &fresh, &e) < 0) {
		(void)snprintf(s->error, sizeof(s->error), "%s", e.msg);
		return;
	}
	s->error[0] = '\0';
	free(s->shown);
	store_list_done(&s->store);
	s->store = fresh;
	s->shown = calloc(fresh.count + 1, sizeof(struct store_entry *));
	choose(s);
}

static bool is_marked(const struct results *s, const char *path)
{
	for (size_t i = 0; i < s->marked_count; i++)
		if (strcmp(s->marked[i], path) == 0)
			return true;
	return false;
}

static void unmark_all(struct results *s)
{
	for (size_t i = 0; i < s->marked_count; i++)
		free(s->marked[i]);
	s->marked_count = 0;
}

static void toggle_mark(struct tui *t, struct results *s, const char *path)
{
	for (size_t i = 0; i < s->marked_count; i++) {
		if (strcmp(s->marked[i], path) != 0)
			continue;
		free(s->marked[i]);
		s->marked[i] = s->marked[--s->marked_count];
		return;
	}
	if (s->marked_count == MARKS_MAX) {
		tui_say(t, TUI_POOR, "%d results are marked already; u unmarks all", MARKS_MAX);
		return;
	}
	s->marked[s->marked_count] = strdup(path);
	s->marked_count += s->marked[s->marked_count] != NULL;
}

/* -- life --------------------------------------------------------------------------------------- */

static void open_pane(struct tui *t, void *state)
{
	struct results *s = state;

	(void)t;
	s->job = (struct tui_job)TUI_JOB_INIT;
	load(s);
}

static void close_pane(void *state)
{
	struct results *s = state;

	unmark_all(s);
	tui_job_done(&s->job);
	tui_text_done(&s->text);
	free(s->shown);
	store_list_done(&s->store);
}

static bool tick(struct tui *t, void *state)
{
	struct results *s = state;

	(void)t;
	if (!tui_job_poll(&s->job))
		return false;
	tui_text_take(&s->text, s->job.text);
	s->job.text = NULL; /* taken */
	return true;
}

/* -- drawing ------------------------------------------------------------------------------------ */

static void draw_entry(struct tui *t, const struct results *s, const struct tui_rect *r, int row,
	const struct store_entry *e)
{
	(void)tui_grid_putf(&t->grid, r, row, 0, TUI_PLAIN,
		"%c %.4s-%.2s-%.2s %.2s:%.2s  %-12s %s%s",
		is_marked(s, e->path) ? '*' : ' ', e->utc, e->utc + 4, e->utc + 6, e->utc + 9,
		e->utc + 11, e->battery, e->target, e->number > 1 ? " (again)" : "");
}

static void draw_list(struct tui *t, struct results *s)
{
	const struct tui_rect *r = &t->layout.body;
	struct tui_rect rest = { r->row + 1, r->col, r->rows - 1, r->cols };

	(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_BOLD,
		"  STARTED           BATTERY      DRIVE   %zu of %zu, %s%s%s, %zu marked",
		s->shown_count, s->store.count, sort_words[s->sort],
		s->filter[0] ? ", with " : "", s->filter, s->marked_count);
	if (s->error[0])
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_BAD, s->error);
	else if (!s->store.count)
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_PLAIN,
			"no results yet; a run stores one");
	tui_list_fit(&s->list, s->shown_count, rest.rows);
	for (int i = 0; i < rest.rows && s->list.top + (size_t)i < s->shown_count; i++) {
		size_t n = s->list.top + (size_t)i;

		draw_entry(t, s, &rest, i, s->shown[n]);
		if (n == s->list.at)
			tui_grid_style(&t->grid, &rest, i, TUI_REVERSE);
	}
}

static void draw(struct tui *t, void *state)
{
	struct results *s = state;

	if (!s->viewing)
		draw_list(t, s);
	else if (tui_job_runs(&s->job))
		(void)tui_grid_put(&t->grid, &t->layout.body, 0, 0, TUI_FAINT, "reading ...");
	else
		tui_text_draw(&s->text, &t->grid, &t->layout.body, t->place);
}

/* -- keys --------------------------------------------------------------------------------------- */

static void view(struct tui *t, struct results *s, const struct tui_args *args)
{
	struct err e = ERR_INIT;

	if (tui_job_start(&s->job, t->cli, args, t->layout.body.cols, true, &e) < 0) {
		tui_say(t, TUI_BAD, "%s", e.msg);
		return;
	}
	tui_text_done(&s->text);
	s->viewing = true;
	tui_say(t, TUI_PLAIN, "Esc: back to the list");
}

static void view_marked(struct tui *t, struct results *s, const char *command)
{
	struct tui_args args = { .count = 0 };

	if (s->marked_count < 2 || (command[0] == 'c' && s->marked_count != 2)) {
		tui_say(t, TUI_POOR, "mark two results with the space bar first (%zu %s marked)",
			s->marked_count, s->marked_count == 1 ? "is" : "are");
		return;
	}
	tui_args_add(&args, command);
	for (size_t i = 0; i < s->marked_count; i++)
		tui_args_add(&args, s->marked[i]);
	view(t, s, &args);
}

static void view_chosen(struct tui *t, struct results *s, const struct store_entry *e)
{
	struct tui_args args = { .count = 0 };

	tui_args_add(&args, "show");
	tui_args_add(&args, e->path);
	view(t, s, &args);
}

static void filter_given(struct tui *t, void *ctx, const char *answer)
{
	struct results *s = ctx;

	(void)t;
	if (!answer)
		return;
	(void)snprintf(s->filter, sizeof(s->filter), "%.127s", answer);
	choose(s);
}

static bool view_key(struct tui *t, struct results *s, int key)
{
	if (key == 27 || key == TUI_KEY_BACKSPACE || key == TUI_KEY_LEFT) {
		s->viewing = false;
		t->status[0] = '\0';
		return true;
	}
	return tui_text_key(&s->text, key, t->layout.body.rows);
}

static bool entry_key(struct tui *t, struct results *s, int key)
{
	const struct store_entry *e = s->list.at < s->shown_count ? s->shown[s->list.at] : NULL;

	if (!e)
		return false;
	switch (key) {
	case TUI_KEY_ENTER:
	case TUI_KEY_RIGHT:
		view_chosen(t, s, e);
		return true;
	case ' ':
		toggle_mark(t, s, e->path);
		(void)tui_list_key(&s->list, TUI_KEY_DOWN, 1);
		return true;
	case 'w':
		(void)snprintf(t->chosen, sizeof(t->chosen), "%s", e->path);
		tui_show_pane(t, TUI_PANE_ADVICE);
		tui_say(t, TUI_PLAIN, "the drive is %s; Enter works the advice out", e->target);
		return true;
	}
	return false;
}

static bool key_pressed(struct tui *t, void *state, int key)
{
	struct results *s = state;

	if (s->viewing)
		return view_key(t, s, key);
	if (entry_key(t, s, key))
		return true;
	switch (key) {
	case 's':
		s->sort = (s->sort + 1) % SORTS;
		choose(s);
		return true;
	case '/':
		tui_ask(t, filter_given, s, s->filter, "Only results whose name holds:");
		return true;
	case 'u':
		unmark_all(s);
		return true;
	case 'b':
		view_marked(t, s, "show");
		return true;
	case 'c':
		view_marked(t, s, "compare");
		return true;
	case 'g':
		load(s);
		tui_say(t, TUI_PLAIN, "read again");
		return true;
	}
	return tui_list_key(&s->list, key, t->layout.body.rows - 1);
}

extern const struct tui_pane tui_pane_results;
const struct tui_pane tui_pane_results = {
	.name = "Results",
	.keys = "Enter show  Space mark  b side by side  c compare  s sort  / filter",
	.help = "  Enter      show the result; Esc goes back to the list\n"
		"  Space      mark it\n"
		"  b          the marked ones side by side, with cache on against off\n"
		"  c          compare two marked ones: the first is the base\n"
		"  u          unmark all\n"
		"  s          sort: newest first, by drive, by battery\n"
		"  /          only those whose name holds a text; empty: all\n"
		"  w          advice with this drive\n"
		"  g          read the folder again\n",
	.state_size = sizeof(struct results),
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
