/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

/* The block that is being filled stays the first one. */
void arena_join(struct arena *a, struct arena **from)
{
	struct block **at = &a->block;

	while (*at)
		at = &(*at)->next;
	*at = (*from)->block;
	free(*from);
	*from = NULL;
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

/*
 * Makes the kernel take huge pages for a large array, which is touched with fewer faults then. All of
 * its mapping, since realloc() can't move a part of one.
 */
static void use_huge_pages(void *p, size_t bytes)
{
	uintptr_t from = (uintptr_t)p & ~4095ul;

	if (bytes >= 2ul << 20)
		madvise((void *)from, (uintptr_t)p + bytes - from, MADV_HUGEPAGE);
}

void *array_new(size_t n, size_t size)
{
	void *array = reallocarray(NULL, n + !n, size);

	if (array)
		use_huge_pages(array, n * size);
	return array;
}

void *array_new_zeroed(size_t n, size_t size)
{
	void *array = calloc(n + !n, size);

	if (array)
		use_huge_pages(array, n * size);
	return array;
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
	use_huge_pages(grown, more * size);
	*array = grown;
	*room = more;
	return true;
}
