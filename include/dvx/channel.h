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

/* Opens a channel for CQs that dvx_cq_create() made. */
int dvx_channel_open(struct dvx_dev *dev, struct dvx_channel **out);
/*
 * Makes a channel for adopted CQs, whose ibv_cq was created with `chan`. The caller keeps `chan`,
 * which must outlive the dvx_channel.
 */
int dvx_channel_adopt(struct dvx_dev *dev, struct ibv_comp_channel *chan, struct dvx_channel **out);
/* Closes a channel. -EBUSY while CQs are subscribed to it. */
int dvx_channel_close(struct dvx_channel *ch);
int dvx_channel_fd(const struct dvx_channel *ch);

/* Sends the CQ's events through ch, with the caller's cookie, until the CQ is destroyed. */
int dvx_channel_subscribe(struct dvx_channel *ch, struct dvx_cq *cq, void *cookie);

/*
 * Waits for one event, up to timeout_ms milliseconds (-1: forever); -ETIMEDOUT or -EINTR without
 * one. Either out pointer may be NULL. Call it from the CQ's thread, which may arm the CQ again at
 * once. -ENOENT: an adopted channel had an event of an ibv_cq that is not subscribed to it. The event
 * is acknowledged, and *cookie is the ibv_cq.
 */
int dvx_channel_wait(struct dvx_channel *ch, int timeout_ms, struct dvx_cq **cq, void **cookie);

DVX_END_DECLS

#endif
