/* run_target.c - what can be known of a target before it is opened, and whether it may be
 * written. */
#include "cli/run.h"

#include "cli/health.h"
#include "cli/seams.h"
#include "cli/term.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- deciding ------------------------------------------------------------------------------- */

/* With several targets --confirm is given once for each: the one that is meant for this. */
static const char *given_token(const struct run_cfg *cfg, const struct target *t)
{
	const char *token = safety_token(t);

	for (size_t i = 0; i < cfg->confirm.count; i++)
		if (token && !strcmp(cfg->confirm.item[i], token))
			return cfg->confirm.item[i];
	return cfg->confirm.count ? cfg->confirm.item[0] : NULL;
}

bool run_reads_only(const struct run_cfg *cfg, const struct target *t)
{
	return t->kind == TARGET_BLOCK && !cfg->fill && !cfg->wipe_signatures &&
		(cfg->write_cache == RUN_CACHE_AUTO || cfg->write_cache == RUN_CACHE_KEEP) &&
		!run_anything_writes(cfg);
}

static int decide(const struct run_cfg *cfg, const struct run_target *rt, const char *token,
	struct err *reterr)
{
	struct safety_consent consent = { .destroy_data = cfg->destroy_data,
		.wipe_signatures = cfg->wipe_signatures, .confirm = token,
		.shared_lun = cfg->shared_lun };

	if (run_reads_only(cfg, rt->target))
		return 0;
	return safety_decide(rt->target, &rt->safety, &consent, reterr);
}

int run_decide(const struct run_cfg *cfg, const struct run_target *rt, struct err *reterr)
{
	return decide(cfg, rt, given_token(cfg, rt->target), reterr);
}

int run_would_refuse(const struct run_cfg *cfg, const struct run_target *rt, struct err *reterr)
{
	struct safety_consent all = { .destroy_data = true,
		.wipe_signatures = cfg->wipe_signatures, .confirm = safety_token(rt->target),
		.shared_lun = cfg->shared_lun };

	if (run_reads_only(cfg, rt->target))
		return 0;
	return safety_decide(rt->target, &rt->safety, &all, reterr);
}

int run_recheck(const struct run_cfg *cfg, struct run_target *rt, struct err *reterr)
{
	static const struct sysroot machine = { .prefix = "" };
	struct safety_report now;
	int r = safety_inspect(&machine, rt->target, &now, reterr);

	if (r < 0)
		return r;
	safety_report_done(&rt->safety);
	rt->safety = now;
	/* Consent was given before, perhaps by a person. */
	return run_would_refuse(cfg, rt, reterr);
}

/* Only the confirmation is missing, and there is a person to type it. */
static bool can_ask(const struct cli *cli, const struct run_cfg *cfg, const struct target *t)
{
	return t->kind != TARGET_DIR && cfg->destroy_data && !cfg->confirm.count && cli->in_tty &&
		cli->err_tty && !cli->json && !seams_captured(cli);
}

/* -- what can be known beforehand ----------------------------------------------------------- */

static int plan_target(const struct run_cfg *cfg, uint64_t randseed, struct run_target *rt,
	struct err *reterr)
{
	struct plan_options o = { .rows = cfg->rows.item, .row_count = cfg->rows.count,
		.runtime_ns = cfg->runtime_ns, .offset = cfg->offset, .size = cfg->size,
		.fill = cfg->fill, .slc_bytes = cfg->slc_bytes, .zero_buffers = cfg->zero_buffers,
		.randseed = randseed,
		.rated_tbw_bytes = NAN,
		.write_cache = rt->cache, .bs = (uint32_t)cfg->bs,
		.rate_iops = (uint32_t)cfg->rate_iops };
	int r = health_rated(rt->target->identity, &rt->rated, reterr);

	if (r < 0)
		return r;
	if (cfg->rated_tbw) {
		rt->rated = (struct rated){ .tbw_bytes = (double)cfg->rated_tbw, .dwpd = NAN,
			.years = NAN, .source = "stated with --rated-tbw" };
	}
	o.rated_tbw_bytes = rt->rated.tbw_bytes;
	if (cfg->battery)
		o.battery = battery_find(cfg->battery); /* checked by cmd_run.c */
	r = plan_make(rt->target, &o, &rt->plan, reterr);
	rt->planned = r == 0;
	return r;
}

/* What no later answer can change is said before any mistake in the other options. Of a dry run
 * it is part of the plan. */
static int refuse_early(const struct cli *cli, const struct run_cfg *cfg,
	const struct run_target *rt, struct err *reterr)
{
	if (cfg->dry_run)
		return 0;
	return can_ask(cli, cfg, rt->target) ? run_would_refuse(cfg, rt, reterr) :
					       run_decide(cfg, rt, reterr);
}

/* The drive's own word on what it is, the controller's file, and who uses it. */
static int complete_identity(const struct cli *cli, const struct run_cfg *cfg,
	struct run_target *rt, struct err *reterr)
{
	struct controller_file *controllers = NULL;
	int r = 0;

	if (cfg->controller)
		r = controller_load(cfg->controller, &controllers, reterr);
	if (r == 0)
		r = seams_ask(cli, controllers, rt->target->identity, reterr);
	/* The serial number may be another than sysfs has; what people are shown is what they type. */
	if (r == 0 && rt->target->kind == TARGET_BLOCK)
		r = target_make_token(&rt->root, rt->target, reterr);
	controller_free(controllers);
	/* Of a folder nothing is looked at but the folder: null stays "not looked at". */
	if (r == 0 && rt->target->kind == TARGET_BLOCK &&
		json_set(rt->target->identity, "in_use", safety_to_json(&rt->safety)) < 0)
		r = err_nomem(reterr);
	return r;
}

int run_prepare(const struct cli *cli, const struct run_cfg *cfg, const char *arg,
	uint64_t randseed, struct run_target *ret, struct err *reterr)
{
	struct run_target *rt = ret; /* in place: the guard keeps the address of rt->root */
	int r;

	*rt = (struct run_target){ .target = NULL };
	r = seams_root(cli, &rt->root, reterr);
	if (r < 0)
		return r;
	r = target_resolve(&rt->root, arg, &rt->target, reterr);
	if (r == 0)
		r = target_ask(&rt->root, rt->target, reterr);
	if (r == 0)
		r = safety_inspect(&rt->root, rt->target, &rt->safety, reterr);
	if (r == 0)
		r = complete_identity(cli, cfg, rt, reterr);
	if (r == 0)
		r = refuse_early(cli, cfg, rt, reterr);
	/* A captured tree has no device to plan for: its command ends with the decision. */
	if (r == 0 && !seams_captured(cli))
		r = run_cache_prepare(cli, cfg, rt, reterr);
	if (r == 0 && !seams_captured(cli))
		r = plan_target(cfg, randseed, rt, reterr);
	if (r < 0)
		run_target_done(rt);
	return r < 0 ? r : 0;
}

void run_target_done(struct run_target *rt)
{
	if (rt->planned)
		plan_done(&rt->plan);
	rt->planned = false;
	cacheguard_free(rt->guard);
	rt->guard = NULL;
	safety_report_done(&rt->safety);
	target_free(rt->target);
	rt->target = NULL;
}

/* -- asking --------------------------------------------------------------------------------- */

static int ask(struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct err *reterr)
{
	char line[512];

	run_print_plan(cli->err, rt, cfg);
	rt->plan_shown = true;
	fprintf(cli->err, "\nEverything on %s will be overwritten.\nType %s to go on: ",
		rt->target->given, safety_token(rt->target));
	(void)fflush(cli->err);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return decide(cfg, rt, line, reterr);
}

int run_consent(struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct err *reterr)
{
	if (can_ask(cli, cfg, rt->target) && run_would_refuse(cfg, rt, NULL) == 0)
		return ask(cli, cfg, rt, reterr);
	return run_decide(cfg, rt, reterr);
}
