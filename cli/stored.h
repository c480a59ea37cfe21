/* stored.h - naming stored results on the command line: a file, - for standard input, or a name
 * that `ssdqual show` lists. */
#ifndef SSDQUAL_CLI_STORED_H
#define SSDQUAL_CLI_STORED_H

#include "data/err.h"
#include "data/result.h"

/* stored_path - the file that @name means; a file of that name here comes first. Caller frees.
 * NULL: no memory. */
char *stored_path(const char *name);

/* stored_load - the result @name. 0 or -errno. */
int stored_load(const char *name, struct result **ret, struct err *reterr);

#endif
