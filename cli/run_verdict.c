/* run_verdict.c - from figures to verdicts to the exit status. */
#include "cli/run.h"

#include "cli/verdict.h"

int run_judge(struct result *r, int *status, struct err *reterr)
{
	int rc = verdict_attach(r, NULL, 0, reterr), own;

	if (rc < 0)
		return rc;
	own = verdict_exit_status(r);
	if (own == EXIT_VERDICT || *status == EXIT_DONE)
		*status = own;
	return 0;
}
