/* sim_guest.c - one sync of the guest as writes and flushes. */
#include "policies/sim_guest.h"

#define BLOCK 4096u
/* Descriptor block and the block of the inode, which holds its extents: jbd2 logs whole blocks. */
#define JBD2_BLOCKS 2u
/* XFS logs sectors of 512 B: one of a record's header, one of what changed in the inode. */
#define XFS_LOG_BYTES 1024u

/* touched - bytes of the blocks that a write of @bytes falls on, as most do of those that follow
 * one another without a gap: they begin at any multiple of their alignment in a block. */
static uint32_t touched(uint32_t bytes)
{
	uint32_t align = bytes & (~bytes + 1);

	if (align > BLOCK)
		align = BLOCK;
	return ((bytes - align + BLOCK / 2) / BLOCK + 1) * BLOCK;
}

unsigned sim_guest_steps(enum guest_stack stack, enum sim_guest_fs fs, uint32_t bytes,
	uint32_t writes, struct sim_step *ret)
{
	bool append = stack == STACK_FS_APPEND;
	unsigned n = 0;

	ret[n++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .count = writes,
		.bytes = stack == STACK_RAW ? bytes : touched(bytes) };
	if (append && fs == SIM_GUEST_EXT4)
		ret[n++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .journal = true,
			.bytes = JBD2_BLOCKS * BLOCK };
	ret[n++] = (struct sim_step){ .kind = SIM_STEP_FLUSH };
	if (append) {
		ret[n++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .journal = true,
			.bytes = fs == SIM_GUEST_EXT4 ? BLOCK : XFS_LOG_BYTES };
		ret[n++] = (struct sim_step){ .kind = SIM_STEP_FLUSH };
	}
	return n;
}
