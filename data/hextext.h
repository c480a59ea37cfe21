/* hextext.h - raw buffers as text: captured device answers, test inputs, bug reports.
 *
 * Pairs of hex digits, parted by white space or not at all ("00 22", "0022"); `#` starts a comment
 * that runs to the end of the line. Nothing else is allowed: no offsets, no "0x", no ASCII column.
 * An empty buffer (comments only) is valid: a device may answer nothing.
 */
#ifndef SSDQUAL_DATA_HEXTEXT_H
#define SSDQUAL_DATA_HEXTEXT_H

#include "data/err.h"

#include <stdint.h>
#include <stdio.h>

#define HEXTEXT_FILE_MAX ((size_t)4 << 20) /* of text; the largest log page is far below */

/* hextext_parse - bytes of @len characters of @text; @name is for messages (a file's path).
 * @ret: on the heap, caller frees, never NULL on success (also for 0 bytes).
 * -EBADMSG, ERR_INPUT and "NAME:LINE:COLUMN:" (both from 1) for anything that is no hex pair. */
int hextext_parse(const char *text, size_t len, const char *name, uint8_t **ret, size_t *ret_len,
	struct err *reterr);

/* hextext_load - the same from the regular file @path. All failures are ERR_INPUT: -ENOENT and
 * other errors of open(2), -EINVAL for folders, FIFOs and devices, -EFBIG above HEXTEXT_FILE_MAX */
int hextext_load(const char *path, uint8_t **ret, size_t *ret_len, struct err *reterr);

/* hextext_write - @len bytes as lines of 16, after "# @comment" (one line; NULL: none).
 * 0, or -EIO when the stream failed. hextext_parse() reads it back. */
int hextext_write(FILE *f, const uint8_t *buf, size_t len, const char *comment);

#endif
