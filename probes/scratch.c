/* scratch.c - files without a name. */
#include "probes/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_failed(const char *dir, int code, struct err *reterr)
{
	const char *remedy = code == -EACCES || code == -EPERM ? "use a folder that you may write" :
			     code == -ENOSPC ? "free some space" : "use another folder";

	return err_set(reterr, ERR_DEVICE, code, "%s: cannot make a scratch file: %s; %s", dir,
		strerror(-code), remedy);
}

/* O_TMPFILE is refused with these where it is not known: by the file system, or by the kernel. */
static bool no_tmpfile(int e)
{
	return e == EOPNOTSUPP || e == EISDIR || e == ENOENT || e == EINVAL;
}

int scratch_open(const char *dir, int *ret_fd, struct err *reterr)
{
	static unsigned serial; /* only a name; two threads with one name meet O_EXCL */
	int dirfd, fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (!no_tmpfile(errno))
		return open_failed(dir, -errno, reterr);
	dirfd = open(dir, O_DIRECTORY | O_PATH | O_CLOEXEC);
	if (dirfd < 0)
		return open_failed(dir, -errno, reterr);
	for (int tries = 0; tries < 100 && fd < 0; tries++) {
		char name[64];

		(void)snprintf(name, sizeof(name), ".ssdqual-scratch-%ld-%u", (long)getpid(),
			serial++);
		fd = openat(dirfd, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
		if (fd >= 0 && unlinkat(dirfd, name, 0) < 0) {
			int code = -errno;

			(void)close(fd);
			(void)close(dirfd);
			return err_set(reterr, ERR_DEVICE, code,
				"%s/%s: cannot be unlinked: %s; remove it", dir, name,
				strerror(-code));
		}
	}
	if (fd < 0) {
		int code = -errno;

		(void)close(dirfd);
		return open_failed(dir, code, reterr);
	}
	(void)close(dirfd);
	*ret_fd = fd;
	return 0;
}

int scratch_allocate(int fd, const char *dir, uint64_t bytes, struct err *reterr)
{
	int code;

	do
		code = fallocate(fd, 0, 0, (off_t)bytes) < 0 ? -errno : 0;
	while (code == -EINTR);
	if (code == -EOPNOTSUPP)
		code = ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
	if (code == -ENOSPC || code == -EDQUOT)
		return err_set(reterr, ERR_DEVICE, code,
			"%s: file system full: a scratch file of %" PRIu64
			" bytes does not fit; free space or give a smaller --size", dir, bytes);
	if (code < 0)
		return err_set(reterr, ERR_DEVICE, code,
			"%s: cannot allocate a scratch file of %" PRIu64 " bytes: %s", dir, bytes,
			strerror(-code));
	return 0;
}

int scratch_reopen(int fd, const char *what, int flags, int *ret_fd, struct err *reterr)
{
	char path[40];
	int again;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags | O_CLOEXEC);
	if (again < 0 && errno == EINVAL && (flags & O_DIRECT))
		return err_set(reterr, ERR_UNSUPPORTED, -EINVAL,
			"%s: no direct I/O on this file system; use another folder or the device",
			what);
	if (again < 0 && errno == ENOENT)
		return err_set(reterr, ERR_DEVICE, -ENOENT,
			"%s: cannot be opened again through /proc/self/fd; mount /proc", what);
	if (again < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "%s: cannot be opened: %s", what,
			strerror(errno));
	*ret_fd = again;
	return 0;
}

uint32_t scratch_dio_align(int fd, uint32_t fallback)
{
#ifdef STATX_DIOALIGN
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 &&
		(st.stx_mask & STATX_DIOALIGN))
		return st.stx_dio_offset_align;
#else
	(void)fd;
#endif
	return fallback;
}
