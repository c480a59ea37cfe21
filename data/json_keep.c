/* json_keep.c - what a table of keys leaves over, and back. */
#include "data/json_keep.h"

#include <errno.h>
#include "data/json_tree.h"

static bool holds_objects(const struct json *a)
{
	return json_type(a) == JSON_ARRAY && json_type(json_first(a)) == JSON_OBJECT;
}

static const struct json_known *find(const struct json_known *known, const char *key)
{
	while (known->key && !json_is_key(known->key, key))
		known++;
	return known->key ? known : NULL;
}

/* An array as long as the original, null where an element has nothing left over; NULL where none
 * has, which is found out without making one. */
static int left_over_of_array(const struct json *original, const struct json_known *known,
	struct json **ret)
{
	struct json *list = NULL;
	size_t before = 0;

	for (const struct json *e = json_first(original); e; e = json_next(e), before++) {
		struct json *rest = NULL;
		int r = json_left_over(e, known, &rest);

		if (r == 0 && rest && !list) {
			list = json_new_array();
			for (size_t i = 0; i < before && r == 0; i++)
				r = json_append(list, json_new_null());
		}
		if (r == 0 && list)
			r = json_append(list, rest ? rest : json_new_null());
		else
			json_free(rest);
		if (r < 0) {
			json_free(list);
			return r;
		}
	}
	*ret = list;
	return 0;
}

int json_left_over(const struct json *original, const struct json_known *known, struct json **ret)
{
	struct json *all = NULL;

	*ret = NULL;
	for (const struct json *m = json_first(original); m; m = json_next(m)) {
		const struct json_known *ours = find(known, json_key(m));
		struct json *rest = NULL;
		int r = 0;

		if (!ours)
			r = (rest = json_copy(m)) ? 0 : -ENOMEM;
		else if (ours->below && json_type(m) == JSON_OBJECT)
			r = json_left_over(m, ours->below, &rest);
		else if (ours->below && holds_objects(m))
			r = left_over_of_array(m, ours->below, &rest);
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
		} else if (holds_objects(ours) && json_len(m) == json_len(ours)) {
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
