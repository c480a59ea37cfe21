/* opt.h - options as data: one table a command, from which parsing, help and the manual derive.
 *
 * Adding an option: one row in the command's table and one member in its config struct.
 * Names and meanings, once shipped, are never changed (docs/ssdqual.8 lists them).
 */
#ifndef SSDQUAL_CLI_OPT_H
#define SSDQUAL_CLI_OPT_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {
	OPT_FLAG,     /* bool; --no-NAME clears it */
	OPT_U64,      /* uint64_t, checked against min and max */
	OPT_BYTES,    /* uint64_t; "4k" and "4KiB" are 4096 as in fio, "4kB" is 4000 */
	OPT_DURATION, /* uint64_t, ns; "60", "60s", "5m", "20us"; a bare number is seconds */
	OPT_RATIO,    /* double; "10%" or "0.1" */
	OPT_STRING,   /* const char *, borrowed from argv */
	OPT_CHOICE,   /* int: index into choices */
	OPT_LIST,     /* struct opt_list: may be given several times */
};

#define OPT_LIST_MAX 64
struct opt_list {
	const char *item[OPT_LIST_MAX]; /* borrowed from argv */
	size_t count;
};

struct opt {
	enum opt_type type;
	char short_name;  /* 0: none */
	const char *name; /* long name without dashes */
	size_t off;       /* offsetof() in the config struct */
	const char *arg;  /* metavariable for help: "SIZE"; NULL for flags */
	const char *help; /* one sentence part, lower case, no full stop */
	uint64_t min, max;           /* U64, BYTES, DURATION; max 0: no limit */
	const char *const *choices;  /* CHOICE: NULL-terminated words */
	bool hidden;                 /* not in help (seams for tests and bug reports) */
};
#define OPT_END { .name = NULL }

/* opt_parse - read @argv (argv[0] is the command's name) into @cfg, which holds the defaults.
 * Options and operands may be mixed; "--" ends options. @ret_operands: index of the first operand
 * in the permuted argv. 0, or -EINVAL and ERR_USAGE with the option and the remedy named.
 * --help is not handled here: the dispatcher looks for it first. */
int opt_parse(const struct opt *opts, void *cfg, int argc, char **argv, int *ret_operands,
	struct err *reterr);

#endif
