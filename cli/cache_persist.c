/* cache_persist.c - the lines of policies/persist.h for a drive that was just asked. */
#include "cli/cache.h"

#include "policies/persist.h"

#include <string.h>

struct json *cache_persist(const struct cacheguard *g)
{
	const struct wc_state *s = cacheguard_state(g);
	const struct json *drive = cacheguard_drive(g);
	bool on = s->drive == WC_DRIVE_ON;
	struct persist_drive d = { .transport = json_str(json_get(drive, "transport")),
		.model = json_str(json_get(drive, "model")),
		.by_id = json_str(json_get(drive, "by_id")),
		.saved = s->saved == (on ? FACT_YES : FACT_NO) };
	struct json *lines = json_new_array();
	char text[PERSIST_TEXT_MAX], *line, *next = text;

	if (!lines || !cacheguard_can_toggle(g))
		return lines;
	if (d.saved && s->method == WC_BY_NVME) {
		(void)json_append(lines, json_new_str("# nothing is needed: the controller saves "
			"the setting")); /* memory is checked by whoever prints */
		return lines;
	}
	(void)persist_cache(&d, on, text, sizeof(text));
	while ((line = strsep(&next, "\n")))
		if (*line)
			(void)json_append(lines, json_new_str(line)); /* as above */
	return lines;
}
