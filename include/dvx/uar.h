/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UAR_H
#define DVX_UAR_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * A doorbell register (UAR), and the page that it lies on. BlueFlame pages are write-combining:
 * dvx_sq_ring_bf() can write a whole WQE to them. Non-cached ones take only 8-byte doorbells.
 *
 * Each call returns another BlueFlame register, two of which may lie on one page; only one thread
 * may write to a BlueFlame register. All calls return the same non-cached register, and all threads
 * may write to it, since a doorbell is one store. All threads may also arm CQs.
 */
enum dvx_uar_type {
	DVX_UAR_ANY, /* BlueFlame if available, else non-cached */
	DVX_UAR_BF,
	DVX_UAR_NC,
};

int dvx_uar_alloc(struct dvx_dev *dev, enum dvx_uar_type type, struct dvx_uar **out);
/* Frees a register. -EBUSY while queues use it. */
int dvx_uar_free(struct dvx_uar *uar);
uint32_t dvx_uar_index(const struct dvx_uar *uar);
void *dvx_uar_reg(const struct dvx_uar *uar);  /* the send doorbell register */
void *dvx_uar_base(const struct dvx_uar *uar); /* the page: CQ arm registers */
/* Returns how many bytes a WQE may have for a BlueFlame write; 0: non-cached. */
uint32_t dvx_uar_bf_size(const struct dvx_uar *uar);

DVX_END_DECLS

#endif
