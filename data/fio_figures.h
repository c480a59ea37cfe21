/* fio_figures.h - which of fio's latencies is which of ours.
 *
 * Our `lat` runs from submit to durable, `write_lat` is the write alone, `sync_lat` the sync call
 * alone. fio tells slat (submission), clat (from there to the completion), lat (both) and sync, and
 * percentiles of clat only, unless lat_percentiles=1 was set. So:
 *   - percentiles of clat stand for the I/O where submission is at most FIO_SLAT_SHARE of the whole
 *     latency; beyond that the I/O has min, mean and max of fio's lat, and no percentiles.
 *   - sync: with engines that call (psync, sync, ...) and with io_uring and posixaio at depth 1 it is
 *     the sync alone. libaio counts it from the moment when the write before it had been submitted
 *     (its fsync reuses that I/O's issue time; fio 3.33: write 36 us, sync 169 us in a period of
 *     197 us): there it is the whole durable write but for the submission, and no sync alone.
 *     Above depth 1 it is neither (libaio: 825 s on an idle file).
 *   - whichever the engine: where write and sync together take longer than a write has time, they
 *     overlap, and the sync is not taken as a figure of its own.
 * Histograms: fio's bins (json+) are 1/64 wide. A percentile read back from a histogram of ours,
 * filled with their middles, would be off by up to 1/64 + 1/128, twice what we promise; so bins are
 * not used, and percentiles are those that fio printed.
 * Source: measured with fio 3.33 on Debian 12 (sync, psync, pvsync2, mmap, libaio, io_uring,
 * posixaio; fsync=1, direct=1, loop file), recorded in tests/cli/import.sh.
 */
#ifndef SSDQUAL_DATA_FIO_FIGURES_H
#define SSDQUAL_DATA_FIO_FIGURES_H

#include "data/fio_row.h"

#define FIO_SLAT_SHARE 0.10

struct fio_figures {
	struct latency lat, write_lat, sync_lat;
	const char *lat_of;  /* "lat" "clat" "sync" "write + sync"; NULL: unknown */
	const char *io_of;   /* "lat" "clat": the I/O's own figures, write_lat where there are syncs */
	const char *sync_of; /* NULL: sync_lat is there, or nothing syncs; else why it is not */
	double implied_ns;   /* jobs x depth / IOPS; NAN: paced */
	bool clat_too_short; /* the completion is not where the time went */
	double slat_share;   /* of lat; NAN: unknown */
};

/* @bs etc. as in fio_match(). Nothing in *ret needs freeing: there are no histograms. */
void fio_figures(const struct fio_run *run, const struct fio_job *job, const struct fio_plan *plan,
	bool write, struct fio_figures *ret);

#endif
