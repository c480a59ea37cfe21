/* threshold.h - the numbers that decide, each with its source; one table for all policies.
 *
 * To add one: an id here, a row in threshold.c. The text is shown to users with --explain.
 */
#ifndef SSDQUAL_POLICIES_THRESHOLD_H
#define SSDQUAL_POLICIES_THRESHOLD_H

enum threshold_id {
	THRESHOLD_GAIN,          /* share of p99 that another setting must save */
	THRESHOLD_SAME,          /* results this close are no difference */
	THRESHOLD_PERTURB,       /* inputs are moved by this share, up and down */
	THRESHOLD_STALL_S,       /* a standstill this long breaks any latency SLO */
	THRESHOLD_PWL_MIN_BYTES, /* smallest log that librbd makes */
	THRESHOLD_ETCD_SYNC_NS,  /* p99 of the log's fdatasync */
	THRESHOLD_TAIL_SAMPLES,  /* fewer syncs say nothing about a p99 */
	THRESHOLD_CACHE_SAME, /* share of IOPS */
	THRESHOLD_CACHE_LEAST, /* share of IOPS */
	THRESHOLD_COMMIT_LOW_NS, /* ns */
	THRESHOLD_COMMIT_HIGH_NS, /* ns */
	THRESHOLD_SYNC_FLOOR_NS, /* ns */
	THRESHOLD_FLUSH_FLOOR_NS, /* ns */
	THRESHOLD_PLP_RATIO_YES, /* ratio */
	THRESHOLD_PLP_RATIO_NO, /* ratio */
	THRESHOLD_FUA_RATIO_NO, /* ratio */
	THRESHOLD_ROTATION_SEEK_NS, /* ns */
	THRESHOLD_ROTATION_FLAT_NS, /* ns */
	THRESHOLD_ROTATION_GROWTH, /* ratio */
	THRESHOLD_ROTATION_SPAN_BYTES, /* bytes */
	THRESHOLD_FLAT, /* share of IOPS */
	THRESHOLD_WINDOWS, /* share of bandwidth */
	THRESHOLD_CLASS_S, /* IOPS */
	THRESHOLD_CLASS_A, /* IOPS */
	THRESHOLD_CLASS_B, /* IOPS */
	THRESHOLD_CLASS_C, /* IOPS */
	THRESHOLD_CLASS_D, /* IOPS */
	THRESHOLD_PWL_WRITE_NS, /* ns */
	THRESHOLD_MON_SYNC_NS, /* ns */
	THRESHOLD_MCLOCK_LOW, /* IOPS */
	THRESHOLD_MCLOCK_HIGH, /* IOPS */
	THRESHOLD_WORN_OUT, /* percent left */
	THRESHOLD_WEAR_HIGH, /* percent left */
	THRESHOLD_PERF_NOTIFY, /* ratio */
	THRESHOLD_PERF_DEFERRED, /* share of the writes */
	THRESHOLD_PERF_BACKEND_NS, /* ns */
	THRESHOLD_VERIFY_MEDIAN, /* factor */
	THRESHOLD_VERIFY_TAIL, /* factor */
	THRESHOLD_COUNT
};

struct threshold {
	const char *name, *text, *source;
	double value;
};
extern const struct threshold threshold_table[THRESHOLD_COUNT];
double threshold(enum threshold_id id);

#endif
