/* completion.h - completions of the shells and manual pages, made from the command tables.
 *
 * An option's values: the words of a choice, names of workloads and batteries where the option is
 * called so, files where its metavariable says FILE, DIR, PATH or SOCKET, else nothing. Of operands:
 * the lower-case words of command.operands, and files where it names some.
 */
#ifndef SSDQUAL_CLI_COMPLETION_H
#define SSDQUAL_CLI_COMPLETION_H

#include "cli/command.h"

enum complete_files { FILES_NONE, FILES_ANY, FILES_DIR };

/* What may stand for a value or an operand. */
struct complete_words {
	char *words; /* joined by blanks, "" for none; the caller frees it */
	enum complete_files files;
};

/* Both return 0 or -ENOMEM, and other errors where the workloads cannot be listed. */
int complete_option(const struct opt *o, struct complete_words *ret, struct err *reterr);
int complete_operands(const struct command *c, struct complete_words *ret, struct err *reterr);

/* complete_takes_value - false for flags. */
bool complete_takes_value(const struct opt *o);

int completion_bash(FILE *f, struct err *reterr);
int completion_zsh(FILE *f, struct err *reterr);
int completion_fish(FILE *f, struct err *reterr);

/* manpage_print - ssdqual-NAME(8) in mdoc: summary, options, details and examples of @c. */
void manpage_print(FILE *f, const struct command *c);

#endif
