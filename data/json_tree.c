/* json_tree.c - arenas of JSON nodes, and copies of trees in them. */
#include "data/json_tree.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN ((size_t)4 << 10)
#define BLOCK_MAX ((size_t)1 << 20)

struct json_block {
	struct json_block *next;
	_Alignas(struct json_root) char bytes[];
};

void json_arena_init(struct json_arena *a, size_t expect)
{
	*a = (struct json_arena){ .size = expect };
#ifdef __SANITIZE_ADDRESS__
	a->size = 0; /* a block for each node and text, so that reading past one is seen */
#endif
}

/* Room for @bytes in a new block, which is the one to fill from now on where more is left of it. */
static bool add_block(struct json_arena *a, size_t bytes)
{
	size_t size = bytes > a->size ? bytes : a->size;
	struct json_block *b = malloc(sizeof(*b) + size);

	if (!b)
		return false;
	b->next = a->blocks;
	a->blocks = b;
	a->low = b->bytes;
	a->high = b->bytes + size;
#ifndef __SANITIZE_ADDRESS__
	a->size = a->size < BLOCK_MIN ? BLOCK_MIN : a->size < BLOCK_MAX / 2 ? 2 * a->size : BLOCK_MAX;
#endif
	return true;
}

static void *take_low(struct json_arena *a, size_t bytes)
{
	void *at;

	if ((size_t)(a->high - a->low) < bytes && !add_block(a, bytes))
		return NULL;
	at = a->low;
	a->low += bytes;
	return at;
}

char *json_arena_text(struct json_arena *a, size_t bytes)
{
	if ((size_t)(a->high - a->low) < bytes && !add_block(a, bytes))
		return NULL;
	a->high -= bytes;
	return a->high;
}

/* Their keys are the arena's as well, until cJSON gives a root a key of its own. */
#define ARENA_NODE (NODE_IN_ARENA | NODE_CONST_KEY)

struct json *json_arena_node(struct json_arena *a, int type)
{
	struct json *j = take_low(a, sizeof(*j));

	if (j)
		*j = (struct json){ .type = type | ARENA_NODE };
	return j;
}

struct json *json_arena_root(struct json_arena *a, int type)
{
	struct json_root *root = take_low(a, sizeof(*root));

	if (!root)
		return NULL;
	*root = (struct json_root){ .node = { .type = type | ARENA_NODE } };
	return &root->node;
}

void json_arena_end(struct json_arena *a, struct json *root)
{
	((struct json_root *)root)->blocks = a->blocks;
	root->type |= NODE_HAS_ARENA;
}

static void free_blocks(struct json_block *b)
{
	while (b) {
		struct json_block *next = b->next;

		free(b);
		b = next;
	}
}

void json_arena_free(struct json *root)
{
	free_blocks(((struct json_root *)root)->blocks);
}

void json_arena_drop(struct json_arena *a)
{
	free_blocks(a->blocks);
}

/* -- copies ------------------------------------------------------------------------------------ */

static size_t bytes_of(const struct json *j)
{
	size_t bytes = sizeof(*j) + (j->string ? strlen(j->string) + 1 : 0);

	if (json_is(j, NODE_STRING))
		return bytes + strlen(j->valuestring) + 1;
	for (const struct json *c = j->child; c; c = c->next)
		bytes += bytes_of(c);
	return bytes;
}

static char *copy_text(struct json_arena *a, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = json_arena_text(a, bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

/* The value of @from, and all below it, to @to, a node of the same type. */
static bool copy_below(struct json_arena *a, struct json *to, const struct json *from)
{
	if (json_is(from, NODE_STRING)) {
		to->valuestring = copy_text(a, from->valuestring);
		return to->valuestring;
	}
	to->valueint = from->valueint;
	to->valuedouble = from->valuedouble;
	for (const struct json *c = from->child; c; c = c->next) {
		struct json *copy = json_arena_node(a, c->type & NODE_TYPE);

		if (!copy || (c->string && !(copy->string = copy_text(a, c->string))) ||
			!copy_below(a, copy, c))
			return false;
		json_attach(to, copy);
	}
	return true;
}

struct json *json_copy(const struct json *j)
{
	struct json_arena a;
	struct json *root;

	if (!j)
		return NULL;
	json_arena_init(&a, bytes_of(j) + sizeof(struct json_root));
	root = json_arena_root(&a, j->type & NODE_TYPE);
	if (!root || !copy_below(&a, root, j)) {
		json_arena_drop(&a);
		return NULL;
	}
	json_arena_end(&a, root);
	return root;
}
