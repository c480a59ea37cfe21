/* store_io.c - thin system calls of the store. */
#include "data/store_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int store_io_open(const char *path, int flags, mode_t mode)
{
	int fd;

	do
		fd = open(path, flags, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}

ssize_t store_io_write(int fd, const void *data, size_t len)
{
	ssize_t n;

	do
		n = write(fd, data, len);
	while (n < 0 && errno == EINTR);
	return n;
}

int store_io_fsync(int fd)
{
	int r;

	do
		r = fsync(fd);
	while (r < 0 && errno == EINTR);
	return r;
}

int store_io_close(int fd)
{
	return close(fd);
}

int store_io_rename(const char *from, const char *to)
{
	return rename(from, to);
}

int store_io_rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* A link fails where the name exists; the second name of the file goes afterwards. */
	if (link(from, to) < 0)
		return -1;
	return unlink(from);
}

int store_io_unlink(const char *path)
{
	return unlink(path);
}

int store_io_mkdir(const char *path, mode_t mode)
{
	return mkdir(path, mode);
}
