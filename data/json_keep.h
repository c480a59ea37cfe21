/* json_keep.h - keys that this version does not know survive a read and a rewrite.
 *
 * A typed reader takes what it knows out of a document. What is left over are the members that its
 * table of keys does not name; they are kept beside the typed values and laid over them again when
 * these are written.
 */
#ifndef SSDQUAL_DATA_JSON_KEEP_H
#define SSDQUAL_DATA_JSON_KEEP_H

#include "data/json.h"

/* A key that its reader takes. Tables end with a NULL key. */
struct json_known {
	const char *key;
	/* The keys of the object that stands there, or of each object of the array. NULL: a scalar,
	 * an array of scalars, or an object that the reader keeps whole. */
	const struct json_known *below;
};

/* json_left_over - the members of the object @original that @known lacks, at any depth of objects,
 * and of objects in arrays (then an array as long, null where an element has none). *ret: an object
 * to be freed by the caller, or NULL when nothing is left over. 0 or -ENOMEM. */
int json_left_over(const struct json *original, const struct json_known *known, struct json **ret);

/* json_lay_over - add what json_left_over() found to @target, which keeps its own values. */
int json_lay_over(struct json *target, const struct json *left_over);

#endif
