/* json_keep.c - difference and union of objects. */
#include "data/json_keep.h"

#include <errno.h>

/* Arrays of scalars hold no keys; histograms have thousands of such elements. */
static bool holds_objects(const struct json *a, const struct json *b)
{
	return json_type(a) == JSON_ARRAY && json_type(b) == JSON_ARRAY && json_len(a) > 0 &&
	       json_len(a) == json_len(b) && json_type(json_first(a)) == JSON_OBJECT;
}

/* An array as long as the originals, null where an element has nothing left over. */
static int left_over_of_array(const struct json *original, const struct json *known,
	struct json **ret)
{
	struct json *list = json_new_array();
	bool any = false;

	if (!list)
		return -ENOMEM;
	for (; original; original = json_next(original), known = json_next(known)) {
		struct json *rest = NULL;

		if (json_left_over(original, known, &rest) < 0)
			goto nomem;
		any = any || rest;
		if (json_append(list, rest ? rest : json_new_null()) < 0)
			goto nomem;
	}
	if (any)
		*ret = list;
	else
		json_free(list);
	return 0;
nomem:
	json_free(list);
	return -ENOMEM;
}

int json_left_over(const struct json *original, const struct json *known, struct json **ret)
{
	struct json *all = NULL;

	*ret = NULL;
	for (const struct json *m = json_first(original); m; m = json_next(m)) {
		const struct json *ours = json_get(known, json_key(m));
		struct json *rest = NULL;
		int r = 0;

		if (!ours)
			r = (rest = json_copy(m)) ? 0 : -ENOMEM;
		else if (json_type(m) == JSON_OBJECT && json_type(ours) == JSON_OBJECT)
			r = json_left_over(m, ours, &rest);
		else if (holds_objects(m, ours))
			r = left_over_of_array(json_first(m), json_first(ours), &rest);
		if (r == 0 && rest) {
			if (!all)
				all = json_new_object();
			r = json_set(all, json_key(m), rest);
		}
		if (r < 0) {
			json_free(all);
			return r;
		}
	}
	*ret = all;
	return 0;
}

int json_lay_over(struct json *target, const struct json *left_over)
{
	for (const struct json *m = json_first(left_over); m; m = json_next(m)) {
		struct json *ours = json_get_mut(target, json_key(m));
		int r = 0;

		if (!ours) {
			r = json_set(target, json_key(m), json_copy(m));
		} else if (json_type(m) == JSON_OBJECT && json_type(ours) == JSON_OBJECT) {
			r = json_lay_over(ours, m);
		} else if (holds_objects(ours, ours) && json_len(m) == json_len(ours)) {
			const struct json *rest = json_first(m);

			for (const struct json *e = json_first(ours); e && r == 0;
				e = json_next(e), rest = json_next(rest)) {
				/* the element is part of @target, which is ours to change */
				r = json_lay_over((struct json *)e, rest);
			}
		}
		if (r < 0)
			return r;
	}
	return 0;
}
