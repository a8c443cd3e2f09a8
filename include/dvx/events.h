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
 * What happens besides completions: a CQ overruns, a queue fails, the port goes down, the device
 * disappears. A file descriptor that becomes readable then, for poll() and epoll.
 *
 *	dvx_events_open(dev, &events);
 *	dvx_events_watch_cq(events, cq, cookie);
 *	while (!dvx_events_wait(events, -1, &e))
 *		printf("%s of %u\n", dvx_event_name(e.type), e.number);
 *
 * For queues and CQs made by DevX. What was adopted keeps the events of verbs
 * (ibv_get_async_event()): the kernel has no second way to subscribe to them. Calls may come from
 * any thread; of two that wait, one has the event and the other waits on.
 */
struct dvx_events;

struct dvx_event {
	void *cookie;	 /* of the call that watches the object; NULL: the port's event */
	uint32_t number; /* CQN, QPN, SRQN, RQN, SQN, DCTN; the port, counted from 1 */
	uint8_t type;	 /* enum prm_event: CQ_ERROR, WQ_CATAS_ERROR, WQ_ACCESS_ERROR, ... */
	/* Of CQ_ERROR: enum prm_cq_error; of PORT_CHANGE: 1 down, 4 up, others: addresses, keys. */
	uint8_t reason;
	uint8_t reserved[2];
};

/* Port changes come from the start. */
int dvx_events_open(struct dvx_dev *dev, struct dvx_events **out);
/* -EBUSY while objects are watched: destroy these first. */
int dvx_events_close(struct dvx_events *events);
int dvx_events_fd(const struct dvx_events *events);

/*
 * From now on until the object is destroyed. -EINVAL: it is of another device, or verbs' own;
 * -EBUSY: it is watched already.
 */
int dvx_events_watch_cq(struct dvx_events *events, struct dvx_cq *cq, void *cookie);
int dvx_events_watch_srq(struct dvx_events *events, struct dvx_srq *srq, void *cookie);
int dvx_events_watch_qp(struct dvx_events *events, struct dvx_qp *qp, void *cookie);
int dvx_events_watch_rxq(struct dvx_events *events, struct dvx_rxq *rxq, void *cookie);
int dvx_events_watch_dct(struct dvx_events *events, struct dvx_dct *dct, void *cookie);
int dvx_events_watch_txq(struct dvx_events *events, struct dvx_txq *txq, void *cookie);

/*
 * The next event (timeout in ms, -1: forever, 0: only what is there). -ETIMEDOUT; -EINTR; -EIO: the
 * device is gone. Events of objects that were destroyed are left out.
 */
int dvx_events_wait(struct dvx_events *events, int timeout_ms, struct dvx_event *out);

/* "CQ_ERROR"; never NULL. */
const char *dvx_event_name(uint8_t type);

DVX_END_DECLS

#endif
