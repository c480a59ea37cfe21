/* command.c - finds the command, reads its options, runs it, reports how it went. */
#include "cli/command.h"

#include "cli/help.h"
#include "cli/pending.h"
#include "cli/stop.h"
#include "cli/suggest.h"
#include "cli/term.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
static const char *const color_words[] = { "auto", "always", "never", NULL };

const struct opt common_opts[] = {
	{ .type = OPT_FLAG, .name = "json", .off = offsetof(struct common_cfg, json),
	  .help = "print one JSON document on standard output, also on failure" },
	{ .type = OPT_FLAG, .short_name = 'h', .name = "help",
	  .off = offsetof(struct common_cfg, help), .help = "show this help" },
	{ .type = OPT_FLAG, .short_name = 'q', .name = "quiet",
	  .off = offsetof(struct common_cfg, quiet),
	  .help = "print results, warnings and errors only" },
	{ .type = OPT_FLAG, .name = "no-progress", .off = offsetof(struct common_cfg, no_progress),
	  .help = "show no progress on standard error" },
	{ .type = OPT_CHOICE, .name = "color", .off = offsetof(struct common_cfg, color),
	  .arg = "WHEN", .choices = color_words,
	  .help = "use color: auto (on a terminal), always or never" },
	{ .type = OPT_STRING, .name = "sysroot", .off = offsetof(struct common_cfg, sysroot),
	  .arg = "DIR", .hidden = true,
	  .help = "read /sys, /proc and /dev of a capture in DIR instead of this machine's" },
	{ .type = OPT_STRING, .name = "replay", .off = offsetof(struct common_cfg, replay),
	  .arg = "DIR", .hidden = true,
	  .help = "take the answers of drive NAME from the files in DIR/NAME" },
	OPT_END
};

int command_require(const char *name, const struct command **ret, struct err *reterr)
{
	const struct command *c = command_find(name);
	struct suggestion near = SUGGESTION_INIT;

	if (c) {
		*ret = c;
		return 0;
	}
	for (size_t i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			suggest_consider(&near, name, command_table[i]->name);
	if (near.word)
		(void)err_set(reterr, ERR_USAGE, -EINVAL,
			"unknown command '%s'; did you mean '%s'?", name, near.word);
	else
		(void)err_set(reterr, ERR_USAGE, -EINVAL, "unknown command '%s'", name);
	return -EINVAL;
}

void cli_init(struct cli *cli, int argc, char **argv)
{
	*cli = (struct cli){ .out = stdout, .err = stderr, .argc = argc, .argv = argv };
	cli->err_tty = term_is_capable(stderr);
	cli->in_tty = isatty(STDIN_FILENO);
	cli->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	cli->progress = true;
}

int exit_from_err(const struct err *e)
{
	switch (e->kind) {
	case ERR_USAGE:
		return EXIT_USAGE;
	case ERR_REFUSED:
		return EXIT_REFUSED;
	case ERR_UNSURE:
		return EXIT_UNSURE;
	case ERR_INPUT:
		return EXIT_INPUT;
	case ERR_STOPPED:
		return stop_exit_status();
	case ERR_DEVICE:
	case ERR_UNSUPPORTED:
	case ERR_INTERNAL:
	case ERR_KIND_COUNT:
		break;
	}
	return EXIT_DEVICE;
}

int cli_emit_json(struct cli *cli, struct json *j, struct err *reterr)
{
	char *text = j ? json_print(j, true) : NULL;

	json_free(j);
	if (!text)
		return err_nomem(reterr);
	if (cli->emitted) {
		free(text);
		return err_set(reterr, ERR_INTERNAL, -EALREADY,
			"a second JSON document was about to be printed");
	}
	term_status_done(cli);
	fputs(text, cli->out); /* flushed and checked once, at the end */
	free(text);
	cli->emitted = true;
	return 0;
}

static struct json *error_json(const struct err *e, int status)
{
	struct json *doc = json_new_object(), *error = json_new_object();

	if (json_set_str(error, "code", err_kind_word(e->kind)) < 0 ||
		json_set_str(error, "message", e->msg) < 0 ||
		json_set_u64(error, "exit_status", (uint64_t)status) < 0) {
		json_free(error);
		error = NULL;
	}
	if (json_set(doc, "error", error) < 0) {
		json_free(doc);
		return NULL;
	}
	return doc;
}

/* Prints the failure of @command (NULL: of none); returns the exit status. */
static int report(struct cli *cli, const char *command, const struct err *e)
{
	int status = exit_from_err(e);
	struct err again = ERR_INIT;

	term_status_done(cli);
	if (cli->json && !cli->emitted && cli_emit_json(cli, error_json(e, status), &again) < 0)
		fprintf(cli->err, "ssdqual: %s\n", again.msg);
	fprintf(cli->err, "ssdqual: %s%s%s\n", command ? command : "", command ? ": " : "", e->msg);
	if (e->kind == ERR_USAGE)
		fprintf(cli->err, "try 'ssdqual %s%s--help'\n", command ? command : "",
			command ? " " : "");
	return status;
}

/* Whether @name (or its letter) stands among the options; for what has to be known before, or
 * although, they cannot be read. Returns its index, 0: no. */
static int find_arg(int argc, char **argv, const char *name, const char *letter)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], name) == 0 || (letter && strcmp(argv[i], letter) == 0))
			return i;
	return 0;
}

static bool color_wanted(const struct cli *cli, int color)
{
	const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");

	if (cli->json || color == COLOR_NEVER)
		return false;
	if (color == COLOR_ALWAYS)
		return true;
	if (no && *no)
		return false;
	if (force && *force && strcmp(force, "0") != 0)
		return true;
	return term_is_capable(cli->out);
}

static int require_folder(const char *option, const char *path, struct err *reterr)
{
	struct stat st;

	if (!path)
		return 0;
	if (stat(path, &st) < 0)
		return err_set(reterr, ERR_INPUT, -errno, "%s %s: %s", option, path,
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(reterr, ERR_INPUT, -ENOTDIR, "%s %s: not a folder", option, path);
	return 0;
}

static int apply_common(struct cli *cli, const struct common_cfg *common, struct err *reterr)
{
	int r;

	cli->json = common->json;
	cli->progress = !common->quiet && !common->no_progress;
	cli->color = color_wanted(cli, common->color);
	cli->sysroot = common->sysroot;
	cli->replay = common->replay;
	r = require_folder("--sysroot", cli->sysroot, reterr);
	return r < 0 ? r : require_folder("--replay", cli->replay, reterr);
}

/* One table and one block of memory for the common options and the command's own. */
struct merged {
	struct opt *opts;
	char *cfg;       /* struct common_cfg, then the command's */
	size_t own_off;
};

static void merged_done(struct merged *m)
{
	free(m->opts);
	free(m->cfg);
	*m = (struct merged){ 0 };
}

static size_t opt_count(const struct opt *opts)
{
	size_t n = 0;

	while (opts && opts[n].name)
		n++;
	return n;
}

static int merged_init(struct merged *m, const struct command *c, struct err *reterr)
{
	size_t common = opt_count(common_opts), own = opt_count(c->opts);
	size_t align = _Alignof(max_align_t);

	*m = (struct merged){ .own_off = (sizeof(struct common_cfg) + align - 1) / align * align };
	m->opts = calloc(common + own + 1, sizeof(*m->opts));
	m->cfg = calloc(1, m->own_off + (c->cfg_size ? c->cfg_size : 1));
	if (!m->opts || !m->cfg) {
		merged_done(m);
		(void)err_nomem(reterr);
		return -ENOMEM;
	}
	memcpy(m->opts, common_opts, common * sizeof(*m->opts));
	for (size_t i = 0; i < own; i++) {
		m->opts[common + i] = c->opts[i];
		m->opts[common + i].off += m->own_off;
	}
	if (c->cfg_defaults)
		memcpy(m->cfg + m->own_off, c->cfg_defaults, c->cfg_size);
	return 0;
}

/* The command's function, and what it owes: a document with --json. */
static int call(struct cli *cli, const struct command *c, const void *cfg, int argc, char **argv,
	struct err *reterr)
{
	int rc = c->run(cli, cfg, argc, argv, reterr);

	if (rc < 0) {
		if (reterr->code == 0)
			return err_set(reterr, ERR_INTERNAL, rc, "%s", strerror(-rc));
		return rc;
	}
	if (cli->json && !cli->emitted)
		return err_set(reterr, ERR_INTERNAL, -ENODATA, "no JSON document was made");
	return rc;
}

static int print_help(struct cli *cli, const struct command *c, struct err *reterr)
{
	if (cli->json)
		return cli_emit_json(cli, help_command_json(c), reterr);
	help_print_command(cli->out, c);
	return EXIT_DONE;
}

/* Reads @args (args[0] is @c's name) and does what they say. */
static int parse_and_call(struct cli *cli, const struct command *c, struct merged *m, int argc,
	char **args, struct err *reterr)
{
	const struct common_cfg *common = (const void *)m->cfg;
	int rc, first = 1;

	/* Whoever asks for help may not know yet what else to write. */
	if (find_arg(argc, args, "--help", "-h"))
		return print_help(cli, c, reterr);
	rc = opt_parse(m->opts, m->cfg, argc, args, &first, reterr);
	if (rc < 0)
		return rc;
	rc = apply_common(cli, common, reterr);
	if (rc < 0)
		return rc;
	if (common->help) /* in a group of letters */
		return print_help(cli, c, reterr);
	/* Not to whoever is about to put it back. */
	if (argc == first || strcmp(args[argc - 1], "restore") != 0)
		pending_report(cli);
	return call(cli, c, m->cfg + m->own_off, argc - first, args + first, reterr);
}

static int run_command(struct cli *cli, const struct command *c, int argc, char **args)
{
	struct err e = ERR_INIT;
	struct merged m;
	int rc;

	rc = merged_init(&m, c, &e);
	if (rc == 0) {
		rc = parse_and_call(cli, c, &m, argc, args, &e);
		merged_done(&m);
	}
	term_status_done(cli);
	return rc < 0 ? report(cli, c->name, &e) : rc;
}

/* Whether nobody reads @f any more. Asked from the descriptor, because the errno of a write that
 * stdio did on its own is lost. */
static bool reader_is_gone(FILE *f)
{
	struct pollfd p = { .fd = fileno(f), .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP));
}

/* Everything written must have arrived; a reader that has gone away needs no message. */
static int flush(struct cli *cli, int status)
{
	bool bad = ferror(cli->out) != 0;
	int code;

	errno = 0;
	if (fflush(cli->out) == 0 && !bad)
		return status;
	code = errno;
	if (code != EPIPE && !reader_is_gone(cli->out))
		fprintf(cli->err, "ssdqual: standard output: %s\n",
			code ? strerror(code) : "not everything could be written; disk full?");
	return status <= EXIT_VERDICT ? EXIT_DEVICE : status;
}

/* Position of the command's name: options may stand before it. 0: there is none. */
static int find_command(const struct cli *cli)
{
	for (int i = 1; i < cli->argc; i++) {
		const char *arg = cli->argv[i];

		if (arg[0] != '-')
			return i;
		if (strcmp(arg, "--color") == 0 || strcmp(arg, "--sysroot") == 0 ||
			strcmp(arg, "--replay") == 0)
			i++;
	}
	return 0;
}

static int print_version(struct cli *cli, struct err *reterr)
{
	struct json *doc;

	if (!cli->json) {
		fputs("ssdqual " SSDQUAL_VERSION "\n", cli->out);
		return 0;
	}
	doc = json_new_object();
	if (json_set_str(doc, "version", SSDQUAL_VERSION) < 0) {
		json_free(doc);
		return err_nomem(reterr);
	}
	return cli_emit_json(cli, doc, reterr);
}

static int without_command(struct cli *cli)
{
	struct err e = ERR_INIT;
	int rc = 0;

	if (find_arg(cli->argc, cli->argv, "--version", "-V")) {
		rc = print_version(cli, &e);
	} else if (find_arg(cli->argc, cli->argv, "--help", "-h")) {
		if (cli->json)
			rc = cli_emit_json(cli, help_all_json(), &e);
		else
			help_print_commands(cli->out);
	} else {
		rc = err_set(&e, ERR_USAGE, -EINVAL, "which command? 'ssdqual help' lists them");
	}
	return rc < 0 ? report(cli, NULL, &e) : EXIT_DONE;
}

/* The command's arguments: its name, options from before it, what followed it. */
static int with_command(struct cli *cli, int at)
{
	const struct command *c;
	struct err e = ERR_INIT;
	char **args;
	int status;

	if (command_require(cli->argv[at], &c, &e) < 0)
		return report(cli, NULL, &e);
	args = calloc((size_t)cli->argc, sizeof(*args));
	if (!args) {
		(void)err_nomem(&e);
		return report(cli, c->name, &e);
	}
	args[0] = cli->argv[at];
	for (int i = 1; i < cli->argc; i++)
		if (i != at)
			args[i < at ? i : i - 1] = cli->argv[i];
	status = run_command(cli, c, cli->argc - 1, args);
	free(args);
	return status;
}

int cli_main(struct cli *cli)
{
	int at = find_command(cli), status;

	cli->json = find_arg(cli->argc, cli->argv, "--json", NULL) != 0;
	status = at ? with_command(cli, at) : without_command(cli);
	return flush(cli, status);
}
