/* safety_facts.h - what the machine says about who uses which device, gathered once.
 *
 * Gathering reads /proc and /sys; the only nodes opened are loop devices that are set up (read-only,
 * LOOP_GET_STATUS64), because their backing file's name may be of another namespace. Below a
 * sysroot no node is opened and no ioctl issued.
 * What could not be read and may hide a user is kept in `unreadable` and `unseen`,
 * not dropped.
 */
#ifndef SSDQUAL_PROBES_SAFETY_FACTS_H
#define SSDQUAL_PROBES_SAFETY_FACTS_H

#include "probes/answers.h"
#include "probes/mountinfo.h"
#include "probes/safety.h"
#include "probes/sysfs.h"

/* A mount table as one or more processes see it. Processes of one namespace may have other root
 * folders (chroot), and the kernel shows each only what lies below its root. */
struct mount_space {
	struct mountinfo table;
	char who[64]; /* "" for our own; else "process 123 (name)" */
};

struct swap_area {
	char path[SYSFS_PATH_MAX];
	bool is_file;
	dev_t rdev;        /* 0: the node could not be found here */
	dev_t dev;         /* of a file, with ino; 0: not found here */
	ino_t ino;
};

struct loop_fact {
	char name[SYSFS_NAME_MAX];
	char backing[SYSFS_PATH_MAX]; /* name as the kernel prints it; may be of another namespace */
	bool identified;              /* the three below are the kernel's word */
	dev_t dev;
	ino_t ino;
	dev_t rdev;                   /* not 0: a block device backs it */
};

/* A process, or the kernel's NVMe target, that has a block device open for writing. */
struct opener {
	dev_t rdev;
	char who[64];
};

/* The whole disks and what tells them apart; gathered when it is first needed, since some drives
 * have to be asked. */
struct disk_fact {
	char name[SYSFS_NAME_MAX];
	struct drive_names names;
	uint64_t sectors; /* of 512 bytes; 0: unknown */
};

struct safety_disks {
	bool gathered;
	struct disk_fact *disk;
	size_t count;
};

struct safety_facts {
	struct sysroot root;
	struct safety_disks *disks;
	struct mount_space *spaces; /* our own first */
	size_t space_count;
	struct swap_area *swaps;
	size_t swap_count;
	struct loop_fact *loops;
	size_t loop_count;
	struct opener *openers;
	size_t opener_count;
	struct safety_use *unreadable; /* swap areas and loop devices that could not be read */
	size_t unreadable_count;
	struct safety_use *unseen; /* mount tables, which matter for block devices only */
	size_t unseen_count;
};

/* safety_facts_new - gather. 0 with whatever could be read; -ENOMEM. */
int safety_facts_new(const struct sysroot *root, struct safety_facts **ret, struct err *reterr);
void safety_facts_free(struct safety_facts *f);

/* safety_inspect_with - safety_inspect() from facts gathered before, for many devices in a row. */
int safety_inspect_with(const struct safety_facts *f, const struct target *t,
	struct safety_report *ret, struct err *reterr);

/* safety_use_add - append a reason to a list; one that is there already is not repeated. */
int safety_use_add(struct safety_use **list, size_t *count, const char *kind, const char *name,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* safety_twins - kernel names of the other disks that are the same drive as @disk, or could be
 * (names_compare()). Release @ret with sysfs_names_done(), also after a failure. */
int safety_twins(const struct safety_facts *f, const char *disk, struct sysfs_names *ret);
/* safety_has_twin - is there one of @t's disk? */
bool safety_has_twin(const struct safety_facts *f, const struct target *t);
/* safety_zfs_imported - is a file system of the ZFS pool @pool mounted? NULL: of any pool;
 * @ret_pool (may be NULL) gets the first one's source, which the mount table keeps. */
bool safety_zfs_imported(const struct safety_facts *f, const char *pool, const char **ret_pool);

int safety_opener_add(struct safety_facts *f, dev_t rdev, const char *who);

/* The parts of gathering and judging, one file each. */
int safety_spaces_gather(struct safety_facts *f); /* safety_spaces.c: mount tables, openers */
int safety_judge_block(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep); /* safety_block.c */
int safety_judge_file(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep); /* safety_file.c */
int safety_judge_drives(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep); /* safety_drive.c: reservations, other hosts */
int safety_judge_signatures(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep); /* safety_sig.c */
int safety_judge_captured(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep); /* safety_captured.c: the same of a capture */

/* -- signatures ------------------------------------------------------------------------------ */

struct sig;
/* safety_add_sig - one signature on @name: what --wipe-signatures may override, unless it is of the
 * @parent of the target or of a pool in use. */
int safety_add_sig(const struct safety_facts *f, struct safety_report *rep, const char *name,
	const struct sig *sig, bool parent);
/* safety_probe_spans - the signatures of @t's device and of its partitions in @fd, which begins
 * where the device does. Partitions whose place is not known are passed over in a capture. */
int safety_probe_spans(const struct safety_facts *f, const struct target *t, int fd,
	struct safety_report *rep, struct err *reterr);
/* safety_partition_span - where a partition lies on its disk, bytes. */
int safety_partition_span(const struct sysroot *root, const char *disk, const char *part,
	uint64_t *ret_offset, uint64_t *ret_size);
/* safety_open_node - opened for reading only, with @flags, and checked to be the device @rdev:
 * -ESTALE when it is another. */
int safety_open_node(const char *path, dev_t rdev, int flags);

#endif
