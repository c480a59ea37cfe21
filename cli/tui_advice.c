/* tui_advice.c - the pane of advice: pick a load, a backend and a drive; `advise` does the rest. */
#include "cli/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"

struct advice_pane {
	struct tui_job names;   /* of workload list --json */
	struct json *workloads;
	size_t workload;
	char backend[256], drive[1024];
	bool explain;
	struct tui_job job;
	struct tui_text text;
};

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

static const char *name_of(const struct advice_pane *a)
{
	return json_str(json_get(json_at(list_of(a), a->workload), "name"));
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
	if (t->chosen[0]) {
		(void)snprintf(a->drive, sizeof(a->drive), "%s", t->chosen);
		t->chosen[0] = '\0';
		news = true;
	}
	return news;
}

static void draw(struct tui *t, void *state)
{
	struct advice_pane *a = state;
	const struct tui_rect *r = &t->layout.body;
	struct tui_rect rest = { r->row + 4, r->col, r->rows - 4, r->cols };
	const char *name = name_of(a), *slash = strrchr(a->drive, '/');

	(void)tui_grid_putf(&t->grid, r, 0, 0, TUI_BOLD, "Workload  %s (%zu of %zu)",
		name ? name : "none known", a->workload + 1, json_len(list_of(a)));
	(void)tui_grid_putf(&t->grid, r, 1, 0, TUI_PLAIN, "Backend   %s",
		a->backend[0] ? a->backend : "not given: the reference backend is assumed");
	(void)tui_grid_putf(&t->grid, r, 2, 0, TUI_PLAIN, "Drive     %s",
		slash ? slash + 1 : a->drive[0] ? a->drive : "not given");
	if (tui_job_runs(&a->job))
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_FAINT, "working it out ...");
	else if (!a->text.count)
		(void)tui_grid_put(&t->grid, &rest, 0, 0, TUI_PLAIN, "Enter works the advice out.");
	else
		tui_text_draw(&a->text, &t->grid, &rest, t->place);
}

static void compute(struct tui *t, struct advice_pane *a)
{
	struct tui_args args = { .count = 0 };
	struct err e = ERR_INIT;

	if (!name_of(a)) {
		tui_say(t, TUI_BAD, "no workload is known");
		return;
	}
	tui_args_add(&args, "advise");
	tui_args_add(&args, "--workload");
	tui_args_add(&args, name_of(a));
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
	tui_text_done(&a->text);
	if (tui_job_start(&a->job, t->cli, &args, t->layout.body.cols, true, &e) < 0)
		tui_say(t, TUI_BAD, "%s", e.msg);
}

static void backend_given(struct tui *t, void *ctx, const char *answer)
{
	struct advice_pane *a = ctx;

	(void)t;
	if (answer)
		(void)snprintf(a->backend, sizeof(a->backend), "%.255s", answer);
}

static void drive_given(struct tui *t, void *ctx, const char *answer)
{
	struct advice_pane *a = ctx;

	(void)t;
	if (answer)
		(void)snprintf(a->drive, sizeof(a->drive), "%s", answer);
}

static bool key_pressed(struct tui *t, void *state, int key)
{
	struct advice_pane *a = state;
	size_t count = json_len(list_of(a));

	switch (key) {
	case 'w':
	case TUI_KEY_RIGHT:
		a->workload = count ? (a->workload + 1) % count : 0;
		return true;
	case 'W':
	case TUI_KEY_LEFT:
		a->workload = count ? (a->workload + count - 1) % count : 0;
		return true;
	case 'b':
		tui_ask(t, backend_given, a, a->backend, "Backend, write=...,meta=... or a file:");
		return true;
	case 'd':
		tui_ask(t, drive_given, a, strlen(a->drive) < 256 ? a->drive : "",
			"Drive, sync=... or a result:");
		return true;
	case 'e':
		a->explain = !a->explain;
		tui_say(t, TUI_PLAIN, "%s sources and regimes", a->explain ? "with" : "without");
		return true;
	case TUI_KEY_ENTER:
		compute(t, a);
		return true;
	}
	return tui_text_key(&a->text, key, t->layout.body.rows - 4);
}

extern const struct tui_pane tui_pane_advice;
const struct tui_pane tui_pane_advice = {
	.name = "Advice",
	.keys = "Enter advise  w workload  b backend  d drive  e explain",
	.help = "  Enter      work the advice out: ranking, reasons, commands to copy, undo\n"
		"  w, W       next workload, previous workload; also Right and Left\n"
		"  b          backend: write=MEDIAN[:P99],meta=...,... or a result of rbd:POOL/IMAGE\n"
		"  d          drive: sync=MEDIAN[:P99],... or a result; w in pane 3 takes one there\n"
		"  e          with sources and the regime of every setting\n",
	.state_size = sizeof(struct advice_pane),
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
