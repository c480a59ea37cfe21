/* plan.h - what a run will do to a target, worked out before anything of it is opened.
 *
 * Seconds are exact but for the file handling between rows. Bytes are upper bounds: nobody knows a
 * drive's speed beforehand, so each row is bound by what the link carries and by I/Os in flight
 * that take at least PLAN_FASTEST_NS each. A plan says which of its numbers are assumed.
 */
#ifndef SSDQUAL_PROBES_PLAN_H
#define SSDQUAL_PROBES_PLAN_H

#include "probes/battery.h"
#include "probes/segments.h"

#define PLAN_DIR_SPAN ((uint64_t)1 << 30) /* scratch file in a directory, unless --size */
/* No drive known to us completes a small I/O faster (Optane: about 10 us with the kernel's
 * path). */
#define PLAN_FASTEST_NS 8000
/* A drive's fast (SLC) write cache where nothing is known: TLC flash used as SLC holds a third of
 * its capacity at most, and fixed caches of large drives end well below the cap. */
#define PLAN_SLC_SHARE 3
#define PLAN_SLC_CAP ((uint64_t)64 << 30)
#define PLAN_SLC_ASSUMED UINT64_MAX

/* What is done with the drive's volatile write cache. Both states: every row runs in PLAN_LEGS legs
 * of half its time (a quarter where the battery says so), on, off, off, on. Each state is measured
 * twice, so that there is a spread; what drifts steadily (wear of a fast cache, heat) weighs on
 * both alike, which on, off, on, off would not give; and the next row begins in the state in which
 * this one ended. */
enum plan_cache { PLAN_CACHE_KEEP, PLAN_CACHE_BOTH, PLAN_CACHE_ON, PLAN_CACHE_OFF };
#define PLAN_LEGS 4
const char *plan_cache_word(enum plan_cache c); /* "keep" "both" "on" "off" */

struct plan_options {
	const struct battery *battery; /* NULL: battery_default() */
	const char *const *rows;       /* keys; row_count 0: all that fit the target */
	size_t row_count;
	uint64_t runtime_ns;           /* each row; 0: as the battery says */
	uint64_t offset, size;         /* bytes; size 0: the default span */
	bool fill;
	uint64_t slc_bytes;            /* PLAN_SLC_ASSUMED: not given */
	bool zero_buffers;
	uint64_t randseed;
	double rated_tbw_bytes;        /* NAN: unknown */
	enum plan_cache write_cache;
	uint32_t bs, rate_iops;        /* of all rows, instead of the battery's; 0: as it says */
};

struct plan_row {
	const struct battery_row *row;
	struct load_params params;  /* of one leg; fd and files are set when it runs */
	bool applicable;
	char why[192];              /* the reason where it is not */
	uint64_t write_bytes;       /* at most; of all legs */
	uint64_t buffer_bytes;
};

struct plan {
	const struct battery *battery;
	enum target_kind kind;
	struct plan_row *rows;
	size_t row_count;
	size_t applicable_count;
	uint64_t offset, size;      /* the tested span */
	uint64_t layout_bytes;      /* written once into files before their first use */
	uint64_t fill_bytes;        /* --fill; 0: none */
	uint64_t slc_bytes;         /* what the fill assumes or was told */
	bool slc_assumed;
	bool fill, zero_buffers;
	enum plan_cache write_cache;
	unsigned legs;              /* of each row: PLAN_LEGS or 1 */
	uint64_t randseed;
	double link_bytes_s;        /* the rate that bounds write_bytes */
	const char *link_source;    /* where it comes from */
	double seconds;             /* rows only */
	double seconds_at_most;     /* with layout and fill at PLAN_SLOWEST_BYTES_S */
	uint64_t write_bytes;       /* at most, layout and fill included */
	uint64_t buffer_bytes;      /* the largest row's */
	uint64_t space_bytes;       /* directory: free space that is needed */
	double endurance_share;     /* write_bytes / rated; NAN: unknown */
};

/* The rate at which even a slow drive (a disk, a network volume) takes a sequential write. */
#define PLAN_SLOWEST_BYTES_S 50e6

/* plan_make - @t is only looked at. Errors, all ERR_USAGE -EINVAL unless said: unknown row
 * (names the known ones), a battery that has no row for this kind of target, a span outside of
 * the target or not a multiple of its blocks, a target too small (names the minimum); a
 * directory without the space: ERR_DEVICE -ENOSPC with the bytes needed and free. */
int plan_make(const struct target *t, const struct plan_options *o, struct plan *ret,
	struct err *reterr);
void plan_done(struct plan *p);

/* plan_to_json - {"battery", "rows": [{"key", "fio", "seconds", "write_bytes_at_most", ...}],
 * ...} */
struct json *plan_to_json(const struct plan *p);

#endif
