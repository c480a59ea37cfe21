/* import_twin.c - one drive, several access paths. */
#include "data/import_twin.h"

#include <errno.h>
#include <string.h>

#include "data/identity.h"

static const struct json *aliases(const struct result *r)
{
	return json_path(r->doc, "target.aliases");
}

static bool has_alias(const struct json *list, const char *alias)
{
	for (const struct json *j = json_first(list); j; j = json_next(j))
		if (json_str(j) && strcmp(json_str(j), alias) == 0)
			return true;
	return false;
}

static bool share_a_path(const struct json *a, const struct json *b)
{
	for (const struct json *j = json_first(b); j; j = json_next(j))
		if (json_str(j) && has_alias(a, json_str(j)))
			return true;
	return false;
}

bool import_is_twin(const struct result *a, const struct result *b)
{
	return a->measurement_count == 0 && b->measurement_count == 0 && json_len(aliases(a)) &&
		json_len(aliases(b)) && !share_a_path(aliases(a), aliases(b)) &&
		identity_compare(json_get(a->doc, "target"), json_get(b->doc, "target"), NULL) ==
			IDENTITY_SAME;
}

/* RFC 3339 in UTC sorts as text; a reading without a time is not newer than another. */
static bool is_newer(const struct result *b, const struct result *a)
{
	const char *ta = json_str(json_path(a->doc, "smart.after.taken_at"));
	const char *tb = json_str(json_path(b->doc, "smart.after.taken_at"));

	return tb && (!ta || strcmp(tb, ta) > 0);
}

int import_join(struct result *a, const struct result *b)
{
	struct json *list = json_get_mut(result_section(a, "target"), "aliases");
	const char *file = json_str(json_path(b->doc, "import.file"));
	int bad = 0;

	for (const struct json *j = json_first(aliases(b)); j; j = json_next(j))
		bad |= json_append(list, json_copy(j));
	if (json_is_null(json_path(a->doc, "smart.after")) || is_newer(b, a))
		bad |= json_set(result_section(a, "smart"), "after",
			json_copy(json_path(b->doc, "smart.after")));
	bad |= import_note(a, "merged", "the same drive over another path was read from %s: it is "
		"counted once", file ? file : "another file");
	return bad ? -ENOMEM : 0;
}
