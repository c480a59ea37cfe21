/* advise.h - which cache setting an image should have for a load, and why.
 *
 *	advise_prepare(&in)       defaults
 *	... fill in ...
 *	advise(&in, &advice, &err)
 *	advice_done(&advice)
 *
 * Every candidate is predicted by its model (policies/model.h), the present settings ("current")
 * among them. The rules, in the order of their weight:
 *   current meets the SLO: it stays, unless another gains more than 20 % and puts no more at risk;
 *   current does not: the best candidate without blockers that meets it;
 *   none does: the best that gains more than 20 %, and `instead` says what would meet it;
 *   no limit: the best that gains more than 20 %.
 * A candidate with a blocker or of uncertain regime is never recommended unless it is current.
 * Then the decision is repeated with the inputs moved by 30 %; where it flips, it is unsure.
 * Pure; the same input gives the same advice.
 */
#ifndef SSDQUAL_POLICIES_ADVISE_H
#define SSDQUAL_POLICIES_ADVISE_H

#include "data/backend.h"
#include "data/workload.h"
#include "policies/model.h"
#include "policies/notes.h"
#include "policies/package.h"
#include "policies/rbd_info.h"
#include "policies/rbd_status.h"
#include "policies/settings.h"
#include "policies/vm_config.h"

enum plp { PLP_UNKNOWN, PLP_YES, PLP_NO };

struct advise_input {
	const struct workload *load;
	struct backend backend;
	const struct backend_samples *samples; /* its histograms; NULL: quantiles only */
	bool backend_assumed;      /* the bundled reference backend */
	bool backend_depth_only;   /* but for its concurrency: the file has no single writes */
	const char *backend_source; /* for reasons: a file's name, "stated", ... */
	bool has_drive;
	struct drive_lat drive;
	enum plp plp;
	double images;             /* on this host; 0: the profile's number */
	double memory_bytes;       /* budget of the host for caches; NAN: none */
	const char *image;         /* "POOL/IMAGE" */
	struct release release;
	bool release_stated;
	enum distribution distribution;
	enum qemu_cache qemu;
	bool krbd;
	struct image_config config; /* image_config_defaults(), then what is known */
	bool config_known;          /* from a file: nothing in it is assumed */
	const char *pwl_path;       /* where a log would lie; NULL: not stated */
	/* What the cluster and the host say of the image. */
	const struct rbd_status *status; /* NULL: not given */
	const struct rbd_info *info;     /* NULL: not given */
	const struct vm_config *vm;      /* the disks of the VM's configuration; NULL: not given */
	enum answer plugin_file;         /* is libceph_librbd_pwl_cache.so there? */
	const char *client_host;         /* the host that opens the image; NULL: not known */
	const char *log_fs;              /* file system below the log's folder; NULL: not known */
	double clients;                  /* that have this one image open at once; 0: not known */
	enum answer guest_flushes;       /* ANSWER_NO: a guest that never sends a flush */
	double mclock_iops;              /* osd_mclock_max_capacity_iops_ssd as stored; NAN */
	double drive_parallel_iops;      /* of the raw drive at depth 32, synced; NAN */
};

/* advise_prepare - zeros, NANs and the defaults of @r's librbd. */
void advise_prepare(struct advise_input *in, struct release r);

#define ADVICE_NAME_MAX 16
struct candidate {
	char name[ADVICE_NAME_MAX];     /* "current" or the model's name */
	struct cache_settings set;
	struct image_config config;     /* the options as they would be */
	bool relevant[OPTION_COUNT];    /* options that make the candidate what it is */
	struct prediction predicted;
	struct notes blockers;
	double score;                   /* the SLO's metric, lower is better (IOPS negative); NAN */
	int meets;                      /* 1, 0; -1: unknown, or there is no limit */
	bool untenable;                 /* current only: it must be left, whatever its figures */
};
#define ADVICE_CANDIDATES 7

struct step {
	char command[320], where[96], when[160], check[320];
};
#define ADVICE_STEPS 24

enum confidence { CONFIDENCE_HIGH, CONFIDENCE_LOW, CONFIDENCE_UNSURE };
const char *confidence_word(enum confidence c); /* "high" "low" "unsure" */

struct advice {
	struct candidate candidate[ADVICE_CANDIDATES]; /* best first */
	size_t candidate_count, chosen;
	int drive_meets;                /* the local drive without RBD; -1: unknown */
	double drive_sync_ns;           /* its value of the SLO's percentile; NAN */
	enum confidence confidence;
	char flips[160];                /* inputs that flip the decision: "backend, think time" */
	struct step apply[ADVICE_STEPS], undo[ADVICE_STEPS];
	size_t apply_count, undo_count;
	struct notes reasons, instead, warnings, assumed;
};

/* advise - 0 or -ENOMEM. @ret is heap- or static-sized (about 40 KiB); free with advice_done(). */
int advise(const struct advise_input *in, struct advice *ret, struct err *reterr);
void advice_done(struct advice *a);

/* -- parts of advise(), one file each ---------------------------------------------------------- */

/* What the candidates are predicted from; scaled copies of it are made for the flips. */
struct advise_case {
	const struct advise_input *in;
	struct workload load;
	struct model_backend backend;
	struct model_drive drive;
	double images;
	const struct sim_table *service; /* of backend and drive */
	struct sim_table *spare;         /* room for as many, for a case that is moved */
	const struct simulate_budget *budget;
};
/* advise_candidates.c: fill @a's candidates (unsorted), sizes swept. */
void advise_make_candidates(const struct advise_case *c, struct advice *a);
void advise_evaluate(const struct advise_case *c, struct candidate *cand);
/* advise_image.c: what is found about the image itself, whatever the load. */
void advise_find_image(const struct advise_input *in, struct notes *findings);

/* advise_pwl.c: is a persistent log in use, and if not, what is missing? */
enum pwl_use { PWL_OFF, PWL_ON,
	PWL_BREAKS,      /* the image does not open with these settings */
	PWL_UNDECIDED };
struct pwl_effect {
	enum pwl_use use;
	char reason[200]; /* "rbd_plugins lacks pwl_cache" */
};
const char *pwl_use_word(enum pwl_use u); /* "off" "on" "breaks" "undecided" */
void advise_pwl_effect(const struct advise_input *in, struct pwl_effect *ret);
void advise_find_pwl(const struct advise_input *in, struct notes *findings);
/* advise_settings - what librbd makes of the present options: QEMU's cache mode, krbd and what is
 * missing for PWL taken into account. */
struct cache_settings advise_settings(const struct advise_input *in);
/* advise_settings_text - the same in words: "writeback, writethrough until flush". */
void advise_settings_text(const struct advise_input *in, char *buf, size_t len);
/* advise_clients - handles on this one image; 1 where nothing says more. */
double advise_clients(const struct advise_input *in);

/* The steps when the device of a dirty log is lost for good; 0 where there is no such log. */
size_t advise_lost_log(const struct advise_input *in, struct step *steps, size_t max);

/* advise_tables.c: the service times of a case, from histograms where there are some. */
void advise_tables(const struct advise_case *c, struct sim_table *ret);
/* advise_retable - those of a case whose backend was moved, in its spare tables. */
void advise_retable(struct advise_case *moved);
/* For cases that are moved, dozens of them: short runs. */
extern const struct simulate_budget advise_brief;
/* advise_blockers.c */
void advise_add_blockers(const struct advise_case *c, struct candidate *cand);
void advise_add_warnings(const struct advise_case *c, struct advice *a);
/* advise_choose.c */
size_t advise_choose(const struct advise_case *c, const struct candidate *cand, size_t n);
void advise_find_flips(const struct advise_case *c, struct advice *a);
const struct candidate *advise_current(const struct advice *a);
/* advise_reasons.c */
void advise_add_reasons(const struct advise_case *c, struct advice *a);
/* advise_steps.c */
void advise_add_steps(const struct advise_case *c, struct advice *a);

#endif
