/* test_tui_layout.c - the dashboard's rectangles, at every size. */
#include "cli/tui_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 100, COLS = 300 };

/* Which part has each cell; 0: none. */
static unsigned char taken[ROWS][COLS];

static void look(const struct tui_layout *l, int rows, int cols)
{
	memset(taken, 0, sizeof(taken));
	for (enum tui_part p = TUI_TABS; p < TUI_PARTS; p++) {
		const struct tui_rect *r = tui_layout_part(l, p);

		assert_non_null(r);
		assert_true((r->rows == 0) == (r->cols == 0));
		assert_true(r->row >= 0 && r->col >= 0 && r->rows >= 0 && r->cols >= 0);
		assert_true(r->row + r->rows <= rows && r->col + r->cols <= cols);
		for (int y = r->row; y < r->row + r->rows; y++) {
			for (int x = r->col; x < r->col + r->cols; x++) {
				assert_int_equal(taken[y][x], 0);
				taken[y][x] = (unsigned char)(p + 1);
			}
		}
	}
}

static void nothing_overlaps_or_is_outside_at_any_size(void **state)
{
	(void)state;
	for (int rows = 1; rows <= ROWS; rows++)
		for (int cols = 1; cols <= COLS; cols++)
			for (int detail = 0; detail < 2; detail++) {
				struct tui_layout l = tui_layout_make(rows, cols, detail);

				look(&l, rows, cols);
				assert_true(l.body.rows >= 1 && l.body.cols >= 1);
			}
}

static void every_cell_belongs_to_a_part(void **state)
{
	(void)state;
	for (int rows = 1; rows <= ROWS; rows += 3)
		for (int cols = 1; cols <= COLS; cols += 7) {
			struct tui_layout l = tui_layout_make(rows, cols, true);

			look(&l, rows, cols);
			for (int y = 0; y < rows; y++)
				for (int x = 0; x < cols; x++)
					assert_int_not_equal(taken[y][x], 0);
		}
}

static void small_terminals_have_a_body_and_nothing_else(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 2, 5 }, { 3, 200 }, { 200, 3 }, { 100, 19 } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tui_layout l = tui_layout_make(sizes[i][0], sizes[i][1], true);

		assert_true(l.too_small);
		assert_int_equal(l.body.rows, sizes[i][0]);
		assert_int_equal(l.body.cols, sizes[i][1]);
		assert_int_equal(l.tabs.rows + l.keys.rows + l.status.rows + l.detail.rows, 0);
	}
	assert_false(tui_layout_make(TUI_MIN_ROWS, TUI_MIN_COLS, true).too_small);
}

static void sizes_of_nothing_count_as_one(void **state)
{
	struct tui_layout l = tui_layout_make(0, -3, true);

	(void)state;
	assert_int_equal(l.body.rows, 1);
	assert_int_equal(l.body.cols, 1);
}

static void the_detail_is_below_and_beside_on_wide_terminals(void **state)
{
	struct tui_layout l = tui_layout_make(24, 80, true);

	(void)state;
	assert_false(l.beside);
	assert_true(l.detail.rows >= 8 && l.detail.cols == 80);
	l = tui_layout_make(60, 200, true);
	assert_true(l.beside);
	assert_true(l.detail.cols >= 90 && l.detail.rows == l.body.rows);
	l = tui_layout_make(10, 40, true);
	assert_int_equal(l.detail.rows, 0);
	l = tui_layout_make(60, 200, false);
	assert_int_equal(l.detail.rows, 0);
	assert_int_equal(l.body.cols, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_overlaps_or_is_outside_at_any_size),
		cmocka_unit_test(every_cell_belongs_to_a_part),
		cmocka_unit_test(small_terminals_have_a_body_and_nothing_else),
		cmocka_unit_test(sizes_of_nothing_count_as_one),
		cmocka_unit_test(the_detail_is_below_and_beside_on_wide_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
