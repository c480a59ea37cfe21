/* import.c - the part of a result document that says where it was imported from. */
#include "data/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_notes_of_file(struct result *r, const struct import_source *src)
{
	int rc = 0;

	for (size_t i = 0; src->lines && i < src->lines->count && rc == 0; i++)
		rc = import_note(r, "text-around", "%s", src->lines->line[i]);
	if (rc == 0 && src->lines && src->lines->uncounted)
		rc = import_note(r, "text-around", "and %zu more lines outside the JSON",
			src->lines->uncounted);
	if (rc == 0 && src->cut_off)
		rc = import_note(r, "cut-off", "another document begins after this one and has no "
			"end: it is not used");
	return rc;
}

struct result *import_result_new(const struct importer *kind, const struct import_source *src,
	const char *tool_version)
{
	struct result *r = result_new();
	struct json *section;
	int bad = 0;

	if (!r)
		return NULL;
	bad |= json_set_str(result_section(r, "settings"), "battery", "import");
	section = result_section(r, "import");
	bad |= json_set_str(section, "kind", kind->name);
	bad |= json_set_str(section, "tool_version", tool_version);
	bad |= json_set_str(section, "file", src->name);
	bad |= json_set_u64(section, "document", src->number);
	bad |= json_set_u64(section, "documents", src->documents);
	bad |= json_set(section, "notes", json_new_array());
	if (bad || add_notes_of_file(r, src) < 0) {
		result_free(r);
		return NULL;
	}
	return r;
}

int import_note(struct result *r, const char *code, const char *fmt, ...)
{
	struct json *note = json_new_object(), *notes;
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		json_free(note);
		return -ENOMEM;
	}
	notes = json_get_mut(result_section(r, "import"), "notes");
	n = json_set_str(note, "code", code);
	if (n == 0)
		n = json_set_str(note, "text", text);
	free(text);
	if (n < 0) {
		json_free(note);
		return n;
	}
	return json_append(notes, note);
}

int import_failed(struct result *r, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	n = result_add_finding(r, "job-error", text, NULL);
	free(text);
	return n;
}

bool import_is_failed(const struct result *r)
{
	for (const struct json *f = json_first(json_get(r->doc, "findings")); f; f = json_next(f)) {
		const char *code = json_str(json_get(f, "code"));

		if (code && strcmp(code, "job-error") == 0)
			return true;
	}
	return false;
}
