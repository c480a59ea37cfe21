/* cmd_workload.c - ssdqual workload [list | show NAME | from-fio FILE]: the profiles that advise
 * reads. */
#include "cli/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "cli/term.h"
#include "cli/text.h"
#include "data/fio_workload.h"
#include "data/resource.h"
#include "data/store.h"
#include "data/units.h"
#include "data/workload.h"

struct cfg {
	const char *output, *job;
};

static const struct opt opts[] = {
	{ .type = OPT_STRING, .short_name = 'o', .name = "output", .arg = "FILE",
	  .off = offsetof(struct cfg, output), .help = "from-fio: write the profile to FILE" },
	{ .type = OPT_STRING, .name = "job", .arg = "NAME", .off = offsetof(struct cfg, job),
	  .help = "from-fio: this job, where FILE has several" },
	OPT_END
};

static struct json *row_json(const struct workload *w, const char *origin)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "name", w->name);
	(void)json_set_str(o, "summary", w->summary);
	(void)json_set_str(o, "origin", origin);
	return o;
}

static int list(struct cli *cli, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "WORKLOAD" },
		{ .head = "WHAT IT IS", .cut = TABLE_CUT_END },
	};
	struct json *array = json_new_array(), *doc;
	struct table *t = table_new(columns, 2);
	char **names = NULL;
	int r = resource_names("workloads", &names, reterr);

	for (size_t i = 0; r >= 0 && names[i] != NULL; i++) {
		struct workload *w = NULL;
		char *origin = NULL;

		r = workload_load(names[i], &w, &origin, reterr);
		if (r < 0)
			break;
		(void)json_append(array, row_json(w, origin));
		table_add(t, w->name);
		table_add(t, w->summary);
		free(origin);
		workload_free(w);
	}
	resource_names_free(names);
	if (r >= 0 && cli->json) {
		doc = json_new_object();
		(void)json_set(doc, "workloads", array);
		array = NULL;
		r = cli_emit_json(cli, doc, reterr);
	} else if (r >= 0) {
		r = table_print(t, cli, reterr);
	}
	json_free(array);
	table_free(t);
	return r;
}

static void print_number(struct cli *cli, const struct workload *w, const char *key)
{
	const struct json *v = json_get(w->doc, key);
	const char *source = json_str(json_get(json_get(w->doc, "sources"), key));
	size_t len = strlen(key);
	char text[UNITS_BUF];
	double value;

	if (!json_f64(v, &value))
		return;
	if (len > 6 && strcmp(key + len - 6, "_bytes") == 0)
		units_format_bytes(text, sizeof(text), value);
	else if (len > 3 && strcmp(key + len - 3, "_ns") == 0)
		units_format_ns(text, sizeof(text), value);
	else
		snprintf(text, sizeof(text), "%g", value);
	fprintf(cli->out, "%-18s %-10s ", key, text);
	text_wrap(cli->out, source != NULL ? source : "", 30, 30, term_width(cli->out));
	fputc('\n', cli->out);
}

static void print_profile(struct cli *cli, const struct workload *w, const char *origin)
{
	static const char *const keys[] = { "read_fraction", "write_bytes", "depth",
		"syncs_per_write", "think_ns", "rate_per_second", "burst_bytes", "burst_gap_ns",
		"working_set_bytes", "images" };
	char limit[UNITS_BUF], slo[512];

	fprintf(cli->out, "%s: %s (%s)\n\n", w->name, w->summary, origin);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		print_number(cli, w, keys[i]);
	fprintf(cli->out, "%-18s %s\n", "guest_stack", guest_stack_word(w->stack));
	fprintf(cli->out, "%-18s %s\n", "loss_tolerance", loss_word(w->loss));
	fprintf(cli->out, "%-18s %s\n", "raft", w->raft ? "true" : "false");
	if (w->slo_metric == SLO_IOPS)
		snprintf(slo, sizeof(slo), "%s, no limit; %s", slo_metric_word(w->slo_metric),
			w->slo_source);
	else
		snprintf(slo, sizeof(slo), "%s %s, limit %s; %s", slo_metric_word(w->slo_metric),
			slo_percentile_word(w->slo_pct), isnan(w->slo_limit_ns) ? "none" :
			units_format_ns(limit, sizeof(limit), w->slo_limit_ns), w->slo_source);
	fprintf(cli->out, "%-18s ", "slo");
	text_wrap(cli->out, slo, 19, 19, term_width(cli->out));
	fputc('\n', cli->out);
}

static int show(struct cli *cli, const char *name, struct err *reterr)
{
	struct workload *w = NULL;
	char *origin = NULL;
	int r = workload_load(name, &w, &origin, reterr);

	if (r < 0)
		return r;
	if (cli->json)
		r = cli_emit_json(cli, json_copy(w->doc), reterr);
	else
		print_profile(cli, w, origin);
	free(origin);
	workload_free(w);
	return r;
}

/* The profile is JSON for people, too: it is to be edited. */
static int from_fio(struct cli *cli, const struct cfg *cfg, const char *path, struct err *reterr)
{
	struct json *profile;
	int r = fio_workload_load(path, cfg->job, &profile, reterr);

	if (r < 0)
		return r;
	if (cfg->output) {
		r = store_write_json(cfg->output, profile, reterr);
		if (r == 0 && !cli->json)
			fprintf(cli->out, "saved: %s\n", cfg->output);
	}
	if (r == 0 && (cli->json || !cfg->output))
		return cli_emit_json(cli, profile, reterr);
	json_free(profile);
	return r;
}

static int run(struct cli *cli, const void *vcfg, int argc, char **argv, struct err *reterr)
{
	const struct cfg *cfg = vcfg;

	if (argc == 2 && strcmp(argv[0], "from-fio") == 0)
		return from_fio(cli, cfg, argv[1], reterr);
	if (argc >= 1 && strcmp(argv[0], "from-fio") == 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "from-fio takes one FILE: a job file of "
			"fio, or its JSON");
	if (cfg->output || cfg->job)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--output and --job belong to from-fio");
	if (argc == 0 || (argc == 1 && strcmp(argv[0], "list") == 0))
		return list(cli, reterr);
	if (argc == 2 && strcmp(argv[0], "show") == 0)
		return show(cli, argv[1], reterr);
	if (strcmp(argv[0], "show") == 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "show takes one profile, by name or as a "
			"file; `ssdqual workload list` shows the names");
	return err_set(reterr, ERR_USAGE, -EINVAL, "'%s' is not list, show or from-fio%s", argv[0],
		argc > 1 ? ", or something is extra" : "");
}

extern const struct command cmd_workload;
const struct command cmd_workload = {
	.name = "workload",
	.summary = "Show the workload profiles that advise knows, or make one of a fio job",
	.operands = "[list | show NAME|FILE | from-fio FILE]",
	.opts = opts,
	.cfg_size = sizeof(struct cfg),
	.details =
		"A profile of one's own is a file of the same form: `ssdqual workload show etcd "
		"--json` prints one to start from. In $XDG_CONFIG_HOME/ssdqual/workloads/NAME.json "
		"or /etc/ssdqual/workloads/NAME.json it has a name, and stands before a built-in "
		"one.\n\n"
		"from-fio makes a profile of a job file of fio or of its JSON: what the job tells "
		"has the source \"from FILE\", what it cannot tell is marked as assumed.",
	.examples =
		"  ssdqual workload\n"
		"  ssdqual workload show etcd\n"
		"  ssdqual workload from-fio db.fio -o db.json",
	.run = run,
};
