/* stack.h - what a block device is made of, and which drives lie below it.
 *
 * Read from sysfs alone (names, slaves, dm/uuid, loop/backing_file), so it works below a sysroot
 * and without privileges.
 */
#ifndef SSDQUAL_PROBES_STACK_H
#define SSDQUAL_PROBES_STACK_H

#include "probes/sysfs.h"

#include "data/err.h"

/* stack_layer - one word for the kind of device: "disk" (hardware, as far as can be seen),
 * "partition"; made of other devices: "lvm" "crypt" "mpath" "dm" "md" "bcache" "drbd"; of a file or
 * of memory: "loop" "zram" "ram"; somebody else's: "nbd" "rbd" (network), "zvol" "ublk", "virtual"
 * (a hypervisor's disk). Static storage; never NULL. */
const char *stack_layer(const struct sysroot *root, const char *sysname);

/* stack_is_volume - no drive of its own and none below that could be found by slaves: what it does
 * says nothing about a medium. */
bool stack_is_volume(const char *layer);

/* stack_below - kernel names of the whole disks ("disk" and "virtual") below @sysname, through
 * partitions, dm, md, bcache and loop devices set up on devices. A disk is below itself.
 * @ret_whole: false when the walk ended at something whose medium is not known (a file, memory, a
 * network). -ELOOP, -ENOMEM.
 * Release with sysfs_names_done(). */
int stack_below(const struct sysroot *root, const char *sysname, struct sysfs_names *ret,
	bool *ret_whole, struct err *reterr);

#endif
