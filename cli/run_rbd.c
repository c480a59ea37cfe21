/* run_rbd.c - ssdqual run rbd:POOL/IMAGE: measure a cluster as a model of its caches needs it. */
#include "cli/run.h"

#include "cli/seams.h"
#include "cli/stop.h"
#include "cli/term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

/* Options of drives say nothing of an image: better refused than passed over. */
static int check_options(const struct cli *cli, const struct run_cfg *cfg, struct err *reterr)
{
	const char *option = cfg->fill ? "--fill" : cfg->offset ? "--offset" :
		cfg->wipe_signatures ? "--wipe-signatures" : cfg->shared_lun ? "--shared-lun" :
		cfg->zero_buffers ? "--zero-buffers" : cfg->controller ? "--controller" :
		cfg->write_cache != RUN_CACHE_AUTO ? "--write-cache" :
		cfg->bs || cfg->rate_iops ? "--bs, --rate-iops" : NULL;

	if (option)
		return err_set(reterr, ERR_USAGE, -EINVAL, "%s: not for images (rbd:...)", option);
	if (cfg->battery && strcmp(cfg->battery, "rbd") != 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--battery %s: not for images, which "
			"have the battery rbd", cfg->battery);
	if (seams_captured(cli))
		return err_set(reterr, ERR_USAGE, -EINVAL, "an image is reached through the "
			"network: --sysroot and --replay have none");
	return 0;
}

static void make_run(const struct run_cfg *cfg, uint64_t seed, struct rbd_run *ret)
{
	*ret = (struct rbd_run){ .impact = &rbd_impacts[cfg->rbd.impact],
		.runtime_ns = cfg->runtime_ns, .span_bytes = cfg->size, .randseed = seed,
		.latency_stop = cfg->rbd.latency_stop, .existing = cfg->destroy_data,
		.rows = cfg->rows.item, .row_count = cfg->rows.count };
}

/* -- the plan ------------------------------------------------------------------------------- */

static double plan_seconds(const struct rbd_run *run)
{
	double s = 0;

	for (size_t i = 0; i < RBD_ROW_COUNT; i++)
		if (rbd_run_wants(run, &rbd_rows[i]))
			s += (double)rbd_run_row_ns(run) / 1e9;
	return s;
}

static void print_plan(FILE *f, const struct rbd_run *run, const struct rbd_site *site,
	const char *refused)
{
	char name[3 * RBD_WORD_MAX], a[UNITS_BUF], b[UNITS_BUF];

	rbd_spec_text(&site->spec, run->existing ? site->spec.image : "", name, sizeof(name));
	fprintf(f, "plan for %s, battery rbd, impact %s\n", name, run->impact->name);
	fprintf(f, "  target:   %s of %s\n",
		units_format_bytes(a, sizeof(a), (double)rbd_run_span(run)), run->existing ?
		"the image's start is overwritten, at most" : "a scratch image, removed afterwards,");
	for (size_t i = 0; i < RBD_ROW_COUNT; i++)
		if (rbd_run_wants(run, &rbd_rows[i]))
			fprintf(f, "  %-19s %-26s %10s\n", rbd_rows[i].key, rbd_rows[i].label,
				units_format_span(a, sizeof(a), (double)rbd_run_row_ns(run) / 1e9));
	fprintf(f, "  time:     at most %s for the rows\n",
		units_format_span(a, sizeof(a), plan_seconds(run)));
	fprintf(f, "  writes:   at most %s, before replication; %u in flight at most\n",
		units_format_bytes(b, sizeof(b), (double)run->impact->write_bytes),
		run->impact->depth);
	if (run->latency_stop > 0)
		fprintf(f, "  stops:    when a read beside the load takes %.3g x what it took before\n",
			run->latency_stop);
	if (refused)
		fprintf(f, "  refused:  %s\n", refused);
}

static struct json *plan_json(const struct rbd_run *run, const struct rbd_site *site,
	const char *refused)
{
	struct json *j = json_new_object(), *plan = json_new_object(), *rows = json_new_array();
	char name[3 * RBD_WORD_MAX];
	int r = 0;

	for (size_t i = 0; i < RBD_ROW_COUNT; i++)
		if (rbd_run_wants(run, &rbd_rows[i]))
			r |= json_append(rows, json_new_str(rbd_rows[i].key));
	r |= json_set_str(plan, "battery", "rbd");
	r |= json_set(plan, "rows", rows);
	r |= json_set_str(plan, "impact", run->impact->name);
	r |= json_set_u64(plan, "size", rbd_run_span(run));
	r |= json_set_f64(plan, "seconds", plan_seconds(run));
	r |= json_set_u64(plan, "write_bytes", run->impact->write_bytes);
	r |= json_set_u64(plan, "iodepth", run->impact->depth);
	r |= json_set_bool(plan, "scratch", !run->existing);
	r |= json_set_str(j, "target", rbd_spec_text(&site->spec, site->spec.image, name,
		sizeof(name)));
	r |= json_set(j, "plan", plan);
	r |= json_set_str(j, "refused", refused);
	r |= json_set(j, "cluster", json_copy(site->cluster));
	if (r == 0)
		return j;
	json_free(j);
	return NULL;
}

/* -- one image ------------------------------------------------------------------------------ */

struct run_images {
	struct cli *cli;
	const struct run_cfg *cfg;
	struct rbd_run run;
	struct json *docs; /* --json: plans or results */
	int status;
};

static int dry_run(struct run_images *all, const struct rbd_site *site)
{
	struct err why = ERR_INIT;
	int r = rbd_site_decide(site, all->cfg->rbd.force, all->run.existing, &why);

	if (r < 0)
		all->status = EXIT_REFUSED;
	if (all->cli->json)
		return json_append(all->docs, plan_json(&all->run, site, r < 0 ? why.msg : NULL));
	print_plan(all->cli->out, &all->run, site, r < 0 ? why.msg : NULL);
	return 0;
}

static int finish(struct run_images *all, struct result *res, struct err *reterr)
{
	char *path = NULL;
	int r = 0;

	if (all->cli->json)
		r = json_append(all->docs, result_to_json(res)) < 0 ? err_nomem(reterr) : 0;
	else
		r = run_print_table(all->cli, res, reterr);
	if (r == 0)
		r = run_save(all->cfg, res, &path, reterr);
	if (r == 0 && path && !all->cli->json)
		fprintf(all->cli->out, "saved: %s\n", path);
	free(path);
	return r;
}

static int measure(struct run_images *all, const struct rbd_site *site, struct err *reterr)
{
	struct rbd_progress progress;
	struct rbd_watch watch;
	struct result *res;
	struct err later = ERR_INIT;
	int r = stop_begin(reterr), saved = 0;

	if (r < 0)
		return r;
	res = result_new();
	if (!res)
		return err_nomem(reterr);
	rbd_cfg_progress(&progress, all->cli, &watch);
	r = run_tool_section(all->cli, res, reterr);
	if (r == 0)
		r = rbd_session_run(site, &all->run, &watch, res, reterr);
	term_status_done(all->cli);
	if (r == 0 || r == -EINTR || res->measurement_count)
		saved = finish(all, res, r < 0 ? &later : reterr);
	if (r < 0 && saved < 0)
		term_warn(all->cli, "%s", later.msg);
	result_free(res);
	return r < 0 ? r : saved;
}

static int one_image(struct run_images *all, const char *arg, struct err *reterr)
{
	struct rbd_site site;
	int r = rbd_cfg_open(&all->cfg->rbd, arg, &site, reterr);

	if (r < 0)
		return r;
	if (all->cfg->dry_run) {
		r = dry_run(all, &site) < 0 ? err_nomem(reterr) : 0;
	} else {
		r = rbd_site_decide(&site, all->cfg->rbd.force, all->run.existing, reterr);
		if (r == 0 && all->run.existing)
			r = rbd_cfg_consent(all->cli, &site, &all->cfg->confirm, reterr);
		if (r == 0 && all->cli->progress)
			print_plan(all->cli->err, &all->run, &site, NULL);
		if (r == 0)
			r = measure(all, &site, reterr);
	}
	rbd_site_close(&site);
	return r;
}

static int emit(struct run_images *all, size_t targets, struct err *reterr)
{
	const char *key = all->cfg->dry_run ? "plans" : "results";
	struct json *doc = NULL, *docs = all->docs;

	all->docs = NULL;
	if (!json_len(docs)) { /* the error will be the document */
		json_free(docs);
		return 0;
	}
	if (targets == 1 && !all->cfg->dry_run) {
		doc = json_copy(json_first(docs));
		json_free(docs);
	} else {
		doc = json_new_object();
		if (json_set(doc, key, docs) < 0) {
			json_free(doc);
			doc = NULL;
		}
	}
	return cli_emit_json(all->cli, doc, reterr);
}

int run_rbd(struct cli *cli, const struct run_cfg *cfg, size_t count, char **argv, uint64_t seed,
	struct err *reterr)
{
	struct run_images all = { .cli = cli, .cfg = cfg };
	struct err first = ERR_INIT;
	int r = check_options(cli, cfg, reterr), code = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		if (!rbd_spec_is(argv[i]))
			r = err_set(reterr, ERR_USAGE, -EINVAL, "%s: images and other targets are "
				"measured in runs of their own", argv[i]);
	make_run(cfg, seed, &all.run);
	if (r == 0)
		r = rbd_run_check(&all.run, reterr);
	if (r == 0)
		r = run_check_output(cfg, count, reterr);
	if (r < 0)
		return r;
	all.docs = json_new_array();
	for (size_t i = 0; i < count && !atomic_load(stop_flag()); i++) {
		struct err e = ERR_INIT;

		code = one_image(&all, argv[i], &e);
		if (code < 0 && !first.code)
			first = e;
		else if (code < 0)
			term_warn(cli, "%s", e.msg);
	}
	if (cli->json)
		r = emit(&all, count, reterr);
	json_free(all.docs);
	if (first.code) {
		if (reterr)
			*reterr = first;
		return first.code;
	}
	return r < 0 ? r : all.status;
}
