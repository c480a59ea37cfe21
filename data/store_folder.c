/* store_folder.c - where results are kept, and which there are. */
#include "data/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/store_io.h"
#include "data/store_name.h"

#define STALE_SECONDS 3600

int store_folder(char **ret, struct err *reterr)
{
	const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char *path;
	int n;

	if (geteuid() == 0)
		n = asprintf(&path, "/var/lib/ssdqual/results");
	else if (xdg && xdg[0] == '/') /* a relative one is to be ignored (XDG Base Directory) */
		n = asprintf(&path, "%s/ssdqual/results", xdg);
	else if (home && home[0] == '/')
		n = asprintf(&path, "%s/.local/share/ssdqual/results", home);
	else
		return err_set(reterr, ERR_USAGE, -ENOENT,
			"no folder for results: neither XDG_DATA_HOME nor HOME is set; name a file with -o");
	if (n < 0)
		return err_nomem(reterr);
	*ret = path;
	return 0;
}

void store_remove_stale(const char *folder)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	time_t now = time(NULL);

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		size_t len = strlen(name), tail = strlen(STORE_TEMP_SUFFIX);
		struct stat st;

		if (strncmp(name, STORE_TEMP_PREFIX, strlen(STORE_TEMP_PREFIX)) != 0 ||
			len < tail || strcmp(name + len - tail, STORE_TEMP_SUFFIX) != 0)
			continue;
		if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(st.st_mode) && st.st_mtime + STALE_SECONDS < now)
			(void)unlinkat(dirfd(dir), name, 0); /* another try at the next save */
	}
	if (dir)
		(void)closedir(dir); /* opened for reading */
}

static int newest_first(const void *a, const void *b)
{
	const struct store_entry *x = a, *y = b;
	int c = strcmp(y->utc, x->utc);

	if (c == 0)
		c = strcmp(x->target, y->target);
	if (c == 0)
		c = strcmp(x->battery, y->battery);
	return c ? c : (x->number < y->number) - (x->number > y->number);
}

/* Adds the result @name of @folder; names of other files are passed over. */
static int add_entry(struct store_list *l, size_t *room, const char *folder, const char *name)
{
	struct store_entry e;
	int r;

	if (l->count == *room) {
		size_t more = *room ? 2 * *room : 256;
		struct store_entry *entry = realloc(l->entry, more * sizeof(*entry));

		if (!entry)
			return -ENOMEM;
		l->entry = entry;
		*room = more;
	}
	r = store_name_read(name, &e);
	if (r <= 0)
		return r;
	if (asprintf(&e.path, "%s/%s", folder, name) < 0)
		e.path = NULL;
	l->entry[l->count++] = e; /* store_list_done() frees it, also half made */
	return e.path ? 0 : -ENOMEM;
}

int store_list_results(const char *folder, struct store_list *ret, struct err *reterr)
{
	struct store_list l = { .entry = NULL };
	struct dirent *entry;
	size_t room = 0;
	char *own = NULL;
	DIR *dir;
	int r = 0;

	if (!folder) {
		r = store_folder(&own, reterr);
		if (r < 0)
			return r;
		folder = own;
	}
	dir = opendir(folder);
	if (!dir && errno != ENOENT)
		r = err_set(reterr, ERR_INPUT, -errno, "%s: %s", folder, strerror(errno));
	while (dir && r == 0 && (entry = readdir(dir))) {
		r = add_entry(&l, &room, folder, entry->d_name);
		if (r < 0)
			r = err_nomem(reterr);
	}
	if (dir)
		(void)closedir(dir); /* opened for reading */
	free(own);
	if (r < 0) {
		store_list_done(&l);
		return r;
	}
	if (l.count)
		qsort(l.entry, l.count, sizeof(*l.entry), newest_first);
	*ret = l;
	return 0;
}

void store_list_done(struct store_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->entry[i].path);
		free(l->entry[i].target);
		free(l->entry[i].battery);
	}
	free(l->entry);
	*l = (struct store_list){ .entry = NULL };
}
