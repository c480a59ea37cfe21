/* json_keep.h - keys that this version does not know survive a read and a rewrite.
 *
 * A typed reader takes what it knows out of a document. What is left over is the difference
 * between the original and what we would write; it is kept beside the typed values and laid over
 * them again when they are written.
 */
#ifndef SSDQUAL_DATA_JSON_KEEP_H
#define SSDQUAL_DATA_JSON_KEEP_H

#include "data/json.h"

/* json_left_over - the members of @original that @known lacks, at any depth of objects, and of
 * objects in arrays where both arrays are as long. *ret: an object to be freed by the caller, or
 * NULL when nothing is left over. 0 or -ENOMEM. Both arguments are objects. */
int json_left_over(const struct json *original, const struct json *known, struct json **ret);

/* json_lay_over - add what json_left_over() found to @target, which keeps its own values. */
int json_lay_over(struct json *target, const struct json *left_over);

#endif
