/* help.h - help texts and the description of all commands, made from the tables. */
#ifndef SSDQUAL_CLI_HELP_H
#define SSDQUAL_CLI_HELP_H

#include "cli/command.h"

#define HELP_WIDTH 80

/* Headings of the list of commands (cli/command_table.c): each stands before the command named and
 * holds until the next one. Ends with first == NULL. */
struct command_heading {
	const struct command *first;
	const char *text;
};
extern const struct command_heading command_headings[];

void help_print_commands(FILE *f);                         /* ssdqual help */
void help_print_command(FILE *f, const struct command *c); /* ssdqual help NAME */

/* help_explanation - what @o is for, with what its table knows and the sentence does not say: its
 * words and its default (from the command's @defaults; may be NULL). Returns @buf, cut to @len. */
const char *help_explanation(const struct opt *o, const void *defaults, char *buf, size_t len);

/* The same as JSON, for tools (manual check, completion): {"name", "summary", "heading",
 * "operands", "options": [{"name", "short", "type", "arg", "help", "choices", "hidden"}], "hidden"}.
 * NULL: out of memory. */
struct json *help_command_json(const struct command *c);
struct json *help_all_json(void); /* {"version", "commands": [...], "common_options": [...]} */

#endif
