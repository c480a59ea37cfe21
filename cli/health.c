/* health.c - a drive's health, asked, and what follows from it. */
#include "cli/health.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/seams.h"
#include "policies/endurance.h"
#include "probes/smart.h"

/* -- reading ----------------------------------------------------------------------------------- */

/* A disk or its partition is asked itself; a stack or a folder the one drive below. */
static const struct json *drive_of(const struct json *identity, struct err *reterr)
{
	const struct json *below = json_get(identity, "below");

	if (json_len(below) > 1) {
		(void)err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP, "it is made of %zu drives, whose "
			"health is not added up; `ssdqual list --health` has each", json_len(below));
		return NULL;
	}
	return json_len(below) == 1 ? json_first(below) : identity;
}

int health_read(const struct cli *cli, const struct json *identity, struct smart_health *ret,
	struct err *reterr)
{
	const struct json *drive = drive_of(identity, reterr);
	char name[SYSFS_NAME_MAX];
	struct sysroot root;
	int r;

	if (!drive)
		return -EOPNOTSUPP;
	r = seams_root(cli, &root, reterr);
	if (r < 0)
		return r;
	if (!seams_kernel_name(drive, name))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"no drive is known below it that could be asked");
	return smart_read(&root, name, ret, reterr);
}

int health_note(const struct cli *cli, const struct json *identity, struct result *r,
	const char *when, struct err *reterr)
{
	struct json *smart = result_section(r, "smart");
	struct smart_health h;
	struct err why = ERR_INIT;
	int bad;

	if (health_read(cli, identity, &h, &why) == 0)
		bad = json_set(smart, when, smart_to_json(&h));
	else
		bad = json_set_null(smart, when) | json_set_str(smart, "unread", why.msg);
	return bad ? err_nomem(reterr) : 0;
}

/* -- what follows ------------------------------------------------------------------------------ */

int health_rated(const struct json *identity, struct rated *ret, struct err *reterr)
{
	const struct json *drive = drive_of(identity, NULL);
	uint64_t capacity = 0;

	(void)json_u64(json_get(drive, "capacity_bytes"), &capacity); /* unknown: 0 */
	return rated_find(json_str(json_get(drive, "model")), capacity, ret, reterr);
}

static double number(const struct json *j, const char *dotted)
{
	double v = NAN;

	(void)json_f64(json_path(j, dotted), &v);
	return v;
}

/* By the run's own count: what its writing rows and its fill wrote. */
static double written_by_run(const struct result *r)
{
	uint64_t fill = 0;
	double sum = 0;

	for (size_t i = 0; i < r->measurement_count; i++) {
		const struct measurement *m = r->measurements[i];
		const char *rw = json_str(json_get(m->params, "rw"));

		if (m->source == SOURCE_MEASURED && rw && strstr(rw, "write"))
			sum += (double)m->bytes;
	}
	if (json_u64(json_path(r->doc, "settings.fill_bytes"), &fill))
		sum += (double)fill;
	return sum;
}

static int set_rating(struct json *o, const struct result *r, struct endurance_stated *s,
	struct err *reterr)
{
	struct rated rated;
	uint64_t stated;
	int bad = 0, rc = health_rated(json_get(r->doc, "target"), &rated, reterr);

	if (rc < 0)
		return rc;
	s->rated_bytes = rated.tbw_bytes;
	if (json_u64(json_path(r->doc, "settings.rated_tbw_bytes"), &stated)) {
		s->rated_bytes = (double)stated;
		(void)snprintf(rated.source, sizeof(rated.source), "stated with --rated-tbw");
		rated.dwpd = rated.years = NAN;
	}
	bad |= json_set_f64(o, "rated_bytes", s->rated_bytes);
	bad |= json_set_f64(o, "rated_dwpd", rated.dwpd);
	bad |= json_set_f64(o, "rated_years", rated.years);
	bad |= json_set_str(o, "rated_source", rated.source[0] ? rated.source : NULL);
	return bad ? err_nomem(reterr) : 0;
}

static int set_state(struct json *o, const struct endurance *e, const struct endurance_stated *s)
{
	int bad = 0;

	bad |= json_set_f64(o, "percent_used", e->percent_used);
	bad |= json_set_f64(o, "percent_remaining", e->percent_remaining);
	bad |= json_set_f64(o, "written_bytes", e->written_bytes);
	bad |= json_set_f64(o, "rated_share", e->rated_share);
	bad |= json_set_f64(o, "mean_per_day_bytes", e->mean_per_day_bytes);
	bad |= json_set_f64(o, "writes_per_day_bytes", s->writes_per_day_bytes);
	bad |= json_set_f64(o, "years_by_rating", e->years_by_rating);
	bad |= json_set_f64(o, "years_by_wear", e->years_by_wear);
	return bad | json_set_f64(o, "years_left", e->years_left);
}

static int set_delta(struct json *o, const char *key, const struct endurance_delta *d)
{
	struct json *j = json_new_object();
	int bad = 0;

	bad |= json_set_f64(j, "bytes", d->bytes);
	bad |= json_set_f64(j, "error_bytes", d->error_bytes);
	bad |= json_set_str(j, "why", d->known ? NULL : d->why);
	return bad | json_set(o, key, j);
}

static int set_cost(struct json *o, const struct result *r, const struct endurance_stated *s,
	struct notes *findings)
{
	const struct json *before = json_path(r->doc, "smart.before");
	const struct json *after = json_path(r->doc, "smart.after");
	struct smart_health a, b;
	struct endurance_cost c;
	double written = written_by_run(r);
	struct json *run;
	int bad = 0;

	if (json_is_null(before) || json_is_null(after))
		return json_set_null(o, "run");
	smart_from_json(before, &a);
	smart_from_json(after, &b);
	endurance_cost(&a, &b, written, s->rated_bytes, &c, findings);
	run = json_new_object();
	bad |= json_set_f64(run, "written_bytes", written);
	bad |= set_delta(run, "host", &c.host);
	bad |= set_delta(run, "nand", &c.nand);
	bad |= json_set_f64(run, "write_amplification", c.write_amplification);
	bad |= json_set_f64(run, "rated_share", c.rated_share);
	bad |= json_set_f64(run, "wear_percent", c.wear_percent);
	return bad | json_set(o, "run", run);
}

int health_judge(struct result *r, uint64_t per_day_bytes, struct notes *findings,
	struct err *reterr)
{
	const struct json *after = json_path(r->doc, "smart.after");
	const struct json *latest = json_is_null(after) ? json_path(r->doc, "smart.before") : after;
	struct endurance_stated s = { .rated_bytes = NAN, .writes_per_day_bytes = NAN };
	struct json *o;
	struct smart_health h;
	struct endurance e;
	int rc;

	if (json_is_null(latest))
		return 0;
	s.writes_per_day_bytes = per_day_bytes ? (double)per_day_bytes :
		number(r->doc, "endurance.writes_per_day_bytes");
	o = json_new_object();
	rc = o ? set_rating(o, r, &s, reterr) : err_nomem(reterr);
	if (rc < 0) {
		json_free(o);
		return rc;
	}
	smart_from_json(latest, &h);
	endurance_judge(&h, &s, &e);
	if (set_state(o, &e, &s) | set_cost(o, r, &s, findings)) {
		json_free(o);
		return err_nomem(reterr);
	}
	return json_set(r->doc, "endurance", o) < 0 ? err_nomem(reterr) : 0;
}
