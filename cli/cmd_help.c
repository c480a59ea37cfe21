/* cmd_help.c - ssdqual help [COMMAND]: the commands, or one of them. */
#include "cli/help.h"

#include <errno.h>

static int run_help(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct command *c = NULL;
	int rc;

	(void)cfg; /* no options of its own */
	if (argc > 1)
		return err_set(reterr, ERR_USAGE, -EINVAL, "one command at a time; '%s' is extra",
			argv[1]);
	if (argc == 1) {
		rc = command_require(argv[0], &c, reterr);
		if (rc < 0)
			return rc;
	}
	if (cli->json)
		return cli_emit_json(cli, c ? help_command_json(c) : help_all_json(), reterr);
	if (c)
		help_print_command(cli->out, c);
	else
		help_print_commands(cli->out);
	return EXIT_DONE;
}

extern const struct command cmd_help;
const struct command cmd_help = {
	.name = "help",
	.summary = "Explain a command, or list all commands",
	.operands = "[COMMAND]",
	.examples = "ssdqual help run",
	.run = run_help,
};
