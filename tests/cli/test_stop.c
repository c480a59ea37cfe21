/* test_stop.c - signals as a flag; each case in a process of its own. */
#include "cli/stop.h"

#include "cli/command.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* How a child running @body ends: its exit status, or 1000 + the signal that ended it. */
static int end_of(int (*body)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		/* Whoever started the tests may have had them ignored. */
		(void)signal(SIGINT, SIG_DFL);
		(void)signal(SIGTERM, SIG_DFL);
		(void)signal(SIGHUP, SIG_DFL);
		(void)alarm(60); /* a case that hangs ends, and fails */
		_exit(body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Longer than two signals of one Ctrl-C lie apart. */
static void pause_a_while(void)
{
	struct timespec left = { .tv_nsec = 400000000 };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static int raise_flag(int sig)
{
	struct err e = ERR_INIT;

	if (stop_begin(&e) < 0)
		return 99;
	if (stop_begin(&e) < 0) /* again, as is allowed */
		return 99;
	if (atomic_load(stop_flag()) || stop_signal() != 0 || *stop_signal_word() != '\0')
		return 98;
	(void)raise(sig);
	if (!atomic_load(stop_flag()) || stop_signal() != sig)
		return 97;
	return stop_exit_status();
}

static int raise_int(void)
{
	return raise_flag(SIGINT);
}
static int raise_term(void)
{
	return raise_flag(SIGTERM);
}
static int raise_hup(void)
{
	return raise_flag(SIGHUP);
}

static void each_signal_raises_the_flag(void **state)
{
	(void)state;
	assert_int_equal(end_of(raise_int), EXIT_SIGINT);
	assert_int_equal(end_of(raise_term), EXIT_SIGTERM);
	assert_int_equal(end_of(raise_hup), 128 + SIGHUP);
}

static int two_ints(void)
{
	(void)raise_flag(SIGINT);
	pause_a_while();
	(void)raise(SIGINT);
	return 96;
}

static void a_second_interrupt_ends_at_once(void **state)
{
	(void)state;
	assert_int_equal(end_of(two_ints), 1000 + SIGINT);
}

static int int_and_echo(void)
{
	int status = raise_flag(SIGINT);

	(void)raise(SIGINT);
	return status;
}

static void an_interrupt_passed_on_twice_counts_once(void **state)
{
	int status = -1;

	(void)state;
	/* On a busy machine the two may lie far apart, but not every time. */
	for (int i = 0; i < 20 && status != EXIT_SIGINT; i++)
		status = end_of(int_and_echo);
	assert_int_equal(status, EXIT_SIGINT);
}

static int term_then_term(void)
{
	int status = raise_flag(SIGTERM);

	pause_a_while();
	(void)raise(SIGTERM);
	(void)raise(SIGHUP);
	return stop_signal() == SIGTERM ? status : 95;
}

static void other_signals_wait_for_the_end(void **state)
{
	(void)state;
	assert_int_equal(end_of(term_then_term), EXIT_SIGTERM);
}

static int ignored_hup(void)
{
	(void)signal(SIGHUP, SIG_IGN);
	if (stop_begin(NULL) < 0)
		return 99;
	(void)raise(SIGHUP);
	return atomic_load(stop_flag()) ? 94 : 0;
}

static void stays_deaf_to_what_was_ignored(void **state)
{
	(void)state;
	assert_int_equal(end_of(ignored_hup), 0);
}

static int int_after_end(void)
{
	if (stop_begin(NULL) < 0)
		return 99;
	stop_end();
	stop_end();
	(void)raise(SIGINT);
	return 93;
}

static void afterwards_signals_do_what_they_did(void **state)
{
	(void)state;
	assert_int_equal(end_of(int_after_end), 1000 + SIGINT);
}

static int status_of_stopped_error(void)
{
	struct err e = { .code = -EINTR, .kind = ERR_STOPPED };

	if (exit_from_err(&e) != EXIT_SIGINT)
		return 92;
	(void)raise_flag(SIGTERM);
	return exit_from_err(&e);
}

static void each_kind_of_error_has_its_status(void **state)
{
	static const struct {
		enum err_kind kind;
		int wanted;
	} cases[] = { { ERR_DEVICE, EXIT_DEVICE }, { ERR_UNSUPPORTED, EXIT_DEVICE },
		{ ERR_USAGE, EXIT_USAGE }, { ERR_REFUSED, EXIT_REFUSED },
		{ ERR_UNSURE, EXIT_UNSURE }, { ERR_INPUT, EXIT_INPUT },
		{ ERR_INTERNAL, EXIT_DEVICE } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err e = { .code = -EIO, .kind = cases[i].kind };

		assert_int_equal(exit_from_err(&e), cases[i].wanted);
	}
	assert_int_equal(end_of(status_of_stopped_error), EXIT_SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_signal_raises_the_flag),
		cmocka_unit_test(a_second_interrupt_ends_at_once),
		cmocka_unit_test(an_interrupt_passed_on_twice_counts_once),
		cmocka_unit_test(other_signals_wait_for_the_end),
		cmocka_unit_test(stays_deaf_to_what_was_ignored),
		cmocka_unit_test(afterwards_signals_do_what_they_did),
		cmocka_unit_test(each_kind_of_error_has_its_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
