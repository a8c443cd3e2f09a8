/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_EVENTS_H
#define DVX_EVENTS_H

#include <dvx/cq.h>
#include <dvx/prm/eqe.h>

DVX_BEGIN_DECLS

struct dvx_dct;
struct dvx_qp;
struct dvx_rxq;
struct dvx_txq;

/*
 * Asynchronous events: a CQ overruns, a queue fails, the port goes down, the device disappears.
 * The file descriptor, for poll() and epoll, becomes readable when there is one.
 *
 *	dvx_events_open(dev, &events);
 *	dvx_events_watch_cq(events, cq, cookie);
 *	while (!dvx_events_wait(events, -1, &e))
 *		printf("%s of %u\n", dvx_event_name(e.type), e.number);
 *
 * For queues and CQs made by DevX. Events of adopted ones come by ibv_get_async_event() only: the
 * kernel offers no other way to subscribe to them. Calls may come from any thread; if several
 * threads wait, one of them gets the event and the others go on waiting.
 */
struct dvx_events;

struct dvx_event {
	void *cookie;	 /* given with the watched object; NULL: a port's event */
	uint32_t number; /* CQN, QPN, SRQN, RQN, SQN, DCTN; the port, counted from 1 */
	uint8_t type;	 /* enum prm_event: CQ_ERROR, WQ_CATAS_ERROR, WQ_ACCESS_ERROR, ... */
	/* CQ_ERROR: enum prm_cq_error; PORT_CHANGE: 1 down, 4 up, others: addresses, keys. */
	uint8_t reason;
	uint8_t reserved[2];
};

/* Begins to collect events: port changes, and those of objects that are watched later. */
int dvx_events_open(struct dvx_dev *dev, struct dvx_events **out);
/* Ends it. -EBUSY while objects are watched: destroy these first. */
int dvx_events_close(struct dvx_events *events);
int dvx_events_fd(const struct dvx_events *events);

/*
 * Watch an object from now on until it is destroyed. -EINVAL: it is an object of another device, or
 * an adopted one; -EBUSY: it is watched already.
 */
int dvx_events_watch_cq(struct dvx_events *events, struct dvx_cq *cq, void *cookie);
int dvx_events_watch_srq(struct dvx_events *events, struct dvx_srq *srq, void *cookie);
int dvx_events_watch_qp(struct dvx_events *events, struct dvx_qp *qp, void *cookie);
int dvx_events_watch_rxq(struct dvx_events *events, struct dvx_rxq *rxq, void *cookie);
int dvx_events_watch_dct(struct dvx_events *events, struct dvx_dct *dct, void *cookie);
int dvx_events_watch_txq(struct dvx_events *events, struct dvx_txq *txq, void *cookie);

/*
 * Waits for the next event, up to timeout_ms milliseconds (-1: forever; 0: not at all). -ETIMEDOUT;
 * -EINTR; -EIO: the device is gone. Skips events of objects that were destroyed.
 */
int dvx_events_wait(struct dvx_events *events, int timeout_ms, struct dvx_event *out);

/* Returns the name of an enum prm_event ("CQ_ERROR"); never NULL, valid for ever. */
const char *dvx_event_name(uint8_t type);

DVX_END_DECLS

#endif
