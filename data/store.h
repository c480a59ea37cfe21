/* store.h - files that are there whole or not at all, and the folder of results.
 *
 * Writing: a temporary file in the folder of the target, all data, fsync, rename, fsync of the
 * folder. A kill at any moment leaves the old content or the new; a failure leaves the old content
 * and no temporary file. (After a kill a file named ".ssdqual-*.tmp" may remain; the next save into
 * the same folder removes those that nobody has touched for an hour.)
 *
 * The folder of results: /var/lib/ssdqual/results for root (under sudo, too: nothing of root's is
 * left in a user's home), $XDG_DATA_HOME/ssdqual/results or ~/.local/share/... for others.
 * A result's name says what a list has to show, so that listing opens no file at all:
 *   MODEL-SERIAL_20261130T125752Z_BATTERY.json     (_BATTERY.2.json, .3 where a name is taken)
 * with everything outside [A-Za-z0-9.-] made a '-', the last two parts never containing '_'.
 */
#ifndef SSDQUAL_DATA_STORE_H
#define SSDQUAL_DATA_STORE_H

#include "data/err.h"
#include "data/json.h"
#include "data/result.h"

#include <time.h>

/* store_write_file - make @path hold exactly these @len bytes, replacing a regular file.
 * A symbolic link is followed. Errors (ERR_DEVICE; the path and the remedy are named): -EINVAL
 * @path is a directory, device, FIFO or socket; -ENOSPC, -EACCES, -EROFS, ... as the kernel says. */
int store_write_file(const char *path, const void *data, size_t len, struct err *reterr);

/* store_write_json - the same with the text of @j. */
int store_write_json(const char *path, const struct json *j, struct err *reterr);

/* store_make_folders - mkdir -p (mode 0755 for root, 0700 for users); every new folder's entry is
 * made durable in its parent. store_sync_folder - make durable what was renamed or removed in
 * @folder. Both 0 or -errno. */
int store_make_folders(const char *folder);
int store_sync_folder(const char *folder);

/* store_folder - where this user's results go. *ret is the caller's to free. Nothing is created.
 * -ENOENT, ERR_USAGE when neither XDG_DATA_HOME nor HOME is set. */
int store_folder(char **ret, struct err *reterr);

/* store_save - write @r under a new name in @folder (NULL: store_folder()), which is made when
 * absent (mode 0755 for root, 0700 for users). Never overwrites.
 * @when: UTC time for the name    @battery: "ceph" ...    @ret_path: caller frees. */
int store_save(const struct result *r, const char *folder, time_t when, const char *battery,
	char **ret_path, struct err *reterr);

/* store_save_as - write @r to @path, replacing what stands there. */
int store_save_as(const struct result *r, const char *path, struct err *reterr);

/* One stored result, as its name tells. */
struct store_entry {
	char *path;
	char *target;  /* "MODEL-SERIAL" */
	char *battery;
	char utc[17];  /* "20261130T125752Z" */
	unsigned number; /* 1, or the 2, 3 ... of a name that was taken */
};
struct store_list {
	struct store_entry *entry; /* newest first */
	size_t count;
};

/* store_list_results - what is stored in @folder (NULL: store_folder()). An absent folder is an
 * empty list. Files with other names are passed over. */
int store_list_results(const char *folder, struct store_list *ret, struct err *reterr);
void store_list_done(struct store_list *l);

#endif
