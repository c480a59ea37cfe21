/* engine_table.c - every engine there is. */
#include "probes/engine.h"

#include <string.h>

const struct engine_ops *const engine_table[] = {
	&engine_aio,
	&engine_sync,
	&engine_null,
	&engine_rbd,
	NULL,
};

const struct engine_ops *engine_find(const char *name)
{
	for (size_t i = 0; name && engine_table[i]; i++) {
		if (strcmp(engine_table[i]->name, name) == 0)
			return engine_table[i];
	}
	return NULL;
}
