/* verdict.h - what result documents say about a drive and its uses. Unknown is a verdict.
 *
 * Facts about the drive: write-cache (on or off?), rotational (what is it?), plp (is its cache safe
 * without power?), steady (did rows end as they began?), endurance (is it worn out?). Roles:
 * osd-data, wal-db, pwl, etcd, mon. Rules, weights and what they do not
 * know: docs/verdicts.md; numbers: policies/threshold.c.
 *
 * To add one: policies/verdict_NAME.c with one const instance last, one extern and one row in
 * policies/verdict_table.c, one test in tests/policies.
 * Pure: the same documents give the same verdict. A run with zero_buffers yields none.
 */
#ifndef SSDQUAL_POLICIES_VERDICT_H
#define SSDQUAL_POLICIES_VERDICT_H

#include "data/refdrive.h"
#include "data/result.h"
#include "policies/notes.h"

/* Documents of one drive; the first describes the target as it is now. */
struct verdict_input {
	const struct result *const *results;
	size_t count;                 /* >= 1 */
	const struct refdrive *ref;   /* NULL: no reference drive of this model is known */
};

struct verdict {
	/* "pass" "fail" "provisional" "unknown" or a class letter, "S" to "F". Of facts: pass: as
	 * it should be; fail: to be changed, or no protection; provisional: answered with low
	 * confidence. */
	const char *grade;
	const char *answer;     /* of facts: "turn off", "ssd", "no", ...; NULL for roles */
	const char *confidence; /* "high" "low"; NULL: not graded */
	char bound_by[320];     /* the figure that decided; "": none */
	char threshold[160];
	const char *source;
	char would_change[400]; /* "": nothing known */
};

struct verdict_ops {
	const char *subject; /* the JSON word, never renamed */
	/* 0: *ret is set, what is worth a person's attention is added to @findings; 1: the
	 * documents have nothing about this subject. */
	int (*judge)(const struct verdict_input *in, struct verdict *ret, struct notes *findings);
	bool role;           /* a use of the drive, not a fact about it */
};
extern const struct verdict_ops *const verdict_table[]; /* NULL-terminated */

/* verdict_judge - ops->judge(), and 1 for runs that may yield no verdict. */
int verdict_judge(const struct verdict_ops *ops, const struct verdict_input *in,
	struct verdict *ret, struct notes *findings);

/* -- what the rules look at -------------------------------------------------------------------- */

/* What answers: a drive, a hypervisor's or the network's volume, a RAID controller's virtual
 * disk. */
enum verdict_where { WHERE_DRIVE, WHERE_VOLUME, WHERE_RAID };
enum verdict_where verdict_where(const struct json *target);

/* All repetitions of one row in one state of the write cache. */
struct row_figures {
	const struct measurement *first;
	size_t legs;
	double iops, iops_low, iops_high; /* mean, slowest and fastest repetition */
	double commit_ns;  /* depth / IOPS: write and sync, also where `lat` leaves the sync out */
	double p50_ns;     /* until durable, mean of the medians; NAN: not known */
	double p99_ns;     /* until durable, slowest repetition; NAN: not known */
	double drift;      /* largest change within a last third; NAN: too short to tell */
	uint64_t ios;      /* of the shortest repetition */
	enum source_kind source; /* the weakest: stated before imported before measured */
};

/* verdict_row - false: no usable repetition of @probe with @state. */
bool verdict_row(const struct verdict_input *in, const char *probe, enum write_cache_state state,
	struct row_figures *ret);
/* verdict_row_now - in the state that the drive's cache is in; in another where that is not known
 * or not measured (on before off). */
bool verdict_row_now(const struct verdict_input *in, const char *probe, struct row_figures *ret);

bool verdict_row_syncs(const struct measurement *m);    /* each write is made durable */
double verdict_row_depth(const struct measurement *m);  /* I/Os in flight over all jobs */
const char *verdict_source_suffix(const struct row_figures *f); /* "", " (as imported)", ... */
const struct json *verdict_target(const struct verdict_input *in);
const char *verdict_target_word(const struct verdict_input *in, const char *dotted); /* NULL */

#endif
