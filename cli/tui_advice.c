/* tui_advice.c - the pane of advice: pick a load, a backend and a drive; `advise` does the rest. */
#include "cli/show_list.h"
#include "cli/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD_ROWS = 4 };

struct advice_pane {
	struct tui_job names;   /* of workload list --json */
	struct json *workloads;
	size_t workload;
	char backend[1024], drive[1024]; /* as --backend and --drive take them; "": not given */
	bool explain;
	struct tui_job job;
	double began_s;
	unsigned shown_s;       /* how long it has taken, as it was drawn last */
	struct tui_text text;
};

static double now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void open_pane(struct tui *t, void *state)
{
	struct advice_pane *a = state;
	struct tui_args args = { .count = 0 };

	a->names = a->job = (struct tui_job)TUI_JOB_INIT;
	tui_args_add(&args, "workload");
	tui_args_add(&args, "list");
	tui_args_add(&args, "--json");
	(void)tui_job_start(&a->names, t->cli, &args, 80, false, NULL); /* the pane says none */
}

static void close_pane(void *state)
{
	struct advice_pane *a = state;

	tui_job_done(&a->names);
	tui_job_done(&a->job);
	tui_text_done(&a->text);
	json_free(a->workloads);
}

static const struct json *list_of(const struct advice_pane *a)
{
	return json_get(a->workloads, "workloads");
}

static const char *of_workload(const struct advice_pane *a, const char *key)
{
	return json_str(json_get(json_at(list_of(a), a->workload), key));
}

/* The profile that most come for stands first. */
static void prefer(struct advice_pane *a, const char *name)
{
	size_t n = 0;

	for (const struct json *w = json_first(list_of(a)); w; w = json_next(w), n++) {
		const char *s = json_str(json_get(w, "name"));

		if (s && strcmp(s, name) == 0)
			a->workload = n;
	}
}

/* What was worked out is not of these inputs any more. */
static void outdated(struct advice_pane *a)
{
	tui_job_done(&a->job);
	tui_text_done(&a->text);
}

static bool tick(struct tui *t, void *state)
{
	struct advice_pane *a = state;
	bool news = false;

	if (tui_job_poll(&a->names)) {
		if (a->names.text)
			(void)json_parse(a->names.text, a->names.len, "workload list",
				&a->workloads, NULL);
		prefer(a, "etcd");
		news = true;
	}
	if (tui_job_poll(&a->job)) {
		tui_text_take(&a->text, a->job.text);
		a->job.text = NULL; /* taken */
		news = true;
	}
	if (tui_job_runs(&a->job) && (unsigned)(now_s() - a->began_s) != a->shown_s)
		news = true;
	if (t->chosen[0]) {
		(void)snprintf(a->drive, sizeof(a->drive), "%s", t->chosen);
		t->chosen[0] = '\0';
		outdated(a);
		news = true;
	}
	return news;
}

/* -- drawing ------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void draw(struct tui *t, void *state)
{
	struct advice_pane *a = state;
	const struct tui_rect *r = &t->layout.body;
	struct tui_rect rest = { r->row + HEAD_ROWS, r->col, r->rows - HEAD_ROWS, r->cols };
	const char *name = of_workload(a, "name"), *title = of_workload(a, "summary");

	(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_BOLD, "Workload  %s%s%s",
		name ? name : a->workloads ? "none known" : "...", title ? ": " : "",
		title ? title : "");
	(void)tui_grid_putf(&t->grid, r, 1, 0, TUI_PLAIN, "Backend   %s",
		a->backend[0] ? base_name(a->backend) : "not given: the reference backend is assumed");
	(void)tui_grid_putf(&t->grid, r, 2, 0, TUI_PLAIN, "Drive     %s",
		a->drive[0] ? base_name(a->drive) : "not given: nothing is said of a local cache device");
	if (tui_job_runs(&a->job)) {
		a->shown_s = (unsigned)(now_s() - a->began_s);
		(void)tui_grid_putf(&t->grid, &rest, 0, 0, TUI_FAINT,
			"simulating every setting ... %u s", a->shown_s);
	} else if (!a->text.count) {
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_PLAIN, "Enter works the advice out.");
	} else {
		tui_text_draw(&a->text, &t->grid, &rest, t->place);
	}
}

static const char *keys_now(const struct tui *t, const void *state)
{
	const struct advice_pane *a = state;

	(void)t;
	if (tui_job_runs(&a->job))
		return "Esc cancel";
	if (a->text.count)
		return "n next section  x save  w workload  b backend  d drive  e explain";
	return "Enter advise  w workload  b backend  d drive  B D type them";
}

/* -- picking ------------------------------------------------------------------------------------ */

static bool is_backend(const struct store_entry *e)
{
	return strcmp(e->battery, "rbd") == 0;
}

/* The newest result of each drive (of each backend) is a choice, and none. Goes from @path to the
 * next one. */
static void pick(struct tui *t, struct advice_pane *a, bool backend)
{
	const struct show_list_cfg by_drive = { .sort = SHOW_BY_TARGET };
	char *path = backend ? a->backend : a->drive;
	const char *last = "", *next = NULL;
	struct store_list l;
	struct err e = ERR_INIT;
	bool found = !*path, any = false;

	if (store_list_results(NULL, &l, &e) < 0) {
		tui_say(t, TUI_BAD, "%s", e.msg);
		return;
	}
	(void)show_list_choose(&l, &by_drive);
	for (size_t i = 0; i < l.count && !next; i++) {
		const struct store_entry *entry = &l.entry[i];

		if (is_backend(entry) != backend || strlen(entry->path) >= sizeof(a->drive))
			continue;
		any = true;
		if (strcmp(entry->path, path) == 0)
			found = true;
		else if (found && strcmp(entry->target, last) != 0)
			next = entry->path;
		last = entry->target;
	}
	if (!any)
		tui_say(t, TUI_POOR, "no result of %s is stored; %s types one",
			backend ? "a backend (run rbd:POOL/IMAGE)" : "a drive", backend ? "B" : "D");
	(void)snprintf(path, sizeof(a->drive), "%s", next ? next : "");
	store_list_done(&l);
	outdated(a);
}

static void backend_given(struct tui *t, void *ctx, const char *answer)
{
	struct advice_pane *a = ctx;

	(void)t;
	if (!answer)
		return;
	(void)snprintf(a->backend, sizeof(a->backend), "%s", answer);
	outdated(a);
}

static void drive_given(struct tui *t, void *ctx, const char *answer)
{
	struct advice_pane *a = ctx;

	(void)t;
	if (!answer)
		return;
	(void)snprintf(a->drive, sizeof(a->drive), "%s", answer);
	outdated(a);
}

static void ask(struct tui *t, struct advice_pane *a, bool backend)
{
	const char *now = backend ? a->backend : a->drive;

	tui_ask(t, backend ? backend_given : drive_given, a,
		strlen(now) < sizeof(t->prompt.answer) ? now : "", "%s",
		backend ? "Backend, write=...,meta=... or a file:" : "Drive, sync=... or a file:");
}

static void turn_workload(struct advice_pane *a, bool forward)
{
	size_t count = json_len(list_of(a));

	if (count)
		a->workload = (a->workload + (forward ? 1 : count - 1)) % count;
	outdated(a);
}

/* -- keys --------------------------------------------------------------------------------------- */

static void compute(struct tui *t, struct advice_pane *a)
{
	struct tui_args args = { .count = 0 };
	struct err e = ERR_INIT;

	if (!of_workload(a, "name")) {
		tui_say(t, TUI_BAD, "no workload is known");
		return;
	}
	tui_args_add(&args, "advise");
	tui_args_add(&args, "--workload");
	tui_args_add(&args, of_workload(a, "name"));
	if (a->backend[0]) {
		tui_args_add(&args, "--backend");
		tui_args_add(&args, a->backend);
	}
	if (a->drive[0]) {
		tui_args_add(&args, "--drive");
		tui_args_add(&args, a->drive);
	}
	if (a->explain)
		tui_args_add(&args, "--explain");
	outdated(a);
	t->status[0] = '\0';
	if (tui_job_start(&a->job, t->cli, &args, t->layout.body.cols, true, &e) < 0)
		tui_say(t, TUI_BAD, "%s", e.msg);
	a->began_s = now_s();
	a->shown_s = 0;
}

static bool text_key(struct tui *t, struct advice_pane *a, int key)
{
	switch (key) {
	case 'n':
		if (!tui_text_section(&a->text))
			tui_say(t, TUI_PLAIN, "that was the last section");
		return true;
	case 'x':
		tui_ask_save(t, &a->text);
		return true;
	}
	return tui_text_key(&a->text, key, t->layout.body.rows - HEAD_ROWS);
}

static bool key_pressed(struct tui *t, void *state, int key)
{
	struct advice_pane *a = state;

	switch (key) {
	case 'w':
	case TUI_KEY_RIGHT:
		turn_workload(a, true);
		return true;
	case 'W':
	case TUI_KEY_LEFT:
		turn_workload(a, false);
		return true;
	case 'b':
	case 'd':
		pick(t, a, key == 'b');
		return true;
	case 'B':
	case 'D':
		ask(t, a, key == 'B');
		return true;
	case 'e':
		a->explain = !a->explain;
		outdated(a);
		tui_say(t, TUI_PLAIN, "%s sources and regimes", a->explain ? "with" : "without");
		return true;
	case 27:
		outdated(a);
		return true;
	case TUI_KEY_ENTER:
		compute(t, a);
		return true;
	}
	return text_key(t, a, key);
}

extern const struct tui_pane tui_pane_advice;
const struct tui_pane tui_pane_advice = {
	.name = "Advice",
	.keys = "Enter advise  w workload  b backend  d drive",
	.keys_now = keys_now,
	.help = "  Enter      work the advice out: ranking, reasons, commands to copy, undo\n"
		"  n          the next section of it; x saves it as a file\n"
		"  w, W       next workload, previous workload; also Right and Left\n"
		"  b, d       the next backend, drive of which a result is stored, or none\n"
		"  B          type the backend: write=MEDIAN[:P99],meta=...,... or a file\n"
		"  D          type the drive: sync=MEDIAN[:P99],... or a file\n"
		"  e          with sources and the regime of every setting, or without\n",
	.state_size = sizeof(struct advice_pane),
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
