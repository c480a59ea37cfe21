/* drive_cache.c - the write cache of an identity: the drive's side where asked, the kernel's. */
#include "probes/drive_part.h"

#include <string.h>

#include "probes/controller.h"
#include "probes/target.h"
#include "probes/writecache.h"

int drive_set_write_cache(const struct sysroot *root, const char *disk, struct devio *io,
	struct json *o, struct err *reterr)
{
	const char *transport = json_str(json_get(o, "transport"));
	struct wc_sys sys = { .root = root, .sysname = disk };
	struct wc_dev d = { .io = io, .kernel = &wc_kernel_sys, .kernel_ctx = &sys };
	const char *mismatch = NULL;
	bool dangerous = false;
	struct wc_state state;
	struct json *cache;
	int r;

	d.try_ata = transport && strcmp(transport, "usb") == 0;
	r = wc_read(&d, &state, reterr);
	if (r < 0)
		return r;
	cache = wc_state_json(&state);
	if (!io) {
		(void)json_set_null(cache, "why"); /* not_asked says it */
	} else if (controller_is_raid(o)) {
		/* What it answers is the controller's promise, not the drives' state. */
		(void)json_set_null(cache, "drive");
		(void)json_set_str(cache, "why",
			"the controller's cache: its tool knows and sets it");
	} else {
		mismatch = wc_mismatch(&state, &dangerous);
	}
	(void)json_set_str(cache, "mismatch", mismatch);
	(void)json_set_bool(cache, "dangerous", dangerous);
	return json_set(o, "write_cache", cache) < 0 ? err_nomem(reterr) : 0;
}
