/* model_table.c - the models, in the order of display. */
#include "policies/model.h"

const struct model_ops *const model_table[] = {
	&model_none,
	&model_writethrough,
	&model_writeback,
	&model_writearound,
	&model_pwl_ssd,
	&model_pwl_rwl,
	NULL
};

const struct model_ops *model_of(enum cache_mode mode)
{
	for (size_t i = 0; model_table[i] != NULL; i++)
		if (model_table[i]->mode == mode)
			return model_table[i];
	return NULL;
}

const char *certainty_word(enum certainty c)
{
	static const char *const word[] = { "derived", "rough", "unsure" };

	return word[c];
}
