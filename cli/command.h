/* command.h - a command: its name, its options, its function.
 *
 * To add a command: cli/cmd_NAME.c with one const instance last, one extern and one row in
 * cli/command_table.c, one script tests/cli/NAME.sh. Help, the manual's option list and shell
 * completion come from the tables.
 */
#ifndef SSDQUAL_CLI_COMMAND_H
#define SSDQUAL_CLI_COMMAND_H

#include "cli/opt.h"
#include "data/json.h"

#include <stdio.h>

/* Exit statuses, the same for every command (docs/ssdqual.8, EXIT STATUS). */
enum exit_status {
	EXIT_DONE = 0,      /* done, and every verdict passes */
	EXIT_VERDICT = 1,   /* done, a verdict fails or a regression was found */
	EXIT_USAGE = 2,
	EXIT_REFUSED = 3,
	EXIT_DEVICE = 4,
	EXIT_UNSURE = 5,
	EXIT_INPUT = 6,
	EXIT_SIGINT = 130,
	EXIT_SIGTERM = 143,
};

/* What every command is told about its surroundings. */
struct cli {
	FILE *out, *err;   /* results; everything else */
	bool json;         /* --json: exactly one document on out, also on failure */
	bool color;        /* escape sequences allowed on out */
	bool err_tty;      /* err is a terminal that can redraw a line (not TERM=dumb) */
	bool in_tty;       /* a person can be asked */
	bool utf8;         /* the locale can show more than ASCII */
	bool progress;     /* false: --no-progress or --quiet */
	const char *sysroot; /* --sysroot DIR, or NULL: this machine */
	const char *replay;  /* --replay DIR, or NULL; cli/seams.h says what both mean */
	const char *self;    /* this program as a path to execute; NULL: it may start none of itself */
	int argc; char **argv; /* the whole command line, for the document's tool section */
	bool emitted;      /* cli_emit_json() printed the document; nobody else sets it */
};

struct command {
	const char *name;     /* "run" */
	const char *summary;  /* one line for the list of commands, no full stop */
	const char *operands; /* "TARGET..." or "" */
	const struct opt *opts; /* its own; the common ones (--json, --help, ...) are added */
	size_t cfg_size;
	const void *cfg_defaults; /* cfg_size bytes; NULL: zeros */
	/* Paragraphs below the options in --help, wrapped there: a newline is a space, an empty line
	 * parts them, a line that begins with '-' begins anew, one with a space is kept as it is.
	 * May be NULL. */
	const char *details;
	const char *examples; /* lines of commands, the shortest way to a use first; may be NULL */
	/* Returns an enum exit_status, or -errno with @reterr: the dispatcher prints it (text or
	 * JSON) and maps its kind to the status. */
	int (*run)(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr);
	bool hidden;
};

extern const struct command *const command_table[]; /* NULL-terminated, in display order */
const struct command *command_find(const char *name);
/* command_require - the same; an unknown name is -EINVAL, ERR_USAGE with its near miss. */
int command_require(const char *name, const struct command **ret, struct err *reterr);

/* cli_emit_json - print @j (taken) on cli->out as the command's one document. NULL is taken as out
 * of memory, so that a builder's result can be passed on unchecked. 0 or -errno; a second document
 * is -EALREADY (a bug of the command). */
int cli_emit_json(struct cli *cli, struct json *j, struct err *reterr);
int exit_from_err(const struct err *e); /* ERR_REFUSED -> EXIT_REFUSED ... */

/* Options that every command has beside its own; what they set is struct common_cfg. Their names
 * and letters are taken. */
struct common_cfg {
	bool json, help, no_progress, quiet;
	int color; /* index into auto, always, never */
	const char *sysroot, *replay;
};
extern const struct opt common_opts[];

/* cli_init - streams and surroundings, before any option is read. */
void cli_init(struct cli *cli, int argc, char **argv);
/* cli_main - the whole program but for the process's own set-up: finds the command, reads its
 * options, runs it, reports a failure, flushes. Returns the exit status. */
int cli_main(struct cli *cli);

#endif
