/* json_tree.h - how json_parse.c puts a tree together; for everybody else json.h has the setters,
 * which copy their strings and look for a member of that name first.
 */
#ifndef SSDQUAL_DATA_JSON_TREE_H
#define SSDQUAL_DATA_JSON_TREE_H

#include "data/json.h"

/* json_new_taken - a string of @text, which was allocated with malloc() and is taken, also on
 * failure. NULL: no memory, or no @text. */
struct json *json_new_taken(char *text);

/* json_attach - put @value at the end of the object or array @parent, in constant time.
 * @key: allocated with malloc(), taken, not there yet; NULL in an array */
void json_attach(struct json *parent, char *key, struct json *value);

#endif
