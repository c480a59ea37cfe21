/* json_file.c - a whole JSON file into memory, within a limit and without waiting for anybody. */
#include "data/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_kind(const struct stat *st, const char *path, struct err *reterr)
{
	const char *what;

	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode))
		what = "is a directory";
	else if (S_ISFIFO(st->st_mode))
		what = "is a FIFO";
	else if (S_ISSOCK(st->st_mode))
		what = "is a socket";
	else
		what = "is a device";
	return err_set(reterr, ERR_INPUT, -EINVAL,
		"%s: %s; name a regular file, or - for standard input", path, what);
}

/* Kind first, open second: opening some devices has effects of its own. Checked again after, since
 * the name may point elsewhere by then; O_NONBLOCK keeps a FIFO from holding us. */
static int open_regular(const char *path, int *ret_fd, struct err *reterr)
{
	struct stat st;
	int fd, r;

	if (stat(path, &st) < 0)
		return err_set(reterr, ERR_INPUT, -errno, "%s: %s", path, strerror(errno));
	r = check_kind(&st, path, reterr);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(reterr, ERR_INPUT, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0)
		r = err_set(reterr, ERR_INPUT, -errno, "%s: %s", path, strerror(errno));
	else
		r = check_kind(&st, path, reterr);
	if (r < 0) {
		(void)close(fd); /* nothing was written */
		return r;
	}
	*ret_fd = fd;
	return 0;
}

static int read_all(int fd, const char *name, size_t max_bytes, char **ret, size_t *ret_len,
	struct err *reterr)
{
	size_t size = 0, used = 0;
	char *text = NULL;

	for (;;) {
		ssize_t n;

		if (used == size) {
			size_t more = size ? 2 * size : 65536;
			char *longer;

			if (more > max_bytes)
				more = max_bytes + 1; /* one byte over tells "too long" from "full" */
			longer = realloc(text, more);
			if (!longer) {
				free(text);
				return err_nomem(reterr);
			}
			text = longer;
			size = more;
		}
		n = read(fd, text + used, size - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int r = err_set(reterr, ERR_INPUT, -errno, "%s: %s", name, strerror(errno));

			free(text);
			return r;
		}
		if (n == 0)
			break;
		used += (size_t)n;
		if (used > max_bytes) {
			free(text);
			return err_set(reterr, ERR_INPUT, -EFBIG,
				"%s: is longer than %zu bytes, the limit for this kind of file",
				name, max_bytes);
		}
	}
	*ret = text;
	*ret_len = used;
	return 0;
}

int json_open(const char *path, int *ret_fd, struct err *reterr)
{
	int fd;

	if (strcmp(path, "-") != 0)
		return open_regular(path, ret_fd, reterr);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return err_set(reterr, ERR_INPUT, -errno, "standard input: %s", strerror(errno));
	*ret_fd = fd;
	return 0;
}

int json_load(const char *path, size_t max_bytes, struct json **ret, struct err *reterr)
{
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int fd = STDIN_FILENO, r;
	char *text = NULL;
	size_t len = 0;

	if (!standard) {
		r = open_regular(path, &fd, reterr);
		if (r < 0)
			return r;
	}
	r = read_all(fd, name, max_bytes, &text, &len, reterr);
	if (!standard)
		(void)close(fd); /* nothing was written */
	if (r < 0)
		return r;
	r = json_parse(text, len, name, ret, reterr);
	free(text);
	return r;
}
