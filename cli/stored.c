/* stored.c - from a name to a stored result. */
#include "cli/stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/store.h"

char *stored_path(const char *name)
{
	char *folder, *path;
	int n;

	if (strcmp(name, "-") == 0 || strchr(name, '/') || access(name, F_OK) == 0 ||
		store_folder(&folder, NULL) < 0)
		return strdup(name);
	n = asprintf(&path, "%s/%s", folder, name);
	free(folder);
	if (n < 0)
		return NULL;
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return strdup(name); /* the message names what was asked for */
}

int stored_load(const char *name, struct result **ret, struct err *reterr)
{
	char *path = stored_path(name);
	int rc = path ? result_load(path, ret, reterr) : err_nomem(reterr);

	free(path);
	return rc;
}
