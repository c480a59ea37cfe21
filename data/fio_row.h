/* fio_row.h - which row of our batteries a fio job is equivalent to, or why none.
 *
 * A row's figures answer a question (is it a journal? a log of etcd?). A job of fio answers it only
 * where it does the same: same pattern, block size, depth, syncs, and past the page cache. The table
 * repeats the rows of probes/battery_*.c, which this layer does not know;
 * tests/probes/test_fio_row.c holds them together.
 */
#ifndef SSDQUAL_DATA_FIO_ROW_H
#define SSDQUAL_DATA_FIO_ROW_H

#include "data/fio_doc.h"

struct fio_row {
	const char *battery, *probe, *label;
	const char *rw;
	uint64_t bs, depth;
	bool direct;
	const char *sync;
	uint64_t fsync, fdatasync;
	uint64_t size;  /* of the file; 0: any */
	unsigned laps;  /* over a file of that size: 1 at most one, 2 more; 0: any */
	bool rbd;       /* the job is librbd's: O_DIRECT and O_SYNC mean nothing there */
};
extern const struct fio_row fio_row_table[]; /* ends with .battery NULL */

/* How one side of a job is to be understood. */
struct fio_match {
	const struct fio_row *row; /* NULL: none */
	const char *battery, *probe; /* what the measurement is filed under: the row's, or "import"
				      * and "log-sync" (each write synced, depth 1), "import" and "other" */
	char label[96];
	char why[320];             /* what the row says and does not say, or why there is none */
	bool log_sync;             /* the sync section answers for a log that syncs each write */
	double writes_per_sync;    /* NAN: no syncs */
};

/* fio_match - @write: the writing side, else the reading one. @bs: bytes of one I/O, 0: not all of
 * one size. */
void fio_match(const struct fio_job *job, const struct fio_plan *plan, bool write, uint64_t bs,
	struct fio_match *ret);

#endif
