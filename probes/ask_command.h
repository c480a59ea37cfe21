/* ask_command.h - the output of another program, within a time and a size.
 *
 * For programs that only answer (`rbd status`): no shell, standard input is empty. The
 * program is ended, with all that it started, when its time is over.
 */
#ifndef SSDQUAL_PROBES_ASK_COMMAND_H
#define SSDQUAL_PROBES_ASK_COMMAND_H

#include "data/err.h"

#include <stddef.h>
#include <stdint.h>

#define ASK_COMMAND_MAX ((size_t)16 << 20)

/* ask_command - run @argv (NULL-terminated; argv[0] is looked up in PATH).
 * @ret: what it wrote on standard output, NUL-terminated; the caller frees.
 * 0; -ENOENT, ERR_UNSUPPORTED: there is no such program; -ETIMEDOUT, ERR_DEVICE; -EIO, ERR_DEVICE:
 * it ended with another status than 0, and what it said on standard error (the last line) is in
 * @reterr; -EFBIG; -ENOMEM. */
int ask_command(const char *const argv[], uint64_t timeout_ns, char **ret, size_t *ret_len,
	struct err *reterr);

#endif
