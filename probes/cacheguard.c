/* cacheguard.c - lock, journal, change, proof; and the way back. */
#include "probes/cacheguard.h"

#include "data/json.h"
#include "probes/sysfs.h"
#include "probes/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cacheguard {
	char *folder;         /* NULL: nothing is recorded */
	struct json *drive;
	struct wc_dev dev;
	struct devio io;      /* zeroed: the caller's, or none */
	const struct sysroot *root; /* NULL: a test's drive, of no tree */
	struct wc_sys sys;
	struct wc_replay imagined;
	char disk[SYSFS_NAME_MAX];
	struct err no_io;     /* why there is no io */
	struct journal_lock lock;
	struct wc_state now, before;
	bool undo;            /* before is what a restore puts back */
	char *entry;          /* path of the journal's entry for it; NULL: none */
};

/* -- life cycle ----------------------------------------------------------------------------- */

static int read_state(struct cacheguard *g, struct err *reterr)
{
	int r = wc_read(&g->dev, &g->now, reterr);

	if (r == 0 && !g->dev.io && g->no_io.code)
		(void)snprintf(
			g->now.why, sizeof(g->now.why), "%.223s", g->no_io.msg); /* may be cut */
	return r;
}

int cacheguard_new(const char *folder, struct json *drive, const struct wc_dev *dev,
	struct cacheguard **ret, struct err *reterr)
{
	struct cacheguard *g = calloc(1, sizeof(*g));
	int r;

	if (!g || !drive) {
		json_free(drive);
		free(g);
		return err_nomem(reterr);
	}
	g->drive = drive;
	g->dev = *dev;
	g->lock = (struct journal_lock)JOURNAL_LOCK_INIT;
	g->folder = folder ? strdup(folder) : NULL;
	r = folder && !g->folder ? err_nomem(reterr) : read_state(g, reterr);
	if (r < 0) {
		cacheguard_free(g);
		return r;
	}
	*ret = g;
	return 0;
}

static int set_up(struct cacheguard *g, const struct sysroot *root, struct err *reterr)
{
	bool here = sysroot_is_machine(root);
	int r = journal_drive(root, g->disk, &g->drive, reterr);

	if (r < 0 && !here && r != -ENOMEM) { /* answers alone: there need not be a tree */
		g->drive = json_new_object();
		r = json_set_str(g->drive, "path", g->disk) < 0 ? err_nomem(reterr) : 0;
	}
	if (r == 0 && here)
		r = journal_folder(&g->folder, reterr);
	if (r < 0)
		return r;
	g->root = root;
	g->sys = (struct wc_sys){ .root = root, .sysname = g->disk };
	g->imagined = (struct wc_replay){ .sys = g->sys, .io = &g->io };
	g->dev = (struct wc_dev){ .io = g->io.ops ? &g->io : NULL, .kernel = &wc_kernel_sys,
		.kernel_ctx = &g->sys };
	if (!here && g->io.ops) {
		g->dev.kernel = sysfs_exists(root, "/sys/block/%s", g->disk) ?
			&wc_kernel_replay : NULL;
		g->dev.kernel_ctx = &g->imagined;
	}
	return read_state(g, reterr);
}

int cacheguard_open(const struct sysroot *root, const char *disk, struct devio *io,
	const struct err *why_not, struct cacheguard **ret, struct err *reterr)
{
	struct cacheguard *g = calloc(1, sizeof(*g));
	int r;

	if (!g) {
		devio_close(io);
		return err_nomem(reterr);
	}
	g->lock = (struct journal_lock)JOURNAL_LOCK_INIT;
	g->io = *io;
	memset(io, 0, sizeof(*io));
	if (!g->io.ops)
		g->no_io = *why_not;
	if ((size_t)snprintf(g->disk, sizeof(g->disk), "%s", disk) >= sizeof(g->disk))
		r = err_set(reterr, ERR_USAGE, -ENAMETOOLONG, "%s: name too long", disk);
	else
		r = set_up(g, root, reterr);
	if (r < 0) {
		cacheguard_free(g);
		return r;
	}
	*ret = g;
	return 0;
}

void cacheguard_free(struct cacheguard *g)
{
	if (!g)
		return;
	journal_lock_drop(&g->lock);
	devio_close(&g->io);
	json_free(g->drive);
	free(g->folder);
	free(g->entry);
	free(g);
}

const struct wc_state *cacheguard_state(const struct cacheguard *g)
{
	return &g->now;
}

const struct json *cacheguard_drive(const struct cacheguard *g)
{
	return g->drive;
}

const struct wc_state *cacheguard_before(const struct cacheguard *g)
{
	return g->undo ? &g->before : NULL;
}

int cacheguard_refresh(struct cacheguard *g, struct err *reterr)
{
	return read_state(g, reterr);
}

bool cacheguard_can_toggle(const struct cacheguard *g)
{
	return g->now.drive == WC_DRIVE_ON || g->now.drive == WC_DRIVE_OFF;
}

/* -- recording ------------------------------------------------------------------------------ */

static int take_lock(struct cacheguard *g, struct err *reterr)
{
	if (!g->folder || g->lock.fd >= 0)
		return 0;
	return journal_lock_take(g->folder, g->drive, &g->lock, reterr);
}

static int adopt(struct cacheguard *g, const struct journal_entry *e, struct err *reterr)
{
	char *path = strdup(e->path);

	if (!path)
		return err_nomem(reterr);
	free(g->entry);
	g->entry = path;
	g->before = e->before;
	g->undo = true;
	return 0;
}

/* Takes over an entry of @kind: 0; 1: there is none for this drive; -ENOTUNIQ and -ENODEV: the
 * entry may be, or is, another present drive's. */
static int find_entry(struct cacheguard *g, enum journal_kind kind, struct err *reterr)
{
	const struct journal_entry *e;
	struct journal_list l;
	int r;

	if (!g->folder)
		return 1;
	r = journal_read(g->folder, &l, reterr);
	if (r < 0)
		return r;
	e = journal_lookup(&l, kind, g->drive);
	r = !e ? 1 : g->root ? journal_is_drive(g->root, e, g->disk, reterr) : 0;
	if (r == 0)
		r = adopt(g, e, reterr);
	journal_list_done(&l);
	return r;
}

/* Before the first change: an older record stands, else the present state becomes one. */
static int record(struct cacheguard *g, const char *by, struct err *reterr)
{
	int r;

	if (g->undo)
		return 0;
	r = take_lock(g, reterr);
	if (r == 0)
		r = read_state(g, reterr); /* another process may have changed it until just now */
	if (r == 0)
		r = find_entry(g, JOURNAL_CHANGE, reterr);
	if (r == -ENOTUNIQ || r == -ENODEV)
		r = 1; /* that entry waits for its own drive */
	if (r <= 0)
		return r;
	if (g->folder) {
		r = journal_record(g->folder, JOURNAL_CHANGE, g->drive, &g->now, by, &g->entry,
			reterr);
		if (r < 0)
			return r;
	}
	g->before = g->now;
	g->undo = true;
	return 0;
}

/* The entry is done with, and so is the lock. */
static int forget(struct cacheguard *g, struct err *reterr)
{
	int r = g->entry ? journal_remove(g->entry, reterr) : 0;

	free(g->entry);
	g->entry = NULL;
	g->undo = false;
	journal_lock_drop(&g->lock);
	return r;
}

/* -- changing ------------------------------------------------------------------------------- */

int cacheguard_set(struct cacheguard *g, bool on, const char *by, struct err *reterr)
{
	int r;

	/* What wc_set() refuses to begin is not worth a record. */
	if (cacheguard_can_toggle(g)) {
		r = record(g, by, reterr);
		if (r < 0)
			return r;
	}
	return wc_set(&g->dev, on, &g->now, reterr);
}

static bool same_fact(enum fact a, enum fact b)
{
	return a == FACT_UNKNOWN || b == FACT_UNKNOWN || a == b;
}

static bool same_drive_state(const struct wc_state *a, const struct wc_state *b)
{
	return a->drive == b->drive && same_fact(a->saved, b->saved);
}

int cacheguard_restore(struct cacheguard *g, struct err *reterr)
{
	struct err e = ERR_INIT;
	char name[256];
	int r, left;

	if (!g->undo)
		return 0;
	left = wc_restore(&g->dev, &g->before, &g->now, &e);
	r = left < 0 ? left : read_state(g, &e);
	/* Read once more, on its own: the entry is the only record of what was. */
	if (r == 0 && !same_drive_state(&g->now, &g->before))
		r = err_set(&e, ERR_DEVICE, -EIO, "write cache not restored: reads %s",
			wc_drive_word(g->now.drive) ? wc_drive_word(g->now.drive) : "unknown");
	if (r == 0)
		r = forget(g, reterr);
	else
		(void)err_set(reterr, e.kind, r,
			"%s; %s was %s before%s", e.msg, journal_name(g->drive, name, sizeof(name)),
			wc_drive_word(g->before.drive) ? wc_drive_word(g->before.drive) : "unknown",
			g->folder ? ", which stays recorded: 'ssdqual cache --all restore' puts it "
			"back when the drive answers" : "");
	return r < 0 ? r : left;
}

int cacheguard_keep(struct cacheguard *g, const char *by, struct err *reterr)
{
	const struct journal_entry *previous;
	struct journal_list l;
	char *path = NULL;
	int r = 0;

	if (!g->undo || !g->folder) {
		g->undo = false;
		return 0;
	}
	r = journal_read(g->folder, &l, reterr);
	if (r < 0)
		return r;
	previous = journal_lookup(&l, JOURNAL_PREVIOUS, g->drive);
	if (previous && same_drive_state(&previous->before, &g->now))
		r = journal_remove(previous->path, reterr);
	else if (!previous && !same_drive_state(&g->before, &g->now))
		r = journal_record(g->folder, JOURNAL_PREVIOUS, g->drive, &g->before, by, &path,
			reterr);
	journal_list_done(&l);
	free(path);
	/* The new entry is durable before the old one goes: a kill in between leaves both. */
	return r < 0 ? r : forget(g, reterr);
}

int cacheguard_adopt(struct cacheguard *g, enum journal_kind *ret_kind, struct err *reterr)
{
	enum journal_kind kind = JOURNAL_CHANGE;
	char name[256];
	int r = take_lock(g, reterr);

	if (r == 0)
		r = find_entry(g, kind, reterr);
	if (r == 1) {
		kind = JOURNAL_PREVIOUS;
		r = find_entry(g, kind, reterr);
	}
	if (r == 1) {
		journal_lock_drop(&g->lock);
		return err_set(reterr, ERR_INPUT, -ENOENT,
			"%s: nothing is recorded for this drive, so there is nothing to restore; "
			"'ssdqual cache DEV on' or 'off' sets it",
			journal_name(g->drive, name, sizeof(name)));
	}
	if (r == 0)
		*ret_kind = kind;
	return r;
}
