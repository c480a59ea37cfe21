/* run_cache.c - what --write-cache means for a target. */
#include "cli/run.h"

#include "cli/seams.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/controller.h"
#include "probes/sysfs.h"

const char *const run_cache_words[] = { "auto", "both", "on", "off", "keep", NULL };

static int keep(struct run_target *rt, const char *why)
{
	rt->cache = PLAN_CACHE_KEEP;
	(void)snprintf(rt->cache_why, sizeof(rt->cache_why), "%.191s", why); /* may be cut */
	return 0;
}

/* @asked: keep, or the failure of somebody who wanted something else. */
static int cannot(const struct run_cfg *cfg, struct run_target *rt, enum err_kind kind, int code,
	const char *why, struct err *reterr)
{
	if (cfg->write_cache == RUN_CACHE_AUTO || cfg->write_cache == RUN_CACHE_KEEP)
		return keep(rt, why);
	return err_set(reterr, kind, code, "%s: --write-cache %s: %s; leave it out, or say keep",
		rt->target->given, run_cache_words[cfg->write_cache], why);
}

static int open_guard(const struct cli *cli, struct run_target *rt, struct err *why_not,
	struct err *reterr)
{
	const char *sysname = rt->target->sysname;
	char disk[SYSFS_NAME_MAX];
	struct devio io;

	if (sysfs_block_parent(&rt->root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a checked name: it fits */
	(void)seams_open_drive(cli, disk, &io, why_not); /* io says whether it is open */
	if (!io.ops)
		return 1;
	return cacheguard_open(&rt->root, disk, &io, why_not, &rt->guard, reterr);
}

static bool writes(const struct battery_row *r)
{
	return r->rw == RW_WRITE || r->rw == RW_RANDWRITE;
}

bool run_anything_writes(const struct run_cfg *cfg)
{
	const struct battery *b = cfg->battery ? battery_find(cfg->battery) :
		battery_default(TARGET_BLOCK);
	bool any = false;

	for (size_t i = 0; i < b->row_count && !any; i++) {
		bool wanted = cfg->rows.count == 0;

		for (size_t k = 0; k < cfg->rows.count && !wanted; k++)
			wanted = strcmp(cfg->rows.item[k], b->rows[i].key) == 0;
		any = wanted && writes(&b->rows[i]);
	}
	return any;
}

static int choose(const struct run_cfg *cfg, struct run_target *rt, struct err *reterr)
{
	static const enum plan_cache modes[] = {
		[RUN_CACHE_AUTO] = PLAN_CACHE_BOTH, [RUN_CACHE_BOTH] = PLAN_CACHE_BOTH,
		[RUN_CACHE_ON] = PLAN_CACHE_ON, [RUN_CACHE_OFF] = PLAN_CACHE_OFF,
		[RUN_CACHE_KEEP] = PLAN_CACHE_KEEP,
	};
	const struct wc_state *s = cacheguard_state(rt->guard);

	if (controller_is_raid(cacheguard_drive(rt->guard)))
		return cannot(cfg, rt, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"the cache of a virtual disk is its RAID controller's", reterr);
	/* Reads alone are not worth a change of the drive. */
	if (cfg->write_cache == RUN_CACHE_AUTO && !run_anything_writes(cfg))
		return keep(rt, "no row writes");
	if (cacheguard_can_toggle(rt->guard)) {
		rt->cache = modes[cfg->write_cache];
		return 0;
	}
	/* What has no volatile cache is as if it were off, and has no second state to measure. */
	if (s->drive == WC_DRIVE_NONE && cfg->write_cache != RUN_CACHE_ON)
		return keep(rt, s->why);
	return cannot(cfg, rt, ERR_UNSUPPORTED, -EOPNOTSUPP, s->why[0] ? s->why :
		"the state of the drive's write cache is unknown", reterr);
}

int run_cache_prepare(const struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct err *reterr)
{
	struct err why = ERR_INIT;
	int r;

	if (rt->target->kind != TARGET_BLOCK)
		return cannot(cfg, rt, ERR_USAGE, -EINVAL, rt->target->kind == TARGET_DIR ?
			"others use the drive below a directory ('ssdqual cache' sets it)" :
			"others use the drive below a file ('ssdqual cache' sets it)", reterr);
	r = open_guard(cli, rt, &why, reterr);
	if (r > 0)
		return cannot(cfg, rt, why.kind, why.code, why.msg, reterr);
	return r < 0 ? r : choose(cfg, rt, reterr);
}
