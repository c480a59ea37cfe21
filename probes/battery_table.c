/* battery_table.c - the batteries, in the order in which they are shown. */
#include "probes/battery.h"

extern const struct battery battery_ceph;
extern const struct battery battery_etcd;
extern const struct battery battery_sync_size;
extern const struct battery battery_pwl;
extern const struct battery battery_rotation;
extern const struct battery battery_quick;

const struct battery *const battery_table[] = {
	&battery_ceph,
	&battery_etcd,
	&battery_sync_size,
	&battery_pwl,
	&battery_rotation,
	&battery_quick,
	NULL,
};
