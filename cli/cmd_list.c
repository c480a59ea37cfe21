/* cmd_list.c - ssdqual list: the drives of this host, and why each is protected. */
#include "cli/command.h"
#include "cli/health.h"
#include "cli/list.h"
#include "cli/seams.h"
#include "cli/table.h"
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"
#include "probes/drive.h"
#include "probes/safety_facts.h"

struct list_cfg {
	bool all, health;
	const char *controller;
};

/* What every drive of the list is looked at with. */
struct list {
	const struct cli *cli;
	const struct safety_facts *facts;
	const struct controller_file *controllers; /* NULL: no file was given */
	bool health;
};

/* One drive's row, as JSON: the table is made from what --json prints. */
static const char *const keys[] = { "path", "by_id", "vendor", "model", "serial", "firmware", "wwn",
	"transport", "link", "capacity_bytes", "logical_block_bytes", "physical_block_bytes",
	"sector_format", "layer", "below", "controller", "nvme", "rotational", "write_cache",
	"not_asked", NULL };

static struct json *pick_keys(const struct json *identity)
{
	struct json *o = json_new_object();

	for (size_t i = 0; keys[i]; i++) {
		const struct json *value = json_get(identity, keys[i]);

		(void)json_set(o, keys[i], value ? json_copy(value) : json_new_null());
	}
	return o;
}

static struct json *inspect(const struct safety_facts *facts, const struct target *t,
	struct err *reterr)
{
	struct safety_report report;
	struct json *uses;

	if (safety_inspect_with(facts, t, &report, reterr) < 0)
		return NULL;
	uses = safety_to_json(&report);
	safety_report_done(&report);
	return uses;
}

/* A drive that cannot be looked at is shown as in use: whoever reads the list to find a free one
 * must not find it. */
static struct json *not_inspected(const char *sysname, const struct err *why)
{
	struct safety_report report = { .use_count = 0 };
	struct json *uses = NULL;

	if (safety_use_add(&report.uses, &report.use_count, "unreadable", sysname, "%s",
			why->msg) == 0)
		uses = safety_to_json(&report);
	safety_report_done(&report);
	return uses;
}

static int add_paths(struct json *drive, const struct sysroot *root, const char *sysname,
	struct err *reterr)
{
	struct json *paths = json_new_array();
	struct sysfs_names names;
	int r = drive_paths(root, sysname, &names, reterr);

	if (r < 0) {
		json_free(paths);
		return r;
	}
	for (size_t i = 0; i < names.count; i++) {
		char path[SYSFS_NAME_MAX + 8];

		(void)snprintf(path, sizeof(path), "/dev/%s", names.name[i]); /* fits */
		sysfs_name_to_node(path + strlen("/dev/"));
		(void)json_append(paths, json_new_str(path));
	}
	sysfs_names_done(&names);
	return json_set(drive, "paths", paths) < 0 ? err_nomem(reterr) : 0;
}

/* The reading, or null and the reason. */
static int add_health(const struct list *list, struct json *drive, const struct json *identity,
	struct err *reterr)
{
	struct smart_health h;
	struct err why = ERR_INIT;
	int bad;

	if (health_read(list->cli, identity, &h, &why) == 0)
		bad = json_set(drive, "health", smart_to_json(&h)) |
			json_set_null(drive, "health_unread");
	else
		bad = json_set_null(drive, "health") |
			json_set_str(drive, "health_unread", why.msg);
	return bad ? err_nomem(reterr) : 0;
}

static int describe_drive(const struct list *list, const char *sysname, struct json **ret,
	struct err *reterr)
{
	const struct safety_facts *facts = list->facts;
	char path[SYSFS_NAME_MAX + 8];
	struct json *identity = NULL, *uses, *drive;
	struct target *t = NULL;
	struct err why = ERR_INIT;
	int r;

	(void)snprintf(path, sizeof(path), "/dev/%s", sysname); /* fits */
	sysfs_name_to_node(path);
	if (target_resolve(&facts->root, path, &t, &why) == 0 && t->kind == TARGET_BLOCK &&
		strcmp(t->sysname, sysname) == 0) {
		uses = inspect(facts, t, &why);
		identity = t->identity;
		t->identity = NULL;
	} else {
		if (drive_identity(&facts->root, sysname, &identity, reterr) < 0) {
			target_free(t);
			return reterr->code;
		}
		uses = not_inspected(sysname, &why);
	}
	target_free(t);
	r = seams_ask(list->cli, list->controllers, identity, reterr);
	drive = pick_keys(identity);
	if (r == 0 && list->health)
		r = add_health(list, drive, identity, reterr);
	json_free(identity);
	if (r == 0)
		r = add_paths(drive, &facts->root, sysname, reterr);
	if (r == 0 && !uses)
		r = why.code ? err_set(reterr, why.kind, why.code, "%s", why.msg) :
			       err_nomem(reterr);
	if (r < 0)
		json_free(uses);
	else if (json_set(drive, "in_use", uses) < 0)
		r = err_nomem(reterr);
	if (r < 0) {
		json_free(drive);
		return r;
	}
	*ret = drive;
	return 0;
}

/* -- for people ----------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void add_capacity(struct table *table, const struct json *drive)
{
	char text[UNITS_BUF];
	uint64_t bytes;

	if (json_u64(json_get(drive, "capacity_bytes"), &bytes))
		table_add(table, units_format_capacity(text, sizeof(text), (double)bytes));
	else
		table_add(table, NULL);
}

/* What the kernel claims; marked where the drive says otherwise or nothing can be said. */
static void add_rotational(struct table *table, const struct json *drive)
{
	const char *verdict = json_str(json_path(drive, "rotational.verdict"));
	bool claimed, reported, known;

	known = json_bool(json_path(drive, "rotational.claimed"), &claimed);
	if (verdict && strcmp(verdict, "volume") == 0) {
		table_add(table, "volume");
	} else if (json_bool(json_path(drive, "rotational.reported"), &reported) && known &&
		reported != claimed) {
		table_add(table, claimed ? "yes!" : "no!");
		table_mark(table, TABLE_POOR);
	} else if (known && verdict && strcmp(verdict, "unknown") == 0) {
		table_add(table, claimed ? "yes?" : "no?");
	} else {
		table_add(table, !known ? "?" : claimed ? "yes" : "no");
	}
}

/* The drive's cache, then the kernel's view: "back" or "through". */
static void add_cache(struct table *table, const struct json *drive)
{
	const char *text = json_str(json_path(drive, "write_cache.drive"));
	bool dangerous;

	table_add(table, !text ? "?" : strcmp(text, "unsupported") == 0 ? "none" : text);
	if (json_bool(json_path(drive, "write_cache.dangerous"), &dangerous) && dangerous)
		table_mark(table, TABLE_POOR);
	text = json_str(json_path(drive, "write_cache.kernel"));
	table_add(table, text ? text + strlen("write ") : "?");
}

/* The first reason and how many more; a drive's own name need not be repeated. */
static void add_use(struct table *table, const struct json *drive)
{
	const struct json *uses = json_get(drive, "in_use"), *first = json_first(uses);
	const char *kind = json_str(json_get(first, "kind"));
	const char *name = json_str(json_get(first, "name"));
	const char *detail = json_str(json_get(first, "detail"));
	char more[16] = "";

	if (!first) {
		table_add(table, "none found");
		table_mark(table, TABLE_GOOD);
		return;
	}
	if (json_len(uses) > 1)
		(void)snprintf(more, sizeof(more), " +%zu", json_len(uses) - 1); /* cut: never */
	if (strcmp(kind, "unreadable") == 0)
		table_addf(table, "unknown: %s %s", name, detail);
	else if (strcmp(name, base_name(json_str(json_get(drive, "path")))) == 0)
		table_addf(table, "%s%s", detail, more);
	else
		table_addf(table, "%s %s%s", name, detail, more);
}

int list_print_drives(struct cli *cli, const struct json *drives, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "DRIVE", .cut = TABLE_CUT_MIDDLE },
		{ .head = "MODEL", .cut = TABLE_CUT_END },
		{ .head = "LINK" }, { .head = "SIZE", .align = TABLE_RIGHT }, { .head = "ROT" },
		{ .head = "CACHE" }, { .head = "WRITE" }, { .head = "USE", .cut = TABLE_CUT_END },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	int r;

	for (const struct json *d = json_first(drives); d; d = json_next(d)) {
		const char *by_id = json_str(json_get(d, "by_id"));
		const char *model = json_str(json_get(d, "model"));
		const char *link = json_str(json_get(d, "transport"));

		table_add(table, by_id ? base_name(by_id) : json_str(json_get(d, "path")));
		table_add(table, model ? model : "?");
		table_add(table, link ? link : "?");
		add_capacity(table, d);
		add_rotational(table, d);
		add_cache(table, d);
		add_use(table, d);
	}
	r = json_len(drives) > 0 ? table_print(table, cli, reterr) : 0;
	table_free(table);
	if (json_len(drives) == 0)
		fprintf(cli->out, "no drives; --all lists virtual devices, too\n");
	return r;
}

static int print_health(struct cli *cli, const struct json *drives, struct err *reterr)
{
	static const struct table_column columns[] = {
		{ .head = "DRIVE", .cut = TABLE_CUT_MIDDLE },
		{ .head = "MODEL", .cut = TABLE_CUT_END },
		{ .head = "SIZE", .align = TABLE_RIGHT }, { .head = "WRITTEN", .align = TABLE_RIGHT },
		{ .head = "USED", .align = TABLE_RIGHT }, { .head = "SPARE", .align = TABLE_RIGHT },
		{ .head = "TEMP", .align = TABLE_RIGHT }, { .head = "HOURS", .align = TABLE_RIGHT },
		{ .head = "HEALTH" },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	int r;

	for (const struct json *d = json_first(drives); d; d = json_next(d)) {
		const char *by_id = json_str(json_get(d, "by_id"));
		const char *model = json_str(json_get(d, "model"));

		table_add(table, by_id ? base_name(by_id) : json_str(json_get(d, "path")));
		table_add(table, model ? model : "?");
		add_capacity(table, d);
		health_add_cells(table, json_get(d, "health"));
	}
	r = json_len(drives) > 0 ? table_print(table, cli, reterr) : 0;
	table_free(table);
	for (const struct json *d = json_first(drives); d && r == 0; d = json_next(d))
		if (json_str(json_get(d, "health_unread")))
			term_warn(cli, "%s: health unknown: %s", json_str(json_get(d, "path")),
				json_str(json_get(d, "health_unread")));
	return r;
}

/* -- the command ---------------------------------------------------------------------------- */

static int add_drives(struct json *drives, const struct list *list, bool all,
	struct err *reterr)
{
	struct sysfs_names names;
	int r = drive_scan(&list->facts->root, all, &names, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < names.count && r == 0; i++) {
		struct json *drive = NULL;

		r = describe_drive(list, names.name[i], &drive, reterr);
		if (r == 0 && json_append(drives, drive) < 0)
			r = err_nomem(reterr);
		else if (r == -ENOENT)
			r = 0; /* unplugged since it was listed */
	}
	sysfs_names_done(&names);
	return r;
}

static void add_lacking(struct json *arr, const struct safety_use *uses, size_t count)
{
	char text[sizeof(uses->name) + sizeof(uses->detail) + 1];

	for (size_t i = 0; i < count; i++) {
		(void)snprintf(text, sizeof(text), "%s %s", uses[i].name, uses[i].detail);
		(void)json_append(arr, json_new_str(text));
	}
}

static int report(struct cli *cli, const struct list *list, bool all, struct err *reterr)
{
	struct json *doc = json_new_object(), *drives = json_new_array();
	struct json *lacking = json_new_array();
	int r = add_drives(drives, list, all, reterr);

	add_lacking(lacking, list->facts->unseen, list->facts->unseen_count);
	add_lacking(lacking, list->facts->unreadable, list->facts->unreadable_count);
	if (r == 0 && !cli->json) {
		r = list->health && json_len(drives) > 0 ? print_health(cli, drives, reterr) :
			list_print_drives(cli, drives, reterr);
		for (const struct json *j = json_first(lacking); j; j = json_next(j))
			term_warn(cli, "%s", json_str(j));
	}
	if (json_set(doc, "drives", drives) < 0 || json_set(doc, "lacking", lacking) < 0) {
		json_free(doc);
		return err_nomem(reterr);
	}
	if (r == 0 && cli->json)
		return cli_emit_json(cli, doc, reterr);
	json_free(doc);
	return r;
}

static int run_list(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct list_cfg *c = cfg;
	struct controller_file *controllers = NULL;
	struct safety_facts *facts = NULL;
	struct sysroot root;
	int r;

	if (argc > 0)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"takes no operand, '%s' is extra; 'ssdqual run' looks at one target", argv[0]);
	r = seams_root(cli, &root, reterr);
	if (r == 0 && c->controller)
		r = controller_load(c->controller, &controllers, reterr);
	if (r == 0)
		r = safety_facts_new(&root, &facts, reterr);
	if (r == 0) {
		struct list list = { .cli = cli, .facts = facts, .controllers = controllers,
			.health = c->health };

		r = report(cli, &list, c->all, reterr);
		safety_facts_free(facts);
	}
	controller_free(controllers);
	return r < 0 ? r : EXIT_DONE;
}

static const struct opt list_opts[] = {
	{ .type = OPT_FLAG, .short_name = 'a', .name = "all", .off = offsetof(struct list_cfg, all),
	  .help = "list loop, zram, nbd, rbd, device-mapper and md devices, too" },
	{ .type = OPT_STRING, .name = "controller", .arg = "FILE",
	  .off = offsetof(struct list_cfg, controller),
	  .help = "what storcli, perccli or ssacli say of RAID virtual disks, as JSON" },
	{ .type = OPT_FLAG, .name = "health", .off = offsetof(struct list_cfg, health),
	  .help = "read each drive's SMART data, too, and list wear and temperature instead" },
	OPT_END
};

extern const struct command cmd_list;
const struct command cmd_list = {
	.name = "list",
	.summary = "List the drives of this host, and who uses them",
	.operands = "",
	.opts = list_opts,
	.cfg_size = sizeof(struct list_cfg),
	.run = run_list,
	.details =
		"A drive is shown by its name in /dev/disk/by-id, or by its path where it has none.\n"
		"ROT is whether the kernel claims that it rotates, with '!' where the drive reports\n"
		"otherwise, with '?' where neither proves it (RAID controllers); CACHE the state of\n"
		"the drive's volatile write cache; WRITE whether the kernel sends flushes to it\n"
		"(write back) or not (write through); USE why it would not be written: \"+2\" stands\n"
		"for two more reasons, which --json has. '?' is unknown. A drive reached over several paths is listed once.\n"
		"\n"
		"With --health: bytes that hosts wrote, percent of the rated life used, spare blocks,\n"
		"temperature, power-on hours, and the drive's own word. '?' is what it does not tell, or\n"
		"tells in a vendor's way that is not known here.\n"
		"\n"
		"Without privileges the list works, and says what it could not look at. What could\n"
		"not be looked at counts as in use.",
	.examples =
		"ssdqual list\n"
		"ssdqual list --health\n"
		"ssdqual list --json | jq -r '.drives[] | select(.in_use == []) | .path'\n",
};
