/* verdict_table.c - all verdicts, in display order: facts about the drive, then its roles. */
#include "policies/verdict.h"

#include <string.h>

extern const struct verdict_ops verdict_cache;
extern const struct verdict_ops verdict_rotational;
extern const struct verdict_ops verdict_plp;
extern const struct verdict_ops verdict_steady;
extern const struct verdict_ops verdict_endurance;
extern const struct verdict_ops verdict_osd_data;
extern const struct verdict_ops verdict_wal_db;
extern const struct verdict_ops verdict_pwl;
extern const struct verdict_ops verdict_etcd;
extern const struct verdict_ops verdict_mon;

const struct verdict_ops *const verdict_table[] = {
	&verdict_cache,
	&verdict_rotational,
	&verdict_plp,
	&verdict_steady,
	&verdict_endurance,
	&verdict_osd_data,
	&verdict_wal_db,
	&verdict_pwl,
	&verdict_etcd,
	&verdict_mon,
	NULL,
};

int verdict_judge(const struct verdict_ops *ops, const struct verdict_input *in,
	struct verdict *ret, struct notes *findings)
{
	const char *kind = verdict_target_word(in, "kind");

	/* An image is no drive: `advise` reads what was measured of its cluster. */
	if (kind && strcmp(kind, "rbd") == 0)
		return 1;
	for (size_t i = 0; i < in->count; i++) {
		bool zeros = false;

		(void)json_bool(json_path(in->results[i]->doc, "settings.zero_buffers"), &zeros);
		if (zeros)
			return 1;
	}
	return ops->judge(in, ret, findings);
}
