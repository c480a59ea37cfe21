/* tui_results.c - the browser of stored results: from their names alone, until one is looked at. */
#include "cli/show_list.h"
#include "cli/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS_MAX = 8 };

static const char *const sort_words[] = { [SHOW_BY_TIME] = "newest first",
	[SHOW_BY_BATTERY] = "by battery", [SHOW_BY_TARGET] = "by drive" };
#define SORTS ((int)(sizeof(sort_words) / sizeof(sort_words[0])))

struct results {
	struct store_list store;
	size_t shown_count;               /* its first ones are shown */
	struct tui_list list;
	struct show_list_cfg cfg;
	char filter[128];
	char *marked[MARKS_MAX];          /* paths */
	size_t marked_count;
	struct tui_job job;               /* of the text below */
	struct tui_text text;
	bool viewing;
	struct tui_job glance_job;        /* of the chosen one, beside or below the list */
	struct tui_text glance;
	char *glance_of;                  /* its path */
	size_t glance_at;                 /* the line that was chosen at the last tick */
	int glance_cols;
	bool run_alive;
	char error[ERR_MSG_MAX];
};

/* -- which, and in which order ------------------------------------------------------------------ */

static void choose(struct results *s)
{
	s->cfg.name = s->filter[0] ? s->filter : NULL;
	s->shown_count = show_list_choose(&s->store, &s->cfg);
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
	store_list_done(&s->store);
	s->store = fresh;
	choose(s);
}

/* Its number among the marked ones, from 1; 0: it is none of them. */
static size_t mark_of(const struct results *s, const char *path)
{
	for (size_t i = 0; i < s->marked_count; i++)
		if (strcmp(s->marked[i], path) == 0)
			return i + 1;
	return 0;
}

static void unmark_all(struct results *s)
{
	for (size_t i = 0; i < s->marked_count; i++)
		free(s->marked[i]);
	s->marked_count = 0;
}

static void toggle_mark(struct tui *t, struct results *s, const char *path)
{
	size_t n = mark_of(s, path);

	if (n) {
		free(s->marked[n - 1]);
		s->marked_count--;
		memmove(&s->marked[n - 1], &s->marked[n],
			(s->marked_count - (n - 1)) * sizeof(char *));
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
	s->job = s->glance_job = (struct tui_job)TUI_JOB_INIT;
	load(s);
}

static void close_pane(void *state)
{
	struct results *s = state;

	unmark_all(s);
	tui_job_done(&s->job);
	tui_job_done(&s->glance_job);
	tui_text_done(&s->text);
	tui_text_done(&s->glance);
	free(s->glance_of);
	store_list_done(&s->store);
}

static const struct store_entry *chosen(const struct results *s)
{
	return s->list.at < s->shown_count ? &s->store.entry[s->list.at] : NULL;
}

/* The chosen one is read once it stays chosen for a tick: not every one that is passed. */
static void look_at_chosen(struct tui *t, struct results *s)
{
	const struct store_entry *e = chosen(s);
	struct tui_args args = { .count = 0 };
	int cols = t->layout.detail.cols;
	bool stays = s->glance_at == s->list.at;

	s->glance_at = s->list.at;
	if (t->pane != TUI_PANE_RESULTS || s->viewing || !t->layout.detail.rows || !e || !stays ||
		(s->glance_of && strcmp(s->glance_of, e->path) == 0 && s->glance_cols == cols))
		return;
	free(s->glance_of);
	s->glance_of = strdup(e->path);
	s->glance_cols = cols;
	tui_text_done(&s->glance);
	tui_args_add(&args, "show");
	tui_args_add(&args, e->path);
	(void)tui_job_start(&s->glance_job, t->cli, &args, cols, true, NULL); /* else: no glance */
}

/* Where there is little room its figures come first: which drive it is, the list tells. */
static void take_glance(struct results *s, bool little)
{
	const char *rows = little && s->glance_job.text ? strstr(s->glance_job.text, "\n\n") : NULL;

	tui_text_take(&s->glance, rows ? strdup(rows + 2) : s->glance_job.text);
	if (rows)
		free(s->glance_job.text);
	s->glance_job.text = NULL; /* taken */
}

static bool tick(struct tui *t, void *state)
{
	struct results *s = state;
	bool news = false;

	if (s->run_alive && !t->run.alive) { /* it has stored one */
		load(s);
		news = true;
	}
	s->run_alive = t->run.alive;
	if (tui_job_poll(&s->job)) {
		tui_text_take(&s->text, s->job.text);
		s->job.text = NULL; /* taken */
		news = true;
	}
	look_at_chosen(t, s);
	if (tui_job_poll(&s->glance_job)) {
		take_glance(s, !t->layout.beside);
		news = true;
	}
	return news;
}

/* -- drawing ------------------------------------------------------------------------------------ */

static void draw_entry(struct tui *t, const struct results *s, const struct tui_rect *r, int row,
	const struct store_entry *e)
{
	size_t mark = mark_of(s, e->path);
	char number[16] = "";

	if (e->number > 1)
		(void)snprintf(number, sizeof(number), " (%u)", e->number);
	(void)tui_grid_putf(&t->grid, r, row, 0, TUI_PLAIN,
		"%c %.4s-%.2s-%.2s %.2s:%.2s  %-9s  %s%s", mark ? (char)('0' + mark) : ' ', e->utc,
		e->utc + 4, e->utc + 6, e->utc + 9, e->utc + 11, e->battery, e->target, number);
}

/* In the status line, unless something else is said there. */
static void draw_how(struct tui *t, const struct results *s)
{
	const struct tui_rect *r = &t->layout.status;

	if (t->status[0] || t->prompt.active)
		return;
	(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_FAINT, "%zu of %zu results, %s%s%s%s",
		s->shown_count, s->store.count, sort_words[s->cfg.sort], s->filter[0] ? ", with '" : "",
		s->filter, s->filter[0] ? "'" : "");
	if (s->marked_count)
		(void)tui_grid_putf(&t->grid, r, 0, r->cols - 9, TUI_BOLD, "%zu marked",
			s->marked_count);
}

static void draw_list(struct tui *t, struct results *s)
{
	const struct tui_rect *r = &t->layout.body;
	struct tui_rect rest = { r->row + 1, r->col, r->rows - 1, r->cols };

	(void)tui_grid_put(&t->grid, r, 0, 0, TUI_BOLD, "  STARTED (UTC)     BATTERY    DRIVE");
	if (s->error[0])
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_BAD, s->error);
	else if (!s->store.count)
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_PLAIN,
			"No results yet: a run stores one, `ssdqual import` too.");
	else if (!s->shown_count)
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_PLAIN,
			"None of them: / and Enter on an empty line shows all again.");
	tui_list_fit(&s->list, s->shown_count, rest.rows);
	for (int i = 0; i < rest.rows && s->list.top + (size_t)i < s->shown_count; i++) {
		size_t n = s->list.top + (size_t)i;

		draw_entry(t, s, &rest, i, &s->store.entry[n]);
		if (n == s->list.at)
			tui_grid_style(&t->grid, &rest, i, TUI_REVERSE);
	}
	if (s->shown_count > (size_t)rest.rows)
		(void)snprintf(t->place, sizeof(t->place), "%zu of %zu", s->list.at + 1,
			s->shown_count);
	draw_how(t, s);
	if (s->glance_of && chosen(s) && strcmp(s->glance_of, chosen(s)->path) == 0)
		tui_text_draw(&s->glance, &t->grid, &t->layout.detail, NULL);
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

static bool whole(const void *state)
{
	return ((const struct results *)state)->viewing;
}

static const char *keys_now(const struct tui *t, const void *state)
{
	const struct results *s = state;

	(void)t;
	if (s->viewing)
		return "Esc back  Up/Down scroll  n next section  x save";
	return s->marked_count > 1 ? "b side by side  c compare  u unmark  Enter show" :
		"Enter show  Space mark  s sort  / filter  w advice";
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
	t->status[0] = '\0';
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
	if (command[0] == 's')
		tui_args_add(&args, "--side-by-side");
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
	if (key == 'n') {
		if (!tui_text_section(&s->text))
			tui_say(t, TUI_PLAIN, "that was the last section");
		return true;
	}
	if (key == 'x') {
		tui_ask_save(t, &s->text);
		return true;
	}
	return tui_text_key(&s->text, key, t->layout.body.rows);
}

static bool entry_key(struct tui *t, struct results *s, int key)
{
	const struct store_entry *e = chosen(s);

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
		s->cfg.sort = (s->cfg.sort + 1) % SORTS;
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
		tui_say(t, TUI_PLAIN, "read again: %zu of %zu results", s->shown_count,
			s->store.count);
		return true;
	}
	return tui_list_key(&s->list, key, t->layout.body.rows - 1);
}

extern const struct tui_pane tui_pane_results;
const struct tui_pane tui_pane_results = {
	.name = "Results",
	.keys = "Enter show  Space mark  s sort  / filter  w advice",
	.keys_now = keys_now,
	.help = "  Enter      show the result; then Esc goes back, n to the next section,\n"
		"             x saves the text\n"
		"  Space      mark it; marks are numbered in their order\n"
		"  b          the marked ones side by side: IOPS and p99, best and worst\n"
		"  c          compare two marked ones: the first is the base\n"
		"  u          unmark all\n"
		"  s          sort: newest first, by drive, by battery\n"
		"  /          only those whose name holds a text; empty: all\n"
		"  w          advice with this drive\n"
		"  g          read the folder again\n",
	.state_size = sizeof(struct results),
	.detail = true,
	.whole = whole,
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
