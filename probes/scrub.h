/* scrub.h - identifiers replaced by pseudonyms: the same value by the same one, of the same length
 * and kind of characters, so that what parsed before parses afterwards.
 *
 * A pseudonym depends on a random key of the table: two tables do not agree, and a value cannot be
 * found by trying. Not thread-safe.
 */
#ifndef SSDQUAL_PROBES_SCRUB_H
#define SSDQUAL_PROBES_SCRUB_H

#include <stddef.h>
#include <stdint.h>

struct scrub;
struct scrub *scrub_new(void); /* NULL: no memory, no randomness */
void scrub_free(struct scrub *s);

/* scrub_add - @len bytes are an identifier. Blanks and NULs around it are not part of it; fewer
 * than three bytes are no identifier. Up to seven are found as whole words only. 0, -ENOMEM. */
int scrub_add(struct scrub *s, const void *bytes, size_t len);
/* scrub_add_binary - the same for a number: also found as hex digits of either case. */
int scrub_add_binary(struct scrub *s, const uint8_t *bytes, size_t len);

/* scrub_text - replace in place. scrub_bytes - the same in a device's answer: as text, as ATA text
 * (bytes of each word swapped), and numbers as bytes. Checksums are the caller's. */
void scrub_text(const struct scrub *s, void *text, size_t len);
void scrub_bytes(const struct scrub *s, uint8_t *buf, size_t len);

#endif
