/* rbd_info.c - reading `rbd info`. */
#include "policies/rbd_info.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/rbd_input.h"

#define REFRESH_READS 5 /* of any image of format 2 */

static void copy_text(char *buf, size_t len, const struct json *j)
{
	const char *s = json_str(j);

	if (s != NULL)
		snprintf(buf, len, "%s", s);
}

static double number(const struct json *j)
{
	double d;

	return json_f64(j, &d) && d >= 0 ? d : NAN;
}

static size_t read_names(const struct json *list, char names[][RBD_INFO_TEXT])
{
	size_t n = 0;

	for (const struct json *m = json_first(list); m != NULL && n < RBD_INFO_FEATURES;
	     m = json_next(m)) {
		const char *s = json_str(m);

		if (s != NULL)
			snprintf(names[n++], RBD_INFO_TEXT, "%s", s);
	}
	return n;
}

static void read_parent(struct rbd_info *i, const struct json *p)
{
	const char *pool = json_str(json_get(p, "pool")), *image = json_str(json_get(p, "image"));
	const char *snap = json_str(json_get(p, "snapshot"));

	if (json_type(p) != JSON_OBJECT)
		return;
	snprintf(i->parent, sizeof(i->parent), "%.120s/%.120s@%.120s", pool != NULL ? pool : "?",
		image != NULL ? image : "?", snap != NULL ? snap : "?");
}

/* The key is `encryption_format` where a build prints it; newer ones show the loaded format below
 * `encryption`. */
static void read_encryption(struct rbd_info *i, const struct json *doc)
{
	const struct json *e = json_get(doc, "encryption");

	copy_text(i->encryption, sizeof(i->encryption), json_get(doc, "encryption_format"));
	if (i->encryption[0] == '\0')
		copy_text(i->encryption, sizeof(i->encryption),
			json_type(e) == JSON_OBJECT ? json_get(e, "format") : e);
	if (strcmp(i->encryption, "none") == 0)
		i->encryption[0] = '\0';
}

static void count_refresh_reads(struct rbd_info *i)
{
	i->refresh_reads = REFRESH_READS + (i->snapshots > 0) + (i->op_features > 0) +
		(i->migration == ANSWER_YES);
	/* The parent's header is refreshed as well when it was not open before. */
	if (i->parent[0] != '\0')
		i->refresh_reads++;
}

int rbd_info_parse(const struct json *doc, const char *file, struct rbd_info *ret,
	struct err *reterr)
{
	int r = rbd_input_expect(doc, RBD_INPUT_INFO, file, reterr);
	const struct json *features = json_get(doc, "features");
	const struct json *mirroring = json_get(doc, "mirroring");
	double format;

	*ret = (struct rbd_info){ .size_bytes = number(json_get(doc, "size")),
		.object_bytes = number(json_get(doc, "object_size")),
		.snapshots = number(json_get(doc, "snapshot_count")) };
	if (r < 0)
		return r;
	if (rbd_input_of_json(doc) != RBD_INPUT_INFO)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: no features and no object_size in "
			"it; make the file with `%s`", file, rbd_input_command(RBD_INPUT_INFO));
	copy_text(ret->name, sizeof(ret->name), json_get(doc, "name"));
	copy_text(ret->id, sizeof(ret->id), json_get(doc, "id"));
	copy_text(ret->data_pool, sizeof(ret->data_pool), json_get(doc, "data_pool"));
	if (json_f64(json_get(doc, "format"), &format) && (format == 1 || format == 2))
		ret->format = (unsigned)format;
	ret->features_known = json_type(features) == JSON_ARRAY;
	ret->features = read_names(features, ret->feature);
	ret->op_features = read_names(json_get(doc, "op_features"), ret->op_feature);
	if (isnan(ret->snapshots) && json_type(json_get(doc, "snapshots")) == JSON_ARRAY)
		ret->snapshots = (double)json_len(json_get(doc, "snapshots"));
	if (json_type(mirroring) == JSON_OBJECT) {
		const char *state = json_str(json_get(mirroring, "state"));

		ret->mirroring = state != NULL && strcmp(state, "enabled") == 0 ? ANSWER_YES :
			ANSWER_NO;
	}
	ret->migration = json_type(json_get(doc, "migration")) == JSON_OBJECT ||
		rbd_info_feature(ret, "migrating") == ANSWER_YES ? ANSWER_YES : ANSWER_NO;
	read_parent(ret, json_get(doc, "parent"));
	read_encryption(ret, doc);
	count_refresh_reads(ret);
	return 0;
}

enum answer rbd_info_feature(const struct rbd_info *i, const char *name)
{
	if (!i->features_known)
		return ANSWER_UNKNOWN;
	for (size_t k = 0; k < i->features; k++)
		if (strcmp(i->feature[k], name) == 0)
			return ANSWER_YES;
	return ANSWER_NO;
}
