/* advise_json.c - the advice as JSON; its keys are named in docs/ssdqual.8 and never change. */
#include "cli/advise.h"

#include <math.h>
#include <stdio.h>

static const char *const verdict_words[] = { "unknown", "fail", "pass" };

struct json *advise_notes_json(const struct notes *n)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < n->count; i++) {
		struct json *o = json_new_object();

		(void)json_set_str(o, "code", n->item[i].code);
		(void)json_set_str(o, "text", n->item[i].text);
		(void)json_set_str(o, "source", n->item[i].source);
		(void)json_set_str(o, "severity", severity_word(n->item[i].severity));
		(void)json_append(list, o);
	}
	return list;
}

static struct json *dist_json(struct dist d)
{
	struct json *o = json_new_object();

	(void)json_set_f64(o, "p50", round(d.p50_ns));
	(void)json_set_f64(o, "p99", round(d.p99_ns));
	(void)json_set_f64(o, "p999", round(d.p999_ns));
	return o;
}

static double tenths(double v)
{
	return round(v * 10) / 10;
}

static struct json *settings_json(const struct candidate *c)
{
	struct json *o = json_new_object();

	for (int k = 0; k < OPTION_COUNT; k++)
		if (c->relevant[k])
			(void)json_set_str(o, option_name[k], c->config.opt[k].value);
	return o;
}

static void set_meets(struct json *o, int meets)
{
	if (meets < 0)
		(void)json_set_null(o, "meets_slo");
	else
		(void)json_set_bool(o, "meets_slo", meets == 1);
}

/* Where the operations' time goes, ns a write; the places are those of policies/sim.h. */
static struct json *time_json(const struct prediction *p)
{
	struct json *o = json_new_object();

	for (int i = 0; i < SIM_PLACE_COUNT; i++)
		(void)json_set_f64(o, sim_place_word((enum sim_place)i), round(p->place_ns[i]));
	return o;
}

static struct json *candidate_json(const struct candidate *c, double images)
{
	struct json *o = json_new_object(), *p = json_new_object();

	(void)json_set_str(o, "name", c->name);
	(void)json_set(o, "settings", settings_json(c));
	(void)json_set(p, "write_ns", dist_json(c->predicted.write));
	(void)json_set(p, "flush_ns", dist_json(c->predicted.flush));
	(void)json_set(p, "pair_ns", dist_json(c->predicted.pair));
	(void)json_set(p, "guest_sync_ns", dist_json(c->predicted.guest_sync));
	(void)json_set_f64(p, "iops", tenths(c->predicted.iops));
	(void)json_set_f64(p, "fill_seconds", tenths(c->predicted.fill_seconds));
	(void)json_set_f64(p, "stall_seconds", tenths(c->predicted.stall_seconds));
	(void)json_set(p, "time_ns_per_write", time_json(&c->predicted));
	(void)json_set_str(p, "regime", c->predicted.regime);
	(void)json_set_str(p, "certainty", certainty_word(c->predicted.certainty));
	(void)json_set_str(p, "why", c->predicted.why);
	(void)json_set(o, "predicted", p);
	set_meets(o, c->meets);
	(void)json_set_f64(o, "memory_bytes_per_image", c->predicted.memory_bytes);
	(void)json_set_f64(o, "memory_bytes_host", c->predicted.memory_bytes * images);
	(void)json_set_f64(o, "at_risk_bytes", c->predicted.at_risk_bytes);
	(void)json_set(o, "blockers", advise_notes_json(&c->blockers));
	return o;
}

struct json *advise_steps_json(const struct step *s, size_t n)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json *o = json_new_object();

		(void)json_set_str(o, "command", s[i].command);
		(void)json_set_str(o, "where", s[i].where);
		(void)json_set_str(o, "when", s[i].when);
		(void)json_set_str(o, "check", s[i].check);
		(void)json_append(list, o);
	}
	return list;
}

static struct json *recommendation_json(const struct advice *a)
{
	const struct candidate *c = &a->candidate[a->chosen];
	struct json *o = json_new_object();

	(void)json_set_str(o, "candidate", c->name);
	set_meets(o, c->meets);
	(void)json_set_str(o, "confidence", confidence_word(a->confidence));
	if (a->flips[0] != '\0')
		(void)json_set_str(o, "turns_on", a->flips);
	else
		(void)json_set_null(o, "turns_on");
	(void)json_set(o, "settings", settings_json(c));
	(void)json_set(o, "apply", advise_steps_json(a->apply, a->apply_count));
	(void)json_set(o, "undo", advise_steps_json(a->undo, a->undo_count));
	(void)json_set(o, "reasons", advise_notes_json(&a->reasons));
	(void)json_set(o, "instead", advise_notes_json(&a->instead));
	return o;
}

static struct json *slo_json(const struct workload *w, const struct advice *a)
{
	struct json *o = json_new_object();
	char metric[32];

	if (w->slo_metric == SLO_IOPS)
		snprintf(metric, sizeof(metric), "%s", slo_metric_word(w->slo_metric));
	else
		snprintf(metric, sizeof(metric), "%s.%s", slo_metric_word(w->slo_metric),
			slo_percentile_word(w->slo_pct));
	(void)json_set_str(o, "metric", metric);
	(void)json_set_f64(o, "limit_ns", w->slo_limit_ns);
	(void)json_set_str(o, "source", w->slo_source);
	/* Of the local drive without RBD; each candidate has its own meets_slo. */
	(void)json_set_str(o, "verdict", verdict_words[a->drive_meets + 1]);
	(void)json_set_f64(o, "drive_ns", round(a->drive_sync_ns));
	return o;
}

struct json *advise_to_json(const struct advise_inputs *i, const struct advice *a)
{
	struct json *o = json_new_object(), *list;
	double images;

	if (a == NULL) { /* the image alone */
		(void)json_set_null(o, "workload");
		(void)json_set(o, "image", advise_image_json(i));
		(void)json_set(o, "findings", advise_notes_json(&i->findings));
		return o;
	}
	list = json_new_array();
	images = i->in.images > 0 ? i->in.images : i->workload->images;
	(void)json_set_str(o, "workload", i->workload->name);
	(void)json_set(o, "slo", slo_json(i->workload, a));
	(void)json_set(o, "recommendation", recommendation_json(a));
	for (size_t k = 0; k < a->candidate_count; k++)
		(void)json_append(list, candidate_json(&a->candidate[k], images));
	(void)json_set(o, "candidates", list);
	(void)json_set_f64(o, "images", images);
	(void)json_set(o, "image", advise_image_json(i));
	(void)json_set(o, "findings", advise_notes_json(&i->findings));
	(void)json_set(o, "warnings", advise_notes_json(&a->warnings));
	(void)json_set(o, "assumed", advise_notes_json(&a->assumed));
	return o;
}
