/* model.h - what a cache setting will do to a load: one interface, one file a cache.
 *
 * To add a model: policies/sim_NAME.c (policies/sim.h says how), one const instance in
 * policies/model_simulated.c, one extern here and one row in policies/model_table.c (and a mode in
 * settings.h), one section in tests/policies/test_model.c.
 *
 * All but pwl-rwl are simulated (policies/simulate.h). Symbols of what is left of closed forms: b one
 * acknowledged write of the backend; K how many of them it serves side by side; R the stall of an image
 * refresh; c a hop from thread to thread.
 * Pure: no I/O, no clock, no globals; the same input gives the same bytes.
 */
#ifndef SSDQUAL_POLICIES_MODEL_H
#define SSDQUAL_POLICIES_MODEL_H

#include "data/backend.h"
#include "data/workload.h"
#include "policies/dist.h"
#include "policies/notes.h"
#include "policies/settings.h"
#include "policies/sim.h"

/* A backend with every gap filled; what was filled is in the notes of model_backend_resolve(). */
struct model_backend {
	struct dist write;      /* b at the image, 4 KiB */
	struct dist read;
	struct dist flush;      /* nothing to write */
	struct dist refresh;    /* R; NAN: unknown, then PWL cannot be judged */
	struct dist guest_sync; /* without any cache, where it was measured in the guest; else NAN */
	double concurrency;     /* K */
	double hop_ns;          /* c */
};

struct model_drive {
	struct dist sync, write4k, write12k, read4k;
};

struct model_input {
	const struct workload *load;
	const struct cache_settings *set;
	const struct model_backend *backend;
	const struct model_drive *drive; /* NULL: unknown; needed by the PWL models alone */
	double images;                   /* on this backend, >= 1 */
	double handles;                  /* that have this one image open; below 2: one */
	/* [SIM_SERVICE_COUNT] of @backend and @drive, from sim_stated_tables(), so that many settings
	 * share them; NULL: made for this one evaluation. */
	const struct sim_table *service;
	bool refresh_measured; /* backend->refresh is a whole stall, not five of its reads */
	const struct simulate_budget *budget; /* NULL: the usual one */
};

enum certainty { CERTAINTY_DERIVED, CERTAINTY_ROUGH, CERTAINTY_UNSURE };
const char *certainty_word(enum certainty c); /* "derived" "rough" "unsure" */

struct prediction {
	struct dist write, flush, pair; /* one write; a flush after n writes; the two together */
	struct dist guest_sync;         /* the whole fdatasync of the guest; NAN without syncs */
	double iops;                    /* writes a second of one image, in the long run */
	double fill_seconds;            /* until the cache is full; NAN: it never is */
	double stall_seconds;           /* then: the image freezes for so long when the log has to be
	                                 * drained; NAN: it does not fill */
	double memory_bytes;            /* of the host, per image, at most */
	double at_risk_bytes;           /* acknowledged but not in the cluster, at most, per image */
	/* What the operations of one write waited for: refresh, lock, a full cache, and the rest as the
	 * log's (PWL) or the backend's; NAN: not told apart. */
	double place_ns[SIM_PLACE_COUNT];
	const char *regime;             /* a word: "direct" "absorbed" "overflow" "bistable" ... */
	enum certainty certainty;
	char why[320];                  /* one sentence on the regime */
};

struct simulate_budget; /* policies/simulate.h */

struct model_ops {
	const char *name;    /* of the candidate: [a-z][a-z0-9-]*, never renamed */
	const char *summary; /* one line, no full stop */
	enum cache_mode mode;
	/* Fills @ret wholly. Cannot fail: what is unknown is NAN, and CERTAINTY_UNSURE. */
	void (*evaluate)(const struct model_input *in, struct prediction *ret);
};

extern const struct model_ops *const model_table[]; /* NULL-terminated, in display order */
const struct model_ops *model_of(enum cache_mode mode);

/* Constants of the models; each has its source in docs/advice.md. */
#define MODEL_HOP_NS          25000.0  /* c where no flush was measured */
#define MODEL_FLUSH_NS        50000.0  /* an empty flush, where not measured: two hops */
#define MODEL_CONCURRENCY     32.0     /* K where not measured */
#define MODEL_STREAM_BPS      500e6    /* bytes a second beyond the first 4 KiB of a write */
#define MODEL_REFRESH_READS   5.0      /* k */
#define MODEL_PWL_MIN_BYTES   1073741824.0
/* MAX_BYTES_PER_SYNC_POINT: a generation, acknowledged and not yet appended. */
#define MODEL_PWL_RAM_BYTES   8388608.0
#define MODEL_APPEND_WRITES   3.0      /* writes of one fs-append sync */

/* model_backend_resolve - fill the gaps of @b for @w; each filling is noted in @assumed.
 * at=guest: the write is taken apart into the phases of the guest stack. */
void model_backend_resolve(const struct backend *b, const struct workload *w,
	struct model_backend *ret, struct notes *assumed);
/* model_paced - the pairs of @b that @w's writes are taken from, NULL: none (at=guest, deeper than one
 * stream, not measured). Latency depends on the pace (measured: a write after 10 ms of rest takes
 * 1.4 x one back to back, CPUs and drives wake up): those of the nearest pause say most. */
const struct backend_pair *model_paced(const struct backend *b, const struct workload *w);
void model_drive_resolve(const struct drive_lat *d, struct model_drive *ret,
	struct notes *assumed);

/* -- for the closed form of pwl-rwl (model_load.c) --------------------------------------------- */

/* model_write - one write of @bytes to the backend, alone. */
struct dist model_write(const struct model_backend *b, double bytes);
double model_pause(const struct model_input *in); /* Z: 0 inside a burst */
/* model_long_run - @iops while a burst lasts, with the gaps between bursts; the same without. */
double model_long_run(const struct model_input *in, double iops);
/* model_drain_bps - bytes a second that the backend takes from one image. */
double model_drain_bps(const struct model_input *in);
/* model_ack - an acknowledgement from memory, @hops of c long, depth of them through one thread. */
struct dist model_ack(const struct model_input *in, double hops);

/* model_unknown - a prediction that says nothing. */
void model_unknown(struct prediction *ret, const char *why);

extern const struct model_ops model_none, model_writethrough, model_writeback, model_writearound,
	model_pwl_ssd, model_pwl_rwl;

#endif
