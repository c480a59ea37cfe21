/* cmd_validate.c - ssdqual validate FILE...: everything that is wrong with a result document. */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "data/result.h"

/* A message less the file's name in front of it, which is said beside every complaint anyway. */
static const char *without_name(const char *msg, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	size_t n = strlen(name);

	if (strncmp(msg, name, n) != 0 || msg[n] != ':')
		return msg;
	msg += n + 1;
	return *msg == ' ' ? msg + 1 : msg;
}

/* Everything wrong with @path into @c. -errno only when it could not be found out. */
static int check_file(const char *path, struct complaints *c, struct err *reterr)
{
	struct err e = ERR_INIT;
	struct json *doc;
	int rc = json_load(path, JSON_FILE_MAX, &doc, &e);

	if (rc < 0 && e.kind == ERR_INPUT) {
		complaints_add(c, "%s", without_name(e.msg, path));
		return 0;
	}
	if (rc < 0)
		return err_set(reterr, e.kind, e.code, "%s", e.msg);
	rc = result_validate(doc, c, reterr);
	json_free(doc);
	return rc;
}

static struct json *file_json(const char *path, const struct complaints *c)
{
	struct json *j = json_new_object(), *errors = json_new_array();
	int bad = 0;

	for (size_t i = 0; i < c->count; i++)
		bad |= json_append(errors, json_new_str(c->line[i]));
	bad |= json_set_str(j, "path", path);
	bad |= json_set_bool(j, "valid", c->count == 0);
	bad |= json_set(j, "errors", errors);
	bad |= json_set_u64(j, "errors_left_out", c->uncounted);
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

static void put_text(struct cli *cli, const char *path, const char *text)
{
	(void)text_print_cut(cli->out, path, SIZE_MAX, cli->utf8); /* cli_main tells errors of out */
	(void)fputs(": ", cli->out);
	(void)text_print_cut(cli->out, text, SIZE_MAX, cli->utf8);
	(void)fputc('\n', cli->out);
}

static void print_file(struct cli *cli, const char *path, const struct complaints *c)
{
	char more[64];

	if (c->count == 0)
		put_text(cli, path, "is valid");
	for (size_t i = 0; i < c->count; i++)
		put_text(cli, path, c->line[i]);
	if (c->uncounted) {
		(void)snprintf(more, sizeof(more), "and %zu more", c->uncounted);
		put_text(cli, path, more);
	}
}

static int run_validate(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	struct json *files = NULL, *doc;
	bool valid = true;
	int rc = 0;

	(void)cfg; /* no options of its own */
	if (argc == 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "a FILE is missing; - is standard input");
	if (cli->json)
		files = json_new_array();
	for (int i = 0; i < argc && rc == 0; i++) {
		struct complaints c = COMPLAINTS_INIT;

		rc = check_file(argv[i], &c, reterr);
		valid = valid && c.count == 0;
		if (rc == 0 && cli->json && json_append(files, file_json(argv[i], &c)) < 0)
			rc = err_nomem(reterr);
		if (rc == 0 && !cli->json)
			print_file(cli, argv[i], &c);
		complaints_done(&c);
	}
	if (rc < 0) {
		json_free(files);
		return rc;
	}
	if (cli->json) {
		doc = json_new_object();
		if (json_set(doc, "files", files) < 0) {
			json_free(doc);
			return err_nomem(reterr);
		}
		rc = cli_emit_json(cli, doc, reterr);
	}
	return rc < 0 ? rc : valid ? EXIT_DONE : EXIT_INPUT;
}

extern const struct command cmd_validate;
const struct command cmd_validate = {
	.name = "validate",
	.summary = "Check result documents against their schema",
	.operands = "FILE...",
	.details = "Every mistake of a file is listed, with its place as a JSON Pointer. Beyond the "
		   "schema, the figures must agree with each other: histogram sums, percentiles, "
		   "rates. The status is 6 when a file is not valid.",
	.examples = "ssdqual validate result.json\nssdqual validate --json *.json",
	.run = run_validate,
};
