/* sim_inputs.h - what was measured from a client without cache, taken apart into service times.
 *
 * A client without cache sees write = cold + b + 2c and flush = 2c. So c is half a flush, and b is
 * a write less its hops and less what the first operation after a pause costs in the client. A
 * write whose client stays awake (SIM_B_WRITE_AWAKE) is cheaper by the wake-up that one OSD
 * operation pays on an idle machine and does not pay on a busy one: the difference of a header
 * read after a pause and one back to back.
 */
#ifndef SSDQUAL_POLICIES_SIM_INPUTS_H
#define SSDQUAL_POLICIES_SIM_INPUTS_H

#include "policies/sim.h"

/* Tables may be unknown (sim_table.known) but for write. Latencies as a client sees them. */
struct sim_inputs {
	struct sim_table write;     /* 4 KiB or the load's size, no cache, the load's own pause */
	uint64_t write_pause_ns;    /* the pause before those writes */
	struct sim_table next;      /* the same without a pause before; unknown: as write */
	struct sim_table flush;     /* nothing to write */
	struct sim_table read;
	struct sim_table refresh;   /* R: the whole stall of an image refresh */
	unsigned refresh_reads;     /* k it was measured with; 0: the default */
	struct sim_table meta_write; /* a write right behind another operation: the commit of a
	                              * metadata change takes as long */
	double meta_idle_ns, meta_busy_ns; /* median header read after a pause, back to back; NAN:
	                            * the wake-up is taken as SIM_AWAKE_ASSUMED of a write */
	struct sim_table log4k, log12k, logread; /* the cache device */
};

/* sim_inputs_tables - @ret: [SIM_SERVICE_COUNT], every entry written. */
void sim_inputs_tables(const struct sim_inputs *in, struct sim_table *ret);

/* sim_inputs_pauses - take the pauses of the machine out of measured tables: the slowest
 * SIM_PAUSE_SHARE of each backend time. Returns struct sim_config.pauses, and fills
 * @t[SIM_T_PAUSE]. Not for stated latencies, whose spread is the backend's. */
double sim_inputs_pauses(struct sim_table *t);

#endif
