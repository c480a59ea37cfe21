/* cmd_completion.c - ssdqual completion SHELL, and the hidden ssdqual manpage COMMAND. */
#include "cli/completion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes @text: as it is, or with --json as the member @key of a document with @name. */
static int put_out(struct cli *cli, const char *kind, const char *name, const char *key, char *text,
	struct err *reterr)
{
	struct json *doc;

	if (!cli->json) {
		fputs(text, cli->out); /* flushed and checked once, at the end */
		free(text);
		return EXIT_DONE;
	}
	doc = json_new_object();
	if (json_set_str(doc, kind, name) < 0 || json_set_str(doc, key, text) < 0) {
		json_free(doc);
		doc = NULL; /* which cli_emit_json() takes as out of memory */
	}
	free(text);
	return cli_emit_json(cli, doc, reterr);
}

static int run_completion(struct cli *cli, const void *cfg, int argc, char **argv,
	struct err *reterr)
{
	static const struct {
		const char *name;
		int (*print)(FILE *f, struct err *reterr);
	} shells[] = { { "bash", completion_bash }, { "zsh", completion_zsh },
		{ "fish", completion_fish } };
	char *text = NULL;
	size_t len, i = 0;
	FILE *f;
	int rc;

	(void)cfg; /* no options of its own */
	if (argc != 1)
		return err_set(reterr, ERR_USAGE, -EINVAL, "which shell? bash, zsh or fish");
	while (i < 3 && strcmp(argv[0], shells[i].name) != 0)
		i++;
	if (i == 3)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"'%s' is no shell known here; use bash, zsh or fish", argv[0]);
	f = open_memstream(&text, &len);
	if (!f)
		return err_nomem(reterr);
	rc = shells[i].print(f, reterr);
	if (fclose(f) != 0 && rc == 0)
		rc = err_nomem(reterr);
	if (rc < 0) {
		free(text);
		return rc;
	}
	return put_out(cli, "shell", argv[0], "script", text, reterr);
}

extern const struct command cmd_completion;
const struct command cmd_completion = {
	.name = "completion",
	.summary = "Print the completion script of a shell",
	.operands = "bash|zsh|fish",
	.details = "`make install` puts the three where the shells look for them; this is for a "
		   "program that was not installed. Workloads are those known when it is printed.",
	.examples = "source <(ssdqual completion bash)\n"
		    "ssdqual completion fish > ~/.config/fish/completions/ssdqual.fish",
	.run = run_completion,
};

static int run_manpage(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	const struct command *c;
	char *text = NULL;
	size_t len;
	FILE *f;
	int rc;

	(void)cfg; /* no options of its own */
	if (argc != 1)
		return err_set(reterr, ERR_USAGE, -EINVAL, "which command?");
	rc = command_require(argv[0], &c, reterr);
	if (rc < 0)
		return rc;
	f = open_memstream(&text, &len);
	if (!f)
		return err_nomem(reterr);
	manpage_print(f, c);
	if (fclose(f) != 0) {
		free(text);
		return err_nomem(reterr);
	}
	return put_out(cli, "command", argv[0], "page", text, reterr);
}

extern const struct command cmd_manpage;
const struct command cmd_manpage = {
	.name = "manpage",
	.summary = "Print the manual page of a command",
	.operands = "COMMAND",
	.details = "For `make install`.",
	.run = run_manpage,
	.hidden = true,
};
