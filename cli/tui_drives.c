/* tui_drives.c - the pane of drives: the table of `list`, and what is known of the chosen one. */
#include "cli/list.h"
#include "cli/text.h"
#include "cli/tui.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

struct drives {
	struct tui_job job;
	bool all;
	struct json *doc;     /* of list --json; NULL: not there yet */
	struct tui_text table; /* heads, then one line a drive */
	int table_cols;       /* the width it was made for */
	struct tui_list list;
	char error[ERR_MSG_MAX + 16];
};

static const struct json *drives_of(const struct drives *d)
{
	return json_get(d->doc, "drives");
}

static void refresh(struct tui *t, struct drives *d)
{
	struct tui_args args = { .count = 0 };
	struct err e = ERR_INIT;

	tui_args_add(&args, "list");
	tui_args_add(&args, "--json");
	if (d->all)
		tui_args_add(&args, "--all");
	d->error[0] = '\0';
	if (tui_job_start(&d->job, t->cli, &args, 80, false, &e) < 0)
		(void)snprintf(d->error, sizeof(d->error), "%s", e.msg);
}

static void open_pane(struct tui *t, void *state)
{
	struct drives *d = state;

	d->job = (struct tui_job)TUI_JOB_INIT;
	refresh(t, d);
}

static void close_pane(void *state)
{
	struct drives *d = state;

	tui_job_done(&d->job);
	tui_text_done(&d->table);
	json_free(d->doc);
}

static bool tick(struct tui *t, void *state)
{
	struct drives *d = state;
	struct json *doc = NULL;
	struct err e = ERR_INIT;
	const char *said;

	(void)t;
	if (!tui_job_poll(&d->job))
		return false;
	if (json_parse(d->job.text ? d->job.text : "", d->job.len, "list", &doc, &e) < 0) {
		(void)snprintf(d->error, sizeof(d->error), "list: %s", e.msg);
		return true;
	}
	said = json_str(json_path(doc, "error.message"));
	if (said) {
		(void)snprintf(d->error, sizeof(d->error), "%s", said);
		json_free(doc);
		return true;
	}
	json_free(d->doc);
	d->doc = doc;
	d->table_cols = 0;
	return true;
}

/* -- drawing ------------------------------------------------------------------------------------ */

static int print_drives(struct cli *cli, const void *what, struct err *reterr)
{
	return list_print_drives(cli, what, reterr);
}

/* Of one drive: a label, and its text in the columns beside it. */
struct facts {
	FILE *f;
	int cols;
};

static void say(const struct facts *w, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(const struct facts *w, const char *label, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	(void)fprintf(w->f, "%-8s", label); /* in memory; fclose() tells */
	text_wrap(w->f, text ? text : "", 8, 8, w->cols > 20 ? w->cols : 20);
	(void)fputc('\n', w->f);
	free(text);
}

static const char *known(const struct json *drive, const char *key)
{
	const char *s = json_str(json_path(drive, key));

	return s ? s : "unknown";
}

static const char *medium_word(const struct json *drive, const char *key)
{
	bool rotates;

	return !json_bool(json_path(drive, key), &rotates) ? "nothing" :
		rotates ? "rotating" : "not rotating";
}

static void say_medium(const struct facts *w, const struct json *drive)
{
	const char *why = json_str(json_path(drive, "rotational.why"));

	say(w, "Medium", "%s; the kernel says %s, the drive %s%s%s",
		known(drive, "rotational.verdict"), medium_word(drive, "rotational.claimed"),
		medium_word(drive, "rotational.reported"), why ? ": " : "", why ? why : "");
}

static void say_cache(const struct facts *w, const struct json *drive)
{
	const char *why = json_str(json_path(drive, "write_cache.why"));
	bool dangerous = false;

	(void)json_bool(json_path(drive, "write_cache.dangerous"), &dangerous);
	say(w, "Cache", "drive %s, kernel %s%s%s%s", known(drive, "write_cache.drive"),
		known(drive, "write_cache.kernel"), why ? "; " : "", why ? why : "",
		dangerous ? "; DANGEROUS: no flush is sent to a cache that is on" : "");
}

static void say_uses(const struct facts *w, const struct json *drive)
{
	const struct json *uses = json_get(drive, "in_use");

	if (!json_first(uses))
		say(w, "Use", "none found");
	for (const struct json *u = json_first(uses); u; u = json_next(u)) {
		const char *name = json_str(json_get(u, "name"));
		const char *detail = json_str(json_get(u, "detail"));

		say(w, u == json_first(uses) ? "Use" : "", "%s%s%s", name ? name : "",
			name && detail ? " " : "", detail ? detail : "");
	}
}

static char *describe(const struct json *drive, int cols)
{
	char size[UNITS_BUF] = "size unknown", *text = NULL;
	uint64_t bytes;
	size_t len;
	struct facts w = { .f = open_memstream(&text, &len), .cols = cols };

	if (!w.f)
		return NULL;
	if (json_u64(json_get(drive, "capacity_bytes"), &bytes))
		(void)units_format_capacity(size, sizeof(size), (double)bytes);
	say(&w, "Path", "%s, %s, %s", known(drive, "path"), known(drive, "transport"), size);
	if (json_str(json_get(drive, "by_id")))
		say(&w, "By id", "%s", known(drive, "by_id"));
	say(&w, "Model", "%s, serial %s, firmware %s", known(drive, "model"),
		known(drive, "serial"), known(drive, "firmware"));
	say_uses(&w, drive);
	say_cache(&w, drive);
	say_medium(&w, drive);
	if (json_str(json_get(drive, "not_asked")))
		say(&w, "Note", "%s", known(drive, "not_asked"));
	if (fclose(w.f) == 0)
		return text;
	free(text);
	return NULL;
}

static void draw_detail(struct tui *t, struct drives *d)
{
	struct tui_text lines = { .text = NULL };
	const struct tui_rect *r = &t->layout.detail;

	if (!r->rows || !json_len(drives_of(d)))
		return;
	tui_text_take(&lines, describe(json_at(drives_of(d), d->list.at), r->cols));
	tui_text_draw(&lines, &t->grid, r, NULL);
	tui_text_done(&lines);
}

static void draw(struct tui *t, void *state)
{
	struct drives *d = state;
	const struct tui_rect *r = &t->layout.body;
	struct tui_rect rest = { r->row + 1, r->col, r->rows - 1, r->cols };

	if (d->error[0])
		(void)tui_grid_put(&t->grid, r, 0, 0, TUI_BAD, d->error);
	else if (!d->doc)
		(void)tui_grid_put(&t->grid, r, 0, 0, TUI_FAINT, "looking at the drives ...");
	if (!d->doc || d->error[0])
		return;
	if (d->table_cols != r->cols) {
		tui_text_take(&d->table, tui_print(t, r->cols, print_drives, drives_of(d)));
		d->table_cols = r->cols;
	}
	if (!d->table.count)
		return;
	(void)tui_grid_put(&t->grid, r, 0, 0, TUI_BOLD, d->table.line[0]);
	tui_list_fit(&d->list, json_len(drives_of(d)), rest.rows);
	for (int i = 0; i < rest.rows && d->list.top + (size_t)i < d->list.count; i++) {
		size_t n = d->list.top + (size_t)i;

		if (n + 1 >= d->table.count)
			break;
		(void)tui_grid_put(&t->grid, &rest, i, 0, TUI_PLAIN, d->table.line[n + 1]);
		if (n == d->list.at)
			tui_grid_style(&t->grid, &rest, i, TUI_REVERSE);
	}
	if (d->list.count > (size_t)rest.rows)
		(void)snprintf(t->place, sizeof(t->place), "%zu of %zu", d->list.at + 1,
			d->list.count);
	draw_detail(t, d);
}

/* -- keys --------------------------------------------------------------------------------------- */

static void folder_named(struct tui *t, void *ctx, const char *answer)
{
	(void)ctx;
	if (answer && *answer)
		tui_start_open(t, answer);
}

static void run_chosen(struct tui *t, struct drives *d)
{
	const struct json *drive = json_at(drives_of(d), d->list.at);
	const char *path = json_str(json_get(drive, "by_id"));

	if (!path)
		path = json_str(json_get(drive, "path"));
	if (path)
		tui_start_open(t, path);
}

static bool key_pressed(struct tui *t, void *state, int key)
{
	struct drives *d = state;

	switch (key) {
	case TUI_KEY_ENTER:
	case 'r':
		run_chosen(t, d);
		return true;
	case 'd':
		tui_ask(t, folder_named, NULL, "", "Folder or file to test:");
		return true;
	case 'a':
		d->all = !d->all;
		refresh(t, d);
		tui_say(t, TUI_PLAIN, "%s", d->all ? "virtual devices, too" : "drives only");
		return true;
	case 'g':
		refresh(t, d);
		tui_say(t, TUI_PLAIN, "looking again");
		return true;
	}
	return tui_list_key(&d->list, key, t->layout.body.rows - 1);
}

extern const struct tui_pane tui_pane_drives;
const struct tui_pane tui_pane_drives = {
	.name = "Drives",
	.keys = "Enter run  d folder  a all  g again",
	.help = "  Enter, r   test this drive: shows the plan first, and asks\n"
		"  d          test a folder or a file\n"
		"  a          show loop, zram, device-mapper and md devices, too\n"
		"  g          look at the drives again\n"
		"\n"
		"ROT    does it rotate, as the kernel says ('!': the drive says otherwise, '?':\n"
		"       not proven)\n"
		"CACHE  the drive's write cache; WRITE is the kernel's view of it\n"
		"USE    why it would not be written\n",
	.state_size = sizeof(struct drives),
	.detail = true,
	.open = open_pane,
	.draw = draw,
	.key = key_pressed,
	.tick = tick,
	.close = close_pane,
};
