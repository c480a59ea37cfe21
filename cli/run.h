/* run.h - the parts of `ssdqual run`, in the order in which they act on one target.
 *
 *   run_prepare()   resolve, gather the reasons against it, plan; nothing is opened for writing
 *   run_consent()   decide, asking a person where there is one
 *   run_execute()   open, check identity, wipe signatures, measure
 *   run_judge()     verdicts
 *   run_save()      the store and -o
 *   run_print_table()
 */
#ifndef SSDQUAL_CLI_RUN_H
#define SSDQUAL_CLI_RUN_H

#include "cli/command.h"
#include "cli/rbd_cfg.h"
#include "data/rated.h"
#include "probes/cacheguard.h"
#include "probes/plan.h"
#include "probes/safety.h"

struct run_cfg {
	const char *battery;
	struct opt_list rows, confirm;
	uint64_t runtime_ns, size, offset, slc_bytes, randseed, rated_tbw;
	bool fill, dry_run, destroy_data, wipe_signatures, shared_lun, no_store, zero_buffers;
	const char *output;
	const char *controller; /* file of a RAID controller's tool, or NULL */
	int write_cache;         /* enum run_cache */
	uint64_t bs, rate_iops;  /* 0: as the battery says */
	uint64_t progress_fd;    /* 0: none; cli/progress_feed.h */
	bool live;               /* cli/run_live.h */
	struct rbd_cfg rbd;      /* images only */
};

/* --write-cache; auto: both where the target has a volatile cache that can be toggled. */
enum run_cache { RUN_CACHE_AUTO, RUN_CACHE_BOTH, RUN_CACHE_ON, RUN_CACHE_OFF, RUN_CACHE_KEEP };
extern const char *const run_cache_words[];

struct run_target {
	struct target *target;
	struct safety_report safety;
	struct plan plan;
	bool planned, plan_shown;
	struct sysroot root;
	struct cacheguard *guard; /* of the drive below; NULL: no drive that could be asked */
	enum plan_cache cache;
	char cache_why[192];      /* why the cache is left as it is; "" where it is not */
	struct rated rated;       /* what --rated-tbw or the maker says */
};

/* run_prepare - everything that can be known beforehand. @randseed: for this run. */
int run_prepare(const struct cli *cli, const struct run_cfg *cfg, const char *arg,
	uint64_t randseed, struct run_target *ret, struct err *reterr);
void run_target_done(struct run_target *rt); /* half-built ones, too */

/* run_cache_prepare - ask the drive for its write cache, and settle what --write-cache means here:
 * rt->guard, ->cache, ->cache_why. Changes nothing. ERR_USAGE, ERR_UNSUPPORTED: it was asked for and
 * cannot be had. */
int run_cache_prepare(const struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct err *reterr);

/* run_anything_writes - is one of the wanted rows of the battery (of devices) a writing one? */
bool run_anything_writes(const struct run_cfg *cfg);
/* run_reads_only - a device of which nothing is asked but reading, nor is its cache to be changed:
 * it is opened read-only, so that it may be in use and needs no consent. */
bool run_reads_only(const struct run_cfg *cfg, const struct target *t);

/* run_decide - the safety decision with the consent that was given. ERR_REFUSED, -EPERM. */
int run_decide(const struct run_cfg *cfg, const struct run_target *rt, struct err *reterr);
/* run_would_refuse - the same as if everything that can be consented to were: what no option but
 * --wipe-signatures and --shared-lun helps against. */
int run_would_refuse(const struct run_cfg *cfg, const struct run_target *rt, struct err *reterr);
/* run_recheck - look again at who uses the target, right before it is opened: others may have run, and
 * time passed, since run_prepare(). Replaces @rt->safety. ERR_REFUSED, -EPERM. */
int run_recheck(const struct run_cfg *cfg, struct run_target *rt, struct err *reterr);
/* run_consent - run_decide(); where only the typed confirmation is missing and a person can be
 * asked, the plan is shown and the serial asked for. */
int run_consent(struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct err *reterr);

/* run_print_plan - for people, on @f. run_plan_json - {"target", "plan", "refused", "confirm"}. */
void run_print_plan(FILE *f, const struct run_target *rt, const struct run_cfg *cfg);
struct json *run_plan_json(const struct run_target *rt, const struct run_cfg *cfg);

/* run_execute - measure. *ret_result is set (and the caller's) once anything may have been measured,
 * also on failure: then it is worth saving. */
int run_execute(struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct result **ret_result, struct err *reterr);

/* run_tool_section - the document's section tool: this program, this command line. */
int run_tool_section(const struct cli *cli, struct result *res, struct err *reterr);

/* run_rbd - all of a run whose targets are images (rbd:...): an exit status, or -errno. */
int run_rbd(struct cli *cli, const struct run_cfg *cfg, size_t count, char **argv, uint64_t seed,
	struct err *reterr);

/* run_judge - add the verdicts that policies derive from @r. @status: the exit status so far,
 * made worse by those of verdict_exit_status(). */
int run_judge(struct result *r, int *status, struct err *reterr);

/* run_check_output - before anything is measured: can the document be put where it shall go?
 * @targets: how many; more than one need a folder. */
int run_check_output(const struct run_cfg *cfg, size_t targets, struct err *reterr);
/* run_save - to -o where it is given, else into the store (unless no_store). The path printed to people is @ret_path
 * (caller frees; NULL where nothing was to be saved). */
int run_save(const struct run_cfg *cfg, const struct result *r, char **ret_path,
	struct err *reterr);

/* run_print_table - one line a row within 80 columns, then findings and verdicts. 0 or -errno. */
int run_print_table(struct cli *cli, const struct result *r, struct err *reterr);

#endif
