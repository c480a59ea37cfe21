/* verdict.h - what a result document says about a use of the drive: pass, fail, or not known.
 *
 * To add one: policies/verdict_NAME.c with one const instance last, one extern and one row in
 * policies/verdict_table.c, one test in tests/policies/test_verdict.c.
 * Pure: the same document gives the same verdict. A run with zero_buffers yields none.
 */
#ifndef SSDQUAL_POLICIES_VERDICT_H
#define SSDQUAL_POLICIES_VERDICT_H

#include "data/result.h"

struct verdict {
	const char *grade;      /* "pass" "fail" "unknown" */
	char bound_by[120];     /* the figure that decided; "": none */
	char threshold[80];
	const char *source;
	char would_change[200]; /* "": nothing known */
};

struct verdict_ops {
	const char *subject; /* the JSON word, never renamed */
	/* 0: *ret is set; 1: the document has nothing about this subject. */
	int (*judge)(const struct result *r, struct verdict *ret);
};
extern const struct verdict_ops *const verdict_table[]; /* NULL-terminated */

/* verdict_judge - ops->judge(), and 1 for a run that may yield no verdict. */
int verdict_judge(const struct verdict_ops *ops, const struct result *r, struct verdict *ret);

#endif
