/* wa.h - the parts of `ssdqual wa`: a command watched from outside, the document, the table. */
#ifndef SSDQUAL_CLI_WA_H
#define SSDQUAL_CLI_WA_H

#include "cli/command.h"
#include "policies/wa.h"

/* -- a command of the user's ---------------------------------------------------------------- */

struct wa_child {
	char **argv;  /* NULL-terminated; argv[0] is looked for on PATH */
	bool capture; /* what it prints on its standard output is copied and kept */
	int out_fd;   /* where its standard output goes, or the copy of it */
	uint64_t interval_ns;          /* 0: no ticks */
	int (*tick)(void *ctx, double seconds, struct err *reterr);
	void *ctx;
	/* answer */
	char *text;   /* captured; NULL: nothing. Owned */
	size_t len, room;
	bool cut;     /* there was more than is kept (WA_CLIENT_TEXT_MAX) */
	int status;   /* as of waitpid() */
	double seconds;
};

/* wa_child_run - run it and wait for its end. Its input and errors are ours. After stop_begin():
 * SIGTERM and SIGHUP are passed on, SIGINT, too, unless it comes from the terminal, which tells the
 * command itself; the wait goes on until the command has ended. ERR_USAGE, -ENOENT ...: it cannot
 * be started. A failed tick ends the ticks, not the command, and is returned. */
int wa_child_run(struct wa_child *c, struct err *reterr);
void wa_child_done(struct wa_child *c);

/* -- the document --------------------------------------------------------------------------- */

/* How many bytes the client wrote, where the user says it, or in which file it stands. */
#define WA_NOT_SAID UINT64_MAX
struct wa_client_say {
	uint64_t bytes;   /* WA_NOT_SAID: not said */
	const char *file; /* NULL: in what the command printed */
};
/* wa_client_find - where it is not known, @ret has the reason: no failure of the measurement. 0, or
 * -ENOMEM. */
int wa_client_find(const struct wa_client_say *say, const struct wa_child *child,
	struct wa_counter *ret, struct err *reterr);

struct json *wa_doc_new(const struct cli *cli); /* format and tool; NULL: no memory */
int wa_doc_set_command(struct json *doc, const struct wa_child *c); /* and a warning; -ENOMEM */
int wa_doc_set_spread(struct json *doc, const struct wa_spread *s);

/* -- what is shown -------------------------------------------------------------------------- */

struct wa_report {
	const struct wa_chain *chain;
	size_t count;
	struct wa_result *result; /* one a chain; owned by the caller */
	struct wa_spread spread;
	struct json *doc; /* all else, by the keys of data/schema/wa.json; owned by the caller */
};

/* wa_report_fill - judge the chains into @r->result, add `chains`, `cluster` and `warnings` to
 * @r->doc.
 * @ret_known: a factor is known. -ENOMEM. */
int wa_report_fill(struct wa_report *r, bool *ret_known, struct err *reterr);
int wa_report_text(struct cli *cli, const struct wa_report *r, struct err *reterr);

/* wa_warn - append {code, text} to the document's warnings. */
int wa_warn(struct json *doc, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
