/* rbd_host.h - what a host says of its RBD clients: QEMU processes, their librbd, krbd mappings.
 *
 * Read are, below a root that can be set: /proc/PID/cmdline and maps of processes whose program is
 * a QEMU or that have librbd loaded, /sys/bus/rbd/devices, /var/lib/dpkg/status, the folders where
 * packages put the PWL plugin, and the host's name. Nothing is opened for writing. What cannot be
 * read (another user's process, an RPM system's database) is left empty.
 */
#ifndef SSDQUAL_PROBES_RBD_HOST_H
#define SSDQUAL_PROBES_RBD_HOST_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>

struct sysroot;

struct rbd_process {
	unsigned long pid;
	char *cmdline;       /* arguments, each with its NUL */
	size_t cmdline_len;
	bool qemu;           /* by the name of its program */
	char librbd[256];    /* the file that it has loaded; "" none, or its maps cannot be read */
	bool deleted;        /* that file was replaced since: an older librbd still runs */
	bool maps_hidden;    /* no permission */
};

struct rbd_mapping {
	char device[32];     /* "rbd0" */
	char image[256];     /* "pool/image", "pool/namespace/image" */
};

#define RBD_HOST_MAX 64
struct rbd_host {
	char name[128];               /* "" unknown */
	char *dpkg_status;            /* text of the file, at most 64 MiB; NULL */
	char plugin[320];             /* path of libceph_librbd_pwl_cache.so*; "" none found */
	bool librbd_found;            /* a librbd.so lies in one of the library folders: then a
				       * missing plugin means something */
	struct rbd_process process[RBD_HOST_MAX];
	size_t processes;
	struct rbd_mapping mapping[RBD_HOST_MAX];
	size_t mappings;
};

/* rbd_host_read - 0, or -ENOMEM. Free with rbd_host_done(). */
int rbd_host_read(const struct sysroot *root, struct rbd_host *ret, struct err *reterr);
void rbd_host_done(struct rbd_host *h);

/* rbd_host_fs - file system type of the mount that @path lies on; -ENOENT when it is not told. */
int rbd_host_fs(const struct sysroot *root, const char *path, char *buf, size_t len);

#endif
