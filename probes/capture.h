/* capture.h - what a bug report needs: the pieces of /sys, /proc and /dev that are read here, and
 * the raw answers of the drives, as a folder that --sysroot and --replay read.
 *
 * All is collected first, then scrubbed, then written: nothing goes to disk before every identifier
 * is known. Only read commands are sent. Host names are never collected; of mount tables, swap and
 * /proc/mdstat only the lines of the captured devices are.
 */
#ifndef SSDQUAL_PROBES_CAPTURE_H
#define SSDQUAL_PROBES_CAPTURE_H

#include "data/err.h"
#include "data/json.h"
#include "probes/devio.h"

struct sysroot;

struct capture_options {
	bool anonymize; /* serial numbers, WWNs, UUIDs, names become pseudonyms as long as they */
	bool head;      /* also the first 64 KiB of each drive: can hold data; not with anonymize */
	/* Opens a drive to be asked; a failure's message is written into the README. */
	int (*open_drive)(void *ctx, const char *sysname, struct devio *ret, struct err *reterr);
	void *ctx;
};

/* capture_write - capture the block device @sysname and whatever is above and below it into the
 * folder @dir, which is made, or empty.
 * @ret: {"directory", "devices": [names], "files": count, "not_asked": [{"name", "why"}]}.
 * ERR_USAGE, -ENOTEMPTY: @dir has something in it; -EINVAL: head and anonymize; ERR_DEVICE:
 * no such device, or @dir cannot be written. */
int capture_write(const struct sysroot *root, const char *sysname, const char *dir,
	const struct capture_options *o, struct json **ret, struct err *reterr);

#endif
