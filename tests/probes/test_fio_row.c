/* test_fio_row.c - the rows that an import is filed under are those of the batteries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/fio_row.h"
#include "probes/battery.h"

#include <string.h>

static const struct fio_row *row_of(const char *battery, const char *probe)
{
	for (const struct fio_row *row = fio_row_table; row->battery; row++)
		if (strcmp(row->battery, battery) == 0 && strcmp(row->probe, probe) == 0)
			return row;
	return NULL;
}

static const char *rw_word(enum load_rw rw)
{
	return rw == RW_WRITE ? "write" : rw == RW_RANDWRITE ? "randwrite" : rw == RW_READ ? "read" :
		"randread";
}

static const char *sync_word(enum load_sync sync)
{
	return sync == SYNC_SYNC ? "sync" : sync == SYNC_DSYNC ? "dsync" : "none";
}

static void each_row_does_what_its_battery_does(void **state)
{
	(void)state;
	for (const struct fio_row *row = fio_row_table; row->battery; row++) {
		const struct battery *b = battery_find(row->battery);
		const struct battery_row *other;

		if (row->rbd)
			continue; /* an image's rows are librbd's own */
		assert_non_null(b);
		other = battery_row_find(b, row->probe);
		assert_non_null(other);
		assert_string_equal(row->label, other->label);
		assert_string_equal(row->rw, rw_word(other->rw));
		assert_string_equal(row->sync, sync_word(other->sync));
		assert_int_equal(row->bs, other->bs);
		assert_int_equal(row->depth, other->iodepth);
		assert_int_equal(row->direct, other->direct);
		assert_int_equal(row->fsync, other->fsync);
		assert_int_equal(row->fdatasync, other->fdatasync);
		assert_int_equal(row->size, other->size);
	}
}

/* But for what fio has to be told by other means, or that would be the same row twice. */
static void every_row_that_fio_can_do_has_its_entry(void **state)
{
	/* "read-4k" of pwl is "randread-1" of ceph; a span is no option that tells rotation apart */
	static const char *const batteries[] = { "ceph", "etcd", "sync-size", "pwl" };

	(void)state;
	for (size_t i = 0; i < sizeof(batteries) / sizeof(batteries[0]); i++) {
		const struct battery *b = battery_find(batteries[i]);

		for (size_t k = 0; k < b->row_count; k++)
			if (strcmp(b->rows[k].key, "read-4k") != 0)
				assert_non_null(row_of(b->name, b->rows[k].key));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_does_what_its_battery_does),
		cmocka_unit_test(every_row_that_fio_can_do_has_its_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
