/* cmd_wa.c - ssdqual wa DEV... -- CMD: who writes how much of what a load wrote. */
#include "cli/command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/seams.h"
#include "cli/stop.h"
#include "cli/wa.h"
#include "cli/wa_osd.h"
#include "data/resource.h"
#include "data/schema.h"
#include "data/units.h"
#include "probes/target.h"

enum { TIMELINE_MAX = 100000, DEVICES_MAX = 64 };

struct wa_cfg {
	uint64_t client_bytes, replicas, interval_ns, settle_ns;
	const char *client_from, *osd, *admin_socket, *ec, *from;
	bool capture;
};

/* All that one call works with. */
struct wa {
	struct cli *cli;
	const struct wa_cfg *cfg;
	struct sysroot root;
	struct wa_watch *watch;
	struct wa_osd_side osd;
	struct wa_spread spread;
	struct wa_chain *chain, *tick; /* @count each */
	size_t count;
	struct json *timeline, *doc;
};

/* -- what to watch -------------------------------------------------------------------------- */

static int add_device(struct wa *wa, const char *path, const char *role, struct err *reterr)
{
	struct target *t;
	int r = target_resolve(&wa->root, path, &t, reterr);

	if (r < 0)
		return r;
	if (t->kind != TARGET_BLOCK)
		r = err_set(reterr, ERR_USAGE, -ENOTBLK, "%s: is no block device; name the one "
			"below it%s%s", path, t->fs_source ? ": " : "",
			t->fs_source ? t->fs_source : "");
	else
		r = wa_watch_add(wa->watch, t->sysname, role, reterr);
	target_free(t);
	return r;
}

static int add_devices(struct wa *wa, int argc, char **argv, struct err *reterr)
{
	static const char *const roles[3] = { "data", "db", "wal" };
	int r = 0;

	if (argc > DEVICES_MAX)
		return err_set(reterr, ERR_USAGE, -E2BIG, "at most %d devices at a time",
			DEVICES_MAX);
	wa->watch = wa_watch_new(&wa->root);
	if (!wa->watch)
		return err_nomem(reterr);
	for (int i = 0; i < 3 && r == 0; i++)
		if (wa->osd.device[i])
			r = add_device(wa, wa->osd.device[i], roles[i], reterr);
	for (int i = 0; i < argc && r == 0; i++)
		r = add_device(wa, argv[i], "", reterr);
	if (r < 0)
		return r;
	wa->count = wa_watch_chains(wa->watch);
	wa->chain = calloc(wa->count, sizeof(*wa->chain));
	wa->tick = calloc(wa->count, sizeof(*wa->tick));
	if (!wa->chain || !wa->tick)
		return err_nomem(reterr);
	wa_watch_init(wa->watch, wa->chain);
	return 0;
}

/* "8+3" */
static int read_spread(const struct wa_cfg *c, struct wa_spread *ret, struct err *reterr)
{
	char text[16], *plus;
	uint64_t k, m;

	*ret = (struct wa_spread){ .replicas = (unsigned)c->replicas };
	if (c->ec && c->replicas)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--replicas or --ec: one of them");
	if ((c->ec || c->replicas) && !c->osd && !c->from)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--replicas and --ec tell how many OSDs a write reaches: they need --osd");
	if (!c->ec)
		return 0;
	plus = strlen(c->ec) < sizeof(text) ? strchr(strcpy(text, c->ec), '+') : NULL;
	if (plus)
		*plus = '\0';
	if (!plus || units_parse_u64(text, &k) < 0 || units_parse_u64(plus + 1, &m) < 0 ||
		k < 1 || k > 64 || m > 64)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--ec %s: takes K+M, such as 4+2",
			c->ec);
	ret->k = (unsigned)k;
	ret->m = (unsigned)m;
	return 0;
}

/* -- readings ------------------------------------------------------------------------------- */

static int read_all(struct wa *wa, bool after, struct err *reterr)
{
	int r = wa->osd.used ? wa_osd_side_read(&wa->osd, after, reterr) : 0;

	if (r == 0 && wa_watch_read(wa->watch, after, true, wa->chain) < 0)
		r = err_nomem(reterr);
	return r;
}

static void set_moved(struct json *o, const char *key, const struct wa_counter *c)
{
	struct wa_delta d = wa_delta_of(c);

	if (d.state == WA_MOVED)
		(void)json_set_u64(o, key, (uint64_t)d.bytes);
	else if (d.state == WA_ZERO)
		(void)json_set_u64(o, key, 0);
	else
		(void)json_set_null(o, key);
}

static int on_tick(void *ctx, double seconds, struct err *reterr)
{
	struct wa *wa = ctx;
	struct json *point, *devices;
	int bad;

	if (json_len(wa->timeline) >= TIMELINE_MAX)
		return 0;
	memcpy(wa->tick, wa->chain, wa->count * sizeof(*wa->tick));
	if (wa_watch_read(wa->watch, true, true, wa->tick) < 0)
		return err_nomem(reterr);
	point = json_new_object();
	devices = json_new_array();
	bad = json_set_f64(point, "t_s", seconds);
	for (size_t i = 0; i < wa->count; i++) {
		const struct wa_chain *c = &wa->tick[i];
		struct json *o = json_new_object();

		(void)json_set_str(o, "name", c->name); /* no memory: the append tells */
		set_moved(o, "block_bytes", &c->level[WA_BLOCK]);
		set_moved(o, "disk_bytes", &c->level[WA_DISK]);
		set_moved(o, "host_bytes", &c->level[WA_HOST]);
		set_moved(o, "nand_bytes", &c->level[WA_NAND]);
		bad |= json_append(devices, o);
	}
	bad |= json_set(point, "devices", devices);
	bad |= json_append(wa->timeline, point);
	return bad ? err_nomem(reterr) : 0;
}

/* -- the outcome --------------------------------------------------------------------------- */

static int fill_document(struct wa *wa, const struct wa_child *child, const char *started,
	struct err *reterr)
{
	const struct wa_client_say say = { wa->cfg->client_bytes, wa->cfg->client_from };
	struct json *doc = wa->doc;
	struct wa_counter client;
	int bad = 0, r = wa_client_find(&say, child, &client, reterr);

	if (r < 0)
		return r;
	bad |= json_set_str(doc, "started_at", started);
	bad |= json_set_f64(doc, "seconds", child->seconds);
	bad |= json_set_str(doc, "stopped_by", stop_signal() ? stop_signal_word() : NULL);
	bad |= wa_doc_set_command(doc, child);
	bad |= json_set(doc, "client", wa_counter_json(&client));
	bad |= wa_doc_set_spread(doc, &wa->spread);
	if (wa->osd.used)
		bad |= wa_osd_side_fill(&wa->osd, &wa->spread, wa->chain, wa->count, doc);
	else
		bad |= json_set_null(doc, "osd");
	for (size_t i = 0; i < wa->count && !wa->osd.used; i++)
		wa->chain[i].level[WA_CLIENT] = client;
	bad |= json_set(doc, "timeline", wa->timeline);
	wa->timeline = NULL; /* taken */
	bad |= json_set(doc, "notes", wa_watch_notes(wa->watch));
	return bad ? err_nomem(reterr) : 0;
}

static int show(struct wa *wa, bool *ret_known, struct err *reterr)
{
	struct wa_report r = { .chain = wa->chain, .count = wa->count, .spread = wa->spread,
		.doc = wa->doc };
	int rc;

	r.result = calloc(wa->count, sizeof(*r.result));
	if (!r.result)
		return err_nomem(reterr);
	rc = wa_report_fill(&r, ret_known, reterr);
	if (rc == 0 && wa->cli->json) {
		rc = cli_emit_json(wa->cli, wa->doc, reterr);
		wa->doc = NULL; /* taken */
	} else if (rc == 0) {
		rc = wa_report_text(wa->cli, &r, reterr);
	}
	free(r.result);
	return rc;
}

/* -- with a command ------------------------------------------------------------------------- */

static void settle(uint64_t ns)
{
	struct timespec nap = { .tv_nsec = 100000000 };

	for (; ns > 0 && !stop_signal(); ns -= ns < 100000000 ? ns : 100000000)
		(void)nanosleep(&nap, NULL); /* a signal ends it: that is wanted */
}

/* Done: the command's status, as time(1) and nice(1) pass it on. */
static int status_of(const struct wa_child *c, bool known)
{
	int status = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);

	if (stop_signal())
		return stop_exit_status();
	return status != 0 ? status : known ? EXIT_DONE : EXIT_UNSURE;
}

static int measure(struct wa *wa, char **command, struct err *reterr)
{
	struct wa_child child = { .argv = command, .capture = wa->cfg->capture,
		.interval_ns = wa->cfg->interval_ns, .tick = on_tick, .ctx = wa,
		.out_fd = fileno(wa->cli->json ? wa->cli->err : wa->cli->out) };
	struct err tick_err = ERR_INIT;
	time_t now = time(NULL);
	struct tm tm;
	char started[32];
	bool known = false;
	int r;

	if (!gmtime_r(&now, &tm) || !strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm))
		started[0] = '\0';
	(void)fflush(wa->cli->out); /* in front of what the command prints */
	r = stop_begin(reterr);
	if (r == 0)
		r = read_all(wa, false, reterr);
	if (r < 0)
		return r;
	r = wa_child_run(&child, &tick_err);
	if (r < 0 && child.status == 0 && child.seconds == 0) {
		wa_child_done(&child);
		return err_set(reterr, tick_err.kind, tick_err.code, "%s", tick_err.msg);
	}
	settle(wa->cfg->settle_ns);
	if (r < 0)
		r = wa_warn(wa->doc, "timeline", "%s", tick_err.msg) < 0 ? err_nomem(reterr) : 0;
	if (r == 0)
		r = read_all(wa, true, reterr);
	if (r == 0)
		r = fill_document(wa, &child, started, reterr);
	if (r == 0)
		r = show(wa, &known, reterr);
	wa_child_done(&child);
	return r < 0 ? r : status_of(&child, known);
}

/* How many of the operands stand behind the "--": the command. */
static int command_words(const struct cli *cli)
{
	for (int i = 1; i < cli->argc; i++)
		if (strcmp(cli->argv[i], "--") == 0)
			return cli->argc - i - 1;
	return 0;
}

static int run_with_command(struct wa *wa, int argc, char **argv, struct err *reterr)
{
	int words = command_words(wa->cli), devices = argc - words, r = 0;
	char **command;

	if (words < 1)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"which command? behind --, as in: ssdqual wa /dev/sdb -- fio job.fio");
	if (wa->cfg->admin_socket && !wa->cfg->osd)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--admin-socket needs --osd");
	if (wa->cfg->osd)
		r = wa_osd_side_init(&wa->osd, wa->cfg->osd, wa->cfg->admin_socket, reterr);
	if (r < 0)
		return r;
	if (devices < 1 && !wa->osd.used)
		return err_set(reterr, ERR_USAGE, -EINVAL, "which device? before --, or --osd N");
	r = add_devices(wa, devices, argv, reterr);
	if (r < 0)
		return r;
	command = calloc((size_t)words + 1, sizeof(*command));
	wa->timeline = json_new_array();
	if (!command || !wa->timeline) {
		free(command);
		return err_nomem(reterr);
	}
	memcpy(command, argv + devices, (size_t)words * sizeof(*command));
	r = measure(wa, command, reterr);
	free(command);
	return r;
}

/* -- from a file ---------------------------------------------------------------------------- */

static int check_document(const struct json *doc, const char *name, struct err *reterr)
{
	struct complaints c = COMPLAINTS_INIT;
	struct json *schema;
	int r = resource_load("schema", "wa", &schema, NULL, reterr);

	if (r < 0)
		return r;
	r = schema_check(schema, doc, &c, reterr);
	if (r == 0 && c.count > 0)
		r = err_set(reterr, ERR_INPUT, -EBADMSG, "%s: %s%s", name, c.line[0],
			c.count > 1 ? "; and more" : "");
	complaints_done(&c);
	json_free(schema);
	return r;
}

/* What stands in the document beside the chains is kept; what follows from them is made anew. */
static int run_from_file(struct wa *wa, struct err *reterr)
{
	const char *path = wa->cfg->from;
	const struct json *chains, *spread;
	uint64_t v;
	size_t i = 0;
	bool known;
	int r;

	json_free(wa->doc);
	wa->doc = NULL;
	r = json_load(path, JSON_FILE_MAX, &wa->doc, reterr);
	if (r == 0)
		r = check_document(wa->doc, path, reterr);
	if (r < 0)
		return r;
	chains = json_get(wa->doc, "chains");
	spread = json_get(wa->doc, "spread");
	if (isnan(wa_spread_copies(&wa->spread))) {
		if (json_u64(json_get(spread, "replicas"), &v))
			wa->spread.replicas = (unsigned)v;
		if (json_u64(json_get(spread, "k"), &v))
			wa->spread.k = (unsigned)v;
		if (json_u64(json_get(spread, "m"), &v))
			wa->spread.m = (unsigned)v;
	}
	wa->count = json_len(chains);
	wa->chain = calloc(wa->count, sizeof(*wa->chain));
	if (!wa->chain || wa_doc_set_spread(wa->doc, &wa->spread) < 0)
		return err_nomem(reterr);
	for (const struct json *j = json_first(chains); j && r == 0; j = json_next(j))
		r = wa_chain_from_json(j, path, &wa->chain[i++], reterr);
	json_remove(wa->doc, "warnings");
	if (r == 0)
		r = show(wa, &known, reterr);
	return r < 0 ? r : known ? EXIT_DONE : EXIT_UNSURE;
}

/* -- the command ---------------------------------------------------------------------------- */

static int run_wa(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	struct wa wa = { .cli = cli, .cfg = cfg };
	int r = read_spread(wa.cfg, &wa.spread, reterr);

	if (r == 0)
		r = seams_root(cli, &wa.root, reterr);
	if (r == 0 && !(wa.doc = wa_doc_new(cli)))
		r = err_nomem(reterr);
	if (r == 0 && wa.cfg->from && argc > 0)
		r = err_set(reterr, ERR_USAGE, -EINVAL,
			"--from reads a file; no devices, no command");
	if (r == 0)
		r = wa.cfg->from ? run_from_file(&wa, reterr) :
				   run_with_command(&wa, argc, argv, reterr);
	wa_watch_free(wa.watch);
	wa_osd_side_done(&wa.osd);
	free(wa.chain);
	free(wa.tick);
	json_free(wa.timeline);
	json_free(wa.doc);
	return r;
}

#define OFF(member) offsetof(struct wa_cfg, member)

static const struct opt wa_opts[] = {
	{ .type = OPT_BYTES, .name = "client-bytes", .arg = "SIZE", .off = OFF(client_bytes),
	  .help = "the load writes this much; otherwise it is read from what CMD prints" },
	{ .type = OPT_STRING, .name = "client-from", .arg = "FILE", .off = OFF(client_from),
	  .help = "read it from this file, which CMD writes, as with fio --output=FILE" },
	{ .type = OPT_FLAG, .name = "capture", .off = OFF(capture),
	  .help = "read what CMD prints, and copy it (the default); --no-capture leaves CMD's "
		  "output alone" },
	{ .type = OPT_STRING, .name = "osd", .arg = "N[=DATA,DB,WAL]", .off = OFF(osd),
	  .help = "the client is what this OSD of this host was given to write; it is asked for "
		  "its devices where they are not named" },
	{ .type = OPT_STRING, .name = "admin-socket", .arg = "PATH", .off = OFF(admin_socket),
	  .help = "the OSD's, where it is not below /run/ceph" },
	{ .type = OPT_U64, .name = "replicas", .arg = "N", .off = OFF(replicas),
	  .min = 1, .max = 16, .help = "copies that the pool keeps: gives the cluster's factor" },
	{ .type = OPT_STRING, .name = "ec", .arg = "K+M", .off = OFF(ec),
	  .help = "the pool's erasure code instead" },
	{ .type = OPT_DURATION, .name = "interval", .arg = "TIME", .off = OFF(interval_ns),
	  .min = 100000000, .help = "read the counters this often as well: a timeline" },
	{ .type = OPT_DURATION, .name = "settle", .arg = "TIME", .off = OFF(settle_ns),
	  .help = "wait this long between the end of CMD and the second reading" },
	{ .type = OPT_STRING, .name = "from", .arg = "FILE", .off = OFF(from),
	  .help = "counters from a file: a document of wa --json, or written by hand" },
	OPT_END
};

static const struct wa_cfg wa_defaults = { .client_bytes = WA_NOT_SAID, .capture = true };

extern const struct command cmd_wa;
const struct command cmd_wa = {
	.name = "wa",
	.summary = "Measure write amplification while a command runs",
	.operands = "[DEV...] -- CMD [ARG...]",
	.opts = wa_opts,
	.cfg_size = sizeof(struct wa_cfg),
	.cfg_defaults = &wa_defaults,
	.run = run_wa,
	.details =
		"Reads the counters of each level before and after CMD: what the load wrote "
		"(client), what the kernel wrote to DEV (block), what the drive counted (host), "
		"what went into its flash (nand), and says the factor between each two. Everything "
		"that is written to DEV meanwhile counts, by whomever. Nothing is written by this "
		"program.\n\n"
		"A factor's bounds follow from the steps of its counters and hold for certain. No "
		"factor is made from a counter that is missing, was reset, or did not move.\n\n"
		"The status is CMD's; 5 where it is 0 and no factor is known.",
	.examples =
		"ssdqual wa /dev/sdb -- fio --output-format=json job.fio\n"
		"ssdqual wa --client-bytes 1T --interval 60 /dev/nvme0n1 -- ./load.sh\n"
		"ssdqual wa --osd 3 --replicas 3 -- rbd bench --io-type write rbd/test\n"
		"ssdqual wa --from counters.json\n",
};
