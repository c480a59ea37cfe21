/* safety_drive.c - the drives below a target: other paths to them, who has reserved them, and
 * whether other hosts could use them unseen.
 *
 * Drives are asked read-only, and only where sysfs does not say.
 */
#include "probes/safety_facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/drive.h"

#define DEPTH_MAX 16

/* -- who is who ------------------------------------------------------------------------------ */

/* Made by the kernel out of other things: no drives, and without names of their own. */
static bool is_stacked(const char *disk)
{
	static const char *const prefixes[] = { "loop", "ram", "zram", "dm-", "md", "bcache", "fd",
		"sr", NULL };

	for (size_t i = 0; prefixes[i]; i++) {
		if (strncmp(disk, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/* Length of "nvme7" at the start of @name, 0 where it is not. */
static size_t controller_len(const char *name)
{
	size_t digits;

	if (strncmp(name, "nvme", 4) != 0)
		return 0;
	digits = strspn(name + 4, "0123456789");
	return digits ? 4 + digits : 0;
}

/* The paths of an NVMe namespace that the kernel joins itself (nvme0c1n1) have no node: only the
 * namespace above them can be used. */
static bool is_hidden(const struct sysroot *root, const char *disk)
{
	size_t len = controller_len(disk);
	uint64_t hidden;

	if (sysfs_read_u64(root, &hidden, "/sys/block/%s/hidden", disk) == 0)
		return hidden != 0;
	return len > 0 && disk[len] == 'c';
}

static int gather_disks(const struct sysroot *root, struct safety_disks *d)
{
	struct sysfs_names disks;
	int r = sysfs_list(root, &disks, "/sys/block");

	if (r < 0)
		return r;
	d->disk = calloc(disks.count ? disks.count : 1, sizeof(*d->disk));
	for (size_t i = 0; d->disk && i < disks.count; i++) {
		struct disk_fact *disk = &d->disk[d->count];

		if (is_stacked(disks.name[i]) || is_hidden(root, disks.name[i]))
			continue;
		strcpy(disk->name, disks.name[i]);
		if (sysfs_read_u64(root, &disk->sectors, "/sys/block/%s/size", disk->name) < 0)
			disk->sectors = 0;
		names_of_disk(root, disk->name, &disk->names);
		d->count++;
	}
	sysfs_names_done(&disks);
	d->gathered = d->disk != NULL;
	return d->disk ? 0 : -ENOMEM;
}

/* Asked for once: of most drives sysfs tells enough, but some have to be asked themselves. */
static int disks_of(const struct safety_facts *f, const struct safety_disks **ret)
{
	int r = f->disks->gathered ? 0 : gather_disks(&f->root, f->disks);

	*ret = f->disks;
	return r;
}

static const struct disk_fact *find_disk(const struct safety_disks *d, const char *name)
{
	for (size_t i = 0; i < d->count; i++) {
		if (strcmp(d->disk[i].name, name) == 0)
			return &d->disk[i];
	}
	return NULL;
}

/* Namespaces of one controller share model and serial number, and are not each other. */
static bool same_controller(const char *a, const char *b)
{
	size_t len = controller_len(a);

	return len > 0 && a[len] == 'n' && b[controller_len(b)] == 'n' &&
		len == controller_len(b) && strncmp(a, b, len) == 0;
}

int safety_twins(const struct safety_facts *f, const char *disk, struct sysfs_names *ret)
{
	struct sysfs_names twins = { .count = 0 };
	const struct safety_disks *d;
	const struct disk_fact *own;
	int r = disks_of(f, &d);

	*ret = twins;
	own = r == 0 ? find_disk(d, disk) : NULL;
	for (size_t i = 0; own && i < d->count && r == 0; i++) {
		const struct disk_fact *other = &d->disk[i];

		if (other == own || same_controller(disk, other->name))
			continue;
		if (names_compare(&own->names, &other->names,
				own->sectors == other->sectors) != SAME_NO)
			r = sysfs_names_add(&twins, other->name);
	}
	*ret = twins;
	return r;
}

bool safety_has_twin(const struct safety_facts *f, const struct target *t)
{
	char disk[SYSFS_NAME_MAX];
	struct sysfs_names twins;
	bool found;

	if (sysfs_block_parent(&f->root, t->sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", t->sysname); /* a kernel name: fits */
	found = safety_twins(f, disk, &twins) < 0 || twins.count > 0;
	sysfs_names_done(&twins);
	return found;
}

/* -- the drives below ------------------------------------------------------------------------ */

static int add_drives(const struct safety_facts *f, const char *name, int depth,
	struct sysfs_names *ret)
{
	char disk[SYSFS_NAME_MAX];
	struct sysfs_names slaves;
	int r;

	if (sysfs_block_parent(&f->root, name, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", name); /* a kernel name: fits */
	for (size_t i = 0; i < f->loop_count; i++) {
		char below[SYSFS_NAME_MAX];

		if (strcmp(f->loops[i].name, disk) == 0 && f->loops[i].rdev != 0 &&
			depth < DEPTH_MAX &&
			sysfs_block_name(&f->root, f->loops[i].rdev, below, sizeof(below)) == 0)
			return add_drives(f, below, depth + 1, ret);
	}
	r = sysfs_list(&f->root, &slaves, "/sys/block/%s/slaves", disk);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || slaves.count == 0 || depth >= DEPTH_MAX) {
		if (r == 0)
			sysfs_names_done(&slaves);
		return sysfs_names_add(ret, disk);
	}
	for (size_t i = 0; i < slaves.count && r == 0; i++)
		r = add_drives(f, slaves.name[i], depth + 1, ret);
	sysfs_names_done(&slaves);
	return r;
}

/* -- other hosts ----------------------------------------------------------------------------- */

/* INQUIRY byte 6, bit 4: more than one port. From sysfs, or the drive. */
static bool multi_port(const struct sysroot *root, const char *disk, struct devio *io)
{
	uint8_t buf[36] = { 0 };
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = sizeof(buf) };
	int n = sysfs_read_raw(root, buf, sizeof(buf), "/sys/block/%s/device/inquiry", disk);

	if (n > 6)
		return buf[6] & 0x10;
	if (!io || !io->ops->scsi)
		return true; /* nothing says that it has one only */
	c.cdb_len = scsi_cdb_inquiry(c.cdb, sizeof(buf));
	if (devio_scsi(io, &c, "INQUIRY", NULL) < 0 || c.received <= 6)
		return true;
	return buf[6] & 0x10;
}

/* An NVMe drive with two ports whose namespace may be attached to both. */
static bool nvme_dual_port(struct devio *io)
{
	uint8_t buf[NVM_IDENTIFY_BYTES];
	struct nvm_ctrl ctrl;
	struct nvm_ns ns;

	return io && io->ops->nvme_admin &&
		devio_nvme_identify(io, DEVIO_CNS_CONTROLLER, buf, NULL) == 0 &&
		nvm_ctrl_decode(buf, sizeof(buf), &ctrl, NULL) == 0 && ctrl.multi_port &&
		devio_nvme_identify(io, DEVIO_CNS_NAMESPACE, buf, NULL) == 0 &&
		nvm_ns_decode(buf, sizeof(buf), &ns, NULL) == 0 && ns.shared;
}

/* Of a namespace that the kernel reaches over several controllers, sysfs' "device" is the
 * subsystem, in which the controllers lie. */
static bool nvme_fabrics(const struct sysroot *root, const char *disk)
{
	struct sysfs_names inside;
	bool found = false;
	char word[32];

	if (sysfs_read(root, word, sizeof(word), "/sys/block/%s/device/transport", disk) > 0)
		return strcmp(word, "pcie") != 0;
	if (sysfs_list(root, &inside, "/sys/block/%s/device", disk) < 0)
		return false;
	for (size_t i = 0; i < inside.count && !found; i++) {
		if (strncmp(inside.name[i], "nvme", 4) == 0 &&
			sysfs_read(root, word, sizeof(word), "/sys/block/%s/device/%s/transport",
				disk, inside.name[i]) > 0)
			found = strcmp(word, "pcie") != 0;
	}
	sysfs_names_done(&inside);
	return found;
}

/* How other hosts can reach the disk, in words; NULL where it is this host's alone. */
static const char *shared_over(const struct sysroot *root, const char *disk, bool has_twin,
	struct devio *io)
{
	char word[48], path[SYSFS_PATH_MAX];
	const char *transport = drive_transport(root, disk, word, sizeof(word));

	if (strncmp(disk, "nvme", 4) == 0)
		return nvme_fabrics(root, disk) ? "NVMe over fabrics" :
			nvme_dual_port(io) ? "a second NVMe port" : NULL;
	if (!transport)
		/* SRP disks hang below a port, but no end device. */
		return sysfs_readlink(root, path, sizeof(path), "/sys/block/%s", disk) > 0 &&
			strstr(path, "/port-") ? "SRP" : NULL;
	if (strcmp(transport, "sas") == 0)
		return has_twin || multi_port(root, disk, io) ? "a second SAS port" : NULL;
	return strcmp(transport, "fc") == 0 ? "Fibre Channel" :
		strcmp(transport, "iscsi") == 0 ? "iSCSI" :
		strcmp(transport, "rbd") == 0 ? "Ceph RBD" :
		strcmp(transport, "nbd") == 0 ? "NBD" :
		strcmp(transport, "drbd") == 0 ? "DRBD" : NULL;
}

static int reserved(struct safety_report *rep, const char *disk, const char *text)
{
	return safety_use_add(&rep->uses, &rep->use_count, "reservation", disk, "%s", text);
}

static int scsi_reservations(struct devio *io, const char *disk, struct safety_report *rep,
	struct err *reterr, int *ret_answer)
{
	uint8_t buf[8 + 8 * SCSI_KEYS_MAX] = { 0 };
	struct devio_scsi c = { .dir = DEVIO_FROM_DEVICE, .data = buf, .len = sizeof(buf) };
	struct scsi_reservation held = { .held = false };
	struct scsi_keys keys;
	char text[160];
	int r;

	c.cdb_len = scsi_cdb_read_keys(c.cdb, sizeof(buf));
	r = devio_scsi(io, &c, "PERSISTENT RESERVE IN", reterr);
	if (r == 0)
		r = scsi_keys_decode(buf, c.received, &keys, reterr);
	*ret_answer = r;
	if (r < 0)
		return 0;
	memset(buf, 0, sizeof(buf));
	c.cdb_len = scsi_cdb_read_reservation(c.cdb, sizeof(buf));
	r = devio_scsi(io, &c, "PERSISTENT RESERVE IN", reterr);
	if (r == 0)
		r = scsi_reservation_decode(buf, c.received, &held, reterr);
	*ret_answer = r;
	if (held.held) {
		(void)snprintf(text, sizeof(text), "is reserved (%s) with key 0x%llx",
			scsi_reservation_text(held.type), (unsigned long long)held.key);
		return reserved(rep, disk, text);
	}
	if (keys.total == 0)
		return 0;
	(void)snprintf(text, sizeof(text),
		"has %llu registered for persistent reservations (key 0x%llx)",
		(unsigned long long)keys.total,
		(unsigned long long)(keys.count ? keys.key[0] : 0)); /* fits */
	return reserved(rep, disk, text);
}

static int nvme_reservations(struct devio *io, const char *disk, struct safety_report *rep,
	struct err *reterr, int *ret_answer)
{
	struct nvm_reservations *found = calloc(1, sizeof(*found));
	char text[160];
	int r = 0;

	if (!found)
		return -ENOMEM;
	*ret_answer = devio_nvme_reservations(io, found, reterr);
	if (*ret_answer == 0 && (found->total > 0 || found->type != 0)) {
		(void)snprintf(text, sizeof(text),
			found->type ? "is reserved (%s), by one of %u registered controllers" :
				      "has NVMe registrants (%s): %u controllers",
			found->type ? nvm_reservation_text(found->type) : "none held",
			found->total); /* fits */
		r = reserved(rep, disk, text);
	}
	free(found);
	return r;
}

/* A drive that does not know reservations has none. Any other failure says nothing, and that
 * matters where another host could hold one. */
static int judge_reservations(struct devio *io, const char *disk, bool shared,
	struct safety_report *rep)
{
	struct err why = ERR_INIT;
	int answer = 0, r;

	r = io->ops->scsi ? scsi_reservations(io, disk, rep, &why, &answer) :
			    nvme_reservations(io, disk, rep, &why, &answer);
	if (r < 0 || answer == 0 || answer == -EOPNOTSUPP)
		return r;
	if (answer == -EBUSY)
		return reserved(rep, disk, "is reserved by another host");
	return shared ? safety_use_add(&rep->uses, &rep->use_count, "unreadable", disk,
		"its reservations cannot be read (%s), and another host could hold one", why.msg) :
			0;
}

static int judge_drive(const struct safety_facts *f, const char *disk, struct safety_report *rep)
{
	struct err why = ERR_INIT;
	struct sysfs_names twins;
	struct devio io;
	const char *over;
	int asked, r;

	r = safety_twins(f, disk, &twins);
	if (r == -ENOMEM)
		return r;
	asked = answers_open(&f->root, disk, &io, &why);
	over = shared_over(&f->root, disk, twins.count > 0, asked == 0 ? &io : NULL);
	sysfs_names_done(&twins);
	r = 0;
	if (asked == 0)
		r = judge_reservations(&io, disk, over != NULL, rep);
	else if (over && asked != -EOPNOTSUPP && asked != -ENODATA)
		r = safety_use_add(&rep->uses, &rep->use_count, "unreadable", disk,
			"its reservations cannot be read (%s), and another host could hold one",
			why.msg);
	devio_close(&io);
	if (r == 0 && over)
		r = safety_use_add(&rep->shared, &rep->shared_count, "shared", disk,
			"can be reached by other hosts over %s, and what they do with it is not "
			"visible from here", over);
	return r;
}

/* What cannot be told is said, not guessed. */
static int note_names(const struct safety_facts *f, const char *disk, struct safety_report *rep)
{
	const struct safety_disks *d;
	const struct disk_fact *own;
	struct sysfs_names twins;
	int r = disks_of(f, &d);

	own = r == 0 ? find_disk(d, disk) : NULL;
	if (!own)
		return r == -ENOMEM ? r : 0;
	if (names_tell_wwn(own->names.wwn))
		return 0;
	if (!own->names.serial[0])
		return safety_use_add(&rep->notes, &rep->note_count, "identity", disk,
			"tells neither a world wide name nor a serial number; another path to it, "
			"or another drive in its place, cannot be told");
	r = safety_twins(f, disk, &twins);
	for (size_t i = 0; i < twins.count && r == 0; i++)
		r = safety_use_add(&rep->notes, &rep->note_count, "identity", disk,
			"could be the same drive as %s: same model, serial number and size, and no "
			"world wide name to tell them apart", twins.name[i]);
	sysfs_names_done(&twins);
	return r;
}

int safety_judge_drives(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	struct sysfs_names drives = { .count = 0 };
	int r = add_drives(f, t->sysname, 0, &drives);

	for (size_t i = 0; i < drives.count && r == 0; i++) {
		r = judge_drive(f, drives.name[i], rep);
		if (r == 0)
			r = note_names(f, drives.name[i], rep);
	}
	sysfs_names_done(&drives);
	return r;
}
