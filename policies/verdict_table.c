/* verdict_table.c - all verdicts, in display order. */
#include "policies/verdict.h"

extern const struct verdict_ops verdict_etcd;

const struct verdict_ops *const verdict_table[] = {
	&verdict_etcd,
	NULL,
};

int verdict_judge(const struct verdict_ops *ops, const struct result *r, struct verdict *ret)
{
	bool zeros = false;

	(void)json_bool(json_path(r->doc, "settings.zero_buffers"), &zeros);
	return zeros ? 1 : ops->judge(r, ret);
}
