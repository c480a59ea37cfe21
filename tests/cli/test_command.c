/* test_command.c - the dispatcher and the help, with commands made for the test.
 *
 * The tables below stand in for cli/command_table.c: the linker takes the first it finds.
 */
#include "cli/help.h"
#include "cli/opt_show.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct fake_cfg {
	uint64_t size, runtime;
	double share;
	int mode;
	const char *name;
	bool fill, wait;
};
static const struct fake_cfg fake_defaults = {
	.size = 64 << 10, .runtime = 90000000000, .share = 0.25, .mode = 1, .name = "drive",
	.wait = true,
};
static const char *const modes[] = { "fast", "slow", NULL };
static const struct opt fake_opts[] = {
	{ .type = OPT_BYTES, .short_name = 's', .name = "size", .arg = "SIZE",
	  .off = offsetof(struct fake_cfg, size), .help = "span to test" },
	{ .type = OPT_DURATION, .name = "runtime", .arg = "TIME",
	  .off = offsetof(struct fake_cfg, runtime),
	  .help = "time of each row, which is said here at such a length that it must be wrapped" },
	{ .type = OPT_RATIO, .name = "share", .arg = "SHARE",
	  .off = offsetof(struct fake_cfg, share), .help = "share of the drive" },
	{ .type = OPT_CHOICE, .name = "mode", .arg = "MODE", .choices = modes,
	  .off = offsetof(struct fake_cfg, mode), .help = "how" },
	{ .type = OPT_STRING, .name = "a-name-that-is-long", .arg = "NAME",
	  .off = offsetof(struct fake_cfg, name), .help = "what to call it; default drive" },
	{ .type = OPT_FLAG, .name = "fill", .off = offsetof(struct fake_cfg, fill),
	  .help = "write first" },
	{ .type = OPT_FLAG, .name = "wait", .off = offsetof(struct fake_cfg, wait),
	  .help = "wait for the end" },
	{ .type = OPT_FLAG, .name = "secret", .off = offsetof(struct fake_cfg, fill),
	  .help = "not shown", .hidden = true },
	OPT_END
};

/* What the command saw, and what it is to do. */
static struct fake_cfg seen;
static int seen_argc;
static const char *seen_arg;
static bool seen_progress, seen_color;
static int to_return, to_emit;
static enum err_kind to_fail;

static int run_fake(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	seen = *(const struct fake_cfg *)cfg;
	seen_argc = argc;
	seen_arg = argc ? argv[0] : NULL;
	seen_progress = cli->progress;
	seen_color = cli->color;
	for (int i = 0; i < to_emit; i++) {
		int rc = cli_emit_json(cli, json_new_str("a document"), reterr);

		if (rc < 0)
			return rc;
	}
	if (to_return < 0 && to_fail != ERR_KIND_COUNT)
		return err_set(reterr, to_fail, to_return, "sda: it broke; mend it");
	return to_return;
}

static int run_bare(struct cli *cli, const void *cfg, int argc, char **argv, struct err *reterr)
{
	(void)argc;
	(void)argv;
	(void)reterr;
	assert_non_null(cfg);
	fputs("bare\n", cli->out);
	return EXIT_DONE;
}

static const struct command cmd_fake = {
	.name = "fake", .summary = "Stand in for a command", .operands = "TARGET...",
	.opts = fake_opts, .cfg_size = sizeof(struct fake_cfg), .cfg_defaults = &fake_defaults,
	.details = "A paragraph that is so long that it does not fit into one line of a terminal's "
		   "eighty columns.\nStill the same.\n\n  kept   as it is\nAnother one.\n--item: "
		   "begins anew, and where it is long the rest of it stands further to the right.",
	.examples = "  ssdqual fake sda\n\n  ssdqual fake --size 4k \\\n      sdb\n"
		    "  ssdqual fake --a-name-that-is-long 'quoted words stay together' --runtime 60s "
		    "/dev/disk/by-id/ata-MODEL_SERIAL",
	.run = run_fake,
};
static const struct command cmd_bare = { .name = "bare", .summary = "Do little", .run = run_bare };
static const struct command cmd_dark = {
	.name = "dark", .summary = "Do it unseen", .run = run_bare, .hidden = true,
};

const struct command *const command_table[] = { &cmd_fake, &cmd_bare, &cmd_dark, NULL };
const struct command_heading command_headings[] = { { &cmd_bare, "Little ones" }, { NULL, NULL } };

const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_table[i]; i++)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	return NULL;
}

static char *out, *err_text;

/* Runs the words of @line; what came out is in out and err_text. Returns the status. */
static int run(const char *line)
{
	static char name[] = "ssdqual", copy[512];
	char *argv[32] = { name };
	size_t out_len = 0, err_len = 0;
	struct cli cli;
	int argc = 1, status;

	free(out);
	free(err_text);
	out = err_text = NULL;
	assert_true(strlen(line) < sizeof(copy));
	memcpy(copy, line, strlen(line) + 1);
	for (char *word = strtok(copy, " "); word && argc < 31; word = strtok(NULL, " "))
		argv[argc++] = word;
	cli_init(&cli, argc, argv);
	cli.out = open_memstream(&out, &out_len);
	cli.err = open_memstream(&err_text, &err_len);
	assert_non_null(cli.out);
	assert_non_null(cli.err);
	status = cli_main(&cli);
	assert_int_equal(fclose(cli.out), 0);
	assert_int_equal(fclose(cli.err), 0);
	return status;
}

static int reset(void **state)
{
	(void)state;
	to_return = to_emit = 0;
	to_fail = ERR_KIND_COUNT;
	memset(&seen, 0, sizeof(seen));
	seen_argc = -1;
	return 0;
}

static int release(void **state)
{
	(void)state;
	free(out);
	free(err_text);
	out = err_text = NULL;
	return 0;
}

static void expect_error(const char *code, int status, const char *message)
{
	struct json *doc = NULL;
	uint64_t number = 0;

	assert_int_equal(json_parse(out, strlen(out), "out", &doc, NULL), 0);
	assert_string_equal(json_str(json_path(doc, "error.code")), code);
	assert_string_equal(json_str(json_path(doc, "error.message")), message);
	assert_true(json_u64(json_path(doc, "error.exit_status"), &number));
	assert_int_equal(number, status);
	json_free(doc);
}

static void commands_get_defaults_options_and_operands(void **state)
{
	(void)state;
	assert_int_equal(run("fake a --size 4k b --no-wait"), EXIT_DONE);
	assert_int_equal(seen.size, 4096);
	assert_int_equal(seen.runtime, 90000000000);
	assert_string_equal(seen.name, "drive");
	assert_false(seen.wait);
	assert_int_equal(seen_argc, 2);
	assert_string_equal(seen_arg, "a");
	assert_true(seen_progress);
	assert_string_equal(err_text, "");
}

static void common_options_stand_anywhere(void **state)
{
	(void)state;
	assert_int_equal(run("--color always -q fake a"), EXIT_DONE);
	assert_true(seen_color);
	assert_false(seen_progress);
	assert_int_equal(seen_argc, 1);
	assert_int_equal(run("fake a --color=always --color never --no-progress"), EXIT_DONE);
	assert_false(seen_color);
	assert_false(seen_progress);
	assert_int_equal(run("--size 4k fake"), EXIT_USAGE);
}

static void colour_follows_the_environment(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("NO_COLOR"), 0);
	assert_int_equal(setenv("CLICOLOR_FORCE", "1", 1), 0);
	assert_int_equal(run("fake"), EXIT_DONE);
	assert_true(seen_color);
	assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
	assert_int_equal(run("fake"), EXIT_DONE);
	assert_false(seen_color);
	assert_int_equal(run("fake --color=always"), EXIT_DONE);
	assert_true(seen_color);
	assert_int_equal(setenv("NO_COLOR", "", 1), 0);
	assert_int_equal(setenv("CLICOLOR_FORCE", "0", 1), 0);
	assert_int_equal(run("fake"), EXIT_DONE);
	assert_false(seen_color);
	to_emit = 1;
	assert_int_equal(run("fake --json --color=always"), EXIT_DONE);
	assert_false(seen_color);
	assert_int_equal(unsetenv("NO_COLOR"), 0);
	assert_int_equal(unsetenv("CLICOLOR_FORCE"), 0);
}

static void statuses_pass_through(void **state)
{
	(void)state;
	to_return = EXIT_VERDICT;
	assert_int_equal(run("fake"), EXIT_VERDICT);
	to_return = EXIT_SIGTERM;
	assert_int_equal(run("fake"), EXIT_SIGTERM);
	assert_string_equal(err_text, "");
}

static void failures_are_one_line_and_a_status(void **state)
{
	(void)state;
	to_return = -EBUSY;
	to_fail = ERR_REFUSED;
	assert_int_equal(run("fake"), EXIT_REFUSED);
	assert_string_equal(err_text, "ssdqual: fake: sda: it broke; mend it\n");
	assert_string_equal(out, "");
	assert_int_equal(run("fake --json"), EXIT_REFUSED);
	expect_error("refused", EXIT_REFUSED, "sda: it broke; mend it");
	assert_string_equal(err_text, "ssdqual: fake: sda: it broke; mend it\n");
	to_fail = ERR_USAGE;
	assert_int_equal(run("fake"), EXIT_USAGE);
	assert_string_equal(err_text,
		"ssdqual: fake: sda: it broke; mend it\ntry 'ssdqual fake --help'\n");
}

static void a_failure_without_words_still_says_something(void **state)
{
	(void)state;
	to_return = -ENODEV;
	assert_int_equal(run("fake --json"), EXIT_DEVICE);
	expect_error("internal", EXIT_DEVICE, "No such device");
}

static void a_document_is_owed_and_owed_once(void **state)
{
	(void)state;
	assert_int_equal(run("fake --json"), EXIT_DEVICE);
	expect_error("internal", EXIT_DEVICE, "no JSON document was made");
	to_emit = 1;
	assert_int_equal(run("fake --json"), EXIT_DONE);
	assert_string_equal(out, "\"a document\"\n");
	to_emit = 2;
	assert_int_equal(run("fake --json"), EXIT_DEVICE);
	assert_string_equal(out, "\"a document\"\n");
	assert_non_null(strstr(err_text, "a second JSON document"));
	to_emit = 1;
	to_return = -EIO;
	to_fail = ERR_DEVICE;
	assert_int_equal(run("fake --json"), EXIT_DEVICE);
	assert_string_equal(out, "\"a document\"\n");
}

static void output_that_cannot_be_written_is_a_failure(void **state)
{
	char name[] = "ssdqual", bare[] = "bare", *argv[] = { name, bare, NULL };
	size_t len = 0;
	struct cli cli;

	(void)state;
	cli_init(&cli, 2, argv);
	cli.out = fopen("/dev/full", "w");
	if (!cli.out) {
		print_message("/dev/full cannot be opened\n");
		skip();
	}
	cli.err = open_memstream(&err_text, &len);
	assert_non_null(cli.err);
	assert_int_equal(cli_main(&cli), EXIT_DEVICE);
	assert_int_equal(fclose(cli.err), 0);
	(void)fclose(cli.out);
	assert_string_equal(err_text, "ssdqual: standard output: No space left on device\n");
}

static void help_comes_from_the_tables(void **state)
{
	(void)state;
	assert_int_equal(run("fake --nonsense --help"), EXIT_DONE);
	assert_int_equal(seen_argc, -1);
	assert_string_equal(out,
		"Usage: ssdqual fake [OPTIONS] TARGET...\n"
		"\n"
		"Stand in for a command.\n"
		"\n"
		"Examples:\n"
		"  ssdqual fake sda\n"
		"\n"
		"  ssdqual fake --size 4k \\\n"
		"      sdb\n"
		"  ssdqual fake --a-name-that-is-long 'quoted words stay together' --runtime \\\n"
		"      60s /dev/disk/by-id/ata-MODEL_SERIAL\n"
		"\n"
		"Options:\n"
		"  -s, --size SIZE           span to test (default: 64KiB)\n"
		"      --runtime TIME        time of each row, which is said here at such a\n"
		"                            length that it must be wrapped (default: 90s)\n"
		"      --share SHARE         share of the drive (default: 25%)\n"
		"      --mode MODE           how: fast or slow (default: slow)\n"
		"      --a-name-that-is-long NAME\n"
		"                            what to call it; default drive\n"
		"      --fill                write first\n"
		"      --wait                wait for the end (default: on; --no-wait turns it\n"
		"                            off)\n"
		"\n"
		"Common options:\n"
		"      --json                print one JSON document on standard output, also on\n"
		"                            failure\n"
		"  -h, --help                show this help\n"
		"  -q, --quiet               print results, warnings and errors only\n"
		"      --no-progress         show no progress on standard error\n"
		"      --color WHEN          use color: auto (on a terminal), always or never\n"
		"\n"
		"A paragraph that is so long that it does not fit into one line of a terminal's\n"
		"eighty columns. Still the same.\n"
		"\n"
		"  kept   as it is\n"
		"Another one.\n"
		"--item: begins anew, and where it is long the rest of it stands further to the\n"
		"    right.\n");
}

static void the_list_of_commands_is_grouped(void **state)
{
	const char *other, *little;

	(void)state;
	assert_int_equal(run("--help"), EXIT_DONE);
	other = strstr(out, "\nOther:\n  fake       Stand in for a command\n");
	little = strstr(out, "\nLittle ones:\n  bare       Do little\n");
	assert_non_null(other);
	assert_non_null(little);
	assert_true(other < little);
	assert_non_null(strstr(out, "\nExamples:\n  ssdqual fake sda\n\n"));
	assert_null(strstr(out, "dark"));
	assert_int_equal(run("dark"), EXIT_DONE);
	assert_int_equal(run("drak"), EXIT_USAGE);
	assert_null(strstr(err_text, "dark"));
}

static void numbers_are_shown_as_options_take_them(void **state)
{
	static const struct {
		enum opt_type type;
		uint64_t v;
		const char *wanted;
	} cases[] = {
		{ OPT_U64, 4096, "4096" }, { OPT_BYTES, 0, "0" }, { OPT_BYTES, 4096, "4KiB" },
		{ OPT_BYTES, 4097, "4097" }, { OPT_BYTES, UINT64_MAX, "18446744073709551615" },
		{ OPT_BYTES, 3ULL << 40, "3TiB" }, { OPT_DURATION, 5400000000000, "90m" },
		{ OPT_DURATION, 1500000, "1500us" }, { OPT_DURATION, 1, "1ns" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(opt_show_number(cases[i].type, cases[i].v, buf, sizeof(buf)),
			cases[i].wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(commands_get_defaults_options_and_operands, reset),
		cmocka_unit_test_setup(common_options_stand_anywhere, reset),
		cmocka_unit_test_setup(colour_follows_the_environment, reset),
		cmocka_unit_test_setup(statuses_pass_through, reset),
		cmocka_unit_test_setup(failures_are_one_line_and_a_status, reset),
		cmocka_unit_test_setup(a_failure_without_words_still_says_something, reset),
		cmocka_unit_test_setup(a_document_is_owed_and_owed_once, reset),
		cmocka_unit_test_setup(output_that_cannot_be_written_is_a_failure, release),
		cmocka_unit_test_setup(help_comes_from_the_tables, reset),
		cmocka_unit_test_setup(the_list_of_commands_is_grouped, reset),
		cmocka_unit_test(numbers_are_shown_as_options_take_them),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
