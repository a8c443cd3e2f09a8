/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* The first block is small: each added rule has an arena of its own. */
#define BLOCK_FIRST 1024ul
#define BLOCK_BYTES (64ul << 10)

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) unsigned char bytes[];
};

struct arena {
	struct block *block;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	struct block *next;

	for (struct block *b = a ? a->block : NULL; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

static struct block *add_block(struct arena *a, size_t bytes)
{
	size_t next = a->block ? a->block->size * 2 : BLOCK_FIRST;
	size_t size = next < BLOCK_BYTES ? next : BLOCK_BYTES;
	struct block *b;

	size = bytes > size ? bytes : size;
	b = calloc(1, sizeof(*b) + size);
	if (!b)
		return NULL;
	b->size = size;
	b->next = a->block;
	a->block = b;
	return b;
}

void *arena_get(struct arena *a, size_t bytes)
{
	struct block *b = a->block;
	void *p;

	bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!b || b->size - b->used < bytes)
		b = add_block(a, bytes);
	if (!b)
		return NULL;
	p = b->bytes + b->used;
	b->used += bytes;
	return p;
}

char *arena_text(struct arena *a, const char *bytes, size_t n)
{
	char *p = arena_get(a, n + 1);

	return p ? memcpy(p, bytes, n) : NULL;
}

bool array_grow(void **array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 8;
	void *grown;

	if (n < *room)
		return true;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}
