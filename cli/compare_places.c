/* compare_places.c - the place of a row among the figures that others have published. */
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/resource.h"

/* Rows whose question a published test asked as well (data/drives, "test"). Others differ in block
 * size, depth or file system, so their figures are no measure. */
static const struct {
	const char *probe, *test;
} same_question[] = {
	{ "journal-sync", "journal_sync_4k_seqwrite_1job" },
	{ "t1q1-fsync", "rand_fsync_4k_qd1" },
};

struct figures {
	struct json *list; /* copies */
	double *iops;
	size_t count, room;
};

static int add_figure(struct figures *f, const struct json *figure, double iops)
{
	struct json *copy;

	if (f->count == f->room) {
		size_t room = f->room ? f->room * 2 : 64;
		double *more = realloc(f->iops, room * sizeof(*more));

		if (!more)
			return -1;
		f->iops = more;
		f->room = room;
	}
	copy = json_copy(figure);
	if (json_append(f->list, copy) < 0)
		return -1;
	f->iops[f->count++] = iops;
	return 0;
}

/* A figure of the other state of the write cache answers another question. */
static bool answers(const struct json *figure, const char *test, enum write_cache_state state)
{
	const char *name = json_str(json_get(figure, "test"));
	const char *cache = json_str(json_get(figure, "write_cache"));

	if (!name || strcmp(name, test) != 0)
		return false;
	return !cache || (state != WC_ON && state != WC_OFF) ||
		strcmp(cache, write_cache_word(state)) == 0 ||
		(strcmp(cache, "on") != 0 && strcmp(cache, "off") != 0);
}

static int collect(const char *test, enum write_cache_state state, struct figures *f,
	struct err *reterr)
{
	char **names;
	int rc = resource_names("drives", &names, reterr);

	if (rc < 0)
		return rc;
	for (size_t i = 0; names[i] && rc == 0; i++) {
		struct json *doc = NULL;
		const struct json *figure;
		double iops;

		rc = resource_load("drives", names[i], &doc, NULL, reterr);
		figure = rc == 0 ? json_first(json_get(doc, "figures")) : NULL;
		for (; figure && rc == 0; figure = json_next(figure))
			if (answers(figure, test, state) &&
				json_f64(json_get(figure, "iops"), &iops) &&
				add_figure(f, figure, iops) < 0)
				rc = err_nomem(reterr);
		json_free(doc);
	}
	resource_names_free(names);
	return rc;
}

static int find_place(const struct measurement *m, const char *test, struct compare_places *ret,
	struct err *reterr)
{
	struct figures f = { .list = json_new_array() };
	struct compare_place *p = &ret->place[ret->count];
	int rc = f.list ? collect(test, m->write_cache, &f, reterr) : err_nomem(reterr);
	size_t above, below;

	if (rc == 0 && f.count) {
		*p = (struct compare_place){ .row = m, .of = f.count + 1,
			.rank = compare_rank(f.iops, f.count, m->iops, &above, &below) };
		if (above < f.count)
			p->above = json_copy(json_at(f.list, above));
		if (below < f.count)
			p->below = json_copy(json_at(f.list, below));
		ret->count++;
	}
	json_free(f.list);
	free(f.iops);
	return rc;
}

static bool is_first_leg(const struct result *r, size_t i)
{
	const struct measurement *m = r->measurements[i];

	for (size_t k = 0; k < i; k++)
		if (r->measurements[k]->write_cache == m->write_cache &&
			strcmp(r->measurements[k]->probe, m->probe) == 0)
			return false;
	return true;
}

int compare_places_find(const struct result *now, struct compare_places *ret, struct err *reterr)
{
	int rc = 0;

	*ret = (struct compare_places){ .count = 0 };
	for (size_t i = 0; i < now->measurement_count; i++) {
		const struct measurement *m = now->measurements[i];

		if (!(m->iops > 0) || !is_first_leg(now, i))
			continue;
		for (size_t k = 0; k < sizeof(same_question) / sizeof(same_question[0]); k++)
			if (strcmp(m->probe, same_question[k].probe) == 0 && rc == 0 &&
				ret->count < COMPARE_PLACES)
				rc = find_place(m, same_question[k].test, ret, reterr);
	}
	return rc;
}

void compare_places_done(struct compare_places *p)
{
	for (size_t i = 0; i < p->count; i++) {
		json_free(p->place[i].above);
		json_free(p->place[i].below);
	}
	p->count = 0;
}
