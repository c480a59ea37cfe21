/* sim_guest.c - one sync of the guest as writes and flushes. */
#include "policies/sim_guest.h"

#define BLOCK 4096u
/* Descriptor block and the blocks of the inode and its extents: jbd2 logs whole blocks. */
#define JBD2_BLOCKS 3u

unsigned sim_guest_steps(enum guest_stack stack, enum sim_guest_fs fs, uint32_t bytes,
	uint32_t writes, struct sim_step *ret)
{
	uint32_t whole = (bytes + BLOCK - 1) / BLOCK * BLOCK;
	unsigned n = 0;

	ret[n++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .count = writes,
		.bytes = stack == STACK_RAW ? bytes : whole };
	if (stack == STACK_FS_APPEND && fs == SIM_GUEST_EXT4)
		ret[n++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .journal = true,
			.bytes = JBD2_BLOCKS * BLOCK };
	ret[n++] = (struct sim_step){ .kind = SIM_STEP_FLUSH };
	if (stack == STACK_FS_APPEND) {
		ret[n++] = (struct sim_step){ .kind = SIM_STEP_WRITE, .journal = true,
			.bytes = BLOCK };
		ret[n++] = (struct sim_step){ .kind = SIM_STEP_FLUSH };
	}
	return n;
}
