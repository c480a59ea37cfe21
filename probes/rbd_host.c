/* rbd_host.c - QEMU processes, krbd mappings, librbd's files. */
#include "probes/rbd_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/mountinfo.h"
#include "probes/sysfs.h"
#include "probes/target.h"

#define CMDLINE_MAX ((size_t)1 << 20)
#define MAPS_MAX    ((size_t)16 << 20)
#define STATUS_MAX  ((size_t)64 << 20)

static const char plugin_file[] = "libceph_librbd_pwl_cache.so";

/* -- processes --------------------------------------------------------------------------------- */

/* By the first word: a process that renames itself has blanks where others have NULs. */
static bool is_qemu(const char *cmdline)
{
	size_t len = strcspn(cmdline, " ");
	const char *slash = memrchr(cmdline, '/', len);
	const char *name = slash != NULL ? slash + 1 : cmdline;

	len -= (size_t)(name - cmdline);
	return (len > 5 && memcmp(name, "qemu-", 5) == 0) || (len == 3 && memcmp(name, "kvm", 3) == 0);
}

/* The path of librbd in a line of maps: "7f..-7f.. r-xp 0000 fe:00 123   /usr/lib/.../librbd.so.1". */
static void take_maps(struct rbd_process *p, const char *maps)
{
	const char *at = maps;

	while ((at = strstr(at, "/librbd.so")) != NULL) {
		const char *from = at, *eol = strchrnul(at, '\n');
		size_t n;

		while (from > maps && from[-1] != '\n' && from[-1] != ' ')
			from--;
		n = strcspn(at, " \n") + (size_t)(at - from);
		/* Not librbd.so-old, and no file of another name. */
		if (*from == '/' && n < sizeof(p->librbd) && strchr(". \n", at[10]) != NULL) {
			memcpy(p->librbd, from, n);
			p->librbd[n] = '\0';
			p->deleted = memmem(at, (size_t)(eol - at), " (deleted)", 10) != NULL;
			return;
		}
		at = eol;
	}
}

/* Returns 1 when the process was taken, 0 when it is of no interest, -ENOMEM. */
static int read_process(const struct sysroot *root, const char *pid, struct rbd_process *p)
{
	char path[64], *maps = NULL;
	size_t len = 0;
	int r;

	*p = (struct rbd_process){ .pid = strtoul(pid, NULL, 10) };
	(void)snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	r = sysroot_slurp(root, path, CMDLINE_MAX, &p->cmdline, &p->cmdline_len);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	p->qemu = p->cmdline_len > 0 && is_qemu(p->cmdline);
	(void)snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	/* The maps of all processes would take seconds on a large host: of QEMUs, and of those that
	 * name an image. */
	if (!p->qemu && memmem(p->cmdline, p->cmdline_len, "rbd", 3) == NULL) {
		free(p->cmdline);
		return 0;
	}
	r = sysroot_slurp(root, path, MAPS_MAX, &maps, &len);
	p->maps_hidden = r == -EACCES || r == -EPERM;
	if (r == 0)
		take_maps(p, maps);
	free(maps);
	if (r != -ENOMEM && (p->qemu || p->librbd[0] != '\0'))
		return 1;
	free(p->cmdline);
	return r == -ENOMEM ? r : 0;
}

static bool is_number(const char *s)
{
	return s[0] != '\0' && strspn(s, "0123456789") == strlen(s);
}

static int read_processes(const struct sysroot *root, struct rbd_host *h)
{
	struct sysfs_names names = { .count = 0 };
	int r = sysfs_list(root, &names, "/proc");

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < names.count && h->processes < RBD_HOST_MAX && r >= 0; i++) {
		if (!is_number(names.name[i]))
			continue;
		r = read_process(root, names.name[i], &h->process[h->processes]);
		h->processes += r == 1;
	}
	sysfs_names_done(&names);
	return r < 0 ? r : 0;
}

/* -- krbd -------------------------------------------------------------------------------------- */

static void read_mapping(const struct sysroot *root, const char *id, struct rbd_mapping *m)
{
	char pool[80] = "", space[80] = "", name[80] = "";
	bool in_space;

	(void)sysfs_read(root, pool, sizeof(pool), "/sys/bus/rbd/devices/%s/pool", id);
	(void)sysfs_read(root, name, sizeof(name), "/sys/bus/rbd/devices/%s/name", id);
	/* Before Linux 4.19 there are no namespaces. */
	in_space = sysfs_read(root, space, sizeof(space), "/sys/bus/rbd/devices/%s/pool_ns", id) > 0;
	(void)snprintf(m->device, sizeof(m->device), "rbd%.20s", id);
	(void)snprintf(m->image, sizeof(m->image), "%s/%s%s%s", pool, in_space ? space : "",
		in_space ? "/" : "", name);
}

static int read_mappings(const struct sysroot *root, struct rbd_host *h)
{
	struct sysfs_names names = { .count = 0 };
	int r = sysfs_list(root, &names, "/sys/bus/rbd/devices");

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < names.count && h->mappings < RBD_HOST_MAX; i++)
		read_mapping(root, names.name[i], &h->mapping[h->mappings++]);
	sysfs_names_done(&names);
	return 0;
}

/* -- files ------------------------------------------------------------------------------------- */

/* Look for the plugin below the library folder @lib ("/usr/lib/x86_64-linux-gnu"). */
static int look_in(const struct sysroot *root, struct rbd_host *h, const char *lib)
{
	struct sysfs_names names = { .count = 0 };
	int r;

	if (sysfs_exists(root, "%s/librbd.so.1", lib))
		h->librbd_found = true;
	r = sysfs_list(root, &names, "%s/ceph/librbd", lib);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < names.count && h->plugin[0] == '\0'; i++)
		if (strncmp(names.name[i], plugin_file, sizeof(plugin_file) - 1) == 0)
			(void)snprintf(h->plugin, sizeof(h->plugin), "%.40s/ceph/librbd/%.255s", lib,
				names.name[i]);
	sysfs_names_done(&names);
	return 0;
}

static int read_files(const struct sysroot *root, struct rbd_host *h)
{
	static const char *const lib[] = { "/usr/lib64", "/usr/lib", "/usr/lib/x86_64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", "/usr/lib/riscv64-linux-gnu",
		"/usr/lib/powerpc64le-linux-gnu", "/usr/lib/s390x-linux-gnu", "/usr/local/lib",
		"/usr/local/lib64" };
	size_t len;
	int r = 0;

	for (size_t i = 0; i < sizeof(lib) / sizeof(lib[0]) && r == 0; i++)
		r = look_in(root, h, lib[i]);
	if (r == 0)
		r = sysroot_slurp(root, "/var/lib/dpkg/status", STATUS_MAX, &h->dpkg_status, &len);
	return r == -ENOMEM ? r : 0;
}

int rbd_host_read(const struct sysroot *root, struct rbd_host *ret, struct err *reterr)
{
	int r;

	memset(ret, 0, sizeof(*ret));
	(void)sysfs_read(root, ret->name, sizeof(ret->name), "/proc/sys/kernel/hostname");
	r = read_processes(root, ret);
	if (r == 0)
		r = read_mappings(root, ret);
	if (r == 0)
		r = read_files(root, ret);
	if (r < 0) {
		rbd_host_done(ret);
		return err_nomem(reterr);
	}
	return 0;
}

void rbd_host_done(struct rbd_host *h)
{
	for (size_t i = 0; i < h->processes; i++)
		free(h->process[i].cmdline);
	free(h->dpkg_status);
	memset(h, 0, sizeof(*h));
}

int rbd_host_fs(const struct sysroot *root, const char *path, char *buf, size_t len)
{
	const struct mount *m;
	struct mountinfo table;
	int r = mountinfo_read(root, "/proc/self/mountinfo", &table, NULL);

	if (r < 0)
		return r;
	m = mountinfo_covering(&table, path);
	if (m != NULL)
		(void)snprintf(buf, len, "%s", m->fs);
	mountinfo_done(&table);
	return m != NULL ? 0 : -ENOENT;
}
