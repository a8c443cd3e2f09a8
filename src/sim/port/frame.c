/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "frame.h"

/* Frame sizes. Three cover nearly all frames: headers with a little data, packets, and bursts. */
#define SMALL  256u
#define PACKET 4608u
#define LARGE  (64u << 10)
#define SIZES  3u
#define KEEP   64u /* most free frames kept of each size */

struct frame_pool {
	struct frame *free[SIZES];
	unsigned int n[SIZES];
	unsigned int out;
	bool closed;
};

struct frame_pool *frame_pool_new(void)
{
	return calloc(1, sizeof(struct frame_pool));
}

static unsigned int size_class(size_t room)
{
	return room <= SMALL ? 0 : room <= PACKET ? 1 : 2;
}

static void pool_release(struct frame_pool *pool)
{
	if (pool->closed && !pool->out)
		free(pool);
}

void frame_pool_free(struct frame_pool *pool)
{
	struct frame *f;

	if (!pool)
		return;
	for (unsigned int c = 0; c < SIZES; c++)
		while ((f = pool->free[c])) {
			pool->free[c] = f->next;
			free(f);
		}
	pool->closed = true;
	pool_release(pool);
}

struct frame *frame_new(struct frame_pool *pool, size_t room)
{
	unsigned int c = size_class(room);
	static const size_t sizes[SIZES] = {SMALL, PACKET, LARGE};
	size_t size = room > LARGE ? room : sizes[c];
	struct frame *f = room <= LARGE ? pool->free[c] : NULL;

	if (f) {
		pool->free[c] = f->next;
		pool->n[c]--;
	} else {
		f = malloc(sizeof(*f) + size);
		if (!f)
			return NULL;
	}
	memset(f, 0, offsetof(struct frame, grh));
	f->pool = pool;
	f->room = (uint32_t)size;
	pool->out++;
	return f;
}

struct frame *frame_copy(const struct frame *from)
{
	struct frame *f = frame_new(from->pool, from->room);
	uint32_t room;

	if (!f)
		return NULL;
	room = f->room;
	memcpy(f, from, sizeof(*f) + from->len);
	f->next = NULL;
	f->room = room;
	return f;
}

void frame_free(struct frame *f)
{
	struct frame_pool *pool;
	unsigned int c;

	if (!f)
		return;
	pool = f->pool;
	c = size_class(f->room);
	pool->out--;
	if (pool->closed || f->room > LARGE || pool->n[c] >= KEEP) {
		free(f);
		pool_release(pool);
		return;
	}
	f->next = pool->free[c];
	pool->free[c] = f;
	pool->n[c]++;
}
