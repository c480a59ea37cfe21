/* battery.h - named sets of rows that qualify a drive; a row is one run of the load generator.
 *
 * A row's key is its JSON key ("probe" of a measurement) and the word of `run --row`; both keys and
 * battery names are never renamed. What a row does is written in fio's terms, and
 * battery_row_fio() renders it as the fio options of the same load.
 *
 * To add a battery: probes/battery_NAME.c with its rows and one const instance last, one extern and
 * one row in probes/battery_table.c, one block in tests/probes/test_battery.c.
 */
#ifndef SSDQUAL_PROBES_BATTERY_H
#define SSDQUAL_PROBES_BATTERY_H

#include "probes/load.h"
#include "probes/target.h"

/* Which file a row works on. */
enum row_kind {
	ROW_SPAN,      /* the tested span: of the device, the file, or a scratch file */
	ROW_SEGMENTS,  /* fresh 64 MiB files one after the other, as etcd's log (segments.h) */
	ROW_FIRST_LAP, /* a fresh preallocated file, written once from start to end */
	ROW_OVERWRITE, /* that file again and again, every block of it already written */
};

enum { ROW_ON_BLOCK = 1, ROW_ON_DIR = 2, ROW_ON_ANY = 3 }; /* a file counts as a block device */

struct battery_row {
	const char *key;
	const char *label; /* at most 26 characters: a column of an 80-column table */
	enum row_kind kind;
	unsigned on;         /* ROW_ON_*: where it makes sense */
	const char *engine;  /* "libaio" or "sync" */
	enum load_rw rw;
	uint32_t bs, iodepth;
	enum load_sync sync;
	uint32_t fsync, fdatasync;
	bool direct;
	uint64_t size;       /* bytes of the span used; 0: all of it */
	uint32_t runtime_s;
};

struct battery {
	const char *name;    /* [a-z][a-z0-9-]* */
	const char *summary; /* one line, no full stop */
	const struct battery_row *rows;
	size_t row_count;
	bool shares_time;    /* both states of the write cache share a row's time, not each has it */
};

extern const struct battery *const battery_table[]; /* NULL-terminated, display order */

const struct battery *battery_find(const char *name); /* NULL: no such battery */
/* battery_default - "etcd" for a directory, "ceph" for everything else. */
const struct battery *battery_default(enum target_kind kind);
const struct battery_row *battery_row_find(const struct battery *b, const char *key);
bool battery_row_fits(const struct battery_row *row, enum target_kind kind);

/* battery_row_params - @p: the defaults of load_params_init(), then what the row says. fd,
 * filename, offset and alignment are left to the caller; size is the row's (0: the caller's
 * span). */
void battery_row_params(const struct battery_row *row, struct load_params *p);

/* battery_row_fio - the row as fio options, space separated, in @buf (BATTERY_FIO_MAX is enough).
 * First the ones that tell rows apart (rw, bs, iodepth, sync, fsync, fdatasync, size), then the
 * common ones. Segments have no fio equivalent: the nearest is rendered, one file instead of
 * many. */
char *battery_row_fio(const struct battery_row *row, char *buf, size_t len);
#define BATTERY_FIO_MAX 256

#endif
