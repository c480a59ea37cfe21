/* cmd_verify.c - ssdqual verify rbd:POOL/IMAGE: the predictions held against the image. */
#include "cli/verify.h"

#include "cli/run.h"
#include "cli/seams.h"
#include "cli/stop.h"
#include "cli/term.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char *const plp_words[] = { "unknown", "yes", "no", NULL };

static const struct opt opts[] = {
	{ .type = OPT_STRING, .short_name = 'w', .name = "workload", .arg = "NAME|FILE",
	  .off = offsetof(struct verify_cfg, advise.workload),
	  .help = "the load that is run and predicted; names: ssdqual workload list" },
	{ .type = OPT_STRING, .name = "candidates", .arg = "LIST",
	  .off = offsetof(struct verify_cfg, candidates),
	  .help = "settings that are tried, joined by commas, out of current, none, writethrough, "
		  "writeback, writearound, pwl-ssd; default: the present and the recommended ones" },
	{ .type = OPT_U64, .name = "rounds", .arg = "N", .off = offsetof(struct verify_cfg, rounds),
	  .min = 1, .max = VERIFY_ROUNDS_MAX,
	  .help = "times that each setting has its turn (default 3)" },
	{ .type = OPT_DURATION, .name = "runtime", .arg = "TIME",
	  .off = offsetof(struct verify_cfg, runtime_ns), .min = 100000000,
	  .max = 3600 * UINT64_C(1000000000), .help = "length of a turn (default 5s)" },
	{ .type = OPT_DURATION, .name = "calibrate", .arg = "TIME",
	  .off = offsetof(struct verify_cfg, calibrate_ns), .min = 100000000,
	  .max = 600 * UINT64_C(1000000000),
	  .help = "time of each row by which the cluster is measured, before and after; it is "
		  "spread over the pauses between the rounds, too (default 1s)" },
	{ .type = OPT_STRING, .name = "backend", .arg = "STATED|FILE",
	  .off = offsetof(struct verify_cfg, advise.backend),
	  .help = "predict from these latencies, as for advise, instead of measuring them first" },
	{ .type = OPT_STRING, .name = "drive", .arg = "STATED|FILE",
	  .off = offsetof(struct verify_cfg, advise.drive),
	  .help = "latencies of the local SSD, for a log on it, as for advise" },
	{ .type = OPT_CHOICE, .name = "plp", .off = offsetof(struct verify_cfg, advise.plp),
	  .arg = "WORD", .choices = plp_words,
	  .help = "does the local SSD have power-loss protection" },
	{ .type = OPT_STRING, .name = "pwl-path", .arg = "DIR",
	  .off = offsetof(struct verify_cfg, advise.pwl_path),
	  .help = "where a persistent write log may lie, for pwl-ssd" },
	{ .type = OPT_LIST, .name = "current", .arg = "OPTION=VALUE",
	  .off = offsetof(struct verify_cfg, advise.current),
	  .help = "a present setting of the client that this host's configuration does not have" },
	{ .type = OPT_BYTES, .name = "size", .arg = "BYTES", .off = offsetof(struct verify_cfg, size),
	  .min = 8 << 20, .help = "of the scratch image (default: the impact's)" },
	{ .type = OPT_U64, .name = "randseed", .arg = "N",
	  .off = offsetof(struct verify_cfg, randseed), .min = 1,
	  .help = "seed of offsets and data; default: a new one" },
	{ .type = OPT_FLAG, .name = "strict", .off = offsetof(struct verify_cfg, strict),
	  .help = "end with 1 when a prediction missed, with 5 when nothing could be verified" },
	RBD_CFG_OPTS(struct verify_cfg),
	OPT_END
};

static const struct verify_cfg defaults = { .rounds = 3, .runtime_ns = UINT64_C(5000000000),
	.calibrate_ns = UINT64_C(1000000000), .rbd = RBD_CFG_DEFAULTS };

/* Everything that is made, in the order in which it is. */
struct session {
	struct verify_cfg cfg;  /* a copy: release and seed are filled in */
	struct rbd_site site;
	struct advise_inputs inputs;
	struct workload load;
	struct advice *advice, *again; /* again: after the load */
	struct verify v;
	struct rbd_progress progress;
	struct rbd_watch watch;
};

/* The cluster as it is now, on a scratch image of its own, unless its latencies were given. Called
 * again after each round of the load. */
static int calibrate(struct cli *cli, struct session *s, struct err *reterr)
{
	int r;

	if (s->cfg.advise.backend)
		return 0;
	r = verify_calibrate(&s->v, &s->watch, &s->v.calibration, reterr);
	term_status_done(cli);
	if (r == 0)
		r = advise_take_backend(s->v.calibration, &s->inputs, reterr);
	s->inputs.in.backend_assumed = false;
	(void)snprintf(s->inputs.backend_source, sizeof(s->inputs.backend_source),
		"measured here, before, between and after the rounds");
	return r;
}

/* What the image has now: its own options, or those that an image of its pool would have. */
static int take_present(struct session *s, struct err *reterr)
{
	struct json *list = NULL;
	int r = 0;

	if (s->site.config)
		list = json_copy(s->site.config);
	else if (s->site.image)
		return err_set(reterr, ERR_DEVICE, -EIO, "the present settings: %s",
			s->site.config_why);
	else
		r = rbd_site_config(&s->site, &s->site.spec, s->v.ground.name, &list, reterr);
	if (r == 0 && !list)
		r = err_nomem(reterr);
	if (r == 0)
		r = image_config_from_json(&s->inputs.in.config, list, "the image's options",
			reterr);
	json_free(list);
	s->inputs.in.config_known = r == 0;
	return r < 0 ? r : advise_take_current(&s->cfg.advise, &s->inputs, reterr);
}

/* One image is run, with no more in flight than the impact allows; that is what is predicted. */
static int predict(struct session *s, struct err *reterr)
{
	double depth = s->inputs.workload->depth, most = rbd_impacts[s->cfg.rbd.impact].depth;
	int r = take_present(s, reterr);

	if (r < 0)
		return r;
	s->load = *s->inputs.workload;
	s->load.depth = fmin(depth, most);
	s->inputs.in.load = &s->load;
	s->inputs.in.images = 1;
	s->v.load = &s->load;
	s->advice = calloc(1, sizeof(*s->advice));
	if (!s->advice)
		return err_nomem(reterr);
	r = advise(&s->inputs.in, s->advice, reterr);
	s->v.advice = s->advice;
	return r < 0 ? r : verify_choose(&s->v, reterr);
}

/* What the models make of the cluster as it was all the time. */
static int predict_again(struct session *s, struct err *reterr)
{
	int r;

	if (s->cfg.advise.backend)
		return 0;
	s->again = calloc(1, sizeof(*s->again));
	if (!s->again)
		return err_nomem(reterr);
	r = advise(&s->inputs.in, s->again, reterr);
	if (r == 0)
		verify_repredict(&s->v, s->again);
	return r;
}

static int make_ground(struct session *s, struct err *reterr)
{
	struct load_watch watch = { .stop = stop_flag() };
	uint64_t span = s->cfg.size ? s->cfg.size : rbd_impacts[s->cfg.rbd.impact].span_bytes;
	struct rbd_image *image = NULL;
	int r = rbd_ground_make(&s->site, false, span / RBD_SPAN_UNIT * RBD_SPAN_UNIT,
		&s->v.ground, reterr);

	if (r == 0)
		r = rbd_ground_open(&s->site, &s->site.conn, rbd_no_cache, rbd_no_cache_count,
			&s->v.ground, &image, reterr);
	if (r == 0)
		r = rbd_ground_fill(&s->v.ground, image, s->cfg.randseed, &watch, reterr);
	(void)rbd_image_close(image); /* held only where I/O did not come back: then it stays */
	return r;
}

static int status_of(const struct session *s)
{
	bool missed = false, any = false;

	for (size_t i = 0; i < s->v.count; i++) {
		any = any || s->v.setting[i].rounds;
		missed = missed || (s->v.setting[i].rounds &&
			s->v.setting[i].verdict == VERIFY_MISS);
	}
	if (!s->cfg.strict)
		return EXIT_DONE;
	return missed ? EXIT_VERDICT : any ? EXIT_DONE : EXIT_UNSURE;
}

static bool any_round(const struct verify *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->setting[i].rounds)
			return true;
	return false;
}

static int show(struct cli *cli, struct session *s, struct err *reterr)
{
	verify_compare(&s->v);
	if (cli->json)
		return cli_emit_json(cli, verify_json(&s->v), reterr);
	return verify_print(cli, &s->v, reterr);
}

static int run_rounds(struct cli *cli, struct session *s, struct err *reterr)
{
	int r = 0;

	for (uint64_t i = 0; i < s->cfg.rounds && r == 0; i++) {
		r = verify_round(cli, &s->v, i, stop_flag(), reterr);
		term_status_done(cli);
		if (r == 0)
			r = calibrate(cli, s, reterr);
	}
	return r;
}

static int verify_image(struct cli *cli, struct session *s, struct err *reterr)
{
	struct err late = ERR_INIT;
	int r = rbd_site_decide(&s->site, s->cfg.rbd.force, false, reterr), shown = 0, dropped;

	if (r == 0)
		r = stop_begin(reterr);
	if (r == 0)
		r = calibrate(cli, s, reterr);
	if (r < 0)
		return r;
	term_status(cli, "filling the scratch image");
	r = make_ground(s, reterr);
	if (r == 0)
		r = predict(s, reterr);
	if (r == 0) {
		r = run_rounds(cli, s, reterr);
		if (r == 0)
			r = predict_again(s, reterr);
		if (r == 0 || any_round(&s->v))
			shown = show(cli, s, r < 0 ? NULL : reterr);
	}
	term_status_done(cli);
	dropped = rbd_ground_drop(&s->site, &s->v.ground, &late);
	if (dropped < 0)
		term_warn(cli, "%s", late.msg);
	return r < 0 ? r : shown < 0 ? shown : dropped < 0 ? EXIT_DEVICE : status_of(s);
}

static int run(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	struct session s = { .cfg = *(const struct verify_cfg *)cfg };
	int r;

	if (argc != 1 || !rbd_spec_is(argv[0]))
		return err_set(reterr, ERR_USAGE, -EINVAL, "which image? rbd:POOL/IMAGE");
	if (seams_captured(cli))
		return err_set(reterr, ERR_USAGE, -EINVAL, "an image is reached through the "
			"network: --sysroot and --replay have none");
	if (!s.cfg.randseed && getrandom(&s.cfg.randseed, sizeof(s.cfg.randseed), 0) ==
		(ssize_t)sizeof(s.cfg.randseed))
		s.cfg.randseed = s.cfg.randseed >> 20 | 1;
	if (!s.cfg.advise.workload)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--workload is missing; `ssdqual "
			"workload list` shows the names, a file ends in .json");
	r = advise_inputs_load(cli, &s.cfg.advise, &s.inputs, reterr);
	if (r == 0)
		r = rbd_cfg_open(&s.cfg.rbd, argv[0], &s.site, reterr);
	if (r == 0) {
		s.v.cfg = &s.cfg;
		s.v.site = &s.site;
		s.v.inputs = &s.inputs;
		rbd_cfg_progress(&s.progress, cli, &s.watch);
		s.inputs.in.release_stated =
			release_parse(s.site.release, &s.inputs.in.release, NULL) == 0;
		r = verify_image(cli, &s, reterr);
		verify_done(&s.v);
		if (s.advice)
			advice_done(s.advice);
		if (s.again)
			advice_done(s.again);
		free(s.advice);
		free(s.again);
		rbd_site_close(&s.site);
	}
	advise_inputs_done(&s.inputs);
	return r;
}

extern const struct command cmd_verify;
const struct command cmd_verify = {
	.name = "verify",
	.summary = "Measure an image under several cache settings, against the prediction",
	.operands = "rbd:POOL/IMAGE",
	.opts = opts,
	.cfg_size = sizeof(struct verify_cfg),
	.cfg_defaults = &defaults,
	.run = run,
	.details =
		"The writes, flushes and pauses of the workload profile are run on a scratch image "
		"beside the named one, under its present settings, the recommended ones, or those of "
		"--candidates, turn and turn about. Settings are those of this client alone, at each "
		"open of the scratch image; neither the pool nor the image is changed.\n\n"
		"Each prediction of `advise` stands beside what was measured. It is a hit within the "
		"stated error (1.3 x at the median and in IOPS, 1.5 x at p99), or inside the spread of "
		"the rounds; else a miss, and said to be one. The reads of a profile are left out: the "
		"models predict writes. Loads deeper than the impact allows are run, and predicted, at "
		"the depth that it allows.\n\n"
		"A persistent write log is tried where --pwl-path names a folder for it and this "
		"librbd has the plugin; Debian ships none.",
	.examples =
		"ssdqual verify rbd:vms/db1 --workload etcd\n"
		"ssdqual verify rbd:vms/db1 -w postgres --rounds 5 \\\n"
		"    --candidates current,none,writeback,writearound\n"
		"ssdqual verify rbd:vms -w etcd --backend result.json --json\n",
};
