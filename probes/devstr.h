/* devstr.h - strings from devices, made fit for screens, logs and files.
 *
 * A device's model or serial number is untrusted input: it may hold escape sequences, broken UTF-8,
 * or marks that reverse the writing direction. Every decoder passes its strings through here.
 */
#ifndef SSDQUAL_PROBES_DEVSTR_H
#define SSDQUAL_PROBES_DEVSTR_H

#include <stddef.h>
#include <stdint.h>

/* devstr_clean - @len raw bytes to a NUL-terminated string of at most @size - 1 bytes.
 * Leading and trailing blanks and NULs go, inner NULs become blanks; C0 and C1 controls, DEL,
 * bytes that are no valid UTF-8, and format controls of writing direction become '?', one a byte.
 * The result is never longer than @len, so @size = @len + 1 always suffices; else it is cut at a
 * character. Returns @dst. */
char *devstr_clean(char *dst, size_t size, const uint8_t *src, size_t len);

/* devstr_clean_ata - the same for ATA strings: two characters a word, the first in the high byte.
 * @words: byte offset 0 of the field; @len: even, at most 80. */
char *devstr_clean_ata(char *dst, size_t size, const uint8_t *words, size_t len);

#endif
