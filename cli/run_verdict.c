/* run_verdict.c - from figures to verdicts to the exit status. */
#include "cli/run.h"

#include "policies/verdict.h"

#include <string.h>

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

int run_judge(struct result *r, int *status, struct err *reterr)
{
	for (size_t i = 0; verdict_table[i]; i++) {
		struct verdict v;

		if (verdict_judge(verdict_table[i], r, &v))
			continue;
		if (result_add_verdict(r, verdict_table[i]->subject, v.grade,
			or_null(v.bound_by), or_null(v.threshold), v.source,
			or_null(v.would_change)) < 0)
			return err_nomem(reterr);
		if (!strcmp(v.grade, "fail"))
			*status = EXIT_VERDICT;
		else if (!strcmp(v.grade, "unknown") && *status == EXIT_DONE)
			*status = EXIT_UNSURE;
	}
	return 0;
}
