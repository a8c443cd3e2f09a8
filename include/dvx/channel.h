/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CHANNEL_H
#define DVX_CHANNEL_H

#include <dvx/cq.h>

DVX_BEGIN_DECLS

struct ibv_comp_channel;

/*
 * A file descriptor that becomes readable when an armed CQ completes something. A channel and its
 * CQs belong to one thread.
 *
 *	dvx_cq_arm(cq, false);
 *	while (!dvx_cq_peek(cq)) {
 *		dvx_channel_wait(ch, -1, &woken, &cookie);
 *		dvx_cq_arm(woken, false);
 *	}
 */
struct dvx_channel;

/* For CQs made by DevX. */
int dvx_channel_open(struct dvx_dev *dev, struct dvx_channel **out);
/* For adopted CQs, whose ibv_cq was created with this channel. It stays the caller's. */
int dvx_channel_adopt(struct dvx_dev *dev, struct ibv_comp_channel *chan, struct dvx_channel **out);
/* -EBUSY while CQs are subscribed. */
int dvx_channel_close(struct dvx_channel *ch);
int dvx_channel_fd(const struct dvx_channel *ch);

/* Events of this CQ come through ch, with the caller's cookie. Until the CQ is destroyed. */
int dvx_channel_subscribe(struct dvx_channel *ch, struct dvx_cq *cq, void *cookie);

/*
 * Waits for one event (timeout in ms, -1: forever). Either out pointer may be NULL. The CQ may be
 * armed again at once; the caller is the CQ's thread. -ETIMEDOUT; -EINTR.
 */
int dvx_channel_wait(struct dvx_channel *ch, int timeout_ms, struct dvx_cq **cq, void **cookie);

DVX_END_DECLS

#endif
