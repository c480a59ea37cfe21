/* tui_start.c - the dialogue before a run: what will happen, and the serial number. */
#include "cli/tui.h"

#include "probes/battery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tui_start_keys[] = "Enter go on  b battery  t time  f fill  Esc cancel";

const char tui_start_help[] =
	"  Enter      go on: where data is lost the serial number is asked for first\n"
	"  b          the next battery; the default is ceph on devices, etcd in folders\n"
	"  t          the next time of each row; the default is the battery's\n"
	"  f          write the span first (--fill), or not\n"
	"  Esc        back, nothing is started\n"
	"\n"
	"The plan is made anew after each choice. Other options: `ssdqual run --help`.\n";

static const char *const runtimes[] = { NULL, "1s", "5s", "10s", "30s", "120s", "600s" };
#define RUNTIME_COUNT (sizeof(runtimes) / sizeof(*runtimes))

static const char *battery_word(const struct tui_start *s)
{
	return s->battery ? battery_table[s->battery - 1]->name : NULL;
}

static void add_common(const struct tui_start *s, struct tui_args *args)
{
	if (battery_word(s)) {
		tui_args_add(args, "--battery");
		tui_args_add(args, battery_word(s));
	}
	if (runtimes[s->runtime]) {
		tui_args_add(args, "--runtime");
		tui_args_add(args, runtimes[s->runtime]);
	}
	if (s->fill)
		tui_args_add(args, "--fill");
}

/* -- the plan ----------------------------------------------------------------------------------- */

static int start_job(struct tui *t, struct tui_job *job, bool json, struct err *reterr)
{
	struct tui_args args = { .count = 0 };

	tui_args_add(&args, "run");
	tui_args_add(&args, "--dry-run");
	if (json)
		tui_args_add(&args, "--json");
	add_common(&t->start, &args);
	tui_args_add(&args, "--");
	tui_args_add(&args, t->start.target);
	return tui_job_start(job, t->cli, &args, t->layout.body.cols, !json, reterr);
}

static void make_plan(struct tui *t)
{
	struct tui_start *s = &t->start;
	struct err e = ERR_INIT;

	s->known = false;
	s->refused[0] = s->token[0] = '\0';
	tui_text_done(&s->text);
	if (start_job(t, &s->facts, true, &e) < 0 || start_job(t, &s->plan, false, &e) < 0)
		(void)snprintf(s->refused, sizeof(s->refused), "%s", e.msg);
}

void tui_start_open(struct tui *t, const char *target)
{
	struct tui_start *s = &t->start;

	tui_start_close(t);
	if (t->run.alive) {
		tui_say(t, TUI_POOR, "a run goes on; stop it first, in pane 2");
		return;
	}
	if (strlen(target) >= sizeof(s->target)) {
		tui_say(t, TUI_BAD, "that name is too long");
		return;
	}
	(void)snprintf(s->target, sizeof(s->target), "%s", target);
	s->open = true;
	t->status[0] = '\0';
	make_plan(t);
}

void tui_start_close(struct tui *t)
{
	struct tui_start *s = &t->start;

	tui_job_done(&s->facts);
	tui_job_done(&s->plan);
	tui_text_done(&s->text);
	*s = (struct tui_start){ .facts = TUI_JOB_INIT, .plan = TUI_JOB_INIT };
}

static void take_facts(struct tui_start *s)
{
	struct json *doc = NULL;
	const struct json *plan;
	const char *refused, *token;
	struct err e = ERR_INIT;

	if (json_parse(s->facts.text ? s->facts.text : "", s->facts.len, "run --dry-run", &doc,
			&e) < 0) {
		(void)snprintf(s->refused, sizeof(s->refused), "%s", e.msg);
		return;
	}
	plan = json_first(json_get(doc, "plans"));
	refused = json_str(json_get(plan, "refused"));
	if (!plan)
		refused = json_str(json_path(doc, "error.message"));
	token = json_str(json_get(plan, "confirm"));
	if (!refused && (!plan || (token && strlen(token) >= sizeof(s->token))))
		refused = "the plan could not be read";
	(void)snprintf(s->refused, sizeof(s->refused), "%s", refused ? refused : "");
	(void)snprintf(s->token, sizeof(s->token), "%s", token ? token : "");
	s->known = true;
	json_free(doc);
}

/* Where there is no plan, its text is the error once more: that stands in full below the head. */
static void take_plan(struct tui_start *s)
{
	bool planned = s->plan.status == EXIT_DONE || s->plan.status == EXIT_REFUSED;

	tui_text_take(&s->text, planned || !s->known ? s->plan.text : strdup(s->refused));
	if (planned || !s->known)
		s->plan.text = NULL; /* taken */
}

bool tui_start_tick(struct tui *t)
{
	struct tui_start *s = &t->start;
	bool news = false;

	if (tui_job_poll(&s->facts)) {
		take_facts(s);
		news = true;
	}
	if (!tui_job_runs(&s->facts) && tui_job_poll(&s->plan)) {
		take_plan(s);
		news = true;
	}
	return news;
}

void tui_start_draw(struct tui *t)
{
	struct tui_start *s = &t->start;
	const struct tui_rect *r = &t->layout.body;
	struct tui_rect rest = { r->row + 4, r->col, r->rows - 4, r->cols };

	(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_BOLD, "Run on %s", s->target);
	(void)tui_grid_putf(&t->grid, r, 1, 0, TUI_PLAIN,
		"battery: %s   time of each row: %s   fill first: %s",
		battery_word(s) ? battery_word(s) : "the target's default",
		runtimes[s->runtime] ? runtimes[s->runtime] : "the battery's",
		s->fill ? "yes" : "no");
	if (s->refused[0] && s->known && s->plan.status != EXIT_REFUSED)
		(void)tui_grid_put(&t->grid, r, 2, 0, TUI_BAD, "This cannot be run:");
	else if (s->refused[0])
		(void)tui_grid_putf(&t->grid, r, 2, 0, TUI_BAD, "Refused: %s", s->refused);
	else if (!s->known)
		(void)tui_grid_put(&t->grid, r, 2, 0, TUI_FAINT, "making the plan ...");
	else if (s->token[0])
		(void)tui_grid_put(&t->grid, r, 2, 0, TUI_POOR,
			"Enter: the serial number is asked for; then everything on it is overwritten");
	else
		(void)tui_grid_put(&t->grid, r, 2, 0, TUI_PLAIN, "Enter starts it");
	tui_text_draw(&s->text, &t->grid, &rest, t->place);
}

/* -- starting ----------------------------------------------------------------------------------- */

static void launch(struct tui *t, const char *confirm)
{
	struct tui_start *s = &t->start;
	struct tui_args args = { .count = 0 };
	struct err e = ERR_INIT;

	tui_args_add(&args, "run");
	add_common(s, &args);
	if (confirm) {
		tui_args_add(&args, "--destroy-data");
		tui_args_add(&args, "--confirm");
		tui_args_add(&args, confirm);
	}
	tui_args_add(&args, "--");
	tui_args_add(&args, s->target);
	if (tui_run_start(&t->run, t->cli, &args, &e) < 0) {
		tui_say(t, TUI_BAD, "%s", e.msg);
		return;
	}
	tui_start_close(t);
	tui_show_pane(t, TUI_PANE_LIVE);
}

/* The child decides by what was typed, with all else that speaks against it; here it is only said
 * at once. */
static void typed(struct tui *t, void *ctx, const char *answer)
{
	(void)ctx;
	if (!t->start.open)
		return;
	if (!answer)
		tui_say(t, TUI_PLAIN, "cancelled; nothing was started");
	else if (strcmp(answer, t->start.token) != 0)
		tui_say(t, TUI_BAD, "'%s' is not what was asked for; nothing was started", answer);
	else
		launch(t, answer);
}

void tui_start_key(struct tui *t, int key)
{
	struct tui_start *s = &t->start;
	size_t batteries = 0;

	while (battery_table[batteries])
		batteries++;
	switch (key) {
	case 27:
		tui_start_close(t);
		return;
	case 'b':
		s->battery = (s->battery + 1) % (batteries + 1);
		make_plan(t);
		return;
	case 't':
		s->runtime = (s->runtime + 1) % RUNTIME_COUNT;
		make_plan(t);
		return;
	case 'f':
		s->fill = !s->fill;
		make_plan(t);
		return;
	case TUI_KEY_ENTER:
		if (s->refused[0])
			tui_say(t, TUI_BAD, "refused; nothing was started");
		else if (s->known && s->token[0])
			tui_ask(t, typed, NULL, "", "Type %s to go on:", s->token);
		else if (s->known)
			launch(t, NULL);
		else
			tui_say(t, TUI_POOR, "the plan is being made; Enter once it is there");
		return;
	}
	(void)tui_text_key(&s->text, key, t->layout.body.rows - 4);
}
