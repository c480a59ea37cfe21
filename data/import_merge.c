/* import_merge.c - several imported documents of one target as one. */
#include "data/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Do both know the key, and differ? */
static bool differ(const struct result *a, const struct result *b, const char *dotted)
{
	const char *x = json_str(json_path(a->doc, dotted)), *y = json_str(json_path(b->doc, dotted));

	return x && y && strcmp(x, y) != 0;
}

static int check_targets(const struct import_list *l, struct err *reterr)
{
	static const char *const keys[] = { "target.serial", "target.model", "target.path" };

	for (size_t i = 1; i < l->count; i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			const struct result *a = l->result[0], *b = l->result[i];

			if (differ(a, b, keys[k]))
				return err_set(reterr, ERR_INPUT, -EINVAL, "%s differs: %s in %s, %s in "
					"%s; only runs on one target become one document", keys[k],
					json_str(json_path(a->doc, keys[k])),
					json_str(json_path(a->doc, "import.file")),
					json_str(json_path(b->doc, keys[k])),
					json_str(json_path(b->doc, "import.file")));
		}
	}
	return 0;
}

static int append_all(struct json *to, const struct json *from)
{
	int r = 0;

	for (const struct json *e = json_first(from); e && r == 0; e = json_next(e))
		r = json_append(to, json_copy(e));
	return r;
}

/* Readings of health in the order of the files: the first and the last one stand around the rows. */
static int take_reading(struct result *to, const struct result *from)
{
	const struct json *reading = json_path(from->doc, "smart.after");
	struct json *smart = result_section(to, "smart");
	int r = 0;

	if (json_is_null(reading))
		return 0;
	if (json_is_null(json_get(smart, "before")) && !json_is_null(json_get(smart, "after")))
		r = json_set(smart, "before", json_copy(json_get(smart, "after")));
	return r < 0 ? r : json_set(smart, "after", json_copy(reading));
}

/* What the first file does not say of the target, another one may. */
static int complete_target(struct result *to, const struct result *from)
{
	struct json *target = result_section(to, "target");
	int r = 0;

	for (const struct json *m = json_first(json_get(from->doc, "target")); m && r == 0;
		m = json_next(m))
		if (!json_is_null(m) && json_is_null(json_get(target, json_key(m))))
			r = json_set(target, json_key(m), json_copy(m));
	return r;
}

/* The measurements change owner; @from is left without. */
static int merge_into(struct result *to, struct result *from)
{
	struct json *section = json_get_mut(to->doc, "import");
	bool zeros = false;
	int r = 0;

	for (size_t i = 0; i < from->measurement_count; i++) {
		struct measurement *m = from->measurements[i];

		from->measurements[i] = NULL;
		if (result_take_measurement(to, m) < 0)
			r = -ENOMEM;
	}
	from->measurement_count = 0;
	if (r == 0)
		r = complete_target(to, from);
	if (r == 0)
		r = take_reading(to, from);
	if (r == 0)
		r = append_all(json_get_mut(section, "notes"), json_path(from->doc, "import.notes"));
	if (r == 0)
		r = append_all(json_get_mut(to->doc, "findings"), json_get(from->doc, "findings"));
	if (r == 0 && json_bool(json_path(from->doc, "settings.zero_buffers"), &zeros) && zeros)
		r = json_set_bool(result_section(to, "settings"), "zero_buffers", true);
	if (r == 0)
		r = import_note(to, "merged", "with %s", json_str(json_path(from->doc, "import.file")));
	return r;
}

int import_merge(struct import_list *l, struct result **ret, struct err *reterr)
{
	struct result *first;
	int r = check_targets(l, reterr);

	if (r < 0)
		return r;
	first = l->result[0];
	for (size_t i = 1; i < l->count && r == 0; i++)
		r = merge_into(first, l->result[i]);
	l->result[0] = NULL; /* result_free() accepts it */
	import_list_done(l);
	if (r < 0) {
		result_free(first);
		return err_nomem(reterr);
	}
	*ret = first;
	return 0;
}
