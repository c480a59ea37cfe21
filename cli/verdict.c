/* verdict.c - from figures to verdicts in the document, and to the exit status. */
#include "cli/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/health.h"
#include "policies/persist.h"
#include "policies/verdict_cache.h"
#include "policies/verdict_plp.h"
#include "policies/verdict_rotation.h"
#include "policies/verdict_steady.h"

static struct json *or_null(const char *s)
{
	return json_new_str(s && *s ? s : NULL);
}

/* -- what stands beside a verdict -------------------------------------------------------------- */

/* "lines": each a line to be copied, or a comment. */
static void add_lines(struct json *o, const char *text)
{
	struct json *list = json_new_array();
	char *copy = strdup(text), *save, *line;

	for (line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save))
		(void)json_append(list, json_new_str(line)); /* no memory: the last append tells */
	free(copy);
	(void)json_set(o, "lines", list);
}

static struct persist_drive drive_of(const struct verdict_input *in)
{
	return (struct persist_drive){ .transport = verdict_target_word(in, "transport"),
		.model = verdict_target_word(in, "model"),
		.by_id = verdict_target_word(in, "by_id") };
}

static void add_cache(const struct verdict_input *in, struct json *o)
{
	struct json *rows = json_new_array();
	struct persist_drive d = drive_of(in);
	char text[PERSIST_TEXT_MAX];
	struct cache_verdict c;

	verdict_cache_rows(in, &c);
	for (size_t i = 0; i < c.count; i++) {
		const struct cache_row *row = &c.row[i];
		struct json *j = json_new_object();

		(void)json_set_str(j, "probe", row->on.first->probe);
		(void)json_set_f64(j, "on_iops", row->on.iops);
		(void)json_set_f64(j, "off_iops", row->off.iops);
		(void)json_set_f64(j, "ratio", row->ratio);
		(void)json_set_f64(j, "spread", row->spread);
		(void)json_set_f64(j, "saved_ns", row->saved_ns);
		(void)json_set_bool(j, "syncs", row->syncs);
		(void)json_set_str(j, "answer", cache_row_word(row->answer));
		(void)json_append(rows, j);
	}
	(void)json_set(o, "rows", rows);
	(void)json_set_f64(o, "saved_low_ns", c.saved_low_ns);
	(void)json_set_f64(o, "saved_high_ns", c.saved_high_ns);
	if (c.answer == CACHE_TURN_OFF)
		add_lines(o, persist_cache(&d, false, text, sizeof(text)));
}

static void add_plp(const struct verdict_input *in, struct json *o)
{
	struct json *list = json_new_array();
	struct plp_verdict p;

	verdict_plp_judge(in, &p, NULL);
	for (size_t i = 0; i < p.count; i++) {
		struct json *j = json_new_object();

		(void)json_set_str(j, "kind", p.item[i].kind);
		(void)json_set_str(j, "text", p.item[i].text);
		(void)json_set_f64(j, "weight", p.item[i].weight);
		(void)json_set_str(j, "source", p.item[i].source);
		(void)json_append(list, j);
	}
	(void)json_set(o, "evidence", list);
}

static void add_rotation(const struct verdict_input *in, struct json *o)
{
	struct persist_drive d = drive_of(in);
	char text[PERSIST_TEXT_MAX];
	struct rotation_verdict v;
	struct json *mend;

	verdict_rotation_judge(in, &v);
	if (!v.claim_wrong)
		return;
	add_lines(o, persist_rotational(&d, v.medium == MEDIUM_HDD, text, sizeof(text)));
	mend = json_new_array();
	for (size_t i = 0; rotation_osd_mend[i]; i++)
		(void)json_append(mend, json_new_str(rotation_osd_mend[i]));
	(void)json_set(o, "mend", mend);
}

static void add_steady(const struct verdict_input *in, struct json *o)
{
	struct json *rows = json_new_array();
	struct steady_verdict v;

	verdict_steady_judge(in, &v);
	for (size_t i = 0; i < v.count; i++) {
		struct json *j = json_new_object();

		(void)json_set_str(j, "probe", v.row[i].m->probe);
		(void)json_set_f64(j, "mean_bytes", v.row[i].mean);
		(void)json_set_f64(j, "first_bytes", v.row[i].first);
		(void)json_set_f64(j, "last_bytes", v.row[i].last);
		(void)json_set_f64(j, "window_s", v.row[i].window_s);
		(void)json_set_bool(j, "steady", v.row[i].steady);
		(void)json_append(rows, j);
	}
	(void)json_set(o, "rows", rows);
}

/* What was measured belongs to the identity, too, where lists and exports look for it. */
static void complete_target(const struct verdict_input *in, struct result *r)
{
	struct json *o = json_get_mut(json_get_mut(r->doc, "target"), "rotational");
	struct rotation_verdict v;

	verdict_rotation_judge(in, &v);
	if (!o || json_type(o) != JSON_OBJECT)
		return;
	if (v.rows[0])
		(void)json_set_str(o, "measured", medium_word(v.measured));
	if (v.medium || v.doubtful)
		(void)json_set_str(o, "verdict", medium_word(v.medium));
}

/* -- the document ------------------------------------------------------------------------------ */

static struct json *verdict_json(const struct verdict_ops *ops, const struct verdict_input *in,
	const struct verdict *v)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "subject", ops->subject);
	(void)json_set_str(o, "grade", v->grade);
	if (!ops->role) {
		(void)json_set_str(o, "answer", v->answer);
		(void)json_set_str(o, "confidence", v->confidence);
	}
	(void)json_set(o, "bound_by", or_null(v->bound_by));
	(void)json_set(o, "threshold", or_null(v->threshold));
	(void)json_set(o, "source", or_null(v->source));
	(void)json_set(o, "would_change", or_null(v->would_change));
	if (strcmp(ops->subject, "write-cache") == 0)
		add_cache(in, o);
	else if (strcmp(ops->subject, "plp") == 0)
		add_plp(in, o);
	else if (strcmp(ops->subject, "rotational") == 0)
		add_rotation(in, o);
	else if (strcmp(ops->subject, "steady") == 0)
		add_steady(in, o);
	return o;
}

static bool has_finding(const struct result *r, const struct note *n)
{
	const struct json *f = json_first(json_get(r->doc, "findings"));

	for (; f; f = json_next(f)) {
		const char *code = json_str(json_get(f, "code"));

		if (code && strcmp(code, n->code) == 0)
			return true;
	}
	return false;
}

static int add_findings(struct result *r, const struct notes *n)
{
	for (size_t i = 0; i < n->count; i++)
		if (!has_finding(r, &n->item[i]) && result_add_finding(r, n->item[i].code,
			n->item[i].text, n->item[i].source) < 0)
			return -ENOMEM;
	return n->no_memory ? -ENOMEM : 0;
}

static int judge_all(const struct verdict_input *in, struct result *r, struct err *reterr)
{
	struct json *list = json_new_array();
	struct notes notes = { .count = 0 };
	int bad = 0, rc;

	for (size_t i = 0; verdict_table[i]; i++) {
		struct verdict v;

		if (verdict_judge(verdict_table[i], in, &v, &notes) == 0)
			bad |= json_append(list, verdict_json(verdict_table[i], in, &v));
	}
	complete_target(in, r);
	rc = health_judge(r, 0, &notes, reterr);
	bad |= add_findings(r, &notes);
	bad |= json_set(r->doc, "verdicts", list);
	notes_done(&notes);
	return rc < 0 ? rc : bad ? err_nomem(reterr) : 0;
}

int verdict_attach(struct result *r, const struct result *const *more, size_t count,
	struct err *reterr)
{
	const struct result **all = calloc(count + 1, sizeof(struct result *));
	struct verdict_input in = { .results = all, .count = count + 1 };
	struct refdrive *ref = NULL;
	int rc;

	if (!all)
		return err_nomem(reterr);
	all[0] = r;
	for (size_t i = 0; i < count; i++)
		all[i + 1] = more[i];
	rc = refdrive_find(verdict_target_word(&in, "model"), &ref, reterr);
	in.ref = ref;
	if (rc == 0)
		rc = judge_all(&in, r, reterr);
	refdrive_free(ref);
	free(all);
	return rc;
}

/* -- the exit status --------------------------------------------------------------------------- */

/* The roles that a battery is run for; other verdicts are told, and decide nothing. */
struct asked {
	const char *battery, *subject;
	bool of_drives; /* not of volumes */
	bool unknown;   /* counts, too */
};

static const struct asked *find_asked(const char *battery, const char *subject)
{
	static const struct asked table[] = {
		{ "ceph", "osd-data", true, true }, { "ceph", "wal-db", true, true },
		{ "quick", "osd-data", true, true }, { "quick", "wal-db", true, true },
		{ "quick", "etcd", false, true }, { "etcd", "etcd", false, true },
		{ "pwl", "pwl", true, false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].battery, battery) == 0 &&
			strcmp(table[i].subject, subject) == 0)
			return &table[i];
	return NULL;
}

int verdict_exit_status(const struct result *r)
{
	const char *battery = json_str(json_path(r->doc, "settings.battery"));
	const struct json *v = json_first(json_get(r->doc, "verdicts"));
	bool volume = verdict_where(json_get(r->doc, "target")) == WHERE_VOLUME;
	int status = EXIT_DONE;

	for (; v && battery; v = json_next(v)) {
		const char *subject = json_str(json_get(v, "subject"));
		const char *grade = json_str(json_get(v, "grade"));
		const struct asked *a = subject ? find_asked(battery, subject) : NULL;

		if (!a || !grade || (a->of_drives && volume))
			continue;
		if (strcmp(grade, "fail") == 0 || strcmp(grade, "F") == 0)
			return EXIT_VERDICT;
		if (a->unknown && strcmp(grade, "unknown") == 0)
			status = EXIT_UNSURE;
	}
	return status;
}
