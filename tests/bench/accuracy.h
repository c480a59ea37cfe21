/* accuracy.h - `make accuracy`: measured runs replayed in the simulator, cell by cell.
 *
 * A set is a folder of measured runs of one cluster (tests/measured/README.md says how its files
 * are named). A cell is one run under one cache setting. What the simulator is told comes from the
 * same set: backend writes from the cells without cache, the refresh from refresh/, the log's drive
 * from device/, wake-ups from metaread/. Nothing is keyed to a cell.
 * How a kind of cell is added: a reader in accuracy_read.c that fills struct cell, and, where it
 * needs other tables or a gate, a hook in accuracy_predict.c.
 */
#ifndef SSDQUAL_TESTS_BENCH_ACCURACY_H
#define SSDQUAL_TESTS_BENCH_ACCURACY_H

#include "policies/sim.h"

#define CELL_NAME_MAX 128
#define CELLS_MAX 1024

enum cell_kind { CELL_PAIR, CELL_FIO };
enum metric { M_WRITE_P50, M_WRITE_P99, M_FLUSH_P50, M_FLUSH_P99, M_PAIR_P50, M_PAIR_P99, M_IOPS,
	METRICS };
extern const char *const metric_word[METRICS];

struct figure {
	double measured, low, high; /* bootstrap interval, 95 %; NAN: not measured */
	double predicted;
	double lowest, highest;     /* prediction, by seed */
};

struct cell {
	char path[512];
	char name[CELL_NAME_MAX];     /* file name without suffix */
	char workload[CELL_NAME_MAX]; /* the name without candidate and sizes: what is compared */
	enum cell_kind kind;
	struct cache_settings set;
	/* the load */
	uint32_t bytes;
	unsigned writes_per_flush;    /* 0: no flushes */
	uint64_t think_ns, span_bytes, runtime_ns;
	unsigned depth, handles, images;
	double read_fraction;
	bool sequential, no_lock, reads;
	uint64_t burst_ops, burst_gap_ns;
	unsigned snapshots;
	/* measured */
	uint64_t *write_ns, *flush_ns; /* [pairs], in order */
	size_t pairs;
	struct hist *write, *flush;    /* of fio's bins, or of the pairs */
	double iops, iops_spread;      /* fio's own; standard error */
	/* compared */
	struct figure f[METRICS];
	bool predicted;                /* false: why says it */
	bool base;                     /* no cache: predicted from itself, does not count */
	char why[320];
	double stall_at_s, stall_s;    /* predicted: first stall of a second or more; NAN: none */
	double measured_stall_at_s, measured_stall_s;
};

struct pacing {
	uint64_t think_ns;
	struct hist *h;
};

struct set {
	struct cell *cell;
	size_t cells;
	char (*unknown)[512];          /* files that nobody understood */
	size_t unknowns;
	struct pacing meta[16];        /* metaread/ */
	unsigned metas;
	struct hist *refresh, *refresh_snapshot, *metaset; /* NULL: not there */
	struct hist *log4k, *log12k, *logread;
	unsigned servers, server_runs; /* K, and from how many runs; 0: not looked for yet */
};

/* set_read - every file of @dir. 0, or -errno with @reterr. set_free() in any case. */
int set_read(struct set *s, const char *dir, struct err *reterr);
void set_free(struct set *s);

/* pair_read, fio_read - one file; 0, 1: not of this kind, <0: cannot be read. */
int pair_read(struct cell *c, const char *path, struct err *reterr);
int fio_read(struct cell *c, const char *path, struct err *reterr);
int fio_hist(const char *path, struct hist **ret, struct err *reterr); /* of writes, or reads */
/* name_read - candidate, sizes, pauses, bursts out of a file's name; false: not understood. */
bool name_read(struct cell *c);

/* figures_measure - the measured figures of @c with their intervals, seeded. */
void figures_measure(struct cell *c);

/* cell_predict - simulate @c with what @s knows; @seeds runs. */
int cell_predict(struct cell *c, struct set *s, unsigned seeds, struct err *reterr);

/* cell_inputs - what the set knows for pairs of @c's size and pause. False: nothing. */
struct sim_inputs;
bool cell_inputs(const struct set *s, const struct cell *c, struct sim_inputs *ret);

/* guest_report - guest/guest.csv of @dir, predicted and measured. 0 within its bounds, 1 not (or
 * some), <0 with @reterr. Prints nothing where the folder has none. */
int guest_report(const struct set *s, const char *dir, struct err *reterr);

/* inside - does the prediction of @m hold the bound, or lie inside the interval? */
bool figure_inside(const struct figure *f, enum metric m);

#endif
