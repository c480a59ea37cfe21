/* store.c - atomic files; the folder of results and its names are in store_folder.c. */
#include "data/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/store_io.h"
#include "data/store_name.h"

static const char *remedy(int code)
{
	switch (code) {
	case -ENOSPC:
	case -EDQUOT:
		return "; make room there, or choose another place with -o";
	case -EACCES:
	case -EPERM:
		return "; choose a place that this user may write to with -o";
	case -EROFS:
		return "; that file system is read-only, choose another place with -o";
	case -ENOENT:
	case -ENOTDIR:
		return "; the folder must exist";
	case -EFBIG:
		return "; the file-size limit (ulimit -f) is too low";
	default:
		return "";
	}
}

static int failed(const char *path, int code, struct err *reterr)
{
	return err_set(reterr, ERR_DEVICE, code, "%s: cannot be written: %s%s", path,
		strerror(-code), remedy(code));
}

/* The folder part of @path: "." without a slash, "/" for "/x". Caller frees. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = store_io_write(fd, data, len);

		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENOSPC; /* no file system does this; a loop would be worse */
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int store_sync_folder(const char *folder)
{
	int fd = store_io_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int r = 0;

	if (fd < 0)
		return -errno;
	/* EINVAL: this file system has no fsync for folders, hence nothing to wait for. */
	if (store_io_fsync(fd) < 0 && errno != EINVAL)
		r = -errno;
	(void)store_io_close(fd); /* opened for reading */
	return r;
}

/* A closed, durable temporary file with @data; *ret_temp is its path. Nothing is left on failure. */
static int write_temp(const char *folder, mode_t mode, const void *data, size_t len,
	char **ret_temp)
{
	static unsigned serial; /* only makes names differ; O_EXCL decides */
	char *temp;
	int fd, r;

	do {
		if (asprintf(&temp, "%s/" STORE_TEMP_PREFIX "%ld-%u" STORE_TEMP_SUFFIX, folder,
			    (long)getpid(), serial++) < 0)
			return -ENOMEM;
		fd = store_io_open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		r = fd < 0 ? -errno : 0;
		if (r < 0)
			free(temp);
	} while (r == -EEXIST);
	if (r < 0)
		return r;
	r = write_all(fd, data, len);
	if (r == 0 && store_io_fsync(fd) < 0)
		r = -errno;
	if (store_io_close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0) {
		(void)store_io_unlink(temp); /* the first error is the one to tell */
		free(temp);
		return r;
	}
	*ret_temp = temp;
	return 0;
}

/* What @path stands for and the mode of the file there; links are followed. Caller frees. */
static int resolve(const char *path, char **ret_real, mode_t *ret_mode, struct err *reterr)
{
	struct stat st;
	char *real;

	*ret_mode = 0666; /* less the umask */
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return err_set(reterr, ERR_DEVICE, -EINVAL,
				"%s: is not a regular file; name a file to be written", path);
		*ret_mode = st.st_mode & 0777;
		real = realpath(path, NULL);
		if (!real)
			return failed(path, -errno, reterr);
	} else if (errno == ENOENT) {
		real = strdup(path);
		if (!real)
			return err_nomem(reterr);
	} else {
		return failed(path, -errno, reterr);
	}
	*ret_real = real;
	return 0;
}

/* Gives @temp (taken) its name, by store_io_rename() or store_io_rename_new(). */
static int publish(char *temp, const char *path, int (*rename_to)(const char *, const char *))
{
	int r = 0;

	if (rename_to(temp, path) < 0) {
		r = -errno;
		(void)store_io_unlink(temp); /* the first error is the one to tell */
	}
	free(temp);
	return r;
}

int store_write_file(const char *path, const void *data, size_t len, struct err *reterr)
{
	char *real = NULL, *folder, *temp;
	mode_t mode;
	int r = resolve(path, &real, &mode, reterr);

	if (r < 0)
		return r;
	folder = folder_of(real);
	r = folder ? write_temp(folder, mode, data, len, &temp) : -ENOMEM;
	if (r == 0)
		r = publish(temp, real, store_io_rename);
	if (r == 0)
		r = store_sync_folder(folder);
	free(folder);
	free(real);
	return r < 0 ? failed(path, r, reterr) : 0;
}

int store_write_json(const char *path, const struct json *j, struct err *reterr)
{
	char *text = json_print(j, true);
	int r;

	if (!text)
		return err_nomem(reterr);
	r = store_write_file(path, text, strlen(text), reterr);
	free(text);
	return r;
}

int store_save_as(const struct result *result, const char *path, struct err *reterr)
{
	struct json *j = result_to_json(result);
	int r = j ? store_write_json(path, j, reterr) : err_nomem(reterr);

	json_free(j);
	return r;
}

int store_make_folders(const char *folder)
{
	const mode_t mode = geteuid() == 0 ? 0755 : 0700;
	char *path = strdup(folder), *parent;
	int r = 0;

	if (!path)
		return -ENOMEM;
	for (char *p = path + 1; r == 0; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		if (store_io_mkdir(path, mode) == 0) {
			parent = folder_of(path);
			r = parent ? store_sync_folder(parent) : -ENOMEM;
			free(parent);
		} else if (errno != EEXIST) {
			r = -errno;
		}
		*p = was;
		if (!was)
			break;
	}
	free(path);
	return r;
}

/* Tries the numbered names until one is free; *ret_path is the caller's. */
static int publish_new(const char *folder, const char *text, const char *stem, char **ret_path)
{
	for (unsigned number = 1; number <= STORE_NUMBER_MAX; number++) {
		char *temp, *path = store_name_path(folder, stem, number);
		int r;

		if (!path)
			return -ENOMEM;
		if (access(path, F_OK) == 0) { /* spares the write; the rename decides */
			free(path);
			continue;
		}
		r = write_temp(folder, 0666, text, strlen(text), &temp);
		if (r == 0)
			r = publish(temp, path, store_io_rename_new);
		if (r == 0) {
			*ret_path = path;
			return 0;
		}
		free(path);
		if (r != -EEXIST)
			return r;
	}
	return -EEXIST;
}

int store_save(const struct result *result, const char *folder, time_t when, const char *battery,
	char **ret_path, struct err *reterr)
{
	struct json *j = result_to_json(result);
	char *text = j ? json_print(j, true) : NULL;
	char *stem = store_name_stem(json_get(result->doc, "target"), when, battery);
	char *own = NULL, *path = NULL;
	int r = text && stem ? 0 : err_nomem(reterr);

	json_free(j);
	if (r == 0 && !folder) {
		r = store_folder(&own, reterr);
		folder = own;
	}
	if (r == 0) {
		r = store_make_folders(folder);
		if (r == 0) {
			store_remove_stale(folder);
			r = publish_new(folder, text, stem, &path);
		}
		if (r == 0)
			r = store_sync_folder(folder);
		if (r < 0)
			r = failed(path ? path : folder, r, reterr);
	}
	if (r == 0 && ret_path) {
		*ret_path = path;
		path = NULL;
	}
	free(path);
	free(own);
	free(stem);
	free(text);
	return r;
}
