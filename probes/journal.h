/* journal.h - what a drive's write cache was before it was changed, kept over a kill and a reboot.
 *
 * One small JSON file a drive and kind, written and synced before the first change, removed (and
 * the folder synced) only after the restore was proven. A drive is found again by what it says of
 * itself, never by its name: sda may be another drive after a reboot. Where two present drives
 * cannot be told apart, none is taken.
 *
 * Folder: /var/lib/ssdqual/state for root, $XDG_STATE_HOME/ssdqual or ~/.local/state/ssdqual for
 * others. Files: write-cache-KEY.change.json, write-cache-KEY.previous.json, write-cache-KEY.lock
 * (flock; the file of a killed process may remain and means nothing).
 */
#ifndef SSDQUAL_PROBES_JOURNAL_H
#define SSDQUAL_PROBES_JOURNAL_H

#include "probes/writecache.h"

struct sysroot;

enum journal_kind {
	JOURNAL_CHANGE,   /* a change that has to be undone: a run's, or one that goes on now */
	JOURNAL_PREVIOUS, /* the state before a deliberate change: may be undone */
};

/* How well a present drive fits a recorded one; more is better. */
enum journal_match {
	JOURNAL_OTHER,   /* another drive, or nothing says that it is the same */
	JOURNAL_SERIAL,  /* model, serial number and capacity */
	JOURNAL_WWN,     /* world wide name, NGUID or EUI-64; NVMe: the controller */
	JOURNAL_DISKSEQ, /* the same attachment of the same boot: the kernel numbers each once */
};

struct journal_entry {
	char *path;
	enum journal_kind kind;
	struct json *drive;     /* as journal_drive(); NULL: damaged */
	struct wc_state before;
	char *written_at, *by;  /* RFC 3339 UTC; the command, "run" or "cache" */
	bool same_boot;
	struct err damage; /* code != 0: the file cannot be trusted; only path is set besides */
};

struct journal_list {
	struct journal_entry *entry;
	size_t count;
};

/* journal_folder - where this user's entries are; *ret is the caller's. Nothing is created.
 * -ENOENT, ERR_USAGE: neither XDG_STATE_HOME nor HOME is set. */
int journal_folder(char **ret, struct err *reterr);

/* journal_drive - what tells the drive with whole-disk kernel name @disk from all others: path,
 * by_id, model, serial, firmware, wwn, nguid, subsysnqn, cntlid, transport, capacity_bytes,
 * diskseq, and what controller is in front of it (controller.h); null where it is unknown. To be
 * freed. */
int journal_drive(const struct sysroot *root, const char *disk, struct json **ret,
	struct err *reterr);

enum journal_match journal_match(const struct json *recorded, const struct json *present,
	bool same_boot);

/* journal_find - the one present drive that is the recorded one; its kernel name.
 * -ENODEV: none is present. -ENOTUNIQ, ERR_REFUSED: two are, with nothing to tell them apart (both
 * are named). Paths of one multipath device and namespaces of one controller are one drive. */
int journal_find(const struct sysroot *root, const struct journal_entry *e, char *disk,
	size_t size, struct err *reterr);

/* journal_is_drive - is the present drive @disk the recorded one? 0; -ENODEV, ERR_REFUSED: no, that
 * is another one (named); -ENOTUNIQ as above. */
int journal_is_drive(const struct sysroot *root, const struct journal_entry *e, const char *disk,
	struct err *reterr);

/* journal_read - all entries in @folder, damaged ones included. An absent folder has none. */
int journal_read(const char *folder, struct journal_list *ret, struct err *reterr);
void journal_list_done(struct journal_list *l);
/* journal_lookup - the best entry of @kind for @drive; NULL: none. */
const struct journal_entry *journal_lookup(const struct journal_list *l, enum journal_kind kind,
	const struct json *drive);

/* journal_record - make durable that @drive was in state @before. The caller holds the lock and has
 * looked for an older entry, which is to be kept. @ret_path: caller frees.
 * ERR_DEVICE: nothing may be changed then. */
int journal_record(const char *folder, enum journal_kind kind, const struct json *drive,
	const struct wc_state *before, const char *by, char **ret_path, struct err *reterr);
/* journal_remove - durably. An absent entry is no error. */
int journal_remove(const char *path, struct err *reterr);
/* journal_forget - the same for the entry with file name @name, damaged or not, unless a process
 * that runs holds it. ERR_INPUT, -ENOENT: no such entry. */
int journal_forget(const char *folder, const char *name, struct err *reterr);

struct journal_lock {
	int fd;
	char *path;
};
#define JOURNAL_LOCK_INIT { .fd = -1 }

/* journal_lock_take - -EBUSY, ERR_REFUSED: another process changes this drive's cache now. */
int journal_lock_take(const char *folder, const struct json *drive, struct journal_lock *ret,
	struct err *reterr);
void journal_lock_drop(struct journal_lock *l);
/* journal_is_locked - whether the entry belongs to a process that still runs. */
bool journal_is_locked(const struct journal_entry *e);

/* journal_name - a drive for people: "MODEL SERIAL", by-id or path; in @buf. */
const char *journal_name(const struct json *drive, char *buf, size_t size);

#endif
