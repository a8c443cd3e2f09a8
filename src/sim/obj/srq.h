/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_SRQ_H
#define SIM_OBJ_SRQ_H

#include <dvx/prm/rq.h>
#include "obj.h"
#include "ring.h"

struct cq;
struct srq_priv;
struct umem;

/* A shared receive queue, and where the device stands in its ring (queue/srq.c moves that). */
struct srq {
	struct obj o;
	struct obj *pd; /* referenced */
	uint32_t pdn;	/* of the memory that its entries name */
	struct ring ring;
	bus_t dbrec;		      /* a counter of posted entries */
	struct dma_place dbrec_place;
	struct umem *dbr_umem;	      /* referenced, if the record lies in one */
	uint8_t log_size, log_stride; /* stride = 1 << log_stride bytes */
	uint8_t head;		      /* bytes of an entry before its data segments */
	bool linked;	 /* each entry names the next one; otherwise the ring's order */
	/* XRC: its domain and CQ, both referenced; NULL: an RMP */
	struct obj *xrcd;
	struct cq *cq;
	uint32_t user_index;
	bool failed;	 /* in error: nothing is taken from it */
	uint16_t pi, ci; /* posted and taken so far */
	uint16_t next;	 /* index of the next entry */
	uint16_t lwm;	 /* with fewer posted an event is due; 0: not armed */
	struct srq_priv *priv;
	uint8_t ctx[PRM_RMPC_BYTES]; /* as the command gave it, for QUERY */
};

#endif
