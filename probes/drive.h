/* drive.h - which drives there are, and what sysfs tells about one without opening it.
 *
 * What sysfs does not tell is null. Strings are the device's, cleaned by devstr_clean(). Works
 * below a sysroot, and for users without privileges.
 */
#ifndef SSDQUAL_PROBES_DRIVE_H
#define SSDQUAL_PROBES_DRIVE_H

#include "data/err.h"
#include "data/json.h"
#include "probes/sysfs.h"

/* drive_scan - kernel names of the whole disks. Without @all: hardware and virtual disks of a
 * hypervisor, not loop, zram, ram, nbd, rbd, dm, md, device-mapper and the like, and one of the
 * paths of a multipath device only. With @all: those, too, where they have a size.
 * Release @ret with sysfs_names_done(). */
int drive_scan(const struct sysroot *root, bool all, struct sysfs_names *ret, struct err *reterr);

/* drive_paths - kernel names of all paths to the drive @disk, its own first: whole disks with the
 * same world wide name, below the same multipath device, or (nvme0c1n1) hidden paths of a namespace
 * that the kernel multipaths. -ENOMEM. Release with sysfs_names_done(). */
int drive_paths(const struct sysroot *root, const char *disk, struct sysfs_names *ret,
	struct err *reterr);

/* drive_identity - the document's "target" object for the block device @sysname: path, by_id,
 * model, serial, firmware, wwn, transport, capacity_bytes, logical_block_bytes,
 * physical_block_bytes, sector_format ("512n" "512e" "4Kn"), rotational {claimed, reported,
 * reported_by, rpm, measured, verdict, why}, write_cache (of wc_state_json(), with mismatch and
 * dangerous), scheduler, nr_requests, read_only, partition, diskseq, layer (see stack_layer()),
 * below[] (the drives below, null of a disk) and below_complete, controller (see controller.h),
 * link {speed, max_speed, width, max_width}, not_asked (why the drive itself was not asked; null
 * once it was), in_use (null: not looked at). A partition has its disk's identity, and path, by_id,
 * capacity of its own. */
int drive_identity(const struct sysroot *root, const char *sysname, struct json **ret,
	struct err *reterr);

/* drive_judge_rotation - rotational.verdict and .why from what the rest of @identity says: volumes,
 * drives below, controller, reported, claimed, in this order. To be called again when one of them
 * has changed. */
void drive_judge_rotation(struct json *identity);

/* drive_ask - complete @identity, of drive_identity(), with the answers of the disk at @io. What
 * the drive says of itself replaces what the kernel kept: model (sysfs cuts it at 16 characters),
 * serial, firmware; wwn where sysfs has none; link (SATA), rotational.reported, write_cache, and of
 * NVMe `nvme` {nguid, eui64, formats[], format_in_use, vwc, namespaces, shared,
 * critical_warnings[], ...}. Where the
 * serial changes, `serial_kernel` keeps the kernel's. What the drive refuses is left as it was;
 * nothing about it is an error.
 * @disk: whole disk. Drives behind a RAID controller are not sent ATA commands. 0 or -ENOMEM. */
struct devio;
int drive_ask(const struct sysroot *root, const char *disk, struct devio *io,
	struct json *identity, struct err *reterr);

/* drive_transport - "sata" "sas" "nvme" "nvme-tcp" "usb" "virtio" "fc" "iscsi" "loop" ..., NULL
 * when sysfs does not say. @disk: a whole disk's kernel name. Static storage or @buf. */
const char *drive_transport(const struct sysroot *root, const char *disk, char *buf, size_t len);

/* drive_wwn - the world wide name ("naa.5...", "eui.0..."); its length, 0 when unknown. */
int drive_wwn(const struct sysroot *root, const char *disk, char *buf, size_t len);

/* drive_serial - the serial number that sysfs has; its length, 0 when it has none. */
int drive_serial(const struct sysroot *root, const char *disk, char *buf, size_t len);

/* drive_by_id - the most telling name in /dev/disk/by-id that points to @sysname. -ENOENT. */
int drive_by_id(const struct sysroot *root, const char *sysname, char *buf, size_t len);

/* drive_clean_string - devstr_clean() in place, of a string of at most 512 bytes. */
void drive_clean_string(char *s);

#endif
