/* cmd_compare.c - ssdqual compare BASE NEW: is the new result worse? */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/compare.h"
#include "cli/stored.h"

struct cfg {
	double max_regress;
	int metric;
};
static const struct cfg defaults = { .max_regress = 0.10 };

/* In the order of enum compare_metric. */
static const char *const metrics[] = { "all", "iops", "p99", NULL };

static const struct opt opts[] = {
	{ .type = OPT_RATIO, .name = "max-regress", .off = offsetof(struct cfg, max_regress),
		.arg = "SHARE", .help = "what a row may lose" },
	{ .type = OPT_CHOICE, .name = "metric", .off = offsetof(struct cfg, metric), .arg = "NAME",
		.choices = metrics, .help = "judge iops, p99 (until durable) or both" },
	OPT_END,
};

static int status_of(enum compare_word w)
{
	return w == COMPARE_WORSE ? EXIT_VERDICT : w == COMPARE_CANNOT_TELL ? EXIT_UNSURE :
		EXIT_DONE;
}

static int compare(struct cli *cli, struct compare_view v, struct err *reterr)
{
	struct compare *rows = malloc(sizeof(*rows)); /* too large for a stack */
	struct compare_places places = { .count = 0 };
	int rc = rows ? compare_places_find(v.now, &places, reterr) : err_nomem(reterr);

	if (rc == 0) {
		compare_results(v.base, v.now, v.max_regress, v.metric, rows);
		v.rows = rows;
		v.places = &places;
		rc = cli->json ? cli_emit_json(cli, compare_to_json(&v), reterr) :
			compare_print(cli, &v, reterr);
		if (rc == 0)
			rc = status_of(rows->word);
	}
	compare_places_done(&places);
	free(rows);
	return rc;
}

static int run_compare(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct cfg *c = cfg;
	struct result *base = NULL, *now = NULL;
	int rc;

	if (argc != 2)
		return err_set(reterr, ERR_USAGE, -EINVAL, "two results are compared, BASE and NEW; "
			"%d given", argc);
	rc = stored_load(argv[0], &base, reterr);
	if (rc == 0)
		rc = stored_load(argv[1], &now, reterr);
	if (rc == 0)
		rc = compare(cli, (struct compare_view){ .base = base, .now = now,
			.base_name = argv[0], .now_name = argv[1],
			.max_regress = c->max_regress,
			.metric = (enum compare_metric)c->metric }, reterr);
	result_free(base);
	result_free(now);
	return rc;
}

extern const struct command cmd_compare;
const struct command cmd_compare = {
	.name = "compare",
	.summary = "Tell whether a new result is worse than an old one",
	.operands = "BASE NEW",
	.opts = opts,
	.cfg_size = sizeof(struct cfg),
	.cfg_defaults = &defaults,
	.details = "Each row of NEW is held against the same row of BASE: battery, row, state of the "
		   "write cache, and all that was asked of the drive; rows that differ in that are "
		   "not comparable. A change counts where it is beyond the spread of both, which "
		   "comes from repetitions, else from the seconds of each run: worse, where even "
		   "the better end of the spread is below --max-regress; cannot tell, where the "
		   "worse end is; improved, where all of it is a gain; else the same.\n\n"
		   "Exit status: 1 where a row is worse, 5 where one cannot be told, else 0.",
	.examples = "ssdqual compare before-update.json after-update.json\n"
		    "ssdqual compare --max-regress 5% --metric iops base.json new.json",
	.run = run_compare,
};
