/* sim_guest.h - what one durable write of an application becomes on the block device.
 *
 * A file system writes whole blocks: 8000 B that begin where the last 8000 ended fall on three
 * (12 KiB, 15 times of 16) or two; the first of them was written before. A sync is then
 *   raw            write, flush: no file system between
 *   fs-overwrite   write, flush: blocks that were written before
 *   fs-append      the file grows, or an unwritten extent is converted, and the journal commits:
 *     ext4         write, journal write 8 KiB, flush, commit block 4 KiB, flush
 *     XFS          write, flush, log write 1 KiB, flush
 * One request at a time: each is waited for. ext4 (jbd2): the data, then descriptor and inode
 * block, then the commit block with PREFLUSH and FUA. XFS: the log write carries PREFLUSH and FUA
 * itself. A virtual disk has no FUA: it becomes a flush behind the write. Left out
 * (docs/simulator-pwl.md): a request every few seconds between syncs; XFS hands out the block
 * written before and the unwritten ones as two writes at once, which merge or not; ext4 journals
 * 16 KiB where a file grows by blocks that were not allocated.
 * Measured: Linux 6.1.192 (Debian 6.1.0-57) under QEMU 7.2.22, software emulation, virtio-blk;
 * mkfs.xfs 6.1.0, mke2fs 1.47.0, defaults on 1 GiB, 512 B sectors; requests as QEMU sent them to a
 * block device that delayed writes by 2.5 or 0.08 ms. Why: fs/jbd2/commit.c, fs/xfs/xfs_log.c,
 * block/blk-flush.c.
 * Held against measured guests (tests/measured/guest): without cache 2.5 b for XFS, 4 b for ext4,
 * which includes the guest's own time for each request. That time is a property of the hypervisor:
 * SIM_GUEST_REQUEST_NS is of a guest in software emulation, of which the measured ones are; with
 * KVM it is tens of microseconds.
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
