/* drive_stack.c - the drives below a device that is made of others. */
#include "probes/drive_part.h"

#include <errno.h>
#include <string.h>

#include "probes/stack.h"

/* What a reader needs to know of a drive below; the whole identity is in the drive's own row. */
static struct json *short_identity(const struct json *identity)
{
	static const char *const keys[] = { "path", "by_id", "model", "serial", "wwn", "transport",
		"layer", "rotational", "write_cache", "controller", NULL };
	struct json *o = json_new_object();

	for (size_t i = 0; keys[i]; i++) {
		const struct json *value = json_get(identity, keys[i]);

		(void)json_set(o, keys[i], value ? json_copy(value) : json_new_null());
	}
	return o;
}

int drive_set_below(const struct sysroot *root, const char *sysname, struct json *identity,
	struct err *reterr)
{
	struct json *below = json_new_array();
	struct sysfs_names drives;
	bool whole;
	int r = stack_below(root, sysname, &drives, &whole, reterr);

	if (r == -ELOOP) { /* of who it is nothing is lost; safety refuses on its own account */
		json_free(below);
		(void)json_set_bool(identity, "below_complete", false);
		return json_set_null(identity, "below") < 0 ? err_nomem(reterr) : 0;
	}
	if (r < 0) {
		json_free(below);
		return r;
	}
	for (size_t i = 0; i < drives.count && r == 0; i++) {
		struct json *drive = NULL;

		if (strcmp(drives.name[i], sysname) == 0)
			continue;
		r = drive_identity(root, drives.name[i], &drive, reterr);
		if (r == 0 && json_append(below, short_identity(drive)) < 0)
			r = err_nomem(reterr);
		json_free(drive);
	}
	sysfs_names_done(&drives);
	if (r < 0) {
		json_free(below);
		return r;
	}
	(void)json_set_bool(identity, "below_complete", whole);
	return json_set(identity, "below", below) < 0 ? err_nomem(reterr) : 0;
}
