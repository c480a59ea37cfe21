/* command_table.c - all commands, in display order. */
#include "cli/command.h"

#include "cli/help.h"

#include <string.h>

extern const struct command cmd_list;
extern const struct command cmd_cache;
extern const struct command cmd_capture;
extern const struct command cmd_run;
extern const struct command cmd_wa;
extern const struct command cmd_show;
extern const struct command cmd_import;
extern const struct command cmd_compare;
extern const struct command cmd_export;
extern const struct command cmd_validate;
extern const struct command cmd_advise;
extern const struct command cmd_verify;
extern const struct command cmd_workload;
extern const struct command cmd_tui;
extern const struct command cmd_completion;
extern const struct command cmd_decode;
extern const struct command cmd_manpage;
extern const struct command cmd_help;

const struct command *const command_table[] = {
	&cmd_list,
	&cmd_cache,
	&cmd_capture,
	&cmd_run,
	&cmd_wa,
	&cmd_show,
	&cmd_import,
	&cmd_compare,
	&cmd_export,
	&cmd_validate,
	&cmd_advise,
	&cmd_verify,
	&cmd_workload,
	&cmd_tui,
	&cmd_decode,
	&cmd_manpage,
	&cmd_help,
	&cmd_completion,
	NULL,
};

const struct command_heading command_headings[] = {
	{ &cmd_list, "Drives" },
	{ &cmd_run, "Measuring" },
	{ &cmd_show, "Results" },
	{ &cmd_advise, "Advice" },
	{ &cmd_tui, "Dashboard" },
	{ &cmd_help, "This program" },
	{ NULL, NULL },
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_table[i]; i++)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	return NULL;
}
