/* sig.c - signatures of file systems, members and partition tables on a device (libblkid). */
#include "probes/sig.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ZFS keeps 4 labels of 128 uberblocks, which are erased one by one. */
#define WIPE_STEPS_MAX 4096

/* First bytes of a BlueStore device's label.
 * Source: Ceph, src/os/bluestore/BlueStore.cc, BDEV_LABEL_BLOCK_SIZE and the label's text line. */
static const char bluestore_magic[] = "bluestore block device";
#define BLUESTORE_LABEL_BYTES 4096

static blkid_probe new_probe(int fd, uint64_t offset, uint64_t size)
{
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, (blkid_loff_t)offset, (blkid_loff_t)size) != 0 ||
		blkid_probe_enable_superblocks(pr, 1) != 0 ||
		blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
				BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM) != 0 ||
		blkid_probe_enable_partitions(pr, 1) != 0 ||
		blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT) !=
			0) {
		blkid_free_probe(pr);
		return NULL;
	}
	return pr;
}

static bool look_up(blkid_probe pr, const char *name, char *buf, size_t len)
{
	const char *value = NULL;

	buf[0] = '\0';
	if (blkid_probe_lookup_value(pr, name, &value, NULL) != 0 || !value)
		return false;
	(void)snprintf(buf, len, "%s", value); /* a cut label is still a hint */
	return true;
}

static int append(struct sig **list, size_t *count, const struct sig *sig)
{
	struct sig *grown = realloc(*list, (*count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*count)++] = *sig;
	return 0;
}

static bool has_bluestore(int fd, uint64_t offset)
{
	char head[sizeof(bluestore_magic) - 1];

	return pread(fd, head, sizeof(head), (off_t)offset) == (ssize_t)sizeof(head) &&
		memcmp(head, bluestore_magic, sizeof(head)) == 0;
}

static void describe(blkid_probe pr, struct sig *sig)
{
	char offset[32];

	memset(sig, 0, sizeof(*sig));
	if (look_up(pr, "TYPE", sig->type, sizeof(sig->type))) {
		(void)look_up(pr, "LABEL", sig->label, sizeof(sig->label));
		(void)look_up(pr, "SBMAGIC_OFFSET", offset, sizeof(offset));
	} else {
		sig->table = look_up(pr, "PTTYPE", sig->type, sizeof(sig->type));
		(void)look_up(pr, "PTMAGIC_OFFSET", offset, sizeof(offset));
	}
	if (sig->type[0] == '\0')
		strcpy(sig->type, "unknown");
	sig->offset = strtoull(offset, NULL, 10); /* libblkid's own number */
}

int sig_probe(int fd, uint64_t offset, uint64_t size, struct sig **ret, size_t *ret_count,
	struct err *reterr)
{
	struct sig *list = NULL, sig;
	bool bluestore_seen = false;
	size_t count = 0;
	blkid_probe pr;
	int r, found;

	/* A partition has a page cache of its own: what was written there may not be in ours. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	pr = new_probe(fd, offset, size);
	if (!pr)
		return err_set(reterr, ERR_DEVICE, -EIO, "libblkid cannot look at the device");
	r = 0;
	errno = 0;
	while (r == 0 && count < WIPE_STEPS_MAX && (found = blkid_do_probe(pr)) != 1) {
		if (found < 0) {
			r = errno ? -errno : -EIO;
			break;
		}
		describe(pr, &sig);
		bluestore_seen |= strstr(sig.type, "bluestore") != NULL;
		r = append(&list, &count, &sig);
	}
	blkid_free_probe(pr);
	if (r == 0 && !bluestore_seen && has_bluestore(fd, offset)) {
		memset(&sig, 0, sizeof(sig));
		strcpy(sig.type, "ceph_bluestore");
		r = append(&list, &count, &sig);
	}
	if (r < 0) {
		free(list);
		return r == -ENOMEM ? err_nomem(reterr) :
				      err_set(reterr, ERR_DEVICE, r, "cannot read signatures: %s",
					      strerror(-r));
	}
	*ret = list;
	*ret_count = count;
	return 0;
}

static int wipe_bluestore(int fd, uint64_t offset)
{
	static const char zeros[BLUESTORE_LABEL_BYTES];

	if (!has_bluestore(fd, offset))
		return 0;
	if (pwrite(fd, zeros, sizeof(zeros), (off_t)offset) != (ssize_t)sizeof(zeros))
		return errno ? -errno : -EIO;
	return 0;
}

static int wipe_all(int fd, uint64_t offset, uint64_t size)
{
	blkid_probe pr = new_probe(fd, offset, size);
	int r = 0;

	if (!pr)
		return -EIO;
	for (int step = 0; r == 0 && step < WIPE_STEPS_MAX; step++) {
		if (blkid_do_probe(pr) != 0)
			break; /* none left; errors show when the result is proven */
		errno = 0;
		if (blkid_do_wipe(pr, 0) != 0)
			r = errno ? -errno : -EIO;
	}
	blkid_free_probe(pr);
	if (r == 0)
		r = wipe_bluestore(fd, offset);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return r;
}

int sig_wipe(int fd, uint64_t offset, uint64_t size, struct err *reterr)
{
	int flags = fcntl(fd, F_GETFL), r;
	struct sig *left = NULL;
	size_t count = 0;
	char type[sizeof(left->type)] = "";

	/* libblkid reads and writes a few bytes from anywhere, which O_DIRECT does not allow. */
	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return err_set(reterr, ERR_DEVICE, -errno, "cannot lift O_DIRECT: %s",
			strerror(errno));
	r = wipe_all(fd, offset, size);
	if (r < 0)
		r = err_set(reterr, ERR_DEVICE, r, "cannot erase signatures: %s", strerror(-r));
	if (r == 0)
		r = sig_probe(fd, offset, size, &left, &count, reterr);
	if (r == 0 && count > 0)
		(void)snprintf(type, sizeof(type), "%s", left[0].type); /* same size */
	free(left);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && r == 0)
		r = err_set(reterr, ERR_DEVICE, -errno, "cannot set O_DIRECT again: %s",
			strerror(errno));
	if (r == 0 && count > 0)
		r = err_set(reterr, ERR_DEVICE, -EIO,
			"signatures were erased, and still a %s one is read back", type);
	return r;
}
