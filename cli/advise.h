/* advise.h - the parts of `ssdqual advise`: inputs, JSON, text. */
#ifndef SSDQUAL_CLI_ADVISE_H
#define SSDQUAL_CLI_ADVISE_H

#include "cli/command.h"
#include "policies/advise.h"

struct advise_cfg {
	const char *workload, *backend, *drive, *image, *image_config, *release, *pwl_path;
	struct opt_list current; /* KEY=VALUE */
	uint64_t images, memory_bytes;
	int distribution, plp, qemu; /* the enums of policies/advise.h */
	bool krbd, strict, explain;
};

/* Everything that advise() borrows. */
struct advise_inputs {
	struct workload *workload;
	char *workload_origin;
	struct advise_input in;
	char backend_source[256], drive_source[256];
};

/* advise_inputs_load - 0, or -errno with @reterr (usage: a bad value; input: a bad file). Free with
 * advise_inputs_done(), also after a failure. */
int advise_inputs_load(const struct advise_cfg *cfg, struct advise_inputs *ret,
	struct err *reterr);
void advise_inputs_done(struct advise_inputs *i);

struct json *advise_to_json(const struct advise_inputs *i, const struct advice *a);
int advise_print(struct cli *cli, const struct advise_inputs *i, const struct advice *a,
	bool explain, struct err *reterr);

#endif
