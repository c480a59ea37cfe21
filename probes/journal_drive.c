/* journal_drive.c - tells drives apart, and finds a recorded one under whatever name it has now. */
#include "probes/journal.h"

#include "data/json.h"
#include "probes/drive.h"
#include "probes/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct json *o, const char *key, const struct sysroot *root, const char *disk,
	const char *attribute)
{
	char text[256];

	if (sysfs_read(root, text, sizeof(text), "/sys/block/%s/%s", disk, attribute) > 0) {
		drive_clean_string(text);
		(void)json_set_str(o, key, text); /* memory is checked once, by the caller */
	} else {
		(void)json_set_null(o, key);
	}
}

int journal_drive(const struct sysroot *root, const char *disk, struct json **ret,
	struct err *reterr)
{
	static const char *const keys[] = { "path", "by_id", "model", "serial", "firmware", "wwn",
		"transport", "capacity_bytes", "diskseq", "controller", NULL };
	struct json *identity, *o;
	int r = drive_identity(root, disk, &identity, reterr);

	if (r < 0)
		return r;
	o = json_new_object();
	for (size_t i = 0; keys[i]; i++) {
		const struct json *v = json_get(identity, keys[i]);

		(void)json_set(o, keys[i], v ? json_copy(v) : json_new_null());
	}
	json_free(identity);
	set_text(o, "nguid", root, disk, "nguid");
	/* The cache is the controller's, whichever of its namespaces was named. */
	set_text(o, "subsysnqn", root, disk, "device/subsysnqn");
	set_text(o, "cntlid", root, disk, "device/cntlid");
	if (!json_get(o, "cntlid")) {
		json_free(o);
		return err_nomem(reterr);
	}
	*ret = o;
	return 0;
}

/* -- matching ------------------------------------------------------------------------------- */

enum same { SAME_UNKNOWN, SAME_YES, SAME_NO };

static enum same same_text(const struct json *a, const struct json *b, const char *key)
{
	const char *x = json_str(json_get(a, key)), *y = json_str(json_get(b, key));

	if (!x || !y || !*x || !*y)
		return SAME_UNKNOWN;
	return strcmp(x, y) == 0 ? SAME_YES : SAME_NO;
}

static enum same same_number(const struct json *a, const struct json *b, const char *key)
{
	uint64_t x, y;

	if (!json_u64(json_get(a, key), &x) || !json_u64(json_get(b, key), &y))
		return SAME_UNKNOWN;
	return x == y ? SAME_YES : SAME_NO;
}

enum journal_match journal_match(const struct json *recorded, const struct json *present,
	bool same_boot)
{
	enum same serial = same_text(recorded, present, "serial");
	enum same nqn = same_text(recorded, present, "subsysnqn");
	enum same wwn = same_text(recorded, present, "wwn");

	/* Bridges and cheap drives share names: one fact that differs outweighs those that agree.
	 */
	if (serial == SAME_NO || same_text(recorded, present, "model") == SAME_NO)
		return JOURNAL_OTHER;
	if (nqn == SAME_NO || same_text(recorded, present, "cntlid") == SAME_NO)
		return JOURNAL_OTHER;
	if (same_boot && same_number(recorded, present, "diskseq") == SAME_YES)
		return JOURNAL_DISKSEQ;
	if (nqn == SAME_YES && serial == SAME_YES)
		return JOURNAL_WWN;
	if (wwn == SAME_NO || same_number(recorded, present, "capacity_bytes") == SAME_NO)
		return JOURNAL_OTHER;
	if (wwn == SAME_YES)
		return JOURNAL_WWN;
	return serial == SAME_YES ? JOURNAL_SERIAL : JOURNAL_OTHER;
}

/* -- finding -------------------------------------------------------------------------------- */

/* Two names of one cache: namespaces of a controller, or paths below one multipath device. */
static bool same_cache(const struct sysroot *root, const char *a, const char *b)
{
	char x[SYSFS_PATH_MAX], y[SYSFS_PATH_MAX];
	struct sysfs_names held;
	bool same = false;

	if (strncmp(a, "nvme", 4) == 0 && strncmp(b, "nvme", 4) == 0)
		return sysfs_readlink(root, x, sizeof(x), "/sys/block/%s/device", a) > 0 &&
			sysfs_readlink(root, y, sizeof(y), "/sys/block/%s/device", b) > 0 &&
			strcmp(x, y) == 0;
	if (sysfs_list(root, &held, "/sys/block/%s/holders", a) < 0)
		return false;
	for (size_t i = 0; i < held.count && !same; i++)
		same = strncmp(held.name[i], "dm-", 3) == 0 &&
			sysfs_read(root, x, sizeof(x), "/sys/block/%s/dm/uuid", held.name[i]) > 0 &&
			strncmp(x, "mpath-", 6) == 0 &&
			sysfs_exists(root, "/sys/block/%s/holders/%s", b, held.name[i]);
	sysfs_names_done(&held);
	return same;
}

struct search {
	const struct sysroot *root;
	const struct journal_entry *e;
	enum journal_match best;
	char found[SYSFS_NAME_MAX], rival[SYSFS_NAME_MAX];
};

static int consider(struct search *s, const char *disk, struct err *reterr)
{
	struct json *present;
	enum journal_match m;
	int r = journal_drive(s->root, disk, &present, reterr);

	if (r < 0)
		return r == -ENOMEM ? r : 0; /* unplugged since it was listed */
	m = journal_match(s->e->drive, present, s->e->same_boot);
	json_free(present);
	if (m == JOURNAL_OTHER || m < s->best)
		return 0;
	if (m == s->best) {
		if (!same_cache(s->root, s->found, disk))
			(void)snprintf(s->rival, sizeof(s->rival), "%s", disk); /* fits */
		return 0;
	}
	s->best = m;
	s->rival[0] = '\0';
	(void)snprintf(s->found, sizeof(s->found), "%s", disk); /* fits */
	return 0;
}

int journal_find(const struct sysroot *root, const struct journal_entry *e, char *disk,
	size_t size, struct err *reterr)
{
	struct search s = { .root = root, .e = e, .best = JOURNAL_OTHER };
	struct sysfs_names disks;
	char name[256];
	int r = drive_scan(root, false, &disks, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < disks.count && r == 0; i++)
		r = consider(&s, disks.name[i], reterr);
	sysfs_names_done(&disks);
	if (r < 0)
		return r;
	(void)journal_name(e->drive, name, sizeof(name));
	if (s.best == JOURNAL_OTHER)
		return err_set(reterr, ERR_DEVICE, -ENODEV,
			"%s: not present; attach it again, then repeat this", name);
	if (s.rival[0])
		return err_set(reterr, ERR_REFUSED, -ENOTUNIQ,
			"%s: both /dev/%s and /dev/%s say that they are this drive, and nothing "
			"tells them apart; detach one of them, or set the right one by hand: "
			"ssdqual cache DEV %s, then ssdqual cache --forget %s",
			name, s.found, s.rival,
			wc_drive_word(e->before.drive) ? wc_drive_word(e->before.drive) : "on",
			strrchr(e->path, '/') ? strrchr(e->path, '/') + 1 : e->path);
	if ((size_t)snprintf(disk, size, "%s", s.found) >= size)
		return err_set(reterr, ERR_INTERNAL, -ENAMETOOLONG, "%s: name too long", s.found);
	return 0;
}

int journal_is_drive(const struct sysroot *root, const struct journal_entry *e, const char *disk,
	struct err *reterr)
{
	char found[SYSFS_NAME_MAX], name[256];
	int r = journal_find(root, e, found, sizeof(found), reterr);

	if (r < 0 || strcmp(found, disk) == 0 || same_cache(root, found, disk))
		return r;
	return err_set(reterr, ERR_REFUSED, -ENODEV,
		"%s: what is recorded is the state of another drive, now /dev/%s",
		journal_name(e->drive, name, sizeof(name)), found);
}

const char *journal_name(const struct json *drive, char *buf, size_t size)
{
	const char *model = json_str(json_get(drive, "model"));
	const char *serial = json_str(json_get(drive, "serial"));
	const char *path = json_str(json_get(drive, "path"));

	if (serial && (model || path))
		(void)snprintf(
			buf, size, "%s, serial %s", model ? model : path, serial); /* may be cut */
	else if (model || path)
		(void)snprintf(buf, size, "%s%s%s", model ? model : "", model && path ? ", " : "",
			path ? path : ""); /* as above */
	else
		(void)snprintf(buf, size, "a drive without a name");
	return buf;
}
