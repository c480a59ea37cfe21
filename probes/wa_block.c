/* wa_block.c - counters of block devices and of the drives below them. */
#include "probes/wa.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"
#include "probes/drive.h"
#include "probes/stack.h"

enum { SECTOR = 512, STAT_FIELDS = 17, DEPTH_MAX = 16 };

struct watched {
	char sysname[SYSFS_NAME_MAX];
	char role[8];
	const char *layer;
	struct sysfs_names disks; /* whole disks below it; a disk is below itself */
	bool is_disk;             /* it is one: the levels block and disk are the same */
	bool whole;               /* all that is below it is known */
	struct wa_stat base;      /* at the last `before` */
};

struct wa_watch {
	const struct sysroot *root;
	struct watched *dev;
	size_t count;
	struct wa_drive_base *base; /* of all disks below, in the order of all_disks() */
};

/* The readings of one whole disk, each taken once a sample. */
struct disk {
	struct wa_reading disk, host, nand;
};

struct wa_watch *wa_watch_new(const struct sysroot *root)
{
	struct wa_watch *w = calloc(1, sizeof(*w));

	if (w)
		w->root = root;
	return w;
}

void wa_watch_free(struct wa_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->count; i++)
		sysfs_names_done(&w->dev[i].disks);
	free(w->dev);
	free(w->base);
	free(w);
}

int wa_decode_stat(const char *line, struct wa_stat *ret)
{
	uint64_t field[STAT_FIELDS] = { 0 };
	char text[400], *at = text, *word;
	size_t n = 0;

	if (snprintf(text, sizeof(text), "%s", line) >= (int)sizeof(text))
		return -EBADMSG;
	while (n < STAT_FIELDS && (word = strsep(&at, " \t\n"))) {
		if (word[0] == '\0')
			continue;
		if (units_parse_u64(word, &field[n++]) < 0)
			return -EBADMSG;
	}
	if (n < 7 || field[2] > UINT64_MAX / SECTOR || field[6] > UINT64_MAX / SECTOR)
		return -EBADMSG;
	ret->read_bytes = field[2] * SECTOR;
	ret->write_bytes = field[6] * SECTOR;
	ret->discard_bytes = n > 13 ? (double)field[13] * SECTOR : NAN;
	ret->flushes = n > 15 ? (double)field[15] : NAN;
	return 0;
}

/* -- which devices -------------------------------------------------------------------------- */

/* Is @lower, or a partition or volume on it, what @upper is made of? */
static bool lies_on(const struct sysroot *root, const char *upper, const char *lower, int depth)
{
	char parent[SYSFS_NAME_MAX];
	struct sysfs_names below;
	bool yes = false;

	if (strcmp(upper, lower) == 0)
		return true;
	if (depth > DEPTH_MAX)
		return false;
	if (sysfs_block_parent(root, upper, parent, sizeof(parent)) == 0)
		return lies_on(root, parent, lower, depth + 1);
	if (sysfs_list(root, &below, "/sys/block/%s/slaves", upper) < 0)
		return false;
	for (size_t i = 0; i < below.count && !yes; i++)
		yes = lies_on(root, below.name[i], lower, depth + 1);
	sysfs_names_done(&below);
	return yes;
}

static int check_apart(const struct wa_watch *w, const char *sysname, struct err *reterr)
{
	for (size_t i = 0; i < w->count; i++) {
		const char *other = w->dev[i].sysname;

		if (strcmp(other, sysname) == 0)
			return err_set(reterr, ERR_USAGE, -EEXIST,
				"%s is named twice; once, please", sysname);
		if (lies_on(w->root, sysname, other, 0) || lies_on(w->root, other, sysname, 0))
			return err_set(reterr, ERR_USAGE, -EEXIST,
				"%s and %s lie on each other: a write would count twice; name one "
				"of them",
				other, sysname);
	}
	return 0;
}

static int read_stat(const struct sysroot *root, const char *sysname, struct wa_stat *ret)
{
	char dir[SYSFS_PATH_MAX], line[400];
	int r = sysfs_block_dir(root, sysname, dir, sizeof(dir));

	if (r == 0)
		r = sysfs_read(root, line, sizeof(line), "%s/stat", dir);
	return r < 0 ? r : wa_decode_stat(line, ret);
}

int wa_watch_add(struct wa_watch *w, const char *sysname, const char *role, struct err *reterr)
{
	struct watched d = { .layer = stack_layer(w->root, sysname) }, *grown;
	int r = check_apart(w, sysname, reterr);

	if (r < 0)
		return r;
	r = read_stat(w->root, sysname, &d.base);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: the kernel has no counters of it in "
			"/sys/class/block/%s/stat: %s", sysname, sysname, strerror(-r));
	(void)snprintf(d.sysname, sizeof(d.sysname), "%s", sysname); /* a kernel name fits */
	(void)snprintf(d.role, sizeof(d.role), "%s", role);
	r = stack_below(w->root, sysname, &d.disks, &d.whole, reterr);
	if (r < 0)
		return r;
	d.is_disk = d.disks.count == 1 && strcmp(d.disks.name[0], sysname) == 0;
	free(w->base); /* of fewer devices */
	w->base = NULL;
	grown = realloc(w->dev, (w->count + 1) * sizeof(*grown));
	if (!grown) {
		sysfs_names_done(&d.disks);
		return err_nomem(reterr);
	}
	w->dev = grown;
	w->dev[w->count++] = d;
	return 0;
}

size_t wa_watch_chains(const struct wa_watch *w)
{
	return w->count > 1 ? w->count + 1 : w->count;
}

void wa_watch_init(const struct wa_watch *w, struct wa_chain *chain)
{
	for (size_t i = 0; i < w->count; i++) {
		wa_chain_init(&chain[i], w->dev[i].sysname);
		strcpy(chain[i].role, w->dev[i].role);
	}
	if (w->count > 1)
		wa_chain_init(&chain[w->count], "total");
}

/* -- readings ------------------------------------------------------------------------------- */

/* Who counts: the drive's serial number, else the kernel's number of this appearance of a disk. */
static void name_counter(const struct sysroot *root, const char *sysname, char *buf, size_t len)
{
	char disk[SYSFS_NAME_MAX], text[SYSFS_NAME_MAX];

	if (sysfs_block_parent(root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* the same size */
	buf[0] = '\0';
	if (drive_serial(root, disk, text, sizeof(text)) > 0)
		(void)snprintf(buf, len, "%.40s serial %.120s", disk, text);
	else if (sysfs_read(root, text, sizeof(text), "/sys/block/%s/diskseq", disk) > 0)
		(void)snprintf(buf, len, "%.40s diskseq %.40s", disk, text);
}

static void read_written(const struct sysroot *root, const char *sysname, struct wa_reading *ret,
	struct wa_stat *ret_stat)
{
	struct wa_stat s;
	int r = read_stat(root, sysname, &s);

	memset(ret, 0, sizeof(*ret));
	name_counter(root, sysname, ret->whose, sizeof(ret->whose));
	if (r < 0) {
		wa_reading_lack(ret, "%s/stat: %s", sysname,
			r == -ENOENT ? "the device is gone" : strerror(-r));
		return;
	}
	wa_reading_set(ret, s.write_bytes, 0, "%s/stat", sysname);
	if (ret_stat)
		*ret_stat = s;
}

/* All disks below any of the devices, each once. */
static int all_disks(const struct wa_watch *w, struct sysfs_names *ret)
{
	struct sysfs_names all = { .count = 0 };
	int r = 0;

	for (size_t i = 0; i < w->count && r == 0; i++)
		for (size_t k = 0; k < w->dev[i].disks.count && r == 0; k++)
			r = sysfs_names_add(&all, w->dev[i].disks.name[k]);
	if (r < 0)
		sysfs_names_done(&all);
	else
		*ret = all;
	return r;
}

static void read_disks(const struct wa_watch *w, const struct sysfs_names *names, bool after,
	bool drives, struct disk *disk)
{
	for (size_t i = 0; i < names->count; i++) {
		read_written(w->root, names->name[i], &disk[i].disk, NULL);
		if (!drives)
			continue;
		wa_drive_read(w->root, names->name[i], after, &w->base[i], &disk[i].host,
			&disk[i].nand);
		/* Two paths to one drive: it counts once, at the first. */
		for (size_t k = 0; k < i && disk[i].host.known; k++)
			if (disk[i].host.whose[0] &&
				strcmp(disk[i].host.whose, disk[k].host.whose) == 0)
				disk[i].host = disk[i].nand = (struct wa_reading){ .known = true };
	}
}

static struct wa_reading *side(struct wa_chain *c, enum wa_level level, bool after)
{
	return after ? &c->level[level].after : &c->level[level].before;
}

/* The levels below `block` of one chain, from the disks that @d (NULL: any of the devices) lies
 * on. */
static void sum_disks(const struct watched *d, const struct sysfs_names *names,
	const struct disk *disk, bool after, bool drives, struct wa_chain *c)
{
	struct wa_reading sum[3] = { 0 };

	for (size_t i = 0; i < names->count; i++) {
		if (d && !sysfs_names_has(&d->disks, names->name[i]))
			continue;
		wa_reading_add(&sum[0], &disk[i].disk);
		wa_reading_add(&sum[1], &disk[i].host);
		wa_reading_add(&sum[2], &disk[i].nand);
	}
	*side(c, WA_DISK, after) = sum[0];
	if (drives) {
		*side(c, WA_HOST, after) = sum[1];
		*side(c, WA_NAND, after) = sum[2];
	}
}

static void lack_below(const char *what, const char *layer, bool after, struct wa_chain *c)
{
	for (enum wa_level level = WA_DISK; level < WA_LEVELS; level++) {
		struct wa_reading *r = side(c, level, after);

		memset(r, 0, sizeof(*r));
		if (level != WA_DISK)
			wa_reading_lack(r, "no drive is known below %s (%s)", what, layer);
	}
}

static void read_device(struct wa_watch *w, struct watched *d, bool after, struct wa_chain *c)
{
	struct wa_stat s = { 0, 0, NAN, NAN };
	struct wa_reading *r = side(c, WA_BLOCK, after);

	read_written(w->root, d->sysname, r, &s);
	if (!after) {
		d->base = s;
	} else if (r->known) {
		c->discard_bytes = s.discard_bytes - d->base.discard_bytes;
		c->flushes = s.flushes - d->base.flushes;
		c->read_bytes = (double)s.read_bytes - (double)d->base.read_bytes;
	}
}

/* The chain of all: what the named devices took, and each drive below them once. */
static void sum_devices(const struct wa_watch *w, bool after, struct wa_chain *chain)
{
	struct wa_chain *total = &chain[w->count];
	struct wa_reading sum = { 0 };

	total->discard_bytes = total->flushes = total->read_bytes = 0;
	for (size_t i = 0; i < w->count; i++) {
		wa_reading_add(&sum, side(&chain[i], WA_BLOCK, after));
		total->discard_bytes += chain[i].discard_bytes;
		total->flushes += chain[i].flushes;
		total->read_bytes += chain[i].read_bytes;
	}
	*side(total, WA_BLOCK, after) = sum;
}

int wa_watch_read(struct wa_watch *w, bool after, bool drives, struct wa_chain *chain)
{
	struct sysfs_names names = { .count = 0 };
	bool all_are_disks = true, all_whole = true;
	struct disk *disk;
	int r = all_disks(w, &names);

	if (r < 0)
		return r;
	disk = calloc(names.count + 1, sizeof(*disk));
	if (!w->base) /* which disks there are follows from the devices, which stay */
		w->base = calloc(names.count + 1, sizeof(*w->base));
	if (!disk || !w->base) {
		free(disk);
		sysfs_names_done(&names);
		return -ENOMEM;
	}
	read_disks(w, &names, after, drives, disk);
	for (size_t i = 0; i < w->count; i++) {
		struct watched *d = &w->dev[i];

		read_device(w, d, after, &chain[i]);
		if (d->whole)
			sum_disks(d, &names, disk, after, drives, &chain[i]);
		else
			lack_below(d->sysname, d->layer, after, &chain[i]);
		if (d->is_disk)
			memset(side(&chain[i], WA_DISK, after), 0, sizeof(struct wa_reading));
		all_are_disks = all_are_disks && d->is_disk;
		all_whole = all_whole && d->whole;
	}
	if (w->count > 1) {
		sum_devices(w, after, chain);
		if (all_whole)
			sum_disks(NULL, &names, disk, after, drives, &chain[w->count]);
		else
			lack_below("one of the devices", "see its row", after, &chain[w->count]);
		if (all_are_disks)
			memset(side(&chain[w->count], WA_DISK, after), 0,
				sizeof(struct wa_reading));
	}
	free(disk);
	sysfs_names_done(&names);
	return 0;
}

/* -- what to know --------------------------------------------------------------------------- */

static int note_device(const struct watched *d, struct json *list)
{
	char text[1024], disks[300] = "";

	for (size_t i = 0; i < d->disks.count; i++) {
		size_t used = strlen(disks);

		(void)snprintf(disks + used, sizeof(disks) - used, "%s%s", used ? ", " : "",
			d->disks.name[i]); /* a long list is cut */
	}
	if (d->is_disk)
		return 0;
	if (d->disks.count == 0)
		(void)snprintf(text, sizeof(text), "%s (%s): counted is what was written to it; "
			"what lies below it is not seen", d->sysname, d->layer);
	else
		(void)snprintf(text, sizeof(text),
			"%s (%s) lies on %s: block counts %s alone, disk, "
			"host and nand all that is written to %s, by others, too",
			d->sysname, d->layer, disks, d->sysname,
			d->disks.count == 1 ? "that disk" : "those disks");
	return json_append(list, json_new_str(text));
}

struct json *wa_watch_notes(const struct wa_watch *w)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < w->count; i++)
		if (note_device(&w->dev[i], list) < 0) {
			json_free(list);
			return NULL;
		}
	return list;
}
