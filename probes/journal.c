/* journal.c - the entries as files: durable before a change, gone only after its undoing. */
#include "probes/journal.h"

#include "data/json.h"
#include "data/store.h"
#include "data/store_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "write-cache-"
#define LOCK_SUFFIX ".lock"
enum { ENTRY_MAX = 64 << 10, JOURNAL_VERSION = 1, KEY_MAX = 128 };
enum { LOCK_TRIES = 20, LOCK_WAIT_US = 10000 };

static const char *const kind_suffix[] = {
	[JOURNAL_CHANGE] = ".change.json", [JOURNAL_PREVIOUS] = ".previous.json",
};

int journal_folder(char **ret, struct err *reterr)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path;
	int n;

	if (geteuid() == 0)
		n = asprintf(&path, "/var/lib/ssdqual/state");
	else if (xdg && xdg[0] == '/') /* a relative one is to be ignored (XDG Base Directory) */
		n = asprintf(&path, "%s/ssdqual", xdg);
	else if (home && home[0] == '/')
		n = asprintf(&path, "%s/.local/state/ssdqual", home);
	else
		return err_set(reterr, ERR_USAGE, -ENOENT,
			"no folder for the state journal: neither XDG_STATE_HOME nor HOME is set");
	if (n < 0)
		return err_nomem(reterr);
	*ret = path;
	return 0;
}

/* -- names ---------------------------------------------------------------------------------- */

/* Only a name for people and a meeting point for locks: entries are found by what they hold. The
 * same for every name under which one cache can be reached. */
static void key_of(const struct json *drive, char *key, size_t size)
{
	const char *nqn = json_str(json_get(drive, "subsysnqn"));
	const char *wwn = json_str(json_get(drive, "wwn"));
	const char *model = json_str(json_get(drive, "model"));
	const char *serial = json_str(json_get(drive, "serial"));
	const char *path = json_str(json_get(drive, "path"));

	if (serial)
		(void)snprintf(
			key, size, "%s-%s", model ? model : "drive", serial); /* may be cut */
	else
		(void)snprintf(key, size, "%s", nqn ? nqn : wwn ? wwn : path ? path : "drive");
	for (char *p = key; *p; p++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", *p))
			*p = '-';
}

static char *path_of(const char *folder, const char *key, unsigned number, const char *suffix)
{
	char *path;
	int n = number > 1 ? asprintf(&path, "%s/" PREFIX "%s.%u%s", folder, key, number, suffix) :
		asprintf(&path, "%s/" PREFIX "%s%s", folder, key, suffix);

	return n < 0 ? NULL : path;
}

/* Kind of the entry with file name @name; -1: no entry. */
static int kind_of(const char *name)
{
	size_t len = strlen(name);

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return -1;
	for (int k = 0; k < 2; k++) {
		size_t tail = strlen(kind_suffix[k]);

		if (len > tail && strcmp(name + len - tail, kind_suffix[k]) == 0)
			return k;
	}
	return -1;
}

static const char *boot_id(char *buf, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char *line = f ? fgets(buf, (int)size, f) : NULL;

	if (f)
		(void)fclose(f); /* opened for reading */
	if (!line)
		return NULL;
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/* -- writing -------------------------------------------------------------------------------- */

static int not_written(const char *what, int code, struct err *reterr)
{
	return err_set(reterr, ERR_DEVICE, code,
		"%s: the state journal cannot be written: %s; nothing is changed without it", what,
		strerror(-code));
}

static struct json *entry_json(enum journal_kind kind, const struct json *drive,
	const struct wc_state *before, const char *by)
{
	struct json *o = json_new_object();
	char stamp[32] = "", boot[64];
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		(void)strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm); /* fits */
	(void)json_set_u64(o, "journal_version", JOURNAL_VERSION);
	(void)json_set_str(o, "kind", kind == JOURNAL_CHANGE ? "change" : "previous");
	(void)json_set_str(o, "written_at", stamp);
	(void)json_set_str(o, "by", by);
	(void)json_set_str(o, "boot_id", boot_id(boot, sizeof(boot)));
	(void)json_set(o, "drive", json_copy(drive));
	if (json_set(o, "before", wc_state_json(before)) < 0 || !json_get(o, "drive")) {
		json_free(o);
		return NULL;
	}
	return o;
}

int journal_record(const char *folder, enum journal_kind kind, const struct json *drive,
	const struct wc_state *before, const char *by, char **ret_path, struct err *reterr)
{
	struct json *o = entry_json(kind, drive, before, by);
	struct err e = ERR_INIT;
	char key[KEY_MAX], *path = NULL;
	int r = o ? store_make_folders(folder) : -ENOMEM;

	key_of(drive, key, sizeof(key));
	/* A number where another drive, with the same serial number, has the name. */
	for (unsigned number = 1; r == 0; number++) {
		free(path);
		path = path_of(folder, key, number, kind_suffix[kind]);
		if (!path)
			r = -ENOMEM;
		else if (access(path, F_OK) < 0)
			break;
	}
	if (r == 0)
		r = store_write_json(path, o, &e);
	json_free(o);
	if (r < 0) {
		(void)not_written(path ? path : folder, r, reterr);
		free(path);
		return r;
	}
	*ret_path = path;
	return 0;
}

int journal_remove(const char *path, struct err *reterr)
{
	const char *slash = strrchr(path, '/');
	char *folder = strndup(path, slash ? (size_t)(slash - path) : 0);
	int r = folder ? 0 : -ENOMEM;

	if (r == 0 && store_io_unlink(path) < 0 && errno != ENOENT)
		r = -errno;
	if (r == 0)
		r = store_sync_folder(folder);
	free(folder);
	return r < 0 ? err_set(reterr, ERR_DEVICE, r,
			       "%s: the entry cannot be removed: %s; the drive is restored, remove "
			       "the file by hand",
			       path, strerror(-r)) :
		       0;
}

/* -- reading -------------------------------------------------------------------------------- */

static char *copy_text(const struct json *o, const char *key)
{
	const char *s = json_str(json_get(o, key));

	return strdup(s ? s : "unknown");
}

/* @e->damage says why where the file cannot be trusted. -ENOENT: gone since it was listed. */
static int load_entry(struct journal_entry *e, struct err *reterr)
{
	struct json *o = NULL;
	const char *boot;
	uint64_t version = 0;
	char here[64];
	int r = json_load(e->path, ENTRY_MAX, &o, &e->damage);

	if (r == -ENOENT || r == -ENOMEM) {
		e->damage = (struct err)ERR_INIT;
		return r == -ENOMEM ? err_nomem(reterr) : r;
	}
	if (r < 0)
		return 0;
	if (!json_u64(json_get(o, "journal_version"), &version) || version != JOURNAL_VERSION ||
		json_type(json_get(o, "drive")) != JSON_OBJECT)
		(void)err_set(&e->damage, ERR_INPUT, -EBADMSG,
			"%s: not an entry of this version's state journal", e->path);
	else if (wc_state_from_json(json_get(o, "before"), &e->before, &e->damage) < 0)
		(void)err_prefix(&e->damage, "%s", e->path);
	if (e->damage.code) {
		json_free(o);
		return 0;
	}
	e->drive = json_copy(json_get(o, "drive"));
	e->written_at = copy_text(o, "written_at");
	e->by = copy_text(o, "by");
	boot = json_str(json_get(o, "boot_id"));
	e->same_boot = boot && boot_id(here, sizeof(here)) && strcmp(boot, here) == 0;
	json_free(o);
	return e->drive && e->written_at && e->by ? 0 : err_nomem(reterr);
}

static void entry_done(struct journal_entry *e)
{
	free(e->path);
	json_free(e->drive);
	free(e->written_at);
	free(e->by);
}

static int add_entry(struct journal_list *l, const char *folder, const char *name, int kind,
	struct err *reterr)
{
	struct journal_entry *more = realloc(l->entry, (l->count + 1) * sizeof(*more));
	struct journal_entry *e;
	int r;

	if (!more)
		return err_nomem(reterr);
	l->entry = more;
	e = &more[l->count];
	*e = (struct journal_entry){ .kind = (enum journal_kind)kind };
	if (asprintf(&e->path, "%s/%s", folder, name) < 0) {
		e->path = NULL;
		return err_nomem(reterr);
	}
	r = load_entry(e, reterr);
	if (r < 0)
		entry_done(e);
	else
		l->count++;
	return r == -ENOENT ? 0 : r;
}

static int by_path(const void *a, const void *b)
{
	const struct journal_entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int journal_read(const char *folder, struct journal_list *ret, struct err *reterr)
{
	struct journal_list l = { .entry = NULL };
	struct dirent *d;
	DIR *dir = opendir(folder);
	int r = 0;

	if (!dir && errno != ENOENT && errno != ENOTDIR)
		return err_set(reterr, ERR_DEVICE, -errno,
			"%s: the state journal cannot be read: %s", folder, strerror(errno));
	while (dir && r == 0 && (d = readdir(dir))) {
		int kind = kind_of(d->d_name);

		if (kind >= 0)
			r = add_entry(&l, folder, d->d_name, kind, reterr);
	}
	if (dir)
		(void)closedir(dir); /* only read from */
	if (r < 0) {
		journal_list_done(&l);
		return r;
	}
	if (l.count)
		qsort(l.entry, l.count, sizeof(*l.entry), by_path);
	*ret = l;
	return 0;
}

void journal_list_done(struct journal_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		entry_done(&l->entry[i]);
	free(l->entry);
	*l = (struct journal_list){ .entry = NULL };
}

const struct journal_entry *journal_lookup(const struct journal_list *l, enum journal_kind kind,
	const struct json *drive)
{
	const struct journal_entry *best = NULL;
	enum journal_match match = JOURNAL_OTHER;

	for (size_t i = 0; i < l->count; i++) {
		const struct journal_entry *e = &l->entry[i];
		enum journal_match m;

		if (e->damage.code || e->kind != kind)
			continue;
		m = journal_match(e->drive, drive, e->same_boot);
		if (m <= match)
			continue;
		match = m;
		best = e;
	}
	return best;
}

/* -- locks ---------------------------------------------------------------------------------- */

static int busy(const struct json *drive, struct err *reterr)
{
	char name[256];

	return err_set(reterr, ERR_REFUSED, -EBUSY,
		"%s: another ssdqual changes this drive's write cache; wait for it to end",
		journal_name(drive, name, sizeof(name)));
}

/* A lock on a file that was removed meanwhile locks nothing: 1, try again. */
static int lock_once(const char *path, int *ret_fd)
{
	struct stat mine, there;
	int r = 0, fd = store_io_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (fstat(fd, &mine) < 0)
		r = -errno;
	else if (stat(path, &there) < 0 || mine.st_ino != there.st_ino)
		r = 1;
	if (r != 0)
		(void)store_io_close(fd); /* nothing was written */
	else
		*ret_fd = fd;
	return r;
}

int journal_lock_take(const char *folder, const struct json *drive, struct journal_lock *ret,
	struct err *reterr)
{
	struct journal_lock l = JOURNAL_LOCK_INIT;
	char key[KEY_MAX];
	int r = store_make_folders(folder);

	key_of(drive, key, sizeof(key));
	l.path = path_of(folder, key, 1, LOCK_SUFFIX);
	if (r == 0 && !l.path)
		r = -ENOMEM;
	/* Whoever only looks (journal_is_locked) holds it for a moment. */
	for (int tries = 0; r == 0 && l.fd < 0 && tries < LOCK_TRIES; tries++) {
		if (tries)
			(void)usleep(LOCK_WAIT_US);
		r = lock_once(l.path, &l.fd);
		if ((r == -EBUSY && tries < LOCK_TRIES - 1) || r > 0)
			r = 0;
	}
	if (r == 0 && l.fd < 0)
		r = -EBUSY;
	if (r == 0) {
		*ret = l;
		return 0;
	}
	(void)(r == -EBUSY ? busy(drive, reterr) :
			     not_written(l.path ? l.path : folder, r, reterr));
	free(l.path);
	return r;
}

void journal_lock_drop(struct journal_lock *l)
{
	if (l->fd >= 0) {
		(void)store_io_unlink(l->path); /* a file that remains locks nothing */
		(void)store_io_close(l->fd);    /* nothing was written */
	}
	free(l->path);
	*l = (struct journal_lock)JOURNAL_LOCK_INIT;
}

bool journal_is_locked(const struct journal_entry *e)
{
	const char *slash = strrchr(e->path, '/');
	char *folder = slash ? strndup(e->path, (size_t)(slash - e->path)) : NULL, *path = NULL;
	char key[KEY_MAX];
	bool locked = false;
	int fd = -1;

	key_of(e->drive, key, sizeof(key));
	if (folder)
		path = path_of(folder, key, 1, LOCK_SUFFIX);
	if (path)
		fd = store_io_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		locked = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
		(void)store_io_close(fd); /* opened for reading */
	}
	free(path);
	free(folder);
	return locked;
}

int journal_forget(const char *folder, const char *name, struct err *reterr)
{
	const struct journal_entry *found = NULL;
	struct journal_list l;
	int r = journal_read(folder, &l, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < l.count; i++)
		if (strcmp(strrchr(l.entry[i].path, '/') + 1, name) == 0)
			found = &l.entry[i];
	if (!found)
		r = err_set(reterr, ERR_INPUT, -ENOENT, "%s: no such entry in %s", name, folder);
	else if (found->drive && journal_is_locked(found))
		r = busy(found->drive, reterr);
	else
		r = journal_remove(found->path, reterr);
	journal_list_done(&l);
	return r;
}
