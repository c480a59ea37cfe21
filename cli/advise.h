/* advise.h - the parts of `ssdqual advise`: inputs, JSON, text. */
#ifndef SSDQUAL_CLI_ADVISE_H
#define SSDQUAL_CLI_ADVISE_H

#include "cli/command.h"
#include "policies/advise.h"
#include "policies/rbd_input.h"
#include "probes/rbd_host.h"

struct advise_cfg {
	const char *workload, *backend, *drive, *image, *image_config, *release, *pwl_path;
	const char *image_status, *image_info, *ceph_version, *vm, *client_host, *ceph_conf, *id;
	const char *perf_dump;
	struct opt_list current; /* KEY=VALUE */
	uint64_t images, memory_bytes, clients, mclock_iops, seconds_ns;
	int distribution, plp, qemu, guest_flushes; /* the enums of policies/advise.h */
	bool krbd, host, live, strict, explain;
};

/* What was read of the image and its host, and from where. */
struct advise_image {
	struct rbd_status status;
	struct rbd_info info;
	struct vm_config vm;
	struct rbd_host host;
	bool has_status, has_info, has_vm, has_host;
	char name[128];           /* "POOL/IMAGE"; "" not given */
	char config_source[256], status_source[256], info_source[256], qemu_source[160];
	char release_source[160], package[64], librbd[256], fs[32];
	struct notes notes;       /* what could not be read, what the host runs */
};

/* Everything that advise() borrows. */
struct advise_inputs {
	struct workload *workload; /* NULL: none given, the image alone is looked at */
	char *workload_origin;
	struct advise_input in;
	struct backend_samples samples; /* of the backend, where its result has histograms */
	char backend_source[256], drive_source[256];
	struct advise_image image;
	struct notes findings;     /* about the image */
};

/* advise_inputs_load - 0, or -errno with @reterr (usage: a bad value; input: a bad file). Free with
 * advise_inputs_done(), also after a failure. */
int advise_inputs_load(const struct cli *cli, const struct advise_cfg *cfg,
	struct advise_inputs *ret, struct err *reterr);
/* advise_take_backend - the latencies of @r and its histograms, in the place of what was there before.
 * As backend_from_result(); @i is left as it was where that fails. */
int advise_take_backend(const struct result *r, struct advise_inputs *i, struct err *reterr);
/* advise_take_current - apply --current; part of advise_inputs_load(), again where the present
 * settings were replaced after it. -EINVAL, ERR_USAGE. */
int advise_take_current(const struct advise_cfg *cfg, struct advise_inputs *i,
	struct err *reterr);
void advise_inputs_done(struct advise_inputs *i);

/* -- the image (advise_image*.c) --------------------------------------------------------------- */

/* advise_image_given - is there anything to say of an image without a load? */
bool advise_image_given(const struct cli *cli, const struct advise_cfg *cfg);
/* advise_host_load - read this host (or the captured one) where that is asked for, before the
 * options are taken: the release is in it. */
int advise_host_load(const struct cli *cli, const struct advise_cfg *cfg, struct advise_inputs *i,
	struct err *reterr);
/* advise_image_load - options, status and description of the image, from files or from `rbd`; the
 * cache mode of the VM; krbd. */
int advise_image_load(const struct cli *cli, const struct advise_cfg *cfg,
	struct advise_inputs *i, struct err *reterr);
/* advise_rbd_json - the document @path, which `rbd` (or an admin socket) made. */
int advise_rbd_json(const char *path, enum rbd_input want, struct json **ret, struct err *reterr);
/* advise_live - what `rbd` says of the image, into @i. */
int advise_live(const struct advise_cfg *cfg, struct advise_inputs *i, struct err *reterr);
/* advise_host_use - the release, plugin, QEMU and krbd of the host that was read. */
void advise_host_use(const struct advise_cfg *cfg, struct advise_inputs *i);

/* advise_host_fs - the file system that the log's folder lies on, of that host. */
void advise_host_fs(const struct cli *cli, struct advise_inputs *i);

/* advise_hit_rate - "61 %", "n/a (no reads)", "unknown". */
void advise_hit_rate(const struct rbd_status *s, char *buf, size_t len);
struct json *advise_image_json(const struct advise_inputs *i);
void advise_image_print(struct cli *cli, const struct advise_inputs *i, bool explain);
struct json *advise_notes_json(const struct notes *n);
void advise_print_notes(struct cli *cli, const char *title, const struct notes *n, bool sources);
void advise_print_steps(struct cli *cli, const char *title, const struct step *s, size_t n);
void advise_print_field(struct cli *cli, const char *name, const char *text);
struct json *advise_steps_json(const struct step *s, size_t n);

/* advise_perf - advise --perf-dump: what a running client waits for (advise_perf.c). @argv: the
 * second dump. */
int advise_perf(struct cli *cli, const struct advise_cfg *cfg, int argc, char **argv,
	struct err *reterr);

struct json *advise_to_json(const struct advise_inputs *i, const struct advice *a);
int advise_print(struct cli *cli, const struct advise_inputs *i, const struct advice *a,
	bool explain, struct err *reterr);

#endif
