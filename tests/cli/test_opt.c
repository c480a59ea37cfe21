/* test_opt.c - option tables: what they parse, what they refuse, and that all of ours are sound. */
#include "cli/command.h"

#include "cli/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct cfg {
	bool fill, no_wait, verbose;
	uint64_t count, size, limit, runtime;
	double share;
	const char *name;
	int mode;
	struct opt_list tags;
	uint64_t guard;
};

static const char *const modes[] = { "fast", "slow", "exact", NULL };
static const struct opt opts[] = {
	{ .type = OPT_FLAG, .name = "fill", .off = offsetof(struct cfg, fill), .help = "x" },
	{ .type = OPT_FLAG, .short_name = 'w', .name = "no-wait",
	  .off = offsetof(struct cfg, no_wait), .help = "x" },
	{ .type = OPT_FLAG, .short_name = 'v', .name = "verbose",
	  .off = offsetof(struct cfg, verbose), .help = "x" },
	{ .type = OPT_U64, .short_name = 'n', .name = "count", .off = offsetof(struct cfg, count),
	  .arg = "N", .help = "x", .min = 1, .max = 64 },
	{ .type = OPT_BYTES, .short_name = 's', .name = "size", .off = offsetof(struct cfg, size),
	  .arg = "SIZE", .help = "x", .min = 512, .max = 4 << 20 },
	{ .type = OPT_BYTES, .name = "limit", .off = offsetof(struct cfg, limit), .arg = "SIZE",
	  .help = "x", .min = 4096 },
	{ .type = OPT_DURATION, .name = "runtime", .off = offsetof(struct cfg, runtime),
	  .arg = "TIME", .help = "x", .min = 1000000000, .max = 3600000000000 },
	{ .type = OPT_RATIO, .name = "share", .off = offsetof(struct cfg, share), .arg = "SHARE",
	  .help = "x" },
	{ .type = OPT_STRING, .short_name = 'o', .name = "name", .off = offsetof(struct cfg, name),
	  .arg = "NAME", .help = "x" },
	{ .type = OPT_CHOICE, .name = "mode", .off = offsetof(struct cfg, mode), .arg = "MODE",
	  .choices = modes, .help = "x" },
	{ .type = OPT_LIST, .name = "tag", .off = offsetof(struct cfg, tags), .arg = "TAG",
	  .help = "x" },
	OPT_END
};

#define ARGS_MAX 160
static char command_name[] = "cmd";
static char *args[ARGS_MAX];
static int arg_count;
static struct cfg cfg;
static struct err error;

/* Parses the words of @line; cfg, error and args hold what came of it. */
static int parse(char *line, int *ret_operands)
{
	memset(&cfg, 0, sizeof(cfg));
	cfg.guard = 0x1234;
	memset(&error, 0, sizeof(error));
	arg_count = 0;
	args[arg_count++] = command_name;
	for (char *word = strtok(line, " "); word && arg_count < ARGS_MAX; word = strtok(NULL, " "))
		args[arg_count++] = word;
	return opt_parse(opts, &cfg, arg_count, args, ret_operands, &error);
}

static void takes(const char *line)
{
	static char copy[1024];
	int operands = 0, rc;

	assert_true(strlen(line) < sizeof(copy));
	memcpy(copy, line, strlen(line) + 1);
	rc = parse(copy, &operands);
	if (rc != 0)
		print_error("%s: %s\n", line, error.msg);
	assert_int_equal(rc, 0);
	assert_int_equal(operands, arg_count);
	assert_int_equal(cfg.guard, 0x1234);
}

/* Refused with exactly this message; nothing about operands is said. */
static void refuses(const char *line, const char *message)
{
	static char copy[1024];
	int operands = -7;

	assert_true(strlen(line) < sizeof(copy));
	memcpy(copy, line, strlen(line) + 1);
	assert_int_equal(parse(copy, &operands), -EINVAL);
	assert_int_equal(error.kind, ERR_USAGE);
	assert_string_equal(error.msg, message);
	assert_int_equal(operands, -7);
}

static void reads_each_type(void **state)
{
	(void)state;
	takes("--fill --count 7 --size 4k --limit 1.5GiB --runtime 5m --share 10% --name=x=y "
	      "--mode exact --tag a --tag b");
	assert_true(cfg.fill);
	assert_int_equal(cfg.count, 7);
	assert_int_equal(cfg.size, 4096);
	assert_int_equal(cfg.limit, 3ULL << 29);
	assert_int_equal(cfg.runtime, 300000000000);
	assert_float_equal(cfg.share, 0.1, 1e-12);
	assert_string_equal(cfg.name, "x=y");
	assert_int_equal(cfg.mode, 2);
	assert_int_equal(cfg.tags.count, 2);
	assert_string_equal(cfg.tags.item[1], "b");
}

static void reads_short_options_in_all_their_forms(void **state)
{
	(void)state;
	takes("-vn7 -s 4096 -oout");
	assert_true(cfg.verbose);
	assert_int_equal(cfg.count, 7);
	assert_int_equal(cfg.size, 4096);
	assert_string_equal(cfg.name, "out");
}

static void clears_flags_by_their_opposite(void **state)
{
	(void)state;
	takes("--fill --no-fill --no-wait");
	assert_false(cfg.fill);
	assert_true(cfg.no_wait);
	takes("--no-wait --wait");
	assert_false(cfg.no_wait);
	refuses("--no-no-wait", "unknown option '--no-no-wait'");
	refuses("--no-count", "unknown option '--no-count'");
}

static void lets_the_last_one_win(void **state)
{
	(void)state;
	takes("--count 7 --mode fast --count=9 --mode slow");
	assert_int_equal(cfg.count, 9);
	assert_int_equal(cfg.mode, 1);
}

static void takes_the_bounds_themselves(void **state)
{
	(void)state;
	takes("--count 1 --size 512 --runtime 1");
	takes("--count 64 --size 4M --runtime 1h");
}

static void names_the_allowed_range(void **state)
{
	(void)state;
	refuses("--count 0", "option '--count': '0' is out of range; 1 to 64 is allowed");
	refuses("-n65", "option '-n': '65' is out of range; 1 to 64 is allowed");
	refuses("--size=511", "option '--size': '511' is out of range; 512 to 4MiB is allowed");
	refuses("--size 4097k", "option '--size': '4097k' is out of range; 512 to 4MiB is allowed");
	refuses("--limit 4095", "option '--limit': '4095' is too small; at least 4KiB is needed");
	refuses("--runtime 999ms",
		"option '--runtime': '999ms' is out of range; 1s to 1h is allowed");
	refuses("--count 99999999999999999999",
		"option '--count': '99999999999999999999' is too large");
	assert_int_equal(cfg.count, 0);
}

static void says_what_is_expected(void **state)
{
	(void)state;
	refuses("--count 7x", "option '--count': '7x' is not understood; a whole number is expected");
	refuses("--count -1", "option '--count': '-1' is not understood; a whole number is expected");
	refuses("--count=", "option '--count': '' is not understood; a whole number is expected");
	refuses("--size 4q", "option '--size': '4q' is not understood; a size is expected, as in "
		"4096, 4k or 1.5GiB");
	refuses("--runtime soon", "option '--runtime': 'soon' is not understood; a time is expected, "
		"as in 60, 60s, 5m or 20us");
	refuses("--share much", "option '--share': 'much' is not understood; a share is expected, "
		"as in 10% or 0.1");
	refuses("--mode quick",
		"option '--mode': 'quick' is not one of its words; use fast, slow or exact");
	refuses("--mode", "option '--mode' needs a value: MODE");
	refuses("--fill=yes", "option '--fill' takes no value; 'yes' is given");
}

static void takes_no_abbreviation(void **state)
{
	(void)state;
	refuses("--verb", "unknown option '--verb'; did you mean '--verbose'?");
	refuses("--conut 7", "unknown option '--conut'; did you mean '--count'?");
	refuses("--zzz", "unknown option '--zzz'");
	refuses("-vx", "unknown option '-x' in '-vx'");
}

static void swallows_no_option_as_a_value(void **state)
{
	(void)state;
	refuses("--name --fill", "option '--name' needs a value (NAME), but '--fill' follows");
	refuses("--name --no-fill", "option '--name' needs a value (NAME), but '--no-fill' follows");
	refuses("--name -- x", "option '--name' needs a value (NAME), but '--' follows");
	refuses("-o -v", "option '-o' needs a value (NAME), but '-v' follows");
	takes("--name=--fill");
	assert_string_equal(cfg.name, "--fill");
	takes("--name -");
	assert_string_equal(cfg.name, "-");
}

static void limits_lists(void **state)
{
	char line[1024] = "";
	int operands;

	(void)state;
	for (int i = 0; i < OPT_LIST_MAX; i++)
		memcpy(line + 8 * i, "--tag=x ", 9);
	takes(line);
	assert_int_equal(cfg.tags.count, OPT_LIST_MAX);
	for (int i = 0; i < OPT_LIST_MAX + 1; i++)
		memcpy(line + 8 * i, "--tag=x ", 9);
	assert_int_equal(parse(line, &operands), -EINVAL);
	assert_string_equal(error.msg, "option '--tag' is given more than 64 times");
	assert_int_equal(cfg.guard, 0x1234);
}

static void moves_operands_behind_options(void **state)
{
	static const char *const wanted[] = { "cmd", "--fill", "-n", "7", "--", "a", "-", "b", "-v" };
	char line[] = "a --fill - -n 7 b -- -v";
	int operands = 0;

	(void)state;
	assert_int_equal(parse(line, &operands), 0);
	assert_int_equal(operands, 5);
	assert_int_equal(arg_count, 9);
	for (int i = 0; i < arg_count; i++)
		assert_string_equal(args[i], wanted[i]);
	assert_false(cfg.verbose);
}

static void suggests_near_words_only(void **state)
{
	static const struct {
		const char *typed, *wanted;
	} cases[] = {
		{ "lsit", "list" }, { "valdate", "validate" }, { "ad", "advise" }, { "rnu", "run" },
		{ "l", NULL }, { "xyz", NULL }, { "", NULL },
		{ "a-word-far-longer-than-any-command-would-ever-be-in-this-program", NULL },
	};
	static const char *const words[] = { "list", "run", "validate", "advise" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct suggestion s = SUGGESTION_INIT;

		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			suggest_consider(&s, cases[i].typed, words[k]);
		if (cases[i].wanted)
			assert_string_equal(s.word, cases[i].wanted);
		else
			assert_null(s.word);
	}
}

/* -- our own tables ------------------------------------------------------------------------- */

static size_t size_of(enum opt_type type)
{
	static const size_t sizes[] = {
		[OPT_FLAG] = sizeof(bool), [OPT_U64] = sizeof(uint64_t),
		[OPT_BYTES] = sizeof(uint64_t), [OPT_DURATION] = sizeof(uint64_t),
		[OPT_RATIO] = sizeof(double), [OPT_STRING] = sizeof(const char *),
		[OPT_CHOICE] = sizeof(int), [OPT_LIST] = sizeof(struct opt_list),
	};

	return sizes[type];
}

/* What is wrong with one row, or NULL. */
static const char *fault_of(const struct opt *o, size_t cfg_size)
{
	if (o->type > OPT_LIST)
		return "unknown type";
	if (!islower((unsigned char)o->name[0]) ||
		strspn(o->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(o->name))
		return "name is not [a-z][a-z0-9-]*";
	if (o->off > cfg_size || cfg_size - o->off < size_of(o->type))
		return "offset outside of the config struct";
	if ((o->type == OPT_FLAG) != (o->arg == NULL))
		return "metavariable: needed by all but flags, which have none";
	if ((o->type == OPT_CHOICE) != (o->choices != NULL))
		return "choices: for OPT_CHOICE only, and needed there";
	if (o->max && o->min > o->max)
		return "min above max";
	if ((o->min || o->max) && o->type != OPT_U64 && o->type != OPT_BYTES &&
		o->type != OPT_DURATION)
		return "this type has no range";
	if (!o->help || !*o->help || o->help[strlen(o->help) - 1] == '.')
		return "help: a sentence part without a full stop";
	for (const char *c = o->help; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			return "help: printable ASCII only";
	return NULL;
}

static bool same_name(const struct opt *a, const struct opt *b)
{
	return strcmp(a->name, b->name) == 0 ||
		(a->short_name && a->short_name == b->short_name);
}

static int check_opts(const char *command, const struct opt *table, size_t cfg_size)
{
	int faults = 0;

	for (const struct opt *o = table; o && o->name; o++) {
		const char *fault = fault_of(o, cfg_size);

		for (const struct opt *other = table; other < o; other++)
			if (same_name(o, other))
				fault = "name or letter given twice";
		for (const struct opt *other = common_opts; table != common_opts && other->name;
			other++)
			if (same_name(o, other))
				fault = "name or letter of a common option";
		if (fault) {
			print_error("%s --%s: %s\n", command, o->name, fault);
			faults++;
		}
	}
	return faults;
}

static void finds_faults_in_tables(void **state)
{
	const struct opt good = { .type = OPT_U64, .name = "n", .arg = "N", .help = "x" };
	struct opt bad[2] = { good, OPT_END };

	(void)state;
	assert_null(fault_of(&good, 8));
	assert_non_null(fault_of(&good, 7));
	bad[0].arg = NULL;
	assert_non_null(fault_of(bad, 8));
	bad[0] = good;
	bad[0].name = "Name";
	assert_non_null(fault_of(bad, 8));
	bad[0] = good;
	bad[0].choices = modes;
	assert_non_null(fault_of(bad, 8));
	bad[0] = good;
	bad[0].help = "Sentence.";
	assert_non_null(fault_of(bad, 8));
	bad[0] = good;
	bad[0].min = 2;
	bad[0].max = 1;
	assert_non_null(fault_of(bad, 8));
}

static void all_tables_are_sound(void **state)
{
	int faults = check_opts("(common)", common_opts, sizeof(struct common_cfg));

	(void)state;
	for (size_t i = 0; command_table[i]; i++)
		faults += check_opts(command_table[i]->name, command_table[i]->opts,
			command_table[i]->cfg_size);
	assert_int_equal(faults, 0);
}

static bool is_option_of(const struct opt *table, const char *word)
{
	size_t len = strcspn(word, "=");

	for (const struct opt *o = table; o && o->name; o++) {
		bool negated = o->type == OPT_FLAG && len > 5 && strncmp(word, "--no-", 5) == 0 &&
			strlen(o->name) == len - 5 && strncmp(o->name, word + 5, len - 5) == 0;

		if (negated || (strncmp(word, "--", 2) == 0 && strlen(o->name) == len - 2 &&
				       strncmp(o->name, word + 2, len - 2) == 0))
			return true;
		if (word[1] == o->short_name && word[2] == '\0')
			return true;
	}
	return false;
}

/* One line of EXAMPLES: the command after "ssdqual" exists, and so do the options. */
static int check_example(char *line)
{
	const struct command *c = NULL;
	bool ours = false;

	line[strcspn(line, "#|>;&")] = '\0';
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		if (!ours) {
			ours = strcmp(word, "ssdqual") == 0;
			continue;
		}
		if (strcmp(word, "--") == 0)
			return 0;
		if (!c) {
			c = command_find(word);
			if (c)
				continue;
			print_error("unknown command %s\n", word);
			return 1;
		}
		if (word[0] == '-' && word[1] && !is_option_of(c->opts, word) &&
			!is_option_of(common_opts, word)) {
			print_error("%s has no option %s\n", c->name, word);
			return 1;
		}
	}
	return 0;
}

static void examples_use_what_exists(void **state)
{
	char wrong[] = "sudo ssdqual help --frobnicate", right[] = "ssdqual help -q --no-json help";
	int faults = 0;

	(void)state;
	assert_int_equal(check_example(wrong), 1);
	assert_int_equal(check_example(right), 0);
	for (size_t i = 0; command_table[i]; i++)
		for (const char *s = command_table[i]->examples; s && *s;) {
			size_t len = strcspn(s, "\n");
			char line[512];

			assert_in_range(len, 0, sizeof(line) - 1);
			memcpy(line, s, len);
			line[len] = '\0';
			faults += check_example(line);
			s += len + (s[len] == '\n');
		}
	assert_int_equal(faults, 0);
}

static void all_commands_are_sound(void **state)
{
	(void)state;
	for (size_t i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];

		assert_ptr_equal(command_find(c->name), c);
		assert_non_null(c->run);
		assert_non_null(c->summary);
		assert_true(c->summary[0] && c->summary[strlen(c->summary) - 1] != '.');
		assert_true(c->cfg_size > 0 || (!c->cfg_defaults && (!c->opts || !c->opts->name)));
	}
	assert_null(command_find("no-such-command"));
	assert_null(command_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_type),
		cmocka_unit_test(reads_short_options_in_all_their_forms),
		cmocka_unit_test(clears_flags_by_their_opposite),
		cmocka_unit_test(lets_the_last_one_win),
		cmocka_unit_test(takes_the_bounds_themselves),
		cmocka_unit_test(names_the_allowed_range),
		cmocka_unit_test(says_what_is_expected),
		cmocka_unit_test(takes_no_abbreviation),
		cmocka_unit_test(swallows_no_option_as_a_value),
		cmocka_unit_test(limits_lists),
		cmocka_unit_test(moves_operands_behind_options),
		cmocka_unit_test(suggests_near_words_only),
		cmocka_unit_test(finds_faults_in_tables),
		cmocka_unit_test(all_tables_are_sound),
		cmocka_unit_test(examples_use_what_exists),
		cmocka_unit_test(all_commands_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
