/* backend.h - latency inputs of a cache model: an RBD backend, and the drive of a persistent log.
 *
 * They are stated on the command line, or taken from a result document (data/result.h). A value
 * with `=` in it is stated unless it starts with '.' or '/': `./a=b` is a file.
 *
 *   --backend write=MED[:P99],read=...,meta=...,refresh=...,flush=...,concurrency=K,at=image|guest
 *   --drive   sync=MED[:P99],write4k=...,write12k=...,read4k=...
 *
 * Times carry a unit ("1.2ms", "300us"); a bare number is refused, because seconds are never meant.
 * What was not given stays unknown (known == false): the models decide what follows from that. Two
 * things are filled in here and marked, so that the advice can list them: a 99th percentile that
 * was not given (BACKEND_P99_RATIO x the median) and a 99.9th (drawn on along the same lognormal).
 */
#ifndef SSDQUAL_DATA_BACKEND_H
#define SSDQUAL_DATA_BACKEND_H

#include "data/err.h"
#include "data/result.h"

#include <stdbool.h>

/* A latency distribution by three of its quantiles, ns. NAN: unknown. p50 <= p99 <= p999. */
struct dist {
	double p50_ns, p99_ns, p999_ns;
};

/* p99 / p50 assumed where only a median is stated. Source: plain RBD writes at depth 1 on a
 * one-node Reef cluster, 2-core VM: 2.6 to 3.1 (docs/advice.md). */
#define BACKEND_P99_RATIO 3.0
/* p99.9 of a lognormal with this p50 and p99: exponent 3.0902 / 2.3263 of the ratio. */
#define BACKEND_P999_POWER 1.3284

struct stat_input {
	bool known;
	bool p99_assumed;  /* BACKEND_P99_RATIO was used */
	bool p999_assumed; /* lognormal continuation */
	bool median_is_mean; /* imported: no median was reported */
	struct dist dist;
};

enum backend_key { BACKEND_WRITE, BACKEND_READ, BACKEND_META, BACKEND_REFRESH, BACKEND_FLUSH,
	BACKEND_KEY_COUNT };
extern const char *const backend_key_name[BACKEND_KEY_COUNT];

/* A write and the flush after it, with a pause after each pair: latency depends on the pace, since
 * CPUs and drives fall asleep. */
#define BACKEND_PAIRS_MAX 8
struct backend_pair {
	double pause_ns;
	struct stat_input write, flush, pair;
};

struct backend {
	/* WRITE: one acknowledged 4 KiB write. READ: one 4 KiB read. META: one omap read of the
	 * image header. REFRESH: the whole stall after a metadata change. FLUSH: a flush with
	 * nothing to write. */
	struct stat_input in[BACKEND_KEY_COUNT];
	bool concurrency_known;
	unsigned concurrency; /* writes that the cluster serves side by side before they queue */
	bool cache_unknown;   /* imported: was librbd's cache on? It is taken as off */
	struct backend_pair pair[BACKEND_PAIRS_MAX]; /* by pause, shortest first; measured only */
	size_t pair_count;
	double wake_ns;         /* what an operation takes more after 3 ms of rest: header reads; 0: unknown */
	unsigned refresh_reads; /* k: serial reads of a refresh of the image; 0: unknown */
	bool refresh_scaled;    /* REFRESH was measured with another k, and scaled to this one */
	bool at_guest;        /* WRITE is a whole guest fdatasync, its phases inside */
	enum source_kind source;
};

enum drive_key { DRIVE_SYNC, DRIVE_WRITE4K, DRIVE_WRITE12K, DRIVE_READ4K, DRIVE_KEY_COUNT };
extern const char *const drive_key_name[DRIVE_KEY_COUNT];

struct drive_lat {
	/* SYNC: one small write made durable (fdatasync), as a log of etcd does it. The rest:
	 * O_DIRECT without sync, as PWL does it. */
	struct stat_input in[DRIVE_KEY_COUNT];
	enum source_kind source;
	bool zero_buffers; /* measured with zero buffers: supports no verdict */
};

/* backend_is_stated - is @arg a stated value, not a file's name? */
bool backend_is_stated(const char *arg);

/* Parse stated values. 0; -EINVAL and ERR_USAGE with the place in the string (character counted
 * from 1) and the allowed keys. `write` and `sync` are required. @ret untouched on failure. */
int backend_parse(const char *text, struct backend *ret, struct err *reterr);
int drive_parse(const char *text, struct drive_lat *ret, struct err *reterr);

/* backend_from_result - the backend that a run on rbd:POOL/IMAGE found. Rows used, first match:
 * write: write-4k of the battery "rbd", else journal-sync, journal-fsync, t1q1-fsync, else the
 * syncs of etcd-8000, etcd-2300, fio-8000-first-lap or of any row that has them (then at_guest); read: read-4k of "rbd", else
 * randread-1; wake: meta-3ms less meta; flush, meta, refresh, pairs (rows with a pause and syncs): of the battery "rbd". A
 * refresh measured on a scratch image is scaled to the reads that one of the named image needs
 * (target.rbd.refresh_reads over refresh_reads_measured). concurrency: highest IOPS of the rows
 * depth-N of "rbd", random-nosync or parallel-*, x the median latency of one write alone.
 * drive_from_result - a result of an image is refused; sync: etcd-8000, etcd-2300 (sync latency),
 * else journal-fsync, t1q1-fsync, journal-sync (whole latency), else any row with syncs; write4k, write12k, read4k: rows write-4k, write-12k, read-4k of
 * the batteries pwl and quick.
 * Rows with the write cache off stand behind the others. -ENODATA, ERR_INPUT: no usable row. */
int backend_from_result(const struct result *r, struct backend *ret, struct err *reterr);
int drive_from_result(const struct result *r, struct drive_lat *ret, struct err *reterr);

/* backend_take_depth - the concurrency of @b from the deep rows of @r, at @b's own write latency: for a
 * result that has no others. -ENODATA: no such row. */
int backend_take_depth(const struct result *r, struct backend *b);
/* The histograms behind a backend, for who draws from them; NULL where there is none. */
struct backend_samples {
	struct hist *in[BACKEND_KEY_COUNT];
	struct {
		double pause_ns;
		struct hist *write, *flush;
	} pair[BACKEND_PAIRS_MAX];
	size_t pair_count;
};
/* backend_samples_from_result - copies, of the rows that backend_from_result() takes; refresh is as
 * measured, not scaled. 0, -ENOMEM. Free with backend_samples_done(). */
int backend_samples_from_result(const struct result *r, struct backend_samples *ret);
void backend_samples_done(struct backend_samples *s);

/* stat_set - a known value. @p99_ns, @p999_ns NAN: assumed and marked. */
void stat_set(struct stat_input *s, double p50_ns, double p99_ns, double p999_ns);

#endif
