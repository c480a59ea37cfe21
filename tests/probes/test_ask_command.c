/* Another program's answer, its failures and its delays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/ask_command.h"

#define LONG_NS  60000000000U
#define SHORT_NS 100000000U

static int shell(const char *script, uint64_t timeout_ns, char **out, size_t *len, struct err *e)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	return ask_command(argv, timeout_ns, out, len, e);
}

static void gives_all_of_the_output_and_no_input(void **state)
{
	struct err e = ERR_INIT;
	char *out = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(shell("cat; echo err >&2; printf abc", LONG_NS, &out, &len, &e), 0);
	assert_string_equal(out, "abc");
	assert_int_equal(len, 3);
	free(out);
	assert_int_equal(shell("head -c 300000 /dev/zero | tr '\\0' x", LONG_NS, &out, &len, &e), 0);
	assert_int_equal(len, 300000);
	assert_int_equal(strspn(out, "x"), 300000);
	free(out);
	assert_int_equal(shell(":", LONG_NS, &out, &len, &e), 0);
	assert_string_equal(out, "");
	free(out);
}

static void says_why_it_failed(void **state)
{
	const char *const none[] = { "ssdqual-no-such-program", NULL };
	struct err e = ERR_INIT;
	char *out = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(shell("echo first >&2; echo 'rbd: (2) not found' >&2; exit 2", LONG_NS, &out,
		&len, &e), -EIO);
	assert_string_equal(e.msg, "sh: rbd: (2) not found");
	assert_int_equal(e.kind, ERR_DEVICE);
	assert_int_equal(shell("exit 3", LONG_NS, &out, &len, &e), -EIO);
	assert_int_equal(shell("kill -9 $$", LONG_NS, &out, &len, &e), -EIO);
	/* More than is kept of standard error: the end of it counts. */
	assert_int_equal(shell("i=0; while [ $i -lt 200 ]; do echo 0123456789 >&2; i=$((i+1)); done; "
		"echo last >&2; exit 1", LONG_NS, &out, &len, &e), -EIO);
	assert_string_equal(e.msg, "sh: last");
	assert_int_equal(ask_command(none, LONG_NS, &out, &len, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_UNSUPPORTED);
	assert_null(out);
}

static void ends_what_takes_too_long_with_all_that_it_started(void **state)
{
	struct err e = ERR_INIT;
	char *out = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(shell("sleep 1000 & sleep 1000", SHORT_NS, &out, &len, &e), -ETIMEDOUT);
	assert_non_null(strstr(e.msg, "0.1 s"));
	/* It closes its outputs and stays. */
	assert_int_equal(shell("exec >&- 2>&-; sleep 1000", SHORT_NS, &out, &len, &e), -ETIMEDOUT);
	assert_null(out);
}

static void refuses_an_endless_answer(void **state)
{
	struct err e = ERR_INIT;
	char *out = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(shell("cat /dev/zero", LONG_NS, &out, &len, &e), -EFBIG);
	assert_null(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_all_of_the_output_and_no_input),
		cmocka_unit_test(says_why_it_failed),
		cmocka_unit_test(ends_what_takes_too_long_with_all_that_it_started),
		cmocka_unit_test(refuses_an_endless_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
