/* rbd_input.h - what a text is that was given as the output of `rbd` or of a perf dump.
 *
 * People paste the table that `rbd` prints for them, or the right document under the wrong option.
 * Neither is half-read: it is named, with the command that makes what is needed.
 * Pure; any bytes are allowed.
 */
#ifndef SSDQUAL_POLICIES_RBD_INPUT_H
#define SSDQUAL_POLICIES_RBD_INPUT_H

#include "data/err.h"
#include "data/json.h"

enum rbd_input { RBD_INPUT_CONFIG, RBD_INPUT_STATUS, RBD_INPUT_INFO, RBD_INPUT_PERF,
	RBD_INPUT_OTHER };

/* rbd_input_command - the command that makes the document of this kind, as people type it. */
const char *rbd_input_command(enum rbd_input kind);
/* rbd_input_option - the option that takes it: "--image-config". */
const char *rbd_input_option(enum rbd_input kind);

/* rbd_input_of_text - the table, listing or XML that `rbd` prints without --format json, known by
 * its first @len bytes. RBD_INPUT_OTHER: none of them. */
enum rbd_input rbd_input_of_text(const char *text, size_t len);
/* rbd_input_of_json - the kind of a document, by its keys. */
enum rbd_input rbd_input_of_json(const struct json *doc);

/* rbd_input_expect - refuse a document of another kind than @want, naming what it is.
 * -EBADMSG, ERR_INPUT. A document of no known kind passes: its parser says what is missing. */
int rbd_input_expect(const struct json *doc, enum rbd_input want, const char *file,
	struct err *reterr);
/* rbd_input_refuse_text - the message for a text that is no JSON. Returns -EBADMSG, ERR_INPUT where
 * @text is one of the tables; 0, with nothing said, where it is not. */
int rbd_input_refuse_text(const char *text, size_t len, enum rbd_input want, const char *file,
	struct err *reterr);

#endif
