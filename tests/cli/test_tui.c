/* test_tui.c - the dashboard without a terminal: the grid, the feed, the panes drawn in memory. */
#include "cli/tui.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* -- the grid ----------------------------------------------------------------------------------- */

/* Line @row as text, without the blanks at its end. */
static const char *line_of(const struct tui_grid *g, int row)
{
	static char buf[4096];
	size_t len = 0;

	buf[0] = '\0';
	for (int x = 0; x < g->cols && len + 5 < sizeof(buf); x++) {
		const char *c = g->cell[row * g->cols + x].text;

		memcpy(buf + len, c, strlen(c) + 1);
		len += strlen(c);
	}
	while (len && buf[len - 1] == ' ')
		buf[--len] = '\0';
	return buf;
}

static bool shows(const struct tui_grid *g, const char *text)
{
	for (int y = 0; y < g->rows; y++)
		if (strstr(line_of(g, y), text))
			return true;
	return false;
}

static void text_is_cut_at_its_rectangle(void **state)
{
	struct tui_grid g = { .utf8 = true };
	struct tui_rect r = { 1, 2, 1, 5 };

	(void)state;
	assert_int_equal(tui_grid_size(&g, 3, 10), 0);
	assert_int_equal(tui_grid_put(&g, &r, 0, 0, TUI_PLAIN, "abc"), 3);
	assert_string_equal(line_of(&g, 1), "  abc");
	assert_true(tui_grid_put(&g, &r, 0, 3, TUI_PLAIN, "defgh") <= 2);
	assert_int_equal(tui_grid_put(&g, &r, 1, 0, TUI_PLAIN, "below"), 0);
	assert_int_equal(tui_grid_put(&g, &r, 0, 5, TUI_PLAIN, "right"), 0);
	assert_int_equal(tui_grid_put(&g, &r, -1, 0, TUI_PLAIN, "above"), 0);
	assert_string_equal(line_of(&g, 0), "");
	assert_string_equal(line_of(&g, 2), "");
	tui_grid_done(&g);
}

static void control_characters_never_reach_the_screen(void **state)
{
	struct tui_grid g = { .utf8 = true };
	struct tui_rect r = { 0, 0, 1, 20 };

	(void)state;
	assert_int_equal(tui_grid_size(&g, 1, 20), 0);
	(void)tui_grid_put(&g, &r, 0, 0, TUI_PLAIN, "a\033[31mb\n\302\233c");
	for (int x = 0; x < g.cols; x++)
		assert_true((unsigned char)g.cell[x].text[0] >= ' ');
	tui_grid_done(&g);
}

static void ascii_locales_get_ascii(void **state)
{
	static const double v[] = { 1, NAN, 3, 8 };
	struct tui_grid g = { .utf8 = false };
	struct tui_rect r = { 0, 0, 1, 20 };

	(void)state;
	assert_int_equal(tui_grid_size(&g, 1, 20), 0);
	tui_grid_line(&g, &r);
	(void)tui_grid_put(&g, &r, 0, 4, TUI_PLAIN, "gr\303\274n");
	assert_true(tui_grid_spark(&g, &r, 0, 1, 10, v, 4) == 8);
	for (int x = 0; x < g.cols; x++)
		assert_true((unsigned char)g.cell[x].text[0] < 0x80);
	assert_string_equal(g.cell[13].text, "#");
	assert_string_equal(g.cell[11].text, " ");
	tui_grid_done(&g);
}

static void a_wide_character_takes_two_cells_or_none(void **state)
{
	struct tui_grid g = { .utf8 = true };
	struct tui_rect r = { 0, 0, 1, 4 };

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	assert_int_equal(tui_grid_size(&g, 1, 4), 0);
	assert_int_equal(tui_grid_put(&g, &r, 0, 0, TUI_PLAIN, "\346\274\242"), 2);
	assert_string_equal(g.cell[1].text, "");
	assert_int_equal(tui_grid_put(&g, &r, 0, 3, TUI_PLAIN, "\346\274\242") <= 1, 1);
	tui_grid_done(&g);
}

static void a_spark_shows_the_newest_values(void **state)
{
	double v[100];
	struct tui_grid g = { .utf8 = false };
	struct tui_rect r = { 0, 0, 1, 10 };

	(void)state;
	for (int i = 0; i < 100; i++)
		v[i] = 100 - i;
	assert_int_equal(tui_grid_size(&g, 1, 10), 0);
	assert_true(tui_grid_spark(&g, &r, 0, 1, 0, v, 100) == 10);
	assert_string_equal(g.cell[0].text, "#");
	assert_true(isnan(tui_grid_spark(&g, &r, 0, 1, 0, v, 0)));
	tui_grid_done(&g);
}

static void a_high_spark_stands_on_its_lowest_line(void **state)
{
	static const double v[] = { 0, 4, 8 };
	struct tui_grid g = { .utf8 = false };
	struct tui_rect r = { 0, 0, 2, 3 };

	(void)state;
	assert_int_equal(tui_grid_size(&g, 3, 3), 0);
	assert_true(tui_grid_spark(&g, &r, 0, 2, 0, v, 3) == 8);
	assert_string_equal(line_of(&g, 0), "  #");
	assert_string_equal(line_of(&g, 1), "_##");
	assert_string_equal(line_of(&g, 2), "");
	tui_grid_done(&g);
}

/* -- texts -------------------------------------------------------------------------------------- */

static void long_lines_go_on_below_and_are_saved_whole(void **state)
{
	struct tui_grid g = { .utf8 = true };
	struct tui_rect r = { 0, 0, 4, 10 };
	struct tui_text t = { .text = NULL };
	char place[TUI_PLACE_MAX], path[] = "/tmp/ssdqual-test-tui.XXXXXX", back[64] = "";
	struct err e = ERR_INIT;
	int fd = mkstemp(path);
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(tui_grid_size(&g, 4, 10), 0);
	tui_text_take(&t, strdup("one\ntwo words wide\n/a/path/without/blanks\nend\n"));
	tui_text_draw(&t, &g, &r, place);
	assert_string_equal(line_of(&g, 0), "one");
	assert_string_equal(line_of(&g, 1), "two words");
	assert_string_equal(line_of(&g, 2), "wide");
	assert_string_equal(line_of(&g, 3), "/a/path/wi");
	assert_string_equal(place, "1-4 of 7");
	assert_int_equal(tui_text_save(&t, path, &e), -EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(tui_text_save(&t, path, &e), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(back, 1, sizeof(back) - 1, f), 46);
	assert_string_equal(back, "one\ntwo words wide\n/a/path/without/blanks\nend\n");
	(void)fclose(f);
	(void)unlink(path);
	tui_text_done(&t);
	tui_grid_done(&g);
}

static void sections_begin_behind_empty_lines(void **state)
{
	struct tui_grid g = { .utf8 = true };
	struct tui_rect r = { 0, 0, 2, 20 };
	struct tui_text t = { .text = NULL };

	(void)state;
	assert_int_equal(tui_grid_size(&g, 2, 20), 0);
	tui_text_take(&t, strdup("Head\n  a\n\n  not one\nNor this\n\nSecond\n  b\n  c\n"));
	tui_text_draw(&t, &g, &r, NULL);
	assert_true(tui_text_section(&t));
	tui_text_draw(&t, &g, &r, NULL);
	assert_string_equal(line_of(&g, 0), "Second");
	assert_false(tui_text_section(&t));
	/* Another width: the same line stays at the top. */
	r.cols = 5;
	tui_grid_clear(&g);
	tui_text_draw(&t, &g, &r, NULL);
	assert_string_equal(line_of(&g, 0), "Secon");
	tui_text_done(&t);
	tui_grid_done(&g);
}

/* -- the feed ----------------------------------------------------------------------------------- */

static bool feed(struct tui_feed *f, const char *text)
{
	return tui_feed_line(f, text, strlen(text));
}

static void lines_of_a_feed_become_figures(void **state)
{
	struct tui_feed *f = malloc(sizeof(*f));

	(void)state;
	assert_non_null(f);
	tui_feed_init(f);
	assert_true(feed(f, "{\"event\":\"begin\",\"pid\":7,\"target\":\"/x\",\"battery\":\"ceph\","
		"\"legs\":2,\"seconds\":120,\"write_bytes\":4096,\"endurance_share\":null}"));
	assert_true(feed(f, "{\"event\":\"health\",\"temperature_c\":41,\"used_percent\":null}"));
	assert_true(feed(f, "{\"event\":\"row\",\"key\":\"journal-sync\",\"label\":\"J\","
		"\"cache\":\"off\",\"number\":2,\"of\":12,\"seconds\":60}"));
	assert_true(feed(f, "{\"event\":\"tick\",\"elapsed_s\":1,\"left_s\":119,\"bytes\":1,"
		"\"iops\":500.5,\"p50_ns\":20000,\"p99_ns\":null}"));
	assert_true(feed(f, "{\"event\":\"row_end\",\"iops\":500,\"p50_ns\":1,\"p99_ns\":2,"
		"\"error\":null,\"histogram\":[[1023,10],[2047,30]]}"));
	assert_int_equal(f->pid, 7);
	assert_string_equal(f->cache, "off");
	assert_int_equal(f->number, 2);
	assert_true(f->temperature_c == 41 && isnan(f->used_percent));
	assert_true(f->iops[0] == 500.5 && isnan(f->p99_ns[0]));
	assert_int_equal(f->octave_count, 2);
	assert_true(f->octave[1].count == 30);
	assert_string_equal(f->row[0].key, "journal-sync");
	assert_true(feed(f, "{\"event\":\"end\",\"ended\":\"complete\"}"));
	assert_string_equal(f->ended, "complete");
	free(f);
}

static void what_is_no_line_of_a_feed_is_passed_over(void **state)
{
	static const char *const lines[] = { "", "{", "[]", "null", "7", "{\"event\":7}",
		"{\"event\":\"of a newer version\"}", "\"tick\"" };
	struct tui_feed *f = malloc(sizeof(*f));

	(void)state;
	assert_non_null(f);
	tui_feed_init(f);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(feed(f, lines[i]));
	assert_int_equal(f->count, 0);
	/* Nothing in it: all unknown. */
	assert_true(feed(f, "{\"event\":\"tick\"}"));
	assert_true(isnan(f->iops[0]));
	free(f);
}

static void long_runs_keep_their_newest_seconds_and_rows(void **state)
{
	struct tui_feed *f = malloc(sizeof(*f));
	char line[96];

	(void)state;
	assert_non_null(f);
	tui_feed_init(f);
	for (int i = 0; i < 2000; i++) {
		(void)snprintf(line, sizeof(line), "{\"event\":\"tick\",\"iops\":%d}", i);
		assert_true(feed(f, line));
		(void)snprintf(line, sizeof(line), "{\"event\":\"row_end\",\"iops\":%d}", i);
		assert_true(feed(f, line));
	}
	assert_int_equal(f->count, TUI_FEED_SECONDS);
	assert_true(f->iops[TUI_FEED_SECONDS - 1] == 1999);
	assert_int_equal(f->row_count, TUI_FEED_ROWS);
	assert_true(f->row[TUI_FEED_ROWS - 1].iops == 1999);
	free(f);
}

/* -- the whole, on a screen in memory ----------------------------------------------------------- */

static struct tui *the_tui;
static struct cli the_cli;

static int make_tui(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	the_cli = (struct cli){ .out = stdout, .err = stderr };
	the_tui = calloc(1, sizeof(*the_tui));
	return the_tui && tui_init(the_tui, &the_cli, "/nonexistent", &e) == 0 ? 0 : -1;
}

static int drop_tui(void **state)
{
	(void)state;
	tui_done(the_tui);
	free(the_tui);
	return 0;
}

static void draw(int rows, int cols)
{
	int row, col;

	assert_int_equal(tui_grid_size(&the_tui->grid, rows, cols), 0);
	tui_draw(the_tui, &row, &col);
	assert_true(row < rows && col < cols);
}

/* A run with everything in it that is drawn. */
static void fake_run(void)
{
	struct tui_feed *f = &the_tui->run.feed;

	the_tui->run.fd = dup(0);
	assert_true(feed(f, "{\"event\":\"begin\",\"pid\":1,\"target\":\"/dev/x\"}"));
	assert_true(feed(f, "{\"event\":\"row\",\"key\":\"journal-sync\",\"cache\":\"on\","
		"\"number\":1,\"of\":2,\"seconds\":2}"));
	for (int i = 0; i < 300; i++)
		assert_true(feed(f, "{\"event\":\"tick\",\"elapsed_s\":1,\"iops\":97,"
			"\"p50_ns\":44300,\"p99_ns\":1420000}"));
	assert_true(feed(f, "{\"event\":\"row_end\",\"iops\":97,\"p50_ns\":1,\"p99_ns\":2,"
		"\"histogram\":[[1023,10],[2047,30]]}"));
}

static void every_pane_is_drawn_at_every_size(void **state)
{
	(void)state;
	fake_run();
	for (size_t pane = 0; pane < TUI_PANE_COUNT; pane++) {
		tui_show_pane(the_tui, pane);
		for (int rows = 1; rows <= 40; rows += rows < 6 ? 1 : 5)
			for (int cols = 1; cols <= 220; cols += cols < 24 ? 1 : 13)
				draw(rows, cols);
	}
	tui_start_open(the_tui, "/dev/x");
	for (int rows = 1; rows <= 40; rows++)
		draw(rows, rows * 3);
	tui_ask(the_tui, NULL, NULL, "an answer", "A question longer than some of these screens:");
	for (int rows = 1; rows <= 40; rows++)
		draw(rows, rows * 3);
	the_tui->prompt.active = false;
	the_tui->help = true;
	for (int rows = 1; rows <= 40; rows++)
		draw(rows, rows * 3);
}

static void small_terminals_say_so_and_q_ends_it(void **state)
{
	(void)state;
	draw(3, 40);
	assert_true(shows(&the_tui->grid, "window too small"));
	tui_key(the_tui, '\t');
	tui_key(the_tui, 'x');
	assert_false(the_tui->quit);
	tui_key(the_tui, 'q');
	assert_true(the_tui->quit);
}

static void the_live_pane_shows_the_second_and_the_row(void **state)
{
	(void)state;
	fake_run();
	tui_show_pane(the_tui, TUI_PANE_LIVE);
	draw(24, 80);
	assert_true(shows(&the_tui->grid, "row 1/2 journal-sync, cache on, 1/2 s"));
	assert_true(shows(&the_tui->grid, "44.3 us"));
	assert_true(shows(&the_tui->grid, "temperature unknown, wear unknown"));
	assert_true(shows(&the_tui->grid, "Latencies of journal-sync, cache on"));
}

static void the_histogram_shows_where_most_is(void **state)
{
	(void)state;
	fake_run();
	assert_true(feed(&the_tui->run.feed, "{\"event\":\"tick\",\"iops\":97,\"histogram\":["
		"[255,1],[511,1],[1023,1],[2047,1],[4095,1],[8191,1],[16383,1],[32767,1],"
		"[65535,1],[131071,1],[262143,1],[524287,900],[1048575,91]]}"));
	tui_show_pane(the_tui, TUI_PANE_LIVE);
	draw(24, 80);
	assert_true(shows(&the_tui->grid, "<= 524 us    89.82 %  #####"));
	assert_true(shows(&the_tui->grid, "<= 1.05 ms"));
	assert_false(shows(&the_tui->grid, "<= 255 ns"));
}

static char answered[64];

static void take_answer(struct tui *t, void *ctx, const char *text)
{
	(void)t;
	(void)ctx;
	(void)snprintf(answered, sizeof(answered), "%s", text ? text : "(cancelled)");
}

static void type(const char *text)
{
	for (; *text; text++)
		tui_key(the_tui, *text);
}

static void a_question_takes_a_line(void **state)
{
	(void)state;
	draw(24, 80);
	tui_ask(the_tui, take_answer, NULL, "", "Name:");
	type("q?1 SN");
	tui_key(the_tui, TUI_KEY_BACKSPACE);
	tui_key(the_tui, 0xfc); /* u with two dots: two bytes, one character */
	tui_key(the_tui, TUI_KEY_BACKSPACE);
	draw(24, 80);
	assert_true(shows(&the_tui->grid, "Name: q?1 S"));
	assert_false(the_tui->quit);
	tui_key(the_tui, TUI_KEY_ENTER);
	assert_string_equal(answered, "q?1 S");
	tui_ask(the_tui, take_answer, NULL, "", "Name:");
	tui_key(the_tui, 27);
	assert_string_equal(answered, "(cancelled)");
	assert_false(the_tui->prompt.active);
}

static void long_answers_are_bounded(void **state)
{
	(void)state;
	draw(24, 80);
	tui_ask(the_tui, take_answer, NULL, "", "Name:");
	for (int i = 0; i < 5000; i++)
		tui_key(the_tui, 0x1f600);
	assert_true(the_tui->prompt.len < sizeof(the_tui->prompt.answer));
	draw(24, 80);
}

static void tab_and_digits_go_round_the_panes(void **state)
{
	(void)state;
	draw(24, 80);
	for (size_t i = 1; i <= TUI_PANE_COUNT; i++) {
		tui_key(the_tui, '\t');
		assert_int_equal(the_tui->pane, i % TUI_PANE_COUNT);
	}
	tui_key(the_tui, '3');
	assert_int_equal(the_tui->pane, TUI_PANE_RESULTS);
	tui_key(the_tui, TUI_KEY_BACKTAB);
	assert_int_equal(the_tui->pane, TUI_PANE_LIVE);
	tui_key(the_tui, '?');
	draw(24, 80);
	assert_true(shows(&the_tui->grid, "what the keys do"));
}

#define with_tui(f) cmocka_unit_test_setup_teardown(f, make_tui, drop_tui)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_at_its_rectangle),
		cmocka_unit_test(control_characters_never_reach_the_screen),
		cmocka_unit_test(ascii_locales_get_ascii),
		cmocka_unit_test(a_wide_character_takes_two_cells_or_none),
		cmocka_unit_test(a_spark_shows_the_newest_values),
		cmocka_unit_test(a_high_spark_stands_on_its_lowest_line),
		cmocka_unit_test(long_lines_go_on_below_and_are_saved_whole),
		cmocka_unit_test(sections_begin_behind_empty_lines),
		cmocka_unit_test(lines_of_a_feed_become_figures),
		cmocka_unit_test(what_is_no_line_of_a_feed_is_passed_over),
		cmocka_unit_test(long_runs_keep_their_newest_seconds_and_rows),
		with_tui(every_pane_is_drawn_at_every_size),
		with_tui(small_terminals_say_so_and_q_ends_it),
		with_tui(the_live_pane_shows_the_second_and_the_row),
		with_tui(the_histogram_shows_where_most_is),
		with_tui(a_question_takes_a_line),
		with_tui(long_answers_are_bounded),
		with_tui(tab_and_digits_go_round_the_panes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
