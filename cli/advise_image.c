/* advise_image.c - options, status and description of the image: files first, then `rbd`. */
#include "cli/advise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/seams.h"
#include "probes/ask_command.h"

#define RBD_TIMEOUT_NS 10000000000U /* a cluster that takes longer does not answer */
#define VM_FILE_MAX    ((size_t)4 << 20)

bool advise_image_given(const struct cli *cli, const struct advise_cfg *cfg)
{
	return cfg->image_config != NULL || cfg->image_status != NULL || cfg->image_info != NULL ||
		cfg->vm != NULL || cfg->host || seams_captured(cli) || cfg->current.count > 0 ||
		cfg->image != NULL;
}

/* refuse_text - the table for people is told by its first lines, whatever JSON makes of it. */
static int refuse_text(const char *path, enum rbd_input want, struct err *reterr)
{
	char head[4096];
	FILE *f = strcmp(path, "-") != 0 ? fopen(path, "re") : NULL;
	size_t n;

	if (f == NULL)
		return 0;
	n = fread(head, 1, sizeof(head), f);
	(void)fclose(f); /* opened for reading */
	return rbd_input_refuse_text(head, n, want, path, reterr);
}

int advise_rbd_json(const char *path, enum rbd_input want, struct json **ret, struct err *reterr)
{
	int r = json_load(path, JSON_FILE_MAX, ret, reterr), t;

	if (r == 0)
		return 0;
	t = r == -EBADMSG ? refuse_text(path, want, reterr) : 0;
	if (t < 0)
		return t;
	(void)err_prefix(reterr, "%s (make it with `%s`): ", rbd_input_option(want),
		rbd_input_command(want));
	return r;
}

static void take_source(char *buf, size_t len, const char *from)
{
	snprintf(buf, len, "%s", from);
}

static int take_config(struct advise_inputs *i, const struct json *doc, const char *from,
	struct err *reterr)
{
	int r = image_config_from_json(&i->in.config, doc, from, reterr);

	i->in.config_known = true;
	take_source(i->image.config_source, sizeof(i->image.config_source), from);
	return r;
}

static int take_status(struct advise_inputs *i, const struct json *doc, const char *from,
	struct err *reterr)
{
	int r = rbd_status_parse(doc, from, &i->image.status, reterr);

	if (r < 0)
		return r;
	i->image.has_status = true;
	i->in.status = &i->image.status;
	take_source(i->image.status_source, sizeof(i->image.status_source), from);
	return 0;
}

static int take_info(struct advise_inputs *i, const struct json *doc, const char *from,
	struct err *reterr)
{
	int r = rbd_info_parse(doc, from, &i->image.info, reterr);

	if (r < 0)
		return r;
	i->image.has_info = true;
	i->in.info = &i->image.info;
	take_source(i->image.info_source, sizeof(i->image.info_source), from);
	return 0;
}

typedef int (*take_fn)(struct advise_inputs *i, const struct json *doc, const char *from,
	struct err *reterr);

static int load_file(const char *path, enum rbd_input kind, take_fn take, struct advise_inputs *i,
	struct err *reterr)
{
	struct json *doc = NULL;
	int r;

	if (path == NULL)
		return 0;
	r = advise_rbd_json(path, kind, &doc, reterr);
	if (r == 0)
		r = take(i, doc, path, reterr);
	json_free(doc);
	return r;
}

static int load_vm(const char *path, struct advise_inputs *i, struct err *reterr)
{
	char *text;
	size_t n;
	FILE *f;
	int r;

	if (path == NULL)
		return 0;
	f = fopen(path, "re");
	if (f == NULL)
		return err_set(reterr, ERR_INPUT, -errno, "--qemu: %s: %s", path, strerror(errno));
	text = malloc(VM_FILE_MAX);
	if (text == NULL) {
		(void)fclose(f); /* opened for reading */
		return err_nomem(reterr);
	}
	n = fread(text, 1, VM_FILE_MAX, f);
	r = ferror(f) ? err_set(reterr, ERR_INPUT, -EIO, "--qemu: %s: cannot be read", path) :
		n == VM_FILE_MAX ? err_set(reterr, ERR_INPUT, -EFBIG, "--qemu: %s: larger than 4 MiB",
			path) : vm_config_parse(text, n, path, &i->image.vm, reterr);
	free(text);
	(void)fclose(f); /* opened for reading */
	i->image.has_vm = r == 0;
	snprintf(i->image.qemu_source, sizeof(i->image.qemu_source), "%s", path);
	return r;
}

/* The disk of this image decides, where the mode was not stated. */
static void use_vm(const struct advise_cfg *cfg, struct advise_inputs *i)
{
	const struct vm_disk *d;

	if (!i->image.has_vm)
		return;
	i->in.vm = &i->image.vm;
	d = vm_config_find(&i->image.vm, cfg->image);
	if (d != NULL && cfg->qemu == QEMU_CACHE_UNKNOWN)
		i->in.qemu = d->cache;
	if (d == NULL)
		notes_add_as(&i->image.notes, SEVERITY_INFO, "qemu-disk", i->image.qemu_source,
			"the VM has %zu disks that can be RBD images, none is known to be this one; "
			"name it with --image POOL/IMAGE", i->image.vm.disks);
}

/* -- live -------------------------------------------------------------------------------------- */

static int ask_rbd(const struct advise_cfg *cfg, const char *const words[], const char *image,
	struct json **ret, struct err *reterr)
{
	const char *argv[16] = { "rbd" };
	size_t n = 1, len = 0;
	char *text = NULL;
	int r;

	if (cfg->ceph_conf != NULL) {
		argv[n++] = "--conf";
		argv[n++] = cfg->ceph_conf;
	}
	if (cfg->id != NULL) {
		argv[n++] = "--id";
		argv[n++] = cfg->id;
	}
	for (size_t i = 0; words[i] != NULL; i++)
		argv[n++] = words[i];
	argv[n++] = image;
	argv[n++] = "--format";
	argv[n++] = "json";
	r = ask_command(argv, RBD_TIMEOUT_NS, &text, &len, reterr);
	if (r == 0)
		r = json_parse(text, len, "rbd", ret, reterr);
	free(text);
	return r;
}

int advise_live(const struct advise_cfg *cfg, struct advise_inputs *i, struct err *reterr)
{
	static const struct {
		const char *words[4], *from;
		take_fn take;
	} questions[] = {
		{ { "config", "image", "list", NULL }, "rbd config image list", take_config },
		{ { "status", NULL }, "rbd status", take_status },
		{ { "info", NULL }, "rbd info", take_info },
	};

	for (size_t k = 0; k < sizeof(questions) / sizeof(questions[0]); k++) {
		struct json *doc = NULL;
		int r = ask_rbd(cfg, questions[k].words, cfg->image, &doc, reterr);

		if (r == 0)
			r = questions[k].take(i, doc, questions[k].from, reterr);
		json_free(doc);
		if (r < 0) {
			(void)err_prefix(reterr, "`%s %s`: ", questions[k].from, cfg->image);
			return r;
		}
	}
	return 0;
}

/* Only where a cluster is configured: a name alone, on a machine without one, is a name. */
static bool may_ask(const struct cli *cli, const struct advise_cfg *cfg)
{
	if (!cfg->live || cfg->image == NULL || cfg->image_config != NULL ||
	    cfg->image_status != NULL || cfg->image_info != NULL || seams_captured(cli))
		return false;
	return cfg->ceph_conf != NULL || cfg->id != NULL || getenv("CEPH_CONF") != NULL ||
		access("/etc/ceph/ceph.conf", R_OK) == 0;
}

static int ask_live(const struct cli *cli, const struct advise_cfg *cfg, struct advise_inputs *i,
	struct err *reterr)
{
	struct err why = ERR_INIT;
	int r;

	if (!may_ask(cli, cfg))
		return 0;
	r = advise_live(cfg, i, &why);
	if (r == 0)
		return 0;
	/* Who names a configuration wants it used; else a name is still a name for the commands. */
	if (cfg->ceph_conf != NULL || cfg->id != NULL) {
		if (reterr != NULL)
			*reterr = why;
		return r;
	}
	i->in.status = NULL;
	i->in.info = NULL;
	i->image.has_status = i->image.has_info = i->in.config_known = false;
	image_config_defaults(&i->in.config, i->in.release);
	notes_add(&i->image.notes, "image-not-asked", "rbd", "the image could not be asked (%.300s); "
		"nothing of its present state is known", why.msg);
	return 0;
}

static int set_current(const char *pair, struct image_config *c, struct err *reterr)
{
	const char *eq = strchr(pair, '=');
	char key[64];
	int r;

	if (eq == NULL || eq == pair || (size_t)(eq - pair) >= sizeof(key))
		return err_set(reterr, ERR_USAGE, -EINVAL, "--current: '%s' is no OPTION=VALUE, as "
			"rbd_cache_policy=writeback", pair);
	snprintf(key, sizeof(key), "%.*s", (int)(eq - pair), pair);
	r = image_config_set(c, key, eq + 1, LEVEL_IMAGE, reterr);
	if (r < 0)
		(void)err_prefix(reterr, "--current: ");
	return r;
}

int advise_take_current(const struct advise_cfg *cfg, struct advise_inputs *i, struct err *reterr)
{
	int r = 0;

	for (size_t k = 0; r == 0 && k < cfg->current.count; k++)
		r = set_current(cfg->current.item[k], &i->in.config, reterr);
	return r;
}

int advise_image_load(const struct cli *cli, const struct advise_cfg *cfg,
	struct advise_inputs *i, struct err *reterr)
{
	int r = load_file(cfg->image_config, RBD_INPUT_CONFIG, take_config, i, reterr);

	if (r == 0)
		r = load_file(cfg->image_status, RBD_INPUT_STATUS, take_status, i, reterr);
	if (r == 0)
		r = load_file(cfg->image_info, RBD_INPUT_INFO, take_info, i, reterr);
	if (r == 0)
		r = load_vm(cfg->vm, i, reterr);
	if (r == 0)
		r = ask_live(cli, cfg, i, reterr);
	if (r == 0)
		r = advise_take_current(cfg, i, reterr);
	if (r < 0)
		return r;
	use_vm(cfg, i);
	if (i->image.has_host) {
		advise_host_use(cfg, i);
		advise_host_fs(cli, i);
	}
	return 0;
}
