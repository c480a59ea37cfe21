/* test_table.c - tables and text in terminal columns. */
#include "cli/table.h"

#include "cli/text.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct table_column two[] = {
	{ .head = "DRIVE", .cut = TABLE_CUT_MIDDLE },
	{ .head = "IOPS", .align = TABLE_RIGHT },
};

/* What @t looks like on a screen of @columns. Caller frees. */
static char *drawn(struct table *t, const char *columns, bool utf8, bool color)
{
	struct cli cli = { .utf8 = utf8, .color = color };
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;

	cli.out = cli.err = open_memstream(&text, &len);
	assert_non_null(cli.out);
	if (columns)
		assert_int_equal(setenv("COLUMNS", columns, 1), 0);
	else
		assert_int_equal(unsetenv("COLUMNS"), 0);
	assert_int_equal(table_print(t, &cli, &e), 0);
	assert_int_equal(fclose(cli.out), 0);
	table_free(t);
	return text;
}

static void expect(struct table *t, const char *columns, bool utf8, bool color, const char *wanted)
{
	char *text = drawn(t, columns, utf8, color);

	assert_string_equal(text, wanted);
	free(text);
}

static struct table *small_table(void)
{
	struct table *t = table_new(two, 2);

	table_add(t, "sda");
	table_addf(t, "%d", 97);
	table_add(t, "nvme0n1");
	table_addf(t, "%d", 19700);
	return t;
}

static void aligns_columns_by_their_widest_cell(void **state)
{
	(void)state;
	expect(small_table(), NULL, true, false,
		"DRIVE     IOPS\n"
		"sda         97\n"
		"nvme0n1  19700\n");
}

static void indents_every_line(void **state)
{
	struct table *t = small_table();

	(void)state;
	table_indent(t, 2);
	expect(t, NULL, true, false,
		"  DRIVE     IOPS\n"
		"  sda         97\n"
		"  nvme0n1  19700\n");
}

static void leaves_no_space_at_line_ends(void **state)
{
	static const struct table_column columns[] = {
		{ .head = "A" }, { .head = "B" }, { .head = NULL }
	};
	struct table *t = table_new(columns, 3);

	(void)state;
	table_add(t, "long cell");
	table_end_row(t);
	table_add(t, "");
	table_add(t, "b");
	table_add(t, "c");
	table_add(t, "x"); /* an unfinished row */
	expect(t, NULL, true, false,
		"A          B\n"
		"long cell\n"
		"           b  c\n"
		"x\n");
}

static void prints_no_heads_when_there_are_none(void **state)
{
	static const struct table_column columns[] = { { .head = NULL }, { .head = NULL } };
	struct table *t = table_new(columns, 2);

	(void)state;
	table_add(t, "model");
	table_add(t, NULL);
	expect(t, NULL, true, false, "model  unknown\n");
}

static void cuts_the_chosen_column_in_the_middle(void **state)
{
	struct table *t = table_new(two, 2);

	(void)state;
	table_add(t, "ata-Samsung_SSD_860_PRO_512GB_S5HTNS0NB00001A");
	table_add(t, "12345");
	expect(t, "28", true, false,
		"DRIVE                   IOPS\n"
		"ata-Samsun\xe2\x80\xa6S0NB00001A  12345\n");
}

static void marks_only_repeat_in_colour_what_words_say(void **state)
{
	struct table *t = table_new(two, 2);

	(void)state;
	table_add(t, "sda");
	table_add(t, "fail");
	table_mark(t, TABLE_BAD);
	expect(t, NULL, true, true,
		"\033[1mDRIVE\033[0m  \033[1mIOPS\033[0m\n"
		"sda    \033[31mfail\033[0m\n");
}

static void counts_wide_characters_as_two_columns(void **state)
{
	struct table *t = table_new(two, 2);

	(void)state;
	table_add(t, "\xe9\x9b\xbb\xe6\xb0\xa3"); /* two ideographs */
	table_add(t, "1");
	table_add(t, "abcd");
	table_add(t, "2");
	expect(t, NULL, true, false,
		"DRIVE  IOPS\n"
		"\xe9\x9b\xbb\xe6\xb0\xa3      1\n"
		"abcd      2\n");
}

static void shows_nothing_that_could_drive_a_terminal(void **state)
{
	struct table *t = table_new(two, 2);

	(void)state;
	table_add(t, "a\033[2Jb\n\xff\xc2\x9b"); /* escape, newline, a broken byte, C1 CSI */
	table_add(t, "1");
	expect(t, NULL, true, false,
		"DRIVE      IOPS\n"
		"a?[2Jb???     1\n");
}

static void falls_back_to_ascii(void **state)
{
	struct table *t = table_new(two, 2);

	(void)state;
	table_add(t, "\xc2\xb5\xe9\x9b\xbb" "abcdefghijklmnopqrstuvwxyz");
	table_add(t, "1");
	expect(t, "24", false, false,
		"DRIVE               IOPS\n"
		"??abcde...stuvwxyz     1\n");
}

/* No screen makes a cut table wider than itself, and no row loses its other columns. */
static void fits_every_screen_from_20_columns(void **state)
{
	(void)state;
	for (int columns = 20; columns <= 200; columns++) {
		struct table *t = table_new(two, 2);
		char width[8], *text;

		table_add(t, "ata-Samsung_SSD_860_PRO_512GB_S5HTNS0NB00001A");
		table_add(t, "12345");
		table_add(t, "\xe9\x9b\xbb\xe6\xb0\xa3\xe9\x9b\xbb\xe6\xb0\xa3\xe9\x9b\xbb\xe6\xb0\xa3"
			     "\xe9\x9b\xbb\xe6\xb0\xa3\xe9\x9b\xbb\xe6\xb0\xa3\xe9\x9b\xbb");
		table_add(t, "67890");
		(void)snprintf(width, sizeof(width), "%d", columns);
		text = drawn(t, width, true, false);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(text_width(line, true), 0, columns);
		free(text);
	}
}

static void takes_no_table_for_out_of_memory(void **state)
{
	struct cli cli = { .out = stdout, .err = stderr };
	struct err e = ERR_INIT;

	(void)state;
	assert_null(table_new(two, 0));
	assert_null(table_new(two, TABLE_COLUMNS_MAX + 1));
	table_add(NULL, "x");
	table_addf(NULL, "%d", 1);
	table_mark(NULL, TABLE_BAD);
	table_end_row(NULL);
	assert_int_equal(table_print(NULL, &cli, &e), -ENOMEM);
	assert_int_equal(e.code, -ENOMEM);
	assert_int_equal(e.kind, ERR_INTERNAL);
	table_free(NULL);
}

static void wraps_words(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	fputs("    ", f);
	text_wrap(f, "one two\nthree a-word-longer-than-the-line  four", 4, 4, 14);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text,
		"    one two\n"
		"    three\n"
		"    a-word-longer-than-the-line\n"
		"    four");
	free(text);
}

static void wrapped_text_cannot_drive_a_terminal(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	text_wrap(f, "the model \"A\x1b[31mB\" \xff is \u00b5s", 0, 0, 80);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "the model \"A?[31mB\" ? is \u00b5s");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligns_columns_by_their_widest_cell),
		cmocka_unit_test(indents_every_line),
		cmocka_unit_test(leaves_no_space_at_line_ends),
		cmocka_unit_test(prints_no_heads_when_there_are_none),
		cmocka_unit_test(cuts_the_chosen_column_in_the_middle),
		cmocka_unit_test(marks_only_repeat_in_colour_what_words_say),
		cmocka_unit_test(counts_wide_characters_as_two_columns),
		cmocka_unit_test(shows_nothing_that_could_drive_a_terminal),
		cmocka_unit_test(falls_back_to_ascii),
		cmocka_unit_test(fits_every_screen_from_20_columns),
		cmocka_unit_test(takes_no_table_for_out_of_memory),
		cmocka_unit_test(wraps_words),
		cmocka_unit_test(wrapped_text_cannot_drive_a_terminal),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
