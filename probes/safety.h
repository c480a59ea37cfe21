/* safety.h - may this target be written? Decided before anything is opened for writing.
 *
 * Evidence is gathered without opening the device for writing: mount tables of every mount
 * namespace that can be read, swap, holders, partitions, parents, loop backing files, other paths
 * to the drive, signatures, reservations. Anything that cannot be read and could hide a user counts
 * as in use (fail closed). docs/safety.md says what is looked at and what cannot be seen.
 */
#ifndef SSDQUAL_PROBES_SAFETY_H
#define SSDQUAL_PROBES_SAFETY_H

#include "probes/target.h"

/* One reason why a target is protected. @kind: "mount" "swap" "holder" "lvm" "md" "loop" "process"
 * "signature" "reservation" "read-only" "unreadable" "shared" "identity"; @name: who ("sda2");
 * @detail: "mounted on /". */
struct safety_use {
	char kind[24];
	char name[256];
	char detail[512];
};

struct safety_report {
	struct safety_use *uses; /* reasons that nothing overrides */
	size_t use_count;
	struct safety_use *signatures; /* on the device and its partitions; --wipe-signatures */
	size_t signature_count;
	struct safety_use *shared; /* other hosts can reach it; --shared-lun */
	size_t shared_count;
	struct safety_use *notes; /* what could not be told; refuses nothing */
	size_t note_count;
};

struct safety_consent {
	bool destroy_data;      /* --destroy-data */
	bool wipe_signatures;   /* --wipe-signatures */
	const char *confirm;    /* --confirm TOKEN; NULL: none given */
	bool shared_lun;        /* --shared-lun */
};

/* safety_inspect - gather the reasons. 0 also when there are some; -errno only for bugs, memory. */
int safety_inspect(const struct sysroot *root, const struct target *t, struct safety_report *ret,
	struct err *reterr);
void safety_report_done(struct safety_report *r);

/* safety_to_json - the reasons, signatures included, as [{kind, name, detail}] ("in_use" of a
 * drive). NULL: no memory. */
struct json *safety_to_json(const struct safety_report *r);

/* safety_token - what --confirm must say for @t: the serial ("SERIAL-part2" of a partition, so that
 * it cannot be another one), the by-id name where there is none or another drive has the same, the
 * path for a file or a device with neither. Borrowed from @t. */
const char *safety_token(const struct target *t);

/* safety_decide - 0: may be written. Else ERR_REFUSED, -EPERM, the first reason in the message and
 * how many more there are. Directories are always allowed (a scratch file is made inside). */
int safety_decide(const struct target *t, const struct safety_report *r,
	const struct safety_consent *c, struct err *reterr);

/* safety_wipe_signatures - erase what safety_inspect() found on @t, through @fd (O_EXCL held).
 * Only after safety_decide() said yes. */
int safety_wipe_signatures(const struct target *t, int fd, struct err *reterr);

#endif
