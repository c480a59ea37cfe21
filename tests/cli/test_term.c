/* test_term.c - the status line on a pseudo terminal and in a log. */
#include "cli/term.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

#define CLEAR "\r\033[K"

/* A terminal of 40 columns whose screen the test reads. */
struct screen {
	int master;
	struct cli cli;
};

static void open_screen(struct screen *s)
{
	struct winsize size = { .ws_row = 25, .ws_col = 40 };
	struct termios raw;
	int slave;

	*s = (struct screen){ .master = posix_openpt(O_RDWR | O_NOCTTY) };
	assert_true(s->master >= 0);
	assert_int_equal(grantpt(s->master), 0);
	assert_int_equal(unlockpt(s->master), 0);
	slave = open(ptsname(s->master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	assert_int_equal(unsetenv("COLUMNS"), 0);
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
	s->cli.out = s->cli.err = fdopen(slave, "w");
	assert_non_null(s->cli.err);
	s->cli.err_tty = term_is_capable(s->cli.err);
	s->cli.utf8 = s->cli.progress = true;
	assert_true(s->cli.err_tty);
}

/* What has been written since the last call. */
static void expect_screen(struct screen *s, const char *wanted)
{
	char seen[1024];
	ssize_t got = 0;

	assert_int_equal(fflush(s->cli.err), 0);
	assert_int_equal(fcntl(s->master, F_SETFL, O_NONBLOCK), 0);
	for (ssize_t n = 1; n > 0; got += n > 0 ? n : 0)
		n = read(s->master, seen + got, sizeof(seen) - 1 - (size_t)got);
	seen[got] = '\0';
	assert_string_equal(seen, wanted);
}

static void close_screen(struct screen *s)
{
	term_status_done(&s->cli);
	assert_int_equal(fclose(s->cli.err), 0);
	assert_int_equal(close(s->master), 0);
}

static void redraws_one_line(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	term_status(&s.cli, "one %d", 1);
	expect_screen(&s, CLEAR "one 1");
	term_status(&s.cli, "two");
	expect_screen(&s, CLEAR "two");
	term_status_done(&s.cli);
	expect_screen(&s, CLEAR);
	term_status_done(&s.cli);
	expect_screen(&s, "");
	close_screen(&s);
}

static void keeps_notes_above_the_status_line(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	term_status(&s.cli, "busy");
	term_note(&s.cli, "done: %s", "row");
	expect_screen(&s, CLEAR "busy" CLEAR "done: row\n" CLEAR "busy");
	term_warn(&s.cli, "hot");
	expect_screen(&s, CLEAR "ssdqual: warning: hot\n" CLEAR "busy");
	close_screen(&s);
}

static void never_wraps_nor_lets_text_drive_the_terminal(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	term_status(&s.cli, "%s", "0123456789012345678901234567890123456789");
	expect_screen(&s, CLEAR "01234567890123456789012345678901234567\xe2\x80\xa6");
	term_status(&s.cli, "%s", "a\033[2J\nb");
	expect_screen(&s, CLEAR "a?[2J?b");
	close_screen(&s);
}

static void leaves_the_line_from_a_signal_handler(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	term_leave();
	expect_screen(&s, "");
	term_status(&s.cli, "busy");
	term_leave();
	expect_screen(&s, CLEAR "busy" CLEAR);
	close_screen(&s);
}

static void is_silent_when_asked(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	s.cli.progress = false;
	term_status(&s.cli, "busy");
	term_note(&s.cli, "note");
	term_status_done(&s.cli);
	expect_screen(&s, "");
	term_warn(&s.cli, "warnings are told");
	expect_screen(&s, "ssdqual: warning: warnings are told\n");
	close_screen(&s);
}

static void writes_plain_lines_rarely_into_a_log(void **state)
{
	struct cli cli = { .progress = true, .utf8 = true };
	char *text = NULL;
	size_t len = 0;

	(void)state;
	cli.out = cli.err = open_memstream(&text, &len);
	assert_non_null(cli.err);
	for (int i = 0; i < 1000; i++)
		term_status(&cli, "step %d", i);
	term_note(&cli, "note");
	term_status_done(&cli);
	term_status(&cli, "next phase"); /* said at once: it is another status */
	term_status_done(&cli);
	assert_int_equal(fclose(cli.err), 0);
	assert_string_equal(text, "step 0\nnote\nnext phase\n");
	free(text);
}

static void knows_its_width(void **state)
{
	static const struct {
		const char *columns;
		int wanted;
	} cases[] = { { NULL, 40 }, { "100", 100 }, { "3", 20 }, { "99999", 1000 }, { "", 40 },
		{ "-5", 40 }, { "80x", 40 }, { "99999999999999999999", 40 } };
	struct screen s;

	(void)state;
	open_screen(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].columns)
			assert_int_equal(setenv("COLUMNS", cases[i].columns, 1), 0);
		assert_int_equal(term_width(s.cli.err), cases[i].wanted);
	}
	assert_int_equal(unsetenv("COLUMNS"), 0);
	assert_int_equal(setenv("TERM", "dumb", 1), 0);
	assert_false(term_is_capable(s.cli.err));
	assert_int_equal(unsetenv("TERM"), 0);
	assert_false(term_is_capable(s.cli.err));
	close_screen(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(redraws_one_line),
		cmocka_unit_test(keeps_notes_above_the_status_line),
		cmocka_unit_test(never_wraps_nor_lets_text_drive_the_terminal),
		cmocka_unit_test(leaves_the_line_from_a_signal_handler),
		cmocka_unit_test(is_silent_when_asked),
		cmocka_unit_test(writes_plain_lines_rarely_into_a_log),
		cmocka_unit_test(knows_its_width),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
