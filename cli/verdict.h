/* verdict.h - the verdicts of result documents: worked out, stored in the document, shown. */
#ifndef SSDQUAL_CLI_VERDICT_H
#define SSDQUAL_CLI_VERDICT_H

#include "cli/command.h"
#include "data/result.h"

/* verdict_attach - replace verdicts[] of @r by what follows from its figures, add their findings,
 * and complete target.rotational (measured, verdict) where that was measured. @more: further
 * documents of the same drive (its other state of the write cache), @count of them. */
int verdict_attach(struct result *r, const struct result *const *more, size_t count,
	struct err *reterr);

/* verdict_exit_status - of the verdicts stored in @r: EXIT_VERDICT where a role that its battery is
 * for fails (grade "fail" or class F), EXIT_UNSURE where one is unknown, else EXIT_DONE. Roles of a
 * drive (all but etcd) do not count for a volume; pwl counts where it fails only: the battery
 * cannot prove protection. */
int verdict_exit_status(const struct result *r);

/* verdict_print - the stored verdicts, @whole with what would change them and the evidence; the
 * table of cache on and off where rows were measured in both states. Nothing where there is
 * neither. */
int verdict_print(struct cli *cli, const struct result *r, bool whole, struct err *reterr);

#endif
