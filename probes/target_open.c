/* target_open.c - open what was decided on, and prove that it is still the same thing.
 *
 * The path is looked up once, as a handle without access (O_PATH); what the handle is gets checked,
 * and the same handle is then opened. A node or file swapped in between is seen, not opened.
 */
#include "probes/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64) /* linux/fs.h since 5.15 */
#endif

static int changed(const struct target *t, const char *what, struct err *reterr)
{
	return err_set(reterr, ERR_REFUSED, -ESTALE,
		"%s: its %s changed since it was checked; look again, then repeat", t->given, what);
}

static int check_handle(const struct target *t, int fd, struct err *reterr)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "%s: %s", t->given, strerror(errno));
	if (t->kind == TARGET_BLOCK) {
		if (!S_ISBLK(st.st_mode))
			return changed(t, "kind", reterr);
		return st.st_rdev == t->rdev ? 0 : changed(t, "device number", reterr);
	}
	if (S_ISREG(st.st_mode) != (t->kind == TARGET_FILE) ||
		S_ISDIR(st.st_mode) != (t->kind == TARGET_DIR))
		return changed(t, "kind", reterr);
	if (st.st_dev != t->fs_dev || st.st_ino != t->ino)
		return changed(t, "inode", reterr);
	if (t->kind == TARGET_FILE && (uint64_t)st.st_size != t->size_bytes)
		return changed(t, "size", reterr);
	return 0;
}

/* The drive itself is asked through the descriptor: sysfs could still hold what another one said. */
static int check_answers(const struct target *t, int fd, struct err *reterr)
{
	struct err why = ERR_INIT;
	struct drive_names now;
	struct devio io;
	int r;

	if (!t->asked)
		return 0;
	r = answers_open_fd(fd, t->sysname, &io, &why);
	if (r == 0) {
		r = answers_names(&io, &now, &why);
		devio_close(&io);
	}
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: cannot be asked again who it is: %s",
			t->given, why.msg);
	if (strcmp(now.serial, t->told.serial) != 0)
		return changed(t, "serial number", reterr);
	return strcmp(now.wwn, t->told.wwn) == 0 ? 0 : changed(t, "world wide name", reterr);
}

/* The same number can be another drive by now: replugged, or a loop device set up anew. */
static int check_device(const struct target *t, int fd, struct err *reterr)
{
	static const struct sysroot machine = { .prefix = "" };
	struct drive_names now;
	uint64_t size, was, seq;

	if (ioctl(fd, BLKGETSIZE64, &size) < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "%s: cannot read its size: %s", t->given,
			strerror(errno));
	if (size != t->size_bytes)
		return changed(t, "size", reterr);
	if (json_u64(json_get(t->identity, "diskseq"), &was) &&
		ioctl(fd, BLKGETDISKSEQ, &seq) == 0 && seq != was)
		return changed(t, "disk sequence number", reterr);
	target_look(&machine, t->sysname, &now);
	if (strcmp(now.serial, t->seen.serial) != 0)
		return changed(t, "serial number", reterr);
	if (strcmp(now.wwn, t->seen.wwn) != 0)
		return changed(t, "world wide name", reterr);
	return check_answers(t, fd, reterr);
}

static int open_failed(const struct target *t, bool writing, int code, struct err *reterr)
{
	switch (-code) {
	case EBUSY:
		return err_set(reterr, ERR_REFUSED, code,
			"%s: in use; the user is not visible from here (a mount in a namespace "
			"without processes or outside this container, or another kernel user)",
			t->given);
	case EACCES:
	case EPERM:
		if (t->kind == TARGET_BLOCK && writing)
			return err_set(reterr, ERR_REFUSED, code,
				"%s: not permitted, so nothing proves it free: %s; run as root",
				t->given, strerror(-code));
		return err_set(reterr, ERR_DEVICE, code, "%s: %s; run as root or its owner",
			t->given, strerror(-code));
	case EROFS:
		return err_set(reterr, ERR_UNSUPPORTED, code,
			"%s: is read-only; only read tests can be run", t->given);
	case ETXTBSY:
		return err_set(reterr, ERR_REFUSED, code,
			"%s: in use as a running program or as swap space", t->given);
	case EINVAL:
		return err_set(reterr, ERR_UNSUPPORTED, code,
			"%s: cannot be opened like this: %s; the file system may not do direct I/O",
			t->given, strerror(-code));
	default:
		return err_set(reterr, ERR_DEVICE, code, "%s: cannot open: %s", t->given,
			strerror(-code));
	}
}

/* A file has no O_EXCL; a write lease is the kernel's word that nobody else has it open, whatever
 * namespace they live in. File systems without leases cannot tell, and then nothing is claimed. */
static int check_alone(const struct target *t, int fd, struct err *reterr)
{
	if (fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
		(void)fcntl(fd, F_SETLEASE, F_UNLCK); /* only a question */
		return 0;
	}
	if (errno != EAGAIN)
		return 0;
	return err_set(reterr, ERR_REFUSED, -EBUSY,
		"%s: in use; another process or the kernel has it open", t->given);
}

int target_open(const struct target *t, int flags, int *ret_fd, struct err *reterr)
{
	bool writing = (flags & O_ACCMODE) != O_RDONLY;
	char self[64];
	int handle, fd = -1, r;

	flags &= ~(O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW);
	if (writing && t->kind == TARGET_BLOCK)
		flags |= O_EXCL;
	handle = open(t->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (handle < 0)
		return open_failed(t, writing, -errno, reterr);
	r = check_handle(t, handle, reterr);
	if (r == 0) {
		(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
		fd = open(self, flags | O_CLOEXEC);
		if (fd < 0)
			r = open_failed(t, writing, -errno, reterr);
	}
	(void)close(handle); /* only a handle */
	if (r == 0)
		r = check_handle(t, fd, reterr);
	if (r == 0 && t->kind == TARGET_BLOCK)
		r = check_device(t, fd, reterr);
	if (r == 0 && t->kind == TARGET_FILE && writing)
		r = check_alone(t, fd, reterr);
	if (r < 0) {
		if (fd >= 0)
			(void)close(fd); /* nothing was written */
		return r;
	}
	*ret_fd = fd;
	return 0;
}
