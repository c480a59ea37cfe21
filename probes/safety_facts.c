/* safety_facts.c - swap areas, loop devices, and the lists that hold what was found. */
#include "probes/safety_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probes/drive.h"

#define NVMET "/sys/kernel/config/nvmet/subsystems"

int safety_use_add(struct safety_use **list, size_t *count, const char *kind, const char *name,
	const char *fmt, ...)
{
	struct safety_use use = { .kind = "" }, *grown;
	va_list ap;

	/* Cut text still names the user; the lengths are chosen for what the kernel prints. */
	(void)snprintf(use.kind, sizeof(use.kind), "%s", kind);
	(void)snprintf(use.name, sizeof(use.name), "%s", name);
	va_start(ap, fmt);
	(void)vsnprintf(use.detail, sizeof(use.detail), fmt, ap);
	va_end(ap);
	drive_clean_string(use.name);
	drive_clean_string(use.detail);
	for (size_t i = 0; i < *count; i++) {
		const struct safety_use *old = &(*list)[i];

		if (strcmp(old->kind, use.kind) == 0 && strcmp(old->name, use.name) == 0 &&
			strcmp(old->detail, use.detail) == 0)
			return 0;
	}
	grown = realloc(*list, (*count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*count)++] = use;
	return 0;
}

static int unreadable(struct safety_facts *f, const char *what, int code)
{
	return safety_use_add(&f->unreadable, &f->unreadable_count, "unreadable", what,
		"cannot be read (%s) and could hide a user", strerror(-code));
}

/* -- swap ----------------------------------------------------------------------------------- */

static int add_swap(struct safety_facts *f, char *line)
{
	struct swap_area swap = { .is_file = false }, *grown;
	char *path = line, *type;
	struct stat st;

	type = strpbrk(line, " \t");
	if (!type)
		return unreadable(f, "/proc/swaps", -EBADMSG);
	*type++ = '\0';
	type += strspn(type, " \t");
	mount_unescape(path);
	if (strlen(path) >= sizeof(swap.path))
		return unreadable(f, "/proc/swaps", -ENAMETOOLONG);
	strcpy(swap.path, path);
	swap.is_file = strncmp(type, "file", 4) == 0;
	if (sysroot_is_machine(&f->root) && stat(path, &st) == 0) {
		if (S_ISBLK(st.st_mode)) {
			swap.rdev = st.st_rdev;
		} else {
			swap.dev = st.st_dev;
			swap.ino = st.st_ino;
		}
	}
	grown = realloc(f->swaps, (f->swap_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->swaps = grown;
	grown[f->swap_count++] = swap;
	return 0;
}

static int gather_swaps(struct safety_facts *f)
{
	char *text, *line, *save = NULL;
	int r = sysroot_slurp(&f->root, "/proc/swaps", (size_t)1 << 20, &text, NULL);

	/* A kernel without swap has no such file; a /proc that shows processes only (subset=pid)
	 * hides it, and then it hides /proc/uptime as well. */
	if (r == -ENOENT &&
		(!sysroot_is_machine(&f->root) || sysfs_exists(&f->root, "/proc/uptime")))
		return 0;
	if (r < 0)
		return r == -ENOMEM ? r : unreadable(f, "/proc/swaps", r);
	line = strtok_r(text, "\n", &save); /* the heading */
	while (r == 0 && line && (line = strtok_r(NULL, "\n", &save)))
		r = add_swap(f, line);
	free(text);
	return r;
}

/* -- loop devices --------------------------------------------------------------------------- */

static void identify_loop(struct loop_fact *loop)
{
	char node[SYSFS_NAME_MAX + 8];
	struct loop_info64 info;
	struct stat st;
	int fd;

	(void)snprintf(node, sizeof(node), "/dev/%s", loop->name); /* sized to fit */
	fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && major(st.st_rdev) == 7 &&
		ioctl(fd, LOOP_GET_STATUS64, &info) == 0) {
		loop->dev = (dev_t)info.lo_device;
		loop->ino = (ino_t)info.lo_inode;
		loop->rdev = (dev_t)info.lo_rdevice;
		loop->identified = true;
	}
	(void)close(fd); /* opened for reading */
}

static int add_loop(struct safety_facts *f, const char *name)
{
	struct loop_fact loop = { .identified = false }, *grown;
	int r;

	r = sysfs_read(&f->root, loop.backing, sizeof(loop.backing),
		"/sys/block/%s/loop/backing_file", name);
	if (r == -ENOENT || r == -ENODEV)
		return 0; /* not set up, or taken down just now */
	if (r < 0)
		return unreadable(f, name, r);
	strcpy(loop.name, name);
	if (sysroot_is_machine(&f->root))
		identify_loop(&loop);
	grown = realloc(f->loops, (f->loop_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->loops = grown;
	grown[f->loop_count++] = loop;
	return 0;
}

static int gather_loops(struct safety_facts *f)
{
	struct sysfs_names disks;
	int r = sysfs_list(&f->root, &disks, "/sys/block");

	if (r < 0)
		return r == -ENOMEM ? r : unreadable(f, "/sys/block", r);
	for (size_t i = 0; i < disks.count && r == 0; i++) {
		if (strncmp(disks.name[i], "loop", 4) == 0)
			r = add_loop(f, disks.name[i]);
	}
	sysfs_names_done(&disks);
	return r;
}

/* -- exports -------------------------------------------------------------------------------- */

static int add_export(struct safety_facts *f, const char *subsystem, const char *namespace)
{
	char path[SYSFS_PATH_MAX], who[64];
	struct stat st;
	dev_t rdev;

	if (sysfs_read(&f->root, path, sizeof(path), NVMET "/%s/namespaces/%s/device_path",
			subsystem, namespace) <= 0)
		return 0; /* none is set */
	(void)snprintf(who, sizeof(who), "the kernel's NVMe target (%.30s)", subsystem);
	if (sysroot_is_machine(&f->root))
		return stat(path, &st) == 0 && S_ISBLK(st.st_mode) ?
			safety_opener_add(f, st.st_rdev, who) : 0;
	if (strncmp(path, "/dev/", 5) != 0)
		return 0;
	sysfs_node_to_name(path + 5);
	return sysfs_block_number(&f->root, path + 5, &rdev) == 0 ?
		safety_opener_add(f, rdev, who) : 0;
}

/* The NVMe target opens its devices without claiming them: neither a holder nor an exclusive open
 * tells of it. */
static int gather_exports(struct safety_facts *f)
{
	struct sysfs_names subsystems, namespaces;
	int r = sysfs_list(&f->root, &subsystems, NVMET);

	if (r < 0)
		return r == -ENOMEM ? r : 0; /* there is no target */
	for (size_t i = 0; i < subsystems.count && r == 0; i++) {
		r = sysfs_list(&f->root, &namespaces, NVMET "/%s/namespaces", subsystems.name[i]);
		if (r < 0) {
			r = r == -ENOMEM ? r : 0;
			continue;
		}
		for (size_t k = 0; k < namespaces.count && r == 0; k++)
			r = add_export(f, subsystems.name[i], namespaces.name[k]);
		sysfs_names_done(&namespaces);
	}
	sysfs_names_done(&subsystems);
	return r;
}

/* -- all ------------------------------------------------------------------------------------ */

void safety_facts_free(struct safety_facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->space_count; i++)
		mountinfo_done(&f->spaces[i].table);
	free(f->spaces);
	if (f->disks)
		free(f->disks->disk);
	free(f->disks);
	free(f->swaps);
	free(f->loops);
	free(f->openers);
	free(f->unreadable);
	free(f->unseen);
	free(f);
}

int safety_facts_new(const struct sysroot *root, struct safety_facts **ret, struct err *reterr)
{
	struct safety_facts *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return err_nomem(reterr);
	if (root)
		f->root = *root;
	f->disks = calloc(1, sizeof(*f->disks));
	r = f->disks ? gather_swaps(f) : -ENOMEM;
	if (r == 0)
		r = gather_loops(f);
	if (r == 0)
		r = safety_spaces_gather(f);
	if (r == 0)
		r = gather_exports(f);
	if (r < 0) {
		safety_facts_free(f);
		return r == -ENOMEM ? err_nomem(reterr) :
				      err_set(reterr, ERR_INTERNAL, r,
					      "cannot gather who uses the devices: %s",
					      strerror(-r));
	}
	*ret = f;
	return 0;
}
