/* writecache_sys.c - the kernel's attributes: of this machine, of a captured tree, or imagined. */
#include "probes/writecache.h"

#include "probes/sysfs.h"
#include "probes/target.h"
#include "probes/writecache_drive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Path of @attr. -ENOENT where the device has no such thing, or more than one scsi_disk. */
static int attr_path(const struct wc_sys *sys, enum wc_attr attr, char *path, size_t size)
{
	static const char *const under[] = {
		[WC_ATTR_QUEUE] = "queue/write_cache",
		[WC_ATTR_FUA] = "queue/fua",
		[WC_ATTR_RESCAN] = "device/rescan",
	};
	struct sysfs_names disks;
	int n, rc;

	if (attr != WC_ATTR_CACHE_TYPE) {
		n = snprintf(path, size, "/sys/block/%s/%s", sys->sysname, under[attr]);
		return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
	}
	rc = sysfs_list(sys->root, &disks, "/sys/block/%s/device/scsi_disk", sys->sysname);
	if (rc < 0)
		return rc;
	if (disks.count == 1) {
		n = snprintf(path, size, "/sys/block/%s/device/scsi_disk/%s/cache_type",
			sys->sysname, disks.name[0]);
		rc = n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
	} else {
		rc = -ENOENT;
	}
	sysfs_names_done(&disks);
	return rc;
}

static int sys_read(void *ctx, enum wc_attr attr, char *buf, size_t size)
{
	const struct wc_sys *sys = ctx;
	char path[SYSFS_PATH_MAX];
	int rc = attr_path(sys, attr, path, sizeof(path));

	if (rc < 0)
		return rc;
	rc = sysfs_read(sys->root, buf, size, "%s", path);
	return rc < 0 ? rc : 0;
}

static int sys_write(void *ctx, enum wc_attr attr, const char *text)
{
	const struct wc_sys *sys = ctx;
	char path[SYSFS_PATH_MAX];
	size_t len = strlen(text);
	ssize_t n;
	int fd, rc;

	if (!sysroot_is_machine(sys->root))
		return -EROFS;
	/* The queue's flag alone stops flushes without asking the drive: never that way. */
	if (attr == WC_ATTR_QUEUE && strcmp(text, "write back") != 0)
		return -EPERM;
	rc = attr_path(sys, attr, path, sizeof(path));
	if (rc < 0)
		return rc;
	fd = sysroot_open(sys->root, path, O_WRONLY);
	if (fd < 0)
		return fd;
	n = write(fd, text, len);
	rc = n < 0 ? -errno : (size_t)n != len ? -EIO : 0;
	(void)close(fd); /* an attribute acts in write(2) */
	return rc;
}

const struct wc_kernel_ops wc_kernel_sys = { .read = sys_read, .write = sys_write };

/* -- imagined ------------------------------------------------------------------------------- */

static int replay_read(void *ctx, enum wc_attr attr, char *buf, size_t size)
{
	struct wc_replay *r = ctx;
	const char *text = attr == WC_ATTR_CACHE_TYPE ? r->sd_text :
		attr == WC_ATTR_QUEUE ? r->queue_text : NULL;

	if (!text)
		return sys_read(&r->sys, attr, buf, size);
	(void)snprintf(buf, size, "%s", text); /* the longest word fits every buffer here */
	return 0;
}

/* sd asks the drive again; its view decides the queue's flag. An override stands. */
static void revalidate(struct wc_replay *r)
{
	struct wc_dev d = { .io = r->io };
	struct wc_state s = { .method = WC_BY_NOTHING };

	if (r->override || wc_read_drive(&d, &s, NULL) < 0)
		return;
	if (s.drive == WC_DRIVE_ON)
		r->sd_text = s.rcd ? "write back, no read (daft)" : "write back";
	else if (s.drive == WC_DRIVE_OFF)
		r->sd_text = s.rcd ? "none" : "write through";
	else
		return;
	r->queue_text = s.drive == WC_DRIVE_ON ? "write back" : "write through";
}

static int replay_cache_type(struct wc_replay *r, const char *text)
{
	static const char prefix[] = "temporary ";
	static const char *const words[] = { "write through", "none", "write back",
		"write back, no read (daft)" };
	struct wc_dev d = { .io = r->io };
	struct wc_state s = { .method = WC_BY_NOTHING };
	bool temporary = strncmp(text, prefix, sizeof(prefix) - 1) == 0;
	size_t i;

	if (temporary)
		text += sizeof(prefix) - 1;
	for (i = 0; i < 4 && strcmp(text, words[i]) != 0; i++)
		;
	if (i == 4)
		return -EINVAL;
	r->override = temporary;
	if (temporary) {
		r->sd_text = words[i];
		r->queue_text = i >= 2 ? "write back" : "write through";
		return 0;
	}
	if (wc_read_drive(&d, &s, NULL) < 0 || s.method == WC_BY_NVME ||
	    wc_command(&d, &s, i >= 2, true, NULL) < 0)
		return -EINVAL; /* what sd says to every failure */
	revalidate(r);
	return 0;
}

static int replay_write(void *ctx, enum wc_attr attr, const char *text)
{
	struct wc_replay *r = ctx;
	char present[64];
	int rc;

	switch (attr) {
	case WC_ATTR_CACHE_TYPE:
		rc = replay_read(r, attr, present, sizeof(present));
		return rc < 0 ? rc : replay_cache_type(r, text);
	case WC_ATTR_QUEUE:
		rc = replay_read(r, attr, present, sizeof(present));
		if (rc == 0 && strcmp(text, "write back") == 0)
			r->queue_text = "write back";
		return rc < 0 ? rc : strcmp(text, "write back") == 0 ? 0 : -EPERM;
	case WC_ATTR_RESCAN:
		if (replay_read(r, WC_ATTR_CACHE_TYPE, present, sizeof(present)) < 0)
			return -ENOENT;
		revalidate(r);
		return 0;
	case WC_ATTR_FUA:
	default:
		return -EACCES;
	}
}

const struct wc_kernel_ops wc_kernel_replay = { .read = replay_read, .write = replay_write };
