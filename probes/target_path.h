/* target_path.h - folders and files as targets: which file system they are on, and is it a disk?
 *
 * Used by target.c only. Decided by the file system's type, never by whether O_DIRECT works: an
 * overlay or a RAM disk that accepts O_DIRECT is still no drive.
 */
#ifndef SSDQUAL_PROBES_TARGET_PATH_H
#define SSDQUAL_PROBES_TARGET_PATH_H

#include "probes/target.h"

/* target_path_describe - fill fs_type, fs_source, size_bytes (folders), read_only and identity of
 * @t, whose kind and path are set. Errors as target_resolve() says. */
int target_path_describe(const struct sysroot *root, struct target *t, struct err *reterr);

#endif
