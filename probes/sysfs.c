/* sysfs.c - reading /sys, /proc and /dev links under a root that can be set. */
#include "probes/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "data/units.h"
#include "probes/target.h"

bool sysroot_is_machine(const struct sysroot *root)
{
	return !root || root->prefix[0] == '\0';
}

static int open_in(int dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* A node in a captured tree would be a device of this machine, a FIFO would read as an empty file:
 * neither is opened. */
static int check_captured(int dir, const char *path)
{
	int fd = open_in(dir, path, O_PATH), r = 0;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		r = -EINVAL;
	(void)close(fd); /* only a handle */
	return r;
}

int sysroot_open(const struct sysroot *root, const char *path, int flags)
{
	int dir, fd;

	if (sysroot_is_machine(root)) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	dir = open(root->prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = flags & O_PATH ? 0 : check_captured(dir, path);
	if (fd == 0)
		fd = open_in(dir, path, flags);
	(void)close(dir); /* only a handle for the look-up */
	return fd;
}

static int read_fd(int fd, void *buf, size_t len)
{
	size_t used = 0;

	while (used < len) {
		ssize_t n = read(fd, (char *)buf + used, len - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	return (int)used;
}

int sysroot_slurp(const struct sysroot *root, const char *path, size_t max, char **ret,
	size_t *ret_len)
{
	size_t size = 16384, used = 0;
	char *text = NULL;
	int fd, r;

	fd = sysroot_open(root, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	for (;;) {
		char *grown = realloc(text, size + 1);

		r = grown ? 0 : -ENOMEM;
		if (r < 0)
			break;
		text = grown;
		r = read_fd(fd, text + used, size - used);
		if (r < 0)
			break;
		used += (size_t)r;
		if (used < size)
			break;
		r = -EFBIG;
		if (size >= max)
			break;
		size = size * 2 < max ? size * 2 : max;
	}
	(void)close(fd); /* opened for reading */
	if (r < 0) {
		free(text);
		return r;
	}
	text[used] = '\0';
	*ret = text;
	if (ret_len)
		*ret_len = used;
	return 0;
}

__attribute__((format(printf, 3, 0)))
static int format_path(char *path, size_t len, const char *fmt, va_list ap)
{
	int n = vsnprintf(path, len, fmt, ap);

	return n < 0 || (size_t)n >= len ? -ENAMETOOLONG : 0;
}

#define FORMAT_PATH(path, r, fmt)                                    \
	do {                                                         \
		va_list ap_;                                         \
		va_start(ap_, fmt);                                  \
		(r) = format_path((path), sizeof(path), (fmt), ap_); \
		va_end(ap_);                                         \
	} while (0)

static int read_path(const struct sysroot *root, const char *path, void *buf, size_t len)
{
	int fd = sysroot_open(root, path, O_RDONLY | O_NONBLOCK), r;

	if (fd < 0)
		return fd;
	r = read_fd(fd, buf, len);
	(void)close(fd); /* opened for reading */
	return r;
}

int sysfs_read_raw(const struct sysroot *root, void *buf, size_t len, const char *fmt, ...)
{
	char path[SYSFS_PATH_MAX];
	int r;

	FORMAT_PATH(path, r, fmt);
	return r < 0 ? r : read_path(root, path, buf, len);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* First line of @buf without blanks around it, moved to the front. */
static int trim_line(char *buf, size_t used)
{
	size_t start = 0, end = 0;

	while (end < used && buf[end] != '\n' && buf[end] != '\0')
		end++;
	while (start < end && is_blank(buf[start]))
		start++;
	while (end > start && is_blank(buf[end - 1]))
		end--;
	memmove(buf, buf + start, end - start);
	buf[end - start] = '\0';
	return (int)(end - start);
}

static int read_line(const struct sysroot *root, const char *path, char *buf, size_t len)
{
	int r = read_path(root, path, buf, len - 1);

	return r < 0 ? r : trim_line(buf, (size_t)r);
}

int sysfs_read(const struct sysroot *root, char *buf, size_t len, const char *fmt, ...)
{
	char path[SYSFS_PATH_MAX];
	int r;

	FORMAT_PATH(path, r, fmt);
	return r < 0 ? r : read_line(root, path, buf, len);
}

int sysfs_read_u64(const struct sysroot *root, uint64_t *ret, const char *fmt, ...)
{
	char path[SYSFS_PATH_MAX], line[64];
	int r;

	FORMAT_PATH(path, r, fmt);
	if (r == 0)
		r = read_line(root, path, line, sizeof(line));
	return r < 0 ? r : units_parse_u64(line, ret);
}

int sysfs_readlink(const struct sysroot *root, char *buf, size_t len, const char *fmt, ...)
{
	char path[SYSFS_PATH_MAX];
	ssize_t n;
	int fd, r;

	FORMAT_PATH(path, r, fmt);
	if (r < 0)
		return r;
	fd = sysroot_open(root, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	n = readlinkat(fd, "", buf, len);
	r = n < 0 ? (errno == ENOENT ? -EINVAL : -errno) : 0;
	(void)close(fd); /* only a handle */
	if (r < 0)
		return r;
	if ((size_t)n >= len)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return (int)n;
}

bool sysfs_exists(const struct sysroot *root, const char *fmt, ...)
{
	char path[SYSFS_PATH_MAX];
	int r;

	FORMAT_PATH(path, r, fmt);
	if (r < 0)
		return false;
	r = sysroot_open(root, path, O_PATH);
	if (r < 0)
		return false;
	(void)close(r); /* only a handle */
	return true;
}

/* -- lists of names ------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strverscmp(a, b);
}

bool sysfs_names_has(const struct sysfs_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++) {
		if (strcmp(n->name[i], name) == 0)
			return true;
	}
	return false;
}

static int append_name(struct sysfs_names *n, const char *name)
{
	char(*grown)[SYSFS_NAME_MAX];

	if (strlen(name) >= SYSFS_NAME_MAX)
		return -ENAMETOOLONG;
	if ((n->count & (n->count - 1)) == 0) { /* full at every power of two */
		grown = realloc(n->name, (n->count ? n->count * 2 : 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		n->name = grown;
	}
	strcpy(n->name[n->count++], name);
	return 0;
}

int sysfs_names_add(struct sysfs_names *n, const char *name)
{
	return sysfs_names_has(n, name) ? 0 : append_name(n, name);
}

void sysfs_names_done(struct sysfs_names *n)
{
	if (!n)
		return;
	free(n->name);
	n->name = NULL;
	n->count = 0;
}

int sysfs_list(const struct sysroot *root, struct sysfs_names *ret, const char *fmt, ...)
{
	char path[SYSFS_PATH_MAX];
	struct sysfs_names list = { .count = 0 };
	struct dirent *entry;
	DIR *dir;
	int fd, r;

	FORMAT_PATH(path, r, fmt);
	if (r < 0)
		return r;
	fd = sysroot_open(root, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		(void)close(fd); /* opened for reading */
		return r;
	}
	do {
		errno = 0;
		entry = readdir(dir);
		if (entry && entry->d_name[0] != '.')
			r = append_name(&list, entry->d_name);
		else if (!entry && errno != 0)
			r = -errno;
	} while (entry && r == 0);
	(void)closedir(dir); /* opened for reading */
	if (r < 0) {
		sysfs_names_done(&list);
		return r;
	}
	if (list.count > 1)
		qsort(list.name, list.count, sizeof(*list.name), compare_names);
	*ret = list;
	return 0;
}
