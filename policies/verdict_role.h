/* verdict_role.h - classes of durable writes, and the roles that are graded by them. */
#ifndef SSDQUAL_POLICIES_VERDICT_ROLE_H
#define SSDQUAL_POLICIES_VERDICT_ROLE_H

#include "policies/verdict.h"

/* verdict_class - "S" "A" "B" "C" "D" "F" by durable 4 KiB writes a second at depth 1
 * (THRESHOLD_CLASS_S and following). */
const char *verdict_class(double iops);

#endif
