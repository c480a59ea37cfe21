/* sim_guest.h - what one durable write of an application becomes on the block device.
 *
 * A guest's file system hands the device whole blocks: 8000 B are 8 KiB. A sync is then
 *   raw            write, flush: no file system between
 *   fs-overwrite   write, flush: blocks that were written before
 *   fs-append      the file grows, or an unwritten extent is converted, and the journal commits:
 *     ext4         write, journal write, flush, commit block, flush
 *     XFS          write, flush, log write, flush
 * ext4 (jbd2): the data are waited for, then the journal's descriptor and metadata blocks, then the
 * commit block goes with PREFLUSH and FUA. XFS: the log write carries PREFLUSH and FUA itself. A
 * virtual disk has no FUA: it becomes a flush behind the write.
 * Source: Linux fs/jbd2/commit.c, fs/xfs/xfs_log.c, block/blk-flush.c. Held against measured guests
 * (tests/measured/guest): without cache 2.5 b for XFS, 4 b for ext4, which includes the guest's own
 * time for each request. That time is a property of the hypervisor: SIM_GUEST_REQUEST_NS is of a
 * guest in software emulation, of which the measured ones are; with KVM it is tens of microseconds.
 */
#ifndef SSDQUAL_POLICIES_SIM_GUEST_H
#define SSDQUAL_POLICIES_SIM_GUEST_H

#include "data/workload.h"
#include "policies/sim.h"

enum sim_guest_fs { SIM_GUEST_EXT4, SIM_GUEST_XFS }; /* tells STACK_FS_APPEND apart */

/* Where the journal's writes go: much less than a guest's journal has, and more than is under way. */
#define SIM_GUEST_JOURNAL_BYTES (UINT64_C(32) << 20)

/* sim_guest_steps - the program of one sync of @writes >= 1 writes of @bytes. Returns the number of
 * steps, at most SIM_GUEST_STEPS_MAX. */
#define SIM_GUEST_STEPS_MAX 5u
unsigned sim_guest_steps(enum guest_stack stack, enum sim_guest_fs fs, uint32_t bytes,
	uint32_t writes, struct sim_step *ret);

#endif
