/* show_list.c - the list of stored results. */
#include "cli/show_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "data/store.h"

/* "20261130T125752Z" as RFC 3339. */
static void write_time(const char *utc, char buf[static 24])
{
	(void)snprintf(buf, 24, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", utc, utc + 4, utc + 6, utc + 9,
		utc + 11, utc + 13);
}

/* -- which, and in which order ------------------------------------------------------------------ */

/* Names in the store have a '-' where the drive's own have anything else. */
static char *as_stored(const char *text)
{
	char *name = strdup(text);

	for (char *p = name; p && *p; p++)
		if (!((*p >= '0' && *p <= '9') || *p == '.' || (*p >= 'A' && *p <= 'Z') ||
			(*p >= 'a' && *p <= 'z')))
			*p = '-';
	return name;
}

static bool matches(const char *text, const char *part)
{
	char *name = as_stored(text), *want = as_stored(part);
	/* No memory: too much is better than too little. */
	bool found = !name || !want || strcasestr(name, want);

	free(name);
	free(want);
	return found;
}

/* Those that are wanted come first, in the order they had; returns how many. */
static size_t choose(struct store_list *l, const struct show_list_cfg *cfg)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct store_entry e = l->entry[i];

		if ((cfg->battery && strcmp(e.battery, cfg->battery) != 0) ||
			(cfg->match && !matches(e.target, cfg->match)) ||
			(cfg->name && !matches(strrchr(e.path, '/') + 1, cfg->name)))
			continue;
		l->entry[i] = l->entry[n];
		l->entry[n++] = e;
	}
	return n;
}

static int by_time(const struct store_entry *a, const struct store_entry *b)
{
	int d = strcmp(b->utc, a->utc);

	if (d)
		return d;
	return a->number != b->number ? (a->number < b->number ? 1 : -1) : strcmp(a->path, b->path);
}

static int by_start(const void *a, const void *b)
{
	return by_time(a, b);
}

static int by_battery(const void *a, const void *b)
{
	const struct store_entry *x = a, *y = b;
	int d = strcmp(x->battery, y->battery);

	return d ? d : by_time(x, y);
}

static int by_target(const void *a, const void *b)
{
	const struct store_entry *x = a, *y = b;
	int d = strcmp(x->target, y->target);

	return d ? d : by_time(x, y);
}

static void order(struct store_list *l, size_t n, const struct show_list_cfg *cfg)
{
	static int (*const by[])(const void *, const void *) = {
		[SHOW_BY_TIME] = by_start, [SHOW_BY_BATTERY] = by_battery,
		[SHOW_BY_TARGET] = by_target,
	};

	if (n > 1)
		qsort(l->entry, n, sizeof(*l->entry), by[cfg->sort]);
	for (size_t i = 0; i < n / 2 && cfg->reverse; i++) {
		struct store_entry e = l->entry[i];

		l->entry[i] = l->entry[n - 1 - i];
		l->entry[n - 1 - i] = e;
	}
}

size_t show_list_choose(struct store_list *l, const struct show_list_cfg *cfg)
{
	size_t n = choose(l, cfg);

	order(l, n, cfg);
	return n;
}

/* -- shown -------------------------------------------------------------------------------------- */

static struct json *list_json(const struct store_list *l, size_t n)
{
	struct json *doc = json_new_object(), *results = json_new_array();
	char time[24];

	for (size_t i = 0; i < n; i++) {
		const struct store_entry *e = &l->entry[i];
		struct json *j = json_new_object();

		write_time(e->utc, time);
		(void)json_set_str(j, "path", e->path); /* no memory: the append below tells */
		(void)json_set_str(j, "target", e->target);
		(void)json_set_str(j, "battery", e->battery);
		(void)json_set_str(j, "started_at", time);
		if (json_append(results, j) < 0) {
			json_free(results);
			results = NULL;
			break;
		}
	}
	if (json_set(doc, "results", results) < 0) {
		json_free(doc);
		return NULL;
	}
	return doc;
}

static int list_text(struct cli *cli, const struct store_list *l, size_t n, const char *folder,
	struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "STARTED" }, { .head = "BATTERY" }, { .head = "RESULT" },
	};
	struct table *t;
	char time[24];
	int rc;

	if (l->count == 0) {
		(void)fprintf(cli->out, "no results in %s; `ssdqual run` stores one\n", folder);
		return 0;
	}
	if (n == 0) {
		(void)fprintf(cli->out, "none of %zu results in %s\n", l->count, folder);
		return 0;
	}
	t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < n; i++) {
		write_time(l->entry[i].utc, time);
		table_add(t, time);
		table_add(t, l->entry[i].battery);
		table_add(t, strrchr(l->entry[i].path, '/') + 1);
	}
	(void)fprintf(cli->out, "In %s:\n", folder);
	rc = t ? table_print(t, cli, reterr) : err_nomem(reterr);
	table_free(t);
	return rc;
}

int show_list(struct cli *cli, const struct show_list_cfg *cfg, struct err *reterr)
{
	struct store_list l;
	char *folder = NULL;
	int rc = store_folder(&folder, reterr);

	if (rc == 0)
		rc = store_list_results(folder, &l, reterr);
	if (rc == 0) {
		size_t n = show_list_choose(&l, cfg);

		rc = cli->json ? cli_emit_json(cli, list_json(&l, n), reterr) :
			list_text(cli, &l, n, folder, reterr);
		store_list_done(&l);
	}
	free(folder);
	return rc;
}
