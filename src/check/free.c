/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that ends: free(), realloc(), munmap(). */
#include "watch.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAPPED (64u << 10) /* malloc() may give blocks of this size back to the kernel */

extern void __libc_free(void *);
extern void *__libc_realloc(void *, size_t);

static _Thread_local bool watch_inside __attribute__((tls_model("initial-exec")));

static void watch_search_memory(void *at, size_t n, bool unmapped, const uintptr_t *frame)
{
	const struct watch_place here = watch_place_of(frame);
	const struct watch_search s = {.from = (uintptr_t)at,
				       .to = (uintptr_t)at + n,
				       .kind = unmapped ? CHECK_UNMAPPED : CHECK_FREED,
				       .place = &here};

	watch_search(&s);
	watch_mr_covers(s.from, s.to, unmapped || n >= MAPPED);
}

/* Memory of no region costs two comparisons. */
static void watch_memory_ends(void *at, size_t n, bool unmapped, const uintptr_t *frame)
{
	if (watch_inside || !n)
		return;
	watch_inside = true;
	if (watch_mr_covers((uintptr_t)at, (uintptr_t)at + n, false))
		watch_search_memory(at, n, unmapped, frame);
	watch_inside = false;
}

/* The allocator behind the preload. While it is looked for, libc's own. */
static void (*watch_free)(void *);
static void *(*watch_realloc)(void *, size_t);

static void watch_find_allocator(void)
{
	watch_free = __libc_free;
	watch_realloc = __libc_realloc;
	watch_free = WATCH_REAL(free);
	watch_realloc = WATCH_REAL(realloc);
}

WATCH_HOOK void free(void *at)
{
	if (!watch_free)
		watch_find_allocator();
	watch_memory_ends(at, at ? malloc_usable_size(at) : 0, false, __builtin_frame_address(0));
	watch_free(at);
}

WATCH_HOOK void *realloc(void *at, size_t n)
{
	const uintptr_t before = (uintptr_t)at;
	const size_t size = at ? malloc_usable_size(at) : 0;
	void *to;

	if (!watch_realloc)
		watch_find_allocator();
	to = watch_realloc(at, n);
	if (to && (uintptr_t)to != before)
		watch_memory_ends((void *)before, size, false, __builtin_frame_address(0));
	return to;
}

/* By another name in this source: dvx-sim's preload has a munmap(), too. */
WATCH_HOOK int watch_munmap(void *at, size_t n) __asm__("munmap");
int watch_munmap(void *at, size_t n)
{
	watch_memory_ends(at, n, true, __builtin_frame_address(0));
	watch_exact_unmap(at);
	return WATCH_REAL(munmap)(at, n);
}
