/* show_import.c - where the figures of an imported document come from, and what they answer. */
#include "cli/show.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct json *j, const char *key)
{
	return json_str(json_get(j, key));
}

static void item(struct cli *cli, const char *what, const char *text)
{
	char *line = NULL;

	if (asprintf(&line, "%s: %s", what, text) < 0)
		line = NULL;
	show_item(cli, line ? line : text, NULL);
	free(line);
}

static void put_row(struct cli *cli, const struct measurement *m)
{
	const struct json *o = json_get(m->extra, "import");
	const char *why = text_of(o, "why"), *sync = text_of(o, "sync");
	const char *name = m->label[0] ? m->label : m->probe;
	bool equivalent = false;
	char *line = NULL;

	if (!o)
		return;
	(void)json_bool(json_get(o, "equivalent"), &equivalent); /* absent: none */
	if ((equivalent ? asprintf(&line, "equivalent to row %s of battery %s%s%s", m->probe,
			m->battery, why ? "; " : "", why ? why : "") :
		asprintf(&line, "equivalent to no row%s%s", why ? ": " : "", why ? why : "")) < 0)
		return;
	item(cli, name, line);
	free(line);
	if (sync && asprintf(&line, "sync latency: %s", sync) >= 0) {
		item(cli, name, line);
		free(line);
	}
}

void show_import(struct cli *cli, const struct result *r)
{
	const struct json *o = json_get(r->doc, "import"), *notes = json_get(o, "notes");

	if (json_type(o) != JSON_OBJECT)
		return;
	if (r->measurement_count)
		(void)fputs("\nWhat the rows answer\n", cli->out); /* cli_main tells errors of out */
	for (size_t i = 0; i < r->measurement_count; i++)
		put_row(cli, r->measurements[i]);
	if (json_len(notes) == 0)
		return;
	(void)fputs("\nNotes of the import\n", cli->out);
	for (const struct json *n = json_first(notes); n; n = json_next(n)) {
		bool around = text_of(n, "code") && strcmp(text_of(n, "code"), "text-around") == 0;

		if (!text_of(n, "text"))
			continue;
		if (around)
			item(cli, "outside the JSON", text_of(n, "text"));
		else
			show_item(cli, text_of(n, "text"), NULL);
	}
}
