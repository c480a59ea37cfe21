/* tui.c - what the panes of the dashboard share: the lines around them, questions, keys. */
#include "cli/tui.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_CTRL_C = 3, KEY_TAB = 9, KEY_CTRL_L = 12, KEY_CTRL_U = 21, KEY_ESCAPE = 27 };

static const char common_keys[] = "Tab pane  ? help  q quit";
static const char common_help[] =
	"Everywhere\n"
	"  Tab, Shift-Tab, 1 to 4   next pane, previous pane, that pane\n"
	"  Up, Down, k, j           move; also PageUp, PageDown, Home, End\n"
	"  ?                        this help; any other key leaves it\n"
	"  Ctrl-L                   draw the screen anew\n"
	"  q, Ctrl-C                quit; a run that goes on is asked about first\n"
	"  Esc                      cancel a question, close what is open\n"
	"\n"
	"A run that is left goes on without the dashboard, which finds it again when it\n"
	"is started anew. SIGTERM, SIGINT and SIGHUP of the dashboard stop the run: the\n"
	"write cache is put back, and what was measured is stored.\n";

/* -- for panes ---------------------------------------------------------------------------------- */

void tui_say(struct tui *t, enum tui_style style, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(t->status, sizeof(t->status), fmt, ap); /* cut: one line is shown */
	va_end(ap);
	t->status_style = style;
}

void tui_ask(struct tui *t, void (*done)(struct tui *t, void *ctx, const char *answer), void *ctx,
	const char *initial, const char *fmt, ...)
{
	struct tui_prompt *p = &t->prompt;
	va_list ap;

	*p = (struct tui_prompt){ .active = true, .done = done, .ctx = ctx };
	va_start(ap, fmt);
	(void)vsnprintf(p->question, sizeof(p->question), fmt, ap);
	va_end(ap);
	(void)snprintf(p->answer, sizeof(p->answer), "%s", initial ? initial : "");
	p->len = strlen(p->answer);
}

void tui_ask_key(struct tui *t, void (*done)(struct tui *t, void *ctx, const char *answer),
	void *ctx, const char *fmt, ...)
{
	struct tui_prompt *p = &t->prompt;
	va_list ap;

	*p = (struct tui_prompt){ .active = true, .one_key = true, .done = done, .ctx = ctx };
	va_start(ap, fmt);
	(void)vsnprintf(p->question, sizeof(p->question), fmt, ap);
	va_end(ap);
}

void tui_show_pane(struct tui *t, size_t pane)
{
	t->pane = pane;
	t->help = false;
	t->status[0] = '\0';
}

static void save_answer(struct tui *t, void *ctx, const char *path)
{
	struct err e = ERR_INIT;

	if (!path || !*path)
		tui_say(t, TUI_PLAIN, "nothing was saved");
	else if (tui_text_save(ctx, path, &e) < 0)
		tui_say(t, TUI_BAD, "%s", e.msg);
	else
		tui_say(t, TUI_PLAIN, "saved: %s", path);
}

void tui_ask_save(struct tui *t, struct tui_text *text)
{
	if (!text->count)
		tui_say(t, TUI_POOR, "there is nothing to save yet");
	else
		tui_ask(t, save_answer, text, "", "Save this text as the new file:");
}

char *tui_print(struct tui *t, int columns,
	int (*print)(struct cli *cli, const void *what, struct err *reterr), const void *what)
{
	struct cli cli = *t->cli;
	struct err e = ERR_INIT;
	char *text = NULL, width[16];
	size_t len;

	cli.out = open_memstream(&text, &len);
	if (!cli.out)
		return NULL;
	cli.color = cli.json = false;
	/* What term_width() asks first. Not for curses, so it does not stay. */
	(void)snprintf(width, sizeof(width), "%d", columns > 1 ? columns : 1);
	(void)setenv("COLUMNS", width, 1);
	if (print(&cli, what, &e) < 0)
		(void)fprintf(cli.out, "%s\n", e.msg);
	(void)unsetenv("COLUMNS");
	if (fclose(cli.out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* -- drawing ------------------------------------------------------------------------------------ */

static void draw_tabs(struct tui *t)
{
	const struct tui_rect *r = &t->layout.tabs;
	int col = 1;

	for (size_t i = 0; tui_panes[i]; i++) {
		bool here = i == t->pane && !t->start.open;

		col += tui_grid_putf(&t->grid, r, 0, col, here ? TUI_REVERSE : TUI_PLAIN,
			"%s%zu %s%s", here ? "[" : " ", i + 1, tui_panes[i]->name, here ? "]" : " ");
	}
	if (t->run.alive && t->run.feed.of)
		col += tui_grid_putf(&t->grid, r, 0, col + 1, TUI_BOLD, "* running %u/%u",
			t->run.feed.number, t->run.feed.of);
	if (t->place[0] && col + 2 + (int)strlen(t->place) < r->cols)
		(void)tui_grid_put(&t->grid, r, 0, r->cols - (int)strlen(t->place), TUI_FAINT,
			t->place);
}

static const char *keys_of(const struct tui *t)
{
	const struct tui_pane *p = tui_panes[t->pane];

	if (t->help)
		return "";
	if (t->start.open)
		return tui_start_keys;
	return p->keys_now ? p->keys_now(t, t->state[t->pane]) : p->keys;
}

static void draw_keys(struct tui *t)
{
	const struct tui_rect *r = &t->layout.keys;
	const char *own = keys_of(t);

	if (t->prompt.active)
		(void)tui_grid_put(&t->grid, r, 0, 0, TUI_REVERSE, t->prompt.one_key ?
			"one key answers  Esc cancel" : "Enter accept  Esc cancel  Ctrl-U clear");
	/* Without room for all, how to get out and how to learn the rest comes first. */
	else if ((int)(strlen(own) + strlen(common_keys)) + 2 > r->cols)
		(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_REVERSE, "?help q quit  %s", own);
	else
		(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_REVERSE, "%s%s%s", own,
			*own ? "  " : "", common_keys);
	tui_grid_style(&t->grid, r, 0, TUI_REVERSE);
}

static void draw_status(struct tui *t, int *ret_row, int *ret_col)
{
	const struct tui_rect *r = &t->layout.status;
	const struct tui_prompt *p = &t->prompt;
	int col;

	if (!p->active) {
		(void)tui_grid_put(&t->grid, r, 0, 0, t->status_style, t->status);
		return;
	}
	col = tui_grid_put(&t->grid, r, 0, 0, TUI_BOLD, p->question);
	if (col > r->cols - 12 && !p->one_key) /* the answer is wanted more than the question */
		col = r->cols > 24 ? r->cols - 24 : r->cols / 2;
	col += tui_grid_put(&t->grid, r, 0, col, TUI_PLAIN, " ");
	col += tui_grid_put(&t->grid, r, 0, col, TUI_PLAIN, p->answer);
	*ret_row = r->row;
	*ret_col = col < r->cols ? col : r->cols - 1;
}

static void draw_help(struct tui *t)
{
	char *text = NULL;

	const struct tui_pane *p = tui_panes[t->pane];

	if (!t->help_text.count &&
		asprintf(&text, "%s: what the keys do\n%s\n%s",
			t->start.open ? "Before a run" : p->name,
			t->start.open ? tui_start_help : p->help, common_help) >= 0)
		tui_text_take(&t->help_text, text);
	tui_text_draw(&t->help_text, &t->grid, &t->layout.body, t->place);
}

void tui_draw(struct tui *t, int *ret_row, int *ret_col)
{
	const struct tui_pane *p = tui_panes[t->pane];
	bool detail = p->detail && !t->help && !t->start.open &&
		!(p->whole && p->whole(t->state[t->pane]));

	*ret_row = *ret_col = -1;
	tui_grid_clear(&t->grid);
	t->layout = tui_layout_make(t->grid.rows, t->grid.cols, detail);
	if (t->layout.too_small) {
		(void)tui_grid_put(&t->grid, &t->layout.body, 0, 0, TUI_PLAIN,
			t->prompt.active ? t->prompt.question : "window too small");
		return;
	}
	t->place[0] = '\0';
	if (t->help)
		draw_help(t);
	else if (t->start.open)
		tui_start_draw(t);
	else
		p->draw(t, t->state[t->pane]);
	draw_tabs(t);
	if (t->layout.split.rows)
		tui_grid_line(&t->grid, &t->layout.split);
	draw_status(t, ret_row, ret_col);
	draw_keys(t);
}

/* -- keys --------------------------------------------------------------------------------------- */

static void answer(struct tui *t, const char *text)
{
	struct tui_prompt p = t->prompt; /* done() may ask the next question */

	t->prompt.active = false;
	t->status[0] = '\0';
	p.done(t, p.ctx, text ? p.answer : NULL);
}

/* The length of @key as UTF-8, which goes to @buf. */
static size_t encode(int key, char *buf)
{
	if (key < 0x80) {
		buf[0] = (char)key;
		return 1;
	}
	if (key < 0x800) {
		buf[0] = (char)(0xc0 | key >> 6);
		buf[1] = (char)(0x80 | (key & 0x3f));
		return 2;
	}
	if (key < 0x10000) {
		buf[0] = (char)(0xe0 | key >> 12);
		buf[1] = (char)(0x80 | (key >> 6 & 0x3f));
		buf[2] = (char)(0x80 | (key & 0x3f));
		return 3;
	}
	buf[0] = (char)(0xf0 | key >> 18);
	buf[1] = (char)(0x80 | (key >> 12 & 0x3f));
	buf[2] = (char)(0x80 | (key >> 6 & 0x3f));
	buf[3] = (char)(0x80 | (key & 0x3f));
	return 4;
}

static void prompt_key(struct tui *t, int key)
{
	struct tui_prompt *p = &t->prompt;
	bool printable = key >= 32 && key < 0x110000 && key != 127;

	if (key == KEY_ESCAPE || key == KEY_CTRL_C) {
		answer(t, NULL);
	} else if (p->one_key) {
		p->answer[printable ? encode(key, p->answer) : 0] = '\0';
		answer(t, p->answer);
	} else if (key == TUI_KEY_ENTER) {
		answer(t, p->answer);
	} else if (key == TUI_KEY_BACKSPACE) {
		while (p->len && (p->answer[--p->len] & 0xc0) == 0x80)
			;
		p->answer[p->len] = '\0';
	} else if (key == KEY_CTRL_U) {
		p->answer[p->len = 0] = '\0';
	} else if (printable && p->len + 5 < sizeof(p->answer)) {
		p->len += encode(key, p->answer + p->len);
		p->answer[p->len] = '\0';
	}
}

static void quit_answer(struct tui *t, void *ctx, const char *text)
{
	(void)ctx;
	if (text && (*text == 's' || *text == 'S'))
		tui_run_stop(&t->run);
	else if (!text || (*text != 'l' && *text != 'L'))
		return;
	t->quit = true;
}

static void ask_quit(struct tui *t)
{
	if (!tui_run_poll(&t->run) && !t->run.alive) {
		t->quit = true;
		return;
	}
	if (t->run.alive)
		tui_ask_key(t, quit_answer, NULL,
			"A run goes on. s: stop it and quit, l: leave it running, else stay:");
	else
		t->quit = true;
}

static bool common_key(struct tui *t, int key)
{
	switch (key) {
	case 'q':
	case KEY_CTRL_C:
		ask_quit(t);
		return true;
	case '?':
		t->help = !t->help;
		tui_text_done(&t->help_text);
		return true;
	case KEY_TAB:
		tui_show_pane(t, (t->pane + 1) % TUI_PANE_COUNT);
		return true;
	case TUI_KEY_BACKTAB:
		tui_show_pane(t, (t->pane + TUI_PANE_COUNT - 1) % TUI_PANE_COUNT);
		return true;
	}
	if (key >= '1' && key < '1' + TUI_PANE_COUNT) {
		tui_show_pane(t, (size_t)(key - '1'));
		return true;
	}
	return false;
}

void tui_key(struct tui *t, int key)
{
	if (key == KEY_CTRL_L) {
		tui_screen_redraw();
	} else if (t->prompt.active) {
		prompt_key(t, key);
	} else if (t->help) {
		if (!tui_text_key(&t->help_text, key, t->layout.body.rows)) {
			t->help = false;
			if (key != '?' && key != KEY_ESCAPE)
				(void)common_key(t, key);
		}
	} else if (t->layout.too_small) {
		if (key == 'q' || key == KEY_CTRL_C)
			ask_quit(t);
	} else if (t->start.open) {
		if (key == KEY_TAB || key == TUI_KEY_BACKTAB || (key >= '1' && key <= '9'))
			tui_start_close(t);
		if (t->start.open && key != 'q' && key != '?' && key != KEY_CTRL_C)
			tui_start_key(t, key);
		else
			(void)common_key(t, key);
	} else if (!tui_panes[t->pane]->key(t, t->state[t->pane], key)) {
		(void)common_key(t, key);
	}
}

/* -- life --------------------------------------------------------------------------------------- */

bool tui_tick(struct tui *t)
{
	bool was = t->run.alive, news = tui_run_poll(&t->run);

	if (was && !t->run.alive)
		tui_say(t, TUI_BOLD, "the run has ended: %s",
			t->run.feed.ended[0] ? t->run.feed.ended : "see its output in pane 2");
	if (t->start.open)
		news |= tui_start_tick(t);
	for (size_t i = 0; tui_panes[i]; i++)
		news |= tui_panes[i]->tick(t, t->state[i]);
	return news;
}

int tui_init(struct tui *t, struct cli *cli, const char *runs, struct err *reterr)
{
	*t = (struct tui){ .cli = cli, .grid = { .utf8 = cli->utf8 }, .run = TUI_RUN_INIT,
		.start = { .facts = TUI_JOB_INIT, .plan = TUI_JOB_INIT } };
	t->run.folder = runs;
	tui_feed_init(&t->run.feed);
	for (size_t i = 0; i < TUI_PANE_COUNT; i++) {
		t->state[i] = calloc(1, tui_panes[i]->state_size);
		if (!t->state[i])
			return err_nomem(reterr);
	}
	for (size_t i = 0; i < TUI_PANE_COUNT; i++)
		tui_panes[i]->open(t, t->state[i]);
	if (tui_run_find(&t->run)) {
		t->pane = TUI_PANE_LIVE;
		tui_say(t, TUI_BOLD, "a run that was left goes on");
	}
	return tui_grid_size(&t->grid, 24, 80) < 0 ? err_nomem(reterr) : 0;
}

void tui_done(struct tui *t)
{
	for (size_t i = 0; i < TUI_PANE_COUNT; i++) {
		if (t->state[i])
			tui_panes[i]->close(t->state[i]);
		free(t->state[i]);
		t->state[i] = NULL;
	}
	tui_start_close(t);
	tui_text_done(&t->help_text);
	tui_run_done(&t->run);
	tui_grid_done(&t->grid);
}
