/* cmd_show.c - ssdqual show [RESULT...]: stored results for people. */
#include "cli/command.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "cli/health.h"
#include "cli/show.h"
#include "cli/show_list.h"
#include "cli/stored.h"
#include "cli/term.h"
#include "cli/verdict.h"
#include "data/identity.h"
#include "data/workload.h"
#include "policies/endurance.h"

struct cfg {
	bool list, judge, side;
	uint64_t per_day, rated_tbw;
	const char *workload;
	struct show_list_cfg of_list;
};

/* In the order of enum show_list_sort. */
static const char *const sorts[] = { "started", "battery", "target", NULL };

static const struct opt opts[] = {
	{ .type = OPT_FLAG, .name = "list", .off = offsetof(struct cfg, list),
		.help = "list the stored results, newest first (the default without RESULT)" },
	{ .type = OPT_CHOICE, .name = "sort", .off = offsetof(struct cfg, of_list.sort),
		.arg = "KEY", .choices = sorts, .help = "of the list: started (newest first), "
			"battery or target" },
	{ .type = OPT_FLAG, .name = "reverse", .off = offsetof(struct cfg, of_list.reverse),
		.help = "of the list: the other way round" },
	{ .type = OPT_STRING, .name = "match", .off = offsetof(struct cfg, of_list.match),
		.arg = "TEXT", .help = "of the list: only drives whose model and serial number "
			"hold TEXT" },
	{ .type = OPT_STRING, .name = "battery", .off = offsetof(struct cfg, of_list.battery),
		.arg = "NAME", .help = "of the list: only results of this battery" },
	{ .type = OPT_FLAG, .name = "judge", .off = offsetof(struct cfg, judge),
		.help = "work out the verdicts anew, results of one drive (same model and serial) together" },
	{ .type = OPT_FLAG, .name = "side-by-side", .off = offsetof(struct cfg, side),
		.help = "of several results: only their rows side by side" },
	{ .type = OPT_BYTES, .name = "writes-per-day", .arg = "SIZE",
		.off = offsetof(struct cfg, per_day), .min = 1,
		.help = "what will be written to the drive a day: how many years are left?" },
	{ .type = OPT_STRING, .name = "workload", .arg = "NAME",
		.off = offsetof(struct cfg, workload),
		.help = "the same from a workload profile, by its pauses (an upper bound)" },
	{ .type = OPT_BYTES, .name = "rated-tbw", .arg = "SIZE",
		.off = offsetof(struct cfg, rated_tbw), .min = 1,
		.help = "rated endurance (\"600TB\") where it is not known" },
	OPT_END,
};

/* One result is its document; several are {"results": [document, ...]}. */
static struct json *results_json(struct result *const *results, size_t n)
{
	struct json *doc, *list;

	if (n == 1)
		return result_to_json(results[0]);
	doc = json_new_object();
	list = json_new_array();
	for (size_t i = 0; i < n; i++) {
		if (json_append(list, result_to_json(results[i])) < 0) {
			json_free(list);
			list = NULL;
			break;
		}
	}
	if (json_set(doc, "results", list) < 0) {
		json_free(doc);
		return NULL;
	}
	return doc;
}

/* Results of one drive may hold the two states of its write cache between them. */
static int judge(struct result *const *results, size_t n, size_t i, struct err *reterr)
{
	const struct result **more = calloc(n, sizeof(struct result *));
	const struct json *target = json_get(results[i]->doc, "target");
	size_t count = 0;
	int rc;

	if (!more)
		return err_nomem(reterr);
	for (size_t k = 0; k < n; k++) {
		const struct json *other = json_get(results[k]->doc, "target");

		if (k != i && identity_compare(target, other, NULL) == IDENTITY_SAME)
			more[count++] = results[k];
	}
	rc = verdict_attach(results[i], more, count, reterr);
	free(more);
	return rc;
}

/* Stored verdicts are shown as they are. Where there are none, as in imported results, people see
 * what follows from the figures; programs get the document, unless they ask. */
static int judge_all(const struct cli *cli, bool asked, struct result *const *results, size_t n,
	struct err *reterr)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		if (asked || (!cli->json && json_len(json_get(results[i]->doc, "verdicts")) == 0))
			rc = judge(results, n, i, reterr);
	return rc;
}

/* Bytes a day that were stated; 0: none were. */
static int stated_per_day(const struct cfg *c, uint64_t *ret, struct err *reterr)
{
	struct workload *w;
	double bytes;
	int rc;

	*ret = c->per_day;
	if (!c->workload)
		return 0;
	if (c->per_day)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--writes-per-day and --workload both say what is written; give one");
	rc = workload_load(c->workload, &w, NULL, reterr);
	if (rc < 0)
		return rc;
	bytes = endurance_per_day(w);
	workload_free(w);
	if (isnan(bytes) || bytes < 1 || bytes > 1e18)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--workload %s: it pauses for nothing, so "
			"that its writes a day are not bounded; use --writes-per-day SIZE",
			c->workload);
	*ret = (uint64_t)bytes;
	return 0;
}

/* Endurance of results that hold a reading, at what was stated; of the others nothing. */
static int judge_endurance(const struct cfg *c, struct result *const *results, size_t n,
	struct err *reterr)
{
	uint64_t per_day;
	int rc = stated_per_day(c, &per_day, reterr);

	for (size_t i = 0; i < n && rc == 0 && (per_day || c->rated_tbw); i++) {
		if (c->rated_tbw && json_set_u64(result_section(results[i], "settings"),
				"rated_tbw_bytes", c->rated_tbw) < 0)
			rc = err_nomem(reterr);
		if (rc == 0)
			rc = health_judge(results[i], per_day, NULL, reterr);
	}
	return rc;
}

/* Two results whose drives may be one are not judged together: a person is told. */
static void warn_alike(struct cli *cli, struct result *const *results, size_t n)
{
	char hint[IDENTITY_HINT_MAX];

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (identity_compare(json_get(results[i]->doc, "target"),
					json_get(results[k]->doc, "target"), hint) ==
				IDENTITY_HINT)
				term_warn(cli, "%s", hint);
}

static int run_show(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct cfg *c = cfg;
	struct result **results;
	size_t n = 0;
	int rc = 0;

	if (c->list && argc > 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--list takes no RESULT; '%s' is extra",
			argv[0]);
	if (argc == 0)
		return show_list(cli, &c->of_list, reterr);
	if (c->of_list.sort || c->of_list.reverse || c->of_list.match || c->of_list.battery)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--sort, --reverse, --match and --battery are for the list; '%s' is extra",
			argv[0]);
	if (c->side && argc < 2)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--side-by-side takes several results");
	results = calloc((size_t)argc, sizeof(struct result *));
	if (!results)
		return err_nomem(reterr);
	for (; n < (size_t)argc && rc == 0; n++)
		rc = stored_load(argv[n], &results[n], reterr);
	if (rc == 0)
		rc = judge_all(cli, c->judge, results, n, reterr);
	if (rc == 0)
		rc = judge_endurance(c, results, n, reterr);
	if (rc == 0)
		warn_alike(cli, results, n);
	if (rc == 0 && cli->json)
		rc = cli_emit_json(cli, results_json(results, n), reterr);
	for (size_t i = 0; i < n && rc == 0 && !cli->json && !c->side; i++) {
		if (i > 0)
			(void)fputc('\n', cli->out); /* errors of out are told by cli_main */
		rc = show_result(cli, results[i], reterr);
	}
	if (rc == 0 && n > 1 && !cli->json)
		rc = show_side_by_side(cli, (const struct result *const *)results, n, reterr);
	for (size_t i = 0; i < n; i++)
		result_free(results[i]);
	free(results);
	return rc;
}

extern const struct command cmd_show;
const struct command cmd_show = {
	.name = "show",
	.summary = "Show stored results",
	.operands = "[RESULT...]",
	.opts = opts,
	.cfg_size = sizeof(struct cfg),
	.details = "RESULT is a file, - for standard input, or a name that `ssdqual show` lists. "
		   "Latencies run from submit to durable: write and sync where a row syncs. With "
		   "--json one result is its document; several are {\"results\": [...]}. Stored "
		   "verdicts are shown as they are; results without, and all with --judge, are "
		   "judged here. Several results are shown one after the other, then side by "
		   "side.\n\n"
		   "Where the document holds a reading of the drive's health, Health and Endurance "
		   "show it: bytes written, wear, temperature, the maker's rating where it is known, "
		   "what the run itself cost, and the years left at stated writes a day.",
	.examples = "ssdqual show\nssdqual show --match PM883 --battery ceph\n"
		    "ssdqual show result.json\nssdqual show --writes-per-day 500GB result.json",
	.run = run_show,
};
