/* cmd_run.c - ssdqual run TARGET...: qualify drives, one result document each. */
#include "cli/run.h"

#include "cli/run_live.h"
#include "cli/seams.h"
#include "cli/stop.h"
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const struct opt opts[] = {
	{ .type = OPT_STRING, .short_name = 'b', .name = "battery", .arg = "NAME",
	  .off = offsetof(struct run_cfg, battery),
	  .help = "rows to run: ceph (default on devices), etcd (default in directories), "
		  "sync-size, pwl, quick" },
	{ .type = OPT_LIST, .name = "row", .arg = "KEY", .off = offsetof(struct run_cfg, rows),
	  .help = "only this row of the battery; may be given several times" },
	{ .type = OPT_DURATION, .name = "runtime", .arg = "TIME",
	  .off = offsetof(struct run_cfg, runtime_ns), .min = 1000000,
	  .max = 7 * 86400 * UINT64_C(1000000000),
	  .help = "time of each row instead of the battery's (ceph, etcd: 60s)" },
	{ .type = OPT_BYTES, .name = "size", .arg = "BYTES", .off = offsetof(struct run_cfg, size),
	  .min = 512, .help = "span to test: default all of a device, 1 GiB in a directory" },
	{ .type = OPT_BYTES, .name = "offset", .arg = "BYTES",
	  .off = offsetof(struct run_cfg, offset), .help = "where the span begins on a device" },
	{ .type = OPT_FLAG, .name = "fill", .off = offsetof(struct run_cfg, fill),
	  .help = "write the span first, at least twice the size of the drive's fast write cache" },
	{ .type = OPT_BYTES, .name = "slc-cache", .arg = "BYTES",
	  .off = offsetof(struct run_cfg, slc_bytes),
	  .help = "size of the fast write cache for --fill; assumed is a third of the capacity, "
		  "64 GiB at most" },
	{ .type = OPT_BYTES, .name = "rated-tbw", .arg = "BYTES",
	  .off = offsetof(struct run_cfg, rated_tbw), .min = 1,
	  .help = "rated endurance (\"600TB\"); default: the maker's, where it is known" },
	{ .type = OPT_FLAG, .short_name = 'n', .name = "dry-run",
	  .off = offsetof(struct run_cfg, dry_run), .help = "print the plan and end" },
	{ .type = OPT_FLAG, .name = "destroy-data", .off = offsetof(struct run_cfg, destroy_data),
	  .help = "allow a device or an existing file to be overwritten" },
	{ .type = OPT_LIST, .name = "confirm", .arg = "TOKEN",
	  .off = offsetof(struct run_cfg, confirm),
	  .help = "the target's serial number (SERIAL-part2 of a partition; by-id name or path "
		  "where it has none of its own); asked for on a terminal; once for each target" },
	{ .type = OPT_FLAG, .name = "wipe-signatures",
	  .off = offsetof(struct run_cfg, wipe_signatures),
	  .help = "run over signatures of file systems and partitions, erasing them first" },
	{ .type = OPT_FLAG, .name = "shared-lun", .off = offsetof(struct run_cfg, shared_lun),
	  .help = "no other host uses the drive, though it could (FC, iSCSI, NVMe over fabrics, "
		  "dual-ported SAS, RBD)" },
	{ .type = OPT_CHOICE, .name = "write-cache", .arg = "MODE",
	  .off = offsetof(struct run_cfg, write_cache), .choices = run_cache_words,
	  .help = "measure with the drive's write cache on and off in turn (both), in one state, or "
		  "as it is (keep); auto is both for a drive that has one, else keep" },
	{ .type = OPT_STRING, .short_name = 'o', .name = "output", .arg = "FILE",
	  .off = offsetof(struct run_cfg, output),
	  .help = "write the document to FILE, or into the folder FILE, instead of the store" },
	{ .type = OPT_FLAG, .name = "no-store", .off = offsetof(struct run_cfg, no_store),
	  .help = "keep no document: print it only" },
	{ .type = OPT_FLAG, .name = "zero-buffers", .off = offsetof(struct run_cfg, zero_buffers),
	  .help = "write zeros instead of incompressible data; such a run yields no verdict" },
	{ .type = OPT_U64, .name = "randseed", .arg = "N",
	  .off = offsetof(struct run_cfg, randseed), .min = 1,
	  .help = "seed of offsets and data; default: a new one, which is recorded" },
	{ .type = OPT_STRING, .name = "controller", .arg = "FILE",
	  .off = offsetof(struct run_cfg, controller),
	  .help = "what storcli, perccli or ssacli say of a RAID virtual disk, as JSON" },
	{ .type = OPT_BYTES, .name = "bs", .arg = "BYTES", .off = offsetof(struct run_cfg, bs),
	  .min = 1, .max = 64 << 20, .hidden = true, .help = "block size of all rows" },
	{ .type = OPT_U64, .name = "rate-iops", .arg = "N",
	  .off = offsetof(struct run_cfg, rate_iops), .min = 1, .max = 100000000, .hidden = true,
	  .help = "pace all rows at N I/Os a second" },
	{ .type = OPT_FLAG, .name = "live", .off = offsetof(struct run_cfg, live),
	  .help = "show the run on the whole terminal: IOPS and latencies by the second" },
	{ .type = OPT_U64, .name = "progress-fd", .arg = "N",
	  .off = offsetof(struct run_cfg, progress_fd), .min = 3, .max = 1023, .hidden = true,
	  .help = "write progress to this open descriptor, one JSON object a line" },
	RBD_CFG_OPTS(struct run_cfg),
	OPT_END
};

static const struct run_cfg defaults = { .slc_bytes = PLAN_SLC_ASSUMED,
	.rbd = RBD_CFG_DEFAULTS };

static int check_battery(const struct run_cfg *cfg, struct err *reterr)
{
	char known[256] = "";

	if (!cfg->battery || battery_find(cfg->battery))
		return 0;
	for (size_t i = 0; battery_table[i]; i++) {
		size_t used = strlen(known);

		(void)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
			battery_table[i]->name);
	}
	return err_set(reterr, ERR_USAGE, -EINVAL, "--battery %s: not known; there are %s",
		cfg->battery, known);
}

struct run_all {
	struct run_target *targets;
	size_t count;      /* of operands */
	size_t prepared;
	struct json *docs; /* --json: what has been measured so far */
	struct err first;  /* the first target that failed */
	int status;        /* of the verdicts */
};

static uint64_t make_seed(const struct run_cfg *cfg)
{
	uint64_t seed = cfg->randseed;

	/* JSON keeps integers below 2^52 as numbers; a seed needs no more. */
	if (!seed && getrandom(&seed, sizeof(seed), 0) == (ssize_t)sizeof(seed))
		seed = seed >> 20 | 1;
	return seed;
}

static int prepare_all(struct cli *cli, const struct run_cfg *cfg, char **argv,
	struct run_all *all, struct err *reterr)
{
	uint64_t seed = make_seed(cfg);

	for (size_t i = 0; i < all->count; i++) {
		int r = run_prepare(cli, cfg, argv[i], seed, &all->targets[i], reterr);

		if (r < 0)
			return r;
		all->prepared++;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(all->targets[k].target->path, all->targets[i].target->path))
				return err_set(reterr, ERR_USAGE, -EINVAL,
					"%s and %s are the same target; name it once",
					argv[k], argv[i]);
	}
	return 0;
}

/* -- what ends before anything is measured -------------------------------------------------- */

static int emit(struct cli *cli, const char *key, struct json *items, struct err *reterr)
{
	struct json *doc = json_new_object();

	if (json_set(doc, key, items) < 0) {
		json_free(doc);
		doc = NULL;
	}
	return cli_emit_json(cli, doc, reterr);
}

static int sysroot_all(struct cli *cli, const struct run_cfg *cfg, struct run_all *all,
	struct err *reterr)
{
	struct json *items = json_new_array();
	int r;

	for (size_t i = 0; i < all->count; i++) {
		const struct target *t = all->targets[i].target;
		struct json *item = json_new_object();

		r = run_decide(cfg, &all->targets[i], reterr);
		if (r < 0) {
			json_free(item);
			json_free(items);
			return r;
		}
		(void)json_set_str(item, "target", t->given);
		(void)json_set_str(item, "decision", "would run");
		(void)json_append(items, item);
		if (!cli->json)
			fprintf(cli->out, "%s: would run\n", t->given);
	}
	if (!cli->json) {
		json_free(items);
		return EXIT_DONE;
	}
	r = emit(cli, "targets", items, reterr);
	return r < 0 ? r : EXIT_DONE;
}

static int dry_run_all(struct cli *cli, const struct run_cfg *cfg, struct run_all *all,
	struct err *reterr)
{
	struct json *plans = json_new_array();
	int status = EXIT_DONE, r = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (run_would_refuse(cfg, &all->targets[i], NULL) < 0)
			status = EXIT_REFUSED;
		if (cli->json)
			(void)json_append(plans, run_plan_json(&all->targets[i], cfg));
		else
			run_print_plan(cli->out, &all->targets[i], cfg);
	}
	if (cli->json)
		r = emit(cli, "plans", plans, reterr);
	else
		json_free(plans);
	return r < 0 ? r : status;
}

/* -- measuring ------------------------------------------------------------------------------ */

/* What was measured is kept and shown also where the run ended early: @code is how it ended. */
static int finish_one(struct cli *cli, const struct run_cfg *cfg, struct run_all *all,
	struct result *res, struct err *reterr)
{
	char *path = NULL;
	int r = run_judge(res, &all->status, reterr);

	if (r < 0)
		return r;
	if (cli->json)
		r = json_append(all->docs, result_to_json(res)) < 0 ? err_nomem(reterr) : 0;
	else if (res->measurement_count)
		r = run_print_table(cli, res, reterr);
	if (r == 0)
		r = run_save(cfg, res, &path, reterr);
	if (r == 0 && path && !cli->json)
		fprintf(cli->out, "saved: %s\n", path);
	free(path);
	return r;
}

static int run_one(struct cli *cli, const struct run_cfg *cfg, struct run_all *all, size_t i,
	struct err *reterr)
{
	struct result *res = NULL;
	struct err later = ERR_INIT;
	int r, saved = 0;

	if (!cli->json && all->count > 1)
		fprintf(cli->out, "%s%s\n", i ? "\n" : "", all->targets[i].target->given);
	r = run_execute(cli, cfg, &all->targets[i], &res, reterr);
	/* A session that failed before it measured anything has nothing to say but its error. */
	if (res && (r == 0 || r == -EINTR || res->measurement_count))
		saved = finish_one(cli, cfg, all, res, r < 0 ? &later : reterr);
	if (r < 0 && saved < 0)
		term_warn(cli, "%s", later.msg);
	result_free(res);
	return r < 0 ? r : saved;
}

static int emit_results(struct cli *cli, struct run_all *all, struct err *reterr)
{
	struct json *docs = all->docs;

	all->docs = NULL;
	if (all->count > 1)
		return emit(cli, "results", docs, reterr);
	if (!json_len(docs)) { /* the error will be the document */
		json_free(docs);
		return 0;
	}
	{
		struct json *only = json_copy(json_first(docs));

		json_free(docs);
		return cli_emit_json(cli, only, reterr);
	}
}

static int measure_all(struct cli *cli, const struct run_cfg *cfg, struct run_all *all,
	struct err *reterr)
{
	int r = 0;

	for (size_t i = 0; i < all->count && !atomic_load(stop_flag()); i++) {
		struct err e = ERR_INIT;

		if (run_one(cli, cfg, all, i, &e) == 0)
			continue;
		if (!all->first.code)
			all->first = e;
		else
			term_warn(cli, "%s", e.msg);
	}
	if (cli->json)
		r = emit_results(cli, all, reterr);
	if (all->first.code) {
		if (reterr)
			*reterr = all->first;
		return all->first.code;
	}
	return r < 0 ? r : all->status;
}

static int run_targets(struct cli *cli, const struct run_cfg *cfg, char **argv,
	struct run_all *all, struct err *reterr)
{
	int r = prepare_all(cli, cfg, argv, all, reterr);

	if (r < 0)
		return r;
	if (seams_captured(cli))
		return sysroot_all(cli, cfg, all, reterr);
	if (cfg->dry_run)
		return dry_run_all(cli, cfg, all, reterr);
	r = run_check_output(cfg, all->count, reterr);
	for (size_t i = 0; i < all->count && r == 0; i++)
		r = run_consent(cli, cfg, &all->targets[i], reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; i < all->count && cli->progress; i++)
		if (!all->targets[i].plan_shown)
			run_print_plan(cli->err, &all->targets[i], cfg);
	return measure_all(cli, cfg, all, reterr);
}

static bool names_image(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (rbd_spec_is(argv[i]))
			return true;
	return false;
}

static int run(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	struct run_all all = { .count = (size_t)argc };
	int r;

	if (argc < 1)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"which target? a block device, a directory, a file, or rbd:POOL/IMAGE");
	if (((const struct run_cfg *)cfg)->live) {
		if (names_image(argc, argv))
			return err_set(reterr, ERR_USAGE, -EINVAL,
				"--live is not for images; their progress is one line");
		r = run_live_check(cli, reterr);
		if (r < 0)
			return r;
	}
	if (names_image(argc, argv))
		return run_rbd(cli, cfg, all.count, argv, make_seed(cfg), reterr);
	r = check_battery(cfg, reterr);
	if (r < 0)
		return r;
	all.targets = calloc(all.count, sizeof(*all.targets));
	all.docs = json_new_array();
	if (all.targets && all.docs)
		r = run_targets(cli, cfg, argv, &all, reterr);
	else
		r = err_nomem(reterr);
	for (size_t i = 0; i < all.prepared; i++)
		run_target_done(&all.targets[i]);
	free(all.targets);
	json_free(all.docs);
	return r;
}

extern const struct command cmd_run;
const struct command cmd_run = {
	.name = "run",
	.summary = "Qualify drives: run a battery on devices, directories or files",
	.operands = "TARGET...",
	.opts = opts,
	.cfg_size = sizeof(struct run_cfg),
	.cfg_defaults = &defaults,
	.run = run,
	.details =
		"A directory is tested in scratch files without a name, which vanish whatever ends "
		"the program. A block device or an existing file is overwritten: that needs "
		"--destroy-data and its serial number, and is refused while anything uses it. Rows that "
		"only read (battery rotation, the randread rows) open a device read-only: they need "
		"neither, and the device may be in use.\n\n"
		"All targets are checked before the first is touched; they run one after the "
		"other, with one document each. With --json the document of a single target is "
		"printed as it is, those of several as {\"results\": [...]}; a dry run "
		"prints {\"plans\": "
		"[...]}.\n\n"
		"Ctrl-C keeps what was measured: the document says so in settings.ended, and the "
		"exit status is 130.\n\n"
		"An image, rbd:POOL/IMAGE, is measured on a scratch image beside it, which is removed "
		"on every way out; of the image itself only the header is read (rbd:POOL: no image). "
		"It is for `advise --backend` and `verify`. The run is refused unless the cluster is "
		"HEALTH_OK (--force), and stops when the cluster's latency doubles. --destroy-data "
		"--confirm POOL/IMAGE overwrites the image's start instead.\n\n"
		"The exit status is 1 where a role that the battery is for fails (ceph, quick: "
		"osd-data and wal-db, class F included; etcd, quick: etcd; pwl: pwl), 5 where "
		"osd-data, wal-db or etcd is unknown. Of a volume only etcd counts.",
	.examples =
		"ssdqual run /var/lib/etcd\n"
		"ssdqual run --dry-run /dev/disk/by-id/ata-MODEL_SERIAL\n"
		"ssdqual run --destroy-data --confirm SERIAL --fill "
		"/dev/disk/by-id/ata-MODEL_SERIAL\n"
		"ssdqual run --battery quick --json --no-store /srv > result.json\n",
};
