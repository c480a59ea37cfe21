/* resource.h - the JSON of data/, compiled in, and the files that add to it or override it.
 *
 * Kinds are the folders of data/: "workloads", "backends", "drives", "attributes", "schema". A
 * resource NAME of KIND is looked for in $XDG_CONFIG_HOME/ssdqual/KIND/NAME.json (or
 * ~/.config/...), then in /etc/ssdqual/KIND/NAME.json, then in the program. The program runs from
 * any folder.
 * The built-in table is made by data/embed.sh from the Makefile.
 */
#ifndef SSDQUAL_DATA_RESOURCE_H
#define SSDQUAL_DATA_RESOURCE_H

#include "data/err.h"
#include "data/json.h"

struct resource {
	const char *kind, *name;
	const char *text; /* not NUL-terminated */
	size_t len;
};
extern const struct resource resource_builtin[]; /* ends with kind == NULL; sorted */

/* resource_load - parse the resource that wins for @kind and @name.
 * @ret_origin: its path, or "built in" (caller frees; may be NULL).
 * Returns 0; -ENOENT with ERR_USAGE and the known names in the message; a file that exists but
 * cannot be parsed is an error (ERR_INPUT), not passed over. @name: [a-z0-9][a-z0-9._-]*. */
int resource_load(const char *kind, const char *name, struct json **ret, char **ret_origin,
	struct err *reterr);

/* resource_names - all names of @kind, sorted, each once; NULL-terminated array, one free() each
 * and one for the array (resource_names_free). */
int resource_names(const char *kind, char ***ret, struct err *reterr);
void resource_names_free(char **names);

#endif
