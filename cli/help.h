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

/* The same as JSON, for tools (manual check, completion): {"name", "summary", "heading",
 * "operands", "options": [{"name", "short", "type", "arg", "help", "choices", "hidden"}], "hidden"}.
 * NULL: out of memory. */
struct json *help_command_json(const struct command *c);
struct json *help_all_json(void); /* {"version", "commands": [...], "common_options": [...]} */

#endif
