/* cmd_import.c - ssdqual import FILE...: what other tools measured, as result documents. */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "cli/show.h"
#include "cli/term.h"
#include "cli/verdict.h"
#include "data/identity.h"
#include "data/import.h"
#include "data/import_twin.h"

struct cfg {
	const char *kind, *output;
	bool no_store, merge;
};

static const struct opt opts[] = {
	{ .type = OPT_STRING, .name = "kind", .off = offsetof(struct cfg, kind), .arg = "KIND",
	  .help = "what the files are: fio, smartctl, nvme; default: found out from each document" },
	{ .type = OPT_STRING, .short_name = 'o', .name = "output", .arg = "FILE",
	  .off = offsetof(struct cfg, output),
	  .help = "write the result to FILE, or the results into the folder FILE, instead of the "
		  "store" },
	{ .type = OPT_FLAG, .name = "no-store", .off = offsetof(struct cfg, no_store),
	  .help = "keep no result: print it only" },
	{ .type = OPT_FLAG, .name = "merge", .off = offsetof(struct cfg, merge),
	  .help = "one result of all files, which are runs on one target" },
	OPT_END,
};

/* What came of all files. */
struct all {
	struct result **result; /* owned */
	char **path;            /* where each was saved, or NULL */
	size_t count;
	struct json *failed;    /* [{"file", "message"}] */
	struct err first;       /* of the files that could not be imported */
};

static void all_done(struct all *all)
{
	for (size_t i = 0; i < all->count; i++) {
		result_free(all->result[i]);
		free(all->path[i]);
	}
	free(all->result);
	free(all->path);
	json_free(all->failed);
}

static int take_list(struct all *all, struct import_list *l, struct err *reterr)
{
	size_t n = all->count + l->count;
	/* lists of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
	struct result **result = reallocarray(all->result, n, sizeof(struct result *));
	char **path;

	if (result)
		all->result = result;
	path = result ? reallocarray(all->path, n, sizeof(char *)) : NULL;
	if (!path) {
		import_list_done(l);
		return err_nomem(reterr);
	}
	all->path = path;
	for (size_t i = 0; i < l->count; i++) {
		all->result[all->count] = l->result[i];
		all->path[all->count++] = NULL;
	}
	free(l->result);
	return 0;
}

/* A file that cannot be imported is told, and the others are done. */
static int file_failed(struct cli *cli, struct all *all, const char *file, const struct err *e,
	struct err *reterr)
{
	struct json *j = json_new_object();

	if (all->first.code == 0)
		all->first = *e;
	else if (!cli->json)
		term_warn(cli, "%s", e->msg);
	if (json_set_str(j, "file", file) < 0 || json_set_str(j, "message", e->msg) < 0) {
		json_free(j);
		return err_nomem(reterr);
	}
	return json_append(all->failed, j) < 0 ? err_nomem(reterr) : 0;
}

/* A drive read over several paths is one result; one that may be another's double is told. */
static int merge_drives(struct all *all, struct err *reterr)
{
	char hint[IDENTITY_HINT_MAX];
	int rc = 0;

	for (size_t i = 1; i < all->count && rc == 0; i++) {
		struct result *later = all->result[i];
		size_t k = 0;

		while (k < i && !import_is_twin(all->result[k], later))
			k++;
		if (k < i) {
			rc = import_join(all->result[k], later);
			result_free(later);
			all->count--;
			memmove(&all->result[i], &all->result[i + 1],
				(all->count - i) * sizeof(struct result *));
			i--;
			continue;
		}
		for (k = 0; k < i && rc == 0; k++)
			if (identity_compare(json_get(all->result[k]->doc, "target"),
					json_get(later->doc, "target"), hint) == IDENTITY_HINT)
				rc = result_add_finding(later, "drive-alike", hint, NULL);
	}
	return rc < 0 ? err_nomem(reterr) : 0;
}

/* --merge: nothing is merged where a file is missing. */
static int merge_all(struct all *all, struct err *reterr)
{
	struct import_list l = { .result = all->result, .count = all->count };
	struct result *one;
	int rc;

	if (all->first.code) {
		*reterr = all->first;
		return all->first.code;
	}
	rc = import_merge(&l, &one, reterr);
	all->result = l.result; /* NULL where they were merged */
	all->count = l.count;
	if (rc < 0)
		return rc;
	/* a list of one pointer: NOLINTNEXTLINE(bugprone-sizeof-expression) */
	l = (struct import_list){ .result = calloc(1, sizeof(struct result *)), .count = 1 };
	if (!l.result) {
		result_free(one);
		return err_nomem(reterr);
	}
	l.result[0] = one;
	return take_list(all, &l, reterr);
}

static int import_all(struct cli *cli, const struct cfg *cfg, const struct importer *kind, int argc,
	char **argv, struct all *all, struct err *reterr)
{
	int rc = 0;

	for (int i = 0; i < argc && rc == 0; i++) {
		struct import_list l = { .count = 0 };
		struct err e = ERR_INIT;

		if (import_file(argv[i], kind, &l, &e) == 0)
			rc = take_list(all, &l, reterr);
		else if (e.kind == ERR_INPUT)
			rc = file_failed(cli, all, argv[i], &e, reterr);
		else
			rc = err_set(reterr, e.kind, e.code, "%s", e.msg);
	}
	if (rc == 0)
		rc = merge_drives(all, reterr);
	if (rc == 0 && cfg->merge && (all->count > 1 || all->first.code))
		rc = merge_all(all, reterr);
	for (size_t i = 0; i < all->count && rc == 0; i++)
		rc = verdict_attach(all->result[i], NULL, 0, reterr);
	return rc;
}

static int save_all(const struct run_cfg *where, struct all *all, struct err *reterr)
{
	int rc = run_check_output(where, all->count, reterr);

	for (size_t i = 0; i < all->count && rc == 0; i++)
		rc = run_save(where, all->result[i], &all->path[i], reterr);
	return rc;
}

static int print_all(struct cli *cli, const struct all *all, struct err *reterr)
{
	int rc = 0;

	for (size_t i = 0; i < all->count && rc == 0; i++) {
		if (i)
			(void)fputc('\n', cli->out); /* errors of out are told by cli_main */
		rc = show_result(cli, all->result[i], reterr);
		if (rc == 0 && all->path[i])
			(void)fprintf(cli->out, "\nsaved: %s\n", all->path[i]);
	}
	return rc;
}

/* @one: a single result is asked for, of one file or merged: it is the document. */
static struct json *all_json(const struct all *all, bool one)
{
	struct json *doc, *list;

	if (one && all->count == 1)
		return result_to_json(all->result[0]);
	doc = json_new_object();
	list = json_new_array();
	for (size_t i = 0; i < all->count && list; i++) {
		if (json_append(list, result_to_json(all->result[i])) < 0) {
			json_free(list);
			list = NULL;
		}
	}
	if (json_set(doc, "results", list) < 0 ||
		json_set(doc, "failed", json_copy(all->failed)) < 0) {
		json_free(doc);
		return NULL;
	}
	return doc;
}

static int status_of(const struct all *all)
{
	int status = all->first.code ? EXIT_INPUT : EXIT_DONE;

	for (size_t i = 0; i < all->count; i++)
		if (import_is_failed(all->result[i]))
			status = EXIT_INPUT;
	return status;
}

static int finish(struct cli *cli, const struct cfg *cfg, struct all *all, int files,
	struct err *reterr)
{
	const struct run_cfg where = { .output = cfg->output, .no_store = cfg->no_store };
	int rc;

	if (all->count == 0) {
		*reterr = all->first;
		return all->first.code;
	}
	rc = save_all(&where, all, reterr);
	if (rc == 0)
		rc = cli->json ? cli_emit_json(cli, all_json(all, files == 1 || cfg->merge), reterr)
			       : print_all(cli, all, reterr);
	if (rc < 0)
		return rc;
	if (all->first.code && !cli->json)
		term_warn(cli, "%s", all->first.msg);
	return status_of(all);
}

static int run(struct cli *cli, const void *vcfg, int argc, char **argv, struct err *reterr)
{
	const struct cfg *cfg = vcfg;
	const struct importer *kind = NULL;
	struct all all = { .count = 0 };
	int rc;

	if (argc == 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "a FILE is missing; - is standard input");
	if (cfg->kind) {
		kind = importer_find(cfg->kind);
		if (!kind)
			return err_set(reterr, ERR_USAGE, -EINVAL, "--kind %s: not known; `ssdqual "
				"import --help` lists the kinds", cfg->kind);
	}
	all.failed = json_new_array();
	rc = import_all(cli, cfg, kind, argc, argv, &all, reterr);
	if (rc == 0)
		rc = finish(cli, cfg, &all, argc, reterr);
	all_done(&all);
	return rc;
}

extern const struct command cmd_import;
const struct command cmd_import = {
	.name = "import",
	.summary = "Make result documents of what fio, smartctl and nvme-cli wrote",
	.operands = "FILE...",
	.opts = opts,
	.cfg_size = sizeof(struct cfg),
	.details =
		"Kinds: fio (--output-format=json or json+, 2.x and 3.x, also of a server's "
		"clients). Lines before and after the JSON are kept as notes; of the documents "
		"that --status-interval prints the last complete one counts. smartctl (--json: "
		"health and identity of SATA, SAS and NVMe drives), nvme (smart-log, ocp "
		"smart-add-log, id-ctrl, each with -o json).\n\n"
		"An imported figure is as reported: no histogram, no percentile that the file "
		"does not list. Each job says which row of the batteries it is equivalent to, or "
		"why it is none; only equivalent ones support a verdict.\n\n"
		"A drive that smartctl reads over several paths (equal model and serial) is one "
		"result. With --merge, readings before and after fio's runs tell what they cost "
		"the drive.\n\n"
		"The status is 6 where a file cannot be read or trusted, or its job failed; the "
		"other files are done all the same. With --json one result of one file is its "
		"document, as is a merged one, else {\"results\": [...], \"failed\": [...]}.",
	.examples =
		"ssdqual import fio.json\n"
		"fio --output-format=json job.fio | ssdqual import -\n"
		"ssdqual import --merge -o backend.json depth1.json depth32.json\n"
		"smartctl --json -x /dev/sda | ssdqual import -\n"
		"ssdqual import --merge -o run.json before.json fio.json after.json\n"
		"ssdqual import --no-store --json *.json > results.json",
	.run = run,
};
