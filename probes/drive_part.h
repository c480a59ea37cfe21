/* drive_part.h - the parts of drive_identity(), one file each; of probes/drive*.c only. */
#ifndef SSDQUAL_PROBES_DRIVE_PART_H
#define SSDQUAL_PROBES_DRIVE_PART_H

#include "data/json.h"
#include "probes/drive.h"
#include "probes/wire.h"

/* drive_rotation.c: {claimed, reported, reported_by, rpm, measured}; the verdict follows with
 * drive_judge_rotation() once the identity is whole. */
struct json *drive_rotation_object(const struct sysroot *root, const char *sysname,
	const char *disk);
void drive_set_reported(struct json *rotational, enum fact fact, uint16_t rpm, const char *source);

/* drive_link.c: {speed, max_speed, width, max_width}: "6.0 Gb/s", "8.0 GT/s PCIe", lanes. NULL
 * where sysfs tells none of it. */
struct json *drive_link_object(const struct sysroot *root, const char *disk);

/* drive_stack.c: "below" and "below_complete" of a device made of others. */
int drive_set_below(const struct sysroot *root, const char *sysname, struct json *identity,
	struct err *reterr);

/* drive_cache.c: "write_cache", of wc_state_json(), with mismatch (one sentence, or null) and
 * dangerous. @io NULL: the drive is not asked, its side stays null. */
struct devio;
int drive_set_write_cache(const struct sysroot *root, const char *disk, struct devio *io,
	struct json *o, struct err *reterr);

#endif
