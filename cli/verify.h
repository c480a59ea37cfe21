/* verify.h - the parts of `ssdqual verify`: the legs, the table, the document.
 *
 *   verify_calibrate() the cluster, before the load, between its rounds and after it
 *   verify_choose()   which candidates of the advice are tried
 *   verify_round()    a leg of the load under each of them, in turn
 *   verify_compare()  predicted against measured
 *   verify_print(), verify_json()
 */
#ifndef SSDQUAL_CLI_VERIFY_H
#define SSDQUAL_CLI_VERIFY_H

#include "cli/advise.h"
#include "cli/rbd_cfg.h"
#include "policies/verify_judge.h"
#include "probes/rbd_load.h"

struct verify_cfg {
	struct rbd_cfg rbd;
	struct advise_cfg advise; /* workload, backend, drive, current, pwl_path, plp */
	const char *candidates;   /* comma list; NULL: current and the recommended one */
	uint64_t rounds, runtime_ns, calibrate_ns, size, randseed;
	bool strict;
};

enum verify_metric { METRIC_WRITE, METRIC_FLUSH, METRIC_PAIR, METRIC_SYNC, METRIC_COUNT };
extern const char *const verify_metric_key[METRIC_COUNT]; /* "write_ns" ..., as in `advise` */

#define VERIFY_ROUNDS_MAX 32
struct verify_setting {
	const struct candidate *candidate; /* of the advice */
	const struct prediction *predicted; /* the candidate's, or a later one of the same options */
	struct rbd_load_figures total;
	double p50[METRIC_COUNT][VERIFY_ROUNDS_MAX], p99[METRIC_COUNT][VERIFY_ROUNDS_MAX];
	double iops[VERIFY_ROUNDS_MAX];
	size_t rounds;
	char why[320]; /* why it was not measured; "": it was */
	/* verify_compare() */
	struct verify_check check50[METRIC_COUNT], check99[METRIC_COUNT], rate;
	enum verify_verdict verdict; /* of the headline's three */
};

#define VERIFY_SETTINGS_MAX (ADVICE_CANDIDATES + 1)
struct verify {
	const struct verify_cfg *cfg;
	const struct rbd_site *site;
	const struct advise_inputs *inputs;
	const struct workload *load;  /* as it is run: depth within the impact */
	const struct advice *advice;
	struct result *calibration;   /* NULL: the backend was given */
	struct rbd_ground ground;
	struct verify_setting setting[VERIFY_SETTINGS_MAX];
	size_t count;
	enum verify_metric headline;  /* what the load waits for */
	bool limited;                 /* legs ended by the bytes that the impact may write */
};

/* verify_calibrate - run the battery rbd; *pooled NULL: becomes its result, else takes its figures
 * in, row by row. As rbd_session_run(). */
int verify_calibrate(const struct verify *v, const struct rbd_watch *watch, struct result **pooled,
	struct err *reterr);
/* verify_repredict - take the predictions of @again, which must live on, for the same settings. */
void verify_repredict(struct verify *v, const struct advice *again);

/* verify_choose - ERR_USAGE: a word of --candidates is no candidate. */
int verify_choose(struct verify *v, struct err *reterr);
/* verify_round - round @round, from 0. ERR_STOPPED, ERR_DEVICE; what was measured until then stays. A
 * setting that librbd refuses is no error: setting.why. */
int verify_round(struct cli *cli, struct verify *v, uint64_t round, const atomic_bool *stop,
	struct err *reterr);
void verify_compare(struct verify *v);
void verify_done(struct verify *v); /* its figures; what it borrows stays */
/* verify_best - index of the measured setting with the lowest headline (highest IOPS where nothing
 * is waited for); SIZE_MAX: none was measured. @predicted: of those measured, by prediction. */
size_t verify_best(const struct verify *v, bool predicted);

int verify_print(struct cli *cli, const struct verify *v, struct err *reterr);
struct json *verify_json(const struct verify *v);

#endif
