/* schema.h - checks a document against one of our JSON Schemas (draft 2020-12).
 *
 * A small validator of our own: Debian 12 has no C library for it. It knows the part of the
 * standard that data/schema uses, and a schema with any other keyword is refused as a whole: a
 * rule that is silently not checked is worse than none. tests/cli/validate.sh holds it against
 * python3-jsonschema.
 *
 * Known: $schema $id $comment $defs $ref (to "#" or "#/$defs/NAME") title description type
 * (name or list) enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength pattern
 * (POSIX extended syntax that means the same in ECMA 262) required properties
 * additionalProperties items prefixItems minItems maxItems anyOf oneOf allOf if then else.
 */
#ifndef SSDQUAL_DATA_SCHEMA_H
#define SSDQUAL_DATA_SCHEMA_H

#include "data/complaints.h"
#include "data/err.h"
#include "data/json.h"

struct schema; /* a schema, made ready for many documents */

/* schema_new - make @source ready, which must live as long. Returns 0; -EINVAL, ERR_INTERNAL when it
 * is not one of ours; -ENOMEM. Caller frees *ret. */
int schema_new(const struct json *source, struct schema **ret, struct err *reterr);
void schema_free(struct schema *s); /* NULL allowed */

/* schema_examine - add to @ret one complaint for each rule of @s that @doc breaks.
 * The place is a JSON Pointer (RFC 6901), or "the document" for its root.
 * Returns 0, also with complaints; -EINVAL, ERR_INTERNAL when a $ref leads in a circle; -ENOMEM. */
int schema_examine(const struct schema *s, const struct json *doc, struct complaints *ret,
	struct err *reterr);

/* schema_check - both, for one document. */
int schema_check(const struct json *source, const struct json *doc, struct complaints *ret,
	struct err *reterr);

#endif
