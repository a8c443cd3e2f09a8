/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UMR_POOL_H
#define DVX_UMR_POOL_H

/*
 * A pool of list mkeys (umr.h), for programs that need one per message. A message takes a key for
 * its pieces and gives it back; both are work requests on one queue, and the program need not wait
 * for either.
 *
 *	dvx_umr_pool_take(pool, DVX_REMOTE_READ, pieces, n, cookie, 0, &key);
 *	... send key to the peer, and wait until it has read ...
 *	dvx_umr_pool_give(pool, key, cookie, 0);
 *
 * A key is free, taken, or in flight: given back, but no poll of the queue has retired its
 * invalidation yet. Taking returns the free key that was given back first. Its low byte changes
 * each time, so that uses of an old key fail.
 */
#include <dvx/umr.h>

DVX_BEGIN_DECLS

struct dvx_umr_pool;

struct dvx_umr_pool_attr {
	uint32_t size;
	uint32_t keys;	     /* 1 to 65536 */
	uint32_t max_pieces; /* of each */
	uint32_t reserved;
	struct dvx_pd *pd;
	struct dvx_sq *sq; /* of a queue of pd; it outlives the pool */
};

int dvx_umr_pool_create(struct dvx_dev *dev, const struct dvx_umr_pool_attr *attr,
			struct dvx_umr_pool **out);
/* Destroys a pool with its mkeys. -EBUSY while a key is taken or in flight. */
int dvx_umr_pool_destroy(struct dvx_umr_pool *pool);

/*
 * Takes a key and posts the request that makes it these pieces (dvx_post_umr_list()). -ENOSPC: no
 * key is free, or the ring is full; a poll can free both.
 */
int dvx_umr_pool_take(struct dvx_umr_pool *pool, uint32_t access, const struct dvx_sge *pieces,
		      uint32_t n, uint64_t wr_id, uint32_t flags, uint32_t *key);
/*
 * Gives a key back: posts its invalidation (dvx_post_local_inval()). All requests that use the key
 * must be complete. -EINVAL: the key is not taken; -ENOSPC: the ring is full, the key stays taken.
 */
int dvx_umr_pool_give(struct dvx_umr_pool *pool, uint32_t key, uint64_t wr_id, uint32_t flags);

/* Returns how many keys are free. */
uint32_t dvx_umr_pool_free(const struct dvx_umr_pool *pool);

DVX_END_DECLS

#endif
