/* wa_client.h - how many bytes a load says that it wrote, from what it printed.
 *
 * Known: fio's JSON (2.x and 3.x; several documents, text around them, client/server mode), fio's
 * text, `rbd bench`, `rados bench`. Whatever else is printed is passed over.
 */
#ifndef SSDQUAL_DATA_WA_CLIENT_H
#define SSDQUAL_DATA_WA_CLIENT_H

#include "data/wa.h"

#define WA_CLIENT_TEXT_MAX ((size_t)64 << 20)

/* wa_client_parse - find the bytes written in @text. @ret: the reading, with the source and the
 * step: of fio's JSON, rbd bench and rados bench none (exact), of fio's text a unit of the last
 * digit printed. Several answers of one kind are added. -ENODATA, ERR_INPUT: none is in it, and
 * what would be. */
int wa_client_parse(const char *text, size_t len, struct wa_reading *ret, struct err *reterr);

#endif
