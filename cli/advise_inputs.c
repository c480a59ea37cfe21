/* advise_inputs.c - from options and files to what the advice is computed from. */
#include "cli/advise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/import.h"
#include "data/resource.h"

/* Librbd whose defaults are assumed where no release is given. */
static const struct release assumed_release = { 18, 2, 7 };

static int load_reference(struct advise_inputs *i, struct err *reterr)
{
	struct json *doc = NULL;
	const char *stated, *source;
	int r = resource_load("backends", "reference", &doc, NULL, reterr);

	if (r < 0)
		return r;
	stated = json_str(json_get(doc, "stated"));
	source = json_str(json_get(doc, "source"));
	if (stated == NULL)
		r = err_set(reterr, ERR_INPUT, -EBADMSG, "backends/reference: stated: missing");
	else
		r = backend_parse(stated, &i->in.backend, reterr);
	if (r < 0)
		(void)err_prefix(reterr, "backends/reference: ");
	snprintf(i->backend_source, sizeof(i->backend_source), "%s", source != NULL ? source : "");
	i->in.backend_assumed = true;
	json_free(doc);
	return r;
}

/* load_imported - of another tool's output, which may hold more than JSON, and several runs. */
static int load_imported(const char *path, struct result **ret, struct err *reterr)
{
	struct import_list list;
	int r = import_file(path, NULL, &list, reterr);

	if (r < 0)
		return r;
	r = import_merge(&list, ret, reterr);
	if (r < 0)
		import_list_done(&list);
	return r;
}

/* load_result - a result document, or what another tool wrote. */
static int load_result(const char *path, struct result **ret, struct err *reterr)
{
	struct json *doc = NULL;
	struct err e = ERR_INIT;
	int r = json_load(path, JSON_FILE_MAX, &doc, &e);

	if (r < 0 && strcmp(path, "-") != 0 && load_imported(path, ret, NULL) == 0)
		return 0;
	if (r < 0)
		return err_set(reterr, e.kind, e.code, "%s", e.msg);
	if (importer_for(doc) == NULL)
		return result_from_json(doc, path, ret, reterr);
	r = import_document(doc, path, ret, reterr);
	json_free(doc);
	return r;
}

/* deep_backend - a run at depth alone tells how much the cluster does at once, and nothing of a
 * single write: for that the reference backend has to stand in. */
static int deep_backend(const struct result *result, const char *path, struct advise_inputs *i,
	struct err *reterr)
{
	int r = load_reference(i, reterr);

	if (r < 0)
		return r;
	r = backend_take_depth(result, &i->in.backend);
	if (r < 0)
		return err_set(reterr, ERR_INPUT, r, "%s: no row of single durable writes, and none "
			"of deep ones", path);
	i->in.backend_depth_only = true;
	snprintf(i->backend_source, sizeof(i->backend_source), "the reference backend, with the "
		"concurrency of %s", path);
	return 0;
}

int advise_take_backend(const struct result *r, struct advise_inputs *i, struct err *reterr)
{
	int rc = backend_from_result(r, &i->in.backend, reterr);

	if (rc < 0)
		return rc;
	backend_samples_done(&i->samples);
	i->in.samples = NULL;
	if (backend_samples_from_result(r, &i->samples) < 0)
		return err_nomem(reterr);
	i->in.samples = &i->samples;
	return 0;
}

static int load_backend(const char *arg, struct advise_inputs *i, struct err *reterr)
{
	struct result *result = NULL;
	struct err e = ERR_INIT;
	int r;

	i->in.backend_source = i->backend_source;
	if (arg == NULL)
		return load_reference(i, reterr);
	if (backend_is_stated(arg)) {
		snprintf(i->backend_source, sizeof(i->backend_source), "stated");
		return backend_parse(arg, &i->in.backend, reterr);
	}
	r = load_result(arg, &result, reterr);
	if (r < 0)
		return r;
	r = advise_take_backend(result, i, &e);
	if (r == 0)
		snprintf(i->backend_source, sizeof(i->backend_source), "%s", arg);
	else if (r == -ENODATA && deep_backend(result, arg, i, NULL) == 0)
		r = 0;
	else
		(void)err_set(reterr, e.kind, e.code, "%s: %s", arg, e.msg);
	result_free(result);
	return r;
}

/* Synced writes at depth 32 of the whole drive: what no OSD on it can exceed. */
static void take_parallel(const struct result *r, struct advise_input *in)
{
	for (size_t k = 0; k < r->measurement_count; k++) {
		const struct measurement *m = r->measurements[k];

		if ((strcmp(m->probe, "parallel-fsync") == 0 ||
		     strcmp(m->probe, "parallel-sync") == 0) && !(m->iops <= in->drive_parallel_iops))
			in->drive_parallel_iops = m->iops;
	}
}

static int load_drive(const char *arg, struct advise_inputs *i, struct err *reterr)
{
	struct result *result = NULL;
	int r;

	if (arg == NULL)
		return 0;
	i->in.has_drive = true;
	if (backend_is_stated(arg)) {
		snprintf(i->drive_source, sizeof(i->drive_source), "stated");
		return drive_parse(arg, &i->in.drive, reterr);
	}
	r = load_result(arg, &result, reterr);
	if (r < 0)
		return r;
	r = drive_from_result(result, &i->in.drive, reterr);
	take_parallel(result, &i->in);
	if (r < 0)
		(void)err_prefix(reterr, "%s: ", arg);
	snprintf(i->drive_source, sizeof(i->drive_source), "%s", arg);
	result_free(result);
	return r;
}

/* An image's name goes into commands that people paste into a shell. */
static int check_word(const char *option, const char *word, bool need_slash, struct err *reterr)
{
	const char *slash = strchr(word, '/');

	if (word[0] == '\0' || word[0] == '-' || strpbrk(word, " \t\n'\"\\$`;&|<>()*?!#~[]{}") ||
	    (need_slash && (slash == NULL || slash == word || slash[1] == '\0')))
		return err_set(reterr, ERR_USAGE, -EINVAL, "%s: '%s' cannot be; write %s", option,
			word, need_slash ? "POOL/IMAGE" : "an absolute path without blanks");
	if (strlen(word) > 100)
		return err_set(reterr, ERR_USAGE, -EINVAL, "%s: longer than 100 characters",
			option);
	return 0;
}

/* The text of --ceph-version, or the first line of the file of that name. */
static int ceph_version(const char *arg, struct release *ret, struct err *reterr)
{
	char line[256] = "";
	FILE *f = fopen(arg, "re");
	int r;

	if (f != NULL) {
		if (fgets(line, sizeof(line), f) == NULL)
			line[0] = '\0';
		(void)fclose(f); /* opened for reading */
	}
	r = release_find(f != NULL ? line : arg, ret, reterr);
	if (r < 0)
		(void)err_prefix(reterr, "--ceph-version%s%s: ", f != NULL ? ": " : "",
			f != NULL ? arg : "");
	if (r < 0 && f != NULL && reterr != NULL)
		reterr->kind = ERR_INPUT;
	return r;
}

static int take_release(const struct advise_cfg *cfg, struct advise_inputs *i, struct err *reterr)
{
	struct release release = assumed_release;
	int r = 0;

	if (cfg->release != NULL)
		r = release_parse(cfg->release, &release, reterr);
	else if (cfg->ceph_version != NULL)
		r = ceph_version(cfg->ceph_version, &release, reterr);
	if (r < 0)
		return r;
	advise_prepare(&i->in, release);
	i->in.release_stated = cfg->release != NULL || cfg->ceph_version != NULL;
	snprintf(i->image.release_source, sizeof(i->image.release_source), "%s",
		i->in.release_stated ? "stated" : "assumed");
	return 0;
}

static int take_options(const struct advise_cfg *cfg, struct advise_inputs *i, struct err *reterr)
{
	struct advise_input *in = &i->in;
	int r = take_release(cfg, i, reterr);

	if (r < 0)
		return r;
	in->distribution = (enum distribution)cfg->distribution;
	in->plp = (enum plp)cfg->plp;
	in->qemu = (enum qemu_cache)cfg->qemu;
	in->krbd = cfg->krbd;
	in->images = (double)cfg->images;
	in->clients = (double)cfg->clients;
	in->guest_flushes = (enum answer)cfg->guest_flushes;
	in->client_host = cfg->client_host;
	if (cfg->mclock_iops > 0)
		in->mclock_iops = (double)cfg->mclock_iops;
	if (cfg->memory_bytes > 0)
		in->memory_bytes = (double)cfg->memory_bytes;
	if (cfg->image != NULL) {
		r = check_word("--image", cfg->image, true, reterr);
		if (r < 0)
			return r;
		in->image = cfg->image;
		snprintf(i->image.name, sizeof(i->image.name), "%s", cfg->image);
	}
	if (cfg->pwl_path != NULL) {
		r = check_word("--pwl-path", cfg->pwl_path, false, reterr);
		if (r < 0)
			return r;
		if (cfg->pwl_path[0] != '/' || strcmp(cfg->pwl_path, "/tmp") == 0 ||
		    strncmp(cfg->pwl_path, "/tmp/", 5) == 0)
			return err_set(reterr, ERR_USAGE, -EINVAL, "--pwl-path: '%s': an absolute "
				"path outside /tmp, on the SSD itself", cfg->pwl_path);
		in->pwl_path = cfg->pwl_path;
	}
	return 0;
}

/* A guest that never flushes cannot be the one of a load that waits for its syncs. */
static int check_load(const struct advise_inputs *i, struct err *reterr)
{
	if (i->in.guest_flushes == ANSWER_NO && i->workload->slo_metric == SLO_GUEST_SYNC)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--guest-flushes no: the limit of the "
			"workload '%s' is on its syncs, which such a guest never sends",
			i->workload->name);
	return 0;
}

static int load_workload(const struct advise_cfg *cfg, struct advise_inputs *i,
	struct err *reterr)
{
	int r;

	if (cfg->workload == NULL)
		return 0;
	r = workload_load(cfg->workload, &i->workload, &i->workload_origin, reterr);
	if (r < 0)
		return r;
	i->in.load = i->workload;
	return check_load(i, reterr);
}

int advise_inputs_load(const struct cli *cli, const struct advise_cfg *cfg,
	struct advise_inputs *ret, struct err *reterr)
{
	int r;

	*ret = (struct advise_inputs){ .workload = NULL };
	if (cfg->workload == NULL && !advise_image_given(cli, cfg))
		return err_set(reterr, ERR_USAGE, -EINVAL, "--workload is missing; `ssdqual "
			"workload list` shows the names, a file ends in .json");
	r = take_options(cfg, ret, reterr);
	if (r == 0)
		r = load_workload(cfg, ret, reterr);
	if (r == 0)
		r = load_backend(cfg->backend, ret, reterr);
	if (r == 0)
		r = load_drive(cfg->drive, ret, reterr);
	if (r == 0)
		r = advise_host_load(cli, cfg, ret, reterr);
	if (r == 0)
		r = advise_image_load(cli, cfg, ret, reterr);
	if (r < 0)
		return r;
	notes_copy(&ret->findings, &ret->image.notes);
	advise_find_image(&ret->in, &ret->findings);
	notes_sort(&ret->findings);
	return ret->findings.no_memory || ret->image.notes.no_memory ? err_nomem(reterr) : 0;
}

void advise_inputs_done(struct advise_inputs *i)
{
	backend_samples_done(&i->samples);
	workload_free(i->workload);
	free(i->workload_origin);
	rbd_host_done(&i->image.host);
	notes_done(&i->image.notes);
	notes_done(&i->findings);
	i->workload = NULL;
	i->workload_origin = NULL;
}
