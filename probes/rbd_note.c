/* rbd_note.c - what an RBD session writes into the document beside the figures. */
#include "probes/rbd_note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probes/hostinfo.h"
#include "probes/target.h"

static int set_copy(struct json *to, const char *key, const struct json *v)
{
	return json_set(to, key, v ? json_copy(v) : json_new_null());
}

static int set_reads(struct json *rbd, const char *key, const struct rbd_facts *f)
{
	bool more = false;

	return json_set_u64(rbd, key, rbd_facts_refresh_reads(f, &more));
}

static struct json *rbd_section(const struct rbd_site *s, const struct rbd_ground *g)
{
	struct json *rbd = json_new_object();
	const struct rbd_facts *named = s->image ? &s->facts : g ? &g->facts : NULL;
	bool scratch = g && g->scratch.name[0];
	char text[3 * RBD_WORD_MAX];
	int r = json_set_str(rbd, "pool", s->spec.pool);

	r |= json_set_str(rbd, "namespace", s->spec.ns[0] ? s->spec.ns : NULL);
	r |= json_set_str(rbd, "image", s->spec.image[0] ? s->spec.image : NULL);
	r |= json_set_str(rbd, "header_of", s->image ?
		rbd_spec_text(&s->header, s->header.image, text, sizeof(text)) : NULL);
	r |= json_set_bool(rbd, "scratch", scratch);
	r |= json_set_str(rbd, "scratch_image", scratch ? g->scratch.name : NULL);
	r |= json_set(rbd, "image_facts", named ? rbd_facts_json(named) : json_new_null());
	if (named)
		r |= set_reads(rbd, "refresh_reads", named);
	if (g)
		r |= set_reads(rbd, "refresh_reads_measured", &g->facts);
	r |= set_copy(rbd, "options", s->config);
	r |= set_copy(rbd, "cluster", s->cluster);
	if (r == 0)
		return rbd;
	json_free(rbd);
	return NULL;
}

int rbd_note_target(struct result *res, const struct rbd_site *site,
	const struct rbd_ground *ground, struct err *reterr)
{
	static const struct sysroot here = { .prefix = "" };
	struct json *host = NULL, *target = json_new_object();
	char text[3 * RBD_WORD_MAX + 4] = "rbd:";
	int r = hostinfo_json(&here, NULL, &host, reterr);

	if (r < 0) {
		json_free(target);
		return r;
	}
	rbd_spec_text(&site->spec, site->spec.image, text + 4, sizeof(text) - 4);
	r = json_set(res->doc, "host", host);
	r |= json_set_str(target, "path", text);
	r |= json_set_str(target, "kind", "rbd");
	r |= json_set_null(target, "by_id");
	r |= json_set_null(target, "model");
	r |= json_set_null(target, "serial");
	r |= json_set(target, "capacity_bytes", site->image ?
		json_new_u64(site->facts.size_bytes) : json_new_null());
	r |= json_set(target, "rbd", rbd_section(site, ground));
	r |= json_set(res->doc, "target", target);
	return r ? err_nomem(reterr) : 0;
}

int rbd_note_settings(struct result *res, const struct rbd_run *run, const char *battery,
	struct err *reterr)
{
	struct json *settings = result_section(res, "settings"), *rows = json_new_array();
	time_t t = time(NULL);
	char stamp[32] = "";
	struct tm tm;
	int r = 0;

	if (gmtime_r(&t, &tm))
		(void)strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm); /* fits */
	for (size_t i = 0; i < RBD_ROW_COUNT; i++)
		if (rbd_run_wants(run, &rbd_rows[i]))
			r |= json_append(rows, json_new_str(rbd_rows[i].key));
	r |= json_set_str(settings, "started_at", stamp[0] ? stamp : NULL);
	r |= json_set_str(settings, "battery", battery);
	r |= json_set(settings, "rows", rows);
	r |= json_set_u64(settings, "offset", 0);
	r |= json_set_u64(settings, "size", rbd_run_span(run));
	r |= json_set_bool(settings, "fill", true);
	r |= json_set_u64(settings, "fill_bytes", rbd_run_span(run));
	r |= json_set_bool(settings, "zero_buffers", false);
	r |= json_set_u64(settings, "randseed", run->randseed);
	r |= json_set_null(settings, "precondition"); /* the cluster's drives are not ours to know */
	r |= json_set_str(settings, "impact", run->impact->name);
	r |= json_set_f64(settings, "latency_stop", run->latency_stop);
	r |= json_set_str(settings, "ended", "error");
	return r ? err_nomem(reterr) : 0;
}

int rbd_note_leftovers(struct result *res, const struct rbd_site *site, struct err *reterr)
{
	struct json *list = NULL;
	char text[512], name[3 * RBD_WORD_MAX];
	int r = rbd_scratch_leftovers(&site->conn, &site->spec, &list, reterr), failed = 0;

	if (r < 0)
		return r;
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		const char *image = json_str(json_get(j, "name")), *why = json_str(json_get(j, "why"));
		bool removed = false;

		if (!image || !why || !json_bool(json_get(j, "removed"), &removed))
			continue;
		rbd_spec_text(&site->spec, image, name, sizeof(name));
		if (removed)
			(void)snprintf(text, sizeof(text),
				"scratch image %.200s of an earlier run was removed: %s", name, why);
		else
			(void)snprintf(text, sizeof(text), "scratch image %.200s of another run is "
				"there: %s; to remove it: rbd rm %.200s", name, why, name);
		failed |= result_add_finding(res, removed ? "scratch-image-removed" :
			"scratch-image-found", text, "its name, its maker and its watchers");
	}
	json_free(list);
	return failed ? err_nomem(reterr) : 0;
}

int rbd_note_end(struct result *res, const char *ended, struct err *reterr)
{
	return json_set_str(result_section(res, "settings"), "ended", ended) ?
		err_nomem(reterr) : 0;
}
