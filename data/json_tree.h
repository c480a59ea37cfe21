/* json_tree.h - what a JSON value is, and the memory that a tree read from text stands in. For the
 * files that make up data/json.h and for what walks whole documents; everybody else uses json.h.
 *
 * A value is a cJSON node, and lists are linked as cJSON links them, so that its functions work on
 * every tree. The layout stands here again because a result has some 20,000 values: a call into a
 * library for each question about each costs more than everything else together. json.c, which
 * alone sees cJSON's header, has the compiler compare the two.
 *
 * A node is one of two kinds. Built ones (json_new_*()) are cJSON's own, allocated by it. Those of
 * a parsed or copied tree stand, with their texts, in the blocks of an arena that its root owns, so
 * that a document of 20,000 values costs a few allocations; no cJSON function may free them. The
 * kinds mix in one tree: json_free() tells them apart.
 */
#ifndef SSDQUAL_DATA_JSON_TREE_H
#define SSDQUAL_DATA_JSON_TREE_H

#include "data/json.h"

#include <string.h>

/* Bits of struct json's type. */
enum {
	NODE_FALSE = 1 << 0, /* one of these */
	NODE_TRUE = 1 << 1,
	NODE_NULL = 1 << 2,
	NODE_NUMBER = 1 << 3,
	NODE_STRING = 1 << 4,
	NODE_ARRAY = 1 << 5,
	NODE_OBJECT = 1 << 6,
	NODE_BOOL = NODE_FALSE | NODE_TRUE,
	NODE_PARENT = NODE_ARRAY | NODE_OBJECT,
	NODE_TYPE = 0xff,
	NODE_REFERENCE = 1 << 8,  /* its child or text is somebody else's */
	NODE_CONST_KEY = 1 << 9,  /* so is its key */
	NODE_IN_ARENA = 1 << 16,  /* ours, not cJSON's: node and text go with their arena */
	NODE_HAS_ARENA = 1 << 17, /* the node is a struct json_root */
};

/* cJSON's struct, field by field. */
struct json {
	struct json *next;
	struct json *prev;  /* of the first: the last one */
	struct json *child; /* the first one; NULL in an empty object or array, and in scalars */
	int type;
	char *valuestring;
	int valueint; /* a number's, cut to the range of an int; ours never look at it */
	double valuedouble;
	char *string; /* the key; NULL: an element of an array, or a root */
};

struct json_block;
struct json_arena {
	struct json_block *blocks;
	char *low, *high; /* what is free of the newest block: nodes from below, texts from above */
	size_t size;      /* of the next block */
};
struct json_root {
	struct json node;
	struct json_block *blocks;
};

/* json_arena_init - nothing is allocated yet. @expect: bytes that it will hold, a guess */
void json_arena_init(struct json_arena *a, size_t expect);

/* json_arena_root - the first node, of which everything else will hang. NULL: no memory.
 * json_arena_end - hand the blocks to @root, which json_arena_free() frees them with.
 * json_arena_drop - free them, with all nodes, when there is nothing to hand over. */
struct json *json_arena_root(struct json_arena *a, int type);
void json_arena_end(struct json_arena *a, struct json *root);
void json_arena_free(struct json *root);
void json_arena_drop(struct json_arena *a);

/* json_arena_node - a node of @type (NODE_*) without a value. json_arena_text - room for @bytes.
 * NULL: no memory. */
struct json *json_arena_node(struct json_arena *a, int type);
char *json_arena_text(struct json_arena *a, size_t bytes);

/* json_is - whether @j, which is no NULL, is of one of @types (NODE_*). */
static inline bool json_is(const struct json *j, int types)
{
	return j->type & types;
}

/* json_is_key - whether two keys are the same; most differ in their first character, and a call for
 * each of those is a tenth of the time of reading a result. */
static inline bool json_is_key(const char *a, const char *b)
{
	return a[0] == b[0] && strcmp(a, b) == 0;
}

/* json_attach - put @value, whose key is set, at the end of @parent, in constant time and without
 * looking for a member of its name. */
static inline void json_attach(struct json *parent, struct json *value)
{
	struct json *first = parent->child;

	if (!first) {
		parent->child = first = value;
	} else {
		value->prev = first->prev;
		first->prev->next = value;
	}
	first->prev = value;
}

#endif
