/* hostinfo.h - the document's "host" section: what of this machine may have shaped the figures.
 *
 * Keys: kernel, cpu_model, cpus, governor, cstate_deepest {name, latency_ns}, memory_bytes,
 * numa {node, distance}, virtual_machine (its drives may be emulated). Unknown is null. No host
 * name, and nothing else that names the owner.
 */
#ifndef SSDQUAL_PROBES_HOSTINFO_H
#define SSDQUAL_PROBES_HOSTINFO_H

#include "data/err.h"
#include "data/json.h"

struct sysroot;

/* hostinfo_json - @sysname: kernel name of the device measured, for numa; may be NULL.
 * numa.distance is from the CPU we run on to the device's node (10 is local, ACPI SLIT).
 * 0; -ENOMEM. */
int hostinfo_json(const struct sysroot *root, const char *sysname, struct json **ret,
	struct err *reterr);

#endif
