/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_MEM_H
#define DVX_MEM_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Placement of memory: in a queue's attributes for its ring, and as the argument of dvx_mem_alloc()
 * for buffers. All zero: pages of the default policy.
 */
enum dvx_place_flags {
	DVX_PLACE_NODE = 1 << 0,     /* on NUMA node `node`, else the call fails */
	DVX_PLACE_HUGE = 1 << 1,     /* on hugepages of the default size, else -ENOMEM */
	DVX_PLACE_TRY_HUGE = 1 << 2, /* on hugepages if any are free */
};

struct dvx_place {
	uint32_t flags;
	int32_t node;
	/* The caller's own buffer (page aligned, large enough, outlives the ring); then no flag may
	 * be set. */
	void *buf;
	size_t buf_len;
};

struct dvx_mem;

/* Allocates zeroed, page aligned memory. place may be NULL. */
int dvx_mem_alloc(size_t len, const struct dvx_place *place, struct dvx_mem **out);
void dvx_mem_free(struct dvx_mem *mem);
void *dvx_mem_addr(const struct dvx_mem *mem);
size_t dvx_mem_len(const struct dvx_mem *mem); /* as mapped: rounded up to pages */
bool dvx_mem_huge(const struct dvx_mem *mem);

DVX_END_DECLS

#endif
