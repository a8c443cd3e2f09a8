/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MKEY_BYTES_H
#define SIM_OBJ_MKEY_BYTES_H

/* The access by an mkey that is made for each message, inlined. */
#include "device.h"
#include "mkey.h"
#include "queue.h"

/* Returns a count of all changes that may make a view wrong. Both counts only grow. */
static inline uint64_t mkey_changes_of(const struct device *dev)
{
	const struct host_changes *pages = (const void *)dev->host;

	return dev->mkey_changes + pages->changes;
}

/* Finds the bytes by the mkey itself, and notes it as the queue's view. */
uint8_t *mkey_find_bytes(struct queue *, enum mkey_use, uint32_t key, uint64_t va, uint64_t len,
			 unsigned int rights);

/*
 * Like mkey_piece(), for bytes that the device can access directly. Returns NULL for any other
 * access. now: mkey_changes_of() of the queue's device, which several accesses may share.
 */
static inline uint8_t *mkey_bytes_at(struct queue *q, enum mkey_use use, uint64_t now, uint32_t key,
				     uint64_t va, uint64_t len, unsigned int rights)
{
	const struct mkey_view *v = &q->view[use];
	const uint64_t off = va - v->start;

	if (v->key == key && v->changes == now && v->pdn == q->pdn &&
	    !(rights & ~(unsigned int)v->rights) && off < v->len && len - 1 < v->len - off)
		return v->at + off;
	return mkey_find_bytes(q, use, key, va, len, rights);
}
static inline uint8_t *mkey_bytes(struct queue *q, enum mkey_use use, uint32_t key, uint64_t va,
				  uint64_t len, unsigned int rights)
{
	return mkey_bytes_at(q, use, mkey_changes_of(q->o.vhca->dev), key, va, len, rights);
}

#endif
