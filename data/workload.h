/* workload.h - what an application does to its image: the profile that the cache models read.
 *
 * One JSON object (schema: data/schema/workload.json): data/workloads/NAME.json, overridden by
 * name as data/resource.h says, or any file. Every number stands beside where it comes from:
 * "sources" maps the field to a text, "assumed" where nobody published it.
 *
 * The profile describes one *stream* of the application, the one whose latency people wait for:
 * it writes @writes of @write_bytes, makes them durable, pauses for think_ns, and starts again;
 * `depth` such streams share one image.
 */
#ifndef SSDQUAL_DATA_WORKLOAD_H
#define SSDQUAL_DATA_WORKLOAD_H

#include "data/err.h"
#include "data/json.h"

#include <stdbool.h>

/* What one durable write of the application becomes on the block device. */
enum guest_stack {
	STACK_RAW,          /* write, flush */
	STACK_FS_OVERWRITE, /* write, flush: blocks that were written before */
	STACK_FS_APPEND,    /* write, journal write, flush, commit write, flush */
	STACK_COUNT
};
const char *guest_stack_word(enum guest_stack s); /* "raw" "fs-overwrite" "fs-append" */

/* What the application can bear to lose when a host or a cache device dies. */
enum loss_tolerance {
	LOSS_NOTHING,   /* nothing that it synced; unsynced writes are at risk by their nature */
	LOSS_SECONDS,   /* the last seconds, synced or not, as long as what is left is consistent */
	LOSS_COUNT
};
const char *loss_word(enum loss_tolerance l); /* "nothing" "seconds" */

enum slo_metric { SLO_GUEST_SYNC, SLO_WRITE, SLO_IOPS, SLO_METRIC_COUNT };
const char *slo_metric_word(enum slo_metric m); /* "guest_sync_ns" "write_ns" "iops" */
enum slo_percentile { SLO_P50, SLO_P99, SLO_P999, SLO_PCT_COUNT };
const char *slo_percentile_word(enum slo_percentile p); /* "p50" "p99" "p999" */

struct workload {
	char *name, *summary;
	double read_fraction;    /* 0 to 1, of operations */
	double write_bytes;      /* > 0 */
	double depth;            /* streams on one image, >= 1 */
	double syncs_per_write;  /* 0: never flushes, 1: after each write */
	enum guest_stack stack;
	double think_ns;         /* pause of a stream after each sync (each write without syncs) */
	double burst_bytes;      /* 0: no bursts; else bytes written at a stretch per image */
	double burst_gap_ns;     /* from the end of one burst to the next */
	double working_set_bytes; /* the part that is written again and again; 0: nothing is */
	double images;           /* on one host, usual number */
	enum loss_tolerance loss;
	bool raft;               /* a member of a replicated store that votes by its log */
	enum slo_metric slo_metric;
	enum slo_percentile slo_pct;
	double slo_limit_ns;     /* NAN: no limit, the best is looked for */
	char *slo_source;
	struct json *doc;        /* the whole profile, for `workload show` */
};

/* workload_from_json - typed view of @doc (taken, also on failure). @name is for messages.
 * -EBADMSG, ERR_INPUT: a field is missing, unknown, of the wrong kind or out of range, or a
 * number has no source; the field is named. Free with workload_free(). */
int workload_from_json(struct json *doc, const char *name, struct workload **ret,
	struct err *reterr);

/* workload_load - by name (data/resource.h), or from a file where @arg has a '/' or ends in
 * ".json". @ret_origin: the path or "built in", caller frees; may be NULL. */
int workload_load(const char *arg, struct workload **ret, char **ret_origin, struct err *reterr);
void workload_free(struct workload *w);

/* workload_writes - writes a stream makes before it flushes: 1 / syncs_per_write, at least 1. */
double workload_writes(const struct workload *w);
/* workload_sync_bytes - bytes that all streams write before they have flushed once. */
double workload_sync_bytes(const struct workload *w);

#endif
