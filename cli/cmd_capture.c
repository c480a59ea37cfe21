/* cmd_capture.c - ssdqual capture DEV -o DIR: what a bug report about a drive needs. */
#include "cli/command.h"
#include "cli/seams.h"
#include "cli/term.h"

#include "probes/capture.h"

#include <errno.h>
#include <string.h>

struct capture_cfg {
	const char *output;
	bool anonymize, head;
};

static int open_drive(void *ctx, const char *sysname, struct devio *ret, struct err *reterr)
{
	return seams_open_drive(ctx, sysname, ret, reterr);
}

static int report(struct cli *cli, struct json *summary, struct err *reterr)
{
	uint64_t files = 0;

	for (const struct json *j = json_first(json_get(summary, "not_asked")); j;
		j = json_next(j))
		term_warn(cli, "%s", json_str(json_get(j, "why")));
	if (cli->json)
		return cli_emit_json(cli, summary, reterr);
	(void)json_u64(json_get(summary, "files"), &files); /* it is there */
	fprintf(cli->out, "%s: %llu files of", json_str(json_get(summary, "directory")),
		(unsigned long long)files);
	for (const struct json *j = json_first(json_get(summary, "devices")); j; j = json_next(j))
		fprintf(cli->out, " %s", json_str(j));
	fprintf(cli->out, "\nlook at it before you send it; read it with 'ssdqual list --sysroot "
		"%s --replay %s'\n", json_str(json_get(summary, "directory")),
		json_str(json_get(summary, "directory")));
	json_free(summary);
	return EXIT_DONE;
}

static int run_capture(struct cli *cli, const void *cfg, int argc, char **argv,
	struct err *reterr)
{
	const struct capture_cfg *c = cfg;
	struct capture_options o = { .anonymize = c->anonymize, .head = c->head,
		.open_drive = open_drive, .ctx = cli };
	struct json *summary = NULL;
	struct target *t = NULL;
	struct sysroot root;
	int r;

	if (argc != 1)
		return err_set(reterr, ERR_USAGE, -EINVAL, "which device? one, such as /dev/sda");
	if (!c->output)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"where to? name a new folder with -o DIR");
	r = seams_root(cli, &root, reterr);
	if (r == 0)
		r = target_resolve(&root, argv[0], &t, reterr);
	if (r == 0 && t->kind != TARGET_BLOCK)
		r = err_set(reterr, ERR_USAGE, -ENOTBLK, "%s: is no block device; name the drive",
			argv[0]);
	if (r == 0)
		r = capture_write(&root, t->sysname, c->output, &o, &summary, reterr);
	target_free(t);
	return r < 0 ? r : report(cli, summary, reterr);
}

static const struct opt capture_opts[] = {
	{ .type = OPT_STRING, .short_name = 'o', .name = "output", .arg = "DIR",
	  .off = offsetof(struct capture_cfg, output),
	  .help = "the folder to write, new or empty" },
	{ .type = OPT_FLAG, .name = "anonymize", .off = offsetof(struct capture_cfg, anonymize),
	  .help = "replace serial numbers, WWNs, UUIDs, volume names and mount points by "
		  "pseudonyms" },
	{ .type = OPT_FLAG, .name = "head", .off = offsetof(struct capture_cfg, head),
	  .help = "also the first 64 KiB of the device, which can hold data" },
	OPT_END
};

extern const struct command cmd_capture;
const struct command cmd_capture = {
	.name = "capture",
	.summary = "Write what a bug report about a drive needs into a folder",
	.operands = "DEV",
	.opts = capture_opts,
	.cfg_size = sizeof(struct capture_cfg),
	.run = run_capture,
	.details =
		"The folder holds what ssdqual reads of /sys, /proc and /dev for this device and "
		"the ones above and below it, and the drive's raw answers as hex text. It holds no "
		"data of the drive unless --head asks for some, and no host name. Only reading "
		"commands are sent.\n\n"
		"'ssdqual list --sysroot DIR --replay DIR' shows what a capture says, on any "
		"machine.",
	.examples =
		"ssdqual capture /dev/sda -o sda-report --anonymize\n"
		"ssdqual list --sysroot sda-report --replay sda-report\n",
};
