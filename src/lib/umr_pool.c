/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools of list mkeys, which work requests of one queue set and invalidate. */
#include "priv.h"

#define MAX_KEYS (1u << 16)

struct pool_key {
	struct dvx_mkey *mkey;
	uint32_t key; /* its present number */
	uint32_t end; /* the queue's pi after the invalidation */
	bool taken;
};

/*
 * `order` has the keys that are not taken, in the order in which they were given back. Their
 * invalidations complete in this order: if the first key is in flight, all are.
 */
struct dvx_umr_pool {
	struct dvx_sq *sq;
	uint32_t count, max_pieces;
	uint32_t first, waiting; /* begin and length of `order`, a ring of `count` */
	uint32_t *order;
	struct pool_key keys[]; /* by number */
};

static int pool_check(struct dvx_dev *dev, const struct dvx_umr_pool_attr *attr)
{
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_umr_pool_create: attr.pd is not of this device");
	if (!attr->sq)
		return dvx_fail(EINVAL, "dvx_umr_pool_create: attr.sq is NULL");
	if (!attr->keys || attr->keys > MAX_KEYS)
		return dvx_fail(EINVAL, "dvx_umr_pool_create: attr.keys is %u, not 1 to %u",
				attr->keys, MAX_KEYS);
	if (!attr->max_pieces ||
	    !dvx_sq_fits(attr->sq, DVX_UMR_DS + dvx_umr_room(attr->max_pieces)))
		return dvx_fail(EINVAL,
				"dvx_umr_pool_create: attr.max_pieces is %u, but a request of "
				"attr.sq holds 1 to %u",
				attr->max_pieces, (attr->sq->max_ds - DVX_UMR_DS) & ~3u);
	return 0;
}

static int pool_by_number(const void *a, const void *b)
{
	uint32_t x = ((const struct pool_key *)a)->key >> 8,
		 y = ((const struct pool_key *)b)->key >> 8;

	return x < y ? -1 : x > y;
}

/* Frees a pool with the mkeys that were made; keeps the thread's last error. */
static void pool_drop(struct dvx_umr_pool *pool)
{
	struct dvx_error why = *dvx_last_error();
	uint32_t i;

	for (i = 0; i < pool->count; i++)
		dvx_mkey_destroy(pool->keys[i].mkey);
	free(pool->order);
	free(pool);
	dvx_restore(&why);
}

static int pool_fill(struct dvx_umr_pool *pool, struct dvx_dev *dev, struct dvx_pd *pd)
{
	uint32_t i;
	int err;

	for (i = 0; i < pool->count; i++) {
		err = dvx_mkey_create_list(dev, pd, pool->max_pieces, &pool->keys[i].mkey);
		if (err)
			return err;
		pool->keys[i].key = dvx_mkey_key(pool->keys[i].mkey);
		pool->keys[i].end = pool->sq->ci;
		pool->order[i] = i;
	}
	qsort(pool->keys, pool->count, sizeof(pool->keys[0]), pool_by_number);
	pool->waiting = pool->count;
	return 0;
}

int dvx_umr_pool_create(struct dvx_dev *dev, const struct dvx_umr_pool_attr *user,
			struct dvx_umr_pool **out)
{
	struct dvx_umr_pool_attr attr;
	struct dvx_umr_pool *pool;
	int err = dvx_attr_copy(&attr, user, "dvx_umr_pool_create");

	if (!err)
		err = dvx_check_not_null("dvx_umr_pool_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = pool_check(dev, &attr);
	if (err)
		return err;
	pool = calloc(1, sizeof(*pool) + attr.keys * sizeof(pool->keys[0]));
	if (!pool || !(pool->order = calloc(attr.keys, sizeof(pool->order[0])))) {
		free(pool);
		return dvx_fail(ENOMEM, "no memory for a pool of %u keys", attr.keys);
	}
	pool->sq = attr.sq;
	pool->count = attr.keys;
	pool->max_pieces = attr.max_pieces;
	err = pool_fill(pool, dev, attr.pd);
	if (err)
		pool_drop(pool);
	else
		*out = pool;
	return err;
}

/*
 * Tells whether the key's invalidation is among the blocks that are posted and not retired. (If
 * 2^32 blocks were posted since, a free key may seem in flight, never the reverse.)
 */
static bool pool_in_flight(const struct dvx_umr_pool *pool, uint32_t at)
{
	const struct pool_key *k = &pool->keys[pool->order[(pool->first + at) % pool->count]];
	uint32_t pi = pool->sq->pi;

	return pi - k->end < pi - pool->sq->ci;
}

uint32_t dvx_umr_pool_free(const struct dvx_umr_pool *pool)
{
	uint32_t n = 0;

	while (n < pool->waiting && !pool_in_flight(pool, n))
		n++;
	return n;
}

int dvx_umr_pool_destroy(struct dvx_umr_pool *pool)
{
	uint32_t idle;

	if (!pool)
		return 0;
	idle = dvx_umr_pool_free(pool);
	if (idle != pool->count)
		return dvx_fail(EBUSY,
				"dvx_umr_pool_destroy: %u keys are taken, %u are in flight: give "
				"them back, and poll the queue",
				pool->count - pool->waiting, pool->waiting - idle);
	pool_drop(pool);
	return 0;
}

int dvx_umr_pool_take(struct dvx_umr_pool *pool, uint32_t access, const struct dvx_sge *pieces,
		      uint32_t n, uint64_t wr_id, uint32_t flags, uint32_t *key)
{
	struct pool_key *k;
	uint32_t next;
	int err;

	if (n > pool->max_pieces)
		return dvx_fail(EINVAL, "dvx_umr_pool_take: n is %u, the pool's keys hold %u", n,
				pool->max_pieces);
	if (!pool->waiting || pool_in_flight(pool, 0))
		return -ENOSPC;
	k = &pool->keys[pool->order[pool->first]];
	next = dvx_key_next(k->key);
	err = dvx_post_umr_renew(pool->sq, k->key, next, access, pieces, n, wr_id, flags);
	if (err)
		return err;
	pool->first = (pool->first + 1) % pool->count;
	pool->waiting--;
	k->taken = true;
	k->key = next;
	*key = next;
	return 0;
}

int dvx_umr_pool_give(struct dvx_umr_pool *pool, uint32_t key, uint64_t wr_id, uint32_t flags)
{
	const struct pool_key wanted = {.key = key};
	struct pool_key *k =
		bsearch(&wanted, pool->keys, pool->count, sizeof(pool->keys[0]), pool_by_number);
	int err;

	if (!k || k->key != key || !k->taken)
		return dvx_fail(EINVAL, "dvx_umr_pool_give: key 0x%x %s", key,
				!k		? "is none of this pool"
				: k->key != key ? "is an old number of a key"
						: "is not taken");
	err = dvx_post_local_inval(pool->sq, key, wr_id, flags);
	if (err)
		return err;
	k->taken = false;
	k->end = pool->sq->pi;
	pool->order[(pool->first + pool->waiting++) % pool->count] = (uint32_t)(k - pool->keys);
	return 0;
}
