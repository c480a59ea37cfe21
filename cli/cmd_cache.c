/* cmd_cache.c - ssdqual cache: show, set or put back a drive's volatile write cache. */
#include "cli/cache.h"

#include "cli/seams.h"
#include "cli/stop.h"
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/controller.h"
#include "probes/drive.h"

struct cache_cfg {
	bool all;
	const char *forget;
};

/* One drive on its way through the command. */
struct work {
	struct cli *cli;
	struct sysroot root;
	char disk[SYSFS_NAME_MAX];
	struct cacheguard *guard;
	struct err no_io;
	struct cache_report report;
};

/* -- which drive ---------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int take_name(struct work *w, const char *sysname)
{
	if (sysfs_block_parent(&w->root, sysname, w->disk, sizeof(w->disk)) == 0)
		return 0;
	return (size_t)snprintf(w->disk, sizeof(w->disk), "%s", sysname) < sizeof(w->disk) ? 0 :
		-ENAMETOOLONG;
}

/* A capture may have sysfs without /dev, or a drive's answers without either. */
static int find_disk(struct work *w, const char *arg, struct err *reterr)
{
	struct target *t;
	int r;

	if (seams_captured(w->cli)) {
		r = take_name(w, base_name(arg));
		if (r == 0 && (sysfs_exists(&w->root, "/sys/block/%s", w->disk) || w->cli->replay))
			return 0;
	}
	r = target_resolve(&w->root, arg, &t, reterr);
	if (r < 0)
		return r;
	r = t->kind == TARGET_BLOCK ? take_name(w, t->sysname) :
		err_set(reterr, ERR_USAGE, -EINVAL,
			"%s: not a block device; name the drive, as in /dev/disk/by-id", arg);
	target_free(t);
	return r;
}

static int open_drive(struct work *w, struct err *reterr)
{
	struct devio io;

	(void)seams_open_drive(w->cli, w->disk, &io, &w->no_io); /* io says whether it is open */
	if (!io.ops && w->no_io.kind == ERR_INPUT) { /* a fault of the capture, not of a drive */
		*reterr = w->no_io;
		return reterr->code;
	}
	if (cacheguard_open(&w->root, w->disk, &io, &w->no_io, &w->guard, reterr) < 0)
		return reterr->code;
	w->report = (struct cache_report){ .guard = w->guard, .disk = w->disk,
		.captured = seams_captured(w->cli) };
	return 0;
}

/* -- what cannot be set --------------------------------------------------------------------- */

static const struct {
	const char *transport, *remedy;
} elsewhere[] = {
	{ "virtio",
		"this is a hypervisor's volume: run this command on the host, for the drive behind "
		"it, and set the volume's cache mode in the hypervisor" },
	{ "xen", "this is a hypervisor's volume: run this command on the host" },
	{ "loop", "name the drive that holds the file behind it" },
	{ "dm", "name each drive below it (lsblk -s)" },
	{ "md", "name each drive below it (lsblk -s)" },
	{ "bcache", "name each drive below it (lsblk -s)" },
	{ "rbd", "the drives are the OSDs': run this command on their hosts" },
	{ "nbd", "run this command on the server, for the drive behind it" },
};

/* Set @reterr for a device that no command reaches, or not by us; 0 for one that can be asked. */
static int refuse_unreachable(const struct work *w, struct err *reterr)
{
	const char *transport = json_str(json_get(cacheguard_drive(w->guard), "transport"));
	const char *remedy = "it has no volatile write cache that could be set from here";

	if (w->no_io.code == 0)
		return 0;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (transport && strcmp(transport, elsewhere[i].transport) == 0)
			remedy = elsewhere[i].remedy;
	if (w->no_io.code == -EOPNOTSUPP)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"/dev/%s: write cache: unsupported on this device; %s", w->disk, remedy);
	if (w->no_io.code == -EACCES || w->no_io.code == -EPERM)
		return err_set(reterr, w->no_io.kind, w->no_io.code,
			"/dev/%s: needs root to ask the drive; run it with sudo", w->disk);
	*reterr = w->no_io;
	return reterr->code;
}

/* The cache of a virtual disk is the controller's: its battery, its policy, its tool. */
static const struct {
	const char *driver, *command;
} tools[] = {
	{ "megaraid_sas",
		"storcli /cX/vY set wrcache=wt|wb (the virtual disk) and set pdcache=on|off "
		"(its drives); perccli takes the same" },
	{ "mpi3mr", "storcli2 /cX/vY set wrcache=wt|wb and set pdcache=on|off" },
	{ "hpsa", "ssacli ctrl slot=N ld M modify caching=enable|disable and ssacli ctrl slot=N "
		  "modify drivewritecache=enable|disable" },
	{ "smartpqi",
		"ssacli ctrl slot=N ld M modify caching=enable|disable and ssacli ctrl slot=N "
		"modify drivewritecache=enable|disable; arcconf setcache on Adaptec's" },
	{ "aacraid", "arcconf setcache N logicaldrive M wt|wb" },
};

static int refuse_controller(const struct work *w, struct err *reterr)
{
	const struct json *drive = cacheguard_drive(w->guard);
	const char *driver = json_str(json_path(drive, "controller.driver"));
	const char *command =
		"the controller's own tool sets it (storcli, perccli, ssacli, arcconf)";

	if (!controller_is_raid(drive))
		return 0;
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (driver && strcmp(driver, tools[i].driver) == 0)
			command = tools[i].command;
	return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
		"/dev/%s: a RAID controller's virtual disk: its write cache is the controller's "
		"and is not supported here; %s",
		w->disk, command);
}

/* -- doing ---------------------------------------------------------------------------------- */

static int set_failed(const struct work *w, struct err *reterr)
{
	const struct err e = *reterr;
	bool refused = e.code == -EOPNOTSUPP && cacheguard_state(w->guard)->method == WC_BY_SCSI;

	return err_set(reterr, e.kind, e.code, "/dev/%s: %s%s", w->disk, e.msg,
		refused ? "; behind a RAID controller its own tool sets it (storcli, perccli, "
			  "ssacli, arcconf)" :
			  "");
}

static int set(struct work *w, bool on, struct err *reterr)
{
	struct err undo = ERR_INIT;
	int r = stop_begin(reterr);

	if (r == 0 && atomic_load(stop_flag()))
		r = err_set(
			reterr, ERR_STOPPED, -EINTR, "stopped by a signal; nothing was changed");
	if (r < 0)
		return r;
	/* From here on signals wait: what was begun is finished, proven and reported. */
	r = cacheguard_set(w->guard, on, "cache", reterr);
	if (r < 0) {
		if (cacheguard_restore(w->guard, &undo) < 0)
			term_warn(w->cli, "%s", undo.msg);
		return set_failed(w, reterr);
	}
	w->report.changed = r == 0;
	return cacheguard_keep(w->guard, "cache", reterr);
}

static int restore(struct work *w, struct err *reterr)
{
	enum journal_kind kind;
	int r = stop_begin(reterr);

	if (r == 0)
		r = cacheguard_adopt(w->guard, &kind, reterr);
	/* Done already: not a failure of whoever only makes sure of it. */
	w->report.nothing = r == -ENOENT;
	if (w->report.nothing)
		return 0;
	if (r < 0)
		return r;
	w->report.changed = cacheguard_state(w->guard)->drive != cacheguard_before(w->guard)->drive;
	r = cacheguard_restore(w->guard, reterr);
	w->report.safer = r == 1;
	return r < 0 ? r : 0;
}

static int act(struct work *w, const char *word, struct err *reterr)
{
	if (strcmp(word, "restore") == 0)
		return restore(w, reterr);
	return set(w, strcmp(word, "on") == 0, reterr);
}

static void work_done(struct work *w)
{
	cacheguard_free(w->guard);
	w->guard = NULL;
}

/* -- one drive ------------------------------------------------------------------------------ */

static int print_report(struct cli *cli, const struct cache_report *r, struct err *reterr)
{
	struct json *doc;

	if (!cli->json)
		return cache_report_print(cli, r, reterr);
	doc = cache_report_json(r, reterr);
	return doc ? cli_emit_json(cli, doc, reterr) : reterr->code;
}

/* A captured drive that nobody can ask: the decision is all there is. */
static int would_run(struct cli *cli, const char *disk, struct err *reterr)
{
	struct json *doc;

	if (!cli->json) {
		fprintf(cli->out, "/dev/%s: would run\n", disk);
		return EXIT_DONE;
	}
	doc = json_new_object();
	(void)json_set_str(doc, "path", disk);
	(void)json_set_str(doc, "decision", "would run");
	return cli_emit_json(cli, doc, reterr) < 0 ? reterr->code : EXIT_DONE;
}

static int run_one(struct work *w, const char *word, struct err *reterr)
{
	struct err failed = ERR_INIT, shown = ERR_INIT;
	bool tree_only = w->report.captured && !w->cli->replay;
	int r = refuse_unreachable(w, &failed);

	/* Of a captured tree the kernel's side is worth showing, and a change worth deciding on. */
	if (tree_only && r != -EOPNOTSUPP)
		r = 0;
	if (r == 0 && word && strcmp(word, "restore") != 0)
		r = refuse_controller(w, &failed);
	if (r == 0 && word && tree_only)
		return would_run(w->cli, w->disk, reterr);
	w->report.word = word;
	if (r == 0 && word)
		r = act(w, word, &failed);
	if (r < 0)
		w->report.failed = &failed;
	if (print_report(w->cli, &w->report, &shown) < 0 && r == 0) {
		*reterr = shown;
		return shown.code;
	}
	if (r < 0) {
		*reterr = failed;
		return failed.code;
	}
	return EXIT_DONE;
}

static int cache_one(struct cli *cli, const char *arg, const char *word, struct err *reterr)
{
	struct work w = { .cli = cli };
	int r = seams_root(cli, &w.root, reterr);

	if (r == 0)
		r = find_disk(&w, arg, reterr);
	if (r == 0)
		r = open_drive(&w, reterr);
	if (r == 0)
		r = run_one(&w, word, reterr);
	work_done(&w);
	return r;
}

/* -- all that is pending -------------------------------------------------------------------- */

static int restore_entry(struct cli *cli, const struct journal_entry *e, struct json *docs,
	struct err *reterr)
{
	struct work w = { .cli = cli };
	struct json *doc;
	int r;

	if (e->damage.code) {
		*reterr = e->damage;
		return reterr->code;
	}
	r = journal_find(&w.root, e, w.disk, sizeof(w.disk), reterr);
	if (r == 0)
		r = open_drive(&w, reterr);
	if (r == 0)
		r = refuse_unreachable(&w, reterr);
	w.report.word = "restore";
	if (r == 0)
		r = act(&w, "restore", reterr);
	if (r == 0 && cli->json) {
		doc = cache_report_json(&w.report, reterr);
		r = json_append(docs, doc) < 0 ? err_nomem(reterr) : 0;
	} else if (r == 0) {
		r = cache_report_print(cli, &w.report, reterr);
	}
	work_done(&w);
	return r;
}

static int restore_all(struct cli *cli, struct err *reterr)
{
	struct json *docs = json_new_array(), *doc;
	struct err first = ERR_INIT;
	struct journal_list l;
	char *folder = NULL;
	size_t pending = 0;
	int r = journal_folder(&folder, reterr);

	if (r == 0)
		r = journal_read(folder, &l, reterr);
	free(folder);
	if (r < 0) {
		json_free(docs);
		return r;
	}
	for (size_t i = 0; i < l.count; i++) {
		struct err e = ERR_INIT;

		if (l.entry[i].kind != JOURNAL_CHANGE)
			continue;
		pending++;
		if (restore_entry(cli, &l.entry[i], docs, &e) == 0)
			continue;
		if (first.code)
			term_warn(cli, "%s", e.msg);
		else
			first = e;
	}
	journal_list_done(&l);
	if (!pending && !cli->json)
		fprintf(cli->out, "nothing is pending\n");
	if (cli->json && (!first.code || json_len(docs))) {
		doc = json_new_object();
		(void)json_set(doc, "drives", docs);
		r = cli_emit_json(cli, doc, reterr);
	} else {
		json_free(docs);
	}
	if (r == 0 && first.code) {
		*reterr = first;
		r = first.code;
	}
	return r;
}

/* -- the command ---------------------------------------------------------------------------- */

static int forget(struct cli *cli, const char *name, struct err *reterr)
{
	char *folder = NULL;
	struct json *doc;
	int r = journal_folder(&folder, reterr);

	if (r == 0)
		r = journal_forget(folder, base_name(name), reterr);
	free(folder);
	if (r < 0)
		return r;
	if (!cli->json) {
		fprintf(cli->out, "forgotten: %s\n", base_name(name));
		return 0;
	}
	doc = json_new_object();
	(void)json_set_str(doc, "forgotten", base_name(name));
	return cli_emit_json(cli, doc, reterr);
}

static int check_word(const char *word, struct err *reterr)
{
	if (!word || strcmp(word, "on") == 0 || strcmp(word, "off") == 0 ||
		strcmp(word, "restore") == 0)
		return 0;
	return err_set(reterr, ERR_USAGE, -EINVAL,
		"'%s': after the drive stands on, off, restore or nothing", word);
}

static int run_cache(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct cache_cfg *c = cfg;
	bool without_drive = c->all || c->forget;

	if (without_drive && seams_captured(cli))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--all and --forget are about this machine's journal, not about a capture");
	if (c->forget && !c->all && argc == 0)
		return forget(cli, c->forget, reterr);
	if (c->all && !c->forget && argc == 1 && strcmp(argv[0], "restore") == 0)
		return restore_all(cli, reterr);
	if (without_drive)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"write 'ssdqual cache --all restore', or 'ssdqual cache --forget ENTRY'");
	if (argc < 1 || argc > 2)
		return err_set(reterr, ERR_USAGE, -EINVAL, argc < 1 ?
			"which drive? 'ssdqual list' shows them" :
			"one drive at a time: ssdqual cache DEV [on|off|restore]");
	if (check_word(argc > 1 ? argv[1] : NULL, reterr) < 0)
		return reterr->code;
	return cache_one(cli, argv[0], argc > 1 ? argv[1] : NULL, reterr);
}

static const struct opt cache_opts[] = {
	{ .type = OPT_FLAG, .short_name = 'a', .name = "all",
	  .off = offsetof(struct cache_cfg, all),
	  .help = "with restore: put back every drive that a run left changed" },
	{ .type = OPT_STRING, .name = "forget", .arg = "ENTRY",
	  .off = offsetof(struct cache_cfg, forget),
	  .help = "drop an entry of the state journal, of a drive that will not come back" },
	OPT_END
};

extern const struct command cmd_cache;
const struct command cmd_cache = {
	.name = "cache",
	.summary = "Show, set or restore a drive's volatile write cache",
	.operands = "DEV [on|off|restore]",
	.opts = cache_opts,
	.cfg_size = sizeof(struct cache_cfg),
	.run = run_cache,
	.details =
		"Without a word the drive and the kernel are asked and nothing is changed. What "
		"the drive says and what the kernel believes are separate facts: where they "
		"differ, the command says which way data can be lost and what mends it.\n\n"
		"on and off are done in an order in which the kernel never leaves out flushes "
		"over a cache that is on, and are a success only when the drive reads as asked. "
		"The drive may be mounted: no data is touched. Turning the cache on is safe only "
		"as far as the programs that write sync what they must not lose.\n\n"
		"Before the drive is told anything its state is written to the state journal. "
		"restore puts back what is recorded there for this drive, found by its identity "
		"and not by its name: what a killed run left behind, else the state before the "
		"last deliberate change. Every command says at its start what is pending.\n\n"
		"With --json: write_cache {drive, kernel, queue, fua}, mismatch, pending, "
		"previous, changed, persist (lines that make it last over a power cycle), "
		"warnings.",
	.examples = "ssdqual cache /dev/disk/by-id/ata-MODEL_SERIAL\n"
		    "ssdqual cache /dev/disk/by-id/ata-MODEL_SERIAL off\n"
		    "ssdqual cache --all restore\n",
};
