/* advise_host.c - what a host says of the image: the running QEMU, its librbd, the plugin, krbd. */
#include "cli/advise.h"

#include <stdio.h>
#include <string.h>

#include "cli/seams.h"

int advise_host_load(const struct cli *cli, const struct advise_cfg *cfg, struct advise_inputs *i,
	struct err *reterr)
{
	struct sysroot root;
	int r;

	if (!cfg->host && !seams_captured(cli))
		return 0;
	r = seams_root(cli, &root, reterr);
	if (r == 0)
		r = rbd_host_read(&root, &i->image.host, reterr);
	if (r < 0)
		return r;
	i->image.has_host = true;
	return 0;
}

void advise_host_fs(const struct cli *cli, struct advise_inputs *i)
{
	struct sysroot root;

	if (seams_root(cli, &root, NULL) < 0 || rbd_host_fs(&root,
	    i->in.config.opt[OPTION_PWL_PATH].value, i->image.fs, sizeof(i->image.fs)) < 0)
		return;
	i->in.log_fs = i->image.fs;
}

/* The process that has the image open; with its disk. NULL: none can be seen. */
static const struct rbd_process *find_process(const struct advise_cfg *cfg,
	struct advise_inputs *i, struct vm_disk *ret_disk)
{
	const struct rbd_host *h = &i->image.host;

	for (size_t k = 0; k < h->processes; k++) {
		const struct rbd_process *p = &h->process[k];
		struct vm_config vm;
		const struct vm_disk *d;

		if (!p->qemu || vm_config_parse(p->cmdline, p->cmdline_len, "cmdline", &vm, NULL) < 0)
			continue;
		d = vm_config_find(&vm, cfg->image);
		if (d == NULL)
			continue;
		*ret_disk = *d;
		if (!i->image.has_vm) {
			i->image.vm = vm;
			i->image.has_vm = true;
			i->in.vm = &i->image.vm;
			snprintf(i->image.qemu_source, sizeof(i->image.qemu_source),
				"/proc/%lu/cmdline", p->pid);
		}
		return p;
	}
	return NULL;
}

static void use_release(const struct advise_cfg *cfg, struct advise_inputs *i,
	const struct rbd_process *p)
{
	struct advise_image *m = &i->image;
	struct release found;

	if (m->host.dpkg_status != NULL)
		package_version(m->host.dpkg_status, "librbd1", m->package, sizeof(m->package));
	if (p != NULL)
		snprintf(m->librbd, sizeof(m->librbd), "%s", p->librbd);
	if (p != NULL && p->deleted)
		notes_add(&m->notes, "librbd-replaced", "/proc/PID/maps", "the running QEMU (process "
			"%lu) still has the librbd loaded that was replaced on disk since; the new one "
			"is used from its next start on, not from a reboot of the guest", p->pid);
	if (p != NULL && p->maps_hidden)
		notes_add_as(&m->notes, SEVERITY_INFO, "librbd-hidden", "/proc/PID/maps", "which "
			"librbd process %lu has loaded cannot be seen; needs root", p->pid);
	if (m->package[0] == '\0')
		return;
	if (cfg->distribution == DISTRIBUTION_UNKNOWN)
		i->in.distribution = package_distribution(m->package);
	if (i->in.release_stated || release_find(m->package, &found, NULL) < 0)
		return;
	i->in.release = found;
	/* Only the library of a process that runs is known to be the one in use. */
	i->in.release_stated = p != NULL && p->librbd[0] != '\0' && !p->deleted;
	snprintf(m->release_source, sizeof(m->release_source), "package librbd1 %.60s%s", m->package,
		i->in.release_stated ? ", loaded by the running QEMU" :
		" of this host; which one the VM runs is not known");
}

static void use_krbd(const struct advise_cfg *cfg, struct advise_inputs *i)
{
	const struct rbd_host *h = &i->image.host;

	for (size_t k = 0; k < h->mappings; k++) {
		if (cfg->image != NULL ? strcmp(h->mapping[k].image, cfg->image) != 0 :
		    h->mappings > 1)
			continue;
		i->in.krbd = true;
		snprintf(i->image.name, sizeof(i->image.name), "%.127s", h->mapping[k].image);
		return;
	}
	if (h->mappings > 0)
		notes_add_as(&i->image.notes, SEVERITY_INFO, "krbd-others", "/sys/bus/rbd/devices",
			"the kernel has %zu images mapped on this host (%s, ...); rbd_cache and PWL "
			"options do not apply to those", h->mappings, h->mapping[0].image);
}

void advise_host_use(const struct advise_cfg *cfg, struct advise_inputs *i)
{
	struct vm_disk disk = { .cache = QEMU_CACHE_UNKNOWN };
	const struct rbd_process *p = find_process(cfg, i, &disk);
	const struct rbd_host *h = &i->image.host;

	if (p != NULL && i->in.qemu == QEMU_CACHE_UNKNOWN)
		i->in.qemu = disk.cache;
	use_release(cfg, i, p);
	use_krbd(cfg, i);
	if (h->plugin[0] != '\0')
		i->in.plugin_file = ANSWER_YES;
	else if (h->librbd_found)
		i->in.plugin_file = ANSWER_NO;
	if (i->in.client_host == NULL && h->name[0] != '\0' && (p != NULL || i->in.krbd))
		i->in.client_host = h->name;
}
