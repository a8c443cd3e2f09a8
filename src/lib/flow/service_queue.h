/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_FLOW_SERVICE_QUEUE_H
#define DVX_FLOW_SERVICE_QUEUE_H

#include "priv.h"

/* A send queue that libdvx posts to on behalf of slow calls, and its objects. */
struct dvx_service_queue {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_txq *txq;
	bool shares; /* PD and UAR are another one's */
};

/* Makes a queue of so many blocks. flags: enum dvx_txq_flags. If it fails, nothing is left. */
int dvx_service_queue_create(struct dvx_dev *dev, uint32_t blocks, uint32_t flags,
			     struct dvx_service_queue *q);
/* Does so with the PD and the UAR of another one, which exists longer. */
int dvx_service_queue_share(const struct dvx_service_queue *owner, uint32_t blocks, uint32_t flags,
			    struct dvx_service_queue *q);
/* Destroys what there is, in an order in which nothing is used any more; may be called again. */
int dvx_service_queue_destroy(struct dvx_service_queue *q);
/* Waits for the next completion, a failed one too, as dvx_cq_poll() returns it; `what` begins the sentence. */
int dvx_service_queue_wait(struct dvx_service_queue *q, const char *what, struct dvx_wc *wc);

#endif
