/* import_twin.h - one drive that was read over several access paths is one result.
 *
 * smartctl sees a drive behind a MegaRAID controller as /dev/sdb and as -d megaraid,0. Results of
 * health alone (no measurement), of the same drive (identity.h: equal model and serial) and of
 * different paths (target.aliases) become one: the first keeps its place and gets the aliases of
 * the others, and their reading where theirs is newer. Readings over one path are a history and
 * stay.
 */
#ifndef SSDQUAL_DATA_IMPORT_TWIN_H
#define SSDQUAL_DATA_IMPORT_TWIN_H

#include "data/import.h"

/* import_is_twin - may @b be merged into @a? */
bool import_is_twin(const struct result *a, const struct result *b);
/* import_join - @b into @a; @b stays the caller's to free. 0 or -ENOMEM. */
int import_join(struct result *a, const struct result *b);

#endif
